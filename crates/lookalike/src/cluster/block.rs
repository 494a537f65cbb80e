//! A large group on all threads: judging ahead, without changing the answer.
//!
//! All threads judge the documents of a block as if none of them took another. What they found is
//! then gone through one document at a time, exactly as if there were one thread: a document that was
//! taken meanwhile is dropped, and so is a candidate. Since ever less is wanted, nothing can be missing.

use lookalike_detect::Verdict;
use lookalike_index::Place;
use rayon::prelude::*;

use super::gather::Gather;
use super::walk::{Failures, Rule, Walk, judge};
use super::{Effort, Join, JoinLimits, Judge};

/// Documents of a block for each thread: with more, more of them take each other, and what was found
/// out about these is in vain. Few in tests, so that small corpora make several blocks.
const DOCUMENTS_PER_THREAD: usize = if cfg!(test) { 6 } else { 256 };
/// Documents that a thread judges at a time.
const DOCUMENTS_AT_ONCE: usize = if cfg!(test) { 2 } else { 32 };

/// The candidates of a document in keep order; none where it must be judged at its turn.
type Ahead = Option<Vec<(Place, Verdict)>>;

impl<J: Judge, R: Rule + Sync> Walk<'_, J, R> {
    /// Deals with the first of these documents, as many as make a block; returns the others.
    pub(super) fn run_block<'p>(
        &mut self,
        mut places: &'p [Place],
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
        let Self { join, rule, limits, gather, .. } = self;
        let start = BlockStart { join, rule, limits: *limits, gather };
        let chunks = block.par_chunks(DOCUMENTS_AT_ONCE);
        let ahead: Result<Vec<Vec<Ahead>>, J::Error> =
            chunks.map(|documents| start.judge_all(documents)).collect();
        for (&left, ahead) in block.iter().zip(ahead?.into_iter().flatten()) {
            match ahead {
                Some(verdicts) => self.use_verdicts(left, &verdicts)?,
                None => self.visit(left)?,
            }
        }
        Ok(places)
    }

    /// Does what a visit would do.
    fn use_verdicts(&mut self, left: Place, verdicts: &[(Place, Verdict)]) -> Result<(), J::Error> {
        if !self.rule.opens(left) {
            return Ok(());
        }
        // So few candidates cannot reach the limit.
        let mut failures = Failures::new(usize::MAX, false);
        for &(candidate, verdict) in verdicts {
            if self.rule.wants(left, candidate) {
                self.use_verdict(left, candidate, (verdict, Effort::Full), &mut failures)?;
            }
        }
        if R::MARKS_BUCKETS && failures.count == 0 {
            self.gather.open(left, &self.rule)?;
            self.rule.all_confirmed(&self.gather.spans);
        }
        Ok(())
    }
}

/// What is known when a block begins.
struct BlockStart<'a, J, R> {
    join: &'a Join<'a, J>,
    rule: &'a R,
    limits: JoinLimits,
    gather: &'a Gather<'a>,
}

impl<J: Judge, R: Rule> BlockStart<'_, J, R> {
    fn judge_all(&self, documents: &[Place]) -> Result<Vec<Ahead>, J::Error> {
        let mut gather = self.gather.another();
        documents.iter().map(|&left| self.judge(left, &mut gather)).collect()
    }

    /// Judges the candidates of a document unless a limit might be reached by them.
    fn judge(&self, left: Place, gather: &mut Gather<'_>) -> Result<Ahead, J::Error> {
        let JoinLimits { failed_comparisons, ranked_members } = self.limits;
        let passing = self.rule.passed_members(failed_comparisons);
        if gather.open(left, self.rule)? > ranked_members.min(passing) || gather.meets_open {
            return Ok(None);
        }
        gather.collect_few(left, self.rule)?;
        if gather.candidates.len() > failed_comparisons {
            return Ok(None);
        }
        let verdict = |&candidate: &Place| Ok((candidate, judge(self.join, left, candidate)?));
        gather.candidates.iter().map(verdict).collect::<Result<_, _>>().map(Some)
    }
}
