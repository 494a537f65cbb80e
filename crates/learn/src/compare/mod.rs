//! All methods on one labelled collection, in one table: at their default threshold and at the
//! best one, with what they cost.
//!
//! Every pair of documents is scored (or every judged pair), not only the pairs that a method
//! would look at. Max F1 is averaged over the test halves of random halvings of the clusters, as
//! in the 2010 paper; methods that need a model learn it on the other half. Precision, recall and F1
//! are those of the whole: a half has half of the true pairs and a quarter of the others, so that
//! what a learned method finds wrongly on one is continued to all pairs.

mod bootstrap;
mod histogram;
mod learned;
mod methods;
mod scoring;
mod timing;
mod truth;

use std::sync::Arc;

use learned::ScoredHalf;
use lookalike_detect::random::SplitMix64;
use lookalike_detect::{Artifacts, Detector};
use lookalike_statistics::boilerplate::{BoilerplateOptions, BoilerplateSet, find_boilerplate};
pub use methods::ComparedMethod;
use scoring::{Judged, Scores};
pub use truth::Judgment;
use truth::Truth;

use crate::evaluate::PairCounts;
use crate::{Cell, Collection, LearnError, Outcome, Plot, Table};

/// What is compared, and how.
#[derive(Clone, Debug)]
pub struct CompareOptions {
    /// The methods, one row each.
    pub methods: Vec<ComparedMethod>,
    /// Random halvings of the clusters (the 2010 paper: 5); at most 32.
    pub halvings: usize,
    /// Seed of the halvings, and of the sample.
    pub seed: u64,
    /// Of larger collections, whole clusters are drawn at random up to about so many documents:
    /// the work grows with the square of their number.
    pub max_documents: usize,
    /// Paragraphs that at least so many otherwise different documents repeat are left out.
    pub ignore_boilerplate: Option<usize>,
}

impl Default for CompareOptions {
    fn default() -> Self {
        Self {
            methods: ComparedMethod::all(),
            halvings: 5,
            seed: 1,
            max_documents: 3_000,
            ignore_boilerplate: None,
        }
    }
}

/// Precision, recall and F1 on the whole.
type Reached = (f64, f64, f64);

/// One method's row before it is printed.
struct Row {
    own: Reached,
    /// The ends of the interval of its F1.
    interval: (f64, f64),
    max_f1: Option<f64>,
    threshold: Option<f64>,
    best: Option<Reached>,
    b_cubed: Option<(f64, f64, f64)>,
    bytes_per_document: f64,
    ignored: f64,
    curve: Vec<(f64, f64)>,
}

/// Compares methods by the labels of a collection, or by judged pairs of its documents.
pub fn run(
    collection: Collection,
    judgments: Option<&[Judgment]>,
    options: &CompareOptions,
) -> Result<Outcome, LearnError> {
    let n_documents = collection.len();
    let collection = if judgments.is_some() {
        collection
    } else {
        sample(collection, options.max_documents, options.seed)
    };
    let truth = match judgments {
        Some(judgments) => Truth::of_judgments(&collection, judgments)?,
        None => Truth::of_clusters(&collection)?,
    };
    let boilerplate = options.ignore_boilerplate.map(|number| boilerplate(&collection, number));
    let compared = Compared { collection: &collection, truth: &truth, boilerplate };
    let mut report = Report::new();
    let (mut rows, mut detectors) = (Vec::new(), Vec::new());
    for method in &options.methods {
        let (row, detector) = compared.row(method, options)?;
        rows.push(row);
        detectors.push(detector);
    }
    let speeds = timing::documents_per_second(&detectors, &collection.documents);
    for ((method, row), speed) in options.methods.iter().zip(rows).zip(speeds) {
        report.add(&method.name, row, speed);
    }
    report.note(&collection, n_documents, &truth, options);
    Ok(report.finish())
}

/// Draws whole clusters until the wanted number of documents is reached; input order stays.
fn sample(mut collection: Collection, max_documents: usize, seed: u64) -> Collection {
    if collection.len() <= max_documents {
        return collection;
    }
    let clusters = collection.clusters();
    let n_clusters = clusters.iter().max().map_or(0, |most| *most as usize + 1);
    let mut sizes = vec![0usize; n_clusters];
    for cluster in &clusters {
        sizes[*cluster as usize] += 1;
    }
    let mut order: Vec<usize> = (0..n_clusters).collect();
    SplitMix64::new(seed).shuffle(&mut order);
    let (mut is_drawn, mut n_drawn) = (vec![false; n_clusters], 0);
    for cluster in order {
        if n_drawn + sizes[cluster] <= max_documents {
            is_drawn[cluster] = true;
            n_drawn += sizes[cluster];
        }
    }
    let mut of_document = clusters.into_iter();
    collection
        .documents
        .retain(|_| of_document.next().is_some_and(|cluster| is_drawn[cluster as usize]));
    collection
}

