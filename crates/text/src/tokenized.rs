//! A document cut into terms, in two flat buffers instead of a string per word.

use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

/// The hash by which a term is known everywhere: signatures, statistics, models.
///
/// XXH3-64 with seed 0 over the term's UTF-8 bytes: a public specification, so that another
/// program can compute the same value.
pub fn term_hash(term: &str) -> u64 {
    xxh3_64(term.as_bytes())
}

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
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
