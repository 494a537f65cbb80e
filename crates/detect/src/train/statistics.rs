//! Document frequencies that weights are learned with.

use std::sync::Arc;

use lookalike_statistics::{Statistics, StatisticsBuilder};
use lookalike_text::{Analyzer, AnalyzerConfig, TokenizedDocument};

use super::{LabelledDocument, TrainError};

/// The statistics given, if they fit the analyzer, or those of the documents.
///
/// Every document counts, near-duplicates too: so does a run count the collection it is asked on.
pub(super) fn choose(
    given: Option<&Arc<Statistics>>,
    analyzer: &AnalyzerConfig,
    tokens: &[TokenizedDocument],
) -> Result<Arc<Statistics>, TrainError> {
    match given {
        Some(statistics) if statistics.analyzer() != analyzer => Err(TrainError::Statistics),
        Some(statistics) => Ok(statistics.clone()),
        None => {
            let mut builder = StatisticsBuilder::new(analyzer.clone());
            for tokens in tokens {
                builder.add(tokens);
            }
            Ok(Arc::new(builder.finish()))
        }
    }
}

/// Document frequencies in which all documents of a cluster count as one.
///
/// What training did once. The words of templates are then common and those of stories rare, so
/// that weights know the templates of the training documents instead of what a template looks
/// like: kept to measure that protocol against the others.
///
/// # Errors
/// The analyzer cannot be built.
pub fn count_clusters(
    analyzer: &AnalyzerConfig,
    documents: &[LabelledDocument<'_>],
) -> Result<Statistics, TrainError> {
    let built = Analyzer::new(analyzer)?;
    let mut by_cluster: Vec<&LabelledDocument<'_>> = documents.iter().collect();
    by_cluster.sort_by_key(|labelled| labelled.cluster);
    let mut builder = StatisticsBuilder::new(analyzer.clone());
    for cluster in by_cluster.chunk_by(|left, right| left.cluster == right.cluster) {
        let mut merged = TokenizedDocument::default();
        for labelled in cluster {
            for token in built.tokenize(labelled.document.text).tokens() {
                merged.push_hashed("", token.hash, 0..0);
            }
        }
        builder.add(&merged);
    }
    // An unknown term counts as one of one document anyway.
    Ok(builder.finish().prune(2))
}

#[cfg(test)]
mod tests {
    use lookalike_text::{Document, term_hash};

    use super::*;

    const TEXTS: [&str; 3] = ["fog harbor", "fog harbor", "ferry harbor"];

    #[test]
    fn every_document_counts() {
        let analyzer = Analyzer::new(&AnalyzerConfig::default()).unwrap();
        let tokens = TEXTS.map(|text| analyzer.tokenize(text));
        let statistics = choose(None, analyzer.config(), &tokens).unwrap();
        assert_eq!(statistics.n_documents(), 3);
        assert_eq!(statistics.document_frequency(term_hash("fog")), 2);
    }

    #[test]
    fn a_cluster_counts_once_where_clusters_are_counted() {
        let labelled =
            |(text, cluster)| LabelledDocument { document: Document::from_text(text), cluster };
        let documents = [(TEXTS[0], 4), (TEXTS[1], 4), (TEXTS[2], 9)].map(labelled);
        let statistics = count_clusters(&AnalyzerConfig::default(), &documents).unwrap();
        assert_eq!(statistics.n_documents(), 2);
        assert_eq!(statistics.document_frequency(term_hash("harbor")), 2);
        assert_eq!(statistics.document_frequency(term_hash("fog")), 0);
    }
}
