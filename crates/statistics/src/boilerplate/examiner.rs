//! Second pass: in how different documents the paragraphs stand that repeat at one place.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hashbrown::HashMap;
use xxhash_rust::xxh3::xxh3_64;

use super::places::Repeated;
use super::report::{BoilerplateParagraph, ParagraphPlace};
use super::sketch::DocumentSketch;
use super::{
    BoilerplateOptions, BoilerplateReport, BoilerplateSet, PlacedParagraph, placed_paragraphs,
};

/// Documents of a candidate that are compared with each other.
const SAMPLED_DOCUMENTS: usize = 16;

/// Characters of a paragraph that the report shows.
const EXAMPLE_CHARACTERS: usize = 200;

/// What one document says of the candidates; made in parallel.
#[derive(Debug)]
pub struct ExaminedDocument {
    /// Copies have the same: they are sampled once.
    priority: u64,
    /// The candidates that may take the document into their sample.
    sampled_by: Vec<u32>,
    examples: Vec<(u32, String)>,
    sketch: Arc<DocumentSketch>,
}

/// A paragraph that repeats at one place.
#[derive(Debug)]
struct Candidate {
    repeated: Repeated,
    /// No document of this priority or a higher one gets into the sample any more, and none above
    /// it becomes the example. Only ever falls, so a thread that reads it late merely does work
    /// that comes to nothing.
    sampled_below: AtomicU64,
    example_at: AtomicU64,
}

/// What was gathered of one candidate.
#[derive(Debug, Default)]
struct Gathered {
    example: String,
    /// The documents of lowest priority, ascending.
    sample: Vec<(u64, Arc<DocumentSketch>)>,
}

/// What was gathered of all candidates, from any documents in any order.
#[derive(Debug)]
pub struct Examination(Vec<Gathered>);

/// A hash of a text: a candidate looks at its documents of the lowest ones.
pub fn text_priority(text: &str) -> u64 {
    xxh3_64(text.as_bytes())
}

/// The priorities of the documents that candidates will look at, once all were foreseen: the
/// second pass needs no others.
#[derive(Debug)]
pub struct ForeseenSamples(Vec<Vec<u64>>);

/// Looks again at every paragraph that repeats at one place.
#[derive(Debug)]
pub struct BoilerplateExaminer {
    options: BoilerplateOptions,
    n_documents: u64,
    numbers: HashMap<u64, u32>,
    candidates: Vec<Candidate>,
    /// Whether someone will look at examples.
    shows_examples: bool,
}

impl BoilerplateExaminer {
    pub(super) fn new(
        options: BoilerplateOptions,
        n_documents: u64,
        repeated: &[Repeated],
    ) -> Self {
        let candidate = |&repeated: &Repeated| Candidate {
            repeated,
            sampled_below: AtomicU64::new(u64::MAX),
            example_at: AtomicU64::new(u64::MAX),
        };
        let numbers = repeated.iter().map(|repeated| repeated.hash).zip(0..).collect();
        let candidates = repeated.iter().map(candidate).collect();
        Self { options, n_documents, numbers, candidates, shows_examples: true }
    }

    /// The same without examples, for [`Self::finish_set`].
    pub fn without_examples(self) -> Self {
        Self { shows_examples: false, ..self }
    }

    /// Nothing gathered yet.
    pub fn begin(&self) -> Examination {
        Examination(self.candidates.iter().map(|_| Gathered::default()).collect())
    }

    /// What a document says of the candidates; `None` if it can add nothing.
    ///
    /// A candidate looks at the sixteen documents of lowest priority, which is a hash of the text.
    /// After the first few hundred documents of a template, hardly one more has to be sketched.
    pub fn examine(&self, text: &str) -> Option<ExaminedDocument> {
        if self.candidates.is_empty() {
            return None;
        }
        self.examine_placed(text, &placed_paragraphs(text))
    }

