//! The two passes that find boilerplate, for runs that leave it out.

use lookalike_corpus::{Block, Corpus};
use lookalike_statistics::boilerplate::{
    BoilerplateOptions, BoilerplateReport, ParagraphCounter, placed_paragraphs,
};

use super::pass::over_blocks;
use crate::{Context, RunError};

/// The paragraphs that at least `min_documents` otherwise different documents repeat.
///
/// # Errors
/// The user stopped the run.
pub fn count_boilerplate(
    corpus: &Corpus,
    min_documents: usize,
    context: &Context<'_>,
) -> Result<BoilerplateReport, RunError> {
    let options = BoilerplateOptions { min_documents, ..BoilerplateOptions::default() };
    let mut counter = ParagraphCounter::new(options);
    let count = |block: &Block| {
        let mut documents = Vec::new();
        block.visit(|row| {
            documents.extend(row.content.as_ref().ok().map(|row| placed_paragraphs(&row.text)));
        });
        documents
    };
    over_blocks(corpus, "counting paragraphs", context, count, |documents| {
        for paragraphs in &documents {
            counter.add(paragraphs);
        }
        Ok(())
    })?;
    let mut examiner = counter.examine();
    // A block's documents are examined against what the blocks before it have shown; only which
    // document gives the example depends on it, and blocks are taken in order.
    let mut blocks = corpus.blocks();
    context.progress.begin("examining paragraphs", corpus.size_bytes());
    for block in &mut blocks {
        context.interrupt.check()?;
        block.visit(|row| {
            if let Ok(document) = &row.content {
                let examined = examiner.examine(&document.text);
                examiner.add(examined);
            }
        });
        context.progress.advance(block.consumed_bytes());
    }
    context.progress.end();
    Ok(examiner.finish())
}
