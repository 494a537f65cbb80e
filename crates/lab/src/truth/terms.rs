//! Texts as the sets of terms that truth is about, and the clusters that their cosine makes.

use lookalike_index::UnionFind;
use lookalike_learn::Collection;
use lookalike_text::{Analyzer, AnalyzerConfig, term_hash};
use rayon::prelude::*;

use super::{SetMeasure, all_pairs};
use crate::LabError;

/// The distinct terms of each text, as ascending hashes.
///
/// # Errors
/// An analyzer that does not work.
pub fn term_sets<'a>(
    texts: impl IndexedParallelIterator<Item = &'a str>,
    analyzer: &AnalyzerConfig,
) -> Result<Vec<Vec<u64>>, LabError> {
    let analyzer = Analyzer::new(analyzer)?;
    let terms = |text: &str| {
        let mut hashes = Vec::new();
        analyzer.visit(text, |term, _| hashes.push(term_hash(term)));
        hashes.sort_unstable();
        hashes.dedup();
        hashes
    };
    Ok(texts.map(terms).collect())
}

/// Each document's distinct terms, as ascending hashes.
///
/// # Errors
/// An analyzer that does not work.
pub fn sets_of_terms(
    collection: &Collection,
    analyzer: &AnalyzerConfig,
) -> Result<Vec<Vec<u64>>, LabError> {
    term_sets(collection.documents.par_iter().map(|document| document.text.as_str()), analyzer)
}

/// What chains of pairs of at least this binary cosine join, each named by its least member.
pub fn joined_by_cosine(sets: &[Vec<u64>], cosine: f64) -> Vec<u32> {
    let mut joined = UnionFind::new(sets.len());
    for pair in all_pairs(sets, SetMeasure::BinaryCosine, cosine) {
        joined.union(pair.left as u32, pair.right as u32);
    }
    (0..sets.len() as u32).map(|set| joined.find(set)).collect()
}
