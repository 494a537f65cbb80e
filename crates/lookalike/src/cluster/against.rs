//! Each new document against the known ones: no clusters among the known, nothing greedy.

use std::collections::BTreeMap;

use lookalike_index::{Buckets, DocumentId, KeepOrder, Place};
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::{Clustering, Emit, Judge, Pair};

/// New documents judged at a time; their matches are then taken in order.
const GROUP: u32 = 1024;
/// Members of a document's buckets that are looked at, smallest buckets first.
const LOOKED_AT: usize = 8192;

/// The join of new documents (first in the order, numbered below `n_new`) with known ones.
pub struct Against<'a, J> {
    /// New documents before known ones.
    pub order: &'a KeepOrder,
    /// Who shares a bucket, built with the same order.
    pub buckets: &'a Buckets,
    /// The judge of pairs.
    pub judge: &'a J,
    /// Documents below this number are new.
    pub n_new: usize,
    /// Whether new documents are matched with each other as well.
    pub among_new: bool,
    /// Whether every match is emitted, or only the best known one of each new document.
    pub all: bool,
    /// A document is compared until so many comparisons have failed.
    pub failed_comparisons: usize,
}

/// What one new document led to.
#[derive(Default)]
struct Matches {
    pairs: Vec<Pair>,
    compared: u64,
    skipped: u64,
}

impl<J: Judge> Against<'_, J> {
    /// Matches all new documents; pairs have the new document on the left.
    pub fn run(
        &self,
        n_documents: usize,
        emit: Emit<'_, J::Error>,
    ) -> Result<Clustering, J::Error> {
        let mut clustering = Clustering::new(n_documents);
        let n_places = self.order.len() as u32;
        for start in (0..n_places).step_by(GROUP as usize) {
            let group: Vec<Matches> = (start..(start + GROUP).min(n_places))
                .into_par_iter()
                .map(|place| self.matches(Place(place)))
                .collect::<Result<_, _>>()?;
            for matches in group {
                clustering.counts.candidate_pairs += matches.compared;
                clustering.counts.skipped_comparisons += matches.skipped;
                self.take(matches.pairs, &mut clustering, emit)?;
            }
        }
        clustering.count_clusters();
        Ok(clustering)
    }

    fn take(
        &self,
        pairs: Vec<Pair>,
        clustering: &mut Clustering,
        emit: Emit<'_, J::Error>,
    ) -> Result<(), J::Error> {
        let known = pairs.iter().filter(|pair| !self.is_new(pair.right));
        // The first of equally good ones comes first in keep order.
        let best =
            known.copied().reduce(|best, pair| if pair.score > best.score { pair } else { best });
        if let Some(best) = best {
            clustering.add(best.left, best.right, best.score);
        }
        for pair in pairs {
            if self.all || self.is_new(pair.right) || Some(pair) == best {
                clustering.counts.confirmed_pairs += 1;
                emit(pair)?;
            }
        }
        Ok(())
    }

    fn is_new(&self, document: DocumentId) -> bool {
        (document.0 as usize) < self.n_new
    }

    fn matches(&self, place: Place) -> Result<Matches, J::Error> {
        let left = self.order.document(place);
        let mut matches = Matches::default();
        if !self.is_new(left) {
            return Ok(matches);
        }
        let mut failed = 0;
        for (right, _) in self.candidates(place, &mut matches.skipped)? {
            if failed >= self.failed_comparisons {
                matches.skipped += 1;
                continue;
            }
            matches.compared += 1;
            let score = if self.judge.keys_decide() {
                1.0
            } else {
                let verdict = self.judge.judge(left, right)?;
                if !verdict.duplicate {
                    failed += 1;
                    continue;
                }
                verdict.score
            };
            matches.pairs.push(Pair { left, right, score });
        }
        matches.pairs.sort_by_key(|pair| self.order.place(pair.right));
        Ok(matches)
    }

    /// The documents after `place` in its buckets with the number of buckets shared, most first.
    fn candidates(
        &self,
        place: Place,
        skipped: &mut u64,
    ) -> Result<Vec<(DocumentId, u32)>, J::Error> {
        let (mut span_buffer, mut member_buffer) = (Vec::new(), Vec::new());
        let mut spans = self.buckets.spans(place, &mut span_buffer)?.to_vec();
        spans.sort_by_key(|span| span.len());
        let mut shared: BTreeMap<Place, u32> = BTreeMap::new();
        let mut budget = LOOKED_AT;
        for span in spans {
            let part = span.part(0, budget.max(1));
            *skipped += (span.len() - part.len()) as u64;
            budget = budget.saturating_sub(part.len());
            for member in self.buckets.members(part, &mut member_buffer)? {
                if self.among_new || !self.is_new(self.order.document(*member)) {
                    *shared.entry(*member).or_default() += 1;
                }
            }
        }
        let mut candidates: Vec<(Place, u32)> = shared.into_iter().collect();
        candidates.sort_by_key(|(place, count)| (std::cmp::Reverse(*count), *place));
        let document = |(place, count)| (self.order.document(place), count);
        Ok(candidates.into_iter().map(document).collect())
    }
}
