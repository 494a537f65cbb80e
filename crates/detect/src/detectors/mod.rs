//! The recipes, one file a method, and [`DetectorConfig`]: the only list of all methods.

use std::sync::Arc;

use lookalike_statistics::Statistics;
use lookalike_statistics::boilerplate::BoilerplateSet;
use lookalike_text::AnalyzerConfig;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::closest::did_you_mean;
use crate::{CandidateSearch, DetectError, Detector, Model, ObserveTerms, PROMISED_RECALL};

/// The threshold of a recipe, by where it stands: a field of its own, one that may be left to the
/// model, or a distance in bits.
macro_rules! threshold_of {
    (field) => {
        fn threshold(&self) -> Option<f64> {
            Some(self.threshold)
        }

        fn set_threshold(&mut self, threshold: f64) -> bool {
            self.threshold = threshold;
            true
        }
    };
    (optional field) => {
        fn threshold(&self) -> Option<f64> {
            self.threshold
        }

        fn set_threshold(&mut self, threshold: f64) -> bool {
            self.threshold = Some(threshold);
            true
        }
    };
    (distance) => {
        fn threshold(&self) -> Option<f64> {
            Some(1.0 - self.distance as f64 / self.bits as f64)
        }

        fn set_threshold(&mut self, threshold: f64) -> bool {
            let distance = ((1.0 - threshold) * self.bits as f64 + 1e-9).floor();
            self.distance = (distance.max(0.0) as usize).min(self.bits.saturating_sub(1));
            true
        }
    };
}

mod andd;
mod artifacts;
mod bounds;
mod dsc;
mod dsc_ss;
mod exact;
mod fingerprint;
mod hybrid;
mod imatch;
mod longsentences;
mod megashingles;
mod minhash;
mod minwise;
mod paragraph;
mod rarity;
mod simhash;
mod spotsigs;
mod supershingles;
mod svm;
mod syntactic;
mod vectors;
mod wordlsh;

pub use bounds::{Bound, PARAMETER_BOUNDS, out_of_bounds};

pub use andd::{AnddConfig, AnddCosineConfig, AnddJaccardConfig};
pub use dsc::DscConfig;
pub use dsc_ss::DscSsConfig;
pub use exact::ExactConfig;
pub use hybrid::HybridConfig;
pub use imatch::{ImatchConfig, LexiconPreset, NidfRange};
pub use longsentences::LongsentencesConfig;
pub use megashingles::MegashinglesConfig;
pub use minhash::MinhashConfig;
pub use minwise::MinwiseConfig;
pub use paragraph::{Compared, ParagraphConfig};
pub use rarity::{RarityConfig, WeightShare};
pub use simhash::SimhashConfig;
pub use spotsigs::SpotsigsConfig;
pub use supershingles::SupershinglesConfig;
pub use svm::SvmConfig;
pub use syntactic::SyntacticConfig;
pub use vectors::VectorsConfig;
pub use wordlsh::WordlshConfig;

/// What a detector is built from besides its parameters.
#[derive(Clone, Debug, Default)]
pub struct Artifacts {
    /// Document frequencies, where the method needs them.
    pub statistics: Option<Arc<Statistics>>,
    /// What was learned, where the method needs it.
    pub model: Option<Arc<Model>>,
    /// Paragraphs that the method shall not see.
    pub boilerplate: Option<Arc<BoilerplateSet>>,
}

impl Artifacts {
    /// Statistics and nothing else.
    pub fn with_statistics(statistics: Arc<Statistics>) -> Self {
        Self { statistics: Some(statistics), ..Self::default() }
    }
}

/// A method's parameters, with the paper's values as `Default`.
pub trait Recipe: Default + Clone + Serialize + DeserializeOwned {
    /// One line for `--help`: what it finds and when to choose it.
    const SUMMARY: &'static str;

    /// The analyzer that makes this method's terms.
    fn analyzer(&self) -> &AnalyzerConfig;

    /// The threshold on the score, for methods that have one.
    fn threshold(&self) -> Option<f64> {
        None
    }

    /// Sets the threshold; false for a method that has none.
    fn set_threshold(&mut self, _threshold: f64) -> bool {
        false
    }

    /// Whether [`Artifacts::statistics`] must be there, made with [`Recipe::analyzer`].
    fn needs_statistics(&self) -> bool {
        false
    }

