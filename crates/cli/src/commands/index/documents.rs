//! Documents for an index: from files in batches, or from standard input as they come.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

use anyhow::{Context as _, Result};
use lookalike::{Config, Context, OwnedDocument, indexed_document};
use lookalike_corpus::{InputOptions, Unreadable, parse_json_row};

use crate::commands::incomplete::Incomplete;

/// Text of a batch beyond which it is closed, however few documents it has.
const BATCH_BYTES: usize = 16 << 20;
/// What is read ahead of standard input at once.
const AHEAD_BYTES: usize = 1 << 20;
/// How often a wait for input looks whether it was interrupted.
const PATIENCE: Duration = Duration::from_millis(200);

/// A document, or a row that holds none.
pub type Row = std::result::Result<NamedDocument, Unreadable>;

/// A document, and where it stands if it has no id of its own.
pub struct NamedDocument {
    pub document: OwnedDocument,
    pub place: Option<String>,
}

/// Calls `take` with the documents of all inputs, at most `most` at a time, until there are no
/// more or the user interrupts; returns the files that could not be read to their end.
pub fn in_batches(
    inputs: &[OsString],
    config: &Config,
    context: &Context<'_>,
    most: usize,
    take: &mut dyn FnMut(Vec<Row>) -> Result<()>,
) -> Result<Incomplete> {
    if inputs == ["-"] {
        from_standard_input(config, context, most, take)?;
        return Ok(Incomplete::default());
    }
    let corpus = lookalike::open_input(inputs, config, context)?;
    context.progress.begin("reading", corpus.size_bytes());
    let mut batch = Batch { rows: Vec::new(), bytes: 0, most };
    for block in corpus.blocks_with_all_columns() {
        let mut taken = Ok(());
        block.visit(|row| {
            let read = match &row.content {
                Ok(document) => {
                    let document = indexed_document(document, row.place, corpus.options());
                    Ok(NamedDocument::of(document, || row.place.to_string()))
                }
                Err(unreadable) => Err(unreadable.clone()),
            };
            if taken.is_ok() && batch.push(read) {
                taken = take(batch.close());
            }
        });
        taken?;
        context.progress.advance(block.consumed_bytes());
        if context.interrupt.is_set() {
            return Ok(Incomplete::default());
        }
    }
    if !batch.rows.is_empty() {
        take(batch.close())?;
    }
    context.progress.end();
    Ok(Incomplete::of(&corpus))
}

impl NamedDocument {
    fn of(document: OwnedDocument, place: impl FnOnce() -> String) -> Self {
        let place = document.id.is_empty().then(place);
        Self { document, place }
    }
}

struct Batch {
    rows: Vec<Row>,
    bytes: usize,
    most: usize,
}

impl Batch {
    /// Takes a row; true where the batch is full.
    fn push(&mut self, row: Row) -> bool {
        self.bytes += row.as_ref().map_or(0, |read| read.document.text.len());
        self.rows.push(row);
        self.rows.len() >= self.most || self.bytes >= BATCH_BYTES
    }

    fn close(&mut self) -> Vec<Row> {
        self.bytes = 0;
        std::mem::take(&mut self.rows)
    }
}

/// Lines are answered as soon as no further one is waiting.
fn from_standard_input(
    config: &Config,
    context: &Context<'_>,
    most: usize,
    take: &mut dyn FnMut(Vec<Row>) -> Result<()>,
) -> Result<()> {
    let options = lookalike::input_options(config);
    let lines = read_lines(most, options.max_row_bytes);
    let mut batch = Batch { rows: Vec::new(), bytes: 0, most };
    let mut number = 0_u64;
    loop {
        let waiting = match lines.recv_timeout(PATIENCE) {
            Ok(waiting) => waiting.context("cannot read standard input")?,
            Err(RecvTimeoutError::Timeout) if context.interrupt.is_set() => return Ok(()),
            Err(RecvTimeoutError::Timeout) => continue,
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        };
        let mut next = Some(waiting);
        while let Some(lines_at_hand) = next {
            for line in lines_at_hand {
                number += 1;
                if !line.trim_ascii().is_empty() && batch.push(parse(&line, number, &options)) {
                    take(batch.close())?;
                }
            }
            next = lines.try_recv().ok().transpose().context("cannot read standard input")?;
        }
        if !batch.rows.is_empty() {
            take(batch.close())?;
        }
        if context.interrupt.is_set() {
            return Ok(());
        }
    }
}

/// Lines that were there together, without their ends.
type Lines = std::io::Result<Vec<Vec<u8>>>;

/// Reads ahead on a thread of its own, so that it shows whether a line is waiting.
fn read_lines(most: usize, max_row_bytes: usize) -> Receiver<Lines> {
    let (sender, receiver) = sync_channel(1);
    std::thread::spawn(move || {
        let mut input = BufReader::with_capacity(AHEAD_BYTES, std::io::stdin().lock());
        loop {
            let mut lines = Vec::new();
            let read = loop {
                match read_line(&mut input, max_row_bytes) {
                    Ok(Some(line)) => lines.push(line),
                    Ok(None) => break Ok(false),
                    Err(error) => break Err(error),
                }
                if lines.len() >= most || !input.buffer().contains(&b'\n') {
                    break Ok(true);
                }
            };
            let going = matches!(read, Ok(true));
            let sent = lines.is_empty() || sender.send(Ok(lines)).is_ok();
            if let Err(error) = read {
                let _ = sender.send(Err(error));
            }
            if !sent || !going {
                return;
            }
        }
    });
    receiver
}

/// The next line; of one that is too long only as much as shows it.
fn read_line(input: &mut impl BufRead, max_row_bytes: usize) -> std::io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    let read = input.by_ref().take(max_row_bytes as u64 + 1).read_until(b'\n', &mut line)?;
    if read == 0 {
        return Ok(None);
    }
    if line.pop_if(|byte| *byte == b'\n').is_none() && read > max_row_bytes {
        input.skip_until(b'\n')?;
    }
    Ok(Some(line))
}

fn parse(line: &[u8], number: u64, options: &InputOptions) -> Row {
    let place = || format!("-:{number}");
    match parse_json_row(line, options, "") {
        Ok(document) => Ok(NamedDocument::of(document, place)),
        Err(reason) => Err(Unreadable { place: place(), reason, incomplete: false }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_and_those_that_are_too_long_are_passed_over() {
        let mut input = BufReader::with_capacity(4, &b"one\n\nmuch too long\nend"[..]);
        let mut lines = Vec::new();
        while let Some(line) = read_line(&mut input, 8).unwrap() {
            lines.push(String::from_utf8(line).unwrap());
        }
        assert_eq!(lines, ["one", "", "much too ", "end"]);
    }
}
