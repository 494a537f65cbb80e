//! What a collection repeats, and whether it is the frame of a site.
//!
//! The frame of a site says nothing about whether two of its pages tell the same story. But most
//! repeated text is no frame: statutes and licences are made of clauses that stand elsewhere too, and
//! two of them are not copies for that. A frame stands before and after what two pages share.

use std::ops::Range;

use crate::random::mix64;

/// A run that so many documents have is repeated.
const REPEATED: u8 = 10;
/// Counters for all runs, at most: 32 MiB.
const MOST_COUNTERS: u64 = 1 << 25;
/// Counters for each run, of which four count it.
const COUNTERS_A_RUN: u64 = 8;
/// With fewer runs that are not repeated, or a smaller share, there is too little to go by.
const FEWEST_RUNS: u32 = 16;
const FEWEST_SHARE: f64 = 0.05;
/// What two framed pages share begins with so many runs, and stretches of them belong together that
/// are at most so far apart: a word or two that an editor changed, or a link.
const FEWEST_OF_STRETCH: usize = 16;
const WIDEST_GAP: usize = 20;
/// The least share of the runs of a story that both pages have.
const DENSE: f64 = 0.6;
/// Fewer repeated runs before or after a story are no frame.
const FEWEST_OF_FRAME: usize = 4;

/// The runs of words that many documents have.
///
/// A counting filter of bounded size: of a large collection, one run in so many is looked at.
#[derive(Debug)]
pub struct RepeatedRuns {
    counters: Vec<u8>,
    /// A power of two: runs are looked at whose hash is a multiple of it.
    one_in: u64,
    distinct: Vec<u64>,
}

impl RepeatedRuns {
    /// Nothing yet, of documents that have so many runs together.
    pub fn new(n_runs: u64) -> Self {
        let wanted = (n_runs * COUNTERS_A_RUN).next_power_of_two().max(1 << 10);
        let counters = wanted.min(MOST_COUNTERS);
        Self {
            counters: vec![0; counters as usize],
            one_in: wanted / counters,
            distinct: Vec::new(),
        }
    }

    /// Counts the runs of a document, each once.
    pub fn add(&mut self, runs: &[u64]) {
        let mut distinct = std::mem::take(&mut self.distinct);
        distinct.clear();
        distinct.extend(runs.iter().filter(|run| self.looks_at(**run)));
        distinct.sort_unstable();
        distinct.dedup();
        for run in &distinct {
            let places = places(*run, self.counters.len());
            // Only the least of the four are raised: the others count runs that share them.
            let least = self.count(*run);
            for place in places.into_iter().filter(|_| least < REPEATED) {
                self.counters[place] = self.counters[place].max(least + 1);
            }
        }
        self.distinct = distinct;
    }

    /// The share of a document's runs that stand in the one that is kept, of those that the collection
    /// does not repeat; nothing where these are too few to go by.
    pub(super) fn share_of_others(
        &self,
        document: &[u64],
        is_kept: impl Fn(u64) -> bool,
    ) -> Option<f64> {
        let (mut kept, mut alone, mut repeated) = (0_u32, 0_u32, 0_u32);
        for run in document.iter().copied().filter(|run| self.looks_at(*run)) {
            if is_kept(run) {
                kept += 1;
            } else if self.has(run) {
                repeated += 1;
            } else {
                alone += 1;
            }
        }
        let own = kept + alone;
        let is_enough =
            own >= FEWEST_RUNS && f64::from(own) >= FEWEST_SHARE * f64::from(own + repeated);
        is_enough.then(|| f64::from(kept) / f64::from(own))
    }

