//! The vectors of [`super::LearnedKgrams`] for single words, in one pass over the text.
//!
//! No term is stored and nothing is sorted: words are numbered as they first appear, and what
//! the observations add comes out of tables: by word, by frequency, by place and by block. Shares of a
//! weight are whole numbers, so the order of adding them does not matter.

use lookalike_text::{Analyzer, AnalyzerError, Document};

use super::keep_heaviest;
use super::numbered::NumberedWords;
use super::observations::{LOCATIONS, LocationSteps, Observation};
use super::stop_words::ProseWords;
use super::term_shares::{TermShare, TermShares};
use super::weights::{FoldedWeights, KgramWeights, Share};
use super::word_blocks::{BlockSize, Tally, WordBlocks};
use crate::WeightedFeature;
use crate::model::Model;

/// Text → words with learned weights.
#[derive(Debug)]
pub struct LearnedWords {
    analyzer: Analyzer,
    weights: FoldedWeights,
    terms: TermShares,
    /// Shares of the frequencies in a document, from 0.
    frequencies: Vec<Share>,
    /// Shares of the steps of the location.
    locations: Vec<Share>,
    /// Shares of the blocks of fewer than [`LONG_BLOCK`] words, by length, then stop words.
    blocks: Vec<Share>,
    /// Shares of the eight combinations of [`CAPITALIZED`], [`IN_TITLE`] and [`IN_URL`].
    flags: [Share; 8],
    active: Option<usize>,
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
    /// What is known of each distinct word.
    terms: Vec<TermShare>,
    tallies: Vec<Tally>,
    blocks: WordBlocks,
}

impl LearnedWords {
    /// The vectors of a model's weights, cut to the `active` highest weights where given; `None`
    /// where the model weighs something that a single pass over words does not see.
    ///
    /// # Errors
    /// Where this build lacks the dictionaries that the model's words need.
    pub fn new(
        model: &Model,
        learned: &KgramWeights,
        active: Option<usize>,
    ) -> Result<Option<Self>, AnalyzerError> {
        if learned.features.k != 1 || !learned.columns.iter().all(|c| is_seen(c.column.observation))
        {
            return Ok(None);
        }
        let analyzer = Analyzer::new(&model.analyzer)?;
        let weights = learned.folded();
        let stop_words = ProseWords::new(&analyzer);
        let query_frequency = &learned.query_frequency;
        let terms = TermShares::new(&weights, &model.statistics, query_frequency, &stop_words);
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
        Ok(Some(Self { analyzer, weights, terms, frequencies, locations, blocks, flags, active }))
    }

    /// The vector of a document, in no order.
    pub fn vector(
        &self,
        document: &Document<'_>,
        scratch: &mut WordScratch,
    ) -> Vec<WeightedFeature> {
        scratch.read(&self.analyzer, document.text);
        self.look_up(document.text, scratch);
        scratch.mark(&self.analyzer, document.title, IN_TITLE);
        scratch.mark(&self.analyzer, document.url, IN_URL);
        scratch.blocks.count(scratch.words.text(), &mut scratch.tallies);
        let mut vector = self.weigh(scratch);
        if let Some(active) = self.active {
            keep_heaviest(&mut vector, active);
        }
        vector
    }

    /// Finds what is known of each word before its places are looked at.
    fn look_up(&self, text: &str, scratch: &mut WordScratch) {
        let WordScratch { starts, words, terms, tallies, .. } = scratch;
        // By itself, so that the processor waits for many words at once: few are in its cache.
        terms.clear();
        terms.extend(words.distinct().iter().map(|word| self.terms.get(word.hash)));
        tallies.clear();
        tallies.extend(words.distinct().iter().zip(&*terms).map(|(word, term)| {
            let start = starts[word.first as usize] as usize;
            let flags = if is_capitalized(text, start) { CAPITALIZED } else { 0 };
            let TermShare { share, is_stop_word } = *term;
            Tally { share, flags, is_stop_word, ..Tally::default() }
        }));
    }

    /// The words of positive weight.
    fn weigh(&self, scratch: &WordScratch) -> Vec<WeightedFeature> {
        let n_words = scratch.words.text().len();
        let whole = self.weights.constant()
            + self.weights.share(Observation::Bias, 1.0)
            + self.weights.share(Observation::Length, n_words as f32);
        let mut long_blocks = [(BlockSize::default(), Share::default()); LONG_BLOCKS];
        let words = scratch.words.distinct();
        let mut vector = vec![WeightedFeature { feature: 0, weight: 0.0 }; words.len() + 1];
        let steps = LocationSteps::new(n_words);
        let mut n_weighed = 0;
        for (word, tally) in words.iter().zip(&scratch.tallies) {
            let block = self.block(tally.longest, &mut long_blocks);
            let frequency = match self.frequencies.get(tally.frequency as usize) {
                Some(share) => *share,
                None => self.weights.share(Observation::TermFrequency, tally.frequency as f32),
            };
            let location = self.locations[steps.of(word.first)];
            let flags = self.flags[usize::from(tally.flags) % self.flags.len()];
            let sum = whole + tally.share + block + frequency + location + flags;
            let weight = sum.weight();
            // Always written, counted where it weighs something: a branch would be a coin toss.
            vector[n_weighed] = WeightedFeature { feature: word.hash, weight };
            n_weighed += usize::from(weight > 0.0);
        }
        vector.truncate(n_weighed);
        vector
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
