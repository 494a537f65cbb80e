//! A document as the fingerprints of its paragraphs.

use serde::{Deserialize, Serialize};

use super::HammingTables;
use crate::measure::MatchedParagraphs;
use crate::random::mix64;
use crate::{
    BucketKey, Comparison, FeatureKind, Features, ParagraphMatch, Rejection, Sign, Signature,
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
    /// `None`: sentences are the keys.
    tables: Option<HammingTables>,
}

impl SignParagraphs {
    /// A signer of fingerprints of so many bits.
    pub fn new(measure: MatchedParagraphs, keys: ParagraphKeys, bits: u32, seed: u64) -> Self {
        let tables = (keys == ParagraphKeys::Fingerprints)
            .then(|| HammingTables::new(bits as usize, measure.max_distance as usize, seed));
        Self { measure, tables }
    }
}

impl Sign for SignParagraphs {
    fn accepts(&self, kind: &FeatureKind) -> bool {
        MatchedParagraphs::accept(kind)
    }

    fn sign(&self, features: &Features) -> Result<Signature, Rejection> {
        let paragraphs = features.as_paragraphs();
        if paragraphs.is_empty() {
            return Err(Rejection::Empty);
        }
        Ok(Signature(paragraphs.iter().map(|paragraph| paragraph.fingerprint).collect()))
    }

    fn bucket_keys(&self, features: &Features, signature: &Signature, keys: &mut Vec<BucketKey>) {
        match (&self.tables, features) {
            (Some(tables), _) => {
                for fingerprint in &signature.0 {
                    tables.keys(std::slice::from_ref(fingerprint), keys);
                }
            }
            (None, Features::Several(views)) => {
                let sentences = views.iter().flat_map(Features::as_set);
                keys.extend(sentences.map(|&sentence| BucketKey(mix64(sentence))));
            }
            // Not features of this method.
            (None, _) => {}
        }
    }

    fn compare(&self, left: &Signature, right: &Signature) -> Comparison {
        self.measure.compare(&left.0, &right.0)
    }

    fn shows_matches(&self) -> bool {
        true
    }

    fn matches(&self, left: &Features, right: &Features) -> Vec<ParagraphMatch> {
        self.measure.matches(left, right)
    }
}
