//! Which pairs to ask people about, so that their answers teach most.
//!
//! A run of the chosen method at half its threshold gives pairs on both sides of the decision line.
//! Of each tenth of the score a random few are kept, with their documents; [`Questions::ask`] then
//! picks one after the other, near the line as the answers so far draw it, but from all strata.

mod choice;

use std::collections::BTreeMap;

use lookalike_corpus::Corpus;
use lookalike_index::DocumentId;
use xxhash_rust::xxh3::xxh3_64_with_seed;

pub use choice::{Question, Questions};

use crate::{Config, Context, JudgedPair, OwnedDocument, PairsWritten, RunError, Verify};

/// Pairs kept of each tenth of the score.
const KEPT: usize = 200;

/// Strata of the score.
const STRATA: usize = 10;

/// The stratum of a score.
fn stratum(score: f64) -> usize {
    ((score * STRATA as f64) as usize).min(STRATA - 1)
}

/// A pair that may be asked about, before its documents are read.
struct Found {
    order: u64,
    left: DocumentId,
    right: DocumentId,
    score: f64,
}

/// Finds pairs to ask about; those of `answered` are not asked again, but draw the line.
///
/// # Errors
/// A method without a threshold, documents of which no two are alike, or what stops any run.
pub fn questions(
    corpus: &Corpus,
    config: &Config,
    answered: &[JudgedPair],
    context: &Context<'_>,
) -> Result<Questions, RunError> {
    let line = config.detector.threshold().unwrap_or(0.5);
    let config = lowered(corpus, config, line, context)?;
    let findings = crate::find(corpus, &config, context)?;
    let verdicts: BTreeMap<(&str, &str), bool> =
        answered.iter().map(|pair| (pair.ids(), pair.duplicate)).collect();
    let mut strata: Vec<Vec<Found>> = (0..STRATA).map(|_| Vec::new()).collect();
    let mut known = Vec::new();
    let identities = findings.catalog.identities();
    for pair in findings.pairs.iter() {
        let pair = pair?;
        let (left, right) = (pair.left, pair.right);
        // Nobody needs to be asked about copies.
        if identities[left.0 as usize] == identities[right.0 as usize] {
            continue;
        }
        let (a, b) = (findings.catalog.id(left), findings.catalog.id(right));
        if let Some(&duplicate) = verdicts.get(&(a.min(b), a.max(b))) {
            known.push((pair.verdict.score, duplicate));
            continue;
        }
        let order = xxh3_64_with_seed(b.as_bytes(), xxh3_64_with_seed(a.as_bytes(), 0));
        let kept = &mut strata[stratum(pair.verdict.score)];
        kept.push(Found { order, left, right, score: pair.verdict.score });
        if kept.len() >= 2 * KEPT {
            thin(kept);
        }
    }
    strata.iter_mut().for_each(thin);
    let found: Vec<Found> = strata.into_iter().flatten().collect();
    if found.is_empty() && known.is_empty() {
        return Err(RunError::NothingToAsk);
    }
    let documents = read_documents(corpus, &found);
    let questions = found.into_iter().filter_map(|pair| {
        let document = |id: DocumentId| documents.get(&id.0).cloned();
        Some(Question {
            left: document(pair.left)?,
            right: document(pair.right)?,
            score: pair.score,
        })
    });
    Ok(Questions::new(questions.collect(), line, known))
}

/// Keeps the pairs of the lowest hashes: a random choice that is the same in every run.
fn thin(pairs: &mut Vec<Found>) {
    pairs.sort_by_key(|pair| (pair.order, pair.left, pair.right));
    pairs.truncate(KEPT);
}

/// The configuration that also finds pairs below the line.
fn lowered(
    corpus: &Corpus,
    config: &Config,
    line: f64,
    context: &Context<'_>,
) -> Result<Config, RunError> {
    let mut config = config.clone();
    config.run.pairs = PairsWritten::All;
    config.run.verify = Verify::None;
    let name = config.detector.name();
    if !config.detector.set_threshold(line) {
        return Err(RunError::NoThreshold(name));
    }
    let artifacts = crate::artifacts(corpus, &config, context)?;
    for share in [0.5, 0.6, 0.7, 0.8, 0.9] {
        let mut lower = config.clone();
        lower.detector.set_threshold(line * share);
        if crate::build_detector(&lower, &artifacts).is_ok() {
            return Ok(lower);
        }
    }
    Ok(config)
}

/// The documents of these pairs, by number.
fn read_documents(corpus: &Corpus, pairs: &[Found]) -> BTreeMap<u32, OwnedDocument> {
    let mut wanted: Vec<u64> =
        pairs.iter().flat_map(|pair| [u64::from(pair.left.0), u64::from(pair.right.0)]).collect();
    wanted.sort_unstable();
    wanted.dedup();
    let mut documents = BTreeMap::new();
    for block in corpus.blocks() {
        block.visit_selected(
            |ordinal| wanted.binary_search(&ordinal).is_ok(),
            |row| {
                if let Ok(document) = &row.content {
                    documents.insert(row.ordinal as u32, OwnedDocument::from(document));
                }
            },
        );
    }
    documents
}
