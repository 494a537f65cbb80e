//! What of two documents the method `svm` compares: their top terms and their shingles.
//!
//! The 2014 paper has the top terms alone. They say what a document is about, and documents of one
//! subject share them; shingles say whether it is told in the same words.

use std::sync::Arc;

use lookalike_statistics::Statistics;
use lookalike_text::Analyzer;
use serde::{Deserialize, Serialize};

use super::{Level, SeveralViews, TopTerms, WordShingles};
use crate::Represent;
use crate::measure::{SimilarityVector, VectorMeasure};

/// The views of a document and how two documents' views are compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PairViews {
    /// What has top terms.
    pub level: Level,
    /// How many terms are kept of each.
    pub terms: usize,
    /// Whether a term counts as shared only at the same place in the order of weights.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ordered: bool,
    /// The measures of the top terms.
    pub measures: Vec<VectorMeasure>,
    /// Lengths in words of the shingles whose Jaccard resemblance is measured too.
    pub shingles: Vec<usize>,
}

impl Default for PairViews {
    fn default() -> Self {
        // Words, phrases, sentences; chosen on divisions of the training sides of `lookalike-lab unseen`.
        Self { terms: 60, shingles: vec![1, 2, 3, 5, 8], ..Self::of_the_paper() }
    }
}

impl PairViews {
    /// Top terms alone.
    pub fn of_the_paper() -> Self {
        Self {
            level: Level::Document,
            terms: 30,
            ordered: false,
            measures: VectorMeasure::ALL.to_vec(),
            shingles: Vec::new(),
        }
    }

    /// How many similarities a pair has.
    pub fn n_similarities(&self) -> usize {
        self.measures.len() + self.shingles.len()
    }

    /// The first view, by whose features candidates are found.
    pub fn top_terms(&self, statistics: Arc<Statistics>, analyzer: &Analyzer) -> TopTerms {
        let top_terms = TopTerms::new(self.level, self.terms, statistics, analyzer);
        if self.ordered { top_terms.in_order() } else { top_terms }
    }

    /// All views.
    pub fn represent(&self, top_terms: Arc<TopTerms>) -> SeveralViews {
        let shingles = self
            .shingles
            .iter()
            .map(|&words| -> Arc<dyn Represent> { Arc::new(WordShingles { words }) });
        let first: Arc<dyn Represent> = top_terms;
        SeveralViews(std::iter::once(first).chain(shingles).collect())
    }

    /// What compares them.
    pub fn measure(&self) -> SimilarityVector {
        SimilarityVector(self.measures.clone())
    }
}
