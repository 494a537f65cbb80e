//! Spots: what follows the stop words of running text.
//!
//! Navigation, headlines and advertisements have few stop words, sentences are full of them. So a
//! stop word serves as an anchor, and it with the next words that are no stop words makes a *spot*
//! (Theobald, Siddharth, Paepcke 2008). The set of spots stands for the story, not for its page.

use lookalike_text::segment::{Language, StopWords, stop_words};
use lookalike_text::{Document, Token, TokenizedDocument, folded, term_hash};

use super::{shingle_hash, sorted_set};
use crate::{DescribedFeature, FeatureKind, Features, Represent};

/// Of so many words one should start a spot: where there are fewer spots they are headlines,
/// captions and the like, and a list or a program says all the rest.
const WORDS_OF_A_SPOT: usize = 100;

/// The top bits of a spot that order spots by the length of their words.
const LENGTH_BITS: u32 = 6;

/// English prose has several anchors in so many words; a text with fewer than one may be of
/// another language.
const WORDS_OF_AN_ANCHOR: usize = 50;

/// The set of spots.
#[derive(Clone, Debug)]
pub struct Spots {
    anchors: StopWords,
    /// The anchors among them.
    stop_words: StopWords,
    /// Whether the anchors are English, and texts of other languages have those of their own.
    any_language: bool,
    distance: usize,
    length: usize,
    /// The fewest spots of a document; with more than one, long documents need more.
    fewest: usize,
}

impl Spots {
    /// Spots of an anchor and `length` words, every `distance`-th of those that are no stop words.
    ///
    /// Anchors count as stop words.
    pub fn new<'a, 's>(
        anchors: impl IntoIterator<Item = &'a str>,
        stop_words: impl IntoIterator<Item = &'s str>,
        distance: usize,
        length: usize,
    ) -> Self {
        let hash = |word: &str| term_hash(&folded(word));
        let anchors: Vec<u64> = anchors.into_iter().map(hash).collect();
        let stop_words = stop_words.into_iter().map(hash).chain(anchors.iter().copied());
        let stop_words = StopWords::from_hashes(stop_words);
        let anchors = StopWords::from_hashes(anchors);
        let (distance, length) = (distance.max(1), length.max(1));
        Self { anchors, stop_words, any_language: false, distance, length, fewest: 1 }
    }

    /// The same for texts of every language: where the anchors, which are English, hardly occur,
    /// the stop words of the text's own language take their place.
    pub fn for_any_language(self) -> Self {
        Self { any_language: true, ..self }
    }

    /// The same with nothing of documents that have fewer spots than this, or, if it is more than one,
    /// than their length asks for.
    pub fn at_least(self, fewest: usize) -> Self {
        Self { fewest, ..self }
    }

    /// Whether so many spots stand for a document of so many words.
    fn are_enough(&self, n_spots: usize, n_words: usize) -> bool {
        let by_length = if self.fewest > 1 { n_words / WORDS_OF_A_SPOT } else { 0 };
        n_spots >= self.fewest.max(by_length)
    }

    /// The stop words of a text's own language, if its anchors say that it is not English.
    fn own_stop_words(
        &self,
        text: &str,
        n_anchors: usize,
        tokens: &TokenizedDocument,
    ) -> Option<&'static StopWords> {
        if !self.any_language || n_anchors * WORDS_OF_AN_ANCHOR >= tokens.len() {
            return None;
        }
        let detected = Language::detect(text).filter(|language| language.code() != "en");
        // A page of programs and menus may hide that its sentences are Chinese.
        let languages = [detected, main_script(tokens).and_then(|code| code.parse().ok())];
        let mut lists = languages.into_iter().flatten().map(|language| stop_words(Some(language)));
        lists.find(|words| !words.is_empty())
    }

    /// Calls `visitor` with the anchor and the words of each spot, in reading order.
    fn visit(
        &self,
        document: &Document<'_>,
        all: &TokenizedDocument,
        mut visitor: impl FnMut(&Token, &[&Token]),
    ) {
        let tokens = all.tokens();
        let (mut anchors, mut content) = places(tokens, &self.anchors, &self.stop_words);
        if let Some(own) = self.own_stop_words(document.text, anchors.len(), all) {
            (anchors, content) = places(tokens, own, own);
        }
        let mut words = Vec::with_capacity(self.length);
        let mut next = 0;
        for position in anchors {
            let anchor = &tokens[position];
            while next < content.len() && content[next] <= position {
                next += 1;
            }
            let chain = content[next..].iter().skip(self.distance - 1).step_by(self.distance);
            words.clear();
            words.extend(chain.take(self.length).map(|i| &tokens[*i]));
            if words.len() == self.length {
                visitor(anchor, &words);
            }
        }
    }
}

/// The language that most texts in a script are written in, for a script that has a fifth of the words.
fn main_script(tokens: &TokenizedDocument) -> Option<&'static str> {
    const SCRIPTS: [(std::ops::RangeInclusive<char>, &str); 9] = [
        ('\u{3040}'..='\u{30ff}', "ja"),
        ('\u{3400}'..='\u{9fff}', "zh"),
        ('\u{ac00}'..='\u{d7a3}', "ko"),
        ('\u{900}'..='\u{97f}', "hi"),
        ('\u{980}'..='\u{9ff}', "bn"),
        ('\u{600}'..='\u{6ff}', "ar"),
        ('\u{590}'..='\u{5ff}', "he"),
        ('\u{400}'..='\u{4ff}', "ru"),
        ('\u{e00}'..='\u{e7f}', "th"),
    ];
    let mut counts = [0; SCRIPTS.len()];
    for token in tokens.tokens() {
        let first = tokens.term(token).chars().next().unwrap_or_default();
        if let Some(script) = SCRIPTS.iter().position(|(letters, _)| letters.contains(&first)) {
            counts[script] += 1;
        }
    }
    // Japanese is written in Chinese characters as well.
    let japanese = counts[0] * 10 > counts[1] && counts[0] > 0;
    let most = if japanese { 0 } else { (1..counts.len()).max_by_key(|script| counts[*script])? };
    let n_words = if japanese { counts[0] + counts[1] } else { counts[most] };
    (n_words * 5 >= tokens.len() && n_words > 0).then_some(SCRIPTS[most].1)
}

