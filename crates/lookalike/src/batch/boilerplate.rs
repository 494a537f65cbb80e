//! The two passes that find boilerplate, for runs that leave it out.

use lookalike_corpus::{Block, Corpus};
use lookalike_index::{DocumentId, RowSorter};
use lookalike_statistics::boilerplate::{
    BoilerplateOptions, BoilerplateReport, PlaceCounter, PlaceRow, place_rows, placed_paragraphs,
};

use super::pass::over_blocks;
use crate::{Context, RunError};

/// The paragraphs that at least `min_documents` otherwise different documents repeat.
///
/// Where paragraphs stand is sorted in `memory_bytes`, on disk past them.
///
/// # Errors
/// The user stopped the run, or a working file cannot be written or read.
pub fn count_boilerplate(
    corpus: &Corpus,
    min_documents: usize,
    memory_bytes: usize,
    context: &Context<'_>,
) -> Result<BoilerplateReport, RunError> {
    let options = BoilerplateOptions { min_documents, ..BoilerplateOptions::default() };
    let mut sorter = RowSorter::new(memory_bytes / 2, context.temp_dir);
    let mut n_documents = 0;
    let count = |block: &Block| {
        let (mut rows, mut n_documents) = (Vec::new(), 0);
        block.visit(|row| {
            if let Ok(document) = &row.content {
                place_rows(&placed_paragraphs(&document.text), &mut rows);
                n_documents += 1;
            }
        });
        (rows, n_documents)
    };
    over_blocks(corpus, "counting paragraphs", context, count, |(rows, n_counted)| {
        n_documents += n_counted;
        // The sorter orders by key, then by document number: hash and place have their widths.
        let push = |row: PlaceRow| sorter.push(row.hash, DocumentId(row.place));
        Ok(rows.into_iter().try_for_each(push)?)
    })?;
    let mut counter = PlaceCounter::new(options);
    sorter.finish()?.visit(|hash, place| counter.push(PlaceRow { hash, place: place.0 }))?;
    let examiner = counter.examine(n_documents);
    let mut examination = examiner.begin();
    let examine = |block: &Block| {
        let mut examined = Vec::new();
        block.visit(|row| {
            examined.extend(row.content.as_ref().ok().and_then(|row| examiner.examine(&row.text)));
        });
        examined
    };
    over_blocks(corpus, "examining paragraphs", context, examine, |documents| {
        for document in documents {
            examiner.add(&mut examination, document);
        }
        Ok(())
    })?;
    Ok(examiner.finish(examination))
}
