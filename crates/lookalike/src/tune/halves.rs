//! Labels, and how they are halved.

use std::collections::BTreeMap;

use lookalike_detect::random::SplitMix64;
use lookalike_detect::train::{TrainingPairs, components};

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

    /// How many documents are near-duplicates of another one.
    pub(super) fn n_documents_in_pairs(&self) -> usize {
        match self {
            Self::Clusters(clusters) => sizes(clusters).values().filter(|size| **size > 1).sum(),
            Self::Pairs(pairs) => {
                let mut documents: Vec<u32> =
                    pairs.positive.iter().flat_map(|&(left, right)| [left, right]).collect();
                documents.sort_unstable();
                documents.dedup();
                documents.len()
            }
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

    /// Two sides at random; no cluster is torn, and no pair of judged near-duplicates is parted
    /// from others that share a document with it.
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
            Self::Pairs(pairs) => halve_pairs(pairs, generator).map(|half| numbered(&half)),
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

/// Near-duplicates by the clusters they form; other pairs go where one of their documents is, or in
/// turn to either side.
fn halve_pairs(pairs: &TrainingPairs, generator: &mut SplitMix64) -> [TrainingPairs; 2] {
    let all = pairs.positive.iter().chain(&pairs.negative);
    let n_documents = all.map(|(left, right)| left.max(right) + 1).max().unwrap_or(0) as usize;
    let clusters = components(n_documents, &pairs.positive);
    let mut names: Vec<u32> =
        pairs.positive.iter().map(|(left, _)| clusters[*left as usize]).collect();
    names.sort_unstable();
    names.dedup();
    generator.shuffle(&mut names);
    let half = names.len() / 2;
    let side = |document: u32| {
        let place = names.iter().position(|name| *name == clusters[document as usize]);
        place.map(|place| usize::from(place >= half))
    };
    let mut halves = [TrainingPairs::default(), TrainingPairs::default()];
    for &(left, right) in &pairs.positive {
        halves[side(left).unwrap_or(0)].positive.push((left, right));
    }
    let mut negative = pairs.negative.clone();
    generator.shuffle(&mut negative);
    for (turn, (left, right)) in negative.into_iter().enumerate() {
        let of_document = side(left).or_else(|| side(right));
        halves[of_document.unwrap_or(turn % 2)].negative.push((left, right));
    }
    halves
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
    fn near_duplicates_that_share_a_document_stay_together() {
        let positive: Vec<(u32, u32)> =
            (0..20).flat_map(|n| [(3 * n, 3 * n + 1), (3 * n + 1, 3 * n + 2)]).collect();
        let negative: Vec<(u32, u32)> = (0..20).map(|n| (3 * n, 60 + n)).collect();
        let halves = halve_pairs(&TrainingPairs { positive, negative }, &mut SplitMix64::new(5));
        let documents = halves.each_ref().map(|half| {
            half.positive.iter().flat_map(|(left, right)| [*left, *right]).collect::<Vec<_>>()
        });
        assert_eq!(halves[0].positive.len() + halves[1].positive.len(), 40);
        assert_eq!(halves.each_ref().map(|half| half.negative.len()), [10, 10]);
        assert!(documents[0].iter().all(|document| !documents[1].contains(document)));
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
