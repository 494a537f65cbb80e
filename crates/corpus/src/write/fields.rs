//! Adding the evidence to a row without touching the rest of it.

use super::KeeperId;
use super::evidence::EvidenceNames;
use crate::read::csv::Header;
use serde_json::Value;

/// Puts the two fields before the closing brace of an object.
pub(crate) fn json_row(
    row: &[u8],
    names: &EvidenceNames,
    duplicate_of: &KeeperId,
    score: f64,
) -> Vec<u8> {
    let Some(end) = row.iter().rposition(|byte| *byte == b'}') else { return row.to_vec() };
    let is_empty = row[..end].trim_ascii_end().ends_with(b"{");
    let comma = if is_empty { "" } else { "," };
    let score = Value::from(score);
    let duplicate_of = duplicate_of.json();
    let EvidenceNames { duplicate_of: id_name, score: score_name } = names;
    let added = format!(r#"{comma}"{id_name}":{duplicate_of},"{score_name}":{score}"#);
    [&row[..end], added.as_bytes(), &row[end..]].concat()
}

/// The header of a file with removed rows.
pub(crate) fn csv_header(header: &Header, names: &EvidenceNames) -> Vec<u8> {
    let (columns, line_end) = split_line_end(&header.raw);
    let delimiter = char::from(header.delimiter);
    let added = format!("{delimiter}{}{delimiter}{}", names.duplicate_of, names.score);
    [columns, added.as_bytes(), line_end].concat()
}

/// Puts the two fields behind the columns of the header.
pub(crate) fn csv_row(row: &[u8], header: &Header, duplicate_of: &str, score: f64) -> Vec<u8> {
    let (columns, line_end) = split_line_end(row);
    let delimiter = char::from(header.delimiter);
    let missing = header.n_columns().saturating_sub(header.n_columns_of(row));
    let padding = delimiter.to_string().repeat(missing);
    let id = if duplicate_of.contains([delimiter, '"', '\n', '\r']) {
        format!("\"{}\"", duplicate_of.replace('"', "\"\""))
    } else {
        duplicate_of.to_owned()
    };
    let added = format!("{padding}{delimiter}{id}{delimiter}{}", plain(score));
    [columns, added.as_bytes(), line_end].concat()
}

/// Puts the two fields as headers behind the separator of an mbox message.
pub(crate) fn message(row: &[u8], duplicate_of: &str, score: f64) -> Vec<u8> {
    let end = memchr::memchr(b'\n', row).map_or(row.len(), |end| end + 1);
    let line_end = if row[..end].ends_with(b"\r\n") { "\r\n" } else { "\n" };
    // A line break would end the header and could begin another.
    let id = duplicate_of.replace(|c: char| c.is_control(), " ");
    let score = plain(score);
    let added = format!("X-Duplicate-Of: {id}{line_end}X-Duplicate-Score: {score}{line_end}");
    [&row[..end], added.as_bytes(), &row[end..]].concat()
}

/// The score as text; nothing where the two documents were never confirmed.
fn plain(score: f64) -> String {
    if score.is_nan() { String::new() } else { score.to_string() }
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
        let names = EvidenceNames::default();
        let row = json_row(b"{ \"text\" : \"a}\" } \r\n", &names, &"x\"y".into(), 0.5);
        let expected = "{ \"text\" : \"a}\" ,\"duplicate_of\":\"x\\\"y\",\"score\":0.5} \r\n";
        assert_eq!(String::from_utf8(row).unwrap(), expected);
        let row = json_row(b"{ }", &names, &"7".into(), 1.0);
        assert_eq!(row, b"{ \"duplicate_of\":\"7\",\"score\":1.0}");
        let number = KeeperId { text: "7.50".into(), is_literal: true };
        let row = json_row(b"{ }", &names, &number, 1.0);
        assert_eq!(row, b"{ \"duplicate_of\":7.50,\"score\":1.0}");
    }

    #[test]
    fn a_line_break_in_an_id_cannot_add_a_mail_header() {
        let row = message(b"From a\nSubject: s\n\nb\n", "x\nBcc: y", 1.0);
        let text = String::from_utf8(row).unwrap();
        assert!(text.starts_with("From a\nX-Duplicate-Of: x Bcc: y\nX-Duplicate-Score: 1\n"));
    }
}
