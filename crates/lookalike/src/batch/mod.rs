//! The batch driver: from a corpus to clusters, in passes over the input.
//!
//! Statistics (where the method needs them), signing, the join of bucket keys, a second reading
//! of the candidates' exact features (where the method confirms on them), judging and clustering.

mod features;
mod judge;
mod pass;
mod sign;
mod statistics;

use std::cmp::Reverse;
use std::path::Path;
use std::sync::Arc;

use lookalike_corpus::{Corpus, IdKey, InputOptions};
use lookalike_detect::decide::Threshold;
use lookalike_detect::measure::SetMeasure;
use lookalike_detect::represent::TermSet;
use lookalike_detect::{Artifacts, Confirm, Detector};
use lookalike_index::{Buckets, DocumentId, KeepOrder};

pub use statistics::{KeptTerms, count_statistics, read_statistics};

use self::features::collect_features;
use self::judge::BatchJudge;
use self::sign::{SignedCorpus, sign_corpus};
use crate::catalog::{Catalog, Status};
use crate::cluster::{Clustering, Join, JoinLimits, Pair};
use crate::report::{self, OutputFolder, Seconds, SortedPairs, Summary};
use crate::{Config, Context, PairsWritten, RunError, UnreadableRow, Verify};

/// What a run found.
#[derive(Debug)]
pub struct Findings {
    /// What is known of each row of the input.
    pub catalog: Catalog,
    /// Rows that could not be read.
    pub unreadable: Vec<UnreadableRow>,
    /// Who belongs to whom.
    pub clustering: Clustering,
    /// The confirmed pairs.
    pub pairs: SortedPairs,
    /// The counts.
    pub summary: Summary,
}

/// One of the largest clusters, as a report shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct ClusterGlimpse<'a> {
    /// The document that is kept.
    pub keeper: &'a str,
    /// Documents in the cluster, the keeper included.
    pub size: u32,
    /// The lowest score of a member against the keeper.
    pub lowest_score: f64,
    /// The member with that score.
    pub example: &'a str,
}

impl Findings {
    /// The largest clusters, the largest first, equal ones by the keeper's id.
    pub fn largest_clusters(&self, count: usize) -> Vec<ClusterGlimpse<'_>> {
        let mut largest = self.clustering.largest(usize::MAX);
        largest.sort_by_key(|(keeper, size)| (Reverse(*size), self.catalog.id(*keeper)));
        largest.truncate(count);
        let mut lowest: Vec<(f64, &str)> = vec![(f64::INFINITY, ""); largest.len()];
        for document in self.catalog.documents() {
            let Some(membership) = self.clustering.membership(document) else { continue };
            let place = largest.iter().position(|(keeper, _)| *keeper == membership.keeper);
            if let Some(place) = place.filter(|_| membership.keeper != document) {
                let (score, id) = (membership.score, self.catalog.id(document));
                let (lowest_score, lowest_id) = lowest[place];
                if score < lowest_score || (score == lowest_score && id < lowest_id) {
                    lowest[place] = (score, id);
                }
            }
        }
        let glimpse = |((keeper, size), (lowest_score, example))| ClusterGlimpse {
            keeper: self.catalog.id(keeper),
            size,
            lowest_score,
            example,
        };
        largest.into_iter().zip(lowest).map(glimpse).collect()
    }
}

/// Opens the input as a configuration says.
///
/// # Errors
/// Nothing is there, or a format is not known.
pub fn open_corpus(
    inputs: &[String],
    config: &Config,
    temp_dir: &Path,
) -> Result<Corpus, RunError> {
    let run = &config.run;
    let options = InputOptions {
        text_key: run.text_key.clone(),
        id_key: if run.id_key == "row" { IdKey::Row } else { IdKey::Field(run.id_key.clone()) },
        fields: run.keep.field().map(str::to_owned).into_iter().collect(),
        ..InputOptions::default()
    };
    Ok(Corpus::open(inputs, options, temp_dir)?)
}

