//! Configurations for kinds of collections, for people who have no labels.
//!
//! A preset is a table of configuration keys under everything that is said in a configuration:
//! keys that are given stay as they are given. Where the values come from, and what each reaches
//! on data that it was not chosen on, stands in `docs/results/presets.md`.

use crate::ConfigError;

/// A named configuration for a kind of collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    /// Its name, the value of the key `preset`.
    pub name: &'static str,
    /// What it is for, in a few words.
    pub summary: &'static str,
    /// Its keys, as TOML.
    keys: &'static str,
}

/// All presets.
pub const PRESETS: [Preset; 5] = [
    Preset {
        name: "pages",
        summary: "stories and pages in many templates",
        keys: "method = 'spotsigs'\nthreshold = 0.2\nignore-boilerplate = 4",
    },
    Preset {
        name: "mail",
        summary: "messages, campaigns with changed words",
        keys: "method = 'minhash'\nngram = 1\nthreshold = 0.8\nverify = 'cosine:0.9'",
    },
    Preset {
        name: "reference",
        summary: "one template for all, documents that differ by a name",
        keys: "method = 'paragraph'\nthreshold = 0.9\nverify = 'jaccard:0.97'",
    },
    Preset {
        name: "training-data",
        summary: "crawled text of all kinds, copies with small edits",
        keys: "method = 'minhash'\nngram = 5\nthreshold = 0.7\nkeep = 'longest'",
    },
    Preset {
        name: "contracts",
        summary: "clauses that are moved and renumbered",
        keys: "method = 'minhash'\nngram = 1\nthreshold = 0.93",
    },
];

/// Names that the method `imatch` has for lexicons of the 2008 paper.
const LEXICONS: [&str; 2] = ["web", "mail"];

impl Preset {
    /// The preset of this name.
    pub fn named(name: &str) -> Option<Self> {
        PRESETS.into_iter().find(|preset| preset.name == name)
    }

    /// Its keys and their values.
    pub fn table(self) -> toml::Table {
        // Written above and held to by a test.
        self.keys.parse().unwrap_or_default()
    }
}

/// Replaces the key `preset` of a configuration by the keys it stands for.
///
/// With the method `imatch` the key is that method's own and stays; a lexicon that no preset is
/// named like implies the method.
///
/// # Errors
/// A name that nothing has, or a method that is not the preset's.
pub(crate) fn apply(table: &mut toml::Table) -> Result<(), ConfigError> {
    let method = table.get("method").and_then(toml::Value::as_str).map(str::to_owned);
    let name = match table.get("preset") {
        Some(toml::Value::String(name)) if method.as_deref() != Some("imatch") => name.clone(),
        _ => return Ok(()),
    };
    let Some(preset) = Preset::named(&name) else {
        if method.is_none() && LEXICONS.contains(&name.as_str()) {
            table.insert("method".into(), "imatch".into());
            return Ok(());
        }
        return Err(ConfigError::Value {
            key: "preset",
            value: name,
            expected: "pages, mail, reference, training-data or contracts; with the method imatch, web or mail",
        });
    };
    let keys = preset.table();
    let own = keys.get("method").and_then(toml::Value::as_str).unwrap_or_default();
    if let Some(other) = method.filter(|method| method != own) {
        return Err(ConfigError::Invalid(format!(
            "the preset {name} is made for the method {own}, not for {other}; leave out one of the two"
        )));
    }
    table.remove("preset");
    for (key, value) in keys {
        table.entry(key).or_insert(value);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Config, Verify};

    #[test]
    fn every_preset_is_a_configuration_that_reads_back_as_itself() {
        for preset in PRESETS {
            let mut table = toml::Table::new();
            table.insert("preset".into(), preset.name.into());
            let config = Config::from_table(table).unwrap();
            assert_eq!(config.detector.name(), preset.table()["method"].as_str().unwrap());
            let text = config.to_toml().unwrap();
            let again = Config::from_table(text.parse().unwrap()).unwrap();
            assert_eq!(again.to_toml().unwrap(), text);
        }
    }

    #[test]
    fn what_is_said_goes_before_the_preset() {
        let table = toml::toml! { preset = "mail"
        threshold = 0.75 };
        let config = Config::from_table(table).unwrap();
        assert_eq!(config.detector.threshold(), Some(0.75));
        assert_eq!(config.run.verify, Verify::Cosine(0.9));
    }

    #[test]
    fn lexicons_of_imatch_stay_with_it_and_imply_it() {
        for text in ["preset = 'web'", "preset = 'mail'\nmethod = 'imatch'"] {
            let config = Config::from_table(text.parse().unwrap()).unwrap();
            assert_eq!(config.detector.name(), "imatch", "{text}");
        }
    }

    #[test]
    fn a_name_nobody_has_and_a_method_that_is_not_the_presets_are_refused() {
        for (text, named) in [
            ("preset = 'letters'", "letters"),
            ("preset = 'pages'\nmethod = 'simhash'", "spotsigs"),
            ("preset = 'web'\nmethod = 'minhash'", "web"),
        ] {
            let message = Config::from_table(text.parse().unwrap()).unwrap_err().to_string();
            assert!(message.contains(named), "{text}: {message}");
        }
    }
}
