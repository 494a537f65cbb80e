//! `hybrid`: super shingles find, random projection confirms.
//!
//! Henzinger 2006: a pair is a candidate where two of six super shingles agree (each 14 minima of
//! the eight-word shingles), and a duplicate where at least 355 of the 384 bits of the words'
//! random projection agree. On 1.6 billion pages the two methods had precision 0.38 and 0.50
//! alone, 0.79 together.
//!
//! Choose it to repeat the paper. The bits catch pages that share only their boilerplate;
//! `minhash` asks the documents themselves.

use std::sync::Arc;

use lookalike_text::{Analyzer, AnalyzerConfig, Document};
use serde::{Deserialize, Serialize};

use crate::decide::Threshold;
use crate::represent::{
    SeveralViews, WeightedGrams, Weighting, WordShingles, shingle_in_place, word_hashes,
};
use crate::sign::{Banding, Groups, Projected, SignElements};
use crate::{
    Artifacts, BandSearch, BucketKey, CandidateSearch, Comparison, DetectError, Detector,
    FeatureKind, Features, Observe, Recipe, Rejection, Resemblance, Scratch, Sign, Signature,
    SignedDocument,
};

/// Parameters of `hybrid`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct HybridConfig {
    /// Words in a shingle.
    #[serde(alias = "ngram-size", alias = "ngram_size")]
    pub ngram: usize,
    /// Super shingles of a document.
    pub groups: usize,
    /// Minima in a super shingle.
    pub rows: usize,
    /// Super shingles that must agree, each with its counterpart.
    pub required: usize,
    /// Bits of the projection.
    #[serde(alias = "hash-bits", alias = "hash_bits")]
    pub bits: usize,
    /// The most bits in which duplicates differ.
    pub distance: usize,
    /// Decides the random orders and directions.
    pub seed: u64,
    /// What the words are.
    pub analyzer: AnalyzerConfig,
}

impl Default for HybridConfig {
    fn default() -> Self {
        Self {
            ngram: 8,
            groups: 6,
            rows: 14,
            required: 2,
            bits: 384,
            distance: 29,
            seed: 1,
            analyzer: AnalyzerConfig::default(),
        }
    }
}

impl HybridConfig {
    fn check(&self) -> Result<(), DetectError> {
        let check = |in_order, name, value: usize, expected| {
            DetectError::unless(in_order, ("hybrid", name), value, expected)
        };
        check(self.ngram > 0, "ngram", self.ngram, "a shingle has at least one word")?;
        let groups = (1..=64).contains(&self.groups);
        check(groups, "groups", self.groups, "it must be between 1 and 64")?;
        let rows = (1..=1024).contains(&self.rows);
        check(rows, "rows", self.rows, "it must be between 1 and 1024")?;
        let required = (1..=self.groups.min(3)).contains(&self.required);
        let expected = "it must be 1, 2 or 3, and at most the number of groups";
        check(required, "required", self.required, expected)?;
        let bits = (1..=4096).contains(&self.bits);
        check(bits, "bits", self.bits, "it must be between 1 and 4096")?;
        check(self.distance < self.bits, "distance", self.distance, "it must be less than bits")
    }
}

impl Recipe for HybridConfig {
    const SUMMARY: &'static str = "super shingles find, bit signatures (random projection) confirm";

    fn analyzer(&self) -> &AnalyzerConfig {
        &self.analyzer
    }

    threshold_of!(distance);

    fn search(&self) -> Option<CandidateSearch> {
        let banding = Banding { bands: self.groups, rows: self.rows };
        let of = Resemblance::Other;
        Some(BandSearch { banding, required: self.required, of }.into())
    }

