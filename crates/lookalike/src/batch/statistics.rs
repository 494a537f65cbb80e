//! The pass that counts terms, for methods that need to know the collection.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use lookalike_corpus::{Block, Corpus};
use lookalike_statistics::{Statistics, StatisticsBuilder};
use lookalike_text::{Analyzer, AnalyzerConfig};

use crate::error::file_error;
use crate::{Context, RunError};
use lookalike_corpus::pass::over_blocks;

/// Counts the terms of every readable document of the corpus.
///
/// # Errors
/// The analyzer cannot be built, or the user stopped the run.
pub fn count_statistics(
    corpus: &Corpus,
    analyzer: &AnalyzerConfig,
    terms: KeptTerms,
    context: &Context<'_>,
) -> Result<Statistics, RunError> {
    let analyzer = Analyzer::new(analyzer).map_err(lookalike_detect::DetectError::from)?;
    let fresh = || {
        let builder = StatisticsBuilder::new(analyzer.config().clone());
        if terms == KeptTerms::Text { builder.with_terms() } else { builder }
    };
    // Counts add up in any order, so each thread may count into whichever builder is free.
    let idle: Mutex<Vec<StatisticsBuilder>> = Mutex::new(Vec::new());
    let take = || idle.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_else(fresh);
    let work = |block: &Block| {
        let mut builder = take();
        block.visit(|row| {
            if let Ok(document) = &row.content {
                builder.add_text(&analyzer, &document.text);
            }
        });
        idle.lock().unwrap_or_else(PoisonError::into_inner).push(builder);
    };
    over_blocks::<_, RunError>(
        corpus,
        corpus.blocks(),
        "counting terms",
        context.watch(),
        |block| work(&block),
        |()| Ok(()),
    )?;
    merged(idle.into_inner().unwrap_or_else(PoisonError::into_inner), fresh)
}

/// What the builders of all threads have counted together.
pub(super) fn merged(
    mut builders: Vec<StatisticsBuilder>,
    fresh: impl FnOnce() -> StatisticsBuilder,
) -> Result<Statistics, RunError> {
    let mut total = builders.pop().unwrap_or_else(fresh);
    for builder in builders {
        total.merge(builder)?;
    }
    Ok(total.finish())
}

/// Whether statistics keep the terms' text beside their hashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeptTerms {
    /// Hashes only: enough to sign, and small.
    Hashes,
    /// The text too, for a file that people can look into.
    Text,
}

/// Reads a statistics file.
///
/// # Errors
/// The file cannot be read or is no statistics file of this version.
pub fn read_statistics(path: &Path) -> Result<Arc<Statistics>, RunError> {
    let bytes = std::fs::read(path).map_err(file_error("read", path))?;
    Statistics::from_bytes(&bytes)
        .map(Arc::new)
        .map_err(|source| RunError::Statistics { path: path.to_owned(), source })
}
