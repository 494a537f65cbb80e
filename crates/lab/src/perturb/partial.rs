//! Edited and partial copies of articles, as the 2013 paper's readers meet them.
//!
//! Some articles of a collection get one copy each: sentences cut, moved, or inserted from
//! another article, words replaced, or half of the paragraphs placed in another article. Which
//! and how follows from a seed; what came from what is the truth.

use lookalike_detect::random::SplitMix64;
use lookalike_learn::{Collection, LabelledText};
use lookalike_text::Analyzer;
use lookalike_text::segment::{Language, paragraphs, sentences};

use crate::sampling::sample;

/// What was done to a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Edit {
    /// One sentence in so many was left out.
    Cut,
    /// One sentence in so many stands elsewhere.
    Moved,
    /// So many sentences of another article were added.
    Inserted,
    /// Some words were exchanged for words of another article.
    Replaced,
    /// Half of the article's paragraphs were placed in another article.
    Placed,
    /// The other article: all of it is there, with foreign paragraphs.
    Host,
}

impl Edit {
    /// All kinds, in the order of the tables.
    pub const ALL: [Self; 6] =
        [Self::Cut, Self::Moved, Self::Inserted, Self::Replaced, Self::Placed, Self::Host];
}

/// Moves tried until a text differs from its original.
const MOST_MOVES: usize = 16;

/// How many copies are made, and how strongly they are edited.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PartialCopies {
    /// Articles in the collection, before copies.
    pub articles: usize,
    /// Copies of each kind.
    pub per_kind: usize,
    /// One sentence in so many is cut, moved or inserted; at least one.
    pub every_sentence: usize,
    /// One word in so many is replaced; at least one.
    pub every_word: usize,
    /// Decides everything.
    pub seed: u64,
}

impl Default for PartialCopies {
    /// The paper's sizes: 3,000 articles and about 850 copies.
    fn default() -> Self {
        Self { articles: 3000, per_kind: 170, every_sentence: 6, every_word: 50, seed: 1 }
    }
}

/// Articles, their copies after them, and which is a copy of which.
#[derive(Clone, Debug, Default)]
pub struct LabelledCopies {
    /// The articles and the copies.
    pub collection: Collection,
    /// Positions of article and copy, and what was done.
    pub truth: Vec<(usize, usize, Edit)>,
}

impl PartialCopies {
    /// Makes two labelled collections whose articles have nothing in common: one to choose
    /// settings on, one to report on.
    pub fn make_halves(&self, source: &Collection, analyzer: &Analyzer) -> [LabelledCopies; 2] {
        let mut eligible = eligible(source);
        SplitMix64::new(self.seed).shuffle(&mut eligible);
        let (first, second) = eligible.split_at(eligible.len() / 2);
        [(first, self.seed), (second, self.seed.wrapping_add(1))]
            .map(|(half, seed)| Self { seed, ..*self }.make_of(half, analyzer))
    }

    /// Makes the labelled collection from articles of at least three paragraphs.
    pub fn make(&self, source: &Collection, analyzer: &Analyzer) -> LabelledCopies {
        self.make_of(&eligible(source), analyzer)
    }

    fn make_of(&self, eligible: &[&LabelledText], analyzer: &Analyzer) -> LabelledCopies {
        let mut random = SplitMix64::new(self.seed);
        let chosen = sample(eligible.len(), self.articles, &mut random);
        let mut articles: Vec<LabelledText> =
            chosen.into_iter().map(|number| eligible[number].clone()).collect();
        random.shuffle(&mut articles);
        let mut made = LabelledCopies {
            collection: Collection { documents: articles.clone(), n_unreadable: 0 },
            truth: Vec::new(),
        };
        // Each article is copied once at most, and hosts are copied nowhere else.
        let mut unused = 0..articles.len();
        for kind in &Edit::ALL[..5] {
            for _ in 0..self.per_kind {
                let Some(article) = unused.next() else { return made };
                let other = if *kind == Edit::Placed { unused.next() } else { None };
                let other =
                    other.unwrap_or_else(|| random.next_below(articles.len() as u64) as usize);
                let pair = (&articles[article], &articles[other]);
                let text = self.edited(*kind, pair, analyzer, &mut random);
                let copy = made.collection.len();
                let title = if *kind == Edit::Placed { &pair.1.title } else { &pair.0.title };
                made.collection.documents.push(LabelledText {
                    id: format!("copy-{copy}"),
                    text,
                    title: title.clone(),
                    ..LabelledText::default()
                });
                made.truth.push((article, copy, *kind));
                if *kind == Edit::Placed {
                    made.truth.push((other, copy, Edit::Host));
                }
            }
        }
        made
    }

