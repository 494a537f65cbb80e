//! From the pairs of a test half to those of the collection that a configuration will be used on.
//!
//! Half of the documents have half of the near-duplicate pairs but a quarter of the others, so that
//! precision on the whole is lower than on a half. Other pairs are counted by whether both documents
//! come from one group: pages of one site are confused far more often than pages of two, and a
//! division by groups leaves another share of the one than of the other.

/// Pairs found rightly, wrongly and not at all.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Counts {
    /// Found and true.
    pub found: f64,
    /// True and not found.
    pub missed: f64,
    /// Found and not true, of one group.
    pub wrong_within: f64,
    /// Found and not true, of different groups.
    pub wrong_across: f64,
}

/// How many pairs of each kind there are.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct PairTotals {
    /// Near-duplicates.
    pub(super) positive: f64,
    /// Others of one group.
    pub(super) within: f64,
    /// Others of different groups.
    pub(super) across: f64,
}

impl PairTotals {
    /// All pairs of these documents, given by cluster and group.
    pub(super) fn of_documents(documents: &[(u32, u32)]) -> Self {
        let pairs = |mut names: Vec<(u32, u32)>| {
            names.sort_unstable();
            let pairs = |same: &[(u32, u32)]| (same.len() * (same.len() - 1) / 2) as f64;
            names.chunk_by(|left, right| left == right).map(pairs).sum::<f64>()
        };
        let all = (documents.len() * documents.len().saturating_sub(1) / 2) as f64;
        let positive = pairs(documents.iter().map(|&(cluster, _)| (cluster, 0)).collect());
        let same_group = pairs(documents.iter().map(|&(_, group)| (group, 0)).collect());
        let both = pairs(documents.to_vec());
        let within = same_group - both;
        Self { positive, within, across: all - positive - within }
    }

    /// The same collection with so many times as many documents: as many times the clusters, and
    /// that squared of other pairs.
    pub(super) fn grown(self, times: f64) -> Self {
        let squared = times * times;
        Self {
            positive: self.positive * times,
            within: self.within * squared,
            across: self.across * squared,
        }
    }
}

impl Counts {
    /// What was counted among some pairs, for as many pairs of each kind as there will be.
    pub(super) fn projected(self, from: PairTotals, to: PairTotals) -> Self {
        let scale = |counted: f64, from: f64, to: f64| {
            if from > 0.0 { counted * to / from } else { counted }
        };
        Self {
            found: scale(self.found, from.positive, to.positive),
            missed: scale(self.missed, from.positive, to.positive),
            wrong_within: scale(self.wrong_within, from.within, to.within),
            wrong_across: scale(self.wrong_across, from.across, to.across),
        }
    }

    fn wrong(self) -> f64 {
        self.wrong_within + self.wrong_across
    }

    /// The share of found pairs that are true.
    pub fn precision(self) -> f64 {
        share(self.found, self.found + self.wrong())
    }

    /// The share of true pairs that are found.
    pub fn recall(self) -> f64 {
        share(self.found, self.found + self.missed)
    }

    /// The harmonic mean of both.
    pub fn f1(self) -> f64 {
        share(2.0 * self.found, 2.0 * self.found + self.wrong() + self.missed)
    }
}

fn share(part: f64, whole: f64) -> f64 {
    if whole == 0.0 { 1.0 } else { part / whole }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_counted_by_kind() {
        // Clusters 0 0 1 1 1, groups 0 1 0 1 1.
        let documents = [(0, 0), (0, 1), (1, 0), (1, 1), (1, 1)];
        let totals = PairTotals::of_documents(&documents);
        assert_eq!(totals, PairTotals { positive: 4.0, within: 3.0, across: 3.0 });
    }

    #[test]
    fn twice_the_documents_have_lower_precision_and_the_same_recall() {
        let counts = Counts { found: 80.0, missed: 20.0, wrong_within: 8.0, wrong_across: 2.0 };
        let half = PairTotals { positive: 100.0, within: 1000.0, across: 10_000.0 };
        let whole = counts.projected(half, half.grown(2.0));
        assert_eq!(whole.recall(), counts.recall());
        assert!((counts.precision() - 80.0 / 90.0).abs() < 1e-12);
        assert!((whole.precision() - 160.0 / 200.0).abs() < 1e-12);
    }

    #[test]
    fn a_half_by_groups_projects_to_what_the_whole_has() {
        // 8 stories in 8 templates; a detector that takes every pair of one template for
        // near-duplicates, and finds every story.
        let page = |document: u32| (document / 8, document % 8);
        let whole: Vec<(u32, u32)> = (0..64).map(page).collect();
        let half: Vec<(u32, u32)> = whole
            .iter()
            .copied()
            .filter(|(story, template)| story % 2 == 0 && template % 2 == 0)
            .collect();
        let (of_half, of_whole) =
            (PairTotals::of_documents(&half), PairTotals::of_documents(&whole));
        let counts = |totals: PairTotals| Counts {
            found: totals.positive,
            wrong_within: totals.within,
            ..Counts::default()
        };
        let projected = counts(of_half).projected(of_half, of_whole);
        assert_eq!(projected.precision(), counts(of_whole).precision());
    }
}
