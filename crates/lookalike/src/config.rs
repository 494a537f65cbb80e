//! Everything that decides a run's result, as one document that is stored with the result.
//!
//! The document is flat: the run's own keys beside the method's parameters, each named like its
//! command-line flag. What [`Config`] does not know belongs to the method, which refuses what it
//! does not know either.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use lookalike_corpus::{Format, IdKey, InputOptions};
use lookalike_detect::detectors::{Bound, out_of_bounds};
use lookalike_detect::{DetectError, DetectorConfig, bounds, closest};
use serde::{Deserialize, Serialize};

use crate::cluster::ClusterRule;
use crate::{ByteSize, ConfigError, KeepRule, Profile};

/// The method `find` and `dedup` use when none is named.
pub const DEFAULT_METHOD: &str = "minhash";

/// Methods that find every pair above their threshold.
const EXACT_METHODS: [&str; 2] = ["spotsigs", "vectors"];
/// More comparisons than a document can cost.
const NO_LIMIT: usize = u32::MAX as usize;
/// The bounds of the run's own numbers. With more threads than this they do nothing but wait.
const RUN_BOUNDS: &[Bound] = bounds! {
    "threads" <= 1024,
    "max-comparisons" <= 4294967295,
    "ignore-boilerplate" <= 4294967295,
    "accounted" <= 1,
};

/// A run's configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// How documents are read, joined, clustered and reported.
    pub run: RunConfig,
    /// The method and its parameters.
    pub detector: DetectorConfig,
}

/// The part of a configuration that is the same for every method.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct RunConfig {
    /// The field that holds the text; `a.b` reaches into nested objects.
    pub text_key: String,
    /// The field that holds the document's id; `row` numbers the rows instead.
    pub id_key: String,
    /// Whether the text of rows is HTML, of which only what a reader sees counts.
    pub html: bool,
    /// The format of all files, whatever their names.
    #[serde(rename = "as", skip_serializing_if = "Option::is_none")]
    pub read_as: Option<Format>,
    /// Whether files below a folder are read whose names begin with a dot.
    pub hidden: bool,
    /// Threads to use; 0 means one for each core.
    pub threads: usize,
    /// How much memory the join may use before it goes to disk.
    pub memory: ByteSize,
    /// Which document of a cluster is kept.
    pub keep: KeepRule,
    /// What a cluster promises.
    pub cluster: ClusterRule,
    /// Which confirmed pairs are written.
    pub pairs: PairsWritten,
    /// A further exact check that every pair must pass.
    pub verify: Verify,
    /// A document is the duplicate of another one only if at least this share of its words stands,
    /// in runs, in the other; 0 is the method alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accounted: Option<f64>,
    /// Collection statistics to use instead of counting the input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stats: Option<PathBuf>,
    /// What a learned method has learned; `lookalike train` writes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<PathBuf>,
    /// A model is asked with the document frequencies it was trained with, not with those of the
    /// input.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub model_stats: bool,
    /// What the documents look like that a tuned configuration was made on; a run says when its own
    /// are unlike them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub made_on: Option<Profile>,
    /// Paragraphs that at least so many otherwise different documents repeat are left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ignore_boilerplate: Option<usize>,
    /// A boilerplate file: the paragraphs to leave out, instead of counting them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub boilerplate: Option<PathBuf>,
    /// People's words on pairs, which stand above the method's verdicts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judgments: Option<PathBuf>,
    /// A folder for the artefacts that the run uses, so that another run can use the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write_artifacts: Option<PathBuf>,
    /// Failed comparisons a document may cost before the rest of a crowded bucket is skipped (and
    /// counted as skipped). Methods that promise every pair have no limit unless one is set.
    pub max_comparisons: usize,
}

impl Default for RunConfig {
    fn default() -> Self {
        Self {
            text_key: "text".into(),
            id_key: "id".into(),
            html: false,
            read_as: None,
            hidden: false,
            threads: 0,
            memory: ByteSize(8 << 30),
            keep: KeepRule::default(),
            cluster: ClusterRule::Star,
            pairs: PairsWritten::Clusters,
            verify: Verify::Method,
            accounted: None,
            stats: None,
            model: None,
            model_stats: false,
            made_on: None,
            ignore_boilerplate: None,
            boilerplate: None,
            judgments: None,
            write_artifacts: None,
            max_comparisons: 1_000,
        }
    }
}

