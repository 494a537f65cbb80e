//! Document frequencies of one collection.

use hashbrown::HashMap;
use lookalike_text::{AnalyzerConfig, TokenizedDocument};

/// How many documents of a collection contain each term.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    analyzer: AnalyzerConfig,
    n_documents: u64,
    document_frequency: HashMap<u64, u32>,
}

impl Statistics {
    /// The number of documents that were counted.
    pub fn n_documents(&self) -> u64 {
        self.n_documents
    }

    /// The analyzer whose terms were counted.
    pub fn analyzer(&self) -> &AnalyzerConfig {
        &self.analyzer
    }

    /// How many documents contain the term with this [`lookalike_text::term_hash`]; 0 if unknown.
    pub fn document_frequency(&self, term: u64) -> u32 {
        self.document_frequency.get(&term).copied().unwrap_or(0)
    }

    /// `ln(N / df)`; for an unknown term, that of a term in one document.
    pub fn idf(&self, term: u64) -> f64 {
        let frequency = f64::from(self.document_frequency(term).max(1));
        (self.n_documents.max(1) as f64 / frequency).ln()
    }

    /// `idf / ln(N)`, in 0..=1: 0 for a term of every document, 1 for a term of one or none.
    pub fn nidf(&self, term: u64) -> f64 {
        if self.n_documents < 2 {
            return 1.0;
        }
        self.idf(term) / (self.n_documents as f64).ln()
    }

    /// A value that differs between different statistics; signatures record it.
    pub fn fingerprint(&self) -> u64 {
        self.n_documents
    }
}

/// Counts documents; two builders can be merged.
#[derive(Debug, Default)]
pub struct StatisticsBuilder {
    statistics: Statistics,
}

impl StatisticsBuilder {
    /// A builder for terms made by this analyzer.
    pub fn new(analyzer: AnalyzerConfig) -> Self {
        Self { statistics: Statistics { analyzer, ..Statistics::default() } }
    }

    /// Counts the distinct terms of one document.
    pub fn add(&mut self, document: &TokenizedDocument) {
        let mut hashes: Vec<u64> = document.tokens().iter().map(|token| token.hash).collect();
        hashes.sort_unstable();
        hashes.dedup();
        self.statistics.n_documents += 1;
        for hash in hashes {
            *self.statistics.document_frequency.entry(hash).or_insert(0) += 1;
        }
    }

    /// The finished statistics.
    pub fn finish(self) -> Statistics {
        self.statistics
    }
}
