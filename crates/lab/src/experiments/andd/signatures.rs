//! Tables 3 and 5 of the 2010 paper: signatures of fixed methods, on all terms and on those that a
//! range of inverse document frequency leaves.

use lookalike_learn::compare::ComparedMethod;
use lookalike_learn::{Cell, Collection, LabelledText};
use lookalike_statistics::Statistics;
use lookalike_text::{Analyzer, AnalyzerConfig, term_hash};

use super::rows::{Compared, RowName, Rows};
use super::task::Task;
use crate::LabError;

/// The methods and settings of the paper: 84 minima, 6 super shingles of them, 384 bits.
const METHODS: &[(&str, &str)] = &[
    ("Shingles-84, window 1", "minwise:ngram=1"),
    ("Shingles-84, window 3", "minwise:ngram=3"),
    ("Charikar-384", "simhash:bits=384:distance=20"),
    ("1-Shingles", "supershingles:ngram=1"),
];

/// I-Match has its own range, and no use for another.
const IMATCH: &str = "imatch:nidf=0.4-0.75";

/// The paper's range of normalized idf.
const FILTER: std::ops::RangeInclusive<f64> = 0.2..=0.85;

/// Appends a row for each method, without and with the filter.
pub(super) fn add(task: &Task<'_>, rows: &mut Rows) -> Result<(), LabError> {
    let all = task.collection();
    let filtered = filtered(all, task.statistics())?;
    for (collection, range) in [(all, "all terms"), (&filtered, "nidf 0.2 to 0.85")] {
        for (name, method) in METHODS {
            row(task, collection, (&format!("{name}, {range}"), method), rows)?;
        }
    }
    row(task, all, ("I-Match, nidf 0.4 to 0.75", IMATCH), rows)
}

fn row(
    task: &Task<'_>,
    collection: &Collection,
    (name, method): (&str, &str),
    rows: &mut Rows,
) -> Result<(), LabError> {
    let scores = task.signatures(collection, &ComparedMethod::parse(method)?.config)?;
    let name = RowName {
        similarity: "signatures".into(),
        statistics: "collection".into(),
        ..RowName::new(name, Compared::Signatures)
    };
    rows.push(name, scores, Cell::Missing);
    Ok(())
}

/// The collection with only the terms whose nidf lies in the range, in their order.
fn filtered(collection: &Collection, statistics: &Statistics) -> Result<Collection, LabError> {
    let analyzer = Analyzer::new(&AnalyzerConfig::default())?;
    let keep = |document: &LabelledText| {
        let mut text = String::new();
        analyzer.visit(&document.text, |term, _| {
            if FILTER.contains(&statistics.nidf(term_hash(term))) {
                text.push_str(term);
                text.push(' ');
            }
        });
        LabelledText { text, ..document.clone() }
    };
    let documents = collection.documents.iter().map(keep).collect();
    Ok(Collection { documents, n_unreadable: collection.n_unreadable })
}
