//! A document as the fingerprints of its paragraphs.

use serde::{Deserialize, Serialize};

use super::HammingTables;
use crate::measure::MatchedParagraphs;
use crate::random::mix64;
use crate::{
    BucketKey, ComparedSet, Comparison, FeatureKind, Features, FewestShared, ParagraphMatch,
    Rejection, Sign, Signature,
};

/// How documents that may share a paragraph are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ParagraphKeys {
    /// Each long sentence is a key. Two paragraphs whose fingerprints are close, other than by
    /// chance, share one, whatever the distance allowed.
    #[default]
    Sentences,
    /// The keys of a paragraph's fingerprint in Hamming tables, as `simhash` has them: none within
    /// the distance is missed, but only small distances give keys that tell much apart.
    Fingerprints,
}

/// Signature = the paragraphs' fingerprints in reading order.
#[derive(Clone, Debug)]
pub struct SignParagraphs {
    measure: MatchedParagraphs,
    keys: ParagraphKeys,
    /// Fingerprints that match share a key in one of them.
    tables: HammingTables,
}

impl SignParagraphs {
    /// A signer of fingerprints of so many bits.
    pub fn new(measure: MatchedParagraphs, keys: ParagraphKeys, bits: u32, seed: u64) -> Self {
        let tables = HammingTables::new(bits as usize, measure.max_distance as usize, seed);
        Self { measure, keys, tables }
    }
}

impl Sign for SignParagraphs {
    fn accepts(&self, kind: &FeatureKind) -> bool {
        kind.has(&FeatureKind::Paragraphs)
    }

    fn sign(&self, features: &Features) -> Result<Signature, Rejection> {
        let paragraphs = features.as_paragraphs();
        if paragraphs.is_empty() {
            return Err(Rejection::Empty);
        }
        Ok(Signature(paragraphs.iter().map(|paragraph| paragraph.fingerprint).collect()))
    }

    fn bucket_keys(&self, features: &Features, signature: &Signature, keys: &mut Vec<BucketKey>) {
        match (self.keys, features) {
            (ParagraphKeys::Fingerprints, _) => {
                for fingerprint in &signature.0 {
                    self.tables.keys(std::slice::from_ref(fingerprint), keys);
                }
            }
            (ParagraphKeys::Sentences, Features::Several(views)) => {
                let sentences = views.iter().flat_map(Features::as_set);
                keys.extend(sentences.map(|&sentence| BucketKey(mix64(sentence))));
            }
            // Not features of this method.
            (ParagraphKeys::Sentences, _) => {}
        }
    }

    /// matched ≥ floor · √(n · m) is at least floor · n where m is no less than n.
    fn compared_set(
        &self,
        signature: &Signature,
        floor: f64,
        values: &mut Vec<u64>,
    ) -> Option<ComparedSet> {
        let mut keys = Vec::new();
        for fingerprint in &signature.0 {
            self.tables.keys(std::slice::from_ref(fingerprint), &mut keys);
        }
        values.extend(keys.iter().map(|key| key.0));
        // A little less than needed, so that rounding loses no pair.
        let with_larger = (floor * signature.0.len() as f64 - 1e-6).ceil().max(1.0) as usize;
        // Paragraphs that match need not be equal and stand in no common order: of a smaller document
        // any of them may be the one that matches.
        let fewest = FewestShared { with_any: 1, with_larger };
        Some(ComparedSet { fewest, values_each: self.tables.n_tables(), aligned: false })
    }

    fn compare(&self, left: &Signature, right: &Signature) -> Comparison {
        self.measure.compare(&left.0, &right.0)
    }

    fn compare_from(&self, left: &Signature, right: &Signature, floor: f64) -> Comparison {
        self.measure.compare_from(&left.0, &right.0, floor)
    }

    fn shows_matches(&self) -> bool {
        true
    }

    fn matches(&self, left: &Features, right: &Features) -> Vec<ParagraphMatch> {
        self.measure.matches(left, right)
    }
}
