//! Components: whatever confirmed pairs connect, however unlike its ends.

use hashbrown::HashSet;
use lookalike_detect::Verdict;
use lookalike_index::{KeepOrder, Place, Span, UnionFind};

use super::stretch::Stretch;
use super::walk::{Outcome, Rule};
use super::{Clustering, Emit, Join, JoinCounts, Judge, Pair};

/// Members of a bucket that may be passed over, as connected already, for each comparison that may
/// fail: bounds the walk through a large bucket that is connected but for a few documents.
const PASSED_PER_COMPARISON: usize = 16;
/// Marking the buckets smaller than this costs more than it saves.
const LARGE_BUCKET: usize = 16;
const NOBODY: u32 = u32::MAX;

/// The components found so far, by place.
#[derive(Debug)]
pub(super) struct Components {
    sets: UnionFind,
    /// The first document that was confirmed with this one and is better, and the score.
    first_links: Vec<u32>,
    first_verdicts: Vec<Verdict>,
}

impl Components {
    pub(super) fn new(order: &KeepOrder) -> Self {
        Self {
            sets: UnionFind::new(order.len()),
            first_links: vec![NOBODY; order.len()],
            first_verdicts: vec![Verdict::NOT_COMPARED; order.len()],
        }
    }

    /// Gives each member its keeper, adds the copies and emits their pairs.
    ///
    /// A keeper is the best of its component and looked for candidates before anybody else there
    /// did, so that whoever was confirmed with it was so first. Whoever was not has no score.
    pub(super) fn finish<J: Judge>(
        self,
        join: &Join<'_, J>,
        counts: JoinCounts,
        emit: Emit<'_, J::Error>,
    ) -> Result<Clustering, J::Error> {
        let mut clustering = Clustering::new(join.order.n_documents());
        clustering.counts = counts;
        for place in 0..join.order.len() as u32 {
            let keeper = self.sets.find(place);
            if keeper != place {
                let is_confirmed = self.first_links[place as usize] == keeper;
                let verdict = is_confirmed.then(|| self.first_verdicts[place as usize]);
                let (keeper, member) = (Place(keeper), Place(place));
                clustering.add(join.order.document(member), join.order.document(keeper), verdict);
            }
        }
        for &(original, copy) in join.order.copies() {
            let original = join.order.document(original);
            let (keeper, verdict) = match clustering.membership(original) {
                Some(membership) => {
                    (membership.keeper, membership.score.map(|_| membership.verdict()))
                }
                None => (original, Some(Verdict::COPIES)),
            };
            clustering.add(copy, keeper, verdict);
            emit(Pair { left: original, right: copy, verdict: Verdict::COPIES })?;
        }
        clustering.count_clusters();
        Ok(clustering)
    }
}

impl Outcome for Components {
    type Rule<'s> = Unconnected<'s>;

    fn rule<'s>(&self, stretch: Stretch<'s>) -> Unconnected<'s> {
        let sets = UnionFind::new(stretch.len());
        Unconnected { stretch, sets, connected_buckets: HashSet::new() }
    }

    fn confirm(&mut self, left: Place, candidate: Place, verdict: Verdict) {
        if self.sets.union(left.0, candidate.0) && self.first_links[candidate.0 as usize] == NOBODY
        {
            self.first_links[candidate.0 as usize] = left.0;
            self.first_verdicts[candidate.0 as usize] = verdict;
        }
    }
}

/// The documents of a stretch that are not yet connected.
#[derive(Debug)]
pub(super) struct Unconnected<'s> {
    stretch: Stretch<'s>,
    sets: UnionFind,
    /// The buckets whose remaining members are known to be connected.
    connected_buckets: HashSet<usize>,
}

impl Rule for Unconnected<'_> {
    const MARKS_BUCKETS: bool = true;

    fn opens(&self, _: Place) -> bool {
        true
    }

    fn wants(&self, left: Place, candidate: Place) -> bool {
        let [left, candidate] = [left, candidate].map(|place| self.stretch.number(place) as u32);
        self.sets.find(left) != self.sets.find(candidate)
    }

    fn confirm(&mut self, left: Place, candidate: Place) {
        let [left, candidate] = [left, candidate].map(|place| self.stretch.number(place) as u32);
        self.sets.union(left, candidate);
    }

    fn skips(&self, span: Span) -> bool {
        self.connected_buckets.contains(&span.bucket())
    }

    fn all_confirmed(&mut self, spans: &[Span]) {
        let large = spans.iter().filter(|span| span.len() >= LARGE_BUCKET);
        self.connected_buckets.extend(large.map(|span| span.bucket()));
    }

    fn passed_members(&self, failed_comparisons: usize) -> usize {
        failed_comparisons.saturating_mul(PASSED_PER_COMPARISON)
    }
}
