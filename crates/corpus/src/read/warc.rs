//! Web archives: WARC with the pages as servers sent them, WET with their text.
//!
//! Rows are the records that hold a page (`response`, `resource`, `conversion`); requests and notes
//! about the crawl are none. An answer that is no page (a redirection, an image) is a row that
//! says so.

use std::borrow::Cow;
use std::io::Read;

use lookalike_text::extract;
use memchr::memmem;
use serde_json::Value;

use super::Columns;
use super::records::{Boundary, Scan};
use crate::{InputOptions, RowDocument};

const VERSION: &[u8] = b"WARC/";
/// A header of more bytes is none; waiting for its end would never stop.
const MAX_HEADER_BYTES: usize = 1 << 16;

/// Records of a length that their header tells.
#[derive(Default)]
pub(crate) struct WarcRecords {
    state: State,
}

#[derive(Default)]
enum State {
    #[default]
    Header,
    /// No record: everything up to the next one is a row that cannot be read.
    NoRecord {
        /// Whether it begins like one.
        begins: bool,
    },
    /// So many bytes of the record's content are still to come.
    Content(u64),
    /// The line ends between two records.
    Gap,
}

impl Boundary for WarcRecords {
    fn scan(&mut self, bytes: &[u8], at_end: bool) -> Scan {
        let mut at = 0;
        loop {
            let rest = &bytes[at..];
            match self.state {
                State::Header => match header_end(rest) {
                    Some(end) if rest.starts_with(VERSION) => {
                        let length = header(&rest[..end], "content-length");
                        self.state =
                            State::Content(length.and_then(|n| n.parse().ok()).unwrap_or(0));
                        at += end;
                    }
                    None if rest.len() < MAX_HEADER_BYTES && !at_end => return Scan::Resume(at),
                    _ => self.state = State::NoRecord { begins: rest.starts_with(VERSION) },
                },
                State::NoRecord { .. } => match memmem::find(rest, b"\nWARC/") {
                    Some(next) => {
                        self.state = State::Header;
                        return Scan::End(at + next + 1);
                    }
                    None => return Scan::Resume(at + rest.len().saturating_sub(VERSION.len())),
                },
                State::Content(left) => {
                    let taken = (rest.len() as u64).min(left);
                    at += taken as usize;
                    if taken < left {
                        self.state = State::Content(left - taken);
                        return Scan::Resume(at);
                    }
                    self.state = State::Gap;
                }
                State::Gap => {
                    let end = rest.iter().position(|byte| !matches!(byte, b'\r' | b'\n'));
                    at += end.unwrap_or(rest.len());
                    if end.is_none() {
                        return Scan::Resume(at);
                    }
                    self.state = State::Header;
                    return Scan::End(at);
                }
            }
        }
    }

    fn is_row(&self, record: &[u8]) -> bool {
        if !record.starts_with(VERSION) {
            return !record.trim_ascii().is_empty();
        }
        let head = &record[..header_end(record).unwrap_or(record.len())];
        let kind = header(head, "warc-type").unwrap_or_default();
        ["response", "resource", "conversion"].iter().any(|page| kind.eq_ignore_ascii_case(page))
    }

    fn unfinished(&self, _rest: &[u8]) -> Option<&'static str> {
        let is_cut = match self.state {
            State::NoRecord { begins } => begins,
            State::Content(_) => true,
            State::Header | State::Gap => false,
        };
        is_cut.then_some("the file ends in the middle of this row")
    }
}

/// Reads the page of one record.
pub(crate) fn parse<'a>(
    record: &'a [u8],
    options: &InputOptions,
    fallback_id: impl FnOnce() -> String,
) -> Result<RowDocument<'a>, String> {
    let end = header_end(record).filter(|_| record.starts_with(VERSION));
    let (head, content) = record.split_at(end.ok_or("not a record of a web archive")?);
    let length = header(head, "content-length").and_then(|length| length.parse().ok());
    let content = &content[..content.len().min(length.unwrap_or(content.len()))];
    let media = header(head, "content-type").unwrap_or_default();
    let is_answer = media.starts_with("application/http") || media.contains("msgtype=response");
    let (text, title) = if is_answer {
        let page = answer(content, options.max_row_bytes)?;
        readable(&page.body, page.media)?
    } else {
        readable(content, media)?
    };
    // A record has a name of its own; an address may stand in an archive many times.
    let id = options.id_key.field().and_then(|key| {
        header(head, if key == "id" { "warc-record-id" } else { key }).map(str::to_owned)
    });
    Ok(RowDocument {
        id_is_literal: false,
        id: Cow::Owned(id.filter(|id| !id.is_empty()).unwrap_or_else(fallback_id)),
        text: Cow::Owned(text),
        title: title.map(Cow::Owned),
        url: header(head, "warc-target-uri").map(Cow::Borrowed),
        columns: Columns::Warc(record),
    })
}

/// A record without the line ends that separate it from the next.
pub(crate) fn without_gap(record: &[u8]) -> &[u8] {
    let start = header_end(record).unwrap_or(0);
    let length = header(&record[..start], "content-length").and_then(|n| n.parse().ok());
    let end = start.saturating_add(length.unwrap_or(0)).min(record.len());
    if end == 0 { record } else { &record[..end] }
}

/// A header of the record, or else of the answer in it.
pub(crate) fn field(record: &[u8], name: &str) -> Option<Value> {
    let (head, content) = record.split_at(header_end(record)?);
    let found = header(head, name).or_else(|| {
        content.starts_with(b"HTTP/").then(|| header(&content[..header_end(content)?], name))?
    });
    found.map(Value::from)
}

