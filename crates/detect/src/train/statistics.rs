//! Document frequencies of labelled documents.

use std::sync::Arc;

use lookalike_statistics::{Statistics, StatisticsBuilder};
use lookalike_text::{AnalyzerConfig, TokenizedDocument};

use super::TrainError;

/// The statistics given, if they fit the analyzer, or those of the labelled documents.
pub(super) fn choose(
    given: Option<&Arc<Statistics>>,
    analyzer: &AnalyzerConfig,
    tokens: &[TokenizedDocument],
    clusters: &[u32],
) -> Result<Arc<Statistics>, TrainError> {
    match given {
        Some(statistics) if statistics.analyzer() != analyzer => Err(TrainError::Statistics),
        Some(statistics) => Ok(statistics.clone()),
        None => Ok(Arc::new(count_clusters(analyzer, tokens, clusters))),
    }
}

/// Document frequencies in which all documents of a cluster count as one: near-duplicates do not
/// make a term common.
///
/// Terms of a single cluster are dropped: an unknown term counts as one of one document anyway.
fn count_clusters(
    analyzer: &AnalyzerConfig,
    tokens: &[TokenizedDocument],
    clusters: &[u32],
) -> Statistics {
    let mut by_cluster: Vec<(u32, usize)> = clusters.iter().copied().zip(0..).collect();
    by_cluster.sort_unstable();
    let mut builder = StatisticsBuilder::new(analyzer.clone());
    for cluster in by_cluster.chunk_by(|left, right| left.0 == right.0) {
        let mut merged = TokenizedDocument::default();
        for &(_, document) in cluster {
            for token in tokens[document].tokens() {
                merged.push_hashed("", token.hash, 0..0);
            }
        }
        builder.add(&merged);
    }
    builder.finish().prune(2)
}

#[cfg(test)]
mod tests {
    use lookalike_text::{Analyzer, term_hash};

    use super::*;

    #[test]
    fn a_cluster_counts_once() {
        let analyzer = Analyzer::new(&AnalyzerConfig::default()).unwrap();
        let tokens =
            ["fog harbor", "fog harbor", "ferry harbor"].map(|text| analyzer.tokenize(text));
        let statistics = choose(None, analyzer.config(), &tokens, &[4, 4, 9]).unwrap();
        assert_eq!(statistics.n_documents(), 2);
        assert_eq!(statistics.document_frequency(term_hash("harbor")), 2);
        assert_eq!(statistics.document_frequency(term_hash("fog")), 0);
    }
}
