//! The vectors of [`super::LearnedKgrams`] for single words, in one pass over the text.
//!
//! What the document shows of a word and what the collection shows of it are whole numbers, so the order of adding
//! them does not matter: the first may be kept until the second is known.

use lookalike_text::AnalyzerError;

use super::keep_heaviest;
use super::observer::WordObserver;
use super::stop_words::ProseWords;
use super::term_shares::TermShares;
use super::weights::{KgramWeights, Share};
use crate::model::Model;
use crate::{ObserveTerms as _, WeightedFeature};

/// Text → words with learned weights.
#[derive(Debug)]
pub struct LearnedWords {
    observer: WordObserver,
    terms: TermShares,
    active: Option<usize>,
}

impl LearnedWords {
    /// The vectors of a model's weights, cut to the `active` highest weights where given; `None`
    /// where the model weighs something that a single pass over words does not see.
    ///
    /// # Errors
    /// Where this build lacks the dictionaries that the model's words need.
    pub fn new(
        model: &Model,
        learned: &KgramWeights,
        active: Option<usize>,
    ) -> Result<Option<Self>, AnalyzerError> {
        let Some(observer) = WordObserver::new(model, learned)? else { return Ok(None) };
        let query_frequency = &learned.query_frequency;
        let stop_words = ProseWords::new(observer.analyzer());
        let terms =
            TermShares::new(&learned.folded(), &model.statistics, query_frequency, &stop_words);
        Ok(Some(Self { observer, terms, active }))
    }

    /// What observes the words.
    pub fn observer(&self) -> &WordObserver {
        &self.observer
    }

    /// The vector of a document that was observed, in no order.
    pub fn vector(&self, observed: &[u64]) -> Vec<WeightedFeature> {
        let (words, _) = observed.as_chunks::<2>();
        let mut vector = vec![WeightedFeature { feature: 0, weight: 0.0 }; words.len() + 1];
        let mut n_weighed = 0;
        // Nothing else is done here, so that the processor waits for many words at once: few are in
        // its cache.
        for &[hash, share] in words {
            let weight = (Share(share as i64) + self.terms.get(hash).share).weight();
            // Always written, counted where it weighs something: a branch would be a coin toss.
            vector[n_weighed] = WeightedFeature { feature: hash, weight };
            n_weighed += usize::from(weight > 0.0);
        }
        vector.truncate(n_weighed);
        if let Some(active) = self.active {
            keep_heaviest(&mut vector, active);
        }
        vector
    }
}
