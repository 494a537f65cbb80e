//! Paragraphs that many otherwise different documents repeat: templates, menus, legal footers.
//!
//! Repetition alone does not tell a template from a story: a story printed by thirty sites
//! repeats as often as the menu of one site. Two signals do.
//! * **Fixed place.** A template puts its paragraph at the same place of every page, counted from
//!   the start or from the end; a story's paragraph stands elsewhere on every site. A paragraph is
//!   a candidate when at least 60 % of its documents have it at one place.
//! * **Otherwise different.** Copies of one document also repeat its paragraphs at fixed places.
//!   What is left of a document without the candidates must not be found in the others: only
//!   documents that differ in their rest count.
//!
//! Two passes over the documents, whose order does not matter: [`place_rows`] says where each
//! paragraph stands, a [`PlaceCounter`] counts the sorted rows, its [`BoilerplateExaminer`] looks
//! again at what repeats and ends in a [`BoilerplateReport`], whose [`BoilerplateSet`] hides the
//! paragraphs from every method.

mod examiner;
mod format;
mod occurrences;
mod paragraph;
mod places;
mod report;
mod set;
mod sketch;

pub use examiner::{
    BoilerplateExaminer, Examination, ExaminedDocument, ForeseenSamples, text_priority,
};
pub use format::{BOILERPLATE_FORMAT_VERSION, BoilerplateError};
pub use occurrences::MostOccurrences;
pub use paragraph::{ParagraphHasher, PlacedParagraph, paragraph_hash, placed_paragraphs};
pub use places::{BoilerplateOptions, PlaceCounter, PlaceRow, place_rows};
pub use report::{BoilerplateParagraph, BoilerplateReport, ParagraphPlace};
pub use set::{BoilerplateSet, blanked};

/// The boilerplate of documents that can be read twice, all rows in memory.
pub fn find_boilerplate<'a, I>(
    options: BoilerplateOptions,
    documents: impl Fn() -> I,
) -> BoilerplateReport
where
    I: Iterator<Item = &'a str>,
{
    let mut rows = Vec::new();
    let mut n_documents = 0;
    for text in documents() {
        place_rows(&hashes(text), |_| true, &mut rows);
        n_documents += 1;
    }
    rows.sort_unstable();
    let mut counter = PlaceCounter::new(options);
    for row in rows {
        counter.push(row);
    }
    let examiner = counter.examine(n_documents);
    let mut examination = examiner.begin();
    for examined in documents().filter_map(|text| examiner.examine(text)) {
        examiner.add(&mut examination, examined);
    }
    examiner.finish(examination)
}

/// The hashes of a text's paragraphs, in their order.
fn hashes(text: &str) -> Vec<u64> {
    placed_paragraphs(text).iter().map(|paragraph| paragraph.hash).collect()
}

#[cfg(test)]
mod tests;
