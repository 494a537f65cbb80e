//! The rows of `clusters.jsonl` and `pairs.jsonl`.

use lookalike_detect::{Comparison, ParagraphMatch, Verdict};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

/// An id as its row has it: a text, or the spelling of a number or truth value.
pub struct IdAsRead<'a> {
    pub text: &'a str,
    pub is_literal: bool,
}

impl Serialize for IdAsRead<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // What a row was read with is JSON; anything else is written as text.
        let literal = self.is_literal.then(|| serde_json::from_str::<&RawValue>(self.text));
        match literal {
            Some(Ok(literal)) => literal.serialize(serializer),
            _ => serializer.serialize_str(self.text),
        }
    }
}

/// A document of a cluster, as `clusters.jsonl` has it: by cluster, the keeper first.
///
/// `S` says which collection a document belongs to, where a run compares two.
#[derive(Serialize)]
pub struct ClusterRow<'a, S> {
    pub id: IdAsRead<'a>,
    pub cluster: IdAsRead<'a>,
    pub size: u32,
    pub keeper: bool,
    /// Rounded as all scores are.
    pub score: Option<f64>,
    /// The share of its words that stand in the keeper, where a guard has asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accounted: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub side: Option<S>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster_side: Option<S>,
}

/// A confirmed pair, as `pairs.jsonl` has it: with the smaller id first, sorted by both ids.
#[derive(Serialize)]
pub struct PairRow<'a, S> {
    a: IdAsRead<'a>,
    b: IdAsRead<'a>,
    score: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    accounted: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    a_side: Option<S>,
    #[serde(skip_serializing_if = "Option::is_none")]
    b_side: Option<S>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    shared: Option<SharedRow>,
}

impl<'a, S> PairRow<'a, S> {
    /// A pair of ids with their sides, and what the two share where the method can show it.
    pub fn new(
        (a, a_side): (IdAsRead<'a>, Option<S>),
        (b, b_side): (IdAsRead<'a>, Option<S>),
        verdict: Verdict,
        shared: Option<(Comparison, Vec<ParagraphMatch>)>,
    ) -> Self {
        let shared = shared.map(|(comparison, matches)| shared_row(&comparison, &matches));
        let (score, accounted) = (rounded(verdict.score), verdict.accounted.map(rounded));
        Self { a, b, score, accounted, a_side, b_side, shared }
    }
}

/// What methods that know of paragraphs say of a pair.
#[derive(Serialize)]
struct SharedRow {
    resemblance: f64,
    /// The share of `a` that is in `b`, and of `b` that is in `a`.
    containment: Option<(f64, f64)>,
    matches: Vec<MatchRow>,
}

/// First byte and end of a matching paragraph in the two texts.
#[derive(Serialize)]
struct MatchRow {
    a: (usize, usize),
    b: (usize, usize),
}

fn shared_row(comparison: &Comparison, matches: &[ParagraphMatch]) -> SharedRow {
    let place = |range: &std::ops::Range<usize>| (range.start, range.end);
    SharedRow {
        resemblance: rounded(comparison.resemblance),
        containment: comparison.containment.map(|(a, b)| (rounded(a), rounded(b))),
        matches: matches
            .iter()
            .map(|matched| MatchRow { a: place(&matched.left), b: place(&matched.right) })
            .collect(),
    }
}

/// Six digits: more than any threshold is set to, and the same text for the same value.
pub fn rounded(score: f64) -> f64 {
    (score * 1e6).round() / 1e6
}
