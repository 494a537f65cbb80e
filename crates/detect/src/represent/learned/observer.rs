//! What a document shows of its single words, in one pass over the text.
//!
//! No term is stored and nothing is sorted: words are numbered as they first appear, and what
//! the observations add comes out of tables: by frequency, by place and by block. Only how common a word is in
//! a collection is left out, so that documents can be observed before the collection is counted.

use std::iter::StepBy;
use std::slice::Iter;

use lookalike_text::{Analyzer, AnalyzerError, Document, VisibleText};

use super::numbered::NumberedWords;
use super::observations::{LOCATIONS, LocationSteps, Observation};
use super::stop_words::ProseWords;
use super::term_shares::TermShares;
use super::weights::{FoldedWeights, KgramWeights, Share};
use super::word_blocks::{BlockSize, Tally, WordBlocks};
use crate::model::{Learned, Model};
use crate::{ObserveTerms, Scratch, TermCount};

/// Text → words, each with what this document adds to its weight.
#[derive(Debug)]
pub struct WordObserver {
    analyzer: Analyzer,
    weights: FoldedWeights,
    stop_words: TermShares,
    /// Shares of the frequencies in a document, from 0.
    frequencies: Vec<Share>,
    /// Shares of the steps of the location.
    locations: Vec<Share>,
    /// Shares of the blocks of fewer than [`LONG_BLOCK`] words, by length, then stop words.
    blocks: Vec<Share>,
    /// Shares of the eight combinations of [`CAPITALIZED`], [`IN_TITLE`] and [`IN_URL`].
    flags: [Share; 8],
}

const CAPITALIZED: u8 = 1;
const IN_TITLE: u8 = 2;
const IN_URL: u8 = 4;

/// Frequencies below it come out of a table.
const HIGH_FREQUENCY: usize = 256;
/// Blocks of so many words are computed, shorter ones come out of a table.
const LONG_BLOCK: u32 = 64;
/// So many of a document's long blocks are remembered.
const LONG_BLOCKS: usize = 64;

/// Buffers for the words of the document at hand.
#[derive(Debug, Default)]
pub struct WordScratch {
    /// For the tokenizer.
    buffer: String,
    /// The hash of each word of the text in turn.
    hashes: Vec<u64>,
    /// The first byte of each.
    starts: Vec<u32>,
    words: NumberedWords,
    tallies: Vec<Tally>,
    blocks: WordBlocks,
}

impl WordObserver {
    /// What a model for single words observes; `None` where the model weighs something that a
    /// single pass over words does not see.
    ///
    /// # Errors
    /// Where this build lacks the dictionaries that the model's words need.
    pub fn of_model(model: &Model) -> Result<Option<Self>, AnalyzerError> {
        match &model.learned {
            Learned::Andd(weights) => Self::new(model, weights),
            Learned::Svm(_) => Ok(None),
        }
    }

    pub(super) fn new(
        model: &Model,
        learned: &KgramWeights,
    ) -> Result<Option<Self>, AnalyzerError> {
        if learned.features.k != 1 || !learned.columns.iter().all(|c| is_seen(c.column.observation))
        {
            return Ok(None);
        }
        let analyzer = Analyzer::new(&model.analyzer)?;
        let weights = learned.folded();
        let stop_words = TermShares::of_stop_words(&ProseWords::new(&analyzer));
        let frequency = |f: usize| weights.share(Observation::TermFrequency, f as f32);
        let frequencies = (0..HIGH_FREQUENCY).map(frequency).collect();
        let location =
            |step: usize| weights.share(Observation::Location, step as f32 / LOCATIONS as f32);
        let locations = (0..LOCATIONS).map(location).collect();
        let of_length = |length| (0..=length).map(move |stop_words| (length, stop_words));
        let blocks = (0..LONG_BLOCK).flat_map(of_length);
        let blocks = blocks.map(|(length, stop)| block_share(&weights, length, stop)).collect();
        let flags = std::array::from_fn(|flags| {
            let share = |flag: u8, observation| {
                weights.share(observation, f32::from(u8::from(flags as u8 & flag != 0)))
            };
            share(CAPITALIZED, Observation::Capitalized)
                + share(IN_TITLE, Observation::InTitle)
                + share(IN_URL, Observation::InUrl)
        });
        Ok(Some(Self { analyzer, weights, stop_words, frequencies, locations, blocks, flags }))
    }

    /// Finds what is known of each word before its places are looked at.
    fn tally(&self, text: &str, scratch: &mut WordScratch) {
        let WordScratch { starts, words, tallies, .. } = scratch;
        tallies.clear();
        tallies.extend(words.distinct().iter().map(|word| {
            let start = starts[word.first as usize] as usize;
            let flags = if is_capitalized(text, start) { CAPITALIZED } else { 0 };
            let is_stop_word = self.stop_words.get(word.hash).is_stop_word;
            Tally { flags, is_stop_word, ..Tally::default() }
        }));
    }

