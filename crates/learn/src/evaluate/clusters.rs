//! Scores of a clustering against a true one; both give each document a cluster number.

use hashbrown::HashMap;

/// B-cubed: precision and recall averaged over documents (Bagga, Baldwin 1998).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BCubed {
    /// The mean share of a document's found cluster that belongs with it.
    pub precision: f64,
    /// The mean share of a document's true cluster that was found with it.
    pub recall: f64,
}

impl BCubed {
    /// The harmonic mean of precision and recall.
    pub fn f1(&self) -> f64 {
        let sum = self.precision + self.recall;
        if sum == 0.0 { 0.0 } else { 2.0 * self.precision * self.recall / sum }
    }
}

/// B-cubed of a clustering; 1 and 1 for no documents.
pub fn b_cubed(found: &[u32], truth: &[u32]) -> BCubed {
    let counts = Contingency::count(found, truth);
    if counts.n_documents == 0 {
        return BCubed { precision: 1.0, recall: 1.0 };
    }
    let (mut precision, mut recall) = (0.0, 0.0);
    for (found_cluster, true_cluster, size) in &counts.cells {
        // Each of the `size` documents in the cell sees the same two shares.
        let size = *size as f64;
        precision += size * size / counts.found_sizes[found_cluster] as f64;
        recall += size * size / counts.true_sizes[true_cluster] as f64;
    }
    let n_documents = counts.n_documents as f64;
    BCubed { precision: precision / n_documents, recall: recall / n_documents }
}

/// The adjusted Rand index (Hubert, Arabie 1985): 1 for equal clusterings, about 0 for chance.
pub fn adjusted_rand(found: &[u32], truth: &[u32]) -> f64 {
    let counts = Contingency::count(found, truth);
    let pairs = |size: u64| size as f64 * (size as f64 - 1.0) / 2.0;
    let both: f64 = counts.cells.iter().map(|(_, _, size)| pairs(*size)).sum();
    let sum = |sizes: &HashMap<u32, u64>| {
        // Sorted, so that the sum does not depend on the order of a hash map.
        let mut sizes: Vec<u64> = sizes.values().copied().collect();
        sizes.sort_unstable();
        sizes.into_iter().map(pairs).sum::<f64>()
    };
    let (in_found, in_truth) = (sum(&counts.found_sizes), sum(&counts.true_sizes));
    let all = pairs(counts.n_documents as u64);
    let expected = if all == 0.0 { 0.0 } else { in_found * in_truth / all };
    let most = f64::midpoint(in_found, in_truth);
    if most == expected { 1.0 } else { (both - expected) / (most - expected) }
}

/// The share of found clusters of two or more documents that hold one true cluster only; 1 if
/// there are none.
pub fn pure_fraction(found: &[u32], truth: &[u32]) -> f64 {
    let counts = Contingency::count(found, truth);
    let several = counts.found_sizes.values().filter(|size| **size > 1).count();
    let is_pure = |(found_cluster, _, size): &&(u32, u32, u64)| {
        *size > 1 && counts.found_sizes[found_cluster] == *size
    };
    let pure = counts.cells.iter().filter(is_pure).count();
    if several == 0 { 1.0 } else { pure as f64 / several as f64 }
}

/// How many documents each found and true cluster have in common.
struct Contingency {
    n_documents: usize,
    /// Sorted, so that sums over it are the same on every machine.
    cells: Vec<(u32, u32, u64)>,
    found_sizes: HashMap<u32, u64>,
    true_sizes: HashMap<u32, u64>,
}

impl Contingency {
    fn count(found: &[u32], truth: &[u32]) -> Self {
        let mut cells: HashMap<(u32, u32), u64> = HashMap::new();
        let mut found_sizes = HashMap::new();
        let mut true_sizes = HashMap::new();
        for (found_cluster, true_cluster) in found.iter().zip(truth) {
            *cells.entry((*found_cluster, *true_cluster)).or_insert(0) += 1;
            *found_sizes.entry(*found_cluster).or_insert(0) += 1;
            *true_sizes.entry(*true_cluster).or_insert(0) += 1;
        }
        let mut cells: Vec<(u32, u32, u64)> =
            cells.into_iter().map(|((found, truth), size)| (found, truth, size)).collect();
        cells.sort_unstable();
        Self { n_documents: found.len().min(truth.len()), cells, found_sizes, true_sizes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_clusterings_score_1_whatever_the_clusters_are_called() {
        let (found, truth) = ([7, 7, 3, 3, 9], [0, 0, 1, 1, 2]);
        assert_eq!(b_cubed(&found, &truth), BCubed { precision: 1.0, recall: 1.0 });
        assert_eq!(adjusted_rand(&found, &truth), 1.0);
        assert_eq!(pure_fraction(&found, &truth), 1.0);
    }

    #[test]
    fn b_cubed_of_a_worked_example() {
        // Documents 0 1 2 found together, of which 2 belongs to 3.
        let scores = b_cubed(&[0, 0, 0, 1], &[0, 0, 1, 1]);
        assert!((scores.precision - (4.0 / 3.0 + 1.0 / 3.0 + 1.0) / 4.0).abs() < 1e-12);
        assert!((scores.recall - (1.0 + 1.0 + 0.5 + 0.5) / 4.0).abs() < 1e-12);
    }

    #[test]
    fn adjusted_rand_of_a_worked_example() {
        // Contingency 2 1 / 0 1: both = 1, found = 3, truth = 2, all = 6.
        let index = adjusted_rand(&[0, 0, 0, 1], &[0, 0, 1, 1]);
        assert!((index - (1.0 - 1.0) / (2.5 - 1.0)).abs() < 1e-12);
    }

    #[test]
    fn a_mixed_cluster_is_not_pure_and_a_single_document_is_no_cluster() {
        assert_eq!(pure_fraction(&[0, 0, 1, 1, 2], &[0, 0, 1, 2, 2]), 0.5);
        assert_eq!(pure_fraction(&[0, 1, 2], &[0, 0, 0]), 1.0);
    }
}
