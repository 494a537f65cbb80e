//! Methods beside each other on labelled documents: what they find, what they miss, what they cost.
//!
//! A [`Collection`] is read into memory with its labels, [`compare`] scores methods on it with the
//! measures of [`evaluate`], and the [`Outcome`] is a [`Table`] and often a [`Plot`]. The laboratory
//! (`lookalike-lab`) stands on these parts too.

pub mod compare;
pub mod evaluate;

mod collection;
mod error;
mod join;
mod outcome;
mod plot;
mod table;

pub use collection::{Collection, LabelledText};
pub use error::LearnError;
pub use join::{join, prepare};
pub use outcome::Outcome;
pub use plot::{Plot, Series};
pub use table::{Cell, Table};
