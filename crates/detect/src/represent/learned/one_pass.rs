//! The vectors of [`super::LearnedKgrams`] for single words, in one pass over the text.
//!
//! No term is stored and nothing is sorted: words are numbered as they first appear, and what
//! the observations add comes out of tables: by word, by frequency, by place and by block. Shares of a
//! weight are whole numbers, so the order of adding them does not matter.

use lookalike_text::{Analyzer, AnalyzerError, Document};
use memchr::memchr_iter;

use super::numbered::NumberedWords;
use super::observations::{LOCATIONS, Observation, location_step};
use super::stop_words::StopWords;
use super::term_shares::TermShares;
use super::weights::{FoldedWeights, KgramWeights, Share};
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
    /// The flags of each distinct word.
    flags: Vec<u8>,
    counts: Vec<Count>,
    /// What each word adds by itself.
    term_shares: Vec<Share>,
    /// What each word's longest block adds.
    block_shares: Vec<Share>,
    blocks: Vec<Block>,
}

/// What is looked at for every word of the text, and therefore kept small.
#[derive(Clone, Copy, Debug)]
struct Count {
    frequency: u32,
    is_stop_word: bool,
}

/// A stretch of the text between line ends.
#[derive(Clone, Copy, Debug)]
struct Block {
    start: u32,
    end: u32,
    stop_words: u32,
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
        let stop_words = StopWords::new(&analyzer);
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
        scratch.mark(&self.analyzer, document.title, IN_TITLE);
        scratch.mark(&self.analyzer, document.url, IN_URL);
        let terms: &mut Vec<Share> = &mut scratch.term_shares;
        terms.clear();
        scratch.counts.clear();
        for word in scratch.words.distinct() {
            let term = self.terms.get(word.hash);
            terms.push(term.share);
            scratch.counts.push(Count { frequency: 0, is_stop_word: term.is_stop_word });
        }
        self.weigh_blocks(scratch);
        let mut vector = self.weigh(scratch);
        if let Some(active) = self.active.filter(|&active| active < vector.len()) {
            vector.select_nth_unstable_by(active, |left, right| {
                right.weight.total_cmp(&left.weight).then(left.feature.cmp(&right.feature))
            });
            vector.truncate(active);
        }
        vector
    }

    /// Counts the words, and finds what each one's longest block adds.
    fn weigh_blocks(&self, scratch: &mut WordScratch) {
        let WordScratch { words, counts, block_shares, blocks, .. } = scratch;
        let text = words.text();
        for block in blocks.iter_mut() {
            let mut stop_words = 0;
            for &word in &text[block.start as usize..block.end as usize] {
                let count = &mut counts[word as usize];
                count.frequency += 1;
                stop_words += u32::from(count.is_stop_word);
            }
            block.stop_words = stop_words;
        }
        // The longest come last and overwrite what shorter ones have left.
        blocks.sort_unstable_by_key(|block| (block.end - block.start, block.stop_words));
        block_shares.clear();
        block_shares.resize(counts.len(), Share::default());
        for &Block { start, end, stop_words } in blocks.iter() {
            let length = end - start;
            let share = if length < LONG_BLOCK {
                self.blocks[(length * (length + 1) / 2 + stop_words) as usize]
            } else {
                block_share(&self.weights, length, stop_words)
            };
            for &word in &text[start as usize..end as usize] {
                block_shares[word as usize] = share;
            }
        }
    }

    /// The words of positive weight.
    fn weigh(&self, scratch: &WordScratch) -> Vec<WeightedFeature> {
        let n_words = scratch.words.text().len();
        let whole = self.weights.constant()
            + self.weights.share(Observation::Bias, 1.0)
            + self.weights.share(Observation::Length, n_words as f32);
        let mut vector = Vec::with_capacity(scratch.counts.len());
        let shares = scratch.term_shares.iter().zip(&scratch.block_shares);
        let words = scratch.words.distinct().iter().zip(&scratch.counts).zip(&scratch.flags);
        for (((word, count), &flags), (&term, &block)) in words.zip(shares) {
            let frequency = match self.frequencies.get(count.frequency as usize) {
                Some(share) => *share,
                None => self.weights.share(Observation::TermFrequency, count.frequency as f32),
            };
            let location = self.locations[location_step(word.first as usize, n_words)];
            let flags = self.flags[usize::from(flags) % self.flags.len()];
            let sum = whole + term + block + frequency + location + flags;
            let weight = sum.weight();
            if weight > 0.0 {
                vector.push(WeightedFeature { feature: word.hash, weight });
            }
        }
        vector
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
        let Self { buffer, hashes, starts, words, flags, blocks, .. } = self;
        hashes.clear();
        starts.clear();
        // Only what must be done here: the more there is, the less of it is inlined.
        analyzer.visit_places(text, buffer, |some, places| {
            hashes.extend_from_slice(some);
            starts.extend_from_slice(places);
        });
        words.number(hashes);
        flags.clear();
        flags.extend(words.distinct().iter().map(|word| {
            let start = starts[word.first as usize] as usize;
            if is_capitalized(text, start) { CAPITALIZED } else { 0 }
        }));
        cut_blocks(text, starts, blocks);
    }

    /// Sets a flag on the words that a title or address has as well.
    fn mark(&mut self, analyzer: &Analyzer, text: Option<&str>, flag: u8) {
        let Some(text) = text else { return };
        analyzer.visit_hashes(text, &mut self.buffer, |hashes| {
            for number in hashes.iter().filter_map(|&hash| self.words.find(hash)) {
                self.flags[number as usize] |= flag;
            }
        });
    }
}

/// The words between two line ends, given the first byte of each word.
fn cut_blocks(text: &str, starts: &[u32], blocks: &mut Vec<Block>) {
    blocks.clear();
    let mut start = 0;
    let mut cut = |end: usize| {
        if end > start {
            blocks.push(Block { start: start as u32, end: end as u32, stop_words: 0 });
            start = end;
        }
    };
    let mut next = 0;
    for line_end in memchr_iter(b'\n', text.as_bytes()) {
        while starts.get(next).is_some_and(|&word| (word as usize) < line_end) {
            next += 1;
        }
        cut(next);
    }
    cut(starts.len());
}

fn is_capitalized(text: &str, start: usize) -> bool {
    match text.as_bytes().get(start) {
        Some(byte) if byte.is_ascii() => byte.is_ascii_uppercase(),
        _ => text[start..].starts_with(char::is_uppercase),
    }
}
