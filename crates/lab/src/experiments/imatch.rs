//! I-Match configurations as experiments vary them.

use lookalike_detect::DetectorConfig;
use lookalike_detect::represent::RetentionRule;

use crate::LabError;

/// I-Match with a retention rule of the 2002 paper and nothing else.
pub fn with_rule(rule: RetentionRule) -> Result<DetectorConfig, LabError> {
    let mut table = toml::Table::new();
    table.insert("rule".into(), rule.to_string().into());
    from_parameters(table)
}

/// The same parameters with so many randomized lexicons.
pub fn with_bags(parameters: &toml::Table, n_bags: usize) -> Result<DetectorConfig, LabError> {
    let mut table = parameters.clone();
    table.insert("bags".into(), (n_bags as i64).into());
    from_parameters(table)
}

/// I-Match with these parameters.
pub fn from_parameters(mut table: toml::Table) -> Result<DetectorConfig, LabError> {
    table.insert("method".into(), "imatch".into());
    Ok(DetectorConfig::from_table(table)?)
}
