//! The walk through the documents, which every kind of cluster shares.
//!
//! No pair crosses the groups that buckets connect, so that keep order matters within a group only,
//! and what the judge reads of a group is not wanted again after it.

use lookalike_detect::Verdict;
use lookalike_index::{Place, Span};
use rayon::prelude::*;

use super::block::Places;
use super::gather::{Gather, PART};
use super::{Join, JoinCounts, JoinLimits, Judge};

/// Candidates of one document from which on its pairs are judged by all threads.
const PARALLEL_CANDIDATES: usize = if cfg!(test) { 4 } else { 128 };

const NO_LIMITS: JoinLimits =
    JoinLimits { failed_comparisons: usize::MAX, ranked_members: usize::MAX };

/// How verdicts become clusters.
///
/// What is wanted may only ever become less as pairs are confirmed: the walk relies on it.
pub(super) trait Rule {
    /// Whether what is wanted does not depend on the pairs confirmed so far.
    const INDEPENDENT: bool = false;

    /// Whether [`Rule::all_confirmed`] does anything.
    const MARKS_BUCKETS: bool = false;

    /// Whether this document looks for candidates among the later ones.
    fn opens(&mut self, left: Place) -> bool;

    /// Whether a verdict on the pair would change anything.
    fn wants(&mut self, left: Place, candidate: Place) -> bool;

    /// Takes note of a confirmed pair.
    fn confirm(&mut self, left: Place, candidate: Place, score: f64);

    /// Whether a bucket is known to hold no wanted candidate.
    fn skips(&self, _: Span) -> bool {
        false
    }

    /// The part of a bucket that can hold a wanted candidate.
    fn narrowed(&self, span: Span) -> Span {
        span
    }

    /// Takes note that every candidate of a document, in these buckets, is confirmed.
    fn all_confirmed(&mut self, _: &[Span]) {}

    /// How many members that are not wanted a document may pass over.
    fn passed_members(&self, _failed_comparisons: usize) -> usize {
        usize::MAX
    }
}

/// Receives each confirmed pair of the walk.
type EmitPair<'a, E> = &'a mut dyn FnMut(Place, Place, f64) -> Result<(), E>;

/// One walk under way.
pub(super) struct Walk<'a, J: Judge, R> {
    pub(super) join: &'a Join<'a, J>,
    pub(super) rule: R,
    emit: EmitPair<'a, J::Error>,
    pub(super) gather: Gather<'a>,
    counts: JoinCounts,
    threads: usize,
    keys_decide: bool,
    pub(super) limits: JoinLimits,
}

impl<'a, J: Judge, R: Rule> Walk<'a, J, R> {
    pub(super) fn new(join: &'a Join<'a, J>, rule: R, emit: EmitPair<'a, J::Error>) -> Self {
        let keys_decide = join.judge.keys_decide();
        Self {
            join,
            rule,
            emit,
            gather: Gather::new(join.buckets, join.order.len()),
            counts: JoinCounts::default(),
            threads: rayon::current_num_threads(),
            keys_decide,
            limits: if keys_decide { NO_LIMITS } else { join.limits },
        }
    }

    /// Walks through all documents.
    pub(super) fn run(mut self) -> Result<(R, JoinCounts), J::Error> {
        let mut rest = self.join.buckets.groups();
        if self.threads == 1 || self.keys_decide {
            for left in rest {
                self.visit(*left)?;
            }
        } else {
            let mut likely = Places::new(self.join.order.len());
            while !rest.is_empty() {
                rest = self.run_block(rest, &mut likely)?;
            }
        }
        Ok((self.rule, self.counts))
    }

    /// Judges one document's candidates when all better documents have been dealt with.
    pub(super) fn visit(&mut self, left: Place) -> Result<(), J::Error> {
        if !self.rule.opens(left) || self.gather.open(left, &self.rule)? == 0 {
            return Ok(());
        }
        let limits = self.limits;
        let passing = self.rule.passed_members(limits.failed_comparisons);
        self.gather.collect(left, &mut self.rule, limits, passing)?;
        let candidates = std::mem::take(&mut self.gather.candidates);
        let mut failures = Failures { count: 0, limit: limits.failed_comparisons };
        let mut skipped = self.judge_in_order(left, &candidates, &mut failures)?;
        if !self.gather.unread.is_empty() {
            skipped += self.read_on(left, &mut failures, passing)?;
        }
        self.gather.candidates = candidates;
        self.counts.skipped_comparisons += skipped as u64;
        if R::MARKS_BUCKETS && failures.count == 0 && skipped == 0 {
            self.rule.all_confirmed(&self.gather.spans);
        }
        Ok(())
    }

