//! The 2013 paper's comparison and sweeps, on a labelled collection of edited copies.
//!
//! The collection is made by [`crate::perturb::PartialCopies`]. Pairs that the collection had
//! before count as wrong for every method alike, so precision is a lower bound.

use std::collections::BTreeMap;
use std::time::Instant;

use lookalike_detect::decide::Relation;
use lookalike_detect::detectors::ParagraphConfig;
use lookalike_detect::represent::KeywordSource;
use lookalike_detect::{Artifacts, DetectorConfig};

use crate::evaluate::PairCounts;
use crate::perturb::{Edit, LabelledCopies};
use crate::{Cell, LabError, Outcome, Signed, Table};

const COLUMNS: [&str; 12] = [
    "method",
    "settings",
    "precision",
    "recall",
    "f1",
    "cut",
    "moved",
    "inserted",
    "replaced",
    "placed",
    "host",
    "seconds",
];

/// The comparison of methods, and as further tables the sweeps over the parameters.
pub fn run(copies: &LabelledCopies) -> Result<Outcome, LabError> {
    let mut table = Table::new("Paragraph fingerprints beside others (2013)", &COLUMNS);
    for (settings, config) in compared() {
        table.push(row(copies, &settings, &config)?);
    }
    table.note(format!(
        "{} documents, {} labelled pairs; columns after f1 are recall by kind of edit.",
        copies.collection.len(),
        copies.truth.len()
    ));
    let mut sweep = Table::new("Sweeps over the parameters of `paragraph`", &COLUMNS);
    for (settings, config) in sweeps() {
        sweep.push(row(copies, &settings, &DetectorConfig::Paragraph(config))?);
    }
    Ok(Outcome { table, further: vec![("sweeps", sweep)], plot: None })
}

/// The methods the paper compares, those that exist in this build, at the paper's settings.
fn compared() -> Vec<(String, DetectorConfig)> {
    let paragraph = |relation, threshold, min_matches| {
        DetectorConfig::Paragraph(ParagraphConfig {
            relation,
            threshold,
            min_matches,
            ..ParagraphConfig::default()
        })
    };
    let mut methods = vec![
        ("duplicate, 0.8".to_owned(), paragraph(Relation::Duplicate, 0.8, 1)),
        ("contains, 0.5".to_owned(), paragraph(Relation::Contains, 0.5, 1)),
        ("overlaps, 1".to_owned(), paragraph(Relation::Overlaps, 0.8, 1)),
        ("overlaps, 2".to_owned(), paragraph(Relation::Overlaps, 0.8, 2)),
    ];
    for (name, thresholds) in [
        ("minhash", &[0.7, 0.5, 0.3][..]),
        ("simhash", &[][..]),
        ("longsentences", &[0.6, 0.3][..]),
    ] {
        let Some(default) = DetectorConfig::named(name) else { continue };
        if thresholds.is_empty() {
            methods.push(("default".to_owned(), default.clone()));
        }
        for threshold in thresholds {
            let mut config = default.clone();
            config.set_threshold(*threshold);
            methods.push((format!("{threshold}"), config));
        }
    }
    methods
}

/// One parameter at a time from the defaults; k and m together, as in the paper.
fn sweeps() -> Vec<(String, ParagraphConfig)> {
    let default = ParagraphConfig::default;
    let mut sweeps = Vec::new();
    for min_words in [9, 11, 13, 15] {
        for max_sentences in [6, 9] {
            let config = ParagraphConfig { min_words, max_sentences, ..default() };
            sweeps.push((format!("k {min_words}, m {max_sentences}"), config));
        }
    }
    for threshold in [0.5, 0.6, 0.7, 0.8, 0.9] {
        sweeps.push((format!("r {threshold}"), ParagraphConfig { threshold, ..default() }));
    }
    for bits in [32, 64] {
        for share in [0, 3, 8, 12, 16] {
            let max_distance = share * bits / 64;
            let config = ParagraphConfig { bits, max_distance, ..default() };
            sweeps.push((format!("b {bits}, h {max_distance}"), config));
        }
    }
    for keywords in [KeywordSource::Title, KeywordSource::Text, KeywordSource::None] {
        let name = format!("keywords {keywords:?}").to_lowercase();
        let overlaps = ParagraphConfig { keywords, relation: Relation::Overlaps, ..default() };
        sweeps.push((name.clone(), ParagraphConfig { keywords, ..default() }));
        sweeps.push((format!("{name}, overlaps"), overlaps));
    }
    sweeps
}

fn row(
    copies: &LabelledCopies,
    settings: &str,
    config: &DetectorConfig,
) -> Result<Vec<Cell>, LabError> {
    let detector = config.build(&Artifacts::default())?;
    let started = Instant::now();
    let signed = Signed::new(&detector, &copies.collection.documents);
    let mut found = Vec::new();
    for document in 0..copies.collection.len() {
        let later = signed.partners(document).into_iter().filter(|other| *other > document);
        found.extend(later.map(|other| (document, other)));
    }
    let seconds = started.elapsed().as_secs_f64();
    let truth = copies.truth.iter().map(|(article, copy, _)| (*article, *copy));
    let counts = PairCounts::of(found.iter().copied(), truth);
    let mut row: Vec<Cell> = vec![
        config.name().into(),
        settings.into(),
        counts.precision().into(),
        counts.recall().into(),
        counts.f1().into(),
    ];
    let by_kind = recall_by_kind(copies, &found);
    row.extend(Edit::ALL.iter().map(|kind| by_kind.get(kind).copied().unwrap_or(0.0).into()));
    row.push(Cell::Real(seconds, 2));
    Ok(row)
}

/// The share of the copies of each kind that were found.
fn recall_by_kind(copies: &LabelledCopies, found: &[(usize, usize)]) -> BTreeMap<Edit, f64> {
    let mut counts: BTreeMap<Edit, (usize, usize)> = BTreeMap::new();
    for (article, copy, kind) in &copies.truth {
        let count = counts.entry(*kind).or_default();
        count.1 += 1;
        // Articles stand before copies, and found pairs are ascending.
        count.0 += usize::from(found.binary_search(&(*article, *copy)).is_ok());
    }
    counts.into_iter().map(|(kind, (hits, all))| (kind, hits as f64 / all as f64)).collect()
}
