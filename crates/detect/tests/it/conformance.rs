//! The conformance suite over every method, and over configurations worth their own run.

use lookalike_detect::DetectorConfig;
use lookalike_detect::detectors::{ExactConfig, ImatchConfig};
use lookalike_detect::represent::ExactMatch;

lookalike_testkit::detector_conformance!();
lookalike_testkit::detector_conformance!(imatch_variants, imatch_variants());
lookalike_testkit::detector_conformance!(exact_by_words, exact_by_words());

fn exact_by_words() -> Vec<DetectorConfig> {
    let config = ExactConfig { matching: ExactMatch::Words, ..ExactConfig::default() };
    vec![DetectorConfig::Exact(config)]
}

/// A table of parameters as a configuration file has it.
fn imatch(parameters: &str) -> DetectorConfig {
    DetectorConfig::Imatch(toml::from_str::<ImatchConfig>(parameters).unwrap())
}

fn imatch_variants() -> Vec<DetectorConfig> {
    let mut configs = vec![
        imatch("bags = 10\ndigest = 'sum'"),
        imatch("bags = 5\nmin-matches = 3\nbag-rule = 'drop:0.33'"),
        imatch("preset = 'web'\nbags = 2\nmin-share = 0.2\nsecondary-size = 100"),
        imatch("rule = 'Doc-L-50'\nbags = 3\nmin-terms = 3"),
    ];
    let rules = ["Doc-H-30", "DocR-I-20-80", "DocR-O-20-80", "IDF-H-70", "IDFR-O-40-60"];
    configs.extend(rules.map(|rule| imatch(&format!("rule = '{rule}'"))));
    configs
}
