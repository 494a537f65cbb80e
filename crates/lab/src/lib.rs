//! How well does it work: truth, perturbation, and the papers' experiments.
//!
//! [`truth`] finds every pair above a threshold exactly, [`perturb`] makes edited copies, [`evaluate`]
//! has the papers' own scores, [`stability`] predicts what lexicon randomization survives. An
//! experiment ends in a [`Table`](lookalike_learn::Table) and often a picture; the binary
//! `lookalike-lab` runs them by name.

pub mod evaluate;
pub mod experiments;
pub mod perturb;
pub mod sampling;
pub mod stability;
pub mod truth;

mod error;
mod find_run;
mod found;

pub use error::LabError;
