//! CSV and TSV with a header row; quoted fields may contain line breaks.

use std::borrow::Cow;
use std::cell::RefCell;

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};
use serde_json::Value;

use super::Columns;
use super::records::{Boundary, Scan};
use crate::source::Format;
use crate::text_key::Joined;
use crate::{InputOptions, RowDocument};

/// The header row: which column means what.
#[derive(Debug)]
pub(crate) struct Header {
    /// The row as it stands in the file, with its line end.
    pub raw: Vec<u8>,
    pub delimiter: u8,
    names: Vec<String>,
    /// One column, or several of which the texts are joined.
    texts: Vec<usize>,
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
        let record = split(raw, delimiter);
        let names: Vec<String> =
            record.iter().map(|name| String::from_utf8_lossy(name.trim_ascii()).into()).collect();
        let position = |key: &str| names.iter().position(|name| name == key);
        let key = &options.text_key;
        let missing =
            |key: &str| format!("no column `{key}`; the header has: {}", names.join(", "));
        let texts = if let Some(text) = position(key) {
            vec![text]
        } else {
            let parts = key.split(',').map(str::trim);
            parts.map(|key| position(key).ok_or_else(|| missing(key))).collect::<Result<_, _>>()?
        };
        Ok(Self {
            raw: raw.to_owned(),
            delimiter,
            texts,
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

    /// How many columns a record has.
    pub(crate) fn n_columns_of(&self, raw: &[u8]) -> usize {
        split(raw, self.delimiter).len()
    }
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
    let record = split(raw, header.delimiter);
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
    let text = |column: usize| {
        field(column).ok_or_else(|| {
            let name = &header.names[column];
            format!("the row has {} columns and ends before column `{name}`", record.len())
        })?
    };
    let text = match header.texts.as_slice() {
        [only] => text(*only)?,
        several => {
            let mut joined = Joined::default();
            for column in several {
                joined.push(&text(*column)?);
            }
            joined.finish().unwrap_or_default()
        }
    };
    Ok(RowDocument {
        id_is_literal: false,
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
    let record = split(raw, header.delimiter);
    Some(Value::String(std::str::from_utf8(record.get(column)?).ok()?.to_owned()))
}

thread_local! {
    /// Cuts records at a delimiter. Making it takes longer than cutting a short record, so each
    /// thread makes one and uses it again.
    static SPLITTER: RefCell<Option<(u8, Reader)>> = const { RefCell::new(None) };
}

/// The first record of these bytes.
fn split(raw: &[u8], delimiter: u8) -> Fields {
    SPLITTER.with_borrow_mut(|kept| {
        kept.take_if(|(known, _)| *known != delimiter);
        let make = || (delimiter, ReaderBuilder::new().delimiter(delimiter).build());
        let (_, reader) = kept.get_or_insert_with(make);
        reader.reset();
        read_fields(raw, reader)
    })
}

fn read_fields(raw: &[u8], reader: &mut Reader) -> Fields {
    // Fields are never longer than what they are cut from.
    let (mut bytes, mut ends) = (vec![0; raw.len()], vec![0; 8]);
    let (mut rest, mut n_bytes, mut n_ends) = (raw, 0, 0);
    loop {
        let (result, read, written, ended) =
            reader.read_record(rest, &mut bytes[n_bytes..], &mut ends[n_ends..]);
        rest = &rest[read..];
        n_bytes += written;
        n_ends += ended;
        match result {
            // Asked once more without input, the reader knows that there is no more.
            ReadRecordResult::InputEmpty => {}
            ReadRecordResult::OutputFull => bytes.resize(bytes.len() + 1, 0),
            ReadRecordResult::OutputEndsFull => ends.resize(ends.len() * 2, 0),
            ReadRecordResult::Record | ReadRecordResult::End => break,
        }
    }
    ends.truncate(n_ends);
    Fields { bytes, ends }
}

/// The fields of a record, without quotes.
struct Fields {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Fields {
    fn len(&self) -> usize {
        self.ends.len()
    }

    fn get(&self, column: usize) -> Option<&[u8]> {
        let end = *self.ends.get(column)?;
        let start = column.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.bytes.get(start..end)
    }

    fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len()).filter_map(|column| self.get(column))
    }
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
