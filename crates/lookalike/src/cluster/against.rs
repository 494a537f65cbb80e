//! Each new document against the known ones: no clusters among the known, nothing greedy.

use lookalike_detect::Verdict;
use lookalike_index::{KeepOrder, Place, Span};

use super::star::Star;
use super::stretch::Stretch;
use super::walk::{Outcome, Rule};
use super::{AllPairs, Clustering, Emit, Join, Judge, Pair};

/// The best known match of each new document so far.
#[derive(Debug)]
struct BestKnown<'a> {
    /// By place of the new document.
    best: Vec<Option<(Place, Verdict)>>,
    rule: KnownOnes<'a>,
}

impl<'a> Outcome for BestKnown<'a> {
    type Rule<'s> = KnownOnes<'a>;

    const ALL_PAIRS: bool = true;

    fn rule(&self, _: Stretch<'_>) -> KnownOnes<'a> {
        self.rule
    }

    fn confirm(&mut self, left: Place, candidate: Place, verdict: Verdict) {
        let best = &mut self.best[left.0 as usize];
        let is_better = best.is_none_or(|(place, highest)| {
            verdict.score > highest.score || (verdict.score == highest.score && candidate < place)
        });
        if is_better {
            *best = Some((candidate, verdict));
        }
    }
}

/// New documents look for known ones.
#[derive(Clone, Copy, Debug)]
struct KnownOnes<'a> {
    order: &'a KeepOrder,
    n_new: usize,
    /// Whether every match counts, or only the best.
    all: bool,
    keys_decide: bool,
}

impl Rule for KnownOnes<'_> {
    fn opens(&self, left: Place) -> bool {
        // Nothing matches better than the same text.
        (left.0 as usize) < self.n_new && (self.all || self.order.twin(left).is_none())
    }

    fn wants(&self, left: Place, candidate: Place) -> bool {
        !self.all || self.order.twin(left) != Some(candidate)
    }

    fn narrowed(&self, span: Span) -> Span {
        // Where keys decide all matches are as good, and the first is the one to name.
        if self.keys_decide && !self.all { span.part(0, 1) } else { span }
    }
}

impl<J: Judge> Join<'_, J> {
    /// Matches every new document of an order with two sides with the known ones.
    ///
    /// Each new document that matches joins the cluster of the known document it matches best;
    /// of equally good ones that is the first in keep order, and a text that is known already
    /// matches its copy. Emits every match if `all`, else the best one of each new document, which
    /// stands on the left.
    pub fn against(&self, all: bool, emit: Emit<'_, J::Error>) -> Result<Clustering, J::Error> {
        let n_new = self.order.n_new().unwrap_or(0);
        let keys_decide = self.judge.keys_decide();
        let rule = KnownOnes { order: self.order, n_new, all, keys_decide };
        let outcome = BestKnown { best: vec![None; n_new], rule };
        let mut emitted = 0;
        let mut emit_all = |left, right, verdict: Verdict| {
            if !verdict.duplicate {
                emit(self.pair(left, right, verdict))?;
            } else if all {
                emitted += self.emit_with_copies(left, right, verdict, emit)?;
            }
            Ok(())
        };
        let (mut outcome, counts) = self.walk(outcome, &mut emit_all)?;
        let mut clustering = Clustering::new(self.order.n_documents());
        clustering.counts = counts;
        for &(new, known) in self.order.twins() {
            clustering.counts.candidate_pairs += 1;
            outcome.best[new.0 as usize] = Some((known, Verdict::COPIES));
            if all {
                emitted += self.emit_with_copies(new, known, Verdict::COPIES, emit)?;
            }
        }
        for (new, best) in (0..).map(Place).zip(outcome.best) {
            let Some((known, verdict)) = best else { continue };
            let known = self.order.document(known);
            for document in self.group(new) {
                clustering.add(document, known, Some(verdict));
                if !all {
                    emit(Pair { left: document, right: known, verdict })?;
                    emitted += 1;
                }
            }
        }
        let copies = self.order.copies().iter().filter(|(place, _)| (place.0 as usize) < n_new);
        clustering.counts.candidate_pairs += copies.count() as u64;
        clustering.counts.confirmed_pairs = emitted;
        clustering.count_clusters();
        Ok(clustering)
    }

    /// Makes stars of the documents that have no cluster yet, in addition to those that have.
    ///
    /// Emits every confirmed pair if `all`, else the pairs that the new stars rest on.
    pub fn stars_of_the_rest(
        &self,
        clustering: Clustering,
        all: bool,
        emit: Emit<'_, J::Error>,
    ) -> Result<Clustering, J::Error> {
        let before = clustering.counts;
        let star = Star::resumed(self.order, clustering);
        let mut clustering = if all {
            let (star, counts) = self.walk_all_pairs(AllPairs(star), emit)?;
            star.0.finish(self, counts, &mut |_| Ok(()))?
        } else {
            let mut emit_pair = |left, right, verdict| emit(self.pair(left, right, verdict));
            let (star, counts) = self.walk(star, &mut emit_pair)?;
            star.finish(self, counts, emit)?
        };
        clustering.counts.add_work(&before);
        Ok(clustering)
    }
}
