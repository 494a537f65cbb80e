//! Paragraphs by weighted fingerprints of their long sentences (Wang, Liu and Jia 2013).

use std::cmp::Reverse;
use std::ops::Range;
use std::sync::Arc;

use lookalike_statistics::Statistics;
use lookalike_text::segment::{Language, LanguageChoice, StopWords, paragraphs};
use lookalike_text::{Analyzer, Document, Token, TokenizedDocument};
use serde::{Deserialize, Serialize};

use super::unnumbered::unnumbered;
use super::word_counts::{FewWords, word_counts};
use super::{TERM_SEPARATOR, runs_of};
use crate::features::ParagraphFeature;
use crate::rabin::Rabin;
use crate::random::mix64;
use crate::{DescribedFeature, FeatureKind, Features, Represent};

/// Weights are summed as integers of this many parts, so that their order does not matter.
const WEIGHT_UNIT: f64 = 4096.0;

/// Where the subject words of a document come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KeywordSource {
    /// The title's words without stop words; without a title, the document's words of most tf-idf
    /// (of most occurrences, where there are no statistics).
    #[default]
    Title,
    /// The document's words of most tf-idf, whatever its title.
    Text,
    /// None: sentences weigh by length and position only.
    None,
}

/// How much each part of a sentence's weight counts; the paper: 1, 1 and 0.5.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct SentenceWeights {
    /// Factor of the share of a sentence's characters that are keywords' (Eq. 1).
    pub keyword: f64,
    /// Factor of the decimal logarithm of a sentence's length in characters.
    pub length: f64,
    /// What the first and the last sentence of a paragraph get on top.
    pub position: f64,
}

impl Default for SentenceWeights {
    fn default() -> Self {
        Self { keyword: 1.0, length: 1.0, position: 0.5 }
    }
}

/// Document → a fingerprint for each paragraph that has a long sentence, and the sentences.
///
/// The features are two views: [`Features::Paragraphs`], and the set of the fingerprints of the
/// sentences that went into them. A document without a long sentence is one paragraph of its
/// longest sentences, so that none is without a fingerprint but one without words.
#[derive(Debug)]
pub struct ParagraphFingerprints {
    /// k: a sentence of at least so many words is long.
    pub min_words: usize,
    /// m: at most so many long sentences of a paragraph are used.
    pub max_sentences: usize,
    /// The parts of a sentence's weight.
    pub weights: SentenceWeights,
    /// Where subject words come from.
    pub keywords: KeywordSource,
    /// How many subject words a text without title has.
    pub max_keywords: usize,
    /// The language that stop words and abbreviations belong to.
    pub language: LanguageChoice,
    /// Fingerprints of sentences, and the width of those of paragraphs.
    pub rabin: Rabin,
    /// The width of a paragraph's fingerprint in bits.
    pub bits: u32,
    /// Makes the title's words.
    pub analyzer: Analyzer,
    /// Document frequencies for tf-idf.
    pub statistics: Option<Arc<Statistics>>,
    /// Whether there is a third view: the runs of all words but the numbers of clauses.
    pub has_runs: bool,
}

/// The first and the last sentence of a paragraph: whether it is long, and which of the long or short
/// ones it is.
#[derive(Clone, Copy, Default)]
struct Edges {
    first: Option<(bool, usize)>,
    last: Option<(bool, usize)>,
}

/// One sentence with what its weight depends on.
struct Sentence<'a> {
    place: Range<usize>,
    tokens: &'a [Token],
    /// Whether it opens or closes its paragraph.
    at_edge: bool,
}

/// Paragraphs with their sentences in reading order.
#[derive(Default)]
struct Chosen<'a> {
    /// Each by its place and where its sentences end among all.
    paragraphs: Vec<(Range<usize>, usize)>,
    sentences: Vec<Sentence<'a>>,
}

