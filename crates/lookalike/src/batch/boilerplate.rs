//! The two passes that find boilerplate, for runs that leave it out.
//!
//! The first pass keeps, of every document, the hashes of its paragraphs and where they stand. From that
//! follows which paragraphs may be boilerplate, which documents the second pass has to read, and in the
//! end what every document hides ([`HiddenParagraphs`]): texts are cut into paragraphs once.

use lookalike_corpus::{Block, Corpus};
use lookalike_index::{DocumentId, RowSorter, WordStore, WordStoreBuilder};
use lookalike_statistics::boilerplate::{
    BoilerplateExaminer, BoilerplateOptions, BoilerplateReport, BoilerplateSet, Examination,
    MostOccurrences, ParagraphHasher, PlaceCounter, PlaceRow, PlacedParagraph, place_rows,
    text_priority,
};

use super::hidden::{HiddenParagraphs, HidingBuilder, range_word, word_range};
use crate::{ByteSize, Context, MemoryBudget, RunError};
use lookalike_corpus::pass::over_blocks;

/// Bytes of input for each counter of paragraphs: so many that few paragraphs share one.
const BYTES_PER_COUNTER: usize = 64;
const FEWEST_COUNTERS: usize = 1 << 16;

/// The paragraphs that at least `min_documents` otherwise different documents repeat.
///
/// What is known of paragraphs is kept in `memory_bytes`, on disk past them.
///
/// # Errors
/// The user stopped the run, or a working file cannot be written or read.
pub fn count_boilerplate(
    corpus: &Corpus,
    min_documents: usize,
    memory_bytes: usize,
    context: &Context<'_>,
) -> Result<BoilerplateReport, RunError> {
    let counted = Counted::count(corpus, min_documents, memory_bytes, context)?;
    let examiner = counted.examiner(memory_bytes, context)?;
    let examination = counted.examine(&examiner, corpus, context)?;
    Ok(examiner.finish(examination))
}

/// The paragraphs of [`count_boilerplate`], and what is to be hidden in each row of the corpus.
pub fn find_hidden_paragraphs(
    corpus: &Corpus,
    min_documents: usize,
    memory_bytes: usize,
    context: &Context<'_>,
) -> Result<(BoilerplateSet, HiddenParagraphs), RunError> {
    let counted = Counted::count(corpus, min_documents, memory_bytes, context)?;
    let examiner = counted.examiner(memory_bytes, context)?.without_examples();
    let examination = counted.examine(&examiner, corpus, context)?;
    let set = examiner.finish_set(examination);
    let budget = MemoryBudget::new(ByteSize(memory_bytes as u64));
    let mut hiding = HidingBuilder::new(budget.hidden_paragraphs(), context.temp_dir);
    counted.visit(|document, paragraphs| {
        let is_hidden = |hash: u64| counted.may_repeat(hash) && set.has(hash);
        let hashes_and_ranges = paragraphs.hashes.iter().zip(paragraphs.ranges);
        let hidden = hashes_and_ranges.filter(|(hash, _)| is_hidden(**hash));
        Ok(hiding.put(document, hidden.map(|(_, range)| *range))?)
    })?;
    Ok((set, hiding.finish()?))
}

/// What the first pass leaves.
struct Counted {
    min_documents: usize,
    occurrences: MostOccurrences,
    /// By row: the priority of its text, the hashes of its paragraphs, and where they stand.
    documents: WordStore,
    n_documents: u64,
}

/// What is known of one document.
struct DocumentParagraphs<'a> {
    priority: u64,
    hashes: &'a [u64],
    /// As [`range_word`] writes them.
    ranges: &'a [u64],
}

impl<'a> DocumentParagraphs<'a> {
    fn of(words: &'a [u64]) -> Option<Self> {
        let (priority, words) = words.split_first()?;
        let (hashes, ranges) = words.split_at(words.len() / 2);
        Some(Self { priority: *priority, hashes, ranges })
    }
}

/// What a block says of its paragraphs.
#[derive(Default)]
struct BlockParagraphs {
    words: Vec<u64>,
    /// Each document by its row, with the number of its paragraphs.
    documents: Vec<(u64, usize)>,
}

impl BlockParagraphs {
    fn of(block: &Block) -> Self {
        let (mut found, mut hasher) = (Self::default(), ParagraphHasher::default());
        let mut ranges = Vec::new();
        block.visit(|row| {
            let Ok(document) = &row.content else { return };
            found.words.push(text_priority(&document.text));
            ranges.clear();
            hasher.visit(&document.text, |paragraph| {
                found.words.push(paragraph.hash);
                ranges.push(range_word(&paragraph.range));
            });
            found.words.extend_from_slice(&ranges);
            found.documents.push((row.ordinal, ranges.len()));
        });
        found
    }
}

impl Counted {
    fn count(
        corpus: &Corpus,
        min_documents: usize,
        memory_bytes: usize,
        context: &Context<'_>,
    ) -> Result<Self, RunError> {
        let mut documents = WordStoreBuilder::new(memory_bytes / 4, context.temp_dir);
        let mut occurrences = MostOccurrences::new(n_counters(corpus, memory_bytes));
        let mut n_documents = 0;
        over_blocks::<_, RunError>(
            corpus,
            corpus.blocks(),
            "counting paragraphs",
            context.watch(),
            |block| BlockParagraphs::of(&block),
            |block| {
                n_documents += block.documents.len() as u64;
                let mut words = block.words.as_slice();
                for (ordinal, n_paragraphs) in block.documents {
                    let number = u32::try_from(ordinal).map_err(|_| RunError::TooManyRows)?;
                    let (own, rest) = words.split_at(1 + 2 * n_paragraphs);
                    words = rest;
                    for hash in &own[1..=n_paragraphs] {
                        occurrences.add(*hash);
                    }
                    documents.put(DocumentId(number), own)?;
                }
                Ok(())
            },
        )?;
        Ok(Self { min_documents, occurrences, documents: documents.finish()?, n_documents })
    }

