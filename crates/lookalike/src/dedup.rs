//! The corpus without its copies, in its own format.

use std::io::Write;

use lookalike_corpus::{
    Corpus, CorpusError, Decisions, Destination, Fate, KeeperId, Removal, Written, split,
};
use lookalike_index::DocumentId;

use crate::batch::on_threads;
use crate::catalog::Status;
use crate::cluster::Membership;
use crate::{Config, Context, Findings, OutputFolder, RunError, report};

/// Writes every row to `kept.*` or `removed.*`, as it came in; removed rows say of what they are
/// a copy. Rows too short to judge are kept; unreadable ones are put aside. With a `pipe` kept rows
/// go there instead, as one stream; without a folder nothing else is written.
///
/// Every row is held against what was read when it was judged. All threads of the configuration write;
/// what it took is a stage of the summary.
///
/// # Errors
/// The run was stopped; the input is not what it was or cannot be read again, or the output not be written.
pub fn dedup(
    corpus: &Corpus,
    findings: &mut Findings,
    config: &Config,
    context: &Context<'_>,
    folder: Option<&OutputFolder>,
    pipe: Option<&mut (dyn Write + Send)>,
) -> Result<Written, RunError> {
    let destination = Destination { folder: folder.map(OutputFolder::partial), pipe };
    let mut seconds = std::mem::take(&mut findings.summary.seconds);
    let written = on_threads(config.run.threads, || {
        let decisions = &*findings;
        Ok(seconds.time("write", || split(corpus, destination, decisions, context.watch())))
    })?;
    findings.summary.note(seconds);
    written.map_err(|error| match (error, folder) {
        // People know the file by the name it would have got.
        (CorpusError::Write { path, source }, Some(folder)) => {
            CorpusError::Write { path: folder.final_path(&path), source }.into()
        }
        (error, _) => error.into(),
    })
}

/// The rows of the corpus are the first of the catalog; a known collection may follow them.
impl Decisions for Findings {
    fn n_rows(&self) -> u64 {
        self.summary.documents
    }

    fn digest(&self, ordinal: u64) -> u64 {
        self.catalog.digest(DocumentId(ordinal as u32))
    }

    fn tells_accounted(&self) -> bool {
        self.clustering.tells_accounted()
    }

    fn fate(&self, ordinal: u64) -> Fate {
        let document = DocumentId(ordinal as u32);
        if self.catalog.status(document) == Status::Unreadable {
            return Fate::Unreadable;
        }
        match self.clustering.membership(document) {
            Some(Membership { keeper, score, accounted, .. }) if keeper != document => {
                // Not a number is written as no score.
                let score = score.unwrap_or(f64::NAN);
                let is_literal = self.catalog.id_is_literal(keeper);
                let duplicate_of =
                    KeeperId { text: self.catalog.id(keeper).to_owned(), is_literal };
                Fate::Removed(Removal {
                    duplicate_of,
                    score,
                    accounted: accounted.map_or(f64::NAN, report::rounded),
                })
            }
            _ => Fate::Kept,
        }
    }
}

#[cfg(test)]
mod tests;
