//! Which methods take part, and with which parameters.

use lookalike::{Config, RunConfig, Verify};
use lookalike_detect::{Artifacts, Detector, DetectorConfig};

use crate::LearnError;

/// A method with its parameters and the name its row gets.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparedMethod {
    /// The row's name: the method as it was written.
    pub name: String,
    /// The method.
    pub config: DetectorConfig,
    /// Terms in the k-grams whose weights `andd`, `andd-cosine` and `andd-jaccard` learn.
    pub kgram: usize,
    /// A further check of every pair; by default none, as in the papers.
    pub verify: Verify,
}

/// Rows beside the methods at their defaults: the plain vectors that the papers measure against,
/// and methods whose keys decide as `find` confirms them.
const VARIANTS: &[&str] = &[
    "vectors:similarity=extended-jaccard",
    "vectors:ngram=3",
    "vectors:ngram=3:similarity=extended-jaccard",
    "vectors:weights=tf-idf",
    "minhash:ngram=3",
    "andd:kgram=3",
    "andd-jaccard:kgram=3",
    "andd-jaccard:kgram=5",
    "imatch:verify=method",
    "dsc-ss:verify=method",
    "supershingles:verify=method",
    "megashingles:verify=method",
];

impl ComparedMethod {
    /// Every method at its defaults, and the variants that papers compare with.
    pub fn all() -> Vec<Self> {
        let defaults = DetectorConfig::METHODS.iter().map(|(name, _)| *name);
        defaults.chain(VARIANTS.iter().copied()).filter_map(|text| Self::parse(text).ok()).collect()
    }

    /// Reads `NAME` or `NAME:PARAMETER=VALUE:...`, where a parameter may reach into a table, as
    /// in `analyzer.lowercase=false`. `kgram` is one of training, of the methods that learn weights;
    /// `verify` is `none`, the papers' way, or `method`, as `find` confirms by default.
    ///
    /// # Errors
    /// An unknown method or parameter, in one sentence.
    pub fn parse(text: &str) -> Result<Self, LearnError> {
        let mut parts = text.trim().split(':');
        let mut table = toml::Table::new();
        table.insert("method".into(), parts.next().unwrap_or_default().into());
        for part in parts {
            lookalike::assign(&mut table, part)?;
        }
        let is_learned = table["method"].as_str().is_some_and(|name| name.starts_with("andd"));
        let kgram = is_learned.then(|| table.remove("kgram")).flatten();
        let kgram = kgram.map_or(Ok(1), |value| {
            let wrong = || LearnError::Option {
                option: "kgram",
                value: value.to_string(),
                expected: "a k-gram has from 1 to 16 terms",
            };
            value.as_integer().and_then(|k| usize::try_from(k).ok()).ok_or_else(wrong)
        })?;
        let verify = match table.remove("verify") {
            None => Verify::None,
            Some(value) => {
                value.as_str().unwrap_or_default().parse().map_err(|_| LearnError::Option {
                    option: "verify",
                    value: value.to_string(),
                    expected: "none, the papers' way, or method, as `find` confirms by default",
                })?
            }
        };
        let config = DetectorConfig::from_table(table)?;
        Ok(Self { name: text.trim().to_owned(), config, kgram, verify })
    }

    /// The detector, with its check.
    pub(super) fn build(&self, artifacts: &Artifacts) -> Result<Detector, LearnError> {
        let run = RunConfig { verify: self.verify, ..RunConfig::default() };
        let config = Config { run, detector: self.config.clone() };
        Ok(lookalike::build_detector(&config, artifacts)?)
    }

    /// Reads a list of such texts with commas between them.
    ///
    /// # Errors
    /// As [`ComparedMethod::parse`].
    pub fn parse_list(text: &str) -> Result<Vec<Self>, LearnError> {
        text.split(',').map(Self::parse).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_stand_behind_colons_and_methods_behind_commas() {
        let methods =
            ComparedMethod::parse_list("exact,minhash:ngram=2:analyzer.lowercase=false").unwrap();
        assert_eq!(methods[0].config, DetectorConfig::named("exact").unwrap());
        let table = toml::Table::try_from(&methods[1].config).unwrap();
        assert_eq!(table["ngram"].as_integer(), Some(2));
        assert_eq!(table["analyzer"]["lowercase"].as_bool(), Some(false));
        assert_eq!(methods[1].name, "minhash:ngram=2:analyzer.lowercase=false");
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        assert_eq!(ComparedMethod::parse("andd:kgram=3").unwrap().kgram, 3);
        for wrong in [
            "nosuch",
            "minhash:ngram",
            "minhash:grams=3",
            "minhash:kgram=3",
            "andd:kgram=x",
            "exact:verify=x",
        ] {
            let message = ComparedMethod::parse(wrong).unwrap_err().to_string();
            let named = wrong.rsplit(':').next().unwrap().split('=').next().unwrap();
            assert!(message.contains(named), "{message}");
        }
    }

    #[test]
    fn every_method_takes_part_by_default() {
        let all = ComparedMethod::all();
        for (name, _) in DetectorConfig::METHODS {
            assert!(all.iter().any(|method| method.name == *name), "{name}");
        }
    }
}
