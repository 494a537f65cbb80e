//! A document cut into terms, in two flat buffers instead of a string per word.

use std::ops::Range;

use crate::hash::{HASH_PADDING, padded_hash, term_hash};
use crate::tokenize::TermSink;

/// One term of a document and where it came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// [`term_hash`] of the term.
    pub hash: u64,
    term_start: u32,
    term_end: u32,
    /// First byte of the token in the original text.
    pub start: u32,
    /// One past the last byte of the token in the original text.
    pub end: u32,
}

/// The terms of a document in reading order; reusable, so that a loop allocates nothing.
///
/// Two are equal when they have the same terms at the same places.
#[derive(Clone, Debug, Default)]
pub struct TokenizedDocument {
    terms: String,
    tokens: Vec<Token>,
}

impl TokenizedDocument {
    /// Forgets the tokens and keeps the memory.
    pub fn clear(&mut self) {
        self.terms.clear();
        self.tokens.clear();
    }

    /// Replaces the content by what `tokenize` finds with the given buffer and sink.
    ///
    /// Most terms stand in the buffer already, so the buffer becomes part of the document and
    /// those terms are never copied.
    #[inline]
    pub(crate) fn fill(&mut self, tokenize: impl FnOnce(&mut String, &mut DocumentSink)) {
        self.clear();
        let mut sink =
            DocumentSink { tokens: std::mem::take(&mut self.tokens), ..DocumentSink::default() };
        tokenize(&mut self.terms, &mut sink);
        let offset = self.terms.len() as u32;
        self.terms.push_str(&sink.terms);
        for &index in &sink.outside {
            let token = &mut sink.tokens[index as usize];
            token.term_start += offset;
            token.term_end += offset;
        }
        self.tokens = sink.tokens;
    }

    /// Replaces the place of every token.
    pub(crate) fn move_places(&mut self, moved: impl Fn(Range<usize>) -> Range<usize>) {
        for token in &mut self.tokens {
            let place = moved(token.start as usize..token.end as usize);
            (token.start, token.end) = (place.start as u32, place.end as u32);
        }
    }

    /// Appends a term that stands at `place` in the original text.
    pub fn push(&mut self, term: &str, place: Range<usize>) {
        self.push_hashed(term, term_hash(term), place);
    }

    /// Appends a term whose hash is already known.
    pub fn push_hashed(&mut self, term: &str, hash: u64, place: Range<usize>) {
        let term_start = self.terms.len() as u32;
        self.terms.push_str(term);
        self.tokens.push(Token {
            hash,
            term_start,
            term_end: self.terms.len() as u32,
            start: place.start as u32,
            end: place.end as u32,
        });
    }

    /// The tokens in reading order.
    pub fn tokens(&self) -> &[Token] {
        &self.tokens
    }

    /// The analyzed form of a token of this document.
    pub fn term(&self, token: &Token) -> &str {
        &self.terms[token.term_start as usize..token.term_end as usize]
    }

    /// Appends the terms of some tokens of this document, each with `separator` behind it.
    pub fn write_separated(&self, tokens: &[Token], separator: u8, written: &mut Vec<u8>) {
        let terms = self.terms.as_bytes();
        for token in tokens {
            let (start, end) = (token.term_start as usize, token.term_end as usize);
            let length = written.len();
            match terms.get(start..).and_then(<[u8]>::first_chunk::<HASH_PADDING>) {
                // Most terms are short: to write more than the term is cheaper than to ask how long
                // it is.
                Some(window) if end - start < HASH_PADDING => {
                    written.extend_from_slice(window);
                    written[length + end - start] = separator;
                    written.truncate(length + end - start + 1);
                }
                _ => {
                    written.extend_from_slice(&terms[start..end]);
                    written.push(separator);
                }
            }
        }
    }

    /// The terms in reading order.
    pub fn terms(&self) -> impl Iterator<Item = &str> {
        self.tokens.iter().map(|token| self.term(token))
    }

    /// How many tokens there are.
    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    /// Whether no term was found.
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }
}

impl PartialEq for TokenizedDocument {
    fn eq(&self, other: &Self) -> bool {
        let place = |token: &Token| (token.start, token.end);
        self.tokens.iter().map(place).eq(other.tokens.iter().map(place))
            && self.terms().eq(other.terms())
    }
}

impl Eq for TokenizedDocument {}

/// Collects the tokens of one document.
#[derive(Default)]
pub(crate) struct DocumentSink {
    tokens: Vec<Token>,
    /// The terms that do not stand in the buffer.
    terms: String,
    /// Which tokens have their term in `terms`.
    outside: Vec<u32>,
}

impl TermSink for &mut DocumentSink {
    #[inline]
    fn in_buffer(&mut self, buffer: &str, place: Range<usize>) {
        let hash = padded_hash(buffer.as_bytes(), place.start, place.end);
        let (start, end) = (place.start as u32, place.end as u32);
        self.tokens.push(Token { hash, term_start: start, term_end: end, start, end });
    }

    fn elsewhere(&mut self, term: &str, place: Range<usize>) {
        let term_start = self.terms.len() as u32;
        self.terms.push_str(term);
        self.outside.push(self.tokens.len() as u32);
        self.tokens.push(Token {
            hash: term_hash(term),
            term_start,
            term_end: self.terms.len() as u32,
            start: place.start as u32,
            end: place.end as u32,
        });
    }
}

#[cfg(test)]
mod tests {
    use crate::{Analyzer, AnalyzerConfig};

    #[test]
    fn terms_are_written_one_behind_the_other() {
        let text =
            "A tide, an uncharacteristically high one, hit the Straße of 东京 in sixteen_letters";
        let document = Analyzer::new(&AnalyzerConfig::default()).unwrap().tokenize(text);
        for from in 0..document.len() {
            let tokens = &document.tokens()[from..];
            let mut expected = b"x".to_vec();
            for token in tokens {
                expected.extend_from_slice(document.term(token).as_bytes());
                expected.push(b'|');
            }
            let mut written = b"x".to_vec();
            document.write_separated(tokens, b'|', &mut written);
            assert_eq!(written, expected);
        }
    }
}
