//! What is observed of each k-gram of a document: the raw features of the 2010 paper (Table 1)
//! and two of the block the k-gram stands in.

use std::collections::BTreeMap;
use std::ops::Range;

use hashbrown::HashSet;
use lookalike_statistics::Statistics;
use lookalike_text::{Analyzer, Document, Token, TokenizedDocument};
use serde::{Deserialize, Serialize};

use super::stop_words::ProseWords;
use crate::represent::shingle_hash;

/// One thing observed of a k-gram in a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[repr(usize)]
pub enum Observation {
    /// 1 for every k-gram.
    Bias,
    /// How often the k-gram occurs in the document.
    TermFrequency,
    /// In how many of a thousand documents the k-gram occurs. Statistics count single terms: for k > 1, and
    /// without [`KgramFrequencies`], this is the frequency of the rarest term, which bounds that of the k-gram.
    DocumentFrequency,
    /// The average document frequency of the k-gram's terms.
    AverageDocumentFrequency,
    /// The median document frequency of the k-gram's terms.
    MedianDocumentFrequency,
    /// How often the k-gram was asked for in a query log.
    QueryFrequency,
    /// Where the k-gram first stands, from 0 (first term) to 1 (last), in steps of 1/1024.
    Location,
    /// How many terms the document has.
    Length,
    /// Whether the k-gram's first term is capitalized at its first occurrence.
    Capitalized,
    /// Whether the k-gram occurs in the title or subject.
    InTitle,
    /// Whether the k-gram occurs in the address.
    InUrl,
    /// How many terms the longest block (line) has that the k-gram stands in.
    BlockLength,
    /// The share of stop words in that block.
    BlockStopWords,
}

/// How many [`Observation`]s there are.
pub const N_OBSERVATIONS: usize = Observation::BlockStopWords as usize + 1;

/// What the observations of k-grams are made with.
#[derive(Clone, Debug)]
pub struct KgramContext<'a> {
    /// Terms in a k-gram.
    pub k: usize,
    /// Cuts title and address into terms.
    pub analyzer: &'a Analyzer,
    /// Document frequencies.
    pub statistics: &'a Statistics,
    /// Query-log frequencies by k-gram.
    pub query_frequency: &'a BTreeMap<u64, u32>,
    /// Document frequencies of whole k-grams, where they were counted.
    pub document_frequency: &'a KgramFrequencies,
    /// What counts as a stop word in a block.
    pub stop_words: &'a ProseWords,
}

/// In how many documents of a collection each k-gram occurs: DF of the 2010 paper for k > 1.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KgramFrequencies {
    /// Documents counted; 0 where nothing was.
    pub n_documents: usize,
    /// Those of more than one document, by hash: whatever is not here counts as one of one.
    pub counts: BTreeMap<u64, u32>,
}

impl KgramFrequencies {
    /// Counts the k-grams of documents.
    pub fn count<'a>(k: usize, documents: impl Iterator<Item = &'a TokenizedDocument>) -> Self {
        let mut frequencies = Self::default();
        let mut once = HashSet::new();
        for document in documents {
            let tokens = document.tokens();
            let width = k.clamp(1, tokens.len().max(1));
            let mut kgrams: Vec<u64> = tokens.windows(width).map(kgram_hash).collect();
            kgrams.sort_unstable();
            kgrams.dedup();
            frequencies.n_documents += 1;
            for kgram in kgrams {
                if !once.insert(kgram) {
                    *frequencies.counts.entry(kgram).or_insert(1) += 1;
                }
            }
        }
        frequencies
    }

    /// Whether nothing was counted.
    pub fn is_empty(&self) -> bool {
        self.n_documents == 0
    }

    /// In how many of a thousand documents a k-gram occurs.
    fn per_thousand(&self, kgram: u64) -> f32 {
        let count = self.counts.get(&kgram).copied().unwrap_or(1);
        count as f32 * (1000.0 / self.n_documents.max(1) as f32)
    }
}

/// The distinct k-grams of one document, by ascending hash, with their observations.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KgramTable {
    /// The k-grams' hashes.
    pub kgrams: Vec<u64>,
    /// One row a k-gram, indexed by [`Observation`].
    pub rows: Vec<[f32; N_OBSERVATIONS]>,
    /// Where each k-gram first stands in the text.
    pub places: Vec<Range<usize>>,
}

