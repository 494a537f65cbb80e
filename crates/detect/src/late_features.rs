//! Exact features that are made only if somebody wants them.
//!
//! To make features of what was observed of a document costs more than to keep that as it is, and most
//! documents of a stream are never compared.

use std::sync::{Mutex, OnceLock, PoisonError};

use lookalike_text::Document;

use crate::{Detector, Features, Prepared, Rejection, Scratch, SignedDocument};

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
    is_late: bool,
    /// What they are made of; nothing once they are.
    observed: Mutex<Vec<u64>>,
}

impl LateFeatures {
    /// Features of a document that was observed.
    fn of_observed(observed: &[u64]) -> Self {
        let observed = Mutex::new(observed.to_vec());
        Self { made: OnceLock::new(), is_late: true, observed }
    }

    /// The features, unless there are none; `detector` has observed the document.
    pub fn get(&self, detector: &Detector) -> Option<&Features> {
        if !self.is_late {
            return self.made.get();
        }
        let make = || {
            let mut observed = self.observed.lock().unwrap_or_else(PoisonError::into_inner);
            let features = detector.features_of(&std::mem::take(&mut *observed));
            features.unwrap_or(Features::Set(Vec::new()))
        };
        Some(self.made.get_or_init(make))
    }

    /// The features, if they have been made.
    pub fn made(&self) -> Option<&Features> {
        self.made.get()
    }

    /// The features that are there by now: the first that anybody had.
    pub fn get_or_put(&self, features: Features) -> &Features {
        self.made.get_or_init(|| features)
    }

    /// Whether there are any, made or not.
    pub fn are_there(&self) -> bool {
        self.is_late || self.made.get().is_some()
    }

    /// About how much memory they take.
    pub fn size_bytes(&self) -> usize {
        let waiting = || self.observed.lock().unwrap_or_else(PoisonError::into_inner).len() * 8;
        self.made.get().map_or_else(waiting, Features::size_bytes)
    }
}

impl From<Features> for LateFeatures {
    fn from(features: Features) -> Self {
        Self { made: OnceLock::from(features), ..Self::default() }
    }
}

impl Detector {
    /// [`Detector::prepare`], but features that follow from what was observed are made when they are wanted.
    ///
    /// # Errors
    /// As [`Detector::prepare`].
    pub fn prepare_late(
        &self,
        document: &Document<'_>,
        scratch: &mut Scratch,
    ) -> Result<LatePrepared, Rejection> {
        self.observing(document, scratch, |observed, scratch| {
            let signed = self.weigh(observed, scratch)?;
            let features = if !self.needs_features() {
                LateFeatures::default()
            } else if self.compares_what_it_signs() {
                LateFeatures::of_observed(observed)
            } else {
                self.features_plainly(document, scratch).into()
            };
            let identity = self.identity(document, &signed);
            Ok(LatePrepared { signed, identity, features })
        })
    }

    /// What [`Detector::prepare`] makes of a document, from the parts that [`Detector::prepare_late`]
    /// made of it.
    pub fn complete(
        &self,
        signed: SignedDocument,
        identity: u128,
        features: &LateFeatures,
    ) -> Prepared {
        let features = || features.get(self).cloned().unwrap_or(Features::Set(Vec::new()));
        self.with_features(signed, identity, features)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Artifacts, DetectorConfig};

    #[test]
    fn features_are_made_once_and_what_they_are_made_of_is_let_go() {
        let detector = DetectorConfig::named("minhash").unwrap();
        let detector = detector.build(&Artifacts::default()).unwrap();
        let late = LateFeatures::of_observed(&[3, 1, 3, 2]);
        assert!(late.are_there() && late.made().is_none());
        assert_eq!(late.size_bytes(), 4 * 8);
        assert_eq!(late.get(&detector), Some(&Features::Set(vec![1, 2, 3])));
        assert_eq!(late.get_or_put(Features::Set(vec![9])), &Features::Set(vec![1, 2, 3]));
        assert_eq!(late.size_bytes(), 3 * 8);
        assert!(late.observed.lock().unwrap().capacity() == 0);
    }

    #[test]
    fn none_are_there_until_somebody_puts_some() {
        let late = LateFeatures::default();
        assert!(!late.are_there() && late.made().is_none() && late.size_bytes() == 0);
        assert_eq!(late.get_or_put(Features::Set(vec![7])), &Features::Set(vec![7]));
        assert_eq!(late.get_or_put(Features::Set(vec![8])), &Features::Set(vec![7]));
        assert!(late.are_there() && late.size_bytes() == 8);
    }
}
