//! What comparing two documents yields, before and after a decision.

/// How alike two documents are, in the measures a method has.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparison {
    /// Symmetric likeness in 0..=1 (Broder's *resemblance*); what a threshold applies to.
    pub resemblance: f64,
    /// The share of the left and of the right document found in the other, where measured.
    pub containment: Option<(f64, f64)>,
    /// Further measures, in an order that only the matching [`crate::Decide`] knows.
    pub measures: Vec<f64>,
}

impl Comparison {
    /// A comparison that knows only the resemblance.
    pub fn resemblance(resemblance: f64) -> Self {
        Self { resemblance, ..Self::default() }
    }
}

/// Whether a pair is a duplicate, and the score that goes into the result files.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verdict {
    /// The decision.
    pub duplicate: bool,
    /// The number the decision rests on, in 0..=1.
    pub score: f64,
    /// The share of the removed document's words that stand in the one that is kept, where a guard
    /// has asked. A pair that only the guard has refused has it too: the two are *related*.
    pub accounted: Option<f64>,
}

impl Verdict {
    /// A verdict that no guard was asked about.
    pub const fn new(duplicate: bool, score: f64) -> Self {
        Self { duplicate, score, accounted: None }
    }

    /// Whether the method takes the two for duplicates, but the guard has found too much in the one
    /// to be removed that stands nowhere in the other.
    pub fn is_related(&self) -> bool {
        !self.duplicate && self.accounted.is_some()
    }

    /// The verdict on copies, and on documents that share a key where keys decide.
    pub const COPIES: Self = Self { duplicate: true, score: 1.0, accounted: None };
    /// The verdict on documents that have no bucket in common.
    pub const NOT_COMPARED: Self = Self { duplicate: false, score: 0.0, accounted: None };
}
