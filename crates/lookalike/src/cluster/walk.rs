//! The walk through some groups of documents, which every kind of cluster shares.
//!
//! No pair crosses the groups that buckets connect, so that keep order matters within a group only,
//! and what the judge reads of a group is not wanted again after it.

use lookalike_detect::Verdict;
use lookalike_index::{DocumentId, Place, Span};
use rayon::prelude::*;

use super::block::Helpers;
use super::crowds::CrowdPairs;
use super::gather::{Gather, PART};
use super::stretch::Stretch;
use super::{Crowd, Effort, Join, JoinCounts, JoinLimits, Judge};

/// Candidates of one document from which on its pairs are judged by all threads.
const PARALLEL_CANDIDATES: usize = if cfg!(test) { 4 } else { 128 };

/// Candidates of one document that are judged before others are excluded at once.
const FIRST_CANDIDATES: usize = if cfg!(test) { 2 } else { 8 };

const NO_LIMITS: JoinLimits =
    JoinLimits { failed_comparisons: usize::MAX, ranked_members: usize::MAX };

/// What becomes of confirmed pairs.
pub(super) trait Outcome: Send {
    /// Who looks for whom in a stretch.
    type Rule<'s>: Rule + Send + Sync;

    /// Whether every pair of a group may be confirmed, and not only some for each document.
    const ALL_PAIRS: bool = false;

    /// The rule for a stretch of which no pair was confirmed yet.
    fn rule<'s>(&self, stretch: Stretch<'s>) -> Self::Rule<'s>;

    /// Takes note of a confirmed pair; pairs come in the order of the walk.
    fn confirm(&mut self, left: Place, candidate: Place, verdict: Verdict);
}

/// Which pairs of a stretch are worth a verdict.
///
/// What is wanted may only ever become less as pairs are confirmed: the walk relies on it.
pub(super) trait Rule {
    /// Whether [`Rule::all_confirmed`] does anything.
    const MARKS_BUCKETS: bool = false;
    /// Whether a candidate that one document does not want is wanted by none after it.
    const FOR_EVER: bool = false;

    /// Whether [`Rule::wants`] takes less than a wrong guess whether to ask it.
    const QUICK: bool = false;

    /// Whether this document looks for candidates among the later ones.
    fn opens(&self, left: Place) -> bool;

    /// Whether a verdict on the pair would change anything.
    fn wants(&self, left: Place, candidate: Place) -> bool;

    /// Takes note of a confirmed pair.
    fn confirm(&mut self, _left: Place, _candidate: Place) {}

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

/// Receives each confirmed pair of the walk, and each that is only related.
pub(super) type EmitPair<'a, E> =
    &'a mut (dyn FnMut(Place, Place, Verdict) -> Result<(), E> + Send);

/// The walk through a stretch.
pub(super) struct Walk<'a, J: Judge, R> {
    pub(super) join: &'a Join<'a, J>,
    stretch: Stretch<'a>,
    pub(super) rule: R,
    emit: EmitPair<'a, J::Error>,
    pub(super) gather: Gather<'a>,
    counts: JoinCounts,
    pub(super) threads: usize,
    keys_decide: bool,
    pub(super) limits: JoinLimits,
    /// A candidate that the document at hand was not compared with.
    left_out: Option<Place>,
    /// Room for the documents of some candidates.
    documents: Vec<DocumentId>,
    /// By candidate: whether it is certain that it is no duplicate.
    excluded: Vec<bool>,
}

impl<'a, J: Judge, R: Rule + Sync> Walk<'a, J, R> {
    pub(super) fn new(
        join: &'a Join<'a, J>,
        crowds: Option<&'a CrowdPairs>,
        stretch: Stretch<'a>,
        rule: R,
        emit: EmitPair<'a, J::Error>,
    ) -> Self {
        let keys_decide = join.judge.keys_decide();
        Self {
            join,
            stretch,
            rule,
            emit,
            gather: Gather::new(join.buckets, crowds, stretch),
            counts: JoinCounts::default(),
            threads: 1,
            keys_decide,
            limits: if keys_decide { NO_LIMITS } else { join.limits },
            left_out: None,
            documents: Vec::new(),
            excluded: Vec::new(),
        }
    }

    /// Walks through the stretch on this thread.
    pub(super) fn run(mut self) -> Result<JoinCounts, J::Error> {
        for left in self.stretch.places {
            self.visit(*left)?;
        }
        Ok(self.counts)
    }

    /// Walks through the stretch with the help of all threads.
    pub(super) fn run_together(mut self) -> Result<JoinCounts, J::Error> {
        if self.keys_decide {
            return self.run();
        }
        self.threads = rayon::current_num_threads();
        let helpers = Helpers::new(self.threads, &self.gather, self.join.room.memory_bytes);
        let mut rest = self.stretch.places;
        while !rest.is_empty() {
            rest = self.run_block(rest, &helpers)?;
        }
        Ok(self.counts)
    }

