//! Learns a discriminant over similarities from near-duplicates and their opposite (2014 paper).

use std::collections::BTreeMap;
use std::sync::Arc;

use libsvm_rs::probability::sigmoid_train;
use libsvm_rs::train::svm_train;
use libsvm_rs::{KernelType, SvmNode, SvmParameter, SvmProblem};
use lookalike_statistics::Statistics;
use lookalike_text::{Analyzer, AnalyzerConfig, Document, TokenizedDocument};
use serde::{Deserialize, Serialize};

use super::pairs::{Pair, PairSampling, TrainingPairs};
use super::{LabelledDocument, TrainError, standardize, statistics};
use crate::decide::{Kernel, SupportVectors};
use crate::model::{Frequencies, Learned, Model, SvmModel, TrainingReport};
use crate::represent::PairViews;
use crate::{Features, Measure, Represent};

/// Which kernel is trained.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KernelChoice {
    /// `x·y`: a plane.
    Linear,
    /// `exp(-gamma |x - y|²)`.
    #[default]
    Rbf,
}

/// How a discriminant is learned.
#[derive(Clone, Debug)]
pub struct SvmOptions {
    /// What the terms are.
    pub analyzer: AnalyzerConfig,
    /// What of two documents is compared.
    pub views: PairViews,
    /// Document frequencies; without them, those of the labelled documents.
    pub statistics: Option<Arc<Statistics>>,
    /// Whose frequencies the model is asked with later.
    pub frequencies: Frequencies,
    /// The kernel.
    pub kernel: KernelChoice,
    /// γ of the RBF kernel; without it, one over the number of measures.
    pub gamma: Option<f64>,
    /// C: what a pair on the wrong side costs.
    pub cost: f64,
    /// Which pairs are drawn.
    pub pairs: PairSampling,
}

impl Default for SvmOptions {
    fn default() -> Self {
        Self {
            analyzer: AnalyzerConfig::default(),
            views: PairViews::default(),
            statistics: None,
            frequencies: Frequencies::Collection,
            kernel: KernelChoice::Rbf,
            gamma: None,
            cost: 10.0,
            pairs: PairSampling { max_pairs: 2_000, ..PairSampling::default() },
        }
    }
}

