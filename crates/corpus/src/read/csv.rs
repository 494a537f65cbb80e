//! CSV and TSV with a header row; quoted fields may contain line breaks.

use std::borrow::Cow;

use csv::{ByteRecord, ReaderBuilder};
use serde_json::Value;

use super::Columns;
use super::records::{Boundary, Scan};
use crate::source::Format;
use crate::{InputOptions, RowDocument};

/// The header row: which column means what.
#[derive(Debug)]
pub(crate) struct Header {
    /// The row as it stands in the file, with its line end.
    pub raw: Vec<u8>,
    pub delimiter: u8,
    names: Vec<String>,
    text: usize,
    id: Option<usize>,
    titles: Vec<usize>,
    url: Option<usize>,
}

impl Header {
    /// Understands the first record of a file.
    ///
    /// # Errors
    /// There is no column with the text; the message names the columns there are.
    pub(crate) fn parse(raw: &[u8], delimiter: u8, options: &InputOptions) -> Result<Self, String> {
        let record = split(raw, delimiter).map_err(|error| error.to_string())?;
        let names: Vec<String> =
            record.iter().map(|name| String::from_utf8_lossy(name.trim_ascii()).into()).collect();
        let position = |key: &str| names.iter().position(|name| name == key);
        let text = position(&options.text_key).ok_or_else(|| {
            format!("no column `{}`; the header has: {}", options.text_key, names.join(", "))
        })?;
        Ok(Self {
            raw: raw.to_owned(),
            delimiter,
            text,
            id: options.id_key.field().and_then(position),
            titles: options.title_keys.iter().filter_map(|key| position(key)).collect(),
            url: position(&options.url_key),
            names,
        })
    }

    /// The names of the columns.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    /// How many columns the header names.
    pub(crate) fn n_columns(&self) -> usize {
        self.names.len()
    }
}

/// How many columns a record has.
pub(crate) fn n_columns(raw: &[u8], delimiter: u8) -> usize {
    split(raw, delimiter).map_or(0, |record| record.len())
}

/// The byte between fields.
pub(crate) fn delimiter(format: Format) -> u8 {
    if format == Format::Tsv { b'\t' } else { b',' }
}

/// Parses one record.
pub(crate) fn parse<'a>(
    raw: &'a [u8],
    header: &'a Header,
    fallback_id: impl FnOnce() -> String,
) -> Result<RowDocument<'a>, String> {
    let record = split(raw, header.delimiter).map_err(|error| error.to_string())?;
    if record.iter().skip(header.n_columns()).any(|overflow| !overflow.is_empty()) {
        return Err(format!(
            "the row has {} columns, the header {}; fields that contain the separator need quotes",
            record.len(),
            header.n_columns()
        ));
    }
    let field = |column: usize| -> Option<Result<String, String>> {
        record.get(column).map(|bytes| match std::str::from_utf8(bytes) {
            Ok(text) => Ok(text.to_owned()),
            Err(_) => Err(format!("invalid UTF-8 in column `{}`", header.names[column])),
        })
    };
    let optional = |column: usize| {
        field(column).and_then(Result::ok).filter(|text| !text.is_empty()).map(Cow::Owned)
    };
    let text = field(header.text).ok_or_else(|| {
        let text = &header.names[header.text];
        format!("the row has {} columns and ends before column `{text}`", record.len())
    })??;
    Ok(RowDocument {
        id: header.id.and_then(optional).unwrap_or_else(|| Cow::Owned(fallback_id())),
        text: Cow::Owned(text),
        title: header.titles.iter().find_map(|column| optional(*column)),
        url: header.url.and_then(optional),
        columns: Columns::Csv(raw, header),
    })
}

/// The value of a column, always a string.
pub(crate) fn field(raw: &[u8], header: &Header, name: &str) -> Option<Value> {
    let column = header.names.iter().position(|column| column == name)?;
    let record = split(raw, header.delimiter).ok()?;
    Some(Value::String(std::str::from_utf8(record.get(column)?).ok()?.to_owned()))
}

fn split(raw: &[u8], delimiter: u8) -> Result<ByteRecord, csv::Error> {
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter)
        .buffer_capacity(raw.len().min(1 << 16))
        .from_reader(raw);
    let mut record = ByteRecord::with_capacity(raw.len(), 8);
    reader.read_byte_record(&mut record)?;
    Ok(record)
}

/// Records that end with a line end outside quotes, as the `csv` crate reads them.
pub(crate) struct CsvRecords {
    delimiter: u8,
    state: State,
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    FieldStart,
    Unquoted,
    Quoted,
    /// After a quote inside a quoted field: its end, or the first half of a doubled quote.
    QuoteSeen,
}

impl CsvRecords {
    pub(crate) fn new(delimiter: u8) -> Self {
        Self { delimiter, state: State::FieldStart }
    }

    /// Steps over one byte; true at the end of a record.
    fn step(&mut self, byte: u8) -> bool {
        let is_line_end = byte == b'\n' || byte == b'\r';
        self.state = match (self.state, byte) {
            (State::Quoted, b'"') => State::QuoteSeen,
            (State::FieldStart | State::QuoteSeen, b'"') | (State::Quoted, _) => State::Quoted,
            (_, byte) if byte == self.delimiter || is_line_end => State::FieldStart,
            _ => State::Unquoted,
        };
        is_line_end && self.state == State::FieldStart
    }
}

impl Boundary for CsvRecords {
    fn scan(&mut self, bytes: &[u8], at_end: bool) -> Scan {
        let mut at = 0;
        loop {
            // Within a field most bytes mean nothing: jump to the next one that does.
            let rest = &bytes[at..];
            let skip = match self.state {
                State::Quoted => memchr::memchr(b'"', rest),
                State::Unquoted => memchr::memchr3(self.delimiter, b'\n', b'\r', rest),
                State::FieldStart | State::QuoteSeen => (!rest.is_empty()).then_some(0),
            };
            let Some(skip) = skip else { return Scan::Resume(bytes.len()) };
            at += skip;
            let byte = bytes[at];
            let followed_by = bytes.get(at + 1);
            if byte == b'\r' && self.state != State::Quoted && followed_by.is_none() && !at_end {
                // Whether a line feed belongs to this line end is not known yet.
                return Scan::Resume(at);
            }
            at += 1;
            if self.step(byte) {
                let pair = byte == b'\r' && followed_by == Some(&b'\n');
                return Scan::End(at + usize::from(pair));
            }
        }
    }

    fn unfinished(&self, _rest: &[u8]) -> Option<&'static str> {
        let is_open = self.state == State::Quoted;
        is_open
            .then_some("a quote is opened here that is never closed; all that follows is inside it")
    }

    fn is_row(&self, record: &[u8]) -> bool {
        record.iter().any(|byte| !matches!(byte, b'\r' | b'\n'))
    }
}
