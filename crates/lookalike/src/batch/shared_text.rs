//! How much of what a run found rests on text that a dozen other documents have as well.
//!
//! A template fills buckets with documents that are no duplicates of each other. What tells them from
//! a large cluster of copies is that few of their members stand in one cluster.

use hashbrown::HashSet;
use lookalike_index::{Buckets, IndexError, KeepOrder, Place};

use crate::cluster::{Clustering, Places};
use crate::report::SharedText;

/// A bucket in which so many stand that are no duplicates of each other tells a template.
const A_DOZEN: usize = 12;
/// Pairs that are looked at.
const SAMPLED_PAIRS: usize = 1_000;

impl SharedText {
    /// Looks through the buckets once, and at some pairs of documents in one cluster.
    pub(super) fn find(
        buckets: &Buckets,
        order: &KeepOrder,
        clustering: &Clustering,
    ) -> Result<Self, IndexError> {
        let mut found = Self { distinct_documents: order.len() as u64, ..Self::default() };
        if buckets.largest() < A_DOZEN {
            return Ok(found);
        }
        let cluster = |place: Place| {
            let document = order.document(place);
            clustering.membership(document).map_or(document, |membership| membership.keeper)
        };
        let mut looked_at = Places::new(buckets.n_members() + 1);
        let mut crowded = Places::new(buckets.n_members() + 1);
        let mut has_crowded = Places::new(order.len());
        let (mut spans, mut members) = (Vec::new(), Vec::new());
        let mut clusters = HashSet::new();
        for &place in buckets.groups() {
            for &span in buckets.spans(place, &mut spans)? {
                let bucket = Place(span.bucket() as u32);
                // The first to come sees all the others.
                if looked_at.contains(bucket) {
                    continue;
                }
                looked_at.insert(bucket);
                if span.len() + 1 < A_DOZEN {
                    continue;
                }
                let members = buckets.members(span, &mut members)?;
                clusters.clear();
                clusters.insert(cluster(place));
                for member in members {
                    clusters.insert(cluster(*member));
                    if clusters.len() == A_DOZEN {
                        crowded.insert(bucket);
                        let all = std::iter::once(&place).chain(members);
                        for at in all {
                            if clustering.membership(order.document(*at)).is_none() {
                                has_crowded.insert(*at);
                            }
                        }
                        break;
                    }
                }
            }
        }
        found.documents = has_crowded.len() as u64;
        found.count_pairs(buckets, order, clustering, &crowded)?;
        Ok(found)
    }

    /// Looks at some pairs that were confirmed, evenly spread through the keep order.
    fn count_pairs(
        &mut self,
        buckets: &Buckets,
        order: &KeepOrder,
        clustering: &Clustering,
        crowded: &Places,
    ) -> Result<(), IndexError> {
        let pair = |place: &Place| {
            let document = order.document(*place);
            let membership = clustering.membership(document)?;
            let keeper = order.place(membership.keeper)?;
            (keeper != *place && membership.score.is_some())
                .then(|| (keeper.min(*place), keeper.max(*place)))
        };
        let pairs: Vec<(Place, Place)> =
            (0..order.len() as u32).map(Place).filter_map(|place| pair(&place)).collect();
        let (mut spans, mut members) = (Vec::new(), Vec::new());
        for &(left, right) in pairs.iter().step_by(pairs.len().div_ceil(SAMPLED_PAIRS).max(1)) {
            let (mut n_shared, mut n_crowded) = (0, 0);
            for &span in buckets.spans(left, &mut spans)? {
                if buckets.contains(span, right, &mut members)? {
                    n_shared += 1;
                    n_crowded += usize::from(crowded.contains(Place(span.bucket() as u32)));
                }
            }
            self.sampled_pairs += u64::from(n_shared > 0);
            self.resting_pairs += u64::from(n_shared > 0 && n_shared == n_crowded);
        }
        Ok(())
    }
}
