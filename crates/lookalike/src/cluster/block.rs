//! A large group on all threads: judging ahead, without changing the answer.
//!
//! All threads judge the documents of a block as if none of them took another. What they found is
//! then gone through one document at a time, exactly as if there were one thread: a document that was
//! taken meanwhile is dropped, and so is a candidate. Since ever less is wanted, nothing can be missing.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use lookalike_detect::Verdict;
use lookalike_index::Place;
use rayon::prelude::*;

use super::gather::Gather;
use super::walk::{Failures, Rule, Walk, judge_at};
use super::{Effort, Join, JoinLimits, Judge};

/// Documents of a block for each thread: with more, more of them take each other, and what was found
/// out about these is in vain. Few in tests, so that small corpora make several blocks.
const DOCUMENTS_PER_THREAD: usize = if cfg!(test) { 6 } else { 256 };
/// Documents that a thread judges at a time; few, because nobody goes on before the last is done.
const DOCUMENTS_AT_ONCE: usize = if cfg!(test) { 2 } else { 4 };
/// Candidates that may be judged ahead however small the limit is; few in tests, so that some
/// documents are left to their turn.
const FEWEST_AHEAD: usize = if cfg!(test) { 24 } else { 1 << 16 };

/// What was found out about a document; nothing where it must be judged at its turn.
type Ahead = Option<Vec<Candidate>>;

/// A candidate in the order of judging, and the verdict unless the limit was reached before.
#[derive(Clone, Copy)]
struct Candidate {
    place: Place,
    verdict: Option<(Verdict, Effort)>,
}

/// What threads have at hand for judging ahead.
pub(super) struct Helpers<'a> {
    /// One for each thread.
    gathers: Vec<Mutex<Gather<'a>>>,
    /// Whether each of them has room for every document of the group.
    have_room: bool,
    /// Candidates that may be judged ahead in one block.
    most_candidates: usize,
}

impl<'a> Helpers<'a> {
    /// Those of so many threads, within a quarter of `memory_bytes`.
    pub(super) fn new(threads: usize, gather: &Gather<'a>, memory_bytes: usize) -> Self {
        let (for_gathers, for_candidates) = (memory_bytes / 8, memory_bytes / 8);
        let gathers = (0..threads).map(|_| Mutex::new(gather.another())).collect();
        let have_room = threads * gather.full_bytes() <= for_gathers;
        let most_candidates = (for_candidates / size_of::<Candidate>()).max(FEWEST_AHEAD);
        Self { gathers, have_room, most_candidates }
    }
}

impl<'a, J: Judge, R: Rule + Sync> Walk<'a, J, R> {
    /// Deals with the first of these documents, as many as make a block; returns the others.
    pub(super) fn run_block<'p>(
        &mut self,
        mut places: &'p [Place],
        helpers: &Helpers<'a>,
    ) -> Result<&'p [Place], J::Error> {
        let most = self.threads * DOCUMENTS_PER_THREAD;
        let mut block = Vec::with_capacity(most);
        while let [left, later @ ..] = places
            && block.len() < most
        {
            if self.rule.opens(*left) {
                block.push(*left);
            }
            places = later;
        }
        let Self { join, rule, limits, .. } = self;
        let left_over = AtomicUsize::new(helpers.most_candidates);
        let start = BlockStart { join, rule, limits: *limits, helpers, left_over };
        let chunks = block.par_chunks(DOCUMENTS_AT_ONCE);
        let ahead: Result<Vec<Vec<Ahead>>, J::Error> =
            chunks.map(|documents| start.judge_all(documents)).collect();
        for (&left, ahead) in block.iter().zip(ahead?.into_iter().flatten()) {
            match ahead {
                Some(candidates) => self.use_ahead(left, candidates)?,
                None => self.visit(left)?,
            }
        }
        Ok(places)
    }

    /// Does what a visit would do.
    fn use_ahead(&mut self, left: Place, mut candidates: Vec<Candidate>) -> Result<(), J::Error> {
        if !self.rule.opens(left) {
            return Ok(());
        }
        let limit = self.limits.failed_comparisons;
        candidates.retain(|candidate| self.rule.wants(left, candidate.place));
        let crowded = candidates.len() > limit;
        if !crowded {
            // There were more when they were ranked; so few cannot reach the limit.
            candidates.sort_unstable_by_key(|candidate| candidate.place);
        }
        let (mut failures, mut skipped) = (Failures::new(limit, crowded), 0);
        for (position, &Candidate { place, verdict }) in candidates.iter().enumerate() {
            if failures.is_enough() {
                let rest: Vec<Place> = candidates[position..].iter().map(|at| at.place).collect();
                skipped = self.skip(left, &rest)?;
                break;
            }
            if self.rule.wants(left, place) {
                let verdict = match verdict {
                    Some(verdict) => verdict,
                    None => judge_at(self.join, left, place, crowded)?,
                };
                self.use_verdict(left, place, verdict, &mut failures)?;
            }
        }
        if R::MARKS_BUCKETS && failures.count == 0 && skipped == 0 {
            self.gather.open(left, &self.rule)?;
            if !self.gather.leaves_out() {
                self.rule.all_confirmed(&self.gather.spans);
            }
        }
        self.note_skipped(left, skipped as u64);
        Ok(())
    }
}