    /// As [`Self::examine`], for a text whose [`placed_paragraphs`] are known.
    pub fn examine_placed(
        &self,
        text: &str,
        paragraphs: &[PlacedParagraph],
    ) -> Option<ExaminedDocument> {
        let numbers: Vec<Option<u32>> =
            paragraphs.iter().map(|paragraph| self.numbers.get(&paragraph.hash).copied()).collect();
        let mut priority = None;
        let mut sampled_by = Vec::new();
        let mut examples = Vec::new();
        for (paragraph, number) in paragraphs.iter().zip(&numbers) {
            let Some(number) = *number else { continue };
            let priority = *priority.get_or_insert_with(|| text_priority(text));
            let candidate = &self.candidates[number as usize];
            if priority < candidate.sampled_below.load(Ordering::Relaxed) {
                sampled_by.push(number);
            }
            if self.shows_examples && priority <= candidate.example_at.load(Ordering::Relaxed) {
                examples.push((number, shortened(&text[paragraph.range.clone()])));
            }
        }
        let priority = priority.filter(|_| !sampled_by.is_empty() || !examples.is_empty())?;
        let sketch = if sampled_by.is_empty() {
            DocumentSketch::default()
        } else {
            let texts = paragraphs.iter().map(|paragraph| &text[paragraph.range.clone()]);
            DocumentSketch::new(texts.zip(numbers.iter().map(Option::is_some)))
        };
        Some(ExaminedDocument { priority, sampled_by, examples, sketch: Arc::new(sketch) })
    }

    /// Nothing foreseen yet.
    pub fn begin_foreseeing(&self) -> ForeseenSamples {
        ForeseenSamples(vec![Vec::new(); self.candidates.len()])
    }

    /// Takes note of a document, known by its [`text_priority`] and the hashes of its paragraphs,
    /// before the second pass.
    pub fn foresee(&self, foreseen: &mut ForeseenSamples, priority: u64, hashes: &[u64]) {
        for number in hashes.iter().filter_map(|hash| self.numbers.get(hash)) {
            let sample = &mut foreseen.0[*number as usize];
            let is_low = sample.len() < SAMPLED_DOCUMENTS || sample.last() > Some(&priority);
            if is_low && let Err(place) = sample.binary_search(&priority) {
                sample.insert(place, priority);
                sample.truncate(SAMPLED_DOCUMENTS);
            }
        }
    }

    /// The priorities that some candidate has in its sample, ascending.
    ///
    /// A candidate of too few texts is none, however different they are: its documents are not
    /// looked at.
    pub fn foreseen_priorities(&self, foreseen: ForeseenSamples) -> Vec<u64> {
        let samples = self.candidates.iter().zip(foreseen.0);
        let mut priorities: Vec<u64> = samples
            .filter(|(candidate, sample)| {
                let n_texts = n_texts(sample.last(), sample.len(), candidate.repeated.n_documents);
                n_texts >= self.options.min_documents as f64
            })
            .flat_map(|(_, sample)| sample)
            .collect();
        priorities.sort_unstable();
        priorities.dedup();
        priorities
    }

    /// Adds what [`Self::examine`] said of one document.
    pub fn add(&self, examination: &mut Examination, document: ExaminedDocument) {
        let priority = document.priority;
        for (number, example) in document.examples {
            let gathered = &mut examination.0[number as usize];
            let at = &self.candidates[number as usize].example_at;
            // Of the places in one document the first is the example.
            if gathered.example.is_empty() || priority < at.load(Ordering::Relaxed) {
                gathered.example = example;
                at.store(priority, Ordering::Relaxed);
            }
        }
        for number in document.sampled_by {
            let below = examination.0[number as usize].offer(priority, &document.sketch);
            if let Some(below) = below {
                self.candidates[number as usize].sampled_below.store(below, Ordering::Relaxed);
            }
        }
    }

    /// Ends the second pass.
    pub fn finish(self, examination: Examination) -> BoilerplateReport {
        let candidates = self.candidates.into_iter().zip(examination.0);
        let mut shares = DifferingShares::default();
        let mut paragraphs: Vec<BoilerplateParagraph> = candidates
            .filter_map(|(candidate, gathered)| {
                gathered.judge(candidate.repeated, &self.options, &mut shares)
            })
            .collect();
        paragraphs.sort_by(|left, right| {
            let order = right.n_documents.cmp(&left.n_documents);
            order.then(left.template.cmp(&right.template)).then(left.hash.cmp(&right.hash))
        });
        BoilerplateReport { n_documents: self.n_documents, paragraphs }
    }

    /// Ends the second pass, for the set of [`Self::finish`] alone: documents are compared until it is
    /// certain that enough are different.
    pub fn finish_set(self, examination: Examination) -> BoilerplateSet {
        let mut known = HashMap::new();
        let candidates = self.candidates.into_iter().zip(examination.0);
        candidates
            .filter(|(candidate, gathered)| {
                gathered.reaches(candidate.repeated.n_documents, &self.options, &mut known)
            })
            .map(|(candidate, _)| candidate.repeated.hash)
            .collect()
    }
}

