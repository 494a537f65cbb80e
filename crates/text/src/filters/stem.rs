//! Porter's algorithm of 1980.

use std::borrow::Cow;
use std::fmt;

use snowball_stemmers_rs::{Algorithm, Stemmer};

/// Reduces English words to stems; other words stay as they are.
pub(crate) struct PorterStemmer(Stemmer);

impl Default for PorterStemmer {
    fn default() -> Self {
        Self(Stemmer::create(Algorithm::Porter))
    }
}

impl fmt::Debug for PorterStemmer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("PorterStemmer")
    }
}

impl PorterStemmer {
    /// The stem of a lower-case term.
    ///
    /// The algorithm knows the letters a to z only, so a term with any other letter is no word
    /// it has a rule for.
    pub(crate) fn stem<'a>(&self, term: &'a str) -> Cow<'a, str> {
        if term.is_ascii() { self.0.stem(term) } else { Cow::Borrowed(term) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_of_the_original_paper_come_out() {
        let stemmer = PorterStemmer::default();
        let examples = [
            ("caresses", "caress"),
            ("ponies", "poni"),
            ("plastered", "plaster"),
            ("motoring", "motor"),
            ("hopping", "hop"),
            ("relational", "relat"),
            ("conditional", "condit"),
            ("triplicate", "triplic"),
            ("goodness", "good"),
            ("adjustable", "adjust"),
            ("controll", "control"),
        ];
        for (word, stem) in examples {
            assert_eq!(stemmer.stem(word), stem, "{word}");
        }
    }

    #[test]
    fn words_outside_ascii_are_left_alone() {
        assert_eq!(PorterStemmer::default().stem("größen"), "größen");
    }
}