/// What a server has answered.
struct Answer<'a> {
    media: &'a str,
    body: Cow<'a, [u8]>,
}

fn answer(content: &[u8], limit: usize) -> Result<Answer<'_>, String> {
    let end = header_end(content).filter(|_| content.starts_with(b"HTTP/"));
    let (head, body) = content.split_at(end.ok_or("the record holds no answer of a web server")?);
    let line = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let status = line.split(|byte| *byte == b' ').nth(1).unwrap_or_default();
    if !status.starts_with(b"2") {
        return Err(format!("the server answered {}", String::from_utf8_lossy(status)));
    }
    let is_chunked = header(head, "transfer-encoding")
        .is_some_and(|coding| coding.eq_ignore_ascii_case("chunked"));
    // Many crawlers undo the coding and leave the header that told of it.
    let body = match is_chunked.then(|| unchunked(body)).flatten() {
        Some(body) => Cow::Owned(body),
        None => Cow::Borrowed(body),
    };
    let body = match header(head, "content-encoding").map(str::to_ascii_lowercase).as_deref() {
        Some("gzip" | "x-gzip") if body.starts_with(b"\x1F\x8B") => {
            Cow::Owned(inflated(flate2::read::MultiGzDecoder::new(&*body), limit)?)
        }
        Some("br" | "zstd" | "compress") if std::str::from_utf8(&body).is_err() => {
            return Err("the page is compressed in a way that is not known here".into());
        }
        Some("deflate") => {
            let plain = inflated(flate2::read::ZlibDecoder::new(&*body), limit);
            plain.map_or(body, Cow::Owned)
        }
        _ => body,
    };
    Ok(Answer { media: header(head, "content-type").unwrap_or_default(), body })
}

fn inflated(mut decoder: impl Read, limit: usize) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let read = decoder.by_ref().take(limit as u64 + 1).read_to_end(&mut bytes);
    match read {
        Ok(_) if bytes.len() > limit => Err(format!("the page has more than {limit} bytes")),
        // Servers cut connections; what has come is what there is.
        _ => Ok(bytes),
    }
}

/// The body without the lengths between its pieces, or `None` if it is not made of pieces.
fn unchunked(mut body: &[u8]) -> Option<Vec<u8>> {
    let mut plain = Vec::with_capacity(body.len());
    loop {
        let line = memchr::memchr(b'\n', body)?;
        let length = std::str::from_utf8(&body[..line]).ok()?.split(';').next()?.trim();
        let length = usize::from_str_radix(length, 16).ok()?;
        if length == 0 {
            return Some(plain);
        }
        let rest = &body[line + 1..];
        plain.extend_from_slice(&rest[..length.min(rest.len())]);
        let Some(after) = rest.get(length..) else { return Some(plain) };
        body = after.strip_prefix(b"\r\n").or_else(|| after.strip_prefix(b"\n")).unwrap_or(after);
        if body.is_empty() {
            return Some(plain);
        }
    }
}

/// The text and the title of a page of this media type.
fn readable(body: &[u8], media: &str) -> Result<(String, Option<String>), String> {
    let media = media.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match media.as_str() {
        "" | "text/html" | "application/xhtml+xml" => page(body),
        text if text.starts_with("text/") => Ok((extract::decode(body).text.into_owned(), None)),
        other => Err(format!("the content is {other}, not a page")),
    }
}

#[cfg(feature = "html")]
fn page(body: &[u8]) -> Result<(String, Option<String>), String> {
    let page = extract::html(&extract::decode_html(body).text);
    let page = page.map_err(|error| error.to_string())?;
    Ok((page.text, page.title))
}

#[cfg(not(feature = "html"))]
fn page(_: &[u8]) -> Result<(String, Option<String>), String> {
    Err("this build cannot read HTML (feature `html` is off)".into())
}

/// Where the header ends, the blank line included.
fn header_end(bytes: &[u8]) -> Option<usize> {
    let bytes = &bytes[..bytes.len().min(MAX_HEADER_BYTES)];
    memchr::memchr_iter(b'\n', bytes).find_map(|line_end| match &bytes[line_end + 1..] {
        [b'\n', ..] => Some(line_end + 2),
        [b'\r', b'\n', ..] => Some(line_end + 3),
        _ => None,
    })
}

/// The value of a header line, whatever the case of its name.
fn header<'a>(head: &'a [u8], name: &str) -> Option<&'a str> {
    head.split(|byte| *byte == b'\n').skip(1).find_map(|line| {
        let colon = memchr::memchr(b':', line)?;
        let (found, value) = line.split_at(colon);
        let same = found.trim_ascii().eq_ignore_ascii_case(name.as_bytes());
        same.then(|| std::str::from_utf8(value[1..].trim_ascii()).ok())?
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_put_together_and_what_is_not_in_pieces_is_left() {
        assert_eq!(unchunked(b"4\r\nfog,\r\n3;x=y\r\n ok\r\n0\r\n\r\n").unwrap(), b"fog, ok");
        assert_eq!(unchunked(b"3\r\nfog\r\n0\r\n\r\n").unwrap(), b"fog");
        assert_eq!(unchunked(b"<html>\n"), None);
    }

    #[test]
    fn header_lines_are_found_whatever_their_case() {
        let head = b"WARC/1.0\r\nWARC-Type:response\r\nContent-Length: 12\r\n\r\n";
        assert_eq!(header(head, "warc-type"), Some("response"));
        assert_eq!(header(head, "content-length"), Some("12"));
        assert_eq!(header(head, "absent"), None);
        assert_eq!(header_end(head), Some(head.len()));
    }
}