impl<'a> Chosen<'a> {
    /// Each paragraph's place, and its sentences.
    fn iter(&self) -> impl Iterator<Item = (&Range<usize>, &[Sentence<'a>])> {
        let mut start = 0;
        self.paragraphs.iter().map(move |(place, end)| {
            let sentences = &self.sentences[start..*end];
            start = *end;
            (place, sentences)
        })
    }
}

impl ParagraphFingerprints {
    /// The paragraphs that get a fingerprint, with the sentences it is made of; `numbering` takes
    /// the hashes of words that belong to no sentence, `words` those of all others.
    fn choose<'a>(
        &self,
        text: &str,
        tokens: &'a TokenizedDocument,
        language: Option<Language>,
        numbering: &mut Vec<u64>,
        words: &mut Vec<u64>,
    ) -> Chosen<'a> {
        let mut rest = tokens.tokens();
        // Short sentences are keys only where no sentence is long.
        let (mut chosen, mut short) = (Chosen::default(), Vec::new());
        for place in paragraphs(text) {
            let start = chosen.sentences.len();
            let mut edges = Edges::default();
            let skipped = |token: &Token| numbering.push(token.hash);
            let take = |place, tokens: &'a [Token]| {
                if self.has_runs {
                    words.extend(tokens.iter().map(|token| token.hash));
                }
                let is_long = tokens.len() >= self.min_words;
                let of_length = if is_long { &mut chosen.sentences } else { &mut short };
                edges.last = Some((is_long, of_length.len()));
                edges.first = edges.first.or(edges.last);
                of_length.push(Sentence { place, tokens, at_edge: false });
            };
            unnumbered(text, &place, language, &mut rest, skipped, take);
            for (is_long, index) in edges.first.into_iter().chain(edges.last) {
                let of_length = if is_long { &mut chosen.sentences } else { &mut short };
                of_length[index].at_edge = true;
            }
            self.keep_longest(&mut chosen.sentences, start);
            if chosen.sentences.len() > start {
                chosen.paragraphs.push((place, chosen.sentences.len()));
            }
        }
        if !chosen.sentences.is_empty() {
            return chosen;
        }
        self.keep_longest(&mut short, 0);
        if let (Some(first), Some(last)) = (short.first(), short.last()) {
            chosen.paragraphs.push((first.place.start..last.place.end, short.len()));
        }
        Chosen { sentences: short, ..chosen }
    }

    /// Of the sentences from `start` on drops all but the longest, the earlier of equals; keeps reading
    /// order.
    fn keep_longest(&self, sentences: &mut Vec<Sentence<'_>>, start: usize) {
        if sentences.len() - start > self.max_sentences {
            let own = &mut sentences[start..];
            own.sort_by_key(|sentence| (Reverse(sentence.tokens.len()), sentence.place.start));
            own[..self.max_sentences].sort_by_key(|sentence| sentence.place.start);
            sentences.truncate(start + self.max_sentences);
        }
    }

    /// The subject words.
    fn subject(
        &self,
        document: &Document<'_>,
        tokens: &TokenizedDocument,
        language: Option<Language>,
        numbering: &[u64],
    ) -> FewWords<usize> {
        let stop_words = lookalike_text::segment::stop_words(language);
        let mut words = match (self.keywords, document.title) {
            (KeywordSource::None, _) => return FewWords::new(Vec::new()),
            (KeywordSource::Title, Some(title)) => {
                let title = self.analyzer.tokenize(title);
                content_words(&title, stop_words)
            }
            _ => Vec::new(),
        };
        if words.is_empty() {
            words = self.frequent_words(tokens, stop_words, numbering);
        }
        FewWords::new(words)
    }

    /// The document's words of most tf-idf, but for those of its numbering.
    fn frequent_words(
        &self,
        tokens: &TokenizedDocument,
        stop_words: &StopWords,
        numbering: &[u64],
    ) -> Vec<(u64, usize)> {
        let hashes = tokens.tokens().iter().map(|token| token.hash);
        let numbers = FewWords::new(word_counts(numbering.len(), numbering.iter().copied()));
        let mut weighted: Vec<(f64, u64)> = word_counts(tokens.len(), hashes)
            .into_iter()
            // Of the words that occur, not of all occurrences: stop words are those that repeat.
            .filter(|(hash, _)| !stop_words.contains(*hash))
            .filter_map(|(hash, count)| {
                let count = count.saturating_sub(numbers.get(hash).unwrap_or(0));
                let idf = || self.statistics.as_ref().map_or(1.0, |s| s.idf(hash));
                (count > 0).then(|| (f64::from(count) * idf(), hash))
            })
            .collect();
        let heavier = |left: &(f64, u64), right: &(f64, u64)| {
            right.0.total_cmp(&left.0).then(left.1.cmp(&right.1))
        };
        if self.max_keywords < weighted.len() {
            weighted.select_nth_unstable_by(self.max_keywords, heavier);
            weighted.truncate(self.max_keywords);
        }
        let hashes = weighted.into_iter().map(|(_, hash)| hash);
        let chosen = FewWords::new(hashes.zip(0_usize..).collect());
        // Terms are as good as never of one hash and two lengths; if they are, the shorter counts.
        let mut lengths = vec![None; self.max_keywords.min(tokens.len())];
        for token in tokens.tokens() {
            if let Some(place) = chosen.get(token.hash) {
                let length = tokens.term(token).chars().count();
                let known: &mut Option<(u64, usize)> = &mut lengths[place];
                *known = Some((token.hash, known.map_or(length, |(_, known)| known.min(length))));
            }
        }
        lengths.into_iter().flatten().collect()
    }

    /// W(s) = keyword share + log10 of the length + bonus of the edges.
    fn weight(&self, text: &str, sentence: &Sentence<'_>, subject: &FewWords<usize>) -> f64 {
        let characters = text[sentence.place.clone()].chars().count().max(1) as f64;
        let lengths = sentence.tokens.iter().filter_map(|token| subject.get(token.hash));
        let in_keywords: usize = lengths.sum();
        let SentenceWeights { keyword, length, position } = self.weights;
        keyword * (in_keywords as f64 / characters).min(1.0)
            + length * characters.log10()
            + if sentence.at_edge { position } else { 0.0 }
    }

    /// The Rabin fingerprint of a sentence's terms; `room` is memory to reuse.
    fn fingerprint(
        &self,
        tokens: &TokenizedDocument,
        sentence: &Sentence<'_>,
        room: &mut Vec<u8>,
    ) -> u64 {
        room.clear();
        tokens.write_separated(sentence.tokens, TERM_SEPARATOR, room);
        self.rabin.fingerprint(room)
    }
}

