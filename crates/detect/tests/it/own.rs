//! What somebody else may bring: a method of one's own, and documents kept in one's own way.

use std::convert::Infallible;
use std::sync::Arc;

use lookalike_detect::decide::Threshold;
use lookalike_detect::measure::SetMeasure;
use lookalike_detect::{
    Artifacts, BucketKey, Comparison, Confirm, DescribedFeature, Detector, DetectorConfig,
    FeatureKind, FeatureRule, Features, Observe, PairParts, Rejection, Represent, Scratch, Sign,
    Signature, SignatureRule, SignedDocument, Verdict,
};
use lookalike_testkit::corpus::STORIES;
use lookalike_text::{Analyzer, AnalyzerConfig, Document, TokenizedDocument};

/// The numbers in a text, each of which is a bucket.
#[derive(Clone, Copy)]
struct Numbers;

fn numbers(text: &str) -> impl Iterator<Item = u64> {
    text.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse().ok())
}

impl Represent for Numbers {
    fn kind(&self) -> FeatureKind {
        FeatureKind::Set
    }

    fn represent(&self, document: &Document<'_>, _: &TokenizedDocument) -> Features {
        Features::set(numbers(document.text).collect())
    }

    fn describe(&self, _: &Document<'_>, _: &TokenizedDocument) -> Vec<DescribedFeature> {
        Vec::new()
    }
}

impl Sign for Numbers {
    fn accepts(&self, kind: &FeatureKind) -> bool {
        *kind == FeatureKind::Set
    }

    fn sign(&self, features: &Features) -> Result<Signature, Rejection> {
        if features.is_empty() { Err(Rejection::Empty) } else { Ok(Signature::default()) }
    }

    fn bucket_keys(&self, features: &Features, _: &Signature, keys: &mut Vec<BucketKey>) {
        keys.extend(features.as_set().iter().copied().map(BucketKey));
    }

    fn compare(&self, _: &Signature, _: &Signature) -> Comparison {
        Comparison::resemblance(1.0)
    }
}

/// The hot path: numbers are put in order only for those who compare them.
impl Observe for Numbers {
    fn observe(&self, document: &Document<'_>, _: &mut Scratch, observed: &mut Vec<u64>) {
        observed.extend(numbers(document.text));
    }

    fn weigh(&self, observed: &[u64], _: &mut Scratch) -> Result<SignedDocument, Rejection> {
        let mut keys: Vec<BucketKey> = observed.iter().copied().map(BucketKey).collect();
        keys.sort_unstable();
        keys.dedup();
        let signature = Signature::default();
        if keys.is_empty() { Err(Rejection::Empty) } else { Ok(SignedDocument { signature, keys }) }
    }

    fn features(&self, observed: &[u64]) -> Option<Features> {
        Some(Features::set(observed.to_vec()))
    }
}

fn plain() -> Detector {
    let analyzer = Analyzer::new(&AnalyzerConfig::default()).unwrap();
    let represent: Arc<dyn Represent> = Arc::new(Numbers);
    Detector::by_keys(analyzer, Arc::clone(&represent), Box::new(Numbers)).confirmed_by(Confirm {
        represent,
        measure: Box::new(SetMeasure::Jaccard),
        decide: Box::new(Threshold(0.5)),
    })
}

#[test]
fn a_method_of_ones_own_judges_and_its_hot_path_gives_what_its_parts_give() {
    let (plain, hot) = (plain(), plain().observed_by(Numbers));
    let texts = ["12 of 30 on 4.5.1987", "30, 12, 4; 5! 1987 or 1988", "none", "12 12 12", "12"];
    let (mut scratch, mut other) = (Scratch::default(), Scratch::default());
    let mut prepared = Vec::new();
    for text in texts {
        let document = Document::from_text(text);
        let by_parts = plain.prepare(&document, &mut scratch);
        assert_eq!(hot.prepare(&document, &mut scratch), by_parts, "{text}");
        assert_eq!(
            hot.features(&document, &mut scratch),
            plain.features_plainly(&document, &mut other)
        );
        if let Ok(late) = hot.prepare_late(&document, &mut scratch) {
            assert!(late.features.made().is_none());
            let completed = hot.complete(late.signed, late.identity, &late.features);
            assert_eq!(Ok(completed), by_parts, "{text}");
        }
        prepared.push(by_parts);
    }
    let judge = |left: usize, right: usize| {
        hot.judge(prepared[left].as_ref().unwrap(), prepared[right].as_ref().unwrap())
    };
    assert_eq!((judge(0, 1).duplicate, judge(0, 1).score), (true, 5.0 / 6.0));
    assert_eq!((judge(0, 3).duplicate, judge(3, 4).duplicate), (false, true));
    assert_eq!(prepared[2], Err(Rejection::Empty));
}

/// Documents as columns of words: signatures, and what was observed for those who compare it.
struct Columns<'a> {
    detector: &'a Detector,
    signatures: Vec<Vec<u64>>,
    observed: Vec<Vec<u64>>,
}

/// Two rows of them.
struct Rows<'a>(&'a Columns<'a>, [usize; 2]);

impl PairParts for Rows<'_> {
    type Error = Infallible;

    fn certain(&mut self) -> Result<Option<Verdict>, Infallible> {
        Ok(None)
    }

    fn by_signatures(&mut self, rule: SignatureRule<'_>) -> Result<Verdict, Infallible> {
        let [left, right] = self.1.map(|row| Signature(self.0.signatures[row].clone()));
        Ok(rule.judge(&left, &right))
    }

    fn by_features(&mut self, rule: FeatureRule<'_>) -> Result<Verdict, Infallible> {
        let features = |row: usize| self.0.detector.features_of(&self.0.observed[row]).unwrap();
        let [left, right] = self.1.map(features);
        Ok(rule.judge(&left, &right))
    }
}

#[test]
fn documents_kept_in_columns_get_the_verdicts_of_prepared_ones() {
    let mut candidates = 0;
    for method in ["minhash", "wordlsh", "spotsigs"] {
        let mut config = DetectorConfig::named(method).unwrap();
        config.set_threshold(0.3);
        let detector = config.build(&Artifacts::default()).unwrap();
        let mut scratch = Scratch::default();
        let mut columns =
            Columns { detector: &detector, signatures: Vec::new(), observed: Vec::new() };
        let mut prepared = Vec::new();
        for story in STORIES {
            let document = Document::from_text(story);
            let mut observed = Vec::new();
            detector.observe(&document, &mut scratch, &mut observed);
            let Ok(signed) = detector.weigh(&observed, &mut scratch) else { continue };
            columns.signatures.push(signed.signature.0);
            columns.observed.push(observed);
            prepared.push(detector.prepare(&document, &mut scratch).unwrap());
        }
        for (left, one) in prepared.iter().enumerate() {
            for (right, other) in prepared.iter().enumerate().skip(left + 1) {
                if one.shared_keys(other) > 0 && one.identity() != other.identity() {
                    candidates += 1;
                    let Ok(verdict) = detector.rule().judge(&mut Rows(&columns, [left, right]));
                    assert_eq!(verdict, detector.judge(one, other), "{method}");
                }
            }
        }
    }
    assert!(candidates > 10, "{candidates}");
}