/// Finds the clusters of near-duplicates of a corpus; changes nothing.
///
/// # Errors
/// See [`RunError`]; a malformed document is none, it is counted as unreadable.
pub fn find(corpus: &Corpus, config: &Config, context: &Context<'_>) -> Result<Findings, RunError> {
    let mut seconds = Seconds::default();
    let artifacts = seconds.time("statistics", || artifacts(corpus, config, context))?;
    let detector = build_detector(config, &artifacts)?;
    let signed = seconds.time("sign", || sign_corpus(corpus, &detector, &config.run, context))?;
    let SignedCorpus { catalog, unreadable, rows, signatures } = signed;
    refuse_nothing(&catalog, &unreadable)?;
    refuse_duplicate_ids(corpus, &catalog)?;

    let memory = config.run.memory.bytes();
    let order = KeepOrder::with_copies(catalog.keep_order(), catalog.identities());
    let buckets = seconds
        .time("join", || Buckets::build(rows.finish()?, &order, memory / 4, context.temp_dir))?;
    let features = if detector.needs_features() {
        let wanted = |document| buckets.shares_bucket(document);
        let collect = || collect_features(corpus, &detector, wanted, memory / 2, context);
        Some(seconds.time("features", collect)?)
    } else {
        None
    };
    context.interrupt.check()?;
    let judge =
        BatchJudge { detector: &detector, signatures, features, interrupt: context.interrupt };
    let limits =
        JoinLimits { failed_comparisons: config.run.max_comparisons, ..JoinLimits::default() };
    let join = Join { order: &order, buckets: &buckets, judge: &judge, limits };
    let mut sorter = report::PairsById::new(&catalog, memory / 8, context.temp_dir);
    let clustering = seconds.time("cluster", || {
        let mut emit = |pair: Pair| Ok(sorter.push(pair)?);
        match config.run.pairs {
            PairsWritten::Clusters => join.clusters(config.run.cluster, &mut emit),
            PairsWritten::All => join.all_pairs(config.run.cluster, &mut emit),
        }
    })?;
    let pairs = sorter.finish()?;
    let summary = summarize(&catalog, &clustering, config, seconds);
    Ok(Findings { catalog, unreadable, clustering, pairs, summary })
}

/// Writes the result files of `find`.
///
/// # Errors
/// A file cannot be written.
pub fn write_findings(
    findings: &mut Findings,
    config: &Config,
    folder: &OutputFolder,
) -> Result<(), RunError> {
    let Findings { catalog, unreadable, clustering, pairs, summary } = findings;
    folder.write("clusters.jsonl", |out| report::write_clusters(catalog, clustering, out))?;
    folder.write("pairs.jsonl", |out| report::write_pairs(catalog, pairs, out))?;
    folder.write("unreadable.jsonl", |out| report::write_unreadable(unreadable, out))?;
    let text = config.to_toml()?;
    folder.write("config.toml", |out| std::io::Write::write_all(out, text.as_bytes()))?;
    folder.write("summary.json", |out| Ok(serde_json::to_writer_pretty(out, summary)?))
}

/// The artefacts a configuration needs, counted from the corpus where no file is named.
///
/// # Errors
/// A file cannot be read or does not fit the method's analyzer.
pub fn artifacts(
    corpus: &Corpus,
    config: &Config,
    context: &Context<'_>,
) -> Result<Artifacts, RunError> {
    let statistics = match &config.run.stats {
        Some(path) => Some(read_statistics(path)?),
        None if config.detector.needs_statistics() => {
            let analyzer = config.detector.analyzer();
            let counted = count_statistics(corpus, analyzer, KeptTerms::Hashes, context)?;
            Some(Arc::new(counted))
        }
        None => None,
    };
    Ok(Artifacts { statistics, ..Artifacts::default() })
}

