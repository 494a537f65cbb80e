//! How long methods take on one collection, as ratios to I-Match (Tables VII and VIII of the 2002
//! paper: DSC almost 9 times, DSC-SS 5 to 6 times the time of I-Match).
//!
//! Signing and joining on one thread; reading the documents and counting terms are left out, as
//! collection statistics are made once and kept.

use std::time::Instant;

use lookalike_detect::Detector;

use crate::compare::ComparedMethod;
use crate::join::Signed;
use crate::{Cell, Collection, LabError, Outcome, Table};

/// I-Match first: the others are measured against it. It runs as in the paper, with one lexicon.
const METHODS: &[&str] = &["imatch:bags=0", "imatch", "syntactic", "dsc-ss", "dsc"];

/// Runs of which the fastest counts: a busy machine only ever makes a run slower.
const REPEATS: usize = 3;

/// Times the methods.
pub fn run(collection: &Collection) -> Result<Outcome, LabError> {
    let columns = ["method", "seconds", "times_imatch", "pairs", "ignored"];
    let mut table = Table::new("Time to sign and join, beside I-Match", &columns);
    let mut fastest = None;
    for name in METHODS {
        let detector = collection.detector(&ComparedMethod::parse(name)?.config)?;
        let runs = (0..REPEATS).map(|_| time(&detector, collection));
        let Some((seconds, n_pairs, n_ignored)) = runs.min_by(|l, r| l.0.total_cmp(&r.0)) else {
            continue;
        };
        let imatch = *fastest.get_or_insert(seconds);
        table.push(vec![
            (*name).into(),
            seconds.into(),
            Cell::Real(seconds / f64::max(imatch, 1e-9), 2),
            n_pairs.into(),
            n_ignored.into(),
        ]);
    }
    table.note(format!(
        "{} documents; the fastest of {REPEATS} runs on one thread, without reading and without \
         collection statistics.",
        collection.len()
    ));
    Ok(table.into())
}

/// Seconds, pairs found and documents ignored.
fn time(detector: &Detector, collection: &Collection) -> (f64, usize, usize) {
    let work = || {
        let start = Instant::now();
        let signed = Signed::new(detector, &collection.documents);
        let n_partners: usize = (0..collection.len()).map(|d| signed.partners(d).len()).sum();
        (start.elapsed().as_secs_f64(), n_partners / 2, signed.n_rejected())
    };
    // Without a pool of one thread the work still gets done, only on more of them.
    match rayon::ThreadPoolBuilder::new().num_threads(1).build() {
        Ok(pool) => pool.install(work),
        Err(_) => work(),
    }
}