    /// Whether a paragraph may stand in as many documents as boilerplate does.
    fn may_repeat(&self, hash: u64) -> bool {
        self.occurrences.may_reach(hash, self.min_documents)
    }

    fn visit(
        &self,
        mut look: impl FnMut(DocumentId, DocumentParagraphs<'_>) -> Result<(), RunError>,
    ) -> Result<(), RunError> {
        let mut buffer = Vec::new();
        for document in self.documents.documents() {
            let words = self.documents.read(document, &mut buffer)?;
            if let Some(paragraphs) = words.and_then(DocumentParagraphs::of) {
                look(document, paragraphs)?;
            }
        }
        Ok(())
    }

    /// Counts at which places paragraphs stand: those that repeat at one are looked at again.
    fn examiner(
        &self,
        memory_bytes: usize,
        context: &Context<'_>,
    ) -> Result<BoilerplateExaminer, RunError> {
        Ok(self.places(memory_bytes, context)?.examine(self.n_documents))
    }

    /// Looks at documents again.
    fn examine(
        &self,
        examiner: &BoilerplateExaminer,
        corpus: &Corpus,
        context: &Context<'_>,
    ) -> Result<Examination, RunError> {
        let wanted = self.sampled(examiner)?;
        let mut examination = examiner.begin();
        let examine = |block: &Block| {
            let mut examined = Vec::new();
            block.visit_selected(
                |ordinal| wanted.binary_search(&ordinal).is_ok(),
                |row| {
                    let Ok(document) = &row.content else { return };
                    let text = &document.text;
                    examined.extend(match self.placed(row.ordinal) {
                        Some(paragraphs) => examiner.examine_placed(text, &paragraphs),
                        None => examiner.examine(text),
                    });
                },
            );
            examined
        };
        over_blocks::<_, RunError>(
            corpus,
            corpus.blocks(),
            "examining paragraphs",
            context.watch(),
            |block| examine(&block),
            |documents| {
                for document in documents {
                    examiner.add(&mut examination, document);
                }
                Ok(())
            },
        )?;
        Ok(examination)
    }

    /// The paragraphs of a row; `None` if they have to be looked for again.
    fn placed(&self, row: u64) -> Option<Vec<PlacedParagraph>> {
        let mut buffer = Vec::new();
        let words = self.documents.read(DocumentId(u32::try_from(row).ok()?), &mut buffer);
        let DocumentParagraphs { hashes, ranges, .. } = DocumentParagraphs::of(words.ok()??)?;
        let placed = |(hash, range): (&u64, &u64)| {
            Some(PlacedParagraph { hash: *hash, range: word_range(*range)? })
        };
        hashes.iter().zip(ranges).map(placed).collect()
    }

    /// Where the paragraphs stand that may repeat.
    fn places(&self, memory_bytes: usize, context: &Context<'_>) -> Result<PlaceCounter, RunError> {
        let mut rows = RowSorter::new(memory_bytes / 2, context.temp_dir);
        let mut own = Vec::new();
        self.visit(|_, paragraphs| {
            place_rows(paragraphs.hashes, |hash| self.may_repeat(hash), &mut own);
            // The sorter orders by key, then by document number: hash and place have their widths.
            let push = |row: PlaceRow| rows.push(row.hash, DocumentId(row.place));
            Ok(own.drain(..).try_for_each(push)?)
        })?;
        let min_documents = self.min_documents;
        let options = BoilerplateOptions { min_documents, ..BoilerplateOptions::default() };
        let mut counter = PlaceCounter::new(options);
        rows.finish()?.visit(|hash, place| counter.push(PlaceRow { hash, place: place.0 }))?;
        Ok(counter)
    }

    /// The rows that the second pass must read, ascending: those in the sample of a candidate.
    fn sampled(&self, examiner: &BoilerplateExaminer) -> Result<Vec<u64>, RunError> {
        let mut foreseen = examiner.begin_foreseeing();
        let mut repeating = Vec::new();
        self.visit(|_, paragraphs| {
            repeating.clear();
            repeating.extend(paragraphs.hashes.iter().filter(|hash| self.may_repeat(**hash)));
            examiner.foresee(&mut foreseen, paragraphs.priority, &repeating);
            Ok(())
        })?;
        let priorities = examiner.foreseen_priorities(foreseen);
        let mut rows = Vec::new();
        self.visit(|document, paragraphs| {
            if priorities.binary_search(&paragraphs.priority).is_ok() {
                rows.push(u64::from(document.0));
            }
            Ok(())
        })?;
        Ok(rows)
    }
}

fn n_counters(corpus: &Corpus, memory_bytes: usize) -> usize {
    let enough = corpus.size_bytes() as usize / BYTES_PER_COUNTER;
    enough.max(FEWEST_COUNTERS).min(memory_bytes / 8)
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
        fn to_read_only_samples_again_finds_and_hides_what_reading_all_again_does(
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
                let (set, hidden) =
                    find_hidden_paragraphs(&corpus, min_documents, memory_bytes, &context).unwrap();
                prop_assert_eq!(&set, &expected.set());
                for (row, page) in (0..).zip(&pages) {
                    prop_assert_eq!(hidden.blanked(row, page), Some(expected.set().mask(page)));
                }
            }
        }
    }
}
