//! What a method finds among documents that are all in memory: the plain join, for collections
//! small enough to look at every candidate pair.

use std::collections::BTreeMap;

use hashbrown::HashMap;
use lookalike_detect::{BucketKey, Detector, Prepared, Rejection, Scratch};
use lookalike_text::Document;
use rayon::prelude::*;

/// Documents prepared by one method.
pub struct PreparedCollection<'a> {
    detector: &'a Detector,
    documents: Vec<Result<Prepared, Rejection>>,
    buckets: HashMap<BucketKey, Vec<u32>>,
}

impl<'a> PreparedCollection<'a> {
    /// Prepares all documents, which `view` shows; nobody shares a bucket before
    /// [`PreparedCollection::bucketed`].
    pub fn prepare<D: Sync>(
        detector: &'a Detector,
        documents: &[D],
        view: impl Fn(&D) -> Document<'_> + Sync,
    ) -> Self {
        let prepare =
            |scratch: &mut Scratch, document: &D| detector.prepare(&view(document), scratch);
        let documents = documents.par_iter().map_init(Scratch::default, prepare).collect();
        Self { detector, documents, buckets: HashMap::new() }
    }

    /// Brings documents that share a key together.
    pub fn bucketed(mut self) -> Self {
        for (number, prepared) in self.documents.iter().enumerate() {
            for key in prepared.iter().flat_map(Prepared::keys) {
                self.buckets.entry(*key).or_default().push(number as u32);
            }
        }
        self
    }

    /// The detector that has prepared the documents.
    pub fn detector(&self) -> &'a Detector {
        self.detector
    }

    /// The documents, each prepared or rejected.
    pub fn documents(&self) -> &[Result<Prepared, Rejection>] {
        &self.documents
    }

    /// The confirmed duplicates of a document, ascending, without itself.
    pub fn partners(&self, document: usize) -> Vec<usize> {
        self.scored_partners(document).into_iter().map(|(partner, _)| partner).collect()
    }

    /// The confirmed duplicates of a document with their scores, ascending, without itself.
    pub fn scored_partners(&self, document: usize) -> Vec<(usize, f64)> {
        let Ok(prepared) = &self.documents[document] else { return Vec::new() };
        let buckets = prepared.keys().iter().filter_map(|key| self.buckets.get(key));
        let mut candidates: Vec<usize> = buckets.flatten().map(|other| *other as usize).collect();
        candidates.sort_unstable();
        candidates.dedup();
        candidates.retain(|other| *other != document);
        let judge = |other: usize| {
            let verdict = self.detector.judge(prepared, self.documents[other].as_ref().ok()?);
            verdict.duplicate.then_some((other, verdict.score))
        };
        candidates.into_iter().filter_map(judge).collect()
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

    /// The exact score of two documents; `None` where one was rejected.
    pub fn score(&self, left: usize, right: usize) -> Option<f64> {
        let (left, right) = (&self.documents[left], &self.documents[right]);
        Some(self.detector.score(left.as_ref().ok()?, right.as_ref().ok()?))
    }

    /// How many documents were rejected, by reason.
    pub fn rejections(&self) -> BTreeMap<&'static str, usize> {
        let mut counts = BTreeMap::new();
        for reason in self.documents.iter().filter_map(|prepared| prepared.as_ref().err()) {
            *counts.entry(reason.name()).or_insert(0) += 1;
        }
        counts
    }

    /// How many documents were rejected.
    pub fn n_rejected(&self) -> usize {
        self.documents.iter().filter(|prepared| prepared.is_err()).count()
    }
}