impl Gathered {
    /// Takes a document into the sample if its priority is low enough; says below which priority
    /// the next one must be, if any will not do.
    fn offer(&mut self, priority: u64, sketch: &Arc<DocumentSketch>) -> Option<u64> {
        let place = self.sample.binary_search_by_key(&priority, |(known, _)| *known);
        if let Err(place) = place
            && place < SAMPLED_DOCUMENTS
        {
            self.sample.insert(place, (priority, Arc::clone(sketch)));
            self.sample.truncate(SAMPLED_DOCUMENTS);
        }
        self.sample.get(SAMPLED_DOCUMENTS - 1).map(|(highest, _)| *highest)
    }

    fn judge(
        self,
        found: Repeated,
        options: &BoilerplateOptions,
        shares: &mut DifferingShares,
    ) -> Option<BoilerplateParagraph> {
        let at = found.place >> 1;
        let n_different = self.n_different(found.n_documents, shares);
        is_enough(n_different, options).then(|| BoilerplateParagraph {
            hash: found.hash,
            n_documents: found.n_documents,
            n_different: n_different.round() as u32,
            fixed_share: f64::from(found.n_at_place) / f64::from(found.n_documents),
            place: if found.place & 1 == 0 {
                ParagraphPlace::FromStart(at)
            } else {
                ParagraphPlace::FromEnd(at)
            },
            template: self.template(),
            example: self.example,
        })
    }

    /// An estimate of how many documents differ in their rest, from the sampled ones.
    fn n_different(&self, n_documents: u32, known: &mut DifferingShares) -> f64 {
        let entry = known.0.entry(self.priorities());
        let n_different = *entry.or_insert_with(|| self.n_sampled_different(usize::MAX));
        self.estimate(n_documents, n_different)
    }

    /// Whether enough documents differ in their rest; `known` are answers on a sample and how many of
    /// it must.
    fn reaches(
        &self,
        n_documents: u32,
        options: &BoilerplateOptions,
        known: &mut HashMap<(Vec<u64>, usize), bool>,
    ) -> bool {
        let is_enough = |n: &usize| is_enough(self.estimate(n_documents, *n), options);
        let Some(needed) = (0..=self.sample.len()).find(is_enough) else { return false };
        let entry = known.entry((self.priorities(), needed));
        *entry.or_insert_with(|| self.n_sampled_different(needed) >= needed)
    }

    fn priorities(&self) -> Vec<u64> {
        self.sample.iter().map(|(priority, _)| *priority).collect()
    }

    /// About how many documents differ if so many of the sampled ones do.
    fn estimate(&self, n_documents: u32, n_different: usize) -> f64 {
        let highest = self.sample.last().map(|(priority, _)| priority);
        let n_texts = n_texts(highest, self.sample.len(), n_documents);
        n_texts * n_different as f64 / self.sample.len().max(1) as f64
    }

    /// How many of the sampled documents differ from each other; no more than `most` are looked for.
    fn n_sampled_different(&self, most: usize) -> usize {
        let mut different: Vec<&DocumentSketch> = Vec::new();
        for (_, sketch) in &self.sample {
            if different.len() >= most {
                break;
            }
            if !sketch.is_empty() && different.iter().all(|other| sketch.differs_from(other)) {
                different.push(sketch);
            }
        }
        different.len()
    }

    /// Paragraphs of the same documents belong to the same template.
    fn template(&self) -> u64 {
        let bytes: Vec<u8> =
            self.sample.iter().flat_map(|(priority, _)| priority.to_le_bytes()).collect();
        xxh3_64(&bytes)
    }
}

/// Whether so many different documents make a paragraph boilerplate.
fn is_enough(n_different: f64, options: &BoilerplateOptions) -> bool {
    n_different >= options.min_documents as f64
}

/// How many documents of a sample differ, by their priorities: the paragraphs of a template have one
/// sample.
#[derive(Default)]
struct DifferingShares(HashMap<Vec<u64>, usize>);

/// About how many texts have a paragraph, of whose priorities these are the highest and the number in
/// the sample.
fn n_texts(highest: Option<&u64>, n_sampled: usize, n_documents: u32) -> f64 {
    let n_texts = match highest {
        // The k-th lowest of n random priorities lies at about k / n of their range.
        Some(highest) if n_sampled == SAMPLED_DOCUMENTS => {
            (SAMPLED_DOCUMENTS - 1) as f64 / (*highest as f64 / u64::MAX as f64)
        }
        _ => n_sampled as f64,
    };
    n_texts.min(f64::from(n_documents))
}

/// The beginning of a paragraph on one line.
fn shortened(paragraph: &str) -> String {
    let words: Vec<&str> = paragraph.split_whitespace().take(EXAMPLE_CHARACTERS).collect();
    words.join(" ").chars().take(EXAMPLE_CHARACTERS).collect()
}
