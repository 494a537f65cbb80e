//! Whether `tune` keeps its word: documents are divided so that the sides have no cluster and no group
//! in common, one side is given to `tune`, and what it chose runs on the other, whose precision, recall
//! and F1 stand beside those promised.

use std::time::Duration;

use lookalike::tune::{Candidate, Estimate, Goal, Labels, TuneOptions, TuneOutcome, tune};
use lookalike::{
    Context, Corpus, Groups, Interrupt, LabelledCorpus, OwnedDocument, Profile, Silent,
};
use lookalike_detect::random::SplitMix64;
use lookalike_learn::{Cell, Outcome, Table};
use lookalike_text::AnalyzerConfig;
use rayon::prelude::*;

use crate::LabError;
use crate::found::{broken, count_judged, count_pairs, tuned_pairs};
use crate::truth::{joined_by_cosine, term_sets};

/// What is promised, and how often.
#[derive(Clone, Debug)]
pub struct PromiseOptions {
    /// Random divisions: so many promises.
    pub divisions: usize,
    /// Where they start.
    pub seed: u64,
    /// What `tune` is asked for.
    pub goal: Goal,
    /// What `tune` may choose from.
    pub candidates: Vec<Candidate>,
    /// Clusters by exact binary cosine instead of by label: documents joined by pairs at or above.
    pub cosine: Option<f64>,
}

/// Runs the experiment on what is known of the documents: their clusters, or judged pairs.
///
/// # Errors
/// Documents without labels, or labels that `tune` refuses.
pub fn run(
    corpus: &LabelledCorpus,
    labels: &Labels,
    options: &PromiseOptions,
) -> Result<Outcome, LabError> {
    let joined = options.cosine.map(|threshold| cosine_clusters(&corpus.documents, threshold));
    let joined = joined.transpose()?.map(Labels::Clusters);
    let labels = joined.as_ref().unwrap_or(labels);
    let mut table = Table::new(
        "What tune promised on one side, and what its choice reached on the other",
        &[
            "division",
            "chosen",
            "precision_promised",
            "precision",
            "recall_promised",
            "recall",
            "f1_promised",
            "f1",
            "f1_kept",
            "all_kept",
            "said",
        ],
    );
    let mut generator = SplitMix64::new(options.seed);
    let groups = &corpus.groups;
    for number in 1..=options.divisions {
        let sides = labels.divide(&groups.of_document, &mut generator);
        table.push(row(number, corpus, sides, options)?);
    }
    table.note(format!(
        "{} documents, {}, {} pairs of near-duplicates{}; seed {}. Promised: for as many documents as the \
         other side has, with the 95 % interval. f1_kept: F1 lies in its interval; all_kept: all three do. Said: what `tune` \
         or the run that followed warned of.",
        corpus.documents.len(),
        groups,
        labels.n_positive(),
        options.cosine.map_or(String::new(), |t| format!(" (joined by binary cosine of at least {t})")),
        options.seed,
    ));
    Ok(table.into())
}

fn row(
    number: usize,
    corpus: &LabelledCorpus,
    [(train, labels), (test, truth)]: [(Vec<usize>, Labels); 2],
    options: &PromiseOptions,
) -> Result<Vec<Cell>, LabError> {
    let of = |side: &[usize]| -> Vec<OwnedDocument> {
        side.iter().map(|&d| corpus.documents[d].clone()).collect()
    };
    let (documents, unseen) = (of(&train), of(&test));
    let groups = Groups {
        of_document: train.iter().map(|&d| corpus.groups.of_document[d]).collect(),
        grouping: corpus.groups.grouping.clone(),
    };
    let tuning = TuneOptions {
        goal: options.goal,
        budget: Duration::MAX,
        documents: Some(unseen.len()),
        ..TuneOptions::default()
    };
    let (interrupt, temp_dir) = (Interrupt::new(), std::env::temp_dir());
    let context = Context { progress: &Silent, interrupt: &interrupt, temp_dir: &temp_dir };
    let tried = options.candidates.clone();
    let outcome = tune(&documents, &groups, &labels, tried, &tuning, &context).map_err(broken)?;
    let best = outcome.best().ok_or_else(|| broken("no method could be tried"))?;
    let folder = tempfile::tempdir().map_err(broken)?;
    let asked: Vec<&OwnedDocument> = unseen.iter().collect();
    let found = tuned_pairs(&outcome, &tuning.run, &asked, folder.path())?;
    let counts = match &truth {
        Labels::Clusters(clusters) => count_pairs(&found, clusters),
        Labels::Pairs(pairs) => count_judged(&found, pairs),
    };
    let unlike = is_unlike(&outcome, (&documents, &groups, &labels), &unseen)?;
    let said = match (outcome.warnings.iter().any(|w| w.starts_with("too little data")), unlike) {
        (_, true) => "too unlike",
        (true, false) => "too little data",
        (false, false) => "",
    };
    let promise = outcome.promise;
    let promised = |e: Estimate| format!("{:.3} ({:.3}-{:.3})", e.mean, e.low, e.high).into();
    let holds = |e: Estimate, observed: f64| e.low <= observed && observed <= e.high;
    let f1_kept = holds(promise.f1, counts.f1());
    let all_kept = f1_kept
        && holds(promise.precision, counts.precision())
        && holds(promise.recall, counts.recall());
    Ok(vec![
        number.into(),
        best.name.as_str().into(),
        promised(promise.precision),
        counts.precision().into(),
        promised(promise.recall),
        counts.recall().into(),
        promised(promise.f1),
        counts.f1().into(),
        f1_kept.into(),
        all_kept.into(),
        said.into(),
    ])
}

