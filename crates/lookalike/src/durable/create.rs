//! What an index is created with, and what opening it gives back.

use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;

use lookalike_detect::{Artifacts, Detector, Model, Rule};
use lookalike_statistics::Statistics;
use lookalike_statistics::boilerplate::BoilerplateSet;
use lookalike_store::{Folder, Snapshot, Store, StoreError, shown_id};
use serde::{Deserialize, Serialize};

use super::cache::Cache;
use super::{Index, known_bytes, store_options};
use crate::{ByteSize, Config, Method, RunError};

/// Names of attachments.
pub(super) const STATISTICS: &str = "statistics";
pub(super) const MODEL: &str = "model";
pub(super) const BOILERPLATE: &str = "boilerplate";

/// Why an index could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// The files.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The method, or what was to be read or written besides the index.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The folder cannot be made.
    #[error("cannot create {path}: {source}")]
    Create {
        /// The folder.
        path: String,
        /// The reason.
        source: std::io::Error,
    },
    /// What is stored does not suffice for the method.
    #[error("store = {store}: {method} {why}; use store = {instead}")]
    StoredParts {
        /// What was asked for.
        store: StoredParts,
        /// The method.
        method: String,
        /// What is missing.
        why: &'static str,
        /// What would do.
        instead: &'static str,
    },
    /// The index has no texts.
    #[error("this index was created with store = {0}: it has no texts")]
    NoTexts(StoredParts),
    /// The index has no fields of rows.
    #[error(
        "keep = `{keep}` looks at a field, and this index was created with store = {store}: it has \
         no fields; keep by first, id, longest or shortest"
    )]
    NoFields {
        /// What is stored.
        store: StoredParts,
        /// The rule.
        keep: String,
    },
    /// The index has no files.
    #[error(
        "keep = `{0}` looks at the file that a document stands in, and an index has no files; keep \
         by first, id, longest, shortest or a field of the documents"
    )]
    NoFiles(String),
    /// What was made by another version of the method cannot be compared.
    #[error(
        "the index was made with {made} of lookalike, whose method {method} signs otherwise than \
         this version; export the documents with that version and create the index anew"
    )]
    Fingerprint {
        /// The version that made it.
        made: String,
        /// The method.
        method: String,
    },
    /// Settings or a record that this version does not understand.
    #[error("{what} of the index cannot be read: {reason}")]
    Unreadable {
        /// Which part.
        what: String,
        /// Why.
        reason: String,
    },
    /// A document that was to be added has no id.
    #[error(
        "document {0} of those to be added has no id; documents that stay in an index need one each"
    )]
    NoId(usize),
    /// A judgment on a document and itself.
    #[error("a judgment is on two documents; {:?} was named twice", shown_id(.0))]
    SameId(String),
}

/// What of each document is kept on disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StoredParts {
    /// Text and fields; exact features are made again for candidates.
    #[default]
    Text,
    /// What the method compares, its exact features included; no text.
    Features,
    /// Keys and signature; only for methods that decide without exact features.
    Signatures,
}

impl FromStr for StoredParts {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "text" => Ok(Self::Text),
            "features" => Ok(Self::Features),
            "signatures" => Ok(Self::Signatures),
            _ => Err(format!("{text} is none of text, features, signatures")),
        }
    }
}

impl std::fmt::Display for StoredParts {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Text => "text",
            Self::Features => "features",
            Self::Signatures => "signatures",
        })
    }
}

/// How an index is created.
#[derive(Clone, Copy, Debug, Default)]
pub struct IndexOptions {
    /// What of each document is kept.
    pub store: StoredParts,
    /// How long documents stay, in milliseconds; for ever without one.
    pub time_to_live: Option<u64>,
}

/// What stays with the index as its metadata.
#[derive(Debug, Serialize, Deserialize)]
struct Settings {
    version: String,
    fingerprint: String,
    store: StoredParts,
    #[serde(skip_serializing_if = "Option::is_none")]
    time_to_live_ms: Option<u64>,
    config: toml::Table,
}

/// The method of an index, ready to work.
pub(super) struct Opened {
    pub method: Method,
    /// Without the names of files: artefacts are in the index.
    pub config: Config,
    pub options: IndexOptions,
    pub cache: Cache,
}

impl std::fmt::Debug for Opened {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Opened").field("options", &self.options).finish_non_exhaustive()
    }
}

