//! Document frequencies of one collection.

use std::sync::OnceLock;

use lookalike_text::AnalyzerConfig;

use crate::StatisticsError;
use crate::table::{Slot, TermTable};
use crate::term_text::TermTexts;

/// How many documents of a collection contain each term.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    pub(crate) analyzer: AnalyzerConfig,
    pub(crate) n_documents: u64,
    pub(crate) n_tokens: u64,
    pub(crate) table: TermTable,
    pub(crate) texts: TermTexts,
    pub(crate) fingerprint: OnceLock<u64>,
}

impl Statistics {
    /// The number of documents that were counted, N.
    pub fn n_documents(&self) -> u64 {
        self.n_documents
    }

    /// The number of terms in all documents, each occurrence counted.
    pub fn n_tokens(&self) -> u64 {
        self.n_tokens
    }

    /// The number of different terms.
    pub fn n_terms(&self) -> usize {
        self.table.len()
    }

    /// The analyzer whose terms were counted.
    pub fn analyzer(&self) -> &AnalyzerConfig {
        &self.analyzer
    }

    /// How many documents contain the term with this [`lookalike_text::term_hash`]; 0 if unknown.
    #[inline]
    pub fn document_frequency(&self, term: u64) -> u32 {
        self.table.find(term).map_or(0, |slot| slot.frequency)
    }

    /// The text of a term, where the statistics keep texts.
    pub fn term(&self, term: u64) -> Option<&str> {
        self.texts.text(self.table.find(term)?.text)
    }

    /// The terms with their document frequencies, in ascending order of hash.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u32)> {
        self.table.iter().map(|slot| (slot.hash, slot.frequency))
    }

    /// The statistics of both collections together; documents in both count twice.
    ///
    /// # Errors
    /// Where the two were cut into terms by different analyzers.
    pub fn merge(&self, other: &Self) -> Result<Self, StatisticsError> {
        let (larger, smaller) =
            if self.n_terms() >= other.n_terms() { (self, other) } else { (other, self) };
        let mut merged = larger.clone();
        merged.absorb(smaller)?;
        Ok(merged.with_texts_in_order())
    }

    /// The statistics without the terms of fewer than `min_documents` documents.
    ///
    /// The number of documents stays, so the frequency of every kept term means what it did.
    pub fn prune(&self, min_documents: u32) -> Self {
        let kept = |slot: &&Slot| slot.frequency >= min_documents;
        let n_kept = self.table.iter().filter(kept).count();
        let table = TermTable::from_ascending(n_kept, self.table.iter().filter(kept).copied());
        let pruned = Self { table, fingerprint: OnceLock::new(), ..self.clone() };
        pruned.with_texts_in_order()
    }

    /// Adds the counts of `other`.
    pub(crate) fn absorb(&mut self, other: &Self) -> Result<(), StatisticsError> {
        if self.analyzer != other.analyzer {
            let (left, right) = (self.analyzer_json(), other.analyzer_json());
            return Err(StatisticsError::DifferentAnalyzers { left, right });
        }
        self.n_documents += other.n_documents;
        self.n_tokens += other.n_tokens;
        self.fingerprint = OnceLock::new();
        let Self { table, texts, .. } = self;
        *table = if other.texts.is_empty() {
            table.merged_without_texts(&other.table)
        } else {
            let take_text = |text| other.texts.text(text).map_or(0, |text| texts.push(text));
            table.merged(&other.table, take_text)
        };
        Ok(())
    }

    /// The same statistics with the texts in ascending order of hash, whatever the order in which
    /// the terms were met.
    pub(crate) fn with_texts_in_order(mut self) -> Self {
        if self.texts.is_empty() {
            return self;
        }
        let mut ordered = TermTexts::default();
        for slot in self.table.iter_mut() {
            slot.text = self.texts.text(slot.text).map_or(0, |text| ordered.push(text));
        }
        self.texts = ordered;
        self
    }
}