    /// Whether [`Artifacts::model`] must be there, trained with [`Recipe::analyzer`].
    fn needs_model(&self) -> bool {
        false
    }

    /// What observes documents before their collection is counted, for [`Detector::weigh`] once it
    /// is; none where the method needs no counts, or texts again to sign by them.
    fn observer(
        &self,
        _model: Option<&Model>,
    ) -> Result<Option<Box<dyn ObserveTerms>>, DetectError> {
        Ok(None)
    }

    /// How bucket keys find candidates, where that can be told from the parameters.
    fn search(&self) -> Option<CandidateSearch> {
        None
    }

    /// The least probability with which a pair exactly at the threshold should become a candidate.
    fn promised_recall(&self) -> f64 {
        PROMISED_RECALL
    }

    /// Checks the parameters and puts the parts together.
    fn build(&self, artifacts: &Artifacts) -> Result<Detector, DetectError>;
}

/// Calls `$body` with `$recipe` bound to the parameters of whichever method `$config` holds.
macro_rules! with_recipe {
    ($config:expr, [$($variant:ident),+], $recipe:ident => $body:expr) => {
        match $config { $(DetectorConfig::$variant($recipe) => $body,)+ }
    };
}

/// Declares [`DetectorConfig`] from the list of recipes: adding a method is one file and one line.
macro_rules! recipes {
    ($($name:literal => $variant:ident($config:ty),)+) => {
        /// A method and its parameters; as text, `method = "..."` beside the parameters.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "method")]
        #[non_exhaustive]
        pub enum DetectorConfig {
            $(
                #[doc = concat!("See [`", stringify!($config), "`].")]
                #[serde(rename = $name)]
                $variant($config),
            )+
        }

        impl DetectorConfig {
            /// The names of all methods with their one-line summaries, in the order of the docs.
            pub const METHODS: &[(&str, &str)] = &[$(($name, <$config as Recipe>::SUMMARY),)+];

            /// The method of this name with its default parameters.
            pub fn named(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$variant(<$config>::default())),)+
                    _ => None,
                }
            }

            /// The method's name.
            pub fn name(&self) -> &'static str {
                match self { $(Self::$variant(_) => $name,)+ }
            }

            /// See [`Recipe::analyzer`].
            pub fn analyzer(&self) -> &AnalyzerConfig {
                with_recipe!(self, [$($variant),+], recipe => recipe.analyzer())
            }

            /// See [`Recipe::threshold`].
            pub fn threshold(&self) -> Option<f64> {
                with_recipe!(self, [$($variant),+], recipe => recipe.threshold())
            }

            /// See [`Recipe::set_threshold`].
            pub fn set_threshold(&mut self, threshold: f64) -> bool {
                with_recipe!(self, [$($variant),+], recipe => recipe.set_threshold(threshold))
            }

            /// See [`Recipe::needs_statistics`].
            pub fn needs_statistics(&self) -> bool {
                with_recipe!(self, [$($variant),+], recipe => recipe.needs_statistics())
            }

            /// See [`Recipe::needs_model`].
            pub fn needs_model(&self) -> bool {
                with_recipe!(self, [$($variant),+], recipe => recipe.needs_model())
            }

            /// See [`Recipe::observer`].
            pub fn observer(
                &self,
                model: Option<&Model>,
            ) -> Result<Option<Box<dyn ObserveTerms>>, DetectError> {
                with_recipe!(self, [$($variant),+], recipe => recipe.observer(model))
            }

            /// See [`Recipe::search`].
            pub fn search(&self) -> Option<CandidateSearch> {
                with_recipe!(self, [$($variant),+], recipe => recipe.search())
            }

            /// See [`Recipe::promised_recall`].
            pub fn promised_recall(&self) -> f64 {
                with_recipe!(self, [$($variant),+], recipe => recipe.promised_recall())
            }

            /// Checks the parameters and builds the detector.
            pub fn build(&self, artifacts: &Artifacts) -> Result<Detector, DetectError> {
                let detector =
                    with_recipe!(self, [$($variant),+], recipe => recipe.build(artifacts))?;
                detector.check_parts(self.name())?;
                let (config, read) = (self.clone(), artifacts.clone());
                let detector = detector.ignoring(artifacts.boilerplate.clone());
                Ok(detector.stamped(move || config.fingerprint(&read)))
            }
        }
    };
}

