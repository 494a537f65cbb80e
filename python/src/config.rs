//! Configurations: JSON from the Python side becomes the library's own.

use lookalike::{Config, KeepRule};
use lookalike_detect::DetectorConfig;
use pyo3::prelude::*;

use crate::errors::{ConfigError, wrong_config};

/// A configuration file as JSON.
#[pyfunction]
pub fn read_config(text: &str) -> PyResult<String> {
    let table: toml::Table = text.parse().map_err(|error: toml::de::Error| {
        ConfigError::new_err(format!("this is no configuration file: {}", error.message()))
    })?;
    serde_json::to_string(&table).map_err(|error| ConfigError::new_err(error.to_string()))
}

/// The fields that a keep rule looks at.
#[pyfunction]
pub fn keep_fields(rule: &str) -> PyResult<Vec<String>> {
    let rule: KeepRule = rule.parse().map_err(wrong_config)?;
    Ok(rule.fields().into_iter().map(str::to_owned).collect())
}

/// The settings for a run that removes documents, which are guarded; refuses those whose pairs are no
/// ground for removal.
#[pyfunction]
pub fn for_removal(settings: &str) -> PyResult<String> {
    let config = parse(settings)?.for_removal().map_err(wrong_config)?;
    let invalid = |error: serde_json::Error| ConfigError::new_err(error.to_string());
    let mut table: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(settings).map_err(invalid)?;
    if let Some(accounted) = config.run.accounted {
        table.insert("accounted".into(), accounted.into());
    }
    serde_json::to_string(&table).map_err(invalid)
}

/// The names of all methods.
#[pyfunction]
pub fn methods() -> Vec<&'static str> {
    DetectorConfig::METHODS.iter().map(|(name, _)| *name).collect()
}

/// The configuration that a JSON object stands for.
pub fn parse(settings: &str) -> PyResult<Config> {
    let invalid = |error: &dyn std::fmt::Display| ConfigError::new_err(error.to_string());
    let table: toml::Table = serde_json::from_str(settings).map_err(|error| invalid(&error))?;
    Config::from_table(table).map_err(wrong_config)
}