    /// Whether a document is a page with the keeper's story in a frame: what both have stands together,
    /// and most of what stands before and after it is repeated.
    pub(super) fn are_around(&self, document: &[u64], is_kept: impl Fn(u64) -> bool) -> bool {
        let Some(story) = story(document, is_kept) else { return false };
        let repeated = |runs: &[u64]| {
            let looked_at = || runs.iter().filter(|run| self.looks_at(**run));
            let found = looked_at().filter(|run| self.has(**run)).count();
            (found, looked_at().count())
        };
        let (before, n_before) = repeated(&document[..story.start]);
        let (after, n_after) = repeated(&document[story.end..]);
        let fewest = (FEWEST_OF_FRAME / self.one_in as usize).max(1);
        before >= fewest && after >= fewest && (before + after) * 2 >= n_before + n_after
    }

    fn has(&self, run: u64) -> bool {
        self.count(run) >= REPEATED
    }

    /// How many documents have a run, up to [`REPEATED`]; seldom more than that.
    fn count(&self, run: u64) -> u8 {
        let counts = places(run, self.counters.len()).map(|place| self.counters[place]);
        counts.into_iter().min().unwrap_or_default()
    }

    fn looks_at(&self, run: u64) -> bool {
        run & (self.one_in - 1) == 0
    }
}

/// Where the keeper's runs stand in a document, if they stand close together.
fn story(document: &[u64], is_kept: impl Fn(u64) -> bool) -> Option<Range<usize>> {
    let (mut story, mut n_kept): (Option<Range<usize>>, usize) = (None, 0);
    let (mut stretch, mut n_stretch) = (0..0, 0);
    let kept = document.iter().enumerate().filter(|(_, run)| is_kept(**run)).map(|(at, _)| at);
    for at in kept.chain([usize::MAX]) {
        if n_stretch == 0 || at - stretch.end > WIDEST_GAP {
            if n_stretch >= FEWEST_OF_STRETCH {
                n_kept += n_stretch;
                story = Some(story.map_or(stretch.start, |story| story.start)..stretch.end);
            }
            (stretch.start, n_stretch) = (at, 0);
        }
        stretch.end = at.saturating_add(1);
        n_stretch += 1;
    }
    story.filter(|story| n_kept as f64 >= DENSE * story.len() as f64)
}

/// The four counters of a run.
fn places(run: u64, n_counters: usize) -> [usize; 4] {
    let (first, step) = (mix64(run), mix64(run ^ 0x9e37_79b9_7f4a_7c15) | 1);
    let mask = n_counters as u64 - 1;
    std::array::from_fn(|nth| (first.wrapping_add(step.wrapping_mul(nth as u64)) & mask) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    const STORY: Range<u64> = 1000..1100;

    fn repeated(frame: Range<u64>, documents: u8) -> RepeatedRuns {
        let mut repeated = RepeatedRuns::new(1000);
        let frame: Vec<u64> = frame.clone().chain(frame).collect();
        (0..documents).for_each(|_| repeated.add(&frame));
        repeated
    }

    fn page(parts: [Range<u64>; 3]) -> Vec<u64> {
        parts.into_iter().flatten().collect()
    }

    #[test]
    fn a_run_is_repeated_when_ten_documents_have_it() {
        assert!(!repeated(0..200, 9).has(7));
        assert!(repeated(0..200, 10).has(7));
        assert!(!repeated(0..200, 10).has(700));
    }

    #[test]
    fn a_frame_stands_on_both_sides_of_a_story() {
        let repeated = repeated(0..200, 10);
        let is_around = |parts| repeated.are_around(&page(parts), |run| STORY.contains(&run));
        assert!(is_around([0..50, 1000..1100, 50..100]));
        assert!(!is_around([0..0, 1000..1100, 0..100]), "on one side only");
        assert!(!is_around([0..50, 1000..1100, 500..900]), "most of the rest is new");
        assert!(!is_around([0..50, 1000..1010, 50..100]), "a phrase is no story");
    }

    #[test]
    fn clauses_in_common_here_and_there_are_no_story() {
        let part = |n: u64| page([0..0, 1000 + n * 10..1003 + n * 10, n * 20..n * 20 + 20]);
        let mixed: Vec<u64> = (0..10).flat_map(part).collect();
        assert!(!repeated(0..200, 10).are_around(&mixed, |run| STORY.contains(&run)));
    }
}
