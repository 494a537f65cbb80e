//! Words so common that they say nothing of a document's subject, but much of its prose.

use hashbrown::HashSet;
use lookalike_text::{Analyzer, term_hash};

/// The stop words that tell running text from lists of links, by term hash.
#[derive(Clone, Debug)]
pub struct ProseWords(HashSet<u64>);

const WORDS: &str = "a about after again against all also am an and any are as at be because been \
    before being between both but by can could did do does doing down during each few for from \
    further had has have having he her here hers him his how i if in into is it its itself just \
    me more most my no nor not now of off on once only or other our out over own said same she \
    should so some such than that the their them then there these they this those through to too \
    under until up upon very was we were what when where which while who whom why will with would \
    you your";

impl ProseWords {
    /// The stop words as an analyzer writes them.
    pub fn new(analyzer: &Analyzer) -> Self {
        let mut hashes = HashSet::new();
        for word in WORDS.split_whitespace() {
            hashes.insert(term_hash(word));
            hashes.extend(analyzer.tokenize(word).tokens().iter().map(|token| token.hash));
        }
        Self(hashes)
    }

    /// Whether the term with this hash is a stop word.
    pub fn contains(&self, term: u64) -> bool {
        self.0.contains(&term)
    }

    /// The hashes of all stop words, in no order.
    pub(super) fn hashes(&self) -> impl Iterator<Item = u64> {
        self.0.iter().copied()
    }
}
