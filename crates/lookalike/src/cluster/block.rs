//! Judging ahead with several threads, without changing the answer.
//!
//! Pairs of a whole block of documents are judged at once, before it is known whether the first of
//! them take the later ones. The verdicts are then used one document at a time, exactly as if there
//! were one thread; what turned out not to be wanted is dropped.

use std::ops::Range;

use lookalike_detect::Verdict;
use lookalike_index::Place;
use rayon::prelude::*;

use super::Judge;
use super::walk::{Failures, Rule, Walk, judge};

/// Pairs judged at once.
const BLOCK_PAIRS: usize = 4096;
/// Documents looked at for one block.
const BLOCK_DOCUMENTS: usize = 4096;
/// Documents that are dealt with together.
struct Block {
    planned: Vec<Planned>,
    /// What is judged at once.
    pairs: Vec<(Place, Place)>,
    /// The first document after the block.
    next: u32,
}

/// A document of a block.
struct Planned {
    left: Place,
    /// Its pairs among those judged with the block; `None` if it has to wait for its turn.
    pairs: Option<Range<usize>>,
}

impl<J: Judge, R: Rule> Walk<'_, J, R> {
    /// Deals with the documents from `next` on, as many as make a block; returns the next one.
    ///
    /// `pending` is a set of places, empty before and after.
    pub(super) fn run_block(&mut self, next: u32, pending: &mut [u64]) -> Result<u32, J::Error> {
        let Block { planned, pairs, next } = self.plan_block(next, pending)?;
        for (_, candidate) in &pairs {
            pending[candidate.0 as usize / 64] = 0;
        }
        let join = self.join;
        let verdicts: Vec<Verdict> =
            pairs.par_iter().map(|&(l, r)| judge(join, l, r)).collect::<Result<_, _>>()?;
        for Planned { left, pairs: range } in planned {
            let Some(range) = range else {
                self.visit(left)?;
                continue;
            };
            if !self.rule.opens(left) {
                continue;
            }
            // The block takes only documents whose candidates cannot reach the limit.
            let mut failures = Failures { count: 0, limit: usize::MAX };
            for (&(_, candidate), &verdict) in pairs[range.clone()].iter().zip(&verdicts[range]) {
                if self.rule.wants(left, candidate) {
                    self.use_verdict(left, candidate, verdict, &mut failures)?;
                }
            }
            if R::MARKS_BUCKETS && failures.count == 0 {
                self.gather.open(left, &self.rule)?;
                self.rule.all_confirmed(&self.gather.spans);
            }
        }
        Ok(next)
    }

    /// Chooses the documents of a block and their pairs.
    ///
    /// A document that is itself a candidate of the block waits: most likely it will be taken, and
    /// judging its candidates would be in vain. So does one with very many candidates, which also
    /// ends the block.
    fn plan_block(&mut self, mut next: u32, pending: &mut [u64]) -> Result<Block, J::Error> {
        let limits = self.limits;
        let end = self.join.order.len() as u32;
        let mut planned = Vec::new();
        let mut pairs = Vec::new();
        while next < end && pairs.len() < BLOCK_PAIRS && planned.len() < BLOCK_DOCUMENTS {
            let left = Place(next);
            next += 1;
            if !self.rule.opens(left) {
                continue;
            }
            if pending[left.0 as usize / 64] >> (left.0 % 64) & 1 == 1 {
                planned.push(Planned { left, pairs: None });
                continue;
            }
            let members = self.gather.open(left, &self.rule)?;
            if members == 0 {
                continue;
            }
            let passing = self.rule.passed_members(limits.failed_comparisons);
            if members <= limits.ranked_members.min(passing) {
                self.gather.collect(left, &mut self.rule, limits, passing)?;
                if self.gather.candidates.len() <= limits.failed_comparisons {
                    let start = pairs.len();
                    pairs.extend(self.gather.candidates.iter().map(|&right| (left, right)));
                    planned.push(Planned { left, pairs: Some(start..pairs.len()) });
                    if !R::INDEPENDENT {
                        for candidate in &self.gather.candidates {
                            pending[candidate.0 as usize / 64] |= 1 << (candidate.0 % 64);
                        }
                    }
                    continue;
                }
            }
            planned.push(Planned { left, pairs: None });
            break;
        }
        Ok(Block { planned, pairs, next })
    }
}
