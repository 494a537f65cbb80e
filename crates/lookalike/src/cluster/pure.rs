//! Clusters from confirmed pairs, plainly: what the walk's clusters are, whatever it saves.

use std::collections::BTreeMap;

use lookalike_detect::Verdict;
use lookalike_index::{DocumentId, UnionFind};

use super::{Clustering, Pair};

/// Stars of confirmed pairs: in the order given, best first, each document that is not yet taken
/// keeps the partners that are still free.
///
/// Documents that are not in the order take no part. A score belongs to the pair of a member and
/// its keeper.
pub fn stars(order: &[DocumentId], pairs: &[Pair]) -> Clustering {
    let partners = Partners::new(order, pairs);
    let mut clustering = Clustering::new(partners.n_documents);
    for (place, &keeper) in (0..).zip(order) {
        if clustering.membership(keeper).is_some_and(|membership| membership.keeper != keeper) {
            continue;
        }
        for (&member, &verdict) in partners.later.get(&place).into_iter().flatten() {
            let member = order[member as usize];
            if clustering.membership(member).is_none() {
                clustering.add(member, keeper, Some(verdict));
            }
        }
    }
    clustering.count_clusters();
    clustering
}

/// Components of confirmed pairs: whatever they connect, kept by the best in the order given.
///
/// A score belongs to the pair of a member and its keeper; a member that is connected only
/// through others has none.
pub fn components(order: &[DocumentId], pairs: &[Pair]) -> Clustering {
    let partners = Partners::new(order, pairs);
    let mut sets = UnionFind::new(order.len());
    for (&left, later) in &partners.later {
        for &right in later.keys() {
            sets.union(left, right);
        }
    }
    let mut clustering = Clustering::new(partners.n_documents);
    for (place, &member) in (0..).zip(order) {
        let keeper = sets.find(place);
        if keeper != place {
            let verdict = partners.later.get(&keeper).and_then(|later| later.get(&place));
            clustering.add(member, order[keeper as usize], verdict.copied());
        }
    }
    clustering.count_clusters();
    clustering
}

/// Confirmed pairs by their places in the order.
struct Partners {
    /// By the better document of a pair: the others, with the verdict.
    later: BTreeMap<u32, BTreeMap<u32, Verdict>>,
    n_documents: usize,
}

impl Partners {
    fn new(order: &[DocumentId], pairs: &[Pair]) -> Self {
        let places: BTreeMap<DocumentId, u32> = order.iter().copied().zip(0..).collect();
        let mut later: BTreeMap<u32, BTreeMap<u32, Verdict>> = BTreeMap::new();
        for pair in pairs {
            let (left, right) = (places.get(&pair.left), places.get(&pair.right));
            if let (Some(&left), Some(&right)) = (left, right)
                && left != right
            {
                later.entry(left.min(right)).or_default().insert(left.max(right), pair.verdict);
            }
        }
        let last = order.iter().map(|document| document.0 as usize + 1).max();
        Self { later, n_documents: last.unwrap_or(0) }
    }
}
