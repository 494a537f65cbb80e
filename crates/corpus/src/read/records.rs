//! Cutting a stream into blocks of whole records: lines, CSV records, messages.
//!
//! This runs on the reading thread, so it looks only for the ends of records; what is inside
//! them is parsed later, on the threads that use it.

use std::io::{self, Read};
use std::sync::Arc;

use super::buffers::{Buffer, Buffers};
use crate::row::Problem;
use crate::stop::Stop;

/// How the end of a record is recognized.
pub(crate) trait Boundary: Send {
    /// Looks for the end of the current record in the bytes not scanned before.
    ///
    /// `at_end` says that nothing follows `bytes`.
    fn scan(&mut self, bytes: &[u8], at_end: bool) -> Scan;

    /// Whether a record counts as a row; blank lines do not.
    fn is_row(&self, record: &[u8]) -> bool;

    /// Why the file should not end where it does, when these bytes are left of it.
    fn unfinished(&self, _rest: &[u8]) -> Option<&'static str> {
        None
    }
}

/// What [`Boundary::scan`] found.
pub(crate) enum Scan {
    /// The record ends after so many bytes.
    End(usize),
    /// No record ends within so many bytes; scanning goes on from there.
    Resume(usize),
}

/// Written by some programs at the beginning of UTF-8 files; no part of the first row.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// A record's place within the bytes of its block.
#[derive(Debug)]
pub(crate) struct RawRow {
    pub start: usize,
    pub end: usize,
    /// The record's number in its file, from 1.
    pub number: u64,
    /// Why the record's bytes are not there.
    pub problem: Option<Box<Problem>>,
}

/// The most rows of a block: what is known of a row takes more memory than a row of two bytes.
const MAX_ROWS: usize = 8192;

/// How much is read at a time, how long a record may be, and what ends reading early.
#[derive(Clone, Debug)]
pub(crate) struct Limits {
    pub block_bytes: usize,
    pub max_row_bytes: usize,
    pub stop: Stop,
}

/// A reader that hands out whole records, many at a time.
pub(crate) struct RecordReader {
    input: Box<dyn Read + Send>,
    boundary: Box<dyn Boundary>,
    limits: Limits,
    buffers: Arc<Buffers>,
    /// The beginning of a record whose end has not been read yet, and how much of it was scanned.
    carry: Option<Buffer>,
    scanned: usize,
    /// Bytes of the current record that were thrown away because it is too long.
    dropped: usize,
    number: u64,
    begun: bool,
    ended: bool,
    /// Whether the last block was full before all bytes were cut into records.
    backlog: bool,
    failure: Option<io::Error>,
}

impl RecordReader {
    pub(crate) fn new(
        input: Box<dyn Read + Send>,
        boundary: Box<dyn Boundary>,
        buffers: &Arc<Buffers>,
        limits: Limits,
    ) -> Self {
        Self {
            input,
            boundary,
            limits,
            buffers: Arc::clone(buffers),
            carry: None,
            scanned: 0,
            dropped: 0,
            number: 0,
            begun: false,
            ended: false,
            backlog: false,
            failure: None,
        }
    }

    /// The next records with the bytes they stand in, or `None` after the last one.
    pub(crate) fn next_records(&mut self) -> Option<(Buffer, Vec<RawRow>)> {
        let mut bytes = self.carry.take().unwrap_or_else(|| self.buffers.take());
        let mut rows = Vec::new();
        let mut start = 0;
        while rows.is_empty() && (self.backlog || !self.ended) {
            if self.limits.stop.is_set() {
                return None;
            }
            if !self.backlog {
                self.fill(&mut bytes);
            }
            start = self.cut(&bytes, start, &mut rows);
            if self.backlog {
                break;
            }
            if rows.is_empty() {
                // Records that are no rows, such as blank lines, are not needed any more.
                bytes.remove(0, start);
                self.scanned -= start;
                start = 0;
            }
            if self.ended {
                self.finish(&bytes, start, &mut rows);
                start = bytes.len();
            } else if self.dropped + bytes.len() - start > self.limits.max_row_bytes {
                // What was scanned holds no end and will never be looked at again.
                self.dropped += self.scanned - start;
                bytes.remove(start, self.scanned);
                self.scanned = start;
            }
        }
        if rows.is_empty() {
            return None;
        }
        let mut carry = self.buffers.take();
        carry.append(&bytes[start..]);
        self.carry = Some(carry);
        self.scanned -= start.min(self.scanned);
        bytes.truncate(start);
        Some((bytes, rows))
    }

