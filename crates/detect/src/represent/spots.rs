//! Spots: what follows the stop words of running text.
//!
//! Navigation, headlines and advertisements have few stop words, sentences are full of them. So a
//! stop word serves as an anchor, and it with the next words that are no stop words makes a *spot*
//! (Theobald, Siddharth, Paepcke 2008). The set of spots stands for the story, not for its page.

use lookalike_text::segment::{Language, StopWords, stop_words};
use lookalike_text::{Document, Token, TokenizedDocument, term_hash};

use super::shingle_hash;
use crate::{DescribedFeature, FeatureKind, Features, Represent};

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
        let anchors: Vec<u64> = anchors.into_iter().map(term_hash).collect();
        let stop_words = stop_words.into_iter().map(term_hash).chain(anchors.iter().copied());
        let stop_words = StopWords::from_hashes(stop_words);
        let anchors = StopWords::from_hashes(anchors);
        let (distance, length) = (distance.max(1), length.max(1));
        Self { anchors, stop_words, any_language: false, distance, length }
    }

    /// The same for texts of every language: where the anchors, which are English, hardly occur,
    /// the stop words of the text's own language take their place.
    pub fn for_any_language(self) -> Self {
        Self { any_language: true, ..self }
    }

    /// The stop words of a text's own language, if its anchors say that it is not English.
    fn own_stop_words(
        &self,
        text: &str,
        n_anchors: usize,
        n_words: usize,
    ) -> Option<&'static StopWords> {
        if !self.any_language || n_anchors * WORDS_OF_AN_ANCHOR >= n_words {
            return None;
        }
        let language = Language::detect(text).filter(|language| language.code() != "en")?;
        Some(stop_words(Some(language))).filter(|words| !words.is_empty())
    }

    /// Calls `visitor` with the anchor and the words of each spot, in reading order.
    fn visit(
        &self,
        document: &Document<'_>,
        tokens: &TokenizedDocument,
        mut visitor: impl FnMut(&Token, &[&Token]),
    ) {
        let tokens = tokens.tokens();
        let (mut anchors, mut content) = places(tokens, &self.anchors, &self.stop_words);
        if let Some(own) = self.own_stop_words(document.text, anchors.len(), tokens.len()) {
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
        Features::set(spots)
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
