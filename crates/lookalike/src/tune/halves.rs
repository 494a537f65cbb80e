//! Labels, and how they are halved.

use std::collections::BTreeMap;

use lookalike_detect::random::SplitMix64;
use lookalike_detect::train::{TrainingPairs, components};

use super::halve_apart;

/// What is known of the documents.
#[derive(Clone, Debug)]
pub enum Labels {
    /// The cluster of each document; all pairs are known.
    Clusters(Vec<u32>),
    /// Judged pairs; nothing else is known.
    Pairs(TrainingPairs),
}

/// One side of a halving: documents, and the pairs among them whose truth is known.
#[derive(Clone, Debug, Default)]
pub(super) struct Half {
    /// Numbers of the documents.
    pub(super) documents: Vec<usize>,
    /// Judged pairs as places in `documents`; `None` where all pairs are known by cluster.
    pub(super) judged: Option<TrainingPairs>,
}

impl Labels {
    /// How many pairs of near-duplicates are known.
    pub fn n_positive(&self) -> usize {
        match self {
            Self::Clusters(clusters) => {
                sizes(clusters).values().map(|size| size * (size - 1) / 2).sum()
            }
            Self::Pairs(pairs) => pairs.positive.len(),
        }
    }

    /// How many groups the near-duplicates come from.
    pub fn n_positive_groups(&self) -> usize {
        match self {
            Self::Clusters(clusters) => sizes(clusters).values().filter(|size| **size > 1).count(),
            Self::Pairs(pairs) => pairs.positive.len(),
        }
    }

    /// All documents and labels as one half.
    pub(super) fn whole(&self, n_documents: usize) -> Half {
        let judged = match self {
            Self::Clusters(_) => None,
            Self::Pairs(pairs) => Some(pairs.clone()),
        };
        Half { documents: (0..n_documents).collect(), judged }
    }

    /// Two sides at random that have nothing in common: their documents, and what is known of these by
    /// their places.
    pub fn divide(&self, groups: &[u32], generator: &mut SplitMix64) -> [(Vec<usize>, Self); 2] {
        self.halve(groups, generator).map(|half| {
            let labels = match (self, half.judged) {
                (Self::Clusters(clusters), _) => {
                    Self::Clusters(half.documents.iter().map(|&d| clusters[d]).collect())
                }
                (Self::Pairs(_), judged) => Self::Pairs(judged.unwrap_or_default()),
            };
            (half.documents, labels)
        })
    }

    /// Two sides at random; no cluster and no group is torn, and no pair of judged near-duplicates is
    /// parted from others that share a document with it.
    ///
    /// Several draws are made where a side lacks near-duplicates or other pairs; where groups are so
    /// few that no draw has both, clusters alone are kept apart.
    pub(super) fn halve(&self, groups: &[u32], generator: &mut SplitMix64) -> [Half; 2] {
        const DRAWS: usize = 20;
        let alone: Vec<u32> = (0..groups.len() as u32).collect();
        let mut halves = self.draw(groups, generator);
        for draw in 0..2 * DRAWS {
            if halves.iter().all(|half| self.teaches(half)) {
                break;
            }
            halves = self.draw(if draw < DRAWS { groups } else { &alone }, generator);
        }
        halves
    }

    fn draw(&self, groups: &[u32], generator: &mut SplitMix64) -> [Half; 2] {
        match self {
            Self::Clusters(clusters) => halve_apart(clusters, groups, generator)
                .map(|documents| Half { documents, judged: None }),
            Self::Pairs(pairs) => halve_pairs(pairs, groups, generator).map(|half| numbered(&half)),
        }
    }

    /// Whether a half has near-duplicates and other pairs.
    fn teaches(&self, half: &Half) -> bool {
        match (self, &half.judged) {
            (_, Some(judged)) => !judged.positive.is_empty() && !judged.negative.is_empty(),
            (Self::Clusters(clusters), None) => {
                let of_half: Vec<u32> = half.documents.iter().map(|&d| clusters[d]).collect();
                let sizes = sizes(&of_half);
                sizes.len() > 1 && sizes.values().any(|size| *size > 1)
            }
            (Self::Pairs(_), None) => false,
        }
    }
}

fn sizes(clusters: &[u32]) -> BTreeMap<u32, usize> {
    let mut sizes = BTreeMap::new();
    for cluster in clusters {
        *sizes.entry(*cluster).or_insert(0) += 1;
    }
    sizes
}

type Pairs = Vec<(u32, u32)>;