    fn fill(&mut self, bytes: &mut Buffer) {
        let begin = !std::mem::replace(&mut self.begun, true);
        let mark = BYTE_ORDER_MARK.len();
        let block_bytes = self.limits.block_bytes;
        let wanted = if begin { block_bytes.max(mark) } else { block_bytes };
        let read = bytes.read(&mut self.input, wanted);
        self.ended = !matches!(read, Ok(got) if got == wanted);
        if begin && bytes.starts_with(BYTE_ORDER_MARK) {
            bytes.remove(0, mark);
        }
        self.failure = read.err();
    }

    /// Finds the records that end within `bytes`, as many as a block may have; returns where the
    /// first one starts that is incomplete or has no room.
    fn cut(&mut self, bytes: &[u8], mut start: usize, rows: &mut Vec<RawRow>) -> usize {
        loop {
            self.backlog = rows.len() >= MAX_ROWS;
            if self.backlog {
                return start;
            }
            match self.boundary.scan(&bytes[self.scanned..], self.ended) {
                Scan::End(length) => {
                    let end = self.scanned + length;
                    self.push(bytes, start, end, rows);
                    start = end;
                    self.scanned = end;
                }
                Scan::Resume(length) => {
                    self.scanned += length;
                    return start;
                }
            }
        }
    }

    fn push(&mut self, bytes: &[u8], start: usize, end: usize, rows: &mut Vec<RawRow>) {
        self.number += 1;
        let length = std::mem::take(&mut self.dropped) + end - start;
        let allowed = self.limits.max_row_bytes;
        if length > allowed {
            let reason = format!("the row has {length} bytes, more than the {allowed} allowed");
            self.push_problem(end, reason.into(), rows);
            return;
        }
        if self.boundary.is_row(&bytes[start..end]) {
            rows.push(RawRow { start, end, number: self.number, problem: None });
        }
    }

    fn push_problem(&self, at: usize, problem: Problem, rows: &mut Vec<RawRow>) {
        let problem = Some(Box::new(problem));
        rows.push(RawRow { start: at, end: at, number: self.number, problem });
    }

    /// The last record needs no end of its own; a record cut off by an error is lost.
    fn finish(&mut self, bytes: &[u8], start: usize, rows: &mut Vec<RawRow>) {
        if let Some(error) = self.failure.take() {
            self.number += 1;
            let reason = format!("the rest of the file from here on cannot be read: {error}");
            self.push_problem(bytes.len(), Problem::of_file(reason), rows);
        } else if let Some(reason) = self.boundary.unfinished(&bytes[start..]) {
            if self.number > 0 || start < bytes.len() || self.dropped > 0 {
                self.number += 1;
                // What there is of the row can still be put aside, unless it is too long to be held.
                let start = if self.dropped > 0 { bytes.len() } else { start };
                let problem = Some(Box::new(Problem::of_file(reason)));
                rows.push(RawRow { start, end: bytes.len(), number: self.number, problem });
            }
        } else if start < bytes.len() || self.dropped > 0 {
            self.push(bytes, start, bytes.len(), rows);
        }
    }
}

/// Records that end with a line feed.
pub(crate) struct Lines;

impl Boundary for Lines {
    fn scan(&mut self, bytes: &[u8], _at_end: bool) -> Scan {
        memchr::memchr(b'\n', bytes).map_or(Scan::Resume(bytes.len()), |at| Scan::End(at + 1))
    }

    fn is_row(&self, record: &[u8]) -> bool {
        !record.trim_ascii_start().is_empty()
    }
}