    /// Judges one document's candidates when all better documents have been dealt with.
    pub(super) fn visit(&mut self, left: Place) -> Result<(), J::Error> {
        if !self.rule.opens(left) || self.gather.open(left, &self.rule)? == 0 {
            return Ok(());
        }
        let limits = self.limits;
        let passing = self.rule.passed_members(limits.failed_comparisons);
        self.gather.collect(left, &self.rule, limits, passing)?;
        let candidates = std::mem::take(&mut self.gather.candidates);
        let crowded = candidates.len() > limits.failed_comparisons
            || !self.gather.unread.is_empty()
            || self.gather.meets_open;
        let mut failures = Failures::new(limits.failed_comparisons, crowded);
        let mut skipped = self.judge_in_order(left, &candidates, &mut failures)?;
        if !self.gather.unread.is_empty() {
            skipped += self.read_on(left, &mut failures, passing)?;
        }
        // They share several of these crowds: one stands for all.
        if let Some(&largest) = self.gather.unopened.last() {
            skipped += largest.len();
            self.sample_span(left, largest)?;
        }
        self.gather.candidates = candidates;
        if R::MARKS_BUCKETS && failures.count == 0 && skipped == 0 && !self.gather.leaves_out() {
            self.rule.all_confirmed(&self.gather.spans);
        }
        self.note_skipped(left, skipped as u64);
        Ok(())
    }

    /// Counts what was skipped of a document, and keeps the one of which most was.
    pub(super) fn note_skipped(&mut self, left: Place, skipped: u64) {
        self.counts.skipped_comparisons += skipped;
        let most = self.counts.crowd.map_or(0, |crowd| crowd.skipped);
        if let Some(candidate) = self.left_out.take().filter(|_| skipped > most) {
            let [document, candidate] = [left, candidate].map(|at| self.join.order.document(at));
            self.counts.crowd = Some(Crowd { document, candidate, skipped });
        }
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
                    self.sample_span(left, span.part(offset, span.len()))?;
                    break;
                }
                self.gather.candidates.clear();
                self.gather.read_part(span.part(offset, PART), left, &self.rule)?;
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
        while !rest.is_empty() && !failures.is_enough() {
            // In a crowd most verdicts are cheap, and a few in vain cost less than to wait.
            let at_once = self.threads * PARALLEL_CANDIDATES;
            let at_once = if failures.crowded { 4 * at_once } else { at_once };
            // The first comparisons of a document leave behind what excludes others at once.
            let is_first = self.threads == 1 && rest.len() == candidates.len();
            let at_once = if is_first { FIRST_CANDIDATES } else { at_once };
            let (chunk, later) = rest.split_at(at_once.min(rest.len()));
            let verdicts = self.judge_ahead(left, chunk, failures.crowded)?;
            if verdicts.is_empty() && !self.keys_decide {
                self.exclude(left, chunk);
            }
            for (offset, &candidate) in chunk.iter().enumerate() {
                if failures.is_enough() {
                    return self.skip(left, &rest[offset..]);
                }
                if self.rule.wants(left, candidate) {
                    let verdict = match verdicts.get(offset) {
                        Some(verdict) => *verdict,
                        None if self.keys_decide => (Verdict::COPIES, Effort::Little),
                        None if self.excluded[offset] => excluded(failures.crowded),
                        None => judge_at(self.join, left, candidate, failures.crowded)?,
                    };
                    self.use_verdict(left, candidate, verdict, failures)?;
                }
            }
            rest = later;
        }
        self.skip(left, rest)
    }

    /// Notes which of some candidates need no closer look, all at once.
    fn exclude(&mut self, left: Place, chunk: &[Place]) {
        self.excluded.clear();
        self.excluded.resize(chunk.len(), false);
        let order = self.join.order;
        self.documents.clear();
        self.documents.extend(chunk.iter().map(|place| order.document(*place)));
        self.join.judge.exclude(order.document(left), &self.documents, &mut self.excluded);
    }

    /// The verdicts on a chunk of candidates by all threads; none where that would not pay.
    fn judge_ahead(
        &self,
        left: Place,
        chunk: &[Place],
        crowded: bool,
    ) -> Result<Vec<(Verdict, Effort)>, J::Error> {
        if self.threads == 1 || chunk.len() < PARALLEL_CANDIDATES || self.keys_decide {
            return Ok(Vec::new());
        }
        let join = self.join;
        let judge = |&candidate: &Place| judge_at(join, left, candidate, crowded);
        chunk.par_iter().with_min_len(PARALLEL_CANDIDATES / 2).map(judge).collect()
    }

    /// Leaves candidates out, but for a few that tell what was missed; returns how many.
    pub(super) fn skip(&mut self, left: Place, rest: &[Place]) -> Result<usize, J::Error> {
        let mut skipped = 0;
        for &candidate in rest {
            if self.rule.wants(left, candidate) {
                skipped += 1;
                if chance(left, candidate).is_multiple_of(ONE_IN as u64) {
                    self.sample(left, candidate, ONE_IN)?;
                }
                self.left_out.get_or_insert(candidate);
            }
        }
        Ok(skipped)
    }

    /// The same for a part of a bucket that was not read: one look at each stretch of it.
    fn sample_span(&mut self, left: Place, span: Span) -> Result<(), J::Error> {
        let mut buffer = Vec::new();
        let step = ONE_IN.max(span.len() / MOST_SAMPLED);
        for offset in (0..span.len()).step_by(step) {
            let stretch = step.min(span.len() - offset);
            let chosen = offset + chance(left, Place(offset as u32)) as usize % stretch;
            let buckets = self.join.buckets;
            for &member in buckets.members(span.part(chosen, 1), &mut buffer)? {
                // Judged or skipped already, through another bucket.
                if self.gather.has_seen(member) {
                    continue;
                }
                self.sample(left, member, stretch)?;
                self.left_out.get_or_insert(member);
            }
        }
        Ok(())
    }

    /// Compares a pair that was skipped and stands for so many, for the estimate alone.
    fn sample(&mut self, left: Place, candidate: Place, stands_for: usize) -> Result<(), J::Error> {
        if self.rule.wants(left, candidate) {
            let (verdict, _) = judge_at(self.join, left, candidate, true)?;
            self.counts.sampled_comparisons += 1;
            self.counts.missing_pairs += if verdict.duplicate { stands_for as u64 } else { 0 };
        }
        Ok(())
    }

    pub(super) fn use_verdict(
        &mut self,
        left: Place,
        candidate: Place,
        (verdict, effort): (Verdict, Effort),
        failures: &mut Failures,
    ) -> Result<(), J::Error> {
        self.counts.candidate_pairs += 1;
        self.counts.comparisons += u64::from(!self.keys_decide);
        if !verdict.duplicate {
            failures.add(effort);
            if verdict.is_related() {
                self.counts.related_pairs += 1;
                return (self.emit)(left, candidate, verdict);
            }
            return Ok(());
        }
        self.counts.confirmed_pairs += 1;
        self.rule.confirm(left, candidate);
        (self.emit)(left, candidate, verdict)
    }
}