/// The sides of documents by the clusters that near-duplicates form and by groups; a pair whose
/// documents are on different sides is on neither. Where each document is a group of its own, all
/// judged pairs that share a document stay together, and none is lost.
fn halve_pairs(
    pairs: &TrainingPairs,
    groups: &[u32],
    generator: &mut SplitMix64,
) -> [TrainingPairs; 2] {
    let all = pairs.positive.iter().chain(&pairs.negative);
    let mut documents: Vec<u32> = all.flat_map(|&(left, right)| [left, right]).collect();
    documents.sort_unstable();
    documents.dedup();
    let n_documents = documents.last().map_or(0, |last| *last as usize + 1);
    let of_documents =
        |names: &[u32]| -> Vec<u32> { documents.iter().map(|&d| names[d as usize]).collect() };
    let from = of_documents(groups);
    let names = if sizes(&from).values().any(|size| *size > 1) {
        of_documents(&components(n_documents, &pairs.positive))
    } else {
        let links: Pairs = pairs.positive.iter().chain(&pairs.negative).copied().collect();
        of_documents(&components(n_documents, &links))
    };
    let sides = halve_apart(&names, &from, generator);
    let side = |document: u32| {
        let place = documents.partition_point(|&d| d < document);
        sides.iter().position(|side| side.binary_search(&place).is_ok())
    };
    let within = |pairs: &Pairs, wanted: usize| -> Pairs {
        let is_within = |&&(left, right): &&(u32, u32)| {
            side(left) == Some(wanted) && side(right) == Some(wanted)
        };
        pairs.iter().filter(is_within).copied().collect()
    };
    [0, 1].map(|wanted| TrainingPairs {
        positive: within(&pairs.positive, wanted),
        negative: within(&pairs.negative, wanted),
    })
}

/// The documents of judged pairs, and the pairs by their place among them.
fn numbered(pairs: &TrainingPairs) -> Half {
    let all = pairs.positive.iter().chain(&pairs.negative);
    let mut documents: Vec<usize> =
        all.flat_map(|&(left, right)| [left as usize, right as usize]).collect();
    documents.sort_unstable();
    documents.dedup();
    let place = |document: u32| documents.partition_point(|&d| d < document as usize) as u32;
    let places = |pairs: &Pairs| pairs.iter().map(|&(l, r)| (place(l), place(r))).collect();
    let judged =
        TrainingPairs { positive: places(&pairs.positive), negative: places(&pairs.negative) };
    Half { documents, judged: Some(judged) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alone(n_documents: u32) -> Vec<u32> {
        (0..n_documents).collect()
    }

    #[test]
    fn halving_tears_no_cluster_and_loses_no_document() {
        let labels = Labels::Clusters((0..60).map(|document| document % 13).collect());
        let [left, right] = labels.halve(&alone(60), &mut SplitMix64::new(3));
        assert_eq!(left.documents.len() + right.documents.len(), 60);
        assert!(left.documents.iter().all(|l| right.documents.iter().all(|r| l % 13 != r % 13)));
    }

    #[test]
    fn near_duplicates_that_share_a_document_stay_together() {
        let positive: Vec<(u32, u32)> =
            (0..20).flat_map(|n| [(3 * n, 3 * n + 1), (3 * n + 1, 3 * n + 2)]).collect();
        let negative: Vec<(u32, u32)> = (0..20).map(|n| (3 * n, 60 + n)).collect();
        let pairs = TrainingPairs { positive, negative };
        let halves = halve_pairs(&pairs, &alone(80), &mut SplitMix64::new(5));
        let documents = halves.each_ref().map(|half| {
            half.positive.iter().flat_map(|(left, right)| [*left, *right]).collect::<Vec<_>>()
        });
        assert_eq!(halves[0].positive.len() + halves[1].positive.len(), 40);
        assert_eq!(halves.each_ref().map(|half| half.negative.len()), [10, 10]);
        assert!(documents[0].iter().all(|document| !documents[1].contains(document)));
    }

    #[test]
    fn judged_pairs_of_one_source_are_on_one_side() {
        let pair = |n: u32| (2 * n, 2 * n + 1);
        let pairs = TrainingPairs {
            positive: (0..20).map(pair).collect(),
            negative: (20..40).map(pair).collect(),
        };
        let groups: Vec<u32> = (0..80).map(|document| document / 2 % 2).collect();
        let halves = halve_pairs(&pairs, &groups, &mut SplitMix64::new(2));
        for half in &halves {
            let groups: Vec<u32> =
                half.positive.iter().chain(&half.negative).map(|p| groups[p.0 as usize]).collect();
            assert_eq!(groups.len(), 20);
            assert!(groups.iter().all(|group| *group == groups[0]));
        }
    }

    #[test]
    fn documents_of_one_group_are_halved_by_what_they_are() {
        let pair = |n: u32| (2 * n, 2 * n + 1);
        let pairs = TrainingPairs {
            positive: (0..20).map(pair).collect(),
            negative: (20..40).map(pair).collect(),
        };
        let clusters = Labels::Clusters((0..80).map(|document| document / 4).collect());
        for labels in [Labels::Pairs(pairs), clusters] {
            let halves = labels.halve(&[7; 80], &mut SplitMix64::new(4));
            assert!(halves.iter().all(|half| labels.teaches(half)), "{halves:?}");
            assert_eq!(halves.each_ref().map(|half| half.documents.len()), [40, 40]);
        }
    }

    #[test]
    fn judged_pairs_are_renumbered_by_their_documents() {
        let pairs =
            TrainingPairs { positive: vec![(3, 9), (1, 4)], negative: vec![(2, 7), (5, 6)] };
        for half in Labels::Pairs(pairs.clone()).halve(&alone(10), &mut SplitMix64::new(1)) {
            let judged = half.judged.unwrap();
            assert_eq!((judged.positive.len(), judged.negative.len()), (1, 1));
            let (left, right) = judged.positive[0];
            let original =
                (half.documents[left as usize] as u32, half.documents[right as usize] as u32);
            assert!(pairs.positive.contains(&original));
        }
    }
}
