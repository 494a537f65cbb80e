//! A document ready to be judged, owned and complete.

mod bytes;
mod identity;

pub use bytes::{PREPARED_FORMAT_VERSION, PreparedError};
pub use identity::{identity, identity_without_keys};

use std::cmp::Ordering;

use crate::{BucketKey, Features, Signature};

/// Everything that one method needs to know of a document to find and to judge its pairs.
///
/// Only [`crate::Detector::prepare`] makes one (or reads back what it made), so that it always has
/// the parts its method compares. It depends on nothing but the document, the configuration and the
/// artefacts: wherever and whenever a document is prepared, the result is the same.
#[derive(Clone, Debug, PartialEq)]
pub struct Prepared {
    pub(crate) method: u128,
    pub(crate) identity: u128,
    pub(crate) keys: Vec<BucketKey>,
    pub(crate) evidence: Evidence,
}

/// The parts of a document that a method compares, besides its keys.
#[derive(Clone, Debug, PartialEq)]
pub enum Evidence {
    /// None: sharing a key is the verdict.
    Keys,
    /// The signature.
    Signature(Signature),
    /// The exact features.
    Features(Features),
    /// The signature, and the exact features for pairs that it lets through.
    Both(Signature, Features),
}

impl Prepared {
    /// A digest of what the method can see of the document: copies have equal ones.
    pub fn identity(&self) -> u128 {
        self.identity
    }

    /// The buckets the document belongs to, ascending; documents that share none are not compared.
    pub fn keys(&self) -> &[BucketKey] {
        &self.keys
    }

    /// The fingerprint of the method that prepared the document.
    pub fn method(&self) -> u128 {
        self.method
    }

    /// The parts that are compared.
    pub fn evidence(&self) -> &Evidence {
        &self.evidence
    }

    /// The parts that are compared, without a copy.
    pub fn into_evidence(self) -> Evidence {
        self.evidence
    }

    /// How many buckets two documents share.
    pub fn shared_keys(&self, other: &Self) -> usize {
        self.keys.iter().filter(|key| other.keys.binary_search(key).is_ok()).count()
    }

    /// Whether two documents share a bucket.
    pub(crate) fn shares_key(&self, other: &Self) -> bool {
        let (mut left, mut right) = (self.keys.iter().peekable(), other.keys.iter().peekable());
        while let (Some(l), Some(r)) = (left.peek(), right.peek()) {
            match l.cmp(r) {
                Ordering::Less => left.next(),
                Ordering::Greater => right.next(),
                Ordering::Equal => return true,
            };
        }
        false
    }
}

impl Evidence {
    /// The number that stands for the kind in stored bytes.
    fn tag(&self) -> u8 {
        match self {
            Self::Keys => 0,
            Self::Signature(_) => 1,
            Self::Features(_) => 2,
            Self::Both(..) => 3,
        }
    }

    /// The signature, where there is one.
    pub fn signature(&self) -> Option<&Signature> {
        match self {
            Self::Signature(signature) | Self::Both(signature, _) => Some(signature),
            Self::Keys | Self::Features(_) => None,
        }
    }

    /// The exact features, where there are any.
    pub fn features(&self) -> Option<&Features> {
        match self {
            Self::Features(features) | Self::Both(_, features) => Some(features),
            Self::Keys | Self::Signature(_) => None,
        }
    }
}
