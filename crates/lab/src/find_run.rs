//! A method as `find` runs it, with its time: a text is cut once for the signature and a second time
//! only for a method that confirms, and only where the document has a candidate.

use std::path::PathBuf;

use lookalike::{Config, Context, Corpus, Interrupt, PairsWritten, Silent, Verify, find};
use lookalike_corpus::OwnedDocument;
use lookalike_detect::DetectorConfig;
use lookalike_learn::Collection;

use crate::LabError;

/// A collection that `find` can be run on, by one thread, again and again.
pub(crate) struct Finder {
    corpus: Corpus,
    /// Statistics of the collection, which are made once and kept.
    folder: tempfile::TempDir,
    statistics: Vec<(lookalike_text::AnalyzerConfig, PathBuf)>,
}

/// What a run found and how long its stages took, in seconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FindRun {
    pub sign_seconds: f64,
    /// Join, second reading and clusters.
    pub join_seconds: f64,
    pub n_pairs: usize,
    pub n_clusters: usize,
    /// Documents without a signature.
    pub n_ignored: usize,
}

impl FindRun {
    pub(crate) fn seconds(&self) -> f64 {
        self.sign_seconds + self.join_seconds
    }

    /// What was found, with the smaller time of each part.
    pub(crate) fn or_faster(self, other: Self) -> Self {
        Self {
            sign_seconds: self.sign_seconds.min(other.sign_seconds),
            join_seconds: self.join_seconds.min(other.join_seconds),
            ..self
        }
    }
}

impl Finder {
    pub(crate) fn new(collection: &Collection) -> Result<Self, LabError> {
        let documents = collection.documents.iter().map(|document| OwnedDocument {
            // Numbered by position: a collection may repeat an id, a run may not.
            id: String::new(),
            text: document.text.clone(),
            title: document.title.clone(),
            url: document.url.clone(),
            ..OwnedDocument::default()
        });
        let corpus = Corpus::from_documents(documents);
        let folder = tempfile::tempdir().map_err(working_folder)?;
        Ok(Self { corpus, folder, statistics: Vec::new() })
    }

    /// Runs a method; its collection statistics are not part of the time.
    pub(crate) fn run(
        &mut self,
        collection: &Collection,
        detector: &DetectorConfig,
    ) -> Result<FindRun, LabError> {
        let mut config =
            Config { detector: detector.clone(), run: lookalike::RunConfig::default() };
        config.run.threads = 1;
        config.run.pairs = PairsWritten::All;
        // The experiments are the papers', in which a shared key is the verdict.
        config.run.verify = Verify::None;
        if detector.needs_statistics() {
            config.run.stats = Some(self.statistics_file(collection, detector)?);
        }
        let interrupt = Interrupt::new();
        let context =
            Context { progress: &Silent, interrupt: &interrupt, temp_dir: self.folder.path() };
        let findings = find(&self.corpus, &config, &context)?;
        let of = |stages: &[&str]| -> f64 {
            let chosen =
                findings.summary.seconds.stages().filter(|(name, _)| stages.contains(name));
            chosen.map(|(_, seconds)| seconds).sum()
        };
        let count = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
        Ok(FindRun {
            sign_seconds: of(&["sign"]),
            join_seconds: of(&["join", "features", "cluster"]),
            n_pairs: findings.pairs().count(),
            n_clusters: count(findings.summary.clusters),
            n_ignored: count(findings.summary.too_short),
        })
    }

    fn statistics_file(
        &mut self,
        collection: &Collection,
        detector: &DetectorConfig,
    ) -> Result<PathBuf, LabError> {
        let analyzer = detector.analyzer();
        if let Some((_, path)) = self.statistics.iter().find(|(counted, _)| counted == analyzer) {
            return Ok(path.clone());
        }
        let path = self.folder.path().join(format!("{}.stats", self.statistics.len()));
        let bytes = collection.statistics(analyzer)?.to_bytes();
        std::fs::write(&path, bytes).map_err(working_folder)?;
        self.statistics.push((analyzer.clone(), path.clone()));
        Ok(path)
    }
}

fn working_folder(source: std::io::Error) -> LabError {
    LabError::Write { folder: std::env::temp_dir(), source }
}