/// The places of the anchors, which are stop words, and of all words that are no stop words.
fn places(
    tokens: &[Token],
    anchors: &StopWords,
    stop_words: &StopWords,
) -> (Vec<usize>, Vec<usize>) {
    let (mut of_anchors, mut of_content) = (Vec::new(), Vec::with_capacity(tokens.len()));
    for (place, token) in tokens.iter().enumerate() {
        if !stop_words.contains(token.hash) {
            of_content.push(place);
        } else if anchors.contains(token.hash) {
            of_anchors.push(place);
        }
    }
    (of_anchors, of_content)
}

/// The feature of a spot. Spots of long words, which are rare ones, have small values: where the
/// beginning of the sorted set serves as bucket keys, few strangers share one.
fn spot_feature(document: &TokenizedDocument, anchor: &Token, words: &[&Token]) -> u64 {
    let hash = shingle_hash(std::iter::once(anchor).chain(words.iter().copied()).map(|t| t.hash));
    let letters: usize = words.iter().map(|word| document.term(word).len()).sum();
    let rank = (1 << LENGTH_BITS) - 1 - (letters as u64).min((1 << LENGTH_BITS) - 1);
    rank << (64 - LENGTH_BITS) | hash >> LENGTH_BITS
}

impl Represent for Spots {
    fn kind(&self) -> FeatureKind {
        FeatureKind::Set
    }

    fn represent(&self, document: &Document<'_>, tokens: &TokenizedDocument) -> Features {
        let mut spots = Vec::new();
        self.visit(document, tokens, |anchor, words| {
            spots.push(spot_feature(tokens, anchor, words));
        });
        let spots = sorted_set(&spots);
        let are_enough = self.are_enough(spots.len(), tokens.len());
        Features::Set(if are_enough { spots } else { Vec::new() })
    }

    fn describe(
        &self,
        document: &Document<'_>,
        tokens: &TokenizedDocument,
    ) -> Vec<DescribedFeature> {
        let mut described = Vec::new();
        self.visit(document, tokens, |anchor, words| {
            let terms = std::iter::once(anchor).chain(words.iter().copied());
            let last = words.last().map_or(anchor.end, |word| word.end);
            described.push(DescribedFeature {
                feature: spot_feature(tokens, anchor, words),
                text: terms.map(|token| tokens.term(token)).collect::<Vec<_>>().join(" "),
                weight: 1.0,
                place: anchor.start as usize..last as usize,
            });
        });
        described.sort_by_key(|spot| (spot.feature, spot.place.start));
        described.dedup_by_key(|spot| spot.feature);
        described.sort_by_key(|spot| spot.place.start);
        described
    }
}

#[cfg(test)]
mod tests {
    use lookalike_text::{Analyzer, AnalyzerConfig};

    use super::*;

    fn spots(part: &Spots, text: &str) -> Vec<String> {
        let tokens = Analyzer::new(&AnalyzerConfig::default()).unwrap().tokenize(text);
        let described = part.describe(&Document::from_text(text), &tokens);
        assert_eq!(part.represent(&Document::from_text(text), &tokens).len(), described.len());
        described.into_iter().map(|spot| spot.text).collect()
    }

    #[test]
    fn an_anchor_and_the_next_content_words_make_a_spot() {
        let text = "At a rally to kick off a weeklong campaign for the South Carolina primary";
        let part = Spots::new(["a", "the"], ["at", "to", "for", "off"], 1, 2);
        assert_eq!(
            spots(&part, text),
            ["a rally kick", "a weeklong campaign", "the south carolina"]
        );
        let every_second = Spots::new(["a", "the"], ["at", "to", "for", "off"], 2, 1);
        assert_eq!(spots(&every_second, text), ["a kick", "a campaign", "the carolina"]);
    }

    #[test]
    fn navigation_without_stop_words_has_no_spots() {
        let part = Spots::new(["a", "the"], ["of"], 1, 2);
        assert_eq!(spots(&part, "Home News Sport Weather Contact"), [""; 0]);
        assert_eq!(spots(&part, "the end"), [""; 0]);
    }

    #[test]
    fn spots_of_long_words_come_first() {
        let text = "a cat sat the uncharacteristically bewildered";
        let part = Spots::new(["a", "the"], [], 1, 2);
        let tokens = Analyzer::new(&AnalyzerConfig::default()).unwrap().tokenize(text);
        let described = part.describe(&Document::from_text(text), &tokens);
        assert_eq!(described[1].text, "the uncharacteristically bewildered");
        assert!(described[1].feature < described[0].feature);
    }

    #[test]
    fn a_story_behind_a_menu_that_is_left_out_keeps_its_spots() {
        let story = "Der Hafenmeister schloss das Tor, weil die Flut viel zu früh gekommen war, und \
                     die Fischer mussten draußen warten, bis es am nächsten Morgen hell wurde.";
        let part = Spots::new(["that", "was"], ["the"], 1, 2).for_any_language();
        let alone = spots(&part, story);
        assert!(alone.len() > 3, "{alone:?}");
        assert_eq!(spots(&part, &format!("{}{story}", " ".repeat(5_000))), alone);
    }
}