impl RunConfig {
    /// How rows are read; the fields that rules and labels need come on top.
    pub fn input_options(&self) -> InputOptions {
        InputOptions {
            text_key: self.text_key.clone(),
            id_key: match self.id_key.as_str() {
                "row" => IdKey::Row,
                field => IdKey::Field(field.to_owned()),
            },
            html: self.html,
            read_as: self.read_as,
            hidden: self.hidden,
            ..InputOptions::default()
        }
    }
}

/// Which confirmed pairs are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PairsWritten {
    /// Those the clusters rest on: linear in the input.
    #[default]
    Clusters,
    /// Every confirmed pair.
    All,
}

/// A further exact check on the sets of terms, written `method`, `none`, `jaccard:0.8` or
/// `cosine:0.9`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Verify {
    /// A method whose bucket keys decide is confirmed as [`Verify::of_method`] has it; of all
    /// others the own verdict stands.
    #[default]
    Method,
    /// The method's own verdict stands.
    None,
    /// Jaccard of the sets of terms at least this.
    Jaccard(f64),
    /// Cosine of the sets of terms at least this.
    Cosine(f64),
}

impl Verify {
    /// What this comes to for a method.
    ///
    /// Equal keys only say that two documents may be alike. The 2008 paper takes a cosine of 0.9 of
    /// the sets of terms for the truth that I-Match is held to. Documents whose super shingles agree
    /// resemble each other by 0.8 and more, and so do their sets of terms, of which a cosine of 0.9
    /// is a Jaccard of 0.81 to 0.82.
    pub fn of_method(self, detector: &DetectorConfig) -> Self {
        match (self, detector.name()) {
            (Self::Method, "imatch" | "dsc-ss" | "supershingles" | "megashingles") => {
                Self::Cosine(0.9)
            }
            (Self::Method, _) => Self::None,
            (chosen, _) => chosen,
        }
    }
}

impl FromStr for Verify {
    type Err = ConfigError;

    fn from_str(text: &str) -> Result<Self, ConfigError> {
        let wrong = || ConfigError::Value {
            key: "verify",
            value: text.to_owned(),
            expected: "method, none, jaccard:T or cosine:T with T between 0 and 1",
        };
        let (measure, threshold) = match text.split_once(':') {
            None if text == "method" => return Ok(Self::Method),
            None if text == "none" => return Ok(Self::None),
            None => return Err(wrong()),
            Some((measure, threshold)) => (measure, threshold.parse().map_err(|_| wrong())?),
        };
        if !(0.0..=1.0).contains(&threshold) {
            return Err(wrong());
        }
        match measure {
            "jaccard" => Ok(Self::Jaccard(threshold)),
            "cosine" => Ok(Self::Cosine(threshold)),
            _ => Err(wrong()),
        }
    }
}

impl fmt::Display for Verify {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Method => formatter.write_str("method"),
            Self::None => formatter.write_str("none"),
            Self::Jaccard(threshold) => write!(formatter, "jaccard:{threshold}"),
            Self::Cosine(threshold) => write!(formatter, "cosine:{threshold}"),
        }
    }
}

crate::serde_as_text!(Verify);

/// Both parts as they stand in one flat table.
#[derive(Serialize, Deserialize)]
struct Flat {
    #[serde(flatten)]
    run: RunConfig,
    #[serde(flatten)]
    method: toml::Table,
}

/// Sets `a.b=value` in a table, where the value is TOML or else plain text.
///
/// # Errors
/// No `=`, no key before it, or a path through a value that is no table.
pub fn assign(table: &mut toml::Table, assignment: &str) -> Result<(), ConfigError> {
    let wrong = || ConfigError::Invalid(format!("{assignment}: expected KEY=VALUE"));
    let (key, value) = assignment.split_once('=').ok_or_else(wrong)?;
    let parsed = format!("value = {value}").parse::<toml::Table>().ok();
    let value = parsed.and_then(|mut table| table.remove("value")).unwrap_or_else(|| value.into());
    let mut path: Vec<&str> = key.trim().split('.').collect();
    let last = path.pop().filter(|last| !last.is_empty()).ok_or_else(wrong)?;
    let mut place = table;
    for part in path {
        let inner = place.entry(part).or_insert_with(|| toml::Table::new().into());
        place = inner.as_table_mut().ok_or_else(wrong)?;
    }
    place.insert(last.to_owned(), value);
    Ok(())
}