    /// Adds up what was observed of each word.
    fn add_up(&self, scratch: &WordScratch, observed: &mut Vec<u64>) {
        let n_words = scratch.words.text().len();
        let whole = self.weights.constant()
            + self.weights.share(Observation::Bias, 1.0)
            + self.weights.share(Observation::Length, n_words as f32);
        let mut long_blocks = [(BlockSize::default(), Share::default()); LONG_BLOCKS];
        let words = scratch.words.distinct();
        let steps = LocationSteps::new(n_words);
        let start = observed.len();
        observed.resize(start + 2 * words.len(), 0);
        let (observed, _) = observed[start..].as_chunks_mut::<2>();
        for ((word, tally), observed) in words.iter().zip(&scratch.tallies).zip(observed) {
            let block = self.block(tally.longest, &mut long_blocks);
            let frequency = match self.frequencies.get(tally.frequency as usize) {
                Some(share) => *share,
                None => self.weights.share(Observation::TermFrequency, tally.frequency as f32),
            };
            let location = self.locations[steps.of(word.first)];
            let flags = self.flags[usize::from(tally.flags) % self.flags.len()];
            let sum = whole + block + frequency + location + flags;
            *observed = [word.hash, sum.0 as u64];
        }
    }

    /// What a word's longest block adds; `long` has some of the long ones of this document.
    #[inline]
    fn block(&self, size: BlockSize, long: &mut [(BlockSize, Share); LONG_BLOCKS]) -> Share {
        let (length, stop_words) = (size.length(), size.stop_words());
        if length < LONG_BLOCK {
            return self.blocks[(length * (length + 1) / 2 + stop_words) as usize];
        }
        let place = (length.wrapping_mul(31).wrapping_add(stop_words)) as usize % LONG_BLOCKS;
        if long[place].0 != size {
            long[place] = (size, block_share(&self.weights, length, stop_words));
        }
        long[place].1
    }
}

impl ObserveTerms for WordObserver {
    fn analyzer(&self) -> &Analyzer {
        &self.analyzer
    }

    fn reads_metadata(&self) -> bool {
        true
    }

    /// Two numbers for each distinct word, in the order of their first appearance: its hash, and what this
    /// document adds to its weight.
    fn observe(
        &self,
        document: &Document<'_>,
        scratch: &mut Scratch,
        observed: &mut Vec<u64>,
    ) -> TermCount {
        let scratch = &mut scratch.words;
        // Blocks end at the ends of lines, of which a reader may see fewer.
        let seen = self.analyzer.seen(document.text);
        let text = seen.as_ref().map_or(document.text, VisibleText::text);
        scratch.read(&self.analyzer, text);
        self.tally(text, scratch);
        scratch.mark(&self.analyzer, document.title, IN_TITLE);
        scratch.mark(&self.analyzer, document.url, IN_URL);
        scratch.blocks.count(scratch.words.text(), &mut scratch.tallies);
        self.add_up(scratch, observed);
        TermCount { terms: scratch.words.text().len(), stop_words: scratch.blocks.n_stop_words() }
    }

    fn distinct<'o>(&self, observed: &'o [u64]) -> StepBy<Iter<'o, u64>> {
        observed.iter().step_by(2)
    }
}

/// Whether the pass makes an observation.
fn is_seen(observation: Observation) -> bool {
    matches!(
        observation,
        Observation::Bias
            | Observation::TermFrequency
            | Observation::DocumentFrequency
            | Observation::AverageDocumentFrequency
            | Observation::MedianDocumentFrequency
            | Observation::QueryFrequency
            | Observation::Location
            | Observation::Length
            | Observation::Capitalized
            | Observation::InTitle
            | Observation::InUrl
            | Observation::BlockLength
            | Observation::BlockStopWords
    )
}

fn block_share(weights: &FoldedWeights, length: u32, stop_words: u32) -> Share {
    let share_of_stop_words = stop_words as f32 / length.max(1) as f32;
    weights.share(Observation::BlockLength, length as f32)
        + weights.share(Observation::BlockStopWords, share_of_stop_words)
}

impl WordScratch {
    /// Numbers the words of a text and cuts it into blocks at line ends.
    fn read(&mut self, analyzer: &Analyzer, text: &str) {
        let Self { buffer, hashes, starts, words, blocks, .. } = self;
        hashes.clear();
        starts.clear();
        // Only what must be done here: the more there is, the less of it is inlined.
        analyzer.visit_places(text, buffer, |some, places| {
            hashes.extend_from_slice(some);
            starts.extend_from_slice(places);
        });
        words.number(hashes);
        blocks.cut(text, starts);
    }

    /// Sets a flag on the words that a title or address has as well.
    fn mark(&mut self, analyzer: &Analyzer, text: Option<&str>, flag: u8) {
        let Some(text) = text else { return };
        analyzer.visit_hashes(text, &mut self.buffer, |hashes| {
            for number in hashes.iter().filter_map(|&hash| self.words.find(hash)) {
                self.tallies[number as usize].flags |= flag;
            }
        });
    }
}

#[inline]
fn is_capitalized(text: &str, start: usize) -> bool {
    let first = text.as_bytes().get(start).copied().unwrap_or_default();
    if first.is_ascii() { first.is_ascii_uppercase() } else { is_uppercase(text, start) }
}

/// Out of the way: few words begin with a letter beyond ASCII.
#[cold]
fn is_uppercase(text: &str, start: usize) -> bool {
    text[start..].starts_with(char::is_uppercase)
}
