//! Pairs just below the threshold: what a slightly lower one would have called duplicates.
//!
//! A run forgets what it turned down, and looks at many pairs only until the answer is certain. So
//! the beginning of the input is run once more with a lower threshold.

use lookalike_corpus::{Corpus, OwnedDocument};

use crate::batch::find;
use crate::{Config, Context, PairsWritten, RunError};

/// How many documents, and how many bytes of their texts, are run again.
const MOST_DOCUMENTS: usize = 20_000;
const MOST_BYTES: usize = 64 << 20;
/// How far below the threshold is still just below.
const BELOW: f64 = 0.1;

/// A pair that was turned down.
pub(super) struct NearMiss {
    pub(super) left: OwnedDocument,
    pub(super) right: OwnedDocument,
    pub(super) score: f64,
}

/// Those with the highest scores in a sample; `None` for a method that has no threshold.
pub(super) fn near_misses(
    sample: &[OwnedDocument],
    config: &Config,
    context: &Context<'_>,
    count: usize,
) -> Result<Option<Vec<NearMiss>>, RunError> {
    let Some(threshold) = config.detector.threshold() else { return Ok(None) };
    let mut lower = config.clone();
    if !lower.detector.set_threshold((threshold - BELOW).max(threshold / 2.0)) {
        return Ok(None);
    }
    lower.run.pairs = PairsWritten::All;
    lower.run.write_artifacts = None;
    if sample.is_empty() {
        return Ok(Some(Vec::new()));
    }
    let findings = find(&as_corpus(sample), &lower, context)?;
    let mut missed: Vec<(f64, u32, u32)> = Vec::new();
    for pair in findings.pairs() {
        let pair = pair?;
        if pair.score < threshold {
            missed.push((pair.score, pair.a.document.0, pair.b.document.0));
        }
        if missed.len() > 64 * count {
            keep_highest(&mut missed, count);
        }
    }
    keep_highest(&mut missed, count);
    let document = |place: u32| sample[place as usize].clone();
    let miss =
        |(score, left, right)| NearMiss { left: document(left), right: document(right), score };
    Ok(Some(missed.into_iter().map(miss).collect()))
}

/// The highest scores first; equal ones in the order of the input.
fn keep_highest(missed: &mut Vec<(f64, u32, u32)>, count: usize) {
    missed.sort_by(|left, right| {
        right.0.total_cmp(&left.0).then_with(|| (left.1, left.2).cmp(&(right.1, right.2)))
    });
    missed.truncate(count);
}

/// The documents as a corpus of their own, in which their places are their ids.
pub(super) fn as_corpus(sample: &[OwnedDocument]) -> Corpus {
    Corpus::from_documents(
        sample
            .iter()
            .enumerate()
            .map(|(place, document)| OwnedDocument { id: place.to_string(), ..document.clone() }),
    )
}

/// The first documents of a corpus.
pub(super) fn sample(
    corpus: &Corpus,
    context: &Context<'_>,
) -> Result<Vec<OwnedDocument>, RunError> {
    let (mut sample, mut bytes) = (Vec::new(), 0);
    for block in corpus.blocks() {
        if context.interrupt.is_set() {
            return Err(RunError::Interrupted);
        }
        block.visit(|row| {
            if let Ok(document) = &row.content
                && sample.len() < MOST_DOCUMENTS
                && bytes < MOST_BYTES
            {
                bytes += document.text.len();
                sample.push(OwnedDocument::from(document));
            }
        });
        if sample.len() >= MOST_DOCUMENTS || bytes >= MOST_BYTES {
            break;
        }
    }
    Ok(sample)
}