impl KgramContext<'_> {
    /// Observes all k-grams of a document.
    ///
    /// A document of fewer than k terms has one k-gram of all of them.
    pub fn observe(&self, document: &Document<'_>, tokens: &TokenizedDocument) -> KgramTable {
        let all = tokens.tokens();
        if all.is_empty() {
            return KgramTable::default();
        }
        let k = self.k.clamp(1, all.len());
        let mut occurrences: Vec<(u64, u32)> = (0..=all.len() - k)
            .map(|start| (kgram_hash(&all[start..start + k]), start as u32))
            .collect();
        occurrences.sort_unstable();
        let blocks = Blocks::cut(document.text, all, self.stop_words);
        let title = self.kgrams_of(document.title);
        let address = self.kgrams_of(document.url);
        let steps = LocationSteps::new(all.len());
        let mut table = KgramTable::default();
        for group in occurrences.chunk_by(|left, right| left.0 == right.0) {
            let (kgram, first) = (group[0].0, group[0].1 as usize);
            let terms = &all[first..first + k];
            let mut row = [0.0; N_OBSERVATIONS];
            let mut set = |observation: Observation, value: f32| row[observation as usize] = value;
            set(Observation::Bias, 1.0);
            set(Observation::TermFrequency, group.len() as f32);
            let [rarest, average, median] = self.document_frequencies(terms);
            let counted = k > 1 && !self.document_frequency.is_empty();
            let whole = counted.then(|| self.document_frequency.per_thousand(kgram));
            set(Observation::DocumentFrequency, whole.unwrap_or(rarest));
            set(Observation::AverageDocumentFrequency, average);
            set(Observation::MedianDocumentFrequency, median);
            let asked = self.query_frequency.get(&kgram).copied().unwrap_or(0);
            set(Observation::QueryFrequency, asked as f32);
            let step = steps.of(group[0].1);
            set(Observation::Location, step as f32 / LOCATIONS as f32);
            set(Observation::Length, all.len() as f32);
            let capital = document.text[terms[0].start as usize..].starts_with(char::is_uppercase);
            set(Observation::Capitalized, f32::from(u8::from(capital)));
            set(Observation::InTitle, f32::from(u8::from(title.binary_search(&kgram).is_ok())));
            set(Observation::InUrl, f32::from(u8::from(address.binary_search(&kgram).is_ok())));
            let (length, stop_words) = blocks.longest(group.iter().map(|&(_, start)| start));
            set(Observation::BlockLength, length);
            set(Observation::BlockStopWords, stop_words);
            table.kgrams.push(kgram);
            table.rows.push(row);
            table.places.push(terms[0].start as usize..terms[k - 1].end as usize);
        }
        table
    }

    /// Document frequency of the rarest term, average and median, each term counted at least
    /// once: a term that the statistics do not know is as rare as any.
    fn document_frequencies(&self, terms: &[Token]) -> [f32; 3] {
        let frequency = |token: &Token| {
            per_thousand(self.statistics, self.statistics.document_frequency(token.hash))
        };
        if let [only] = terms {
            return [frequency(only); 3];
        }
        let mut frequencies: Vec<f32> = terms.iter().map(frequency).collect();
        frequencies.sort_unstable_by(f32::total_cmp);
        let average = frequencies.iter().sum::<f32>() / frequencies.len() as f32;
        let middle = frequencies.len() / 2;
        let median = if frequencies.len().is_multiple_of(2) {
            f32::midpoint(frequencies[middle - 1], frequencies[middle])
        } else {
            frequencies[middle]
        };
        [frequencies[0], average, median]
    }

    /// The sorted k-grams of a title or address.
    fn kgrams_of(&self, text: Option<&str>) -> Vec<u64> {
        let Some(text) = text else { return Vec::new() };
        let tokens = self.analyzer.tokenize(text);
        let mut kgrams: Vec<u64> = tokens.tokens().windows(self.k.max(1)).map(kgram_hash).collect();
        kgrams.sort_unstable();
        kgrams
    }
}

/// In how many of a thousand documents a term of this document frequency occurs, taken for 1 where it is 0.
pub(super) fn per_thousand(statistics: &Statistics, frequency: u32) -> f32 {
    frequency.max(1) as f32 * (1000.0 / statistics.n_documents().max(1) as f32)
}

/// Steps of [`Observation::Location`]: as many as weights for all of them fit into a small table.
pub(super) const LOCATIONS: usize = 1024;

