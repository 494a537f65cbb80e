//! The 2013 paper's comparison and sweeps, on labelled collections of edited copies.
//!
//! The articles are divided at random into two halves that share none, and
//! [`crate::perturb::PartialCopies`] makes a collection of each. Every method's settings are chosen
//! on the first; the tables that compare methods are measured on the second. Pairs that a half had
//! before its copies were made count as wrong for every method alike, so precision is a lower bound.

mod settings;
mod sweeps;

use std::collections::BTreeMap;

use lookalike_learn::compare::ComparedMethod;
use lookalike_learn::evaluate::{PairCounts, max_f1};
use lookalike_learn::{Cell, Collection, Outcome, Table, join};
use lookalike_text::{Analyzer, AnalyzerConfig};

use crate::LabError;
use crate::find_run::Finder;
use crate::perturb::{Edit, LabelledCopies, PartialCopies};

const COLUMNS: [&str; 13] = [
    "method",
    "settings",
    "precision",
    "recall",
    "f1",
    "partial",
    "cut",
    "moved",
    "inserted",
    "replaced",
    "placed",
    "host",
    "seconds",
];

/// Runs of which the fastest counts: busy neighbors only ever make a run slower.
const REPEATS: usize = 3;

/// The comparison of methods, what was tried to choose their settings, and the sweeps; of `only`
/// these methods, where there are any, one row each and nothing else.
pub fn run(
    source: &Collection,
    copies: &PartialCopies,
    only: &[ComparedMethod],
) -> Result<Outcome, LabError> {
    let analyzer = Analyzer::new(&AnalyzerConfig::default())?;
    let [choosing, reporting] = copies.make_halves(source, &analyzer);
    let mut table = Table::new("Paragraph fingerprints beside others (2013)", &COLUMNS);
    for method in only {
        table.push(row(&reporting, "", method, REPEATS)?);
    }
    if !only.is_empty() {
        return Ok(table.into());
    }
    let mut tried = Table::new(
        "What the settings were chosen from, on the other half",
        &["method", "f1", "threshold", "chosen"],
    );
    table.push(row(&reporting, "", &ComparedMethod::parse(settings::PARTIAL)?, REPEATS)?);
    let mut base = None;
    for (paper, variants) in settings::METHODS {
        let chosen = choose(&choosing, variants, &mut tried)?;
        for (how, method) in [("paper: ", ComparedMethod::parse(paper)?), ("chosen: ", chosen)] {
            table.push(row(&reporting, how, &method, REPEATS)?);
            base = base.or((how == "chosen: ").then_some(method));
        }
    }
    table.note(format!(
        "{} documents, {} labelled pairs. partial: recall of placed and host; the columns after it \
         are recall by kind of edit. chosen: the best F1 on {} other documents. seconds: signing \
         and joining as find does on one thread, the fastest of {REPEATS} runs.",
        reporting.collection.len(),
        reporting.truth.len(),
        choosing.collection.len(),
    ));
    let mut further = vec![("tried", tried)];
    if let Some(base) = base {
        further.push(("sweeps_of_paper", sweeps::run(&choosing, settings::PAPER)?));
        further.push(("sweeps_of_chosen", sweeps::run(&choosing, &base.name)?));
    }
    Ok(Outcome { table, further, plot: None })
}

/// The variant and threshold of most F1 on a collection.
///
/// Every variant runs once at its lowest threshold; the scores of what it finds tell F1 at all
/// higher ones.
fn choose(
    copies: &LabelledCopies,
    variants: &[&str],
    tried: &mut Table,
) -> Result<ComparedMethod, LabError> {
    let mut best: Option<(f64, String)> = None;
    let mut rows = Vec::new();
    for variant in variants {
        let method = settings::with_threshold(variant)?;
        let detector = copies.collection.detector(&method.config)?;
        let found = join(&detector, &copies.collection.documents).scored_pairs();
        let is_true = truth(copies);
        let scored: Vec<(f64, bool)> = found
            .iter()
            .map(|(left, right, score)| (*score, is_true.contains_key(&(*left, *right))))
            .collect();
        let Some(top) = max_f1(&scored, copies.truth.len() as u64) else { continue };
        let threshold = (top.threshold * 1000.0).floor() / 1000.0;
        let name = format!("{}:threshold={threshold}", without_threshold(variant));
        if best.as_ref().is_none_or(|(f1, _)| top.f1 > *f1) {
            best = Some((top.f1, name.clone()));
        }
        rows.push((without_threshold(variant).to_owned(), top.f1, threshold, name));
    }
    let Some((_, chosen)) = best else {
        return settings::with_threshold(variants.first().copied().unwrap_or_default());
    };
    for (variant, f1, threshold, name) in rows {
        let is_chosen = name == chosen;
        tried.push(vec![variant.into(), f1.into(), threshold.into(), is_chosen.into()]);
    }
    settings::with_threshold(&chosen)
}