impl Config {
    /// A configuration with this method's defaults.
    ///
    /// # Errors
    /// The method does not exist.
    pub fn for_method(name: &str) -> Result<Self, ConfigError> {
        let mut table = toml::Table::new();
        table.insert("method".into(), name.into());
        Self::from_table(table)
    }

    /// Reads a flat table of run keys and method parameters; absent keys have their defaults.
    ///
    /// # Errors
    /// A key that neither the run nor the method knows, or a value of the wrong kind.
    pub fn from_table(mut table: toml::Table) -> Result<Self, ConfigError> {
        crate::presets::apply(&mut table)?;
        if let Some((key, value, expected)) = out_of_bounds(&table, RUN_BOUNDS) {
            return Err(ConfigError::Value { key, value, expected });
        }
        let has_limit = table.contains_key("max-comparisons");
        let has_keep = table.contains_key("keep");
        table.entry("method").or_insert_with(|| DEFAULT_METHOD.into());
        let mut flat: Flat = table
            .try_into()
            .map_err(|error: toml::de::Error| ConfigError::Invalid(error.message().to_owned()))?;
        let mut method = flat.method;
        // A flattened map also receives the keys that the struct beside it has consumed.
        let run_keys = toml::Table::try_from(RunConfig {
            read_as: Some(Format::Text),
            accounted: Some(0.0),
            stats: Some(PathBuf::new()),
            model: Some(PathBuf::new()),
            model_stats: true,
            made_on: Some(Profile::default()),
            ignore_boilerplate: Some(0),
            boilerplate: Some(PathBuf::new()),
            judgments: Some(PathBuf::new()),
            write_artifacts: Some(PathBuf::new()),
            ..RunConfig::default()
        })
        .map_err(|error| ConfigError::Invalid(error.to_string()))?;
        method.retain(|key, _| !run_keys.contains_key(key));
        let detector = DetectorConfig::from_table(method).map_err(|error| match error {
            // It may have been meant for the run.
            DetectError::UnknownParameter { method, parameter, mut parameters } => {
                let of_method = parameters.len();
                parameters.extend(run_keys.keys().cloned());
                let names = parameters.iter().map(String::as_str);
                let meant = closest(&parameter, names).filter(|name| run_keys.contains_key(*name));
                if let Some(name) = meant {
                    let message = format!("there is no key `{parameter}`; did you mean `{name}`?");
                    return ConfigError::Invalid(message);
                }
                parameters.truncate(of_method);
                DetectError::UnknownParameter { method, parameter, parameters }.into()
            }
            error => error.into(),
        })?;
        if let Some(few) = flat.run.ignore_boilerplate.filter(|documents| *documents < 2) {
            return Err(ConfigError::Value {
                key: "ignore-boilerplate",
                value: few.to_string(),
                expected: "at least 2: what repeats stands in more than one document",
            });
        }
        // Methods that promise every pair skip none unless they are told to.
        if !has_limit && EXACT_METHODS.contains(&detector.name()) {
            flat.run.max_comparisons = NO_LIMIT;
        }
        if let (Some(few), Some(file)) = (flat.run.ignore_boilerplate, &flat.run.boilerplate) {
            return Err(ConfigError::Invalid(format!(
                "ignore-boilerplate = {few} counts what to leave out and boilerplate = {} names it; \
                 give one of the two",
                file.display()
            )));
        }
        if flat.run.model_stats && flat.run.stats.is_some() {
            return Err(ConfigError::Value {
                key: "model-stats",
                value: "true".into(),
                expected: "either the model's statistics, or those of the file that stats names",
            });
        }
        Self { run: flat.run, detector }.with_implied_keep(has_keep)
    }

