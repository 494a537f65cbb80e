//! Which documents a method cannot see: super shingles of 2 to 100 beside I-Match (Tables V, VI,
//! XI and Figure 4 of the 2002 paper).
//!
//! A super shingle needs so many kept shingles; a document with fewer is ignored. What is left is
//! longer the larger the super shingle, so that results on it say little about short documents.

use hashbrown::{HashMap, HashSet};
use lookalike_detect::{BucketKey, Detector, Scratch};
use lookalike_learn::compare::ComparedMethod;
use lookalike_learn::{Cell, Collection, LabelledText, Outcome, Plot, Table};
use rayon::prelude::*;

use crate::LabError;
use crate::find_run::Finder;

/// The lengths of super shingles in the paper's tables.
pub(super) const RUNS: &[usize] = &[2, 4, 5, 10, 15, 20, 25, 50, 75, 100];

/// Beside them: all shingles, I-Match with the paper's rule, and with the limits we recommend.
const OTHERS: &[&str] = &["dsc", "imatch:rule=IDF-L-10", "imatch"];

/// Counts the documents that each method ignores.
pub fn run(collection: &Collection) -> Result<Outcome, LabError> {
    let columns = [
        "method",
        "ignored",
        "ignored_share",
        "mean_distinct_left",
        "mean_distinct",
        "mean_words_left",
        "mean_words",
        "sets",
        "clusters",
        "seconds",
    ];
    let mut finder = Finder::new(collection)?;
    let mut table = Table::new("Documents ignored for being short", &columns);
    let words: Vec<[usize; 2]> = collection.documents.par_iter().map(count_words).collect();
    let mut curve = Vec::new();
    let shingled = RUNS.iter().map(|run| (format!("dsc-ss:run={run}"), Some(*run)));
    let others = OTHERS.iter().map(|name| ((*name).to_owned(), None));
    for (name, run) in shingled.chain(others) {
        let config = ComparedMethod::parse(&name)?.config;
        let found = finder.run(collection, &config)?;
        let detector = collection.detector(&config)?;
        let keys = keys(&detector, &collection.documents);
        let n_ignored = keys.iter().filter(|keys| keys.is_none()).count();
        let share = n_ignored as f64 / collection.len().max(1) as f64;
        let left = || words.iter().zip(&keys).filter(|(_, keys)| keys.is_some());
        let of_all = |which: usize| Cell::Real(mean(words.iter().map(|words| words[which])), 1);
        let of_left = |which: usize| Cell::Real(mean(left().map(|(words, _)| words[which])), 1);
        table.push(vec![
            name.into(),
            n_ignored.into(),
            Cell::Real(share, 4),
            of_left(1),
            of_all(1),
            of_left(0),
            of_all(0),
            run.map_or(Cell::Missing, |_| n_sets(&keys).into()),
            found.n_clusters.into(),
            found.seconds().into(),
        ]);
        curve.extend(run.map(|run| (run as f64, share)));
    }
    table.note(common_shingles(collection)?);
    table.note(format!(
        "{} documents; a document is ignored where the method has no signature for it. Sets: super \
         shingles that at least two documents have, each of which the paper calls a cluster. Clusters, in which a \
         document is once, and seconds (signing and joining on one thread) are those of find.",
        collection.len()
    ));
    let mut plot = Plot::new("Documents ignored", "shingles in a super shingle", "share ignored");
    plot.push("dsc-ss", curve);
    Ok(Outcome { plot: Some(plot), ..table.into() })
}

/// Broder's own run dropped shingles of more than so many documents, as the 2002 paper recalls.
const MOST_DOCUMENTS: u32 = 1_000;

/// What that rule would drop of the shingles that `dsc` keeps, as a sentence.
fn common_shingles(collection: &Collection) -> Result<String, LabError> {
    let detector = collection.detector(&ComparedMethod::parse("dsc")?.config)?;
    let shingles = |scratch: &mut Scratch, document: &LabelledText| -> Vec<u64> {
        detector.features(&document.document(), scratch).as_set().to_vec()
    };
    let kept: Vec<Vec<u64>> =
        collection.documents.par_iter().map_init(Scratch::default, shingles).collect();
    let mut counts: HashMap<u64, u32> = HashMap::new();
    for shingle in kept.iter().flatten() {
        *counts.entry(*shingle).or_default() += 1;
    }
    let n_dropped = counts.values().filter(|count| **count > MOST_DOCUMENTS).count();
    Ok(format!(
        "Of {} kept shingles {n_dropped} are in more than {MOST_DOCUMENTS} documents, which Broder's \
         run dropped to keep its lists short; the most common one is in {}.",
        counts.len(),
        counts.values().max().copied().unwrap_or(0)
    ))
}