/// The same from the first `bytes` of text, for a forecast.
///
/// # Errors
/// As [`artifacts`].
pub fn artifacts_of_sample(
    corpus: &Corpus,
    config: &Config,
    bytes: u64,
) -> Result<Artifacts, RunError> {
    let statistics = match &config.run.stats {
        Some(path) => Some(read_statistics(path)?),
        None if config.detector.needs_statistics() => {
            Some(Arc::new(statistics::count_sample(corpus, config.detector.analyzer(), bytes)?))
        }
        None => None,
    };
    Ok(Artifacts { statistics, ..Artifacts::default() })
}

/// The detector of a configuration, with the further check that `--verify` asks for.
///
/// # Errors
/// Parameters or artefacts do not fit.
pub fn build_detector(config: &Config, artifacts: &Artifacts) -> Result<Detector, RunError> {
    let detector = config.detector.build(artifacts)?;
    let (measure, threshold) = match config.run.verify {
        Verify::None => return Ok(detector),
        Verify::Jaccard(threshold) => (SetMeasure::Jaccard, threshold),
        Verify::Cosine(threshold) => (SetMeasure::Cosine, threshold),
    };
    Ok(detector.confirmed_by(Confirm {
        represent: Arc::new(TermSet),
        measure: Box::new(measure),
        decide: Box::new(Threshold(threshold)),
    }))
}

/// A run over rows of which none could be read has done nothing; its first reason is the error.
fn refuse_nothing(catalog: &Catalog, unreadable: &[UnreadableRow]) -> Result<(), RunError> {
    match unreadable.first() {
        Some(first) if unreadable.len() == catalog.len() => {
            Err(RunError::NothingReadable(format!("{}: {}", first.place, first.reason)))
        }
        _ => Ok(()),
    }
}

fn refuse_duplicate_ids(corpus: &Corpus, catalog: &Catalog) -> Result<(), RunError> {
    let Some((first, second)) = catalog.duplicate_id() else { return Ok(()) };
    let mut places = Vec::new();
    for block in corpus.blocks() {
        let wanted = |ordinal: u64| [first, second].iter().any(|d| u64::from(d.0) == ordinal);
        block.visit_selected(wanted, |row| places.push(row.place.to_string()));
    }
    let mut places = places.into_iter();
    Err(RunError::DuplicateId {
        id: catalog.id(first).to_owned(),
        first: places.next().unwrap_or_default(),
        second: places.next().unwrap_or_default(),
    })
}

fn summarize(
    catalog: &Catalog,
    clustering: &Clustering,
    config: &Config,
    seconds: Seconds,
) -> Summary {
    let mut too_short_reasons = std::collections::BTreeMap::new();
    for document in catalog.documents() {
        if let Status::TooShort(reason) = catalog.status(document) {
            *too_short_reasons.entry(reason.name()).or_insert(0) += 1;
        }
    }
    let signed = catalog.count(|status| status == Status::Signed);
    let is_copy = |document: &DocumentId| {
        clustering.membership(*document).is_some_and(|membership| membership.keeper != *document)
    };
    let removed = catalog.documents().filter(is_copy).count() as u64;
    let counts = &clustering.counts;
    Summary {
        documents: catalog.len() as u64,
        kept: signed - removed,
        removed,
        too_short: too_short_reasons.values().sum(),
        too_short_reasons,
        unreadable: catalog.count(|status| status == Status::Unreadable),
        clusters: counts.clusters,
        largest_cluster: counts.largest_cluster,
        candidate_pairs: counts.candidate_pairs,
        confirmed_pairs: counts.confirmed_pairs,
        skipped_comparisons: counts.skipped_comparisons,
        seconds,
        peak_memory_bytes: report::peak_memory_bytes(),
        method: config.detector.name().to_owned(),
        threshold: config.detector.threshold(),
        version: env!("CARGO_PKG_VERSION"),
    }
}
