//! Recall and precision per query, averaged (Eq. 3 and 4 of the 2008 paper).
//!
//! Eq. 3 as printed divides all that was found by all that is true, so that a method that finds
//! enough wrong documents has full recall; we count what is both, as Eq. 4 does. And the paper's
//! neighborhoods contain the query itself, which every method finds: its recall is the higher one.

/// What one query found, against what it should find; the query itself counts in none of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueryOutcome {
    /// Documents found.
    pub found: u64,
    /// Documents that are true duplicates.
    pub relevant: u64,
    /// Documents that are both.
    pub common: u64,
}

impl QueryOutcome {
    /// Compares two ascending lists of documents.
    pub fn of(found: &[usize], relevant: &[usize]) -> Self {
        let common = found.iter().filter(|document| relevant.binary_search(document).is_ok());
        Self {
            found: found.len() as u64,
            relevant: relevant.len() as u64,
            common: common.count() as u64,
        }
    }

    /// Whether everything that was found is true.
    pub fn is_pure(&self) -> bool {
        self.common == self.found
    }
}

/// Averages over queries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QueryAverages {
    /// Queries with at least one true duplicate, over which recall is averaged.
    pub n_relevant: usize,
    /// Queries that found something, over which precision and purity are averaged.
    pub n_found: usize,
    /// Mean share of true duplicates found; 1 over no query.
    pub recall: f64,
    /// The same where every query is one of its own duplicates, which it finds, over all queries.
    pub recall_with_query: f64,
    /// Mean share of found documents that are true; 1 over no query.
    pub precision: f64,
    /// The share of queries whose found cluster is entirely true; 1 over no query.
    pub pure: f64,
}

impl QueryAverages {
    /// Averages the outcomes of all queries.
    pub fn of(outcomes: &[QueryOutcome]) -> Self {
        let relevant: Vec<_> = outcomes.iter().filter(|outcome| outcome.relevant > 0).collect();
        let found: Vec<_> = outcomes.iter().filter(|outcome| outcome.found > 0).collect();
        let recall = mean(relevant.iter().map(|o| o.common as f64 / o.relevant as f64));
        let with_query = |o: &QueryOutcome| (o.common + 1) as f64 / (o.relevant + 1) as f64;
        let recall_with_query = mean(outcomes.iter().map(with_query));
        let precision = mean(found.iter().map(|o| o.common as f64 / o.found as f64));
        let pure = mean(found.iter().map(|o| f64::from(u8::from(o.is_pure()))));
        let (n_relevant, n_found) = (relevant.len(), found.len());
        Self { n_relevant, n_found, recall, recall_with_query, precision, pure }
    }
}

/// Eq. 5: what a query is worth, `spam` found less `cost` for each legitimate message found.
pub fn utility(spam: u64, legitimate: u64, cost: f64) -> f64 {
    spam as f64 - cost * legitimate as f64
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let n_values = values.len();
    if n_values == 0 { 1.0 } else { values.sum::<f64>() / n_values as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_without_duplicates_does_not_count_for_recall() {
        let outcomes = [QueryOutcome::of(&[4], &[]), QueryOutcome::of(&[1, 2, 3], &[1, 2, 5, 6])];
        let averages = QueryAverages::of(&outcomes);
        assert_eq!((averages.n_relevant, averages.n_found), (1, 2));
        assert_eq!(averages.recall, 0.5);
        // The first query finds its only duplicate, itself; the second three of five.
        assert!((averages.recall_with_query - 0.8).abs() < 1e-12);
        assert!((averages.precision - 1.0 / 3.0).abs() < 1e-12);
        assert_eq!(averages.pure, 0.0);
    }

    #[test]
    fn a_query_that_found_nothing_counts_for_recall_only() {
        let averages = QueryAverages::of(&[QueryOutcome::of(&[], &[1])]);
        assert_eq!((averages.recall, averages.precision, averages.pure), (0.0, 1.0, 1.0));
    }

    #[test]
    fn one_legitimate_message_costs_a_hundred_found_spams() {
        assert_eq!(utility(100, 1, 100.0), 0.0);
    }
}