/// The terms of a text that are no stop words, with their lengths in characters.
fn content_words(tokens: &TokenizedDocument, stop_words: &StopWords) -> Vec<(u64, usize)> {
    tokens
        .tokens()
        .iter()
        .filter(|token| !stop_words.contains(token.hash))
        .map(|token| (token.hash, tokens.term(token).chars().count()))
        .collect()
}

/// The weighted majority of each bit (Charikar 2002); a tie gives 0.
fn simhash(weighted: &[(u64, f64)], bits: u32) -> u64 {
    let in_parts = |weight: f64| (weight * WEIGHT_UNIT).round() as i64;
    if let [(hash, weight)] = weighted {
        // One sentence decides every bit, if it weighs anything.
        let mask = u64::MAX >> (64 - bits);
        return if in_parts(*weight) > 0 { hash & mask } else { 0 };
    }
    let mut balances = [0; 64];
    for (hash, weight) in weighted {
        let parts = in_parts(*weight);
        for (bit, balance) in balances.iter_mut().enumerate() {
            *balance += if hash >> bit & 1 == 1 { parts } else { -parts };
        }
    }
    let majority = |fingerprint, bit| fingerprint | u64::from(balances[bit as usize] > 0) << bit;
    (0..bits).fold(0, majority)
}

impl Represent for ParagraphFingerprints {
    fn kind(&self) -> FeatureKind {
        let mut views = vec![FeatureKind::Paragraphs, FeatureKind::Set];
        views.extend(self.has_runs.then_some(FeatureKind::Sequence));
        FeatureKind::Several(views)
    }

    fn represent(&self, document: &Document<'_>, tokens: &TokenizedDocument) -> Features {
        let language = self.language.of(document.text);
        let (mut numbering, mut words) = (Vec::new(), Vec::new());
        let chosen = self.choose(document.text, tokens, language, &mut numbering, &mut words);
        let subject = self.subject(document, tokens, language, &numbering);
        let mut room = Vec::new();
        let mut fingerprints = Vec::new();
        let mut sentences = Vec::new();
        let mut weighted = Vec::new();
        for (place, paragraph) in chosen.iter() {
            weighted.clear();
            weighted.extend(paragraph.iter().map(|sentence| {
                let fingerprint = self.fingerprint(tokens, sentence, &mut room);
                sentences.push(fingerprint);
                // Rabin's fingerprint is linear: a sentence with another last digit is a bit away.
                (mix64(fingerprint), self.weight(document.text, sentence, &subject))
            }));
            fingerprints.push(ParagraphFeature {
                fingerprint: simhash(&weighted, self.bits),
                start: place.start as u32,
                end: place.end as u32,
            });
        }
        let mut views = vec![Features::Paragraphs(fingerprints), Features::set(sentences)];
        views.extend(self.has_runs.then(|| runs_of(words)));
        Features::Several(views)
    }

    fn describe(
        &self,
        document: &Document<'_>,
        tokens: &TokenizedDocument,
    ) -> Vec<DescribedFeature> {
        let language = self.language.of(document.text);
        let mut numbering = Vec::new();
        let chosen = self.choose(document.text, tokens, language, &mut numbering, &mut Vec::new());
        let subject = self.subject(document, tokens, language, &numbering);
        let mut room = Vec::new();
        let mut described = Vec::new();
        for sentence in &chosen.sentences {
            described.push(DescribedFeature {
                feature: self.fingerprint(tokens, sentence, &mut room),
                text: document.text[sentence.place.clone()].to_owned(),
                weight: self.weight(document.text, sentence, &subject),
                place: sentence.place.clone(),
            });
        }
        described
    }
}