    /// The whole configuration as text that [`Config::from_table`] reads back.
    ///
    /// # Errors
    /// A value that cannot be written as TOML; none is known.
    pub fn to_toml(&self) -> Result<String, ConfigError> {
        let invalid = |error: toml::ser::Error| ConfigError::Invalid(error.to_string());
        let mut table = toml::Table::try_from(&self.detector).map_err(invalid)?;
        let verify = self.run.verify.of_method(&self.detector);
        table.extend(
            toml::Table::try_from(RunConfig { verify, ..self.run.clone() }).map_err(invalid)?,
        );
        toml::to_string_pretty(&table).map_err(invalid)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assignments_reach_into_tables_and_take_plain_words() {
        let mut table = toml::Table::new();
        for assignment in ["analyzer.words=characters", "analyzer.lowercase=false", "ngram=5"] {
            assign(&mut table, assignment).unwrap();
        }
        let expected = toml::toml! { ngram = 5
        analyzer = { words = "characters", lowercase = false } };
        assert_eq!(table, expected);
        assert!(assign(&mut table, "ngram").is_err());
        assert!(assign(&mut table, "ngram.x=1").is_err());
    }

    #[test]
    fn a_resolved_configuration_reads_back_as_itself() {
        for (method, _) in DetectorConfig::METHODS {
            let mut config = Config::for_method(method).unwrap();
            config.run.verify = Verify::Jaccard(0.8);
            config.run.keep = "newest:date".parse().unwrap();
            config.run.memory = "64M".parse().unwrap();
            config.run.stats = Some("lexicon.stats".into());
            config.run.read_as = Some(Format::Html);
            config.run.model = Some("news.model".into());
            let text = config.to_toml().unwrap();
            let table: toml::Table = text.parse().unwrap();
            assert_eq!(Config::from_table(table).unwrap(), config, "{text}");
        }
    }

    #[test]
    fn methods_that_promise_every_pair_have_no_limit_unless_one_is_set() {
        let limit = |method: &str| Config::for_method(method).unwrap().run.max_comparisons;
        assert_eq!(
            (limit("minhash"), limit("spotsigs"), limit("vectors")),
            (1000, NO_LIMIT, NO_LIMIT)
        );
        let table = toml::toml! { method = "vectors"
        max-comparisons = 7 };
        assert_eq!(Config::from_table(table).unwrap().run.max_comparisons, 7);
    }

    #[test]
    fn a_keep_rule_that_would_remove_the_container_is_refused() {
        let config = |keys: &str| {
            let text = format!("method = 'paragraph'\nrelation = 'contains'\n{keys}");
            Config::from_table(text.parse().unwrap())
        };
        for (keys, keep) in [
            ("", "longest"),
            ("keep = 'longest'", "longest"),
            ("keep = 'longest then newest:date then id'", "longest then newest:date then id"),
        ] {
            let config = config(keys).unwrap();
            assert_eq!(config.effective_keep().to_string(), keep);
            let written = config.to_toml().unwrap().parse().unwrap();
            assert_eq!(Config::from_table(written).unwrap().run.keep, config.run.keep);
        }
        for keep in ["first", "shortest", "id", "newest:date then longest"] {
            let message = config(&format!("keep = '{keep}'")).unwrap_err().to_string();
            assert!(message.contains("contains") && message.contains(keep), "{message}");
        }
        let text = "method = 'paragraph'\nkeep = 'shortest'".parse().unwrap();
        assert_eq!(Config::from_table(text).unwrap().effective_keep().to_string(), "shortest");
    }

    #[test]
    fn a_key_nobody_knows_is_an_error_that_names_it() {
        let table = toml::toml! { method = "exact"
        treshold = 0.7 };
        let message = Config::from_table(table).unwrap_err().to_string();
        assert!(message.contains("treshold"), "{message}");
    }

    #[test]
    fn verify_reads_what_it_writes_and_refuses_the_rest() {
        for text in ["method", "none", "jaccard:0.8", "cosine:0.9"] {
            assert_eq!(text.parse::<Verify>().unwrap().to_string(), text);
        }
        for text in ["", "jaccard", "jaccard:2", "dice:0.5", "jaccard:x"] {
            assert!(text.parse::<Verify>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_mistyped_key_of_the_run_is_recognized() {
        let error = |table: toml::Table| Config::from_table(table).unwrap_err().to_string();
        let table = toml::toml! { memry = "1G" };
        assert_eq!(error(table), "there is no key `memry`; did you mean `memory`?");
        let table = toml::toml! { ngrams = 3 };
        assert!(
            error(table).starts_with("minhash has no parameter `ngrams`; did you mean `ngram`?")
        );
    }
}
