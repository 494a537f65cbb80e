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
//! Two passes over the documents, in memory that does not grow with them: a [`ParagraphCounter`]
//! counts, its [`BoilerplateExaminer`] looks again at what repeats and ends in a
//! [`BoilerplateReport`], whose [`BoilerplateSet`] hides the paragraphs from every method.

mod counter;
mod examiner;
mod format;
mod paragraph;
mod report;
mod set;
mod sketch;

pub use counter::{BoilerplateOptions, ParagraphCounter};
pub use examiner::BoilerplateExaminer;
pub use format::{BOILERPLATE_FORMAT_VERSION, BoilerplateError};
pub use paragraph::{PlacedParagraph, paragraph_hash, placed_paragraphs};
pub use report::{BoilerplateParagraph, BoilerplateReport, Place};
pub use set::BoilerplateSet;

/// The boilerplate of documents that can be read twice.
pub fn find_boilerplate<'a, I>(
    options: BoilerplateOptions,
    documents: impl Fn() -> I,
) -> BoilerplateReport
where
    I: Iterator<Item = &'a str>,
{
    let mut counter = ParagraphCounter::new(options);
    for text in documents() {
        counter.add(&placed_paragraphs(text));
    }
    let mut examiner = counter.examine();
    for text in documents() {
        let examined = examiner.examine(text);
        examiner.add(examined);
    }
    examiner.finish()
}

#[cfg(test)]
mod tests;