/// What is known when a block begins.
struct BlockStart<'b, 'a, J, R> {
    join: &'b Join<'a, J>,
    rule: &'b R,
    limits: JoinLimits,
    helpers: &'b Helpers<'a>,
    /// Candidates that may still be judged ahead.
    left_over: AtomicUsize,
}

impl<J: Judge, R: Rule> BlockStart<'_, '_, J, R> {
    fn judge_all(&self, documents: &[Place]) -> Result<Vec<Ahead>, J::Error> {
        // A thread that came from elsewhere shares one, and waits for it at worst.
        let thread = rayon::current_thread_index().unwrap_or(0) % self.helpers.gathers.len();
        let gather = &self.helpers.gathers[thread];
        let mut gather = gather.lock().unwrap_or_else(PoisonError::into_inner);
        documents.iter().map(|&left| self.judge(left, &mut gather)).collect()
    }

    /// Judges the candidates of a document, unless there are so many that not all are read: which of
    /// them are depends on who is wanted at its turn.
    fn judge(&self, left: Place, gather: &mut Gather<'_>) -> Result<Ahead, J::Error> {
        let JoinLimits { failed_comparisons, ranked_members } = self.limits;
        let passing = self.rule.passed_members(failed_comparisons);
        let n_members = gather.open(left, self.rule)?;
        if !gather.unopened.is_empty() {
            return Ok(None);
        }
        let few = failed_comparisons.min(ranked_members).min(passing);
        if n_members <= few && !gather.meets_open {
            gather.collect_few(left, self.rule)?;
        } else if n_members <= passing && self.helpers.have_room {
            // Whoever is wanted then is wanted now, so that there is no more to read at its turn.
            gather.collect(left, self.rule, self.limits, passing)?;
            if !gather.unread.is_empty() {
                return Ok(None);
            }
        } else {
            return Ok(None);
        }
        let candidates = &gather.candidates;
        let take = |left_over: usize| left_over.checked_sub(candidates.len());
        if self.left_over.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_err() {
            return Ok(None);
        }
        let crowded = candidates.len() > failed_comparisons || gather.meets_open;
        let mut failures = Failures::new(failed_comparisons, crowded);
        let judged = |&place: &Place| {
            if failures.is_enough() {
                return Ok(Candidate { place, verdict: None });
            }
            let (verdict, effort) = judge_at(self.join, left, place, crowded)?;
            if !verdict.duplicate {
                failures.add(effort);
            }
            Ok(Candidate { place, verdict: Some((verdict, effort)) })
        };
        candidates.iter().map(judged).collect::<Result<_, _>>().map(Some)
    }
}