/// Whether a run of what was chosen would say that the documents are unlike those it was made on.
fn is_unlike(
    outcome: &TuneOutcome,
    (documents, groups, labels): (&[OwnedDocument], &Groups, &Labels),
    unseen: &[OwnedDocument],
) -> Result<bool, LabError> {
    let best = outcome.best().ok_or_else(|| broken("no method could be tried"))?;
    let analyzer = best.config.analyzer();
    let counted = outcome.model.as_ref().map(|model| &*model.statistics);
    let made_on = match counted {
        Some(_) => Profile::of_labelled(documents, groups, labels, analyzer),
        None => Profile::of_documents(documents, analyzer),
    };
    let corpus = Corpus::from_documents(unseen.iter().cloned());
    let here = Profile::of_corpus(&corpus, analyzer, counted).map_err(broken)?;
    Ok(made_on.map_err(broken)?.differs_from(&here).is_some())
}

/// The clusters that an exact binary cosine of at least this makes.
fn cosine_clusters(documents: &[OwnedDocument], threshold: f64) -> Result<Vec<u32>, LabError> {
    let texts = documents.par_iter().map(|document| document.text.as_str());
    let sets = term_sets(texts, &AnalyzerConfig::default())?;
    Ok(joined_by_cosine(&sets, threshold))
}

#[cfg(test)]
mod tests {
    use lookalike::tune::candidates;

    use super::*;

    /// Stories that differ, each in versions that differ in a word.
    fn corpus() -> LabelledCorpus {
        let words =
            ["ferry", "harbor", "apricot", "valley", "council", "winter", "bridge", "market"];
        let mut corpus = LabelledCorpus::default();
        for story in 0..24 {
            for version in 0..3 {
                let word = |n: usize| format!("{}{}", words[(story + n) % 8], story * 31 + n);
                let text: Vec<String> = (0..40).map(word).collect();
                corpus.documents.push(OwnedDocument {
                    id: format!("{story}-{version}"),
                    text: format!("{} v{version}", text.join(" ")),
                    ..OwnedDocument::default()
                });
                corpus.clusters.push(story as u32);
            }
        }
        corpus.groups = Groups::none(corpus.documents.len());
        corpus
    }

    fn options(cosine: Option<f64>) -> PromiseOptions {
        let cheap = |candidate: &Candidate| ["minhash", "exact"].contains(&candidate.config.name());
        PromiseOptions {
            divisions: 2,
            seed: 1,
            goal: Goal::F1,
            candidates: candidates().into_iter().filter(cheap).collect(),
            cosine,
        }
    }

    #[test]
    fn stories_that_are_easily_told_apart_are_promised_and_found() {
        let corpus = corpus();
        let labels = Labels::Clusters(corpus.clusters.clone());
        let outcome = run(&corpus, &labels, &options(None)).unwrap();
        assert_eq!(outcome.table.numbers("precision"), [Some(1.0), Some(1.0)]);
        assert_eq!(outcome.table.numbers("recall"), [Some(1.0), Some(1.0)]);
    }

    #[test]
    fn clusters_by_cosine_are_those_of_the_labels_where_stories_differ() {
        let corpus = corpus();
        let clusters = cosine_clusters(&corpus.documents, 0.9).unwrap();
        let labels = &corpus.clusters;
        for left in 0..labels.len() {
            for right in 0..left {
                assert_eq!(clusters[left] == clusters[right], labels[left] == labels[right]);
            }
        }
        run(&corpus, &Labels::Clusters(clusters), &options(Some(0.9))).unwrap();
    }
}
