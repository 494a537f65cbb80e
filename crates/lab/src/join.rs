//! What a detector finds in a collection held in memory.

use std::collections::BTreeMap;

use hashbrown::HashMap;
use lookalike_detect::{
    BucketKey, Detector, Features, Prepared, Rejection, Scratch, SignedDocument, Verdict,
};
use rayon::prelude::*;

use crate::collection::LabDocument;

/// Documents prepared by one detector.
pub struct Signed<'a> {
    detector: &'a Detector,
    documents: Vec<Result<SignedDocument, Rejection>>,
    /// Only where the detector compares features.
    features: Vec<Features>,
    buckets: HashMap<BucketKey, Vec<u32>>,
}

impl<'a> Signed<'a> {
    /// Prepares all documents.
    pub fn new(detector: &'a Detector, documents: &[LabDocument]) -> Self {
        Self::prepare(detector, documents).bucketed()
    }

    /// Signs all documents; nobody shares a bucket before [`Signed::bucketed`].
    pub(crate) fn prepare(detector: &'a Detector, documents: &[LabDocument]) -> Self {
        let sign = |scratch: &mut Scratch, document: &LabDocument| {
            let signed = detector.sign(&document.document(), scratch);
            let features =
                detector.needs_features().then(|| detector.features(&document.document(), scratch));
            (signed, features)
        };
        let (documents, features): (Vec<_>, Vec<Option<Features>>) =
            documents.par_iter().map_init(Scratch::default, sign).unzip();
        let features = features.into_iter().flatten().collect();
        Self { detector, documents, features, buckets: HashMap::new() }
    }

    /// Brings documents that share a key together.
    pub(crate) fn bucketed(mut self) -> Self {
        for (number, signed) in self.documents.iter().enumerate() {
            for key in signed.iter().flat_map(|signed| &signed.keys) {
                self.buckets.entry(*key).or_default().push(number as u32);
            }
        }
        self
    }

    /// The confirmed duplicates of a document, ascending, without itself.
    pub fn partners(&self, document: usize) -> Vec<usize> {
        self.scored_partners(document).into_iter().map(|(partner, _)| partner).collect()
    }

    /// The confirmed duplicates of a document with their scores, ascending, without itself.
    pub fn scored_partners(&self, document: usize) -> Vec<(usize, f64)> {
        let Ok(signed) = &self.documents[document] else { return Vec::new() };
        let buckets = signed.keys.iter().filter_map(|key| self.buckets.get(key));
        let mut candidates: Vec<usize> = buckets.flatten().map(|other| *other as usize).collect();
        candidates.sort_unstable();
        candidates.dedup();
        candidates.retain(|other| *other != document);
        let judged = candidates.into_iter().map(|other| (other, self.judge(document, other)));
        judged
            .filter_map(|(other, verdict)| verdict.duplicate.then_some((other, verdict.score)))
            .collect()
    }

    /// Every confirmed pair with its score, ascending, the smaller number first.
    pub fn scored_pairs(&self) -> Vec<(usize, usize, f64)> {
        let later = |document: usize| {
            let partners = self.scored_partners(document).into_iter();
            let later = partners.filter(move |(other, _)| *other > document);
            later.map(move |(other, score)| (document, other, score)).collect::<Vec<_>>()
        };
        (0..self.documents.len()).into_par_iter().flat_map_iter(later).collect()
    }

    fn judge(&self, left: usize, right: usize) -> Verdict {
        let prepared = |number: usize| Prepared {
            signature: self.documents[number].as_ref().ok().map(|signed| &signed.signature),
            features: self.features.get(number),
        };
        self.detector.judge(prepared(left), prepared(right))
    }

    /// How many documents have no signature, by reason.
    pub fn rejections(&self) -> BTreeMap<&'static str, usize> {
        let mut counts = BTreeMap::new();
        for reason in self.documents.iter().filter_map(|signed| signed.as_ref().err()) {
            *counts.entry(reason.name()).or_insert(0) += 1;
        }
        counts
    }

    /// How many documents have no signature and why, in words.
    pub fn describe_rejections(&self) -> String {
        let reasons = self.rejections();
        if reasons.is_empty() {
            return "none".to_owned();
        }
        let reason = |(name, count): (&&str, &usize)| format!("{count} {}", name.replace('_', " "));
        reasons.iter().map(reason).collect::<Vec<_>>().join(", ")
    }

    /// How many documents have no signature.
    pub fn n_rejected(&self) -> usize {
        self.documents.iter().filter(|signed| signed.is_err()).count()
    }

    /// Whether a document has a signature.
    pub fn is_signed(&self, document: usize) -> bool {
        self.documents[document].is_ok()
    }
}
