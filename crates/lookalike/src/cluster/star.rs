//! Stars: the best document not yet taken keeps the confirmed candidates that are still free.

use lookalike_detect::Verdict;
use lookalike_index::{KeepOrder, Place};

use super::stretch::Stretch;
use super::walk::{Outcome, Rule};
use super::{Clustering, Emit, Join, JoinCounts, Judge, Pair};

/// The stars found so far.
#[derive(Debug)]
pub(super) struct Star<'a> {
    order: &'a KeepOrder,
    /// A bit for each place whose document belongs to a keeper.
    taken: Vec<u64>,
    clustering: Clustering,
}

impl<'a> Star<'a> {
    pub(super) fn new(order: &'a KeepOrder) -> Self {
        Self {
            order,
            taken: vec![0; order.len().div_ceil(64)],
            clustering: Clustering::new(order.n_documents()),
        }
    }

    /// Goes on from clusters that are there already: their members are taken.
    pub(super) fn resumed(order: &'a KeepOrder, clustering: Clustering) -> Self {
        let mut taken = vec![0; order.len().div_ceil(64)];
        for place in 0..order.len() as u32 {
            let is_taken = clustering.membership(order.document(Place(place))).is_some();
            taken[place as usize / 64] |= u64::from(is_taken) << (place % 64);
        }
        Self { order, taken, clustering }
    }

    fn is_free(&self, place: Place) -> bool {
        self.taken[place.0 as usize / 64] >> (place.0 % 64) & 1 == 0
    }

    /// Gives copies to the keeper of their original, and emits those pairs.
    pub(super) fn finish<J: Judge>(
        mut self,
        join: &Join<'_, J>,
        counts: JoinCounts,
        emit: Emit<'_, J::Error>,
    ) -> Result<Clustering, J::Error> {
        self.clustering.counts = counts;
        for &(original, copy) in join.order.copies() {
            let original = join.order.document(original);
            if self.clustering.membership(copy).is_some() {
                continue;
            }
            let (keeper, verdict) = match self.clustering.membership(original) {
                Some(membership) => (membership.keeper, membership.verdict()),
                None => (original, Verdict::COPIES),
            };
            self.clustering.add(copy, keeper, Some(verdict));
            emit(Pair { left: keeper, right: copy, verdict })?;
        }
        self.clustering.count_clusters();
        Ok(self.clustering)
    }
}

impl Outcome for Star<'_> {
    type Rule<'s> = FreeDocuments<'s>;

    fn rule<'s>(&self, stretch: Stretch<'s>) -> FreeDocuments<'s> {
        let mut taken = vec![0; stretch.len().div_ceil(64)];
        for (number, &place) in stretch.places.iter().enumerate() {
            taken[number / 64] |= u64::from(!self.is_free(place)) << (number % 64);
        }
        FreeDocuments { stretch, taken }
    }

    fn confirm(&mut self, left: Place, candidate: Place, verdict: Verdict) {
        if self.is_free(left) && self.is_free(candidate) {
            self.taken[candidate.0 as usize / 64] |= 1 << (candidate.0 % 64);
            let (keeper, member) = (self.order.document(left), self.order.document(candidate));
            self.clustering.add(member, keeper, Some(verdict));
        }
    }
}

/// The documents of a stretch that belong to no keeper.
#[derive(Debug)]
pub(super) struct FreeDocuments<'s> {
    stretch: Stretch<'s>,
    /// A bit for each document that belongs to one.
    taken: Vec<u64>,
}

impl FreeDocuments<'_> {
    fn is_free(&self, place: Place) -> bool {
        let number = self.stretch.number(place);
        self.taken[number / 64] >> (number % 64) & 1 == 0
    }
}

impl Rule for FreeDocuments<'_> {
    const FOR_EVER: bool = true;
    const QUICK: bool = true;

    fn opens(&self, left: Place) -> bool {
        self.is_free(left)
    }

    fn wants(&self, _: Place, candidate: Place) -> bool {
        self.is_free(candidate)
    }

    fn confirm(&mut self, _: Place, candidate: Place) {
        let number = self.stretch.number(candidate);
        self.taken[number / 64] |= 1 << (number % 64);
    }
}