/// The paragraphs that at least so many otherwise different documents repeat.
fn boilerplate(collection: &Collection, min_documents: usize) -> Arc<BoilerplateSet> {
    let options = BoilerplateOptions { min_documents, ..BoilerplateOptions::default() };
    let texts = || collection.documents.iter().map(|document| document.text.as_str());
    Arc::new(find_boilerplate(options, texts).set())
}

/// What all methods are asked on.
struct Compared<'a> {
    collection: &'a Collection,
    truth: &'a Truth,
    boilerplate: Option<Arc<BoilerplateSet>>,
}

impl Compared<'_> {
    /// What a method reaches, and the detector that is timed: of learned ones, that of the first half.
    fn row(
        &self,
        method: &ComparedMethod,
        options: &CompareOptions,
    ) -> Result<(Row, Detector), LearnError> {
        if method.config.needs_model() {
            let halvings = options.halvings;
            let halves = self.score_halves(method, halvings, options.seed)?;
            let row = self.learned_row(&halves, options.seed);
            let first = halves.into_iter().next().ok_or(LearnError::Option {
                option: "--halvings",
                value: halvings.to_string(),
                expected: "methods that need a model learn it on one half; give at least 1, or leave them out of --methods",
            })?;
            return Ok((row, first.detector));
        }
        let mut artifacts =
            Artifacts { boilerplate: self.boilerplate.clone(), ..Artifacts::default() };
        if method.config.needs_statistics() {
            let counted = self.collection.statistics(method.config.analyzer())?;
            artifacts.statistics = Some(Arc::new(counted));
        }
        let detector = method.build(&artifacts)?;
        // Where keys decide, a check of what they find is no score of pairs that they do not.
        let keys_decide = method.config.build(&artifacts)?.keys_decide();
        let documents = &self.collection.documents;
        let masks = self.truth.test_halves(documents.len(), options.halvings, options.seed);
        let judged = Judged { truth: self.truth, masks: &masks, halvings: options.halvings };
        let scores = scoring::score(&detector, keys_decide, documents, judged);
        Ok((self.fixed_row(&scores, &masks, options.seed), detector))
    }

    /// Verdicts on the whole collection, Max F1 as the mean over its test halves.
    fn fixed_row(&self, scores: &Scores, masks: &[u32], seed: u64) -> Row {
        let n_true = self.truth.n_true(|_| true);
        let of_half = |half: usize| {
            let n_true = self.truth.n_true(|document| masks[document] & (1 << half) != 0);
            scores.halves[half].max_f1(n_true).map_or(0.0, |best| best.f1)
        };
        let best = scores.whole.max_f1(n_true);
        let halves: Vec<f64> = (0..scores.halves.len()).map(of_half).collect();
        let max_f1 = if halves.is_empty() { best.map(|best| best.f1) } else { mean(&halves) };
        Row {
            max_f1,
            threshold: best.map(|best| best.threshold),
            best: best.map(|best| (best.precision, best.recall, best.f1)),
            ..plain_row(scores, n_true, seed)
        }
    }

    /// Everything as the mean over the test halves, continued to the whole.
    fn learned_row(&self, halves: &[ScoredHalf], seed: u64) -> Row {
        let whole = self.truth.totals();
        let rows: Vec<Row> = halves
            .iter()
            .map(|ScoredHalf { scores, totals, .. }| {
                let counts = scores.whole.thresholds(totals.0).map(|(_, counts)| counts);
                let best = counts.max_by(|l, r| l.f1().total_cmp(&r.f1()));
                Row {
                    own: continued(scores.found, *totals, whole),
                    best: best.map(|best| continued(best, *totals, whole)),
                    max_f1: best.map(|best| best.f1()),
                    threshold: scores.whole.max_f1(totals.0).map(|best| best.threshold),
                    ..plain_row(scores, totals.0, seed)
                }
            })
            .collect();
        let average = |of: &dyn Fn(&Row) -> f64| {
            mean(&rows.iter().map(of).collect::<Vec<f64>>()).unwrap_or_default()
        };
        let averages = |of: &dyn Fn(&Row) -> Reached| {
            (average(&|row| of(row).0), average(&|row| of(row).1), average(&|row| of(row).2))
        };
        let b_cubed = rows.first().and_then(|row| row.b_cubed);
        Row {
            own: averages(&|row| row.own),
            interval: (average(&|row| row.interval.0), average(&|row| row.interval.1)),
            max_f1: Some(average(&|row| row.max_f1.unwrap_or_default())),
            threshold: Some(average(&|row| row.threshold.unwrap_or_default())),
            best: Some(averages(&|row| row.best.unwrap_or_default())),
            b_cubed: b_cubed.map(|_| averages(&|row| row.b_cubed.unwrap_or_default())),
            bytes_per_document: average(&|row| row.bytes_per_document),
            ignored: average(&|row| row.ignored),
            curve: rows.into_iter().next().map(|row| row.curve).unwrap_or_default(),
        }
    }
}