/// A method's text up to its threshold, which stands last.
fn without_threshold(method: &str) -> &str {
    method.rsplit_once(":threshold=").map_or(method, |(before, _)| before)
}

/// The labelled pairs and what was done to each copy.
fn truth(copies: &LabelledCopies) -> BTreeMap<(usize, usize), Edit> {
    // Articles stand before copies, as the smaller number does in a found pair.
    copies.truth.iter().map(|(article, copy, edit)| ((*article, *copy), *edit)).collect()
}

/// One method on one collection.
fn row(
    copies: &LabelledCopies,
    how: &str,
    method: &ComparedMethod,
    repeats: usize,
) -> Result<Vec<Cell>, LabError> {
    let detector = copies.collection.detector(&method.config)?;
    let found = join(&detector, &copies.collection.documents).scored_pairs();
    let mut finder = Finder::new(&copies.collection)?;
    let mut seconds = f64::INFINITY;
    for _ in 0..repeats {
        seconds = seconds.min(finder.run(&copies.collection, &method.config)?.seconds());
    }
    let truth = truth(copies);
    let pairs = || found.iter().map(|(left, right, _)| (*left, *right));
    let counts = PairCounts::of(pairs(), truth.keys().copied());
    let mut hits: BTreeMap<Edit, usize> = BTreeMap::new();
    for edit in pairs().filter_map(|pair| truth.get(&pair)) {
        *hits.entry(*edit).or_default() += 1;
    }
    let recall = |kinds: &[Edit]| {
        let n_found: usize = kinds.iter().filter_map(|kind| hits.get(kind)).sum();
        let n_true = truth.values().filter(|edit| kinds.contains(edit)).count();
        n_found as f64 / n_true.max(1) as f64
    };
    let (name, parameters) = method.name.split_once(':').unwrap_or((&method.name, "defaults"));
    let settings = format!("{how}{}", parameters.replace(':', ", "));
    let mut row: Vec<Cell> = vec![
        name.into(),
        settings.into(),
        counts.precision().into(),
        counts.recall().into(),
        counts.f1().into(),
        recall(&[Edit::Placed, Edit::Host]).into(),
    ];
    row.extend(Edit::ALL.iter().map(|kind| Cell::Real(recall(&[*kind]), 2)));
    row.push(Cell::Real(seconds, 2));
    Ok(row)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lookalike_learn::LabelledText;

    /// Articles of four paragraphs whose sentences are all different.
    fn articles(n_articles: usize) -> Collection {
        let sentence = |article: usize, place: usize| {
            let word = |n: usize| format!("w{}", (article * 1000 + place * 31 + n) * 7919 % 99_991);
            let words: Vec<String> = (0..14).map(word).collect();
            format!("{}.", words.join(" "))
        };
        let paragraph = |article: usize, place: usize| {
            (0..3).map(|s| sentence(article, place * 3 + s)).collect::<Vec<_>>().join(" ")
        };
        let document = |article: usize| LabelledText {
            id: article.to_string(),
            text: (0..4).map(|p| paragraph(article, p)).collect::<Vec<_>>().join("\n\n"),
            ..LabelledText::default()
        };
        Collection { documents: (0..n_articles).map(document).collect(), n_unreadable: 0 }
    }

    #[test]
    fn containment_finds_the_partial_copies_that_the_papers_rule_misses() {
        let copies = PartialCopies { articles: 60, per_kind: 6, ..PartialCopies::default() };
        let analyzer = Analyzer::new(&AnalyzerConfig::default()).unwrap();
        let [_, reporting] = copies.make_halves(&articles(120), &analyzer);
        let partial = |method: &str| {
            let row = row(&reporting, "", &ComparedMethod::parse(method).unwrap(), 1).unwrap();
            let Cell::Real(partial, _) = row[5] else { panic!("{row:?}") };
            partial
        };
        assert_eq!(partial("paragraph:compare=paragraphs:relation=contains"), 1.0);
        assert!(partial("paragraph:compare=paragraphs") < 0.6);
    }

    #[test]
    fn the_threshold_is_chosen_on_the_scores() {
        let copies = PartialCopies { articles: 60, per_kind: 6, ..PartialCopies::default() };
        let analyzer = Analyzer::new(&AnalyzerConfig::default()).unwrap();
        let [choosing, _] = copies.make_halves(&articles(120), &analyzer);
        let mut tried = Table::new("tried", &["method", "f1", "threshold", "chosen"]);
        let variants = [
            "minhash:threshold=0.1",
            "paragraph:compare=paragraphs:relation=contains:threshold=0.1",
        ];
        let chosen = choose(&choosing, &variants, &mut tried).unwrap();
        assert_eq!(tried.rows().len(), 2);
        assert!(chosen.name.contains(":threshold=0."), "{}", chosen.name);
        assert_eq!(tried.rows().iter().filter(|row| row[3] == Cell::Flag(true)).count(), 1);
    }
}