    fn edited(
        &self,
        kind: Edit,
        (article, other): (&LabelledText, &LabelledText),
        analyzer: &Analyzer,
        random: &mut SplitMix64,
    ) -> String {
        if kind == Edit::Replaced {
            return self.with_other_words(&article.text, &other.text, analyzer, random);
        }
        let mut parts = cut_up(&article.text);
        let foreign = cut_up(&other.text);
        if kind == Edit::Placed {
            let half = parts.len().div_ceil(2);
            let from = random.next_below((parts.len() - half + 1) as u64) as usize;
            let mut host = foreign;
            let place = random.next_below(host.len() as u64 + 1) as usize;
            host.splice(place..place, parts.drain(from..from + half));
            return put_together(&host);
        }
        let n_sentences: usize = parts.iter().map(Vec::len).sum();
        for _ in 0..(n_sentences / self.every_sentence).max(1) {
            let moved = match kind {
                Edit::Inserted => {
                    let paragraph = &foreign[random.next_below(foreign.len() as u64) as usize];
                    paragraph.get(random.next_below(paragraph.len() as u64) as usize).copied()
                }
                _ => take_one(&mut parts, random),
            };
            if let Some(sentence) = moved.filter(|_| kind != Edit::Cut) {
                put_in(&mut parts, sentence, random);
            }
        }
        // A sentence may come to stand where it was; a few more moves change the text, unless all
        // its sentences are the same.
        for _ in 0..MOST_MOVES {
            if kind != Edit::Moved || put_together(&parts) != put_together(&cut_up(&article.text)) {
                break;
            }
            if let Some(sentence) = take_one(&mut parts, random) {
                put_in(&mut parts, sentence, random);
            }
        }
        put_together(&parts)
    }

    /// The text with one word in so many exchanged for a word of the other text.
    fn with_other_words(
        &self,
        text: &str,
        other: &str,
        analyzer: &Analyzer,
        random: &mut SplitMix64,
    ) -> String {
        let (words, foreign) = (analyzer.tokenize(text), analyzer.tokenize(other));
        if foreign.is_empty() {
            return text.to_owned();
        }
        let n_replaced = (words.len() / self.every_word).max(1);
        let mut copy = String::with_capacity(text.len());
        let mut copied = 0;
        for number in sample(words.len(), n_replaced, random) {
            let word = words.tokens()[number];
            let random_word = random.next_below(foreign.len() as u64) as usize;
            let new = foreign.tokens()[random_word];
            copy.push_str(&text[copied..word.start as usize]);
            copy.push_str(&other[new.start as usize..new.end as usize]);
            copied = word.end as usize;
        }
        copy.push_str(&text[copied..]);
        copy
    }
}

/// The articles that have something to cut, move and place.
fn eligible(source: &Collection) -> Vec<&LabelledText> {
    let long_enough = |document: &&LabelledText| paragraphs(&document.text).count() >= 3;
    source.documents.iter().filter(long_enough).collect()
}

/// The sentences of each paragraph; a text without any has one empty sentence.
fn cut_up(text: &str) -> Vec<Vec<&str>> {
    let language = Language::detect(text);
    let sentences_of = |paragraph: std::ops::Range<usize>| -> Vec<&str> {
        let paragraph = &text[paragraph];
        let found: Vec<&str> = sentences(paragraph, language).map(|s| &paragraph[s]).collect();
        if found.is_empty() { vec![paragraph] } else { found }
    };
    let found: Vec<Vec<&str>> = paragraphs(text).map(sentences_of).collect();
    if found.is_empty() { vec![vec![""]] } else { found }
}