    fn build(&self, _: &Artifacts) -> Result<Detector, DetectError> {
        self.check()?;
        let banding = Banding { bands: self.groups, rows: self.rows };
        let sign = || FindAndProject {
            find: Groups::new(banding, self.required, self.seed),
            // The tables of the projection are not used: super shingles find.
            project: Projected::new(self.bits, 0, self.seed),
        };
        let represent = SeveralViews(vec![
            Arc::new(WordShingles { words: self.ngram }),
            Arc::new(WeightedGrams::new(1, Weighting::Tf, None)),
        ]);
        // Distances are whole numbers: half a bit of slack keeps rounding out of the verdict.
        let threshold = 1.0 - (self.distance as f64 + 0.5) / self.bits as f64;
        let plain = Detector::by_signatures(
            Analyzer::new(&self.analyzer)?,
            Arc::new(represent),
            Box::new(sign()),
            Box::new(Threshold(threshold)),
        );
        let analyzer = Analyzer::new(&self.analyzer)?;
        Ok(plain.observed_by(FusedHybrid { analyzer, words: self.ngram, sign: sign() }))
    }
}

/// Text → words → bits, and → shingles → keys: nothing is sorted or counted.
struct FusedHybrid {
    analyzer: Analyzer,
    words: usize,
    sign: FindAndProject,
}

impl Observe for FusedHybrid {
    fn observe(&self, document: &Document<'_>, scratch: &mut Scratch, observed: &mut Vec<u64>) {
        word_hashes(&self.analyzer, document.text, scratch, observed);
    }

    fn weigh(&self, words: &[u64], scratch: &mut Scratch) -> Result<SignedDocument, Rejection> {
        if words.is_empty() {
            return Err(Rejection::Empty);
        }
        let FindAndProject { find, project } = &self.sign;
        let mut shingles = words.to_vec();
        shingle_in_place(&mut shingles, self.words);
        let mut keys = Vec::new();
        find.sign_elements(&shingles, &mut scratch.minima, &mut keys);
        Ok(SignedDocument::new(project.project_occurrences(words), keys))
    }
}

/// Keys from the first view, a set of shingles; the signature from the second, counted words.
struct FindAndProject {
    find: Groups,
    project: Projected,
}

impl Sign for FindAndProject {
    fn accepts(&self, kind: &FeatureKind) -> bool {
        *kind == FeatureKind::Several(vec![FeatureKind::Set, FeatureKind::Weighted])
    }

    fn sign(&self, features: &Features) -> Result<Signature, Rejection> {
        match features {
            Features::Several(views) if views.len() == 2 => self.project.sign(&views[1]),
            _ => Err(Rejection::Empty),
        }
    }

    fn bucket_keys(&self, features: &Features, _: &Signature, keys: &mut Vec<BucketKey>) {
        if let Features::Several(views) = features {
            let set = views.first().map_or(&[][..], Features::as_set);
            let groups = self.find.groups(set, &mut Vec::new());
            self.find.group_keys(&groups.0, keys);
        }
    }

    fn compare(&self, left: &Signature, right: &Signature) -> Comparison {
        self.project.compare(left, right)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_has_the_keys_of_its_shingles_and_the_bits_of_its_words() {
        let detector = HybridConfig::default().build(&Artifacts::default()).unwrap();
        let sign = |text| detector.sign(&Document::from_text(text), &mut Scratch::default());
        let one = sign("nine words are enough to make more than one shingle").unwrap();
        assert_eq!((one.signature.0.len(), one.keys.len()), (6, 15));
        let turned = sign("shingle one than more make to enough are words nine").unwrap();
        assert_eq!(one.signature, turned.signature);
        assert!(one.keys.iter().all(|key| !turned.keys.contains(key)));
        assert_eq!(sign(""), Err(Rejection::Empty));
    }

    #[test]
    fn the_threshold_is_a_number_of_bits() {
        let mut config = HybridConfig::default();
        let threshold = config.threshold().unwrap();
        assert!((threshold - 355.0 / 384.0).abs() < 1e-12);
        assert!(config.set_threshold(threshold));
        assert_eq!(config, HybridConfig::default());
    }
}
