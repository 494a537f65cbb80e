//! Kept rows on their way into a pipe, such as standard output.

use std::io::{BufWriter, Write};
use std::path::PathBuf;

use super::rows::Rows;
use super::sink::has_line_end;
use crate::block::RecordKind;
use crate::source::{Format, Source};
use crate::{Corpus, CorpusError};

/// Where kept rows go instead of into a file; uncompressed, whatever the input is.
pub(crate) struct Pipe<'w> {
    writer: BufWriter<&'w mut (dyn Write + Send)>,
    /// The header that was written, trimmed.
    header: Option<Vec<u8>>,
    /// Rows that went through, and rows to pass over since they already have.
    written: u64,
    passed: u64,
}

impl<'w> Pipe<'w> {
    pub(crate) fn new(writer: &'w mut (dyn Write + Send)) -> Self {
        Self {
            writer: BufWriter::with_capacity(1 << 16, writer),
            header: None,
            written: 0,
            passed: 0,
        }
    }

    /// Begins again from the first row; what went through does not go through twice.
    pub(crate) fn begin_again(&mut self) {
        self.passed = 0;
    }

    /// Makes ready for the rows of a file.
    pub(crate) fn begin_file(
        &mut self,
        source: &Source,
        kind: &RecordKind,
    ) -> Result<(), CorpusError> {
        let RecordKind::Csv(header) = kind else { return Ok(()) };
        let names = header.raw.trim_ascii();
        match &self.header {
            None => {
                self.header = Some(names.to_owned());
                self.line(&header.raw)
            }
            Some(first) if first == names => Ok(()),
            Some(_) => Err(CorpusError::NoPipe(format!(
                "{}: its header differs from that of the files before it",
                source.name
            ))),
        }
    }

    /// Sends the rows of a block with these bytes.
    pub(crate) fn rows(&mut self, rows: &Rows, block: &[u8]) -> Result<(), CorpusError> {
        // What became of a row does not depend on how often rows are gone through: blocks come again
        // as they came before.
        self.passed += rows.len();
        if self.passed <= self.written {
            return Ok(());
        }
        self.written += rows.len();
        rows.visit(block, &mut |bytes| self.writer.write_all(bytes).map_err(failed))
    }

    /// Sends what is still in memory.
    pub(crate) fn finish(&mut self) -> Result<(), CorpusError> {
        self.writer.flush().map_err(failed)
    }

    fn line(&mut self, line: &[u8]) -> Result<(), CorpusError> {
        let end: &[u8] = if has_line_end(line) { b"" } else { b"\n" };
        self.writer.write_all(line).and_then(|()| self.writer.write_all(end)).map_err(failed)
    }
}

fn failed(source: std::io::Error) -> CorpusError {
    CorpusError::Write { path: PathBuf::from("standard output"), source }
}

/// Refuses what cannot go into one pipe: files of several formats, pages, mail, Parquet.
///
/// # Errors
/// The reason, naming a file.
pub fn check_pipe(corpus: &Corpus) -> Result<(), CorpusError> {
    let mut first: Option<&Source> = None;
    for source in corpus.sources() {
        let name = &source.name;
        let refuse = |reason: &str| Err(CorpusError::NoPipe(format!("{name}: {reason}")));
        if source.format.is_one_document() {
            return refuse("a file that is one document has no rows");
        }
        if source.format == Format::Parquet {
            return refuse("Parquet is no format for a pipe");
        }
        if let Some(first) = first.filter(|first| first.format != source.format) {
            return refuse(&format!("another format than {}", first.name));
        }
        first.get_or_insert(source);
    }
    Ok(())
}
