//! Second pass: how firmly the candidates stand at their places, and in how different documents.

use std::sync::Arc;

use hashbrown::HashMap;
use xxhash_rust::xxh3::xxh3_64;

use super::counter::distinct;
use super::report::{BoilerplateParagraph, Place};
use super::sketch::DocumentSketch;
use super::{BoilerplateOptions, BoilerplateReport, placed_paragraphs};

/// Documents of a candidate that are compared with each other.
const SAMPLED_DOCUMENTS: usize = 16;

/// Characters of a paragraph that the report shows.
const EXAMPLE_CHARACTERS: usize = 200;

/// What one document says of the candidates; made in parallel, added in order.
#[derive(Debug)]
pub struct ExaminedDocument {
    /// Copies have the same: they are sampled once.
    priority: u64,
    /// Hash, place from the start, place from the end.
    found: Vec<(u64, u32, u32)>,
    examples: Vec<(u64, String)>,
    sketch: Arc<DocumentSketch>,
}

#[derive(Debug, Default)]
struct Candidate {
    from_start: u32,
    from_end: u32,
    n_documents: u32,
    n_from_start: u32,
    n_from_end: u32,
    example: String,
    /// The documents of lowest priority, ascending.
    sample: Vec<(u64, Arc<DocumentSketch>)>,
}

/// Looks again at every paragraph that repeats at one place.
#[derive(Debug)]
pub struct BoilerplateExaminer {
    options: BoilerplateOptions,
    n_documents: u64,
    forgotten: u32,
    candidates: HashMap<u64, Candidate>,
}

impl BoilerplateExaminer {
    pub(super) fn new(
        options: BoilerplateOptions,
        n_documents: u64,
        forgotten: u32,
        candidates: impl Iterator<Item = (u64, u32, u32)>,
    ) -> Self {
        let candidates = candidates
            .map(|(hash, from_start, from_end)| {
                (hash, Candidate { from_start, from_end, ..Candidate::default() })
            })
            .collect();
        Self { options, n_documents, forgotten, candidates }
    }

    /// What a document says of the candidates.
    pub fn examine(&self, text: &str) -> ExaminedDocument {
        let paragraphs = placed_paragraphs(text);
        let is_candidate = |hash| self.candidates.contains_key(&hash);
        let mut found = distinct(&paragraphs);
        found.retain(|(hash, ..)| is_candidate(*hash));
        let sketch = if found.is_empty() {
            DocumentSketch::default()
        } else {
            DocumentSketch::new(text, &paragraphs, is_candidate)
        };
        let lacks_example =
            |hash| self.candidates.get(&hash).is_some_and(|known| known.example.is_empty());
        let examples = paragraphs
            .iter()
            .filter(|paragraph| lacks_example(paragraph.hash))
            .map(|paragraph| (paragraph.hash, shortened(&text[paragraph.range.clone()])))
            .collect();
        let priority = xxh3_64(text.as_bytes());
        ExaminedDocument { priority, found, examples, sketch: Arc::new(sketch) }
    }

    /// Adds what [`Self::examine`] said of one document; add them in reading order.
    pub fn add(&mut self, document: ExaminedDocument) {
        for (hash, example) in document.examples {
            if let Some(candidate) = self.candidates.get_mut(&hash)
                && candidate.example.is_empty()
            {
                candidate.example = example;
            }
        }
        for (hash, from_start, from_end) in document.found {
            let Some(candidate) = self.candidates.get_mut(&hash) else { continue };
            candidate.n_documents += 1;
            candidate.n_from_start += u32::from(candidate.from_start == from_start);
            candidate.n_from_end += u32::from(candidate.from_end == from_end);
            candidate.offer(document.priority, &document.sketch);
        }
    }

    /// Ends the second pass.
    pub fn finish(self) -> BoilerplateReport {
        let options = self.options;
        let mut paragraphs: Vec<BoilerplateParagraph> = self
            .candidates
            .into_iter()
            .filter_map(|(hash, candidate)| candidate.judge(hash, &options))
            .collect();
        paragraphs.sort_by(|left, right| {
            let order = right.n_documents.cmp(&left.n_documents);
            order.then(left.template.cmp(&right.template)).then(left.hash.cmp(&right.hash))
        });
        BoilerplateReport { n_documents: self.n_documents, forgotten: self.forgotten, paragraphs }
    }
}

impl Candidate {
    /// Takes a document into the sample if its priority is low enough.
    fn offer(&mut self, priority: u64, sketch: &Arc<DocumentSketch>) {
        let place = self.sample.binary_search_by_key(&priority, |(known, _)| *known);
        if let Err(place) = place
            && place < SAMPLED_DOCUMENTS
        {
            self.sample.insert(place, (priority, Arc::clone(sketch)));
            self.sample.truncate(SAMPLED_DOCUMENTS);
        }
    }

    fn judge(self, hash: u64, options: &BoilerplateOptions) -> Option<BoilerplateParagraph> {
        let (n_fixed, place) = if self.n_from_start >= self.n_from_end {
            (self.n_from_start, Place::FromStart(self.from_start))
        } else {
            (self.n_from_end, Place::FromEnd(self.from_end))
        };
        let fixed_share = f64::from(n_fixed) / f64::from(self.n_documents.max(1));
        let n_different = self.n_different();
        let is_boilerplate =
            fixed_share >= options.fixed_share && n_different >= options.min_documents as f64;
        is_boilerplate.then(|| BoilerplateParagraph {
            hash,
            n_documents: self.n_documents,
            n_different: n_different.round() as u32,
            fixed_share,
            place,
            template: self.template(),
            example: self.example,
        })
    }

    /// An estimate of how many documents differ in their rest, from the sampled ones.
    fn n_different(&self) -> f64 {
        let mut different: Vec<&DocumentSketch> = Vec::new();
        for (_, sketch) in &self.sample {
            if !sketch.is_empty() && different.iter().all(|other| sketch.differs_from(other)) {
                different.push(sketch);
            }
        }
        let n_texts = match self.sample.last() {
            // The k-th lowest of n random priorities lies at about k / n of their range.
            Some((highest, _)) if self.sample.len() == SAMPLED_DOCUMENTS => {
                (SAMPLED_DOCUMENTS - 1) as f64 / (*highest as f64 / u64::MAX as f64)
            }
            _ => self.sample.len() as f64,
        };
        let n_texts = n_texts.min(f64::from(self.n_documents));
        n_texts * different.len() as f64 / self.sample.len().max(1) as f64
    }

    /// Paragraphs of the same documents belong to the same template.
    fn template(&self) -> u64 {
        let bytes: Vec<u8> =
            self.sample.iter().flat_map(|(priority, _)| priority.to_le_bytes()).collect();
        xxh3_64(&bytes)
    }
}

/// The beginning of a paragraph on one line.
fn shortened(paragraph: &str) -> String {
    let words: Vec<&str> = paragraph.split_whitespace().collect();
    words.join(" ").chars().take(EXAMPLE_CHARACTERS).collect()
}
