//! A large group on all threads: judging ahead, without changing the answer.
//!
//! A block of documents is judged in waves: all documents that will most likely look for
//! candidates at once, before those ahead of them have taken theirs. The verdicts are then used one
//! document at a time, exactly as if there were one thread; what turned out not to be wanted is
//! dropped. A document waits while it is a likely duplicate of one ahead of it, because it would
//! most likely be taken and its verdicts be in vain.

use std::ops::Range;

use lookalike_detect::Verdict;
use lookalike_index::Place;
use rayon::prelude::*;

use super::places::Places;
use super::walk::{Failures, Rule, Walk, judge};
use super::{Effort, Judge};

/// Documents of a block; few in tests, so that small corpora make several.
const BLOCK_DOCUMENTS: usize = if cfg!(test) { 16 } else { 1024 };
/// Pairs from which on a wave takes no further document.
const WAVE_PAIRS: usize = if cfg!(test) { 24 } else { 4096 };
/// Fewer pairs than these are not worth another thread.
const PAIRS_OF_A_THREAD: usize = if cfg!(test) { 2 } else { 64 };

/// A document of a block.
struct Planned {
    left: Place,
    verdicts: Verdicts,
}

/// How a document of a block gets its verdicts.
enum Verdicts {
    /// None has been asked for yet.
    Open,
    /// They are these of the block.
    Given(Range<usize>),
    /// It has too many candidates to be judged ahead, and asks when its turn comes.
    AtItsTurn,
}

/// The pairs of a block.
#[derive(Default)]
struct Ahead {
    pairs: Vec<(Place, Place)>,
    /// Of the first pairs; those of the last wave are still to come.
    verdicts: Vec<Verdict>,
}

impl<J: Judge, R: Rule> Walk<'_, J, R> {
    /// Deals with the first of these documents, as many as make a block; returns the others.
    ///
    /// `likely` is empty before and after.
    pub(super) fn run_block<'p>(
        &mut self,
        mut places: &'p [Place],
        likely: &mut Places,
    ) -> Result<&'p [Place], J::Error> {
        let mut block = Vec::with_capacity(BLOCK_DOCUMENTS);
        while let [left, later @ ..] = places
            && block.len() < BLOCK_DOCUMENTS
        {
            if self.rule.opens(*left) {
                block.push(Planned { left: *left, verdicts: Verdicts::Open });
            }
            places = later;
        }
        let mut ahead = Ahead::default();
        let mut rest = block.as_mut_slice();
        while !rest.is_empty() {
            self.plan_wave(rest, &mut ahead, likely)?;
            let join = self.join;
            let new_pairs = &ahead.pairs[ahead.verdicts.len()..];
            let judge = |&(left, right): &(Place, Place)| judge(join, left, right);
            // To wake another thread takes as long as some pairs.
            let each = new_pairs.par_iter().with_min_len(PAIRS_OF_A_THREAD);
            let verdicts: Result<Vec<Verdict>, J::Error> = each.map(judge).collect();
            ahead.verdicts.extend(verdicts?);
            let done = self.use_verdicts(rest, &ahead)?;
            rest = &mut rest[done..];
        }
        Ok(places)
    }

    /// Adds the pairs of all documents that need not wait.
    fn plan_wave(
        &mut self,
        rest: &mut [Planned],
        ahead: &mut Ahead,
        likely: &mut Places,
    ) -> Result<(), J::Error> {
        let wave_start = ahead.pairs.len();
        for planned in rest {
            match &planned.verdicts {
                Verdicts::Given(range) => {
                    for number in range.clone().filter(|&number| ahead.verdicts[number].duplicate) {
                        likely.insert(ahead.pairs[number].1);
                    }
                }
                // Whom it takes is not known before its turn comes.
                Verdicts::AtItsTurn => break,
                Verdicts::Open => {
                    let wave_is_full = ahead.pairs.len() - wave_start >= WAVE_PAIRS;
                    let waits = !R::INDEPENDENT && likely.contains(planned.left);
                    if wave_is_full || waits || !self.rule.opens(planned.left) {
                        continue;
                    }
                    if !self.gather_few(planned.left)? {
                        planned.verdicts = Verdicts::AtItsTurn;
                        break;
                    }
                    let start = ahead.pairs.len();
                    for &candidate in &self.gather.candidates {
                        ahead.pairs.push((planned.left, candidate));
                        likely.insert(candidate);
                    }
                    planned.verdicts = Verdicts::Given(start..ahead.pairs.len());
                }
            }
        }
        for &(_, candidate) in &ahead.pairs {
            likely.forget(candidate);
        }
        Ok(())
    }

    /// Gathers the candidates of a document unless a limit might be reached by them.
    fn gather_few(&mut self, left: Place) -> Result<bool, J::Error> {
        let limits = self.limits;
        let passing = self.rule.passed_members(limits.failed_comparisons);
        if self.gather.open(left, &self.rule)? > limits.ranked_members.min(passing) {
            return Ok(false);
        }
        self.gather.collect(left, &mut self.rule, limits, passing)?;
        Ok(self.gather.candidates.len() <= limits.failed_comparisons && !self.gather.meets_open)
    }

    /// Goes through the documents up to the first that has no verdicts yet; returns how many.
    fn use_verdicts(&mut self, rest: &[Planned], ahead: &Ahead) -> Result<usize, J::Error> {
        for (position, planned) in rest.iter().enumerate() {
            let left = planned.left;
            match &planned.verdicts {
                Verdicts::AtItsTurn => self.visit(left)?,
                _ if !self.rule.opens(left) => {}
                Verdicts::Open => return Ok(position),
                Verdicts::Given(range) => {
                    // So few candidates cannot reach the limit.
                    let mut failures = Failures::new(usize::MAX, false);
                    for number in range.clone() {
                        let (_, candidate) = ahead.pairs[number];
                        if self.rule.wants(left, candidate) {
                            let verdict = (ahead.verdicts[number], Effort::Full);
                            self.use_verdict(left, candidate, verdict, &mut failures)?;
                        }
                    }
                    if R::MARKS_BUCKETS && failures.count == 0 {
                        self.gather.open(left, &self.rule)?;
                        self.rule.all_confirmed(&self.gather.spans);
                    }
                }
            }
        }
        Ok(rest.len())
    }
}
