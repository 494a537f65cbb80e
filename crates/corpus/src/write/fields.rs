//! Adding the evidence to a row without touching the rest of it.

use super::Removal;
use super::evidence::EvidenceNames;
use crate::read::csv::Header;
use serde_json::Value;

/// Puts the fields before the closing brace of an object.
pub(crate) fn json_row(row: &[u8], names: &EvidenceNames, removal: &Removal) -> Vec<u8> {
    let Some(end) = row.iter().rposition(|byte| *byte == b'}') else { return row.to_vec() };
    let is_empty = row[..end].trim_ascii_end().ends_with(b"{");
    let comma = if is_empty { "" } else { "," };
    let (score, duplicate_of) = (Value::from(removal.score), removal.duplicate_of.json());
    let EvidenceNames { duplicate_of: id_name, score: score_name, accounted } = names;
    let added = format!(r#"{comma}"{id_name}":{duplicate_of},"{score_name}":{score}"#);
    let share = Value::from(removal.accounted);
    let accounted = accounted.as_ref().map(|name| format!(r#","{name}":{share}"#));
    [&row[..end], added.as_bytes(), accounted.unwrap_or_default().as_bytes(), &row[end..]].concat()
}

/// The header of a file with removed rows.
pub(crate) fn csv_header(header: &Header, names: &EvidenceNames) -> Vec<u8> {
    let (columns, line_end) = split_line_end(&header.raw);
    let delimiter = char::from(header.delimiter).to_string();
    let mut all = vec![names.duplicate_of.as_str(), &names.score];
    all.extend(names.accounted.as_deref());
    let added = delimiter.clone() + &all.join(&delimiter);
    [columns, added.as_bytes(), line_end].concat()
}

/// Puts the fields behind the columns of the header.
pub(crate) fn csv_row(
    row: &[u8],
    header: &Header,
    names: &EvidenceNames,
    removal: &Removal,
) -> Vec<u8> {
    let (columns, line_end) = split_line_end(row);
    let delimiter = char::from(header.delimiter);
    let missing = header.n_columns().saturating_sub(header.n_columns_of(row));
    let padding = delimiter.to_string().repeat(missing);
    let duplicate_of = removal.duplicate_of.text.as_str();
    let id = if duplicate_of.contains([delimiter, '"', '\n', '\r']) {
        format!("\"{}\"", duplicate_of.replace('"', "\"\""))
    } else {
        duplicate_of.to_owned()
    };
    let added = format!("{padding}{delimiter}{id}{delimiter}{}", plain(removal.score));
    let accounted = names.accounted.as_ref();
    let accounted = accounted.map(|_| format!("{delimiter}{}", plain(removal.accounted)));
    [columns, added.as_bytes(), accounted.unwrap_or_default().as_bytes(), line_end].concat()
}

/// Puts the fields as headers behind the separator of an mbox message.
pub(crate) fn message(row: &[u8], names: &EvidenceNames, removal: &Removal) -> Vec<u8> {
    let end = memchr::memchr(b'\n', row).map_or(row.len(), |end| end + 1);
    let line_end = if row[..end].ends_with(b"\r\n") { "\r\n" } else { "\n" };
    // A line break would end the header and could begin another.
    let id = removal.duplicate_of.text.replace(|c: char| c.is_control(), " ");
    let score = plain(removal.score);
    let added = format!("X-Duplicate-Of: {id}{line_end}X-Duplicate-Score: {score}{line_end}");
    let share = plain(removal.accounted);
    let accounted = names.accounted.as_ref();
    let accounted = accounted.map(|_| format!("X-Duplicate-Accounted: {share}{line_end}"));
    [&row[..end], added.as_bytes(), accounted.unwrap_or_default().as_bytes(), &row[end..]].concat()
}

/// A score or share as text; nothing where it is not known.
fn plain(value: f64) -> String {
    if value.is_nan() { String::new() } else { value.to_string() }
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
    use super::super::KeeperId;
    use super::*;

    fn removal(duplicate_of: KeeperId, score: f64) -> Removal {
        Removal { duplicate_of, score, accounted: f64::NAN }
    }

    #[test]
    fn json_rows_keep_their_bytes_and_gain_two_fields() {
        let names = EvidenceNames::new(false);
        let row = json_row(b"{ \"text\" : \"a}\" } \r\n", &names, &removal("x\"y".into(), 0.5));
        let expected = "{ \"text\" : \"a}\" ,\"duplicate_of\":\"x\\\"y\",\"score\":0.5} \r\n";
        assert_eq!(String::from_utf8(row).unwrap(), expected);
        let row = json_row(b"{ }", &names, &removal("7".into(), 1.0));
        assert_eq!(row, b"{ \"duplicate_of\":\"7\",\"score\":1.0}");
        let number = KeeperId { text: "7.50".into(), is_literal: true };
        let row = json_row(b"{ }", &names, &removal(number, 1.0));
        assert_eq!(row, b"{ \"duplicate_of\":7.50,\"score\":1.0}");
        let asked = Removal { accounted: 0.75, ..removal("a".into(), 0.5) };
        let row = json_row(b"{}", &EvidenceNames::new(true), &asked);
        assert_eq!(row, b"{\"duplicate_of\":\"a\",\"score\":0.5,\"accounted\":0.75}");
    }

    #[test]
    fn a_line_break_in_an_id_cannot_add_a_mail_header() {
        let row = message(
            b"From a\nSubject: s\n\nb\n",
            &EvidenceNames::new(false),
            &removal("x\nBcc: y".into(), 1.0),
        );
        let text = String::from_utf8(row).unwrap();
        assert!(text.starts_with("From a\nX-Duplicate-Of: x Bcc: y\nX-Duplicate-Score: 1\n"));
    }
}