/// Learns from clusters of documents.
///
/// # Errors
/// Options that do not work, or documents without near-duplicates or without different ones.
pub fn svm(documents: &[LabelledDocument<'_>], options: &SvmOptions) -> Result<Model, TrainError> {
    let clusters: Vec<u32> = documents.iter().map(|labelled| labelled.cluster).collect();
    let plain: Vec<Document<'_>> = documents.iter().map(|labelled| labelled.document).collect();
    let prepared = Prepared::new(&plain, options)?;
    let sets: Vec<Vec<u64>> = prepared
        .features
        .iter()
        .map(|features| {
            let top_terms = features.views().first().map_or(&[][..], Features::as_weighted);
            top_terms.iter().map(|entry| entry.feature).collect()
        })
        .collect();
    let terms: Vec<&[u64]> = sets.iter().map(Vec::as_slice).collect();
    prepared.learn(&options.pairs.draw(&clusters, &terms), options)
}

/// Learns from judged pairs of documents, given by their numbers.
///
/// # Errors
/// As [`svm`].
pub fn svm_from_pairs(
    documents: &[Document<'_>],
    pairs: &TrainingPairs,
    options: &SvmOptions,
) -> Result<Model, TrainError> {
    Prepared::new(documents, options)?.learn(pairs, options)
}

struct Prepared {
    statistics: Arc<Statistics>,
    features: Vec<Features>,
}

impl Prepared {
    fn new(documents: &[Document<'_>], options: &SvmOptions) -> Result<Self, TrainError> {
        check(options)?;
        let analyzer = Analyzer::new(&options.analyzer)?;
        let tokens: Vec<TokenizedDocument> =
            documents.iter().map(|document| analyzer.tokenize(document.text)).collect();
        let given = options.statistics.as_ref();
        let statistics = statistics::choose(given, &options.analyzer, &tokens)?;
        let top_terms = options.views.top_terms(statistics.clone(), &analyzer);
        let represent = options.views.represent(Arc::new(top_terms));
        let of = |(document, tokens)| represent.represent(document, tokens);
        let features = documents.iter().zip(&tokens).map(of).collect();
        Ok(Self { statistics, features })
    }

    fn learn(&self, pairs: &TrainingPairs, options: &SvmOptions) -> Result<Model, TrainError> {
        if pairs.positive.is_empty() {
            return Err(TrainError::NoPositives(self.features.len()));
        }
        if pairs.negative.is_empty() {
            return Err(TrainError::NoNegatives(self.features.len()));
        }
        let measure = options.views.measure();
        let vector = |&(left, right): &Pair| {
            measure.measure(&self.features[left as usize], &self.features[right as usize]).measures
        };
        let positive: Vec<Vec<f64>> = pairs.positive.iter().map(vector).collect();
        let negative: Vec<Vec<f64>> = pairs.negative.iter().map(vector).collect();
        let machine = fit(&positive, &negative, options);
        let found = positive.iter().filter(|vector| machine.decision(vector) >= 0.0).count();
        let wrong = negative.iter().filter(|vector| machine.decision(vector) >= 0.0).count();
        let report = TrainingReport {
            n_documents: self.features.len(),
            n_positive: positive.len(),
            n_negative: negative.len(),
            precision: found as f64 / (found + wrong).max(1) as f64,
            recall: found as f64 / positive.len() as f64,
            seed: options.pairs.seed,
            ..TrainingReport::default()
        };
        let learned = SvmModel { views: options.views.clone(), machine };
        Ok(Model {
            analyzer: options.analyzer.clone(),
            statistics: self.statistics.clone(),
            frequencies: options.frequencies,
            learned: Learned::Svm(learned),
            report,
            profile: BTreeMap::new(),
        })
    }
}

fn check(options: &SvmOptions) -> Result<(), TrainError> {
    let refuse = |option, expected| Err(TrainError::Option { option, expected });
    if options.views.terms == 0 {
        return refuse("terms", "a document keeps at least one top term");
    }
    if options.views.measures.is_empty() {
        return refuse("measures", "at least one measure is needed");
    }
    if !options.views.shingles.iter().all(|words| (1..=64).contains(words)) {
        return refuse("shingles", "a shingle has from 1 to 64 words");
    }
    let is_positive = |value: f64| value.is_finite() && value > 0.0;
    if !is_positive(options.cost) || !options.gamma.is_none_or(is_positive) {
        return refuse("cost, gamma", "both must be above 0");
    }
    Ok(())
}

/// Scales, trains, and calibrates the probability on five folds.
pub(super) fn fit(
    positive: &[Vec<f64>],
    negative: &[Vec<f64>],
    options: &SvmOptions,
) -> SupportVectors {
    let n_measures = options.views.n_similarities();
    let narrow: Vec<Vec<f32>> = positive
        .iter()
        .chain(negative)
        .map(|row| row.iter().map(|&value| value as f32).collect())
        .collect();
    let scaling = standardize::scaling(n_measures, narrow.iter().map(Vec::as_slice));
    let scale = |row: &Vec<f64>| -> Vec<f64> {
        let values = row.iter().zip(&scaling);
        values.map(|(value, (mean, deviation))| (value - mean) / deviation).collect()
    };
    let rows: Vec<(Vec<f64>, f64)> = positive
        .iter()
        .map(|row| (scale(row), 1.0))
        .chain(negative.iter().map(|row| (scale(row), -1.0)))
        .collect();
    let parameter = parameter(n_measures, options);
    let mut machine = machine(&rows, &parameter, &scaling);
    machine.probability = calibrate(&rows, &parameter);
    machine
}

fn parameter(n_measures: usize, options: &SvmOptions) -> SvmParameter {
    SvmParameter {
        kernel_type: match options.kernel {
            KernelChoice::Linear => KernelType::Linear,
            KernelChoice::Rbf => KernelType::Rbf,
        },
        gamma: options.gamma.unwrap_or(1.0 / n_measures as f64),
        c: options.cost,
        eps: 1e-5,
        ..SvmParameter::default()
    }
}

/// Trains on scaled rows and their side, ±1.
fn machine(
    rows: &[(Vec<f64>, f64)],
    parameter: &SvmParameter,
    scaling: &[(f64, f64)],
) -> SupportVectors {
    let node = |(index, &value): (usize, &f64)| SvmNode { index: index as i32 + 1, value };
    let problem = SvmProblem {
        labels: rows.iter().map(|(_, side)| *side).collect(),
        instances: rows.iter().map(|(row, _)| row.iter().enumerate().map(node).collect()).collect(),
    };
    // The library reports its progress on standard error otherwise.
    libsvm_rs::set_quiet(true);
    let trained = svm_train(&problem, parameter);
    // It takes the side of the first row for the positive one.
    let sign = if trained.label.first() == Some(&-1) { -1.0 } else { 1.0 };
    let dense = |nodes: &Vec<SvmNode>| {
        let mut row = vec![0.0; scaling.len()];
        for node in nodes {
            row[node.index as usize - 1] = node.value;
        }
        row
    };
    let vectors: Vec<Vec<f64>> = trained.sv.iter().map(dense).collect();
    let coefficients: Vec<f64> =
        trained.sv_coef.iter().flatten().map(|coefficient| sign * coefficient).collect();
    let bias = -sign * trained.rho.first().copied().unwrap_or(0.0);
    let (kernel, vectors, coefficients) = match parameter.kernel_type {
        KernelType::Linear => {
            (Kernel::Linear, vec![sum(&vectors, &coefficients, scaling.len())], vec![1.0])
        }
        _ => (Kernel::Rbf { gamma: parameter.gamma }, vectors, coefficients),
    };
    let scaling = scaling.to_vec();
    SupportVectors { kernel, scaling, vectors, coefficients, bias, probability: (-1.0, 0.0) }
}

/// A linear machine is one vector: the weighted sum of all support vectors.
fn sum(vectors: &[Vec<f64>], coefficients: &[f64], length: usize) -> Vec<f64> {
    let mut sum = vec![0.0; length];
    for (vector, coefficient) in vectors.iter().zip(coefficients) {
        for (total, value) in sum.iter_mut().zip(vector) {
            *total += coefficient * value;
        }
    }
    sum
}

/// Platt's sigmoid on decision values of rows that the machine was not trained on.
fn calibrate(rows: &[(Vec<f64>, f64)], parameter: &SvmParameter) -> (f64, f64) {
    const FOLDS: usize = 5;
    let unscaled = vec![(0.0, 1.0); rows.first().map_or(0, |(row, _)| row.len())];
    let mut decisions = vec![0.0; rows.len()];
    for fold in 0..FOLDS {
        let others = rows.iter().enumerate().filter(|(i, _)| i % FOLDS != fold);
        let others: Vec<_> = others.map(|(_, row)| row.clone()).collect();
        let has = |side: f64| others.iter().any(|(_, other)| *other == side);
        if !(has(1.0) && has(-1.0)) {
            return (-1.0, 0.0);
        }
        let machine = machine(&others, parameter, &unscaled);
        for i in (fold..rows.len()).step_by(FOLDS) {
            decisions[i] = machine.decision(&rows[i].0);
        }
    }
    let labels: Vec<f64> = rows.iter().map(|(_, side)| *side).collect();
    sigmoid_train(&decisions, &labels)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize)]
    struct Reference {
        positive: Vec<Vec<f64>>,
        negative: Vec<Vec<f64>>,
        probes: Vec<Vec<f64>>,
        machines: Vec<ReferenceMachine>,
    }

    #[derive(Deserialize)]
    struct ReferenceMachine {
        kernel: KernelChoice,
        cost: f64,
        gamma: f64,
        decisions: Vec<f64>,
    }

    #[test]
    fn decision_values_agree_with_scikit_learn() {
        let text = include_str!("../../../../testdata/svm/reference.json");
        let reference: Reference = serde_json::from_str(text).unwrap();
        for expected in &reference.machines {
            let options = SvmOptions {
                kernel: expected.kernel,
                cost: expected.cost,
                gamma: Some(expected.gamma),
                views: PairViews::of_the_paper(),
                ..SvmOptions::default()
            };
            let machine = fit(&reference.positive, &reference.negative, &options);
            for (probe, &decision) in reference.probes.iter().zip(&expected.decisions) {
                let found = machine.decision(probe);
                assert!((found - decision).abs() < 1e-3, "{found} against {decision}");
            }
        }
    }

    #[test]
    fn probability_rises_with_the_decision_value() {
        let row = |value: f64| vec![value, value, 1.0 - value, value, value];
        let positive: Vec<_> = (0..40).map(|i| row(0.6 + f64::from(i) / 100.0)).collect();
        let negative: Vec<_> = (0..40).map(|i| row(0.1 + f64::from(i) / 80.0)).collect();
        let options = SvmOptions { views: PairViews::of_the_paper(), ..SvmOptions::default() };
        let machine = fit(&positive, &negative, &options);
        let probability = |value: f64| machine.probability(machine.decision(&row(value)));
        assert!(probability(0.9) > 0.9 && probability(0.2) < 0.1);
        assert!(probability(0.9) > probability(0.6) && probability(0.6) > probability(0.5));
    }
}
