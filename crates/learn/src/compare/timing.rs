//! How fast methods sign, beside each other.

use std::time::{Duration, Instant};

use lookalike_detect::{Detector, Scratch};

use crate::LabelledText;

/// How long each method is timed, at least.
const TIMED: Duration = Duration::from_millis(300);

/// Documents signed in a second by each of the detectors, on the calling thread alone.
///
/// They take turns with one pass over all documents each, and the fastest pass counts: whatever
/// else the machine does can only slow one down, and a slow spell hits all methods alike.
pub(super) fn documents_per_second(detectors: &[Detector], documents: &[LabelledText]) -> Vec<f64> {
    let mut timed = vec![Timed { fastest: Duration::MAX, all: Duration::ZERO }; detectors.len()];
    let mut scratch = Scratch::default();
    while timed.iter().any(|timed| timed.all < TIMED) {
        for (timed, detector) in timed.iter_mut().zip(detectors) {
            if timed.all < TIMED {
                let pass = pass(detector, documents, &mut scratch);
                timed.fastest = timed.fastest.min(pass);
                // An empty collection takes no time, however often.
                timed.all += pass.max(Duration::from_micros(1));
            }
        }
    }
    let speed = |timed: &Timed| documents.len() as f64 / timed.fastest.as_secs_f64().max(1e-9);
    timed.iter().map(speed).collect()
}

/// The time of a method.
#[derive(Clone, Copy)]
struct Timed {
    fastest: Duration,
    all: Duration,
}

fn pass(detector: &Detector, documents: &[LabelledText], scratch: &mut Scratch) -> Duration {
    let start = Instant::now();
    for document in documents {
        // Only the time matters here.
        let _ = std::hint::black_box(detector.sign(&document.document(), scratch));
    }
    start.elapsed()
}
