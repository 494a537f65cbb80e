//! The batch driver: from a corpus to clusters, in passes over the input.
//!
//! Statistics (where the method needs them; in the same reading as signing where it signs distinct
//! terms), signing, the join of bucket keys, a second reading of the candidates' exact features
//! (where the method confirms on them), judging and clustering.

mod against;
mod boilerplate;
mod count_and_sign;
mod details;
mod early;
mod features;
mod findings;
mod judge;
mod pass;
mod prepare;
mod promising;
mod row;
mod sign;
mod statistics;

use std::ops::Range;

use lookalike_corpus::Corpus;
use lookalike_detect::Detector;
use lookalike_index::{Buckets, DocumentId, KeepOrder, WordStore};

pub use against::find_against;
pub use boilerplate::count_boilerplate;
pub use details::PairDetails;
pub use findings::{ClusterGlimpse, Findings, write_findings};
pub use prepare::{artifacts, artifacts_of_sample, build_detector, open_corpus};
pub use statistics::{KeptTerms, count_statistics, read_statistics};

use self::count_and_sign::{count_and_sign, counts_and_signs};
use self::features::{FeatureStore, collect_features};
use self::findings::summarize;
use self::judge::BatchJudge;
use self::promising::promising_documents;
use self::sign::{SignedCorpus, Signing};
use crate::catalog::Catalog;
use crate::cluster::{Join, JoinLimits, Pair};
use crate::report::{PairsById, Seconds};
use crate::{Config, Context, PairsWritten, RunError, UnreadableRow};

/// Finds the clusters of near-duplicates of a corpus; changes nothing.
///
/// # Errors
/// See [`RunError`]; a malformed document is none, it is counted as unreadable.
pub fn find(corpus: &Corpus, config: &Config, context: &Context<'_>) -> Result<Findings, RunError> {
    let mut seconds = Seconds::default();
    let (detector, signing) = sign(corpus, config, context, &mut seconds)?;
    let SignedCorpus { catalog, unreadable, rows, signatures, early } =
        signing.finish(&detector)?;
    refuse_nothing(catalog.len(), &unreadable)?;
    refuse_duplicate_ids(corpus, &catalog, 0..catalog.len())?;

    let memory = config.run.memory.bytes();
    let order = KeepOrder::with_copies(catalog.keep_order(), catalog.identities());
    let buckets = seconds
        .time("join", || Buckets::build(rows.finish()?, &order, memory / 4, context.temp_dir))?;
    let collect = || {
        let first = FirstReading { signatures: signatures.as_ref(), early };
        candidate_features(&[corpus], &detector, first, &buckets, &order, memory / 2, context)
    };
    let collect = detector.needs_features().then_some(collect);
    let features = collect.map(|collect| seconds.time("features", collect)).transpose()?;
    context.interrupt.check()?;
    let judge = BatchJudge::new(&detector, signatures, features, context.interrupt);
    let limits =
        JoinLimits { failed_comparisons: config.run.max_comparisons, ..JoinLimits::default() };
    let join = Join { order: &order, buckets: &buckets, judge: &judge, limits };
    let mut sorter = PairsById::new(&catalog, memory / 8, context.temp_dir);
    let mut in_pairs = vec![false; catalog.len()];
    let clustering = seconds.time("cluster", || {
        let mut emit = |pair: Pair| {
            in_pairs[pair.left.0 as usize] = true;
            in_pairs[pair.right.0 as usize] = true;
            Ok(sorter.push(pair)?)
        };
        match config.run.pairs {
            PairsWritten::Clusters => join.clusters(config.run.cluster, &mut emit),
            PairsWritten::All => join.all_pairs(config.run.cluster, &mut emit),
        }
    })?;
    let pairs = sorter.finish()?;
    drop(judge);
    let shows_matches = detector.shows_matches();
    let collect = || PairDetails::collect(&[corpus], detector, &in_pairs, memory / 2, context);
    let details = if shows_matches { seconds.time("details", collect)? } else { None };
    let summary = summarize(&catalog, catalog.len(), &clustering, config, seconds);
    Ok(Findings { catalog, unreadable, clustering, pairs, details, summary })
}

/// The detector, with the artefacts it needs, and the documents it has signed.
fn sign<'a>(
    corpus: &Corpus,
    config: &'a Config,
    context: &'a Context<'a>,
    seconds: &mut Seconds,
) -> Result<(Detector, Signing<'a>), RunError> {
    if counts_and_signs(config) {
        return count_and_sign(corpus, config, context, seconds);
    }
    let artifacts = seconds.time("statistics", || artifacts(corpus, config, context))?;
    let detector = build_detector(config, &artifacts)?;
    let mut signing = Signing::new(&config.run, context);
    seconds.time("sign", || signing.add(corpus, &detector))?;
    Ok((detector, signing))
}

/// What the first reading has left that tells which documents to read again.
struct FirstReading<'a> {
    signatures: Option<&'a WordStore>,
    early: Option<WordStore>,
}

/// A second reading for the exact features of the documents that may have to be compared.
fn candidate_features(
    corpora: &[&Corpus],
    detector: &Detector,
    first: FirstReading<'_>,
    buckets: &Buckets,
    order: &KeepOrder,
    memory_bytes: usize,
    context: &Context<'_>,
) -> Result<FeatureStore, RunError> {
    let promising = first
        .signatures
        .map(|all| promising_documents(detector, all, buckets, order, context.interrupt))
        .transpose()?;
    let wanted = |document| match &promising {
        Some(promising) => promising.contains(document),
        None => buckets.shares_bucket(document),
    };
    collect_features(corpora, detector, first.early, wanted, memory_bytes, context)
}

/// A run over rows of which none could be read has done nothing; its first reason is the error.
fn refuse_nothing(n_rows: usize, unreadable: &[UnreadableRow]) -> Result<(), RunError> {
    match unreadable.first() {
        Some(first) if unreadable.len() == n_rows => {
            Err(RunError::NothingReadable(format!("{}: {}", first.place, first.reason)))
        }
        _ => Ok(()),
    }
}

/// Looks among the documents that a corpus has in the catalog.
fn refuse_duplicate_ids(
    corpus: &Corpus,
    catalog: &Catalog,
    documents: Range<usize>,
) -> Result<(), RunError> {
    let Some((first, second)) = catalog.duplicate_id(documents.clone()) else { return Ok(()) };
    let mut places = Vec::new();
    for block in corpus.blocks() {
        let number = |document: DocumentId| u64::from(document.0) - documents.start as u64;
        let wanted = |ordinal: u64| [first, second].iter().any(|d| number(*d) == ordinal);
        block.visit_selected(wanted, |row| places.push(row.place.to_string()));
    }
    let mut places = places.into_iter();
    Err(RunError::DuplicateId {
        id: catalog.id(first).to_owned(),
        first: places.next().unwrap_or_default(),
        second: places.next().unwrap_or_default(),
    })
}