/// From places to steps of the location, for a document of so many terms.
#[derive(Clone, Copy, Debug)]
pub(super) struct LocationSteps(u64);

impl LocationSteps {
    pub(super) fn new(n_terms: usize) -> Self {
        Self(((LOCATIONS as u64) << 32) / n_terms.max(1) as u64)
    }

    /// Which step a term stands at.
    #[inline]
    pub(super) fn of(self, position: u32) -> usize {
        ((u64::from(position) * self.0) >> 32) as usize
    }
}

/// The hash of consecutive terms; of a single term, its own, by which statistics know it.
pub fn kgram_hash(terms: &[Token]) -> u64 {
    match terms {
        [only] => only.hash,
        several => shingle_hash(several.iter().map(|token| token.hash)),
    }
}

/// The blocks of a document: which one each token is in, their lengths and stop words.
struct Blocks {
    of_token: Vec<u32>,
    blocks: Vec<(u32, u32)>,
}

impl Blocks {
    /// Cuts at line ends.
    fn cut(text: &str, tokens: &[Token], stop_words: &ProseWords) -> Self {
        let mut of_token = Vec::with_capacity(tokens.len());
        let mut blocks = vec![(0, 0)];
        let mut end = 0;
        for token in tokens {
            let gap = text.as_bytes().get(end..token.start as usize).unwrap_or_default();
            if gap.contains(&b'\n') && blocks.last() != Some(&(0, 0)) {
                blocks.push((0, 0));
            }
            let last = blocks.len() - 1;
            blocks[last].0 += 1;
            blocks[last].1 += u32::from(stop_words.contains(token.hash));
            of_token.push(last as u32);
            end = token.end as usize;
        }
        Self { of_token, blocks }
    }

    /// Length and share of stop words of the longest block that has one of these tokens.
    fn longest(&self, positions: impl Iterator<Item = u32>) -> (f32, f32) {
        let of = |position: u32| self.blocks[self.of_token[position as usize] as usize];
        let (length, stop_words) = positions.map(of).max().unwrap_or((0, 0));
        (length as f32, stop_words as f32 / length.max(1) as f32)
    }
}

#[cfg(test)]
mod tests {
    use lookalike_statistics::StatisticsBuilder;
    use lookalike_text::AnalyzerConfig;

    use super::*;

    /// DF is that of the k-gram, DF-Avg and DF-Med are of its terms (Table 1 of 2010).
    #[test]
    fn the_document_frequency_of_a_kgram_is_its_own_where_it_was_counted() {
        let analyzer = Analyzer::new(&AnalyzerConfig::default()).unwrap();
        let texts = ["fog over harbor", "fog over town", "harbor fog over harbor", "over"];
        let tokens = texts.map(|text| analyzer.tokenize(text));
        let mut builder = StatisticsBuilder::new(AnalyzerConfig::default());
        for tokens in &tokens {
            builder.add(tokens);
        }
        let (statistics, stop_words) = (builder.finish(), ProseWords::new(&analyzer));
        let counted = KgramFrequencies::count(2, tokens.iter());
        let frequencies = |document_frequency: &KgramFrequencies| {
            let context = KgramContext {
                k: 2,
                analyzer: &analyzer,
                statistics: &statistics,
                query_frequency: &BTreeMap::new(),
                document_frequency,
                stop_words: &stop_words,
            };
            let table = context.observe(&Document::from_text(texts[2]), &tokens[2]);
            let place = |kgram: &[Token]| {
                let row = table.kgrams.iter().position(|hash| *hash == kgram_hash(kgram)).unwrap();
                let of = |observation: Observation| table.rows[row][observation as usize];
                [
                    of(Observation::DocumentFrequency),
                    of(Observation::AverageDocumentFrequency),
                    of(Observation::MedianDocumentFrequency),
                ]
            };
            tokens[2].tokens().windows(2).map(place).collect::<Vec<_>>()
        };
        // harbor fog, fog over, over harbor, of four documents; fog is in 3, over in 4, harbor in 2.
        let whole = [[250.0, 625.0, 625.0], [750.0, 875.0, 875.0], [500.0, 750.0, 750.0]];
        assert_eq!(frequencies(&counted), whole);
        let rarest = [[500.0, 625.0, 625.0], [750.0, 875.0, 875.0], [500.0, 750.0, 750.0]];
        assert_eq!(frequencies(&KgramFrequencies::default()), rarest);
    }
}
