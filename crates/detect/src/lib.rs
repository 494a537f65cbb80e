//! The methods: pure functions of text and artefacts. No I/O, no clock, no threads.
//!
//! Every method is a recipe of the same parts: [`Represent`] turns a document into features,
//! [`Sign`] turns features into a signature and its bucket keys, [`Measure`] compares features
//! exactly, [`Decide`] turns a comparison into a verdict. A [`Detector`] holds one of each and is
//! built only by [`DetectorConfig::build`].

pub mod decide;
pub mod detectors;
pub mod measure;
pub mod model;
pub mod rabin;
pub mod random;
pub mod represent;
pub mod sign;
pub mod train;

mod candidate_search;
mod closest;
mod comparison;
mod confirmed;
mod detector;
mod error;
mod feature_kind;
mod features;
mod late_features;
mod parts;
mod prepared;
mod rule;
mod signature;

pub use candidate_search::{BandSearch, CandidateSearch, PROMISED_RECALL, Resemblance};
pub use closest::closest;
pub use comparison::{Comparison, Verdict};
pub use confirmed::confirmed_identity;
pub use detector::{Detector, Scratch, SignedDocument};
pub use detectors::{Artifacts, DetectorConfig, Recipe};
pub use error::DetectError;
pub use feature_kind::FeatureKind;
pub use features::{Features, ParagraphFeature, RetainedTerms, WeightedFeature};
pub use late_features::{LateFeatures, LatePrepared};
pub use measure::ParagraphMatch;
pub use model::{Frequencies, Model, ModelError};
pub use parts::{
    ComparedSet, Decide, DescribedFeature, FewestShared, Measure, Observe, ObserveTerms, Represent,
    Sign, TermCount,
};
pub use prepared::{
    Evidence, PREPARED_FORMAT_VERSION, Prepared, PreparedError, identity, identity_without_keys,
};
pub use rule::{Confirm, FeatureRule, PairParts, Rule, SignatureRule};
pub use signature::{BucketKey, Rejection, Signature};
