//! New documents against a known collection: each arriving message against known spam, a new crawl
//! against the corpus that is already there.

use lookalike_corpus::Corpus;
use lookalike_index::{Buckets, DocumentId, KeepOrder};

use super::findings::{Findings, summarize};
use super::judge::BatchJudge;
use super::sign::{SignedCorpus, Signing};
use super::{
    FirstReading, PairDetails, artifacts, build_detector, candidate_features, refuse_duplicate_ids,
    refuse_nothing,
};
use crate::catalog::{Catalog, Status};
use crate::cluster::{Against, Pair};
use crate::report::{PairsById, Seconds};
use crate::{Config, Context, PairsWritten, RunError};

/// Matches every new document with the known ones; known documents are not compared with each
/// other, and new ones only if `among_new`.
///
/// Statistics come from the known collection, so that a signature does not depend on what arrives.
/// The clusters are the known documents with the new ones that match them best; the counts are
/// those of the new documents.
///
/// # Errors
/// As [`super::find`].
pub fn find_against(
    new: &Corpus,
    known: &Corpus,
    among_new: bool,
    config: &Config,
    context: &Context<'_>,
) -> Result<Findings, RunError> {
    let mut seconds = Seconds::default();
    let artifacts = seconds.time("statistics", || artifacts(known, config, context))?;
    let detector = build_detector(config, &artifacts)?;
    let mut signing = Signing::new(&config.run, context);
    seconds.time("sign", || signing.add(new, &detector))?;
    let n_new = signing.n_rows();
    refuse_nothing(n_new, signing.unreadable())?;
    seconds.time("sign", || signing.add(known, &detector))?;
    let SignedCorpus { catalog, unreadable, rows, signatures, early } =
        signing.finish(&detector)?;
    refuse_duplicate_ids(new, &catalog, 0..n_new)?;
    refuse_duplicate_ids(known, &catalog, n_new..catalog.len())?;

    let memory = config.run.memory.bytes();
    // New documents come first, so that each finds the known ones after it in its buckets.
    let order = KeepOrder::distinct(new_first(&catalog, n_new), catalog.len());
    let buckets = seconds
        .time("join", || Buckets::build(rows.finish()?, &order, memory / 4, context.temp_dir))?;
    let collect = || {
        let first = FirstReading { signatures: signatures.as_ref(), early };
        candidate_features(&[new, known], &detector, first, &buckets, &order, memory / 2, context)
    };
    let collect = detector.needs_features().then_some(collect);
    let features = collect.map(|collect| seconds.time("features", collect)).transpose()?;
    let judge = BatchJudge::new(&detector, signatures, features, context.interrupt);
    let against = Against {
        order: &order,
        buckets: &buckets,
        judge: &judge,
        n_new,
        among_new,
        all: config.run.pairs == PairsWritten::All,
        failed_comparisons: config.run.max_comparisons,
    };
    let mut sorter = PairsById::new(&catalog, memory / 8, context.temp_dir);
    let mut in_pairs = vec![false; catalog.len()];
    let clustering = seconds.time("cluster", || {
        against.run(catalog.len(), &mut |pair: Pair| {
            in_pairs[pair.left.0 as usize] = true;
            in_pairs[pair.right.0 as usize] = true;
            Ok(sorter.push_directed(pair)?)
        })
    })?;
    let pairs = sorter.finish()?;
    drop(judge);
    let shows_matches = detector.shows_matches();
    let collect = || PairDetails::collect(&[new, known], detector, &in_pairs, memory / 2, context);
    let details = if shows_matches { seconds.time("details", collect)? } else { None };
    let summary = summarize(&catalog, n_new, &clustering, config, seconds);
    Ok(Findings { catalog, unreadable, clustering, pairs, details, summary })
}

/// The signed documents of both collections in keep order, all new ones before all known ones.
fn new_first(catalog: &Catalog, n_new: usize) -> Vec<DocumentId> {
    let (mut order, known): (Vec<DocumentId>, Vec<DocumentId>) = catalog
        .keep_order()
        .into_iter()
        .filter(|document| catalog.status(*document) == Status::Signed)
        .partition(|document| (document.0 as usize) < n_new);
    order.extend(known);
    order
}
