//! Text → I-Match signature in one go.
//!
//! It gives what [`crate::represent::Retain`] and [`Coordinates`] give, but no token is stored, distinct
//! terms come from a stamped table instead of a sort, and only the retained terms are
//! brought into order: by their first eight bytes, which settles nearly every comparison.

use std::iter::StepBy;
use std::slice::Iter;
use std::sync::Arc;

use lookalike_text::{Analyzer, Document};

use crate::represent::{DistinctTerms, DocumentTerm, Lexicon, TERM_SEPARATOR};
use crate::sign::Coordinates;
use crate::sign::term_digest::{DigestRule, TermDigest, sha1_of_separated, sum_of_terms};
use crate::{Observe, ObserveTerms, Rejection, Scratch, SignedDocument, TermCount};

/// Observes the distinct terms of documents.
#[derive(Debug)]
pub struct TermObserver {
    /// Cuts texts into terms.
    pub analyzer: Analyzer,
    /// Whether the texts of terms are needed, not their hashes alone.
    pub texts: bool,
}

impl ObserveTerms for TermObserver {
    fn analyzer(&self) -> &Analyzer {
        &self.analyzer
    }

    fn reads_metadata(&self) -> bool {
        false
    }

    fn observe(
        &self,
        document: &Document<'_>,
        scratch: &mut Scratch,
        observed: &mut Vec<u64>,
    ) -> TermCount {
        let distinct = &mut scratch.terms.distinct;
        let terms = if self.texts {
            let terms = distinct.fill(&self.analyzer, document.text);
            distinct.encode(observed);
            terms
        } else {
            let terms = distinct.fill_hashes(&self.analyzer, document.text);
            observed.extend_from_slice(distinct.hashes());
            terms
        };
        TermCount { terms, stop_words: 0 }
    }

    fn distinct<'o>(&self, observed: &'o [u64]) -> StepBy<Iter<'o, u64>> {
        let hashes = if self.texts { DistinctTerms::encoded_hashes(observed).0 } else { observed };
        hashes.iter().step_by(1)
    }
}

/// The hot path of `imatch` and `syntactic`.
#[derive(Debug)]
pub struct FusedTerms {
    observer: TermObserver,
    lexicon: Arc<Lexicon>,
    coordinates: Coordinates,
}

impl FusedTerms {
    /// Signs the terms that a lexicon retains.
    pub fn new(analyzer: Analyzer, lexicon: Arc<Lexicon>, coordinates: Coordinates) -> Self {
        let texts = coordinates.digest == DigestRule::Sha1 || lexicon.needs_texts();
        Self { observer: TermObserver { analyzer, texts }, lexicon, coordinates }
    }

    /// Signs `hashes`, of which `distinct` has the texts where they are needed.
    fn sign_distinct(
        &self,
        hashes: &[u64],
        distinct: &DistinctTerms,
        retained: &mut Vec<DocumentTerm>,
        order: &mut TermOrder,
    ) -> Result<SignedDocument, Rejection> {
        let term = |(number, &hash)| DocumentTerm { hash, frequency: 0, number };
        retained.clear();
        retained.extend((0..).zip(hashes).map(term));
        let kept = self.lexicon.retain(retained, |number| distinct.text(number));
        self.coordinates.limits.check(hashes.len(), kept.n_signed)?;

        let signed = &retained[..kept.n_signed];
        let first = match self.coordinates.digest {
            DigestRule::Sha1 => order.sha1(signed, distinct),
            DigestRule::Sum => sum_of_terms(signed.iter().map(|term| term.hash)),
        };
        let (primary, secondary) = retained.split_at(kept.n_primary);
        let signature = self.coordinates.with_bags(
            first,
            hashes.len(),
            primary.iter().map(|term| term.hash),
            &secondary.iter().map(|term| term.hash),
        );
        let mut keys = Vec::with_capacity(1 + self.coordinates.bags.len());
        Coordinates::keys(&signature, &mut keys);
        Ok(SignedDocument::new(signature, keys))
    }
}

impl Observe for FusedTerms {
    fn observe(&self, document: &Document<'_>, scratch: &mut Scratch, observed: &mut Vec<u64>) {
        self.observer.observe(document, scratch, observed);
    }

    fn weigh(&self, observed: &[u64], scratch: &mut Scratch) -> Result<SignedDocument, Rejection> {
        let TermScratch { distinct, retained, order } = &mut scratch.terms;
        let hashes = if self.observer.texts {
            let (hashes, texts) = DistinctTerms::encoded_hashes(observed);
            distinct.fill_texts(hashes.len(), texts);
            hashes
        } else {
            observed
        };
        self.sign_distinct(hashes, distinct, retained, order)
    }
}

/// Buffers for the terms of the document at hand.
#[derive(Debug, Default)]
pub struct TermScratch {
    /// Its distinct terms.
    pub distinct: DistinctTerms,
    /// Those of them that the signature rests on.
    pub retained: Vec<DocumentTerm>,
    order: TermOrder,
}

/// Buffers for bringing terms into Unicode order.
#[derive(Debug, Default)]
struct TermOrder {
    terms: Vec<(u64, u32)>,
    text: Vec<u8>,
}

impl TermOrder {
    /// SHA-1 over the terms in ascending order, a separator after each.
    fn sha1(&mut self, terms: &[DocumentTerm], distinct: &DistinctTerms) -> TermDigest {
        let text = |number: u32| distinct.text(number).as_bytes();
        self.terms.clear();
        self.terms.extend(terms.iter().map(|term| (prefix(text(term.number)), term.number)));
        self.terms.sort_unstable_by_key(|&(prefix, _)| prefix);
        for same in self.terms.chunk_by_mut(|a, b| a.0 == b.0) {
            if same.len() > 1 {
                same.sort_unstable_by_key(|&(_, number)| text(number));
            }
        }
        self.text.clear();
        for &(_, number) in &self.terms {
            self.text.extend_from_slice(text(number));
            self.text.push(TERM_SEPARATOR);
        }
        sha1_of_separated(&self.text)
    }
}

/// The first eight bytes as a number that orders as they do; short terms are filled with zeros.
#[inline]
fn prefix(term: &[u8]) -> u64 {
    if let Some(bytes) = term.first_chunk() {
        return u64::from_be_bytes(*bytes);
    }
    let word = term.iter().fold(0u64, |word, &byte| word << 8 | u64::from(byte));
    // An empty term would be shifted by the full width.
    word.checked_shl(64 - 8 * term.len() as u32).unwrap_or(0)
}