/// The keys of each document that has a signature.
fn keys(detector: &Detector, documents: &[LabelledText]) -> Vec<Option<Vec<BucketKey>>> {
    let sign = |scratch: &mut Scratch, document: &LabelledText| {
        detector.sign(&document.document(), scratch).ok().map(|signed| signed.keys)
    };
    documents.par_iter().map_init(Scratch::default, sign).collect()
}

/// Section 4.3 of the paper: "a duplicate document set for each super shingle that exists in at
/// least two documents", so that a document may be in many.
fn n_sets(keys: &[Option<Vec<BucketKey>>]) -> usize {
    let mut counts: HashMap<BucketKey, u32> = HashMap::new();
    for keys in keys.iter().flatten() {
        let mut own = keys.clone();
        own.sort_unstable();
        own.dedup();
        for key in own {
            *counts.entry(key).or_default() += 1;
        }
    }
    counts.values().filter(|count| **count > 1).count()
}

/// All words, and the distinct ones.
fn count_words(document: &LabelledText) -> [usize; 2] {
    let words = document.text.split_whitespace();
    [words.clone().count(), words.collect::<HashSet<&str>>().len()]
}

fn mean(values: impl Iterator<Item = usize>) -> f64 {
    let (sum, n_values) = values.fold((0, 0usize), |(sum, n), value| (sum + value, n + 1));
    if n_values == 0 { 0.0 } else { sum as f64 / n_values as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longer_a_super_shingle_the_more_documents_are_ignored() {
        let word = |place: usize| {
            let letter = |value: usize| char::from(b'a' + (value % 26) as u8);
            format!("word{}{}", letter(place / 26), letter(place))
        };
        let document = |number: usize| LabelledText {
            id: number.to_string(),
            text: (0..4 << number)
                .map(|place| word(place * 7 + number))
                .collect::<Vec<_>>()
                .join(" "),
            ..LabelledText::default()
        };
        let documents = (0..9).map(document).collect();
        let outcome = run(&Collection { documents, n_unreadable: 0 }).unwrap();
        let table = outcome.table.to_json();
        let rows = table.as_array().unwrap();
        let ignored: Vec<u64> = rows.iter().map(|row| row["ignored"].as_u64().unwrap()).collect();
        let (shingled, others) = ignored.split_at(RUNS.len());
        assert!(shingled.is_sorted(), "{ignored:?}");
        assert!(shingled[0] < shingled[RUNS.len() - 1], "{ignored:?}");
        // The paper's I-Match signs whatever has a telling term.
        assert!(others[1] <= others[2] && others[1] <= shingled[0], "{ignored:?}");
        let left = |row: usize| rows[row]["mean_words_left"].as_f64().unwrap();
        assert!(left(3) > left(0) && left(0) > 0.0, "{table}");
        let distinct = rows[0]["mean_distinct_left"].as_f64().unwrap();
        assert!(distinct > 0.0 && distinct <= left(0), "{table}");
        let rule = outcome.table.notes.iter().find(|note| note.contains("1000 documents")).unwrap();
        assert!(rule.contains(" 0 are in more") && rule.contains("is in 4."), "{rule}");
    }

    #[test]
    fn a_document_is_in_a_set_of_each_super_shingle_that_others_have() {
        // The example of section 4.3: A in two documents, B in three, one document in both; C in one.
        let keys = |keys: &[u64]| Some(keys.iter().map(|key| BucketKey(*key)).collect());
        assert_eq!(n_sets(&[keys(&[1]), keys(&[1, 2]), keys(&[2]), keys(&[2, 2]), None]), 2);
        assert_eq!(n_sets(&[keys(&[3, 3]), keys(&[4])]), 0);
    }
}
