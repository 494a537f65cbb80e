//! Two sides that have nothing in common.

use std::collections::BTreeMap;

use lookalike_detect::random::SplitMix64;
use lookalike_detect::train::components;

/// The largest share of the documents that may be bound together before some are left out instead.
const MOST_BOUND: f64 = 0.6;

/// Two sides of the documents that have neither a cluster nor a group in common.
///
/// Where every cluster stays within few groups, as where sites do not copy each other, no document
/// is lost. Where clusters run through all groups, as stories do through templates, both are halved,
/// and a document whose cluster is on one side and whose group is on the other is on neither.
pub fn halve_apart(
    clusters: &[u32],
    groups: &[u32],
    generator: &mut SplitMix64,
) -> [Vec<usize>; 2] {
    let bound = bound_together(clusters, groups);
    let largest = sizes(&bound).into_values().max().unwrap_or(0);
    let whole: Vec<Option<usize>> = if largest as f64 <= MOST_BOUND * clusters.len() as f64 {
        balanced(&bound, generator).into_iter().map(Some).collect()
    } else {
        let (by_cluster, by_group) = (balanced(clusters, generator), balanced(groups, generator));
        let sides = by_cluster.into_iter().zip(by_group);
        sides.map(|(cluster, group)| (cluster == group).then_some(cluster)).collect()
    };
    [0, 1].map(|side| (0..clusters.len()).filter(|&d| whole[d] == Some(side)).collect())
}

/// A name for all documents that clusters and groups link with each other.
fn bound_together(clusters: &[u32], groups: &[u32]) -> Vec<u32> {
    let mut links = Vec::new();
    for names in [clusters, groups] {
        let mut first: BTreeMap<u32, u32> = BTreeMap::new();
        for (document, name) in names.iter().enumerate() {
            let leader = *first.entry(*name).or_insert(document as u32);
            links.push((leader, document as u32));
        }
    }
    components(clusters.len(), &links)
}

fn sizes(names: &[u32]) -> BTreeMap<u32, usize> {
    let mut sizes = BTreeMap::new();
    for name in names {
        *sizes.entry(*name).or_insert(0) += 1;
    }
    sizes
}

/// The side of each document: names go, in random order, to the side that has fewer documents.
fn balanced(names: &[u32], generator: &mut SplitMix64) -> Vec<usize> {
    let sizes = sizes(names);
    let mut order: Vec<u32> = sizes.keys().copied().collect();
    generator.shuffle(&mut order);
    let first = generator.next_below(2) as usize;
    let (mut taken, mut sides) = ([0, 0], BTreeMap::new());
    for name in order {
        let side = if taken[first] <= taken[1 - first] { first } else { 1 - first };
        taken[side] += sizes[&name];
        sides.insert(name, side);
    }
    names.iter().map(|name| sides[name]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nothing_in_common(names: &[u32], sides: &[Vec<usize>; 2]) -> bool {
        let on = |side: usize| sides[side].iter().map(|d| names[*d]).collect::<Vec<u32>>();
        on(0).iter().all(|name| !on(1).contains(name))
    }

    #[test]
    fn stories_that_run_through_all_templates_cost_the_documents_between() {
        let clusters: Vec<u32> = (0..400).map(|d| d / 20).collect();
        let groups: Vec<u32> = (0..400).map(|d| d % 20).collect();
        for seed in 0..5 {
            let sides = halve_apart(&clusters, &groups, &mut SplitMix64::new(seed));
            assert_eq!(sides.each_ref().map(Vec::len), [100, 100]);
            assert!(nothing_in_common(&clusters, &sides) && nothing_in_common(&groups, &sides));
        }
    }

    #[test]
    fn clusters_within_their_groups_cost_nothing() {
        let clusters: Vec<u32> = (0..300).map(|d| d / 3).collect();
        let groups: Vec<u32> = (0..300).map(|d| d / 30).collect();
        let sides = halve_apart(&clusters, &groups, &mut SplitMix64::new(1));
        assert_eq!(sides.each_ref().map(Vec::len), [150, 150]);
        assert!(nothing_in_common(&clusters, &sides) && nothing_in_common(&groups, &sides));
    }

    #[test]
    fn two_groups_are_one_on_each_side_and_either_may_be_first() {
        let groups: Vec<u32> = (0..40).map(|d| d / 20).collect();
        let clusters: Vec<u32> = (0..40).collect();
        let first = |seed| halve_apart(&clusters, &groups, &mut SplitMix64::new(seed))[0][0];
        let firsts: Vec<usize> = (0..20).map(first).collect();
        assert!(firsts.contains(&0) && firsts.contains(&20), "{firsts:?}");
    }
}