    /// Goes on in keep order through the buckets that were too large to be ranked.
    ///
    /// Returns how many candidates were skipped.
    fn read_on(
        &mut self,
        left: Place,
        failures: &mut Failures,
        passing: usize,
    ) -> Result<usize, J::Error> {
        let mut skipped = 0;
        for span in std::mem::take(&mut self.gather.unread) {
            let mut offset = 0;
            while offset < span.len() {
                if failures.is_enough() || self.gather.passed >= passing {
                    skipped += span.len() - offset;
                    break;
                }
                self.gather.candidates.clear();
                self.gather.read_part(span.part(offset, PART), left, &mut self.rule)?;
                let part = std::mem::take(&mut self.gather.candidates);
                skipped += self.judge_in_order(left, &part, failures)?;
                self.gather.candidates = part;
                offset += PART;
            }
        }
        Ok(skipped)
    }

    /// Decides on candidates in their order, until too many comparisons fail.
    ///
    /// Returns how many candidates were skipped.
    fn judge_in_order(
        &mut self,
        left: Place,
        candidates: &[Place],
        failures: &mut Failures,
    ) -> Result<usize, J::Error> {
        let mut rest = candidates;
        while !rest.is_empty() {
            if failures.is_enough() {
                return Ok(rest.iter().filter(|&&c| self.rule.wants(left, c)).count());
            }
            // Within so many candidates the limit cannot be reached: no verdict is in vain.
            let at_once = failures.remaining().min(self.threads * PARALLEL_CANDIDATES);
            let (chunk, later) = rest.split_at(at_once.min(rest.len()));
            let verdicts = self.judge_ahead(left, chunk)?;
            for (offset, &candidate) in chunk.iter().enumerate() {
                if self.rule.wants(left, candidate) {
                    let verdict = match verdicts.get(offset) {
                        Some(verdict) => *verdict,
                        None if self.keys_decide => Verdict { duplicate: true, score: 1.0 },
                        None => judge(self.join, left, candidate)?,
                    };
                    self.use_verdict(left, candidate, verdict, failures)?;
                }
            }
            rest = later;
        }
        Ok(0)
    }

    /// The verdicts on a chunk of candidates by all threads; none where that would not pay.
    fn judge_ahead(&self, left: Place, chunk: &[Place]) -> Result<Vec<Verdict>, J::Error> {
        if self.threads == 1 || chunk.len() < PARALLEL_CANDIDATES || self.keys_decide {
            return Ok(Vec::new());
        }
        let join = self.join;
        chunk.par_iter().map(|&candidate| judge(join, left, candidate)).collect()
    }

    pub(super) fn use_verdict(
        &mut self,
        left: Place,
        candidate: Place,
        verdict: Verdict,
        failures: &mut Failures,
    ) -> Result<(), J::Error> {
        self.counts.candidate_pairs += 1;
        self.counts.comparisons += u64::from(!self.keys_decide);
        if !verdict.duplicate {
            failures.count += 1;
            return Ok(());
        }
        self.counts.confirmed_pairs += 1;
        self.rule.confirm(left, candidate, verdict.score);
        (self.emit)(left, candidate, verdict.score)
    }
}

/// Comparisons of one document that failed.
pub(super) struct Failures {
    pub(super) count: usize,
    pub(super) limit: usize,
}

impl Failures {
    fn is_enough(&self) -> bool {
        self.remaining() == 0
    }

    /// How many more may fail.
    fn remaining(&self) -> usize {
        self.limit.saturating_sub(self.count)
    }
}

/// The verdict on the documents at two places.
pub(super) fn judge<J: Judge>(
    join: &Join<'_, J>,
    left: Place,
    right: Place,
) -> Result<Verdict, J::Error> {
    join.judge.judge(join.order.document(left), join.order.document(right))
}