/// Takes a random sentence out, and its paragraph with it if it was the last; the text's last
/// sentence stays.
fn take_one<'a>(parts: &mut Vec<Vec<&'a str>>, random: &mut SplitMix64) -> Option<&'a str> {
    let paragraph = random.next_below(parts.len() as u64) as usize;
    if parts.len() == 1 && parts[0].len() == 1 {
        return None;
    }
    let place = random.next_below(parts[paragraph].len() as u64) as usize;
    let sentence = parts[paragraph].remove(place);
    if parts[paragraph].is_empty() {
        parts.remove(paragraph);
    }
    Some(sentence)
}

/// Puts a sentence at a random place.
fn put_in<'a>(parts: &mut [Vec<&'a str>], sentence: &'a str, random: &mut SplitMix64) {
    let paragraph = random.next_below(parts.len() as u64) as usize;
    let place = random.next_below(parts[paragraph].len() as u64 + 1) as usize;
    parts[paragraph].insert(place, sentence);
}

/// Sentences of alphabets get a space between them, those of Chinese none.
fn put_together(parts: &[Vec<&str>]) -> String {
    let paragraph = |sentences: &Vec<&str>| {
        let mut text = String::new();
        for sentence in sentences {
            if text.ends_with(|c: char| c.is_ascii()) {
                text.push(' ');
            }
            text.push_str(sentence);
        }
        text
    };
    parts.iter().map(paragraph).collect::<Vec<String>>().join("\n\n")
}

#[cfg(test)]
mod tests {
    use lookalike_text::AnalyzerConfig;

    use super::*;

    fn source() -> Collection {
        let document = |number: usize| LabelledText {
            id: format!("{number}"),
            text: (0..4)
                .map(|p| format!("Fact {number}a{p} is told here. Then {number}b{p} follows it."))
                .collect::<Vec<String>>()
                .join("\n\n"),
            ..LabelledText::default()
        };
        Collection { documents: (0..40).map(document).collect(), n_unreadable: 0 }
    }

    fn made(seed: u64) -> LabelledCopies {
        let analyzer = Analyzer::new(&AnalyzerConfig::default()).unwrap();
        let copies = PartialCopies { articles: 30, per_kind: 3, seed, ..Default::default() };
        copies.make(&source(), &analyzer)
    }

    #[test]
    fn the_seed_decides_the_collection() {
        assert_eq!(made(1).collection, made(1).collection);
        assert_ne!(made(1).collection, made(2).collection);
    }

    #[test]
    fn halves_have_no_article_in_common() {
        let analyzer = Analyzer::new(&AnalyzerConfig::default()).unwrap();
        let copies = PartialCopies { articles: 15, per_kind: 2, ..Default::default() };
        let [left, right] = copies.make_halves(&source(), &analyzer);
        assert_eq!((left.truth.len(), right.truth.len()), (12, 12));
        let texts = |half: &LabelledCopies| -> Vec<String> {
            half.collection.documents[..15].iter().map(|article| article.text.clone()).collect()
        };
        assert!(texts(&left).iter().all(|text| !texts(&right).contains(text)));
    }

    #[test]
    fn every_kind_has_its_copies_and_each_differs_from_its_article() {
        let made = made(1);
        assert_eq!(made.collection.len(), 30 + 15);
        for kind in Edit::ALL {
            assert_eq!(made.truth.iter().filter(|(.., edit)| *edit == kind).count(), 3);
        }
        let text = |number: usize| made.collection.documents[number].text.as_str();
        for (article, copy, edit) in &made.truth {
            assert_ne!(text(*article), text(*copy), "{edit:?}");
        }
    }

    #[test]
    fn a_host_holds_half_of_the_placed_article_and_all_of_itself() {
        let made = made(1);
        let parts = |number: usize| cut_up(&made.collection.documents[number].text);
        for (article, copy, edit) in &made.truth {
            let composite = parts(*copy);
            let shared = parts(*article).iter().filter(|p| composite.contains(p)).count();
            match edit {
                Edit::Placed => assert_eq!(shared, 2),
                Edit::Host => assert_eq!(shared, 4),
                Edit::Cut => assert!(composite.iter().flatten().count() == 7),
                _ => {}
            }
        }
    }
}
