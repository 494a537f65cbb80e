//! How long methods take on one collection, as ratios to I-Match (Tables VII and VIII of the 2002
//! paper: DSC almost 9 times, DSC-SS 5 to 6 times the time of I-Match).
//!
//! Signing and joining on one thread; reading the documents and counting terms are left out, as
//! collection statistics are made once and kept.

use std::time::Instant;

use lookalike_detect::Detector;

use crate::compare::ComparedMethod;
use crate::join;
use crate::{Cell, Collection, LabError, Outcome, Table};

/// The first is what the others are measured against: I-Match as in the papers, with one lexicon.
/// Then with the 2002 paper's own rule and digest, and with ten lexicons.
const METHODS: &[&str] =
    &["imatch:bags=0", "imatch:rule=IDF-L-10", "imatch:bags=10", "syntactic", "dsc-ss", "dsc"];

/// Rounds in which every method runs once. Its fastest run counts: a busy machine only ever makes
/// a run slower, and going round lets a slow spell hit all methods alike.
const ROUNDS: usize = 5;

/// One run of one method.
#[derive(Clone, Copy)]
struct Run {
    sign_seconds: f64,
    join_seconds: f64,
    n_pairs: usize,
    n_ignored: usize,
}

/// Times the methods.
pub fn run(collection: &Collection) -> Result<Outcome, LabError> {
    let detector = |name: &&str| collection.detector(&ComparedMethod::parse(name)?.config);
    let detectors: Vec<Detector> = METHODS.iter().map(detector).collect::<Result<_, _>>()?;
    let mut fastest: Vec<Run> = detectors.iter().map(|d| time(d, collection)).collect();
    for _ in 1..ROUNDS {
        for (fastest, detector) in fastest.iter_mut().zip(&detectors) {
            let run = time(detector, collection);
            fastest.sign_seconds = fastest.sign_seconds.min(run.sign_seconds);
            fastest.join_seconds = fastest.join_seconds.min(run.join_seconds);
        }
    }
    let columns = [
        "method",
        "sign_seconds",
        "join_seconds",
        "times_imatch_signing",
        "times_imatch",
        "pairs",
        "ignored",
    ];
    let mut table = Table::new("Time to sign and join, beside I-Match", &columns);
    let total = |run: &Run| run.sign_seconds + run.join_seconds;
    let times = |seconds: f64, imatch: f64| Cell::Real(seconds / imatch.max(1e-9), 2);
    for (name, run) in METHODS.iter().zip(&fastest) {
        table.push(vec![
            (*name).into(),
            run.sign_seconds.into(),
            run.join_seconds.into(),
            times(run.sign_seconds, fastest[0].sign_seconds),
            times(total(run), total(&fastest[0])),
            run.n_pairs.into(),
            run.n_ignored.into(),
        ]);
    }
    table.note(format!(
        "{} documents; the fastest of {ROUNDS} runs on one thread, without reading and without \
         collection statistics.",
        collection.len()
    ));
    Ok(table.into())
}

fn time(detector: &Detector, collection: &Collection) -> Run {
    let work = || {
        let start = Instant::now();
        let prepared = join::prepare(detector, &collection.documents);
        let sign_seconds = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let signed = prepared.bucketed();
        let n_partners: usize = (0..collection.len()).map(|d| signed.partners(d).len()).sum();
        let join_seconds = start.elapsed().as_secs_f64();
        Run { sign_seconds, join_seconds, n_pairs: n_partners / 2, n_ignored: signed.n_rejected() }
    };
    // Without a pool of one thread the work still gets done, only on more of them.
    match rayon::ThreadPoolBuilder::new().num_threads(1).build() {
        Ok(pool) => pool.install(work),
        Err(_) => work(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LabDocument;

    #[test]
    fn every_method_has_a_row_and_the_first_is_the_yardstick() {
        let words = |number: usize| {
            let letter = |value: usize| char::from(b'a' + (value % 26) as u8);
            let word = |place: usize| format!("word{}{}", letter(number), letter(place));
            (0..26).map(word).collect::<Vec<_>>().join(" ")
        };
        let document = |number: usize| LabDocument {
            id: number.to_string(),
            // Each text twice, so that every method has pairs to find.
            text: words(number / 2),
            ..LabDocument::default()
        };
        let documents = (0..40).map(document).collect();
        let table = run(&Collection { documents, n_unreadable: 0 }).unwrap().table.to_json();
        let rows = table.as_array().unwrap();
        assert_eq!(rows.len(), METHODS.len());
        for row in rows {
            // Shingles are sampled, so that a short text may have none.
            let count = |name: &str| row[name].as_u64().unwrap();
            assert_eq!(count("pairs") * 2 + count("ignored"), 40, "{row}");
            let samples = row["method"].as_str().unwrap().starts_with("dsc");
            assert!(samples || count("ignored") == 0, "{row}");
        }
        assert_eq!(rows[0]["times_imatch"], 1.0);
        assert_eq!(rows[0]["times_imatch_signing"], 1.0);
    }
}
