//! Adding `duplicate_of` and `score` to a row without touching the rest of it.

use serde_json::Value;

use crate::read::csv::{Header, n_columns};

/// Puts the two fields before the closing brace of an object.
pub(crate) fn json_row(row: &[u8], duplicate_of: &str, score: f64) -> Vec<u8> {
    let Some(end) = row.iter().rposition(|byte| *byte == b'}') else { return row.to_vec() };
    let is_empty = row[..end].trim_ascii_end().ends_with(b"{");
    let comma = if is_empty { "" } else { "," };
    let (id, score) = (Value::from(duplicate_of), Value::from(score));
    let added = format!(r#"{comma}"duplicate_of":{id},"score":{score}"#);
    [&row[..end], added.as_bytes(), &row[end..]].concat()
}

/// The header of a file with removed rows.
pub(crate) fn csv_header(header: &Header) -> Vec<u8> {
    let (names, line_end) = split_line_end(&header.raw);
    let delimiter = char::from(header.delimiter);
    let added = format!("{delimiter}duplicate_of{delimiter}score");
    [names, added.as_bytes(), line_end].concat()
}

/// Puts the two fields behind the columns of the header.
pub(crate) fn csv_row(row: &[u8], header: &Header, duplicate_of: &str, score: f64) -> Vec<u8> {
    let (columns, line_end) = split_line_end(row);
    let delimiter = char::from(header.delimiter);
    let missing = header.n_columns().saturating_sub(n_columns(row, header.delimiter));
    let padding = delimiter.to_string().repeat(missing);
    let id = if duplicate_of.contains([delimiter, '"', '\n', '\r']) {
        format!("\"{}\"", duplicate_of.replace('"', "\"\""))
    } else {
        duplicate_of.to_owned()
    };
    let added = format!("{padding}{delimiter}{id}{delimiter}{score}");
    [columns, added.as_bytes(), line_end].concat()
}

/// Puts the two fields as headers behind the separator of an mbox message.
pub(crate) fn message(row: &[u8], duplicate_of: &str, score: f64) -> Vec<u8> {
    let end = memchr::memchr(b'\n', row).map_or(row.len(), |end| end + 1);
    let line_end = if row[..end].ends_with(b"\r\n") { "\r\n" } else { "\n" };
    // A line break would end the header and could begin another.
    let id = duplicate_of.replace(|c: char| c.is_control(), " ");
    let added = format!("X-Duplicate-Of: {id}{line_end}X-Duplicate-Score: {score}{line_end}");
    [&row[..end], added.as_bytes(), &row[end..]].concat()
}

fn split_line_end(row: &[u8]) -> (&[u8], &[u8]) {
    let end = row.iter().rposition(|byte| !matches!(byte, b'\r' | b'\n')).map_or(0, |at| at + 1);
    match &row[end..] {
        [] => (&row[..end], b"\n"),
        line_end => (&row[..end], line_end),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_rows_keep_their_bytes_and_gain_two_fields() {
        let row = json_row(b"{ \"text\" : \"a}\" } \r\n", "x\"y", 0.5);
        let expected = "{ \"text\" : \"a}\" ,\"duplicate_of\":\"x\\\"y\",\"score\":0.5} \r\n";
        assert_eq!(String::from_utf8(row).unwrap(), expected);
        assert_eq!(json_row(b"{ }", "x", 1.0), b"{ \"duplicate_of\":\"x\",\"score\":1.0}");
    }

    #[test]
    fn a_line_break_in_an_id_cannot_add_a_mail_header() {
        let row = message(b"From a\nSubject: s\n\nb\n", "x\nBcc: y", 1.0);
        let text = String::from_utf8(row).unwrap();
        assert!(text.starts_with("From a\nX-Duplicate-Of: x Bcc: y\nX-Duplicate-Score: 1\n"));
    }
}
