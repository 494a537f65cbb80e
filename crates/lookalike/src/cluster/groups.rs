//! The walk through all groups, by all threads.
//!
//! A thread walks a stretch of whole groups alone, as it would if there were no others, and leaves
//! the pairs that it confirmed; these are taken in the order of the stretches. So threads neither
//! wait for each other nor judge in vain, and the answer is that of one thread. A group that would
//! keep all others waiting is walked by all threads together.

use std::sync::{Mutex, PoisonError};

use lookalike_detect::Verdict;
use lookalike_index::Place;

use super::crowds::CrowdPairs;
use super::stretch::{Division, Portion, Positions, Stretch, portions};
use super::walk::{EmitPair, Outcome, Rule, Walk};
use super::{Join, JoinCounts, Judge};
use lookalike_corpus::pass::{Room, in_order};

/// Stretches that may be under way for each thread: one of them may take long.
const STRETCHES_PER_THREAD: usize = 64;
/// Nothing stands in the way of other stretches.
const ROOM: Room = Room {
    pieces_per_thread: STRETCHES_PER_THREAD,
    // Pairs that are confirmed and not yet taken.
    piece_size: 1024,
    large_size: u64::MAX,
    // A stretch is begun by what was taken before it, and waits for whoever is taking.
    slow_fetch: true,
};

/// What a thread leaves of a stretch.
struct Walked {
    /// In the order in which they were confirmed.
    pairs: Vec<(Place, Place, Verdict)>,
    counts: JoinCounts,
}

/// What is taken in, in order.
struct Taken<'e, O, E> {
    outcome: O,
    counts: JoinCounts,
    emit: EmitPair<'e, E>,
}

impl<O: Outcome, E> Taken<'_, O, E> {
    fn take(&mut self, left: Place, candidate: Place, verdict: Verdict) -> Result<(), E> {
        if verdict.duplicate {
            self.outcome.confirm(left, candidate, verdict);
        }
        (self.emit)(left, candidate, verdict)
    }

    /// Adds what was counted after all that is here.
    fn count(&mut self, mut later: JoinCounts) {
        later.add_work(&self.counts);
        self.counts = later;
    }
}

impl<J: Judge> Join<'_, J> {
    /// Walks through all groups; pairs are confirmed and emitted in one order, whatever the threads.
    pub(super) fn walk<O: Outcome>(
        &self,
        outcome: O,
        emit: EmitPair<'_, J::Error>,
    ) -> Result<(O, JoinCounts), J::Error> {
        let crowds = CrowdPairs::find(self)?;
        let positions = Positions::new(self.buckets, self.order.len());
        let threads = rayon::current_num_threads();
        let mut taken = Taken { outcome, counts: JoinCounts::default(), emit };
        let helps = !self.judge.keys_decide();
        let division = Division { threads, all_pairs: O::ALL_PAIRS, helps };
        let portions = portions(self.buckets, division);
        let walk = GroupWalk { join: self, crowds: crowds.as_ref(), positions: &positions };
        for some in portions.chunk_by(|left, right| !left.is_large && !right.is_large) {
            if threads == 1 || some[0].is_large {
                some.iter().try_for_each(|portion| walk.alone(*portion, &mut taken))?;
            } else {
                walk.at_once(some, &mut taken)?;
            }
        }
        Ok((taken.outcome, taken.counts))
    }
}

struct GroupWalk<'a, J> {
    join: &'a Join<'a, J>,
    crowds: Option<&'a CrowdPairs>,
    positions: &'a Positions,
}

impl<J: Judge> GroupWalk<'_, J> {
    /// Walks a portion while no other is walked; a large group by all threads.
    fn alone<O: Outcome>(
        &self,
        portion: Portion<'_>,
        taken: &mut Taken<'_, O, J::Error>,
    ) -> Result<(), J::Error> {
        let stretch = Stretch::new(portion.places, self.positions);
        let rule = taken.outcome.rule(stretch);
        let mut take = |left, candidate, verdict| taken.take(left, candidate, verdict);
        let walk = Walk::new(self.join, self.crowds, stretch, rule, &mut take);
        let counts = if portion.is_large { walk.run_together()? } else { walk.run()? };
        taken.count(counts);
        Ok(())
    }

    /// Walks a stretch beside others.
    fn stretch<R: Rule + Sync>(&self, stretch: Stretch<'_>, rule: R) -> Result<Walked, J::Error> {
        let mut pairs = Vec::new();
        let mut take = |left, candidate, verdict| {
            pairs.push((left, candidate, verdict));
            Ok(())
        };
        let counts = Walk::new(self.join, self.crowds, stretch, rule, &mut take).run()?;
        Ok(Walked { pairs, counts })
    }

    /// Walks stretches on all threads, each by one of them.
    fn at_once<O: Outcome>(
        &self,
        portions: &[Portion<'_>],
        taken: &mut Taken<'_, O, J::Error>,
    ) -> Result<(), J::Error> {
        let taken = Mutex::new(taken);
        let mut portions = portions.iter();
        let fetch = || {
            let Some(portion) = portions.next() else { return Ok(None) };
            let stretch = Stretch::new(portion.places, self.positions);
            let rule = taken.lock().unwrap_or_else(PoisonError::into_inner).outcome.rule(stretch);
            Ok(Some(((stretch, rule), portion.most_pairs as u64)))
        };
        let work = |(stretch, rule)| self.stretch(stretch, rule);
        let take = |walked: Result<Walked, J::Error>| {
            let Walked { pairs, counts } = walked?;
            let mut taken = taken.lock().unwrap_or_else(PoisonError::into_inner);
            for (left, candidate, verdict) in pairs {
                taken.take(left, candidate, verdict)?;
            }
            taken.count(counts);
            Ok(())
        };
        in_order(ROOM, fetch, work, take)
    }
}
