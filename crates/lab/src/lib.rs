//! How well does it work: truth, perturbation, evaluation, and the papers' experiments.
//!
//! [`truth`] finds every pair above a threshold exactly, [`perturb`] makes edited copies,
//! [`evaluate`] scores what a method found, [`compare`] puts methods side by side, [`stability`] predicts what lexicon randomization
//! survives. An experiment ends in a [`Table`] and often a [`Plot`].

pub mod compare;
pub mod evaluate;
pub mod experiments;
pub mod perturb;
pub mod sampling;
pub mod stability;
pub mod truth;

mod collection;
mod error;
mod find_run;
mod found;
mod join;
mod outcome;
mod plot;
mod table;

pub use collection::{Collection, LabDocument};
pub use error::LabError;
pub use join::join;
pub use outcome::Outcome;
pub use plot::{Plot, Series};
pub use table::{Cell, Table};
