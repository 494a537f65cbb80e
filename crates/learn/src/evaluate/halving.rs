//! Random halvings of the clusters into a training and a test half (the 2010 paper's protocol).

use lookalike_detect::random::SplitMix64;

/// One division of documents; all documents of a cluster are on the same side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Halving {
    /// Documents to learn from, ascending.
    pub train: Vec<usize>,
    /// Documents to measure on, ascending.
    pub test: Vec<usize>,
}

/// Divides the clusters at random `times` times; `clusters` gives each document's cluster.
pub fn halve_clusters(clusters: &[u32], times: usize, seed: u64) -> Vec<Halving> {
    let mut names = clusters.to_vec();
    names.sort_unstable();
    names.dedup();
    let mut random = SplitMix64::new(seed);
    let mut halve = || {
        let mut shuffled = names.clone();
        random.shuffle(&mut shuffled);
        let mut training = shuffled[..names.len() / 2].to_vec();
        training.sort_unstable();
        let (train, test) = (0..clusters.len())
            .partition(|document| training.binary_search(&clusters[*document]).is_ok());
        Halving { train, test }
    };
    (0..times).map(|_| halve()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cluster_is_torn_and_no_document_lost() {
        let clusters: Vec<u32> = (0..100).map(|document| document % 11).collect();
        for halving in halve_clusters(&clusters, 5, 1) {
            assert_eq!(halving.train.len() + halving.test.len(), 100);
            let of = |side: &[usize]| side.iter().map(|d| clusters[*d]).collect::<Vec<_>>();
            let train = of(&halving.train);
            assert!(of(&halving.test).iter().all(|cluster| !train.contains(cluster)));
        }
    }

    #[test]
    fn each_halving_differs_and_the_seed_repeats_them() {
        let clusters: Vec<u32> = (0..40).collect();
        let halvings = halve_clusters(&clusters, 2, 9);
        assert_ne!(halvings[0], halvings[1]);
        assert_eq!(halvings, halve_clusters(&clusters, 2, 9));
    }
}
