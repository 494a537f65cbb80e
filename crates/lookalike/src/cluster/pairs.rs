//! Every confirmed pair, for those who want more than clusters.

use lookalike_detect::Verdict;
use lookalike_index::{DocumentId, Place};

use super::stretch::Stretch;
use super::walk::{Outcome, Rule};
use super::{Emit, Join, JoinCounts, Judge, Pair};

/// Wants every candidate pair judged, and makes clusters of the confirmed ones as another does.
#[derive(Debug)]
pub(super) struct AllPairs<O>(pub(super) O);

impl<O: Outcome> Outcome for AllPairs<O> {
    type Rule<'s> = Everybody;

    const ALL_PAIRS: bool = true;

    fn rule(&self, _: Stretch<'_>) -> Everybody {
        Everybody
    }

    fn confirm(&mut self, left: Place, candidate: Place, verdict: Verdict) {
        self.0.confirm(left, candidate, verdict);
    }
}

/// Every candidate pair is wanted.
#[derive(Debug)]
pub(super) struct Everybody;

impl Rule for Everybody {
    const QUICK: bool = true;

    fn opens(&self, _: Place) -> bool {
        true
    }

    fn wants(&self, _: Place, _: Place) -> bool {
        true
    }
}

impl<J: Judge> Join<'_, J> {
    pub(super) fn pair(&self, left: Place, right: Place, verdict: Verdict) -> Pair {
        Pair { left: self.order.document(left), right: self.order.document(right), verdict }
    }

    /// Emits all pairs: those of the walk, with the copies of both sides, and those among copies.
    pub(super) fn walk_all_pairs<O: Outcome>(
        &self,
        outcome: AllPairs<O>,
        emit: Emit<'_, J::Error>,
    ) -> Result<(AllPairs<O>, JoinCounts), J::Error> {
        let mut extra_pairs = 0;
        let mut emit_group = |left, right, verdict: Verdict| {
            if !verdict.duplicate {
                return emit(self.pair(left, right, verdict));
            }
            extra_pairs += self.emit_with_copies(left, right, verdict, emit)? - 1;
            Ok(())
        };
        let (outcome, mut counts) = self.walk(outcome, &mut emit_group)?;
        for copies in self.order.copies().chunk_by(|left, right| left.0 == right.0) {
            let group: Vec<DocumentId> = self.group(copies[0].0).collect();
            for (position, &left) in group.iter().enumerate() {
                for &right in &group[position + 1..] {
                    emit(Pair { left, right, verdict: Verdict::COPIES })?;
                    extra_pairs += 1;
                }
            }
        }
        counts.candidate_pairs += extra_pairs;
        counts.confirmed_pairs += extra_pairs;
        Ok((outcome, counts))
    }

    /// Emits a pair for both sides and all their copies; returns how many.
    pub(super) fn emit_with_copies(
        &self,
        left: Place,
        right: Place,
        verdict: Verdict,
        emit: Emit<'_, J::Error>,
    ) -> Result<u64, J::Error> {
        let mut emitted = 0;
        for left in self.group(left) {
            for right in self.group(right) {
                emit(Pair { left, right, verdict })?;
                emitted += 1;
            }
        }
        Ok(emitted)
    }

    /// A document and its copies.
    pub(super) fn group(&self, place: Place) -> impl Iterator<Item = DocumentId> + '_ {
        let copies = self.order.copies_of(place).iter().map(|&(_, copy)| copy);
        std::iter::once(self.order.document(place)).chain(copies)
    }
}