/// Of skipped comparisons, one in so many is made in the end.
const ONE_IN: usize = 16;
/// But not many more than these of one bucket.
const MOST_SAMPLED: usize = 256;
/// How many failures with little effort count as much as a full one.
const LITTLE_PER_FULL: usize = 16;

/// Comparisons of one document that failed.
pub(super) struct Failures {
    pub(super) count: usize,
    /// What they cost: 1 for little effort.
    spent: usize,
    limit: usize,
    /// Whether the limit might be reached.
    crowded: bool,
}

impl Failures {
    /// None yet, where so many may fail with full effort.
    pub(super) fn new(limit: usize, crowded: bool) -> Self {
        Self { count: 0, spent: 0, limit: limit.saturating_mul(LITTLE_PER_FULL), crowded }
    }

    pub(super) fn add(&mut self, effort: Effort) {
        self.count += 1;
        self.spent += match effort {
            Effort::Little => 1,
            Effort::Full => LITTLE_PER_FULL,
        };
    }

    pub(super) fn is_enough(&self) -> bool {
        self.spent >= self.limit
    }
}

/// A number that looks random and belongs to a pair.
fn chance(left: Place, right: Place) -> u64 {
    let pair = u64::from(left.0) << 32 | u64::from(right.0);
    let mixed = (pair ^ pair >> 31).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 33
}

/// The verdict on a candidate that is excluded for certain: what [`judge_at`] says of it.
fn excluded(crowded: bool) -> (Verdict, Effort) {
    (Verdict::NOT_COMPARED, if crowded { Effort::Little } else { Effort::Full })
}

/// The verdict on the documents at two places, in a crowd or not, and what it took.
pub(super) fn judge_at<J: Judge>(
    join: &Join<'_, J>,
    left: Place,
    right: Place,
    crowded: bool,
) -> Result<(Verdict, Effort), J::Error> {
    if crowded {
        return join.judge.judge_in_crowd(join.order.document(left), join.order.document(right));
    }
    Ok((judge(join, left, right)?, Effort::Full))
}

/// The verdict on the documents at two places.
fn judge<J: Judge>(join: &Join<'_, J>, left: Place, right: Place) -> Result<Verdict, J::Error> {
    join.judge.judge(join.order.document(left), join.order.document(right))
}