/// What was found on a part with so many true and other pairs comes to on the whole.
fn continued(counts: PairCounts, part: (u64, u64), whole: (u64, u64)) -> Reached {
    let times = |whole: u64, part: u64| if part == 0 { 1.0 } else { whole as f64 / part as f64 };
    let (of_true, of_others) = (times(whole.0, part.0), times(whole.1, part.1));
    let found = counts.true_positives as f64 * of_true;
    let missed = counts.false_negatives as f64 * of_true;
    let wrong = counts.false_positives as f64 * of_others;
    let share = |part: f64, whole: f64| if whole == 0.0 { 1.0 } else { part / whole };
    (
        share(found, found + wrong),
        share(found, found + missed),
        share(2.0 * found, 2.0 * found + wrong + missed),
    )
}

fn plain_row(scores: &Scores, n_true: u64, seed: u64) -> Row {
    let curve = |(_, counts): (f64, PairCounts)| (counts.recall(), counts.precision());
    let found = scores.found;
    Row {
        own: (found.precision(), found.recall(), found.f1()),
        interval: scores.by_group.f1_interval(seed),
        max_f1: None,
        threshold: None,
        best: None,
        b_cubed: scores.b_cubed.map(|b_cubed| (b_cubed.precision, b_cubed.recall, b_cubed.f1())),
        bytes_per_document: scores.bytes_per_document,
        ignored: scores.ignored as f64,
        curve: thin(&scores.whole.thresholds(n_true).map(curve).collect::<Vec<_>>()),
    }
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The last point of each hundredth of recall: enough for a picture.
fn thin(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let step = |point: &(f64, f64)| (point.0 * 100.0).floor() as u32;
    let groups = points.chunk_by(|left, right| step(left) == step(right));
    groups.filter_map(|group| group.last().copied()).collect()
}

/// The tables and the picture as they grow.
struct Report {
    table: Table,
    clusters: Table,
    plot: Plot,
}

impl Report {
    fn new() -> Self {
        let columns = [
            "method",
            "precision",
            "recall",
            "f1",
            "f1_low",
            "f1_high",
            "max_f1",
            "threshold",
            "best_precision",
            "best_recall",
            "best_f1",
            "bytes_per_document",
            "documents_per_second",
            "ignored",
        ];
        let clusters = ["method", "b_cubed_precision", "b_cubed_recall", "b_cubed_f1"];
        Self {
            table: Table::new("Methods at their default and at their best threshold", &columns),
            clusters: Table::new("Clusters at the default threshold", &clusters),
            plot: Plot::new("Precision and recall over thresholds", "recall", "precision"),
        }
    }

    fn add(&mut self, name: &str, row: Row, documents_per_second: f64) {
        let optional = |value: Option<f64>| value.map_or(Cell::Missing, Cell::from);
        self.table.push(vec![
            name.into(),
            row.own.0.into(),
            row.own.1.into(),
            row.own.2.into(),
            row.interval.0.into(),
            row.interval.1.into(),
            optional(row.max_f1),
            optional(row.threshold),
            optional(row.best.map(|best| best.0)),
            optional(row.best.map(|best| best.1)),
            optional(row.best.map(|best| best.2)),
            Cell::Real(row.bytes_per_document, 0),
            Cell::Real(documents_per_second, 0),
            Cell::Real(row.ignored, 0),
        ]);
        if let Some((precision, recall, f1)) = row.b_cubed {
            self.clusters.push(vec![name.into(), precision.into(), recall.into(), f1.into()]);
        }
        self.plot.push(name, row.curve);
    }

    fn note(
        &mut self,
        collection: &Collection,
        n_documents: usize,
        truth: &Truth,
        options: &CompareOptions,
    ) {
        let pairs = match truth {
            Truth::Clusters(_) => "all pairs".to_owned(),
            Truth::Judged(pairs) => format!("{} judged pairs", pairs.len()),
        };
        self.table.note(format!(
            "{} of {n_documents} documents, {pairs}, {} of them true{}. precision, recall, f1: on all pairs, \
             the method at its own threshold; without `verify`, keys decide alone where the papers have \
             them decide. f1_low, f1_high: 95 % of a thousand bootstrap samples of the clusters, or of the \
             judged pairs, lie between them; for learned methods the mean ends of the halves, which are \
             wider than those of all. max_f1: the papers' Max F1, the mean over the test halves of {} halvings, seed \
             {}, each at the threshold that is best there. threshold: the best one over all pairs, for \
             learned methods the mean of the halves' best; best_precision, best_recall, best_f1: what it \
             reaches on all pairs. Learned methods are asked on halves, and what they find wrongly is \
             continued to all pairs. documents_per_second: signing on one thread, the fastest of several \
             passes in turn with the other methods.",
            collection.len(),
            truth.n_true(|_| true),
            options.ignore_boilerplate.map_or(String::new(), |number| format!(
                "; without paragraphs that at least {number} documents repeat"
            )),
            options.halvings,
            options.seed
        ));
    }

    fn finish(self) -> Outcome {
        let further = if self.clusters.rows().is_empty() {
            Vec::new()
        } else {
            vec![("clusters", self.clusters)]
        };
        Outcome { table: self.table, further, plot: Some(self.plot) }
    }
}

#[cfg(test)]
mod tests;
