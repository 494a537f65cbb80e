//! Labels, and how they are halved.

use std::collections::BTreeMap;

use lookalike_detect::random::SplitMix64;
use lookalike_detect::train::TrainingPairs;

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

    /// Two sides at random; no cluster and no judged pair is torn.
    pub(super) fn halve(&self, generator: &mut SplitMix64) -> [Half; 2] {
        match self {
            Self::Clusters(clusters) => {
                let mut names: Vec<u32> = sizes(clusters).into_keys().collect();
                generator.shuffle(&mut names);
                let mut first = names[..names.len() / 2].to_vec();
                first.sort_unstable();
                let (left, right) = (0..clusters.len())
                    .partition(|document| first.binary_search(&clusters[*document]).is_ok());
                [left, right].map(|documents| Half { documents, judged: None })
            }
            Self::Pairs(pairs) => {
                let (first_positive, second_positive) = split(&pairs.positive, generator);
                let (first_negative, second_negative) = split(&pairs.negative, generator);
                [(first_positive, first_negative), (second_positive, second_negative)]
                    .map(|(positive, negative)| numbered(&TrainingPairs { positive, negative }))
            }
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

fn split(pairs: &[(u32, u32)], generator: &mut SplitMix64) -> (Pairs, Pairs) {
    let mut shuffled = pairs.to_vec();
    generator.shuffle(&mut shuffled);
    let second = shuffled.split_off(shuffled.len() / 2);
    (shuffled, second)
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

    #[test]
    fn halving_tears_no_cluster_and_loses_no_document() {
        let labels = Labels::Clusters((0..60).map(|document| document % 13).collect());
        let [left, right] = labels.halve(&mut SplitMix64::new(3));
        assert_eq!(left.documents.len() + right.documents.len(), 60);
        assert!(left.documents.iter().all(|l| right.documents.iter().all(|r| l % 13 != r % 13)));
    }

    #[test]
    fn judged_pairs_are_renumbered_by_their_documents() {
        let pairs =
            TrainingPairs { positive: vec![(3, 9), (1, 4)], negative: vec![(2, 7), (5, 6)] };
        for half in Labels::Pairs(pairs.clone()).halve(&mut SplitMix64::new(1)) {
            let judged = half.judged.unwrap();
            assert_eq!((judged.positive.len(), judged.negative.len()), (1, 1));
            let (left, right) = judged.positive[0];
            let original =
                (half.documents[left as usize] as u32, half.documents[right as usize] as u32);
            assert!(pairs.positive.contains(&original));
        }
    }
}
