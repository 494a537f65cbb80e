//! k-grams with the weights a model has learned for them.

mod columns;
mod numbered;
mod observations;
mod observer;
mod one_pass;
mod stop_words;
mod term_shares;
mod weights;
mod word_blocks;

use std::sync::Arc;

use lookalike_text::{Analyzer, Document, TokenizedDocument};

pub(crate) use columns::log;
pub use columns::{Column, FeatureChoice, Form};
pub use observations::{
    KgramContext, KgramFrequencies, KgramTable, N_OBSERVATIONS, Observation, kgram_hash,
};
pub use observer::{WordObserver, WordScratch};
pub use one_pass::LearnedWords;
pub use stop_words::ProseWords;
pub use weights::{FoldedWeights, KgramWeights, ScaledColumn, Share};

use crate::model::Model;
use crate::{DescribedFeature, FeatureKind, Features, Represent, WeightedFeature};

/// Keeps only so many of the highest weights, in no order; ties go to the smaller feature.
pub fn keep_heaviest(vector: &mut Vec<WeightedFeature>, active: usize) {
    if active < vector.len() {
        vector.select_nth_unstable_by(active, |left, right| {
            right.weight.total_cmp(&left.weight).then(left.feature.cmp(&right.feature))
        });
        vector.truncate(active);
    }
}

/// The sparse vector of a document's k-grams under learned weights.
#[derive(Debug)]
pub struct LearnedKgrams {
    analyzer: Analyzer,
    model: Arc<Model>,
    learned: KgramWeights,
    weights: FoldedWeights,
    stop_words: ProseWords,
    active: Option<usize>,
}

impl LearnedKgrams {
    /// The vectors of a model's weights, cut to the `active` highest weights where given.
    pub fn new(
        model: Arc<Model>,
        learned: &KgramWeights,
        analyzer: Analyzer,
        active: Option<usize>,
    ) -> Self {
        let stop_words = ProseWords::new(&analyzer);
        let weights = learned.folded();
        Self { analyzer, model, learned: learned.clone(), weights, stop_words, active }
    }

    fn observe(&self, document: &Document<'_>, tokens: &TokenizedDocument) -> KgramTable {
        let context = KgramContext {
            k: self.learned.features.k,
            analyzer: &self.analyzer,
            statistics: &self.model.statistics,
            query_frequency: &self.learned.query_frequency,
            document_frequency: &self.learned.document_frequency,
            stop_words: &self.stop_words,
        };
        context.observe(document, tokens)
    }

    /// The weight of each row, 0 for those that active-term pruning drops.
    fn weigh(&self, table: &KgramTable) -> Vec<f32> {
        let mut weights: Vec<f32> = table.rows.iter().map(|row| self.weights.weight(row)).collect();
        if let Some(active) = self.active.filter(|&active| active < weights.len()) {
            let mut order: Vec<usize> = (0..weights.len()).collect();
            // Ties go to the smaller hash: rows ascend by it, and the sort is stable.
            order.sort_by(|&left, &right| weights[right].total_cmp(&weights[left]));
            for &row in &order[active..] {
                weights[row] = 0.0;
            }
        }
        weights
    }
}

impl Represent for LearnedKgrams {
    fn kind(&self) -> FeatureKind {
        FeatureKind::Weighted
    }

    fn represent(&self, document: &Document<'_>, tokens: &TokenizedDocument) -> Features {
        let table = self.observe(document, tokens);
        let weights = self.weigh(&table);
        let entries = table.kgrams.iter().zip(weights).filter(|(_, weight)| *weight > 0.0);
        Features::Weighted(
            entries.map(|(&feature, weight)| WeightedFeature { feature, weight }).collect(),
        )
    }

    fn describe(
        &self,
        document: &Document<'_>,
        tokens: &TokenizedDocument,
    ) -> Vec<DescribedFeature> {
        let table = self.observe(document, tokens);
        let weights = self.weigh(&table);
        let rows = table.kgrams.iter().zip(weights).zip(table.places);
        let mut described: Vec<DescribedFeature> = rows
            .filter(|((_, weight), _)| *weight > 0.0)
            .map(|((&feature, weight), place)| DescribedFeature {
                feature,
                text: document.text.get(place.clone()).unwrap_or_default().to_owned(),
                weight: f64::from(weight),
                place,
            })
            .collect();
        described.sort_by(|left, right| right.weight.total_cmp(&left.weight));
        described
    }
}
