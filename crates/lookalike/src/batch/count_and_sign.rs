//! Statistics and signatures from one reading, for methods that sign distinct terms.
//!
//! Such a method must count the whole collection before it can sign the first document. The terms
//! that were counted are kept, within the memory limit or on disk past it, so that the text is
//! read and cut into words once instead of twice.

use std::sync::{Arc, Mutex, PoisonError};

use lookalike_corpus::{Block, Corpus};
use lookalike_detect::{Artifacts, DetectError, Detector, Rejection, Scratch, SignedDocument};
use lookalike_index::{DocumentId, WordStore, WordStoreBuilder};
use lookalike_statistics::{Statistics, StatisticsBuilder};
use lookalike_text::Analyzer;

use super::artifact_files::write_artifacts;
use super::build_detector;
use super::prepare::hides_paragraphs;
use super::row::{ReadRow, RowReader};
use super::sign::Signing;
use super::statistics::merged;
use super::threads::let_go;
use crate::report::Seconds;
use crate::{Config, Context, MemoryBudget, RunError};
use lookalike_corpus::pass::over_blocks;
use lookalike_corpus::pass::{Room, in_order};

/// Documents that are signed between two looks at the interrupt.
pub(super) const DOCUMENTS_AT_ONCE: usize = 1024;
/// Sizes are counted in documents here; what comes of one is small.
pub(super) const ROOM: Room = Room::new(DOCUMENTS_AT_ONCE as u64, u64::MAX);

/// Whether [`count_and_sign`] does what a configuration asks for.
pub fn counts_and_signs(config: &Config) -> bool {
    let counts = config.run.stats.is_none() && config.detector.needs_statistics();
    counts && config.detector.signs_terms() && !hides_paragraphs(config)
}

/// Counts a corpus, builds the detector on the counts, and signs every document.
pub fn count_and_sign(
    corpus: &Corpus,
    config: &Config,
    context: &Context<'_>,
    signing: &mut Signing<'_>,
    seconds: &mut Seconds,
) -> Result<(Detector, Artifacts), RunError> {
    let (statistics, terms) =
        seconds.time("statistics", || count(corpus, config, context, signing))?;
    let statistics = Some(Arc::new(statistics));
    let artifacts = Artifacts { statistics, ..Artifacts::default() };
    write_artifacts(config, &artifacts)?;
    let detector = build_detector(config, &artifacts)?;
    seconds.time("sign", || sign(&detector, &terms, context, signing))?;
    let_go(terms);
    Ok((detector, artifacts))
}

/// The distinct terms of a block's documents, one after the other.
#[derive(Default)]
struct BlockTerms {
    hashes: Vec<u64>,
    /// Each row with the number of its terms.
    rows: Vec<ReadRow<usize>>,
}

/// Enters every row in the catalog, counts its terms and keeps them.
fn count(
    corpus: &Corpus,
    config: &Config,
    context: &Context<'_>,
    signing: &mut Signing<'_>,
) -> Result<(Statistics, WordStore), RunError> {
    let analyzer = Analyzer::new(config.detector.analyzer()).map_err(DetectError::from)?;
    // Titles and addresses are no terms of the text, so no such method reads them.
    let reader = RowReader::new(config.effective_keep(), false, signing.named_id());
    let fresh = || StatisticsBuilder::new(analyzer.config().clone());
    let idle: Mutex<Vec<StatisticsBuilder>> = Mutex::new(Vec::new());
    let take = || idle.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_else(fresh);
    let work = |block: &Block| {
        let mut builder = take();
        let mut terms = BlockTerms::default();
        block.visit(|row| {
            let read = reader.read(&row, |document| {
                builder.add_text(&analyzer, &document.text);
                terms.hashes.extend_from_slice(builder.distinct());
                builder.distinct().len()
            });
            terms.rows.push(read);
        });
        idle.lock().unwrap_or_else(PoisonError::into_inner).push(builder);
        terms
    };
    let kept_bytes = MemoryBudget::new(config.run.memory).terms();
    let mut store = WordStoreBuilder::new(kept_bytes, context.temp_dir);
    over_blocks::<_, RunError>(
        corpus,
        corpus.blocks(),
        "reading",
        context.watch(),
        |block| work(&block),
        |block| {
            let mut hashes = block.hashes.as_slice();
            block.rows.into_iter().try_for_each(|row| {
                let (document, n_terms) = signing.enter(row)?;
                let (own, rest) = hashes.split_at(n_terms.unwrap_or(0));
                hashes = rest;
                Ok(store.put(document, own)?)
            })
        },
    )?;
    let builders = idle.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok((merged(builders, fresh)?, store.finish()?))
}

/// Signs the documents that have been entered.
fn sign(
    detector: &Detector,
    terms: &WordStore,
    context: &Context<'_>,
    signing: &mut Signing<'_>,
) -> Result<(), RunError> {
    let documents: Vec<DocumentId> = signing.readable().collect();
    let mut groups = documents.chunks(DOCUMENTS_AT_ONCE);
    let fetch = || {
        context.interrupt.check()?;
        Ok(groups.next().map(|group| (group, group.len() as u64)))
    };
    let work = |group: &[DocumentId]| sign_documents(detector, terms, group);
    let take = |group: Result<Vec<SignedOrNot>, RunError>| {
        for (document, outcome) in group? {
            if let Ok(signed) = &outcome {
                signing.confirm(document, signed);
            }
            signing.leave(document, outcome, detector)?;
        }
        Ok(())
    };
    in_order(ROOM, fetch, work, take)
}

/// A document and what came of signing it.
type SignedOrNot = (DocumentId, Result<SignedDocument, Rejection>);

fn sign_documents(
    detector: &Detector,
    terms: &WordStore,
    documents: &[DocumentId],
) -> Result<Vec<SignedOrNot>, RunError> {
    let (mut scratch, mut buffer) = (Scratch::default(), Vec::new());
    let sign_one = |document: &DocumentId| {
        let hashes = terms.read(*document, &mut buffer)?.unwrap_or_default();
        // `counts_and_signs` has asked the recipe; conformance tests hold it to its word.
        let refused = || DetectError::Mismatch("the method does not sign distinct terms".into());
        let outcome = detector.sign_terms(hashes, &mut scratch).ok_or_else(refused)?;
        Ok((*document, outcome))
    };
    documents.iter().map(sign_one).collect()
}
