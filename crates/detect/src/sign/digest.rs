//! A digest that stands for the whole document: equal or not, nothing between.

use crate::{BucketKey, Comparison, FeatureKind, Features, Rejection, Sign, Signature};

/// Takes a [`Features::Sequence`] as the digest itself; its first word is the bucket key.
#[derive(Debug)]
pub struct WholeDigest;

impl Sign for WholeDigest {
    fn accepts(&self, kind: &FeatureKind) -> bool {
        *kind == FeatureKind::Sequence
    }

    fn sign(&self, features: &Features) -> Result<Signature, Rejection> {
        match features {
            Features::Sequence(words) if !words.is_empty() => Ok(Signature(words.clone())),
            _ => Err(Rejection::Empty),
        }
    }

    fn bucket_keys(&self, _: &Features, signature: &Signature, keys: &mut Vec<BucketKey>) {
        keys.extend(signature.0.first().copied().map(BucketKey));
    }

    fn compare(&self, left: &Signature, right: &Signature) -> Comparison {
        Comparison::resemblance(f64::from(u8::from(left == right && !left.0.is_empty())))
    }
}
