//! Learns the weights of k-grams from near-duplicates and their opposite.
//!
//! Adaptive near-duplicate detection (Hajishirzi, Yih, Kolcz, 2010). Pairs of near-duplicates
//! should be more alike than pairs of different documents: weights minimize the mean of
//! `ln(1 + exp(-sharpness · (sim(positive) - sim(negative))))` over random pairs of pairs, plus
//! `regularization/2 · |λ - λ₀|²`, by L-BFGS from λ₀, the binary vector. The paper's penalty is
//! around 0, but cosine and extended Jaccard do not change when λ is scaled, so that a penalty
//! around 0 would only shrink λ. [`AnddOptions::as_printed`] is the paper's way all the same.

use std::collections::BTreeMap;
use std::sync::Arc;

use lookalike_statistics::Statistics;
use lookalike_text::{Analyzer, AnalyzerConfig, Document, TokenizedDocument};

use super::lbfgs::{LbfgsOptions, Minimum, minimize};
use super::objective::{Objective, Triangles};
use super::pairs::{Pair, PairSampling, TrainingPairs};
use super::separate::{Labels, vectors};
use super::threshold::BestThreshold;
use super::{LabelledDocument, TrainError, penalty, standardize, statistics};
use crate::WeightedFeature;
use crate::measure::{Similarity, squared_length};
use crate::model::{Frequencies, Learned, Model, TrainingReport};
use crate::random::SplitMix64;
use crate::represent::learned::{
    Column, FeatureChoice, KgramContext, KgramFrequencies, KgramTable, KgramWeights, ProseWords,
    ScaledColumn,
};

/// Where the search for weights begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Start {
    /// At the binary vector, which the penalty holds on to.
    #[default]
    Binary,
    /// At random weights, with the penalty around 0, as the 2010 paper has it. Its weights below 0
    /// count as 0 here, as everywhere.
    Random,
}

/// How weights are learned.
#[derive(Clone, Debug)]
pub struct AnddOptions {
    /// What the terms are.
    pub analyzer: AnalyzerConfig,
    /// Which features weights are learned on.
    pub features: FeatureChoice,
    /// The similarity they are learned for: cosine or extended Jaccard.
    pub similarity: Similarity,
    /// Document frequencies; without them, those of the labelled documents.
    pub statistics: Option<Arc<Statistics>>,
    /// Whose frequencies the model is asked with later.
    pub frequencies: Frequencies,
    /// Query-log frequencies by k-gram hash.
    pub query_frequency: BTreeMap<u64, u32>,
    /// Document frequencies of whole k-grams, for k > 1; without them, those of their rarest terms.
    pub kgram_frequency: KgramFrequencies,
    /// Where the search begins.
    pub start: Start,
    /// Which pairs are drawn.
    pub pairs: PairSampling,
    /// Pairs of pairs (the paper: 80,000).
    pub n_preferences: usize,
    /// How fast the loss falls with the difference of two similarities.
    pub sharpness: f64,
    /// Weight of the penalty on leaving the binary vector; without it, 1e-4, or where pairs are few
    /// the one that does best on pairs held out.
    pub regularization: Option<f64>,
    /// How hard the optimizer tries.
    pub optimizer: LbfgsOptions,
}

impl Default for AnddOptions {
    fn default() -> Self {
        Self {
            analyzer: AnalyzerConfig::default(),
            features: FeatureChoice::default(),
            similarity: Similarity::Cosine,
            statistics: None,
            frequencies: Frequencies::Collection,
            query_frequency: BTreeMap::new(),
            kgram_frequency: KgramFrequencies::default(),
            start: Start::default(),
            pairs: PairSampling::default(),
            n_preferences: 80_000,
            sharpness: 8.0,
            regularization: None,
            optimizer: LbfgsOptions { max_iterations: 100, ..LbfgsOptions::default() },
        }
    }
}

impl AnddOptions {
    /// Training as the 2010 paper prints it: its features, a random start, a loss without sharpness,
    /// negative pairs all at random.
    #[must_use]
    pub fn as_printed(self) -> Self {
        Self {
            features: FeatureChoice { blocks: false, ..self.features },
            start: Start::Random,
            sharpness: 1.0,
            pairs: PairSampling { hard_share: 0.0, ..self.pairs },
            ..self
        }
    }
}

