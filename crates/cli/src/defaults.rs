//! The defaults of the methods' parameters, for the help: taken from the methods, never repeated.

use lookalike_detect::DetectorConfig;

/// What a flag does, and what it is by default in each of these methods.
pub fn with_defaults(what: &str, key: &str, methods: &[&str]) -> String {
    let defaults: Vec<(&str, String)> =
        methods.iter().filter_map(|name| Some((*name, default(name, key)?))).collect();
    let Some((_, first)) = defaults.first() else { return what.to_owned() };
    if defaults.iter().all(|(_, value)| value == first) {
        return format!("{what} [default: {first}]");
    }
    let told: Vec<String> =
        defaults.iter().map(|(name, value)| format!("{name} {value}")).collect();
    format!("{what} [default: {}]", told.join(", "))
}

/// The methods that a threshold on the score decides in.
pub fn with_threshold() -> Vec<&'static str> {
    let names = DetectorConfig::METHODS.iter().map(|(name, _)| *name);
    names.filter(|name| default(name, "distance").is_none() || *name == "spotsigs").collect()
}

/// All methods.
pub fn all() -> Vec<&'static str> {
    DetectorConfig::METHODS.iter().map(|(name, _)| *name).collect()
}

fn default(method: &str, key: &str) -> Option<String> {
    let config = DetectorConfig::named(method)?;
    if key == "threshold" {
        return config.threshold().map(|threshold| threshold.to_string());
    }
    Some(toml::Table::try_from(&config).ok()?.get(key)?.to_string())
}
