//! The two passes that find boilerplate, for runs that leave it out.

use lookalike_corpus::{Block, Corpus};
use lookalike_index::{DocumentId, RowSorter, WordStore, WordStoreBuilder};
use lookalike_statistics::boilerplate::{
    BoilerplateExaminer, BoilerplateOptions, BoilerplateReport, ForeseenSamples, PlaceCounter,
    PlaceRow, place_rows, placed_paragraphs, text_priority,
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
    let Counted { rows, documents, n_documents } = count(corpus, memory_bytes, context)?;
    let mut counter = PlaceCounter::new(options);
    rows.finish()?.visit(|hash, place| counter.push(PlaceRow { hash, place: place.0 }))?;
    let examiner = counter.examine(n_documents);
    let wanted = sampled(&examiner, &documents)?;
    let mut examination = examiner.begin();
    let examine = |block: &Block| {
        let mut examined = Vec::new();
        block.visit_selected(
            |ordinal| wanted.binary_search(&ordinal).is_ok(),
            |row| {
                let document = row.content.as_ref().ok();
                examined.extend(document.and_then(|row| examiner.examine(&row.text)));
            },
        );
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

/// What the first pass leaves.
struct Counted {
    /// The place of every paragraph under its hash.
    rows: RowSorter,
    /// By row: the priority of its text, and the hashes of its paragraphs.
    documents: WordStore,
    n_documents: u64,
}

/// What a block says of its paragraphs.
#[derive(Default)]
struct BlockPlaces {
    rows: Vec<PlaceRow>,
    words: Vec<u64>,
    /// Each document by its row, with the number of its words.
    documents: Vec<(u64, usize)>,
}

fn count(corpus: &Corpus, memory_bytes: usize, context: &Context<'_>) -> Result<Counted, RunError> {
    let mut rows = RowSorter::new(memory_bytes / 2, context.temp_dir);
    let mut documents = WordStoreBuilder::new(memory_bytes / 4, context.temp_dir);
    let mut n_documents = 0;
    let work = |block: &Block| {
        let mut found = BlockPlaces::default();
        block.visit(|row| {
            let Ok(document) = &row.content else { return };
            let paragraphs = placed_paragraphs(&document.text);
            place_rows(&paragraphs, &mut found.rows);
            found.words.push(text_priority(&document.text));
            found.words.extend(paragraphs.iter().map(|paragraph| paragraph.hash));
            found.documents.push((row.ordinal, paragraphs.len() + 1));
        });
        found
    };
    over_blocks(corpus, "counting paragraphs", context, work, |block| {
        n_documents += block.documents.len() as u64;
        let mut words = block.words.as_slice();
        for (ordinal, n_words) in block.documents {
            let number = u32::try_from(ordinal).map_err(|_| RunError::TooManyRows)?;
            let (own, rest) = words.split_at(n_words);
            words = rest;
            documents.put(DocumentId(number), own)?;
        }
        // The sorter orders by key, then by document number: hash and place have their widths.
        let push = |row: PlaceRow| rows.push(row.hash, DocumentId(row.place));
        Ok(block.rows.into_iter().try_for_each(push)?)
    })?;
    Ok(Counted { rows, documents: documents.finish()?, n_documents })
}

/// The rows that the second pass must read, ascending: those in the sample of a candidate.
fn sampled(examiner: &BoilerplateExaminer, documents: &WordStore) -> Result<Vec<u64>, RunError> {
    let mut foreseen = ForeseenSamples::default();
    let mut buffer = Vec::new();
    for document in documents.documents() {
        if let Some([priority, hashes @ ..]) = documents.read(document, &mut buffer)? {
            examiner.foresee(&mut foreseen, *priority, hashes);
        }
    }
    let priorities = foreseen.into_priorities();
    let mut rows = Vec::new();
    for document in documents.documents() {
        let priority = documents.read(document, &mut buffer)?.and_then(<[u64]>::first);
        if priority.is_some_and(|priority| priorities.binary_search(priority).is_ok()) {
            rows.push(u64::from(document.0));
        }
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use lookalike_statistics::boilerplate::find_boilerplate;
    use proptest::prelude::*;

    use super::*;
    use crate::{Interrupt, Silent};

    /// Pages of a few templates with bodies of a few words, some of them copies of others.
    fn pages() -> impl Strategy<Value = Vec<String>> {
        let page = (0_u8..3, prop::collection::vec(0_u8..9, 0..12), 0_u8..4);
        prop::collection::vec(page, 1..90).prop_map(|pages| {
            let word = |number: &u8| {
                ["tide", "gate", "fog", "sea", "oak", "elm", "yew", "ash", "ivy"]
                    [usize::from(*number)]
            };
            let page = |(template, words, lines): (u8, Vec<u8>, u8)| {
                let words: Vec<&str> = words.iter().map(word).collect();
                let body = words.chunks(3).map(|line| line.join(" ")).collect::<Vec<_>>();
                let menu = "Home | Contact\n\n".repeat(usize::from(lines > 2));
                format!("{menu}Template {template}\n\n{}\n\nEnd of {template}", body.join("\n\n"))
            };
            pages.into_iter().map(page).collect()
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn to_read_only_samples_again_finds_what_reading_all_again_finds(
            pages in pages(),
            min_documents in 2_usize..8,
        ) {
            let options = BoilerplateOptions { min_documents, ..BoilerplateOptions::default() };
            let expected = find_boilerplate(options, || pages.iter().map(String::as_str));
            let corpus = Corpus::from_documents(pages.iter().map(String::as_str));
            let folder = tempfile::tempdir().unwrap();
            let interrupt = Interrupt::new();
            let context =
                Context { progress: &Silent, interrupt: &interrupt, temp_dir: folder.path() };
            for memory_bytes in [0, 1 << 20] {
                let found =
                    count_boilerplate(&corpus, min_documents, memory_bytes, &context).unwrap();
                prop_assert_eq!(&found, &expected);
            }
        }
    }
}