recipes! {
    "exact" => Exact(ExactConfig),
    "syntactic" => Syntactic(SyntacticConfig),
    "imatch" => Imatch(ImatchConfig),
    "minhash" => Minhash(MinhashConfig),
    "simhash" => Simhash(SimhashConfig),
    "spotsigs" => Spotsigs(SpotsigsConfig),
    "rarity" => Rarity(RarityConfig),
    "andd" => Andd(AnddConfig),
    "andd-cosine" => AnddCosine(AnddCosineConfig),
    "andd-jaccard" => AnddJaccard(AnddJaccardConfig),
    "svm" => Svm(SvmConfig),
    "paragraph" => Paragraph(ParagraphConfig),
    "dsc" => Dsc(DscConfig),
    "dsc-ss" => DscSs(DscSsConfig),
    "minwise" => Minwise(MinwiseConfig),
    "supershingles" => Supershingles(SupershinglesConfig),
    "megashingles" => Megashingles(MegashinglesConfig),
    "wordlsh" => Wordlsh(WordlshConfig),
    "hybrid" => Hybrid(HybridConfig),
    "longsentences" => Longsentences(LongsentencesConfig),
    "vectors" => Vectors(VectorsConfig),
}

impl DetectorConfig {
    /// The probability that a pair exactly at the threshold becomes a candidate.
    ///
    /// `None` where there is no threshold that bucket keys could miss: shared keys are the verdict,
    /// the threshold is left to the model, or keys see another resemblance than it is set on.
    pub fn recall_at_threshold(&self) -> Option<f64> {
        self.search()?.recall_at(self.threshold()?)
    }

    /// Reads a method from a table of `method = "..."` and parameters.
    ///
    /// # Errors
    /// An unknown method, an unknown parameter or a value of the wrong kind, in one sentence.
    pub fn from_table(table: toml::Table) -> Result<Self, DetectError> {
        let name = table.get("method").and_then(toml::Value::as_str).unwrap_or_default();
        let Some(&(method, _)) = Self::METHODS.iter().find(|(known, _)| *known == name) else {
            let names: Vec<_> = Self::METHODS.iter().map(|(name, _)| *name).collect();
            let meant = did_you_mean(name, names.iter().copied());
            let message =
                format!("unknown method `{name}`; {meant}the methods are {}", names.join(", "));
            return Err(DetectError::Config(message));
        };
        if let Some((parameter, value, expected)) = out_of_bounds(&table, PARAMETER_BOUNDS) {
            return Err(DetectError::Parameter { method, parameter, value, expected });
        }
        table.try_into().map_err(|error: toml::de::Error| {
            unknown_parameter(method, error.message()).unwrap_or_else(|| {
                DetectError::Config(format!("method {method}: {}", error.message()))
            })
        })
    }
}

/// The error behind the words of the parser, if they are of a field that does not exist.
fn unknown_parameter(method: &'static str, message: &str) -> Option<DetectError> {
    let rest = message.strip_prefix("unknown field `")?;
    let mut quoted = rest.split('`').step_by(2).map(str::to_owned);
    let parameter = quoted.next()?;
    // Between them stand commas, and the last one ends the message.
    let parameters = quoted.filter(|name| !name.is_empty()).collect();
    Some(DetectError::UnknownParameter { method, parameter, parameters })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_is_found_by_its_name_and_survives_a_round_trip() {
        for (name, summary) in DetectorConfig::METHODS {
            let config = DetectorConfig::named(name).unwrap();
            assert_eq!(config.name(), *name);
            assert!(!summary.is_empty());
            let table = toml::Table::try_from(&config).unwrap();
            assert_eq!(DetectorConfig::from_table(table).unwrap(), config);
        }
    }

    #[test]
    fn an_unknown_parameter_is_named() {
        let table = toml::toml! { method = "exact"
        ngrams = 3 };
        let message = DetectorConfig::from_table(table).unwrap_err().to_string();
        assert!(message.contains("exact has no parameter `ngrams`"), "{message}");
        let table = toml::toml! { method = "minhsh" };
        let message = DetectorConfig::from_table(table).unwrap_err().to_string();
        assert!(message.contains("unknown method `minhsh`; did you mean `minhash`?"), "{message}");
        let table = toml::toml! { method = "minhash"
        tresholds = 0.5 };
        let message = DetectorConfig::from_table(table).unwrap_err().to_string();
        assert!(message.contains("did you mean `threshold`?"), "{message}");
    }
}