/// Learns from clusters of documents.
///
/// # Errors
/// Options that do not work, or documents without near-duplicates or without different ones.
pub fn andd(
    documents: &[LabelledDocument<'_>],
    options: &AnddOptions,
) -> Result<Model, TrainError> {
    let clusters: Vec<u32> = documents.iter().map(|labelled| labelled.cluster).collect();
    let plain: Vec<Document<'_>> = documents.iter().map(|labelled| labelled.document).collect();
    let prepared = Prepared::new(&plain, options)?;
    let terms: Vec<&[u64]> = prepared.tables.iter().map(|table| &table.kgrams[..]).collect();
    let pairs = options.pairs.draw(&clusters, &terms);
    prepared.learn(&pairs, &clusters, options, &Labels::Clusters(&clusters))
}

/// Learns from judged pairs of documents, given by their numbers.
///
/// # Errors
/// As [`andd`].
pub fn andd_from_pairs(
    documents: &[Document<'_>],
    pairs: &TrainingPairs,
    options: &AnddOptions,
) -> Result<Model, TrainError> {
    let clusters = super::pairs::components(documents.len(), &pairs.positive);
    let prepared = Prepared::new(documents, options)?;
    prepared.learn(pairs, &clusters, options, &Labels::Pairs(pairs))
}

/// The documents as training sees them: tables of observations, no text.
struct Prepared {
    statistics: Arc<Statistics>,
    tables: Vec<KgramTable>,
}

impl Prepared {
    fn new(documents: &[Document<'_>], options: &AnddOptions) -> Result<Self, TrainError> {
        check(options)?;
        let analyzer = Analyzer::new(&options.analyzer)?;
        let tokens: Vec<TokenizedDocument> =
            documents.iter().map(|document| analyzer.tokenize(document.text)).collect();
        let given = options.statistics.as_ref();
        let statistics = statistics::choose(given, &options.analyzer, &tokens)?;
        let context = KgramContext {
            k: options.features.k,
            analyzer: &analyzer,
            statistics: &statistics,
            query_frequency: &options.query_frequency,
            document_frequency: &options.kgram_frequency,
            stop_words: &ProseWords::new(&analyzer),
        };
        let observe = |(document, tokens)| context.observe(document, tokens);
        let tables = documents.iter().zip(&tokens).map(observe).collect();
        Ok(Self { statistics, tables })
    }

    fn learn(
        &self,
        pairs: &TrainingPairs,
        clusters: &[u32],
        options: &AnddOptions,
        labels: &Labels<'_>,
    ) -> Result<Model, TrainError> {
        if pairs.positive.is_empty() {
            return Err(TrainError::NoPositives(self.tables.len()));
        }
        if pairs.negative.is_empty() {
            return Err(TrainError::NoNegatives(self.tables.len()));
        }
        let columns = options.features.columns();
        let mut rows: Vec<Vec<f32>> =
            self.tables.iter().map(|table| spread(&columns, table)).collect();
        let scaling = column_scaling(columns.len(), &rows);
        for rows in &mut rows {
            standardize::apply(&scaling, rows);
        }
        let mut objective = self.objective(columns.len(), &rows, pairs, options);
        let is_ours = options.start == Start::Binary;
        let few = objective.pairs.len() <= penalty::MANY_PAIRS;
        if is_ours && options.regularization.is_none() && few {
            objective.regularization =
                penalty::cross_validated(&objective, clusters, options.optimizer);
        }
        let start = match options.start {
            Start::Binary => objective.center.clone(),
            Start::Random => random_start(columns.len(), options.pairs.seed),
        };
        let loss_before = objective.evaluate(&start, &mut vec![0.0; start.len()]);
        let (mut weights, minimum) = loop {
            let minimum = minimize(start.clone(), options.optimizer, |point, gradient| {
                objective.evaluate(point, gradient)
            });
            let mut weights = KgramWeights {
                features: options.features,
                similarity: options.similarity,
                threshold: 0.0,
                active_thresholds: Vec::new(),
                squared_jaccard_threshold: 0.0,
                weighted_jaccard_threshold: 0.0,
                typical_weight: 1.0,
                typical_square: 1.0,
                columns: scaled_columns(&columns, &scaling, &minimum),
                query_frequency: options.query_frequency.clone(),
                document_frequency: options.kgram_frequency.clone(),
            };
            if !is_ours {
                self.make_mostly_positive(&mut weights);
                break (weights, minimum);
            }
            // Few pairs can be told apart by weights below 0 as well, and clipping would then
            // leave little: stay closer to the binary vector.
            if self.negative_share(&weights) <= MOST_NEGATIVE || objective.regularization >= 1.0 {
                break (weights, minimum);
            }
            objective.regularization *= 10.0;
        };
        let vectors = vectors(&weights, &self.tables);
        let best = labels.best_threshold(weights.similarity, &vectors);
        weights.threshold = best.threshold;
        weights.squared_jaccard_threshold =
            labels.best_threshold(Similarity::SquaredJaccard, &vectors).threshold;
        weights.weighted_jaccard_threshold =
            labels.best_threshold(Similarity::SquaredJaccard, &roots(&vectors)).threshold;
        (weights.typical_weight, weights.typical_square) = typical(&vectors);
        weights.active_thresholds = labels.active_thresholds(weights.similarity, vectors);
        Ok(Model {
            analyzer: options.analyzer.clone(),
            statistics: self.statistics.clone(),
            frequencies: options.frequencies,
            report: report(self.tables.len(), pairs, loss_before, &minimum, best, options),
            learned: Learned::Andd(weights),
            profile: BTreeMap::new(),
        })
    }

    fn objective(
        &self,
        dimension: usize,
        rows: &[Vec<f32>],
        pairs: &TrainingPairs,
        options: &AnddOptions,
    ) -> Objective {
        let mut lengths = Triangles::new(dimension);
        for rows in rows {
            lengths.push(rows.chunks_exact(dimension).map(|row| (row, row)));
        }
        let mut products = Triangles::new(dimension);
        let all: Vec<Pair> = pairs.positive.iter().chain(&pairs.negative).copied().collect();
        for &(left, right) in &all {
            let (left, right) = (left as usize, right as usize);
            let common = common_rows(&self.tables[left].kgrams, &self.tables[right].kgrams);
            let row = |document: usize, at: usize| &rows[document][at * dimension..][..dimension];
            products.push(common.iter().map(|&(i, j)| (row(left, i), row(right, j))));
        }
        let preferences = preferences(pairs, options);
        let mut center = vec![0.0; dimension];
        if options.start == Start::Binary {
            center[0] = 1.0;
        }
        Objective {
            similarity: options.similarity,
            lengths,
            products,
            pairs: all,
            preferences,
            sharpness: options.sharpness,
            regularization: options.regularization.unwrap_or(penalty::WITH_MANY_PAIRS),
            center,
        }
    }

    /// Turns all weights around where most are below 0: similarities are the same for both, and
    /// those below 0 will count as 0.
    fn make_mostly_positive(&self, weights: &mut KgramWeights) {
        if self.negative_share(weights) > 0.5 {
            for column in &mut weights.columns {
                column.weight = -column.weight;
            }
        }
    }

    /// The share of the squared weights that belongs to weights below 0.
    fn negative_share(&self, weights: &KgramWeights) -> f64 {
        let folded = weights.folded();
        let (mut negative, mut all) = (0.0, 0.0);
        for row in self.tables.iter().flat_map(|table| &table.rows) {
            let weight = f64::from(folded.unclipped(row));
            all += weight * weight;
            negative += weight.min(0.0) * weight.min(0.0);
        }
        if all > 0.0 { negative / all } else { 0.0 }
    }
}

/// Random weights around the binary vector: all columns together vary a weight by about 1.
fn random_start(dimension: usize, seed: u64) -> Vec<f64> {
    let mut random = SplitMix64::new(seed ^ 0x7374_6172);
    let widest = (3.0 / dimension as f64).sqrt();
    let mut start: Vec<f64> =
        (0..dimension).map(|_| widest * (2.0 * random.next_f64() - 1.0)).collect();
    start[0] = 1.0;
    start
}

/// The vectors of which these are the squares: their Jaccard of squares is the weighted Jaccard.
fn roots(vectors: &[Vec<WeightedFeature>]) -> Vec<Vec<WeightedFeature>> {
    let root = |entry: &WeightedFeature| WeightedFeature { weight: entry.weight.sqrt(), ..*entry };
    vectors.iter().map(|vector| vector.iter().map(root).collect()).collect()
}

/// The mean and the mean square of the weights above 0.
fn typical(vectors: &[Vec<WeightedFeature>]) -> (f64, f64) {
    let n_weights = vectors.iter().map(Vec::len).sum::<usize>();
    if n_weights == 0 {
        return (1.0, 1.0);
    }
    let sum: f64 = vectors.iter().flatten().map(|entry| f64::from(entry.weight)).sum();
    let squares: f64 = vectors.iter().map(|vector| squared_length(vector)).sum();
    (sum / n_weights as f64, squares / n_weights as f64)
}

/// Pairs of a positive and a negative pair: all of them, or a random choice where that is too
/// many. Pairs are numbered with the positive ones first.
fn preferences(pairs: &TrainingPairs, options: &AnddOptions) -> Vec<(u32, u32)> {
    let (n_positive, n_negative) = (pairs.positive.len() as u64, pairs.negative.len() as u64);
    let numbered = |better: u64, worse: u64| (better as u32, (n_positive + worse) as u32);
    if n_positive * n_negative <= options.n_preferences as u64 {
        let with_each = |better| (0..n_negative).map(move |worse| numbered(better, worse));
        return (0..n_positive).flat_map(with_each).collect();
    }
    let mut generator = SplitMix64::new(options.pairs.seed.wrapping_add(1));
    let mut draw = || {
        let better = generator.next_below(n_positive);
        numbered(better, generator.next_below(n_negative))
    };
    (0..options.n_preferences).map(|_| draw()).collect()
}

/// The most that weights below 0 may matter before the penalty is raised.
const MOST_NEGATIVE: f64 = 0.2;

fn check(options: &AnddOptions) -> Result<(), TrainError> {
    let refuse = |option, expected| Err(TrainError::Option { option, expected });
    if options.features.k == 0 || options.features.k > 16 {
        return refuse("k", "a k-gram has from 1 to 16 terms");
    }
    if options.similarity == Similarity::SquaredJaccard {
        return refuse("similarity", "weights are learned for cosine or extended-jaccard");
    }
    if options.features.queries && options.query_frequency.is_empty() {
        return refuse("queries", "give the query log whose frequencies are to be learned on");
    }
    let is_positive = |value: f64| value.is_finite() && value > 0.0;
    let regularization = options.regularization.unwrap_or(penalty::WITH_MANY_PAIRS);
    if !is_positive(options.sharpness) || !is_positive(regularization) {
        return refuse("sharpness, regularization", "both must be above 0");
    }
    if !(0.0..=1.0).contains(&options.pairs.hard_share) {
        return refuse("hard-negatives", "a share, from 0 to 1");
    }
    if options.n_preferences == 0 || options.pairs.max_pairs == 0 {
        return refuse("pairs, preferences", "at least one of each is needed");
    }
    Ok(())
}

fn spread(columns: &[Column], table: &KgramTable) -> Vec<f32> {
    let values = |row| columns.iter().map(move |column: &Column| column.value(row));
    table.rows.iter().flat_map(values).collect()
}

/// The scaling of all columns but the bias, which stays 1.
fn column_scaling(n_columns: usize, rows: &[Vec<f32>]) -> Vec<(f64, f64)> {
    let all = rows.iter().flat_map(|rows| rows.chunks_exact(n_columns));
    let mut scaling = standardize::scaling(n_columns, all);
    scaling[0] = (0.0, 1.0);
    scaling
}

fn scaled_columns(
    columns: &[Column],
    scaling: &[(f64, f64)],
    minimum: &Minimum,
) -> Vec<ScaledColumn> {
    let parts = columns.iter().zip(scaling).zip(&minimum.point);
    parts
        .map(|((&column, &(mean, deviation)), &weight)| ScaledColumn {
            column,
            mean,
            deviation,
            weight,
        })
        .collect()
}

/// The positions of the values that two ascending lists share.
fn common_rows(left: &[u64], right: &[u64]) -> Vec<(usize, usize)> {
    let (mut i, mut j) = (0, 0);
    let mut common = Vec::new();
    while i < left.len() && j < right.len() {
        let (l, r) = (left[i], right[j]);
        if l == r {
            common.push((i, j));
        }
        i += usize::from(l <= r);
        j += usize::from(r <= l);
    }
    common
}

fn report(
    n_documents: usize,
    pairs: &TrainingPairs,
    loss_before: f64,
    minimum: &Minimum,
    best: BestThreshold,
    options: &AnddOptions,
) -> TrainingReport {
    TrainingReport {
        n_documents,
        n_positive: pairs.positive.len(),
        n_negative: pairs.negative.len(),
        iterations: minimum.iterations,
        loss_before,
        loss_after: minimum.value,
        precision: best.precision,
        recall: best.recall,
        seed: options.pairs.seed,
        unseen: None,
    }
}