impl Index {
    /// Creates an index in a folder of its own; the artefacts stay with it.
    ///
    /// # Errors
    /// The folder is not empty or cannot be written, the configuration cannot work, or what is to
    /// be stored does not suffice for the method.
    pub fn create(
        path: &Path,
        config: &Config,
        artifacts: Artifacts,
        options: IndexOptions,
    ) -> Result<Self, IndexError> {
        let config = without_files(config);
        let method = Method::new(&config, artifacts)?;
        refuse_files(&config)?;
        check_parts(method.detector(), &config, options.store)?;
        let artifacts = method.artifacts();
        let invalid =
            |reason: String| IndexError::Unreadable { what: "the settings".into(), reason };
        let settings = Settings {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            fingerprint: format!("{:032x}", method.fingerprint()),
            store: options.store,
            time_to_live_ms: options.time_to_live,
            config: config
                .to_toml()
                .map_err(RunError::from)?
                .parse()
                .map_err(|error: toml::de::Error| invalid(error.to_string()))?,
        };
        let metadata = toml::to_string(&settings).map_err(|error| invalid(error.to_string()))?;
        let statistics = statistics_of(&method, &config);
        let attachments = [
            (STATISTICS, statistics.map(|statistics| statistics.to_bytes())),
            (MODEL, artifacts.model.as_ref().map(|model| model.to_bytes())),
            (BOILERPLATE, artifacts.boilerplate.as_ref().map(|set| set.to_bytes())),
        ];
        let attachments: Vec<(&str, &[u8])> = attachments
            .iter()
            .filter_map(|(name, bytes)| Some((*name, bytes.as_deref()?)))
            .collect();
        let memory = config.run.memory;
        let folder = Folder::new(path);
        folder
            .make()
            .map_err(|source| IndexError::Create { path: path.display().to_string(), source })?;
        let store = Store::create(
            Arc::new(folder),
            metadata.into_bytes(),
            &attachments,
            store_options(memory),
        )?;
        let cache = Cache::new(known_bytes(memory));
        let opened = Arc::new(Opened { method, config, options, cache });
        Ok(Self { store, opened, adding: std::sync::Mutex::default() })
    }

    /// The configuration that the index was created with.
    pub fn config(&self) -> &Config {
        &self.opened.config
    }
}

impl super::IndexReader {
    /// The configuration that the index was created with.
    pub fn config(&self) -> &Config {
        &self.opened.config
    }
}

/// The statistics that a method reads: a model may be asked with those of the collection.
pub(super) fn statistics_of<'a>(
    method: &'a Method,
    config: &Config,
) -> Option<&'a Arc<Statistics>> {
    let reads = config.detector.needs_statistics() || config.detector.needs_model();
    method.artifacts().statistics.as_ref().filter(|_| reads)
}

/// Artefacts are handed over, not named.
fn without_files(config: &Config) -> Config {
    let mut config = config.clone();
    let run = &mut config.run;
    (run.stats, run.model, run.boilerplate) = (None, None, None);
    (run.ignore_boilerplate, run.write_artifacts, run.judgments) = (None, None, None);
    config
}

/// Refuses a keep rule that looks at files.
pub(super) fn refuse_files(config: &Config) -> Result<(), IndexError> {
    let rule = config.effective_keep();
    if rule.looks_at_files() { Err(IndexError::NoFiles(rule.to_string())) } else { Ok(()) }
}

fn check_parts(detector: &Detector, config: &Config, store: StoredParts) -> Result<(), IndexError> {
    let refuse = |why, instead| {
        let method = config.detector.name().to_owned();
        Err(IndexError::StoredParts { store, method, why, instead })
    };
    match (store, detector.rule()) {
        (StoredParts::Signatures, Rule { features: Some(_), .. }) => refuse(
            "confirms pairs on exact features, which signatures do not have",
            "features or text",
        ),
        (StoredParts::Features | StoredParts::Signatures, _) if detector.shows_matches() => {
            refuse("shows which paragraphs match, and finds them in the texts", "text")
        }
        _ => Ok(()),
    }
}

impl Opened {
    /// Puts the method together from what the index holds.
    pub fn read(snapshot: &Snapshot, memory: ByteSize) -> Result<Self, IndexError> {
        let unreadable = |what: &str, reason: String| {
            let what = what.to_owned();
            IndexError::Unreadable { what, reason }
        };
        let settings = std::str::from_utf8(snapshot.metadata())
            .map_err(|error| unreadable("the settings", error.to_string()))?;
        let settings: Settings = toml::from_str(settings)
            .map_err(|error| unreadable("the settings", error.message().to_owned()))?;
        let config = Config::from_table(settings.config).map_err(RunError::from)?;
        let statistics = snapshot.attachment(STATISTICS)?.map(|bytes| {
            Statistics::from_bytes(&bytes)
                .map_err(|error| unreadable(STATISTICS, error.to_string()))
        });
        let model = snapshot.attachment(MODEL)?.map(|bytes| {
            Model::from_bytes(&bytes).map_err(|error| unreadable(MODEL, error.to_string()))
        });
        let boilerplate = snapshot.attachment(BOILERPLATE)?.map(|bytes| {
            BoilerplateSet::from_bytes(&bytes)
                .map_err(|error| unreadable(BOILERPLATE, error.to_string()))
        });
        let artifacts = Artifacts {
            statistics: statistics.transpose()?.map(Arc::new),
            model: model.transpose()?.map(Arc::new),
            boilerplate: boilerplate.transpose()?.map(Arc::new),
        };
        let method = Method::new(&config, artifacts)?;
        if format!("{:032x}", method.fingerprint()) != settings.fingerprint {
            let method = config.detector.name().to_owned();
            return Err(IndexError::Fingerprint { made: settings.version, method });
        }
        let options =
            IndexOptions { store: settings.store, time_to_live: settings.time_to_live_ms };
        let cache = Cache::new(known_bytes(memory));
        Ok(Self { method, config, options, cache })
    }
}
