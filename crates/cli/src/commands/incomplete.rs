//! Results of which input is missing are written, and still no success.

use anyhow::Result;
use lookalike::{Corpus, LabelledCorpus, Summary};

/// An error that names the first of these files, with the reason why it was not read to its end.
fn refuse(mut files: impl ExactSizeIterator<Item = String>) -> Result<()> {
    let Some(first) = files.next() else { return Ok(()) };
    let others = match files.len() {
        0 => String::new(),
        others => format!(" (and {others} more)"),
    };
    anyhow::bail!("the input was not read completely: {first}{others}")
}

/// Refuses a run of which some input could not be read.
pub fn refuse_incomplete(summary: &Summary) -> Result<()> {
    let files = summary.incomplete.iter();
    refuse(files.map(|file| format!("{}: {}", file.place, file.reason)))
}

/// The files of a corpus that could not be read to their end.
#[derive(Clone, Debug, Default)]
pub struct Incomplete(Vec<String>);

impl Incomplete {
    /// Those that its passes so far came upon.
    pub fn of(corpus: &Corpus) -> Self {
        Self(corpus.incomplete().iter().map(ToString::to_string).collect())
    }

    /// Those of labelled documents.
    pub fn of_labelled(corpus: &LabelledCorpus) -> Self {
        Self(corpus.incomplete.iter().map(ToString::to_string).collect())
    }

    /// Those of either.
    pub fn and(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// An error if there are any.
    pub fn refuse(self) -> Result<()> {
        refuse(self.0.into_iter())
    }
}
