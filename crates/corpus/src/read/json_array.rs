//! A JSON array of objects: each element is a row, with what stands between them.

use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use super::records::{Boundary, Scan};
use crate::block::RecordKind;
use crate::compression::Window;
use crate::source::Source;

/// Elements end with the comma or the bracket that follows them.
#[derive(Default)]
pub(crate) struct Elements {
    depth: usize,
    in_string: bool,
    ended: bool,
}

impl Boundary for Elements {
    fn scan(&mut self, bytes: &[u8], _at_end: bool) -> Scan {
        if self.ended {
            // Nothing should follow; what does is reported line by line.
            let end = memchr::memchr(b'\n', bytes);
            return end.map_or(Scan::Resume(bytes.len()), |at| Scan::End(at + 1));
        }
        let mut at = 0;
        while at < bytes.len() {
            if self.in_string {
                let Some(found) = memchr::memchr2(b'"', b'\\', &bytes[at..]) else { break };
                at += found;
                if bytes[at] == b'"' {
                    self.in_string = false;
                } else if at + 1 == bytes.len() {
                    // What is escaped has not been read yet.
                    return Scan::Resume(at);
                } else {
                    at += 1;
                }
                at += 1;
                continue;
            }
            match bytes[at] {
                b'"' => self.in_string = true,
                b'[' | b'{' => self.depth += 1,
                b']' | b'}' => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 {
                        self.ended = true;
                        return Scan::End(at + 1);
                    }
                }
                b',' if self.depth == 1 => return Scan::End(at + 1),
                _ => {}
            }
            at += 1;
        }
        Scan::Resume(bytes.len())
    }

    fn is_row(&self, record: &[u8]) -> bool {
        let element = element(record);
        // `[` and `]` of an empty array, or a comma before the closing bracket, are no rows.
        !element.is_empty() || (!self.ended && !record.trim_ascii().is_empty())
    }

    fn unfinished(&self, _rest: &[u8]) -> Option<&'static str> {
        (!self.ended).then_some("the file ends in the middle of this row")
    }
}

/// The element of a record, without the brackets and the comma around it.
pub(crate) fn element(record: &[u8]) -> &[u8] {
    let element = record.trim_ascii();
    let element = element.strip_prefix(b"[").unwrap_or(element);
    element
        .strip_suffix(b",")
        .or_else(|| element.strip_suffix(b"]"))
        .unwrap_or(element)
        .trim_ascii()
}

/// The object of a row, whether it stands in an array or on a line.
pub(crate) fn element_of<'a>(kind: &RecordKind, row: &'a [u8]) -> &'a [u8] {
    if matches!(kind, RecordKind::JsonArray(_)) { element(row) } else { row }
}

/// The element of a record on one line; line breaks never stand inside strings.
pub(crate) fn line(record: &[u8]) -> Vec<u8> {
    let is_break = |byte: u8| matches!(byte, b'\r' | b'\n');
    element(record).iter().map(|byte| if is_break(*byte) { b' ' } else { *byte }).collect()
}

/// Whether the file is an array rather than lines, by its first character.
pub(crate) fn begins_array(source: &Source) -> bool {
    let mut head = Vec::new();
    // A file that cannot be read now will say so when it is read.
    let Ok(input) = source.open(&Arc::new(AtomicU64::new(0)), Window::Largest) else {
        return false;
    };
    let _ = input.take(4096).read_to_end(&mut head);
    let head = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&head);
    head.trim_ascii_start().starts_with(b"[")
}
