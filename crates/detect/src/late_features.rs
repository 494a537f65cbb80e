//! Exact features that are made only if somebody wants them.
//!
//! Signing leaves the hashes of a document behind; to put them in order costs more than to keep them
//! as they are, and most documents of a stream are never compared.

use std::sync::{Mutex, OnceLock, PoisonError};

use lookalike_text::Document;

use crate::{Detector, Features, Prepared, Rejection, Scratch, Signature, SignedDocument};

/// What makes features of the hashes that signing leaves behind.
pub type OfHashes = fn(&[u64]) -> Features;

/// What signing leaves in a [`Scratch`] of the document that was signed with it last, and its features
/// follow from.
#[derive(Clone, Copy, Debug)]
pub enum LeftBehind {
    /// Hashes that are still to be put in order.
    Hashes(OfHashes),
    /// The features themselves.
    Features,
    /// A vector in no order.
    Vector,
}

impl LeftBehind {
    /// The features of the document that was signed with this scratch last; they can be had once.
    pub fn features(self, scratch: &mut Scratch) -> Features {
        match self {
            Self::Hashes(of_hashes) => of_hashes(&scratch.hashes),
            Self::Features => scratch.signed.take().unwrap_or(Features::Set(Vec::new())),
            Self::Vector => {
                let mut features = Self::Features.features(scratch);
                if let Features::Weighted(entries) = &mut features {
                    entries.sort_unstable_by_key(|entry| entry.feature);
                }
                features
            }
        }
    }

    /// The same, put in order when they are wanted.
    pub fn late_features(self, scratch: &mut Scratch) -> LateFeatures {
        match self {
            Self::Hashes(of_hashes) => LateFeatures::of_hashes(of_hashes, &scratch.hashes),
            Self::Features | Self::Vector => self.features(scratch).into(),
        }
    }
}

/// A document that was signed, with features that may still have to be made.
#[derive(Debug)]
pub struct LatePrepared {
    /// Its keys, and its signature where verdicts rest on it.
    pub signed: SignedDocument,
    /// As in [`crate::Prepared::identity`].
    pub identity: u128,
    /// Nothing where no verdict rests on features.
    pub features: LateFeatures,
}

/// Exact features, made when they are wanted first; by default there are none.
#[derive(Debug, Default)]
pub struct LateFeatures {
    made: OnceLock<Features>,
    of_hashes: Option<OfHashes>,
    /// Nothing once the features are made.
    hashes: Mutex<Vec<u64>>,
}

impl LateFeatures {
    /// Features to be made of hashes.
    pub fn of_hashes(of_hashes: OfHashes, hashes: &[u64]) -> Self {
        let hashes = Mutex::new(hashes.to_vec());
        Self { made: OnceLock::new(), of_hashes: Some(of_hashes), hashes }
    }

    /// The features, unless there are none.
    pub fn get(&self) -> Option<&Features> {
        let Some(of_hashes) = self.of_hashes else { return self.made.get() };
        let make = || {
            let mut hashes = self.hashes.lock().unwrap_or_else(PoisonError::into_inner);
            of_hashes(&std::mem::take(&mut *hashes))
        };
        Some(self.made.get_or_init(make))
    }

    /// The features that are there by now: the first that anybody had.
    pub fn get_or_put(&self, features: Features) -> &Features {
        match self.of_hashes {
            None => self.made.get_or_init(|| features),
            Some(_) => self.get().unwrap_or_else(|| self.made.get_or_init(|| features)),
        }
    }

    /// Whether there are any, made or not.
    pub fn are_there(&self) -> bool {
        self.of_hashes.is_some() || self.made.get().is_some()
    }

    /// About how much memory they take.
    pub fn size_bytes(&self) -> usize {
        let waiting = || self.hashes.lock().unwrap_or_else(PoisonError::into_inner).len() * 8;
        self.made.get().map_or_else(waiting, Features::size_bytes)
    }
}

impl From<Features> for LateFeatures {
    fn from(features: Features) -> Self {
        Self { made: OnceLock::from(features), ..Self::default() }
    }
}

impl Detector {
    /// [`Detector::prepare`], but features that signing leaves behind are made when they are wanted.
    ///
    /// # Errors
    /// As [`Detector::prepare`].
    pub fn prepare_late(
        &self,
        document: &Document<'_>,
        scratch: &mut Scratch,
    ) -> Result<LatePrepared, Rejection> {
        let mut signed = self.sign(document, scratch)?;
        let features = match self.features_left_behind() {
            _ if !self.needs_features() => LateFeatures::default(),
            Some(left_behind) => left_behind.late_features(scratch),
            None => self.features(document, scratch).into(),
        };
        let identity = self.identity(document, &signed);
        if !self.needs_signatures() {
            signed.signature = Signature::default();
        }
        Ok(LatePrepared { signed, identity, features })
    }

    /// What [`Detector::prepare`] makes of a document, from the parts that [`Detector::prepare_late`]
    /// made of it.
    pub fn complete(
        &self,
        signed: SignedDocument,
        identity: u128,
        features: &LateFeatures,
    ) -> Prepared {
        let features = || features.get().cloned().unwrap_or(Features::Set(Vec::new()));
        self.with_features(signed, identity, features)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_made_once_and_what_they_are_made_of_is_let_go() {
        let late = LateFeatures::of_hashes(|hashes| Features::set(hashes.to_vec()), &[3, 1, 3, 2]);
        assert!(late.are_there());
        assert_eq!(late.size_bytes(), 4 * 8);
        assert_eq!(late.get(), Some(&Features::Set(vec![1, 2, 3])));
        assert_eq!(late.get_or_put(Features::Set(vec![9])), &Features::Set(vec![1, 2, 3]));
        assert_eq!(late.size_bytes(), 3 * 8);
        assert!(late.hashes.lock().unwrap().capacity() == 0);
    }

    #[test]
    fn none_are_there_until_somebody_puts_some() {
        let late = LateFeatures::default();
        assert!(!late.are_there() && late.get().is_none() && late.size_bytes() == 0);
        assert_eq!(late.get_or_put(Features::Set(vec![7])), &Features::Set(vec![7]));
        assert_eq!(late.get_or_put(Features::Set(vec![8])), &Features::Set(vec![7]));
        assert!(late.are_there() && late.size_bytes() == 8);
    }
}
