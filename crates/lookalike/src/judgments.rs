//! Judged pairs: the file that `label` appends to, and that `train`, `tune` and `compare` read.
//!
//! JSON Lines of `a` and `b` (ids) and a verdict: `duplicate` or `near_duplicate`, true or false, or
//! a grade (also as `label`), of which 1 and more is yes. The file only grows: of several verdicts
//! on one pair the last one holds.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use lookalike_corpus::read_text;
use serde_json::{Value, json};

use crate::RunError;
use crate::error::file_error;

/// A verdict on two documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JudgedPair {
    /// One document's id.
    pub left: String,
    /// The other's.
    pub right: String,
    /// Whether they are near-duplicates.
    pub duplicate: bool,
    /// The line of the file it stands in, from 1.
    pub line: usize,
}

impl JudgedPair {
    /// The two ids, the smaller first.
    pub fn ids(&self) -> (&str, &str) {
        let (left, right) = (self.left.as_str(), self.right.as_str());
        (left.min(right), left.max(right))
    }
}

/// Reads judged pairs, compressed or not; each pair once, in the order of their first verdicts.
///
/// # Errors
/// The file cannot be read, or a line is no judged pair.
pub fn read_judgments(path: &Path) -> Result<Vec<JudgedPair>, RunError> {
    let text = read_text(path).map_err(file_error("read", path))?;
    let mut judged: Vec<JudgedPair> = Vec::new();
    let mut places: BTreeMap<(String, String), usize> = BTreeMap::new();
    for (position, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let pair = parse(line, position + 1).map_err(|reason| RunError::JudgedPair {
            path: path.to_owned(),
            line: position + 1,
            reason,
        })?;
        let (left, right) = pair.ids();
        let place = *places.entry((left.to_owned(), right.to_owned())).or_insert(judged.len());
        match judged.get_mut(place) {
            Some(earlier) => *earlier = pair,
            None => judged.push(pair),
        }
    }
    Ok(judged)
}

fn parse(line: &str, number: usize) -> Result<JudgedPair, String> {
    let row: Value = serde_json::from_str(line)
        .map_err(|error| format!("expected a JSON object with a, b and duplicate: {error}"))?;
    let id = |key: &str| match &row[key] {
        Value::String(text) => Ok(text.clone()),
        Value::Number(number) => Ok(number.to_string()),
        _ => Err(format!("`{key}` is no id; a judged pair has a, b and duplicate")),
    };
    let (left, right) = (id("a")?, id("b")?);
    if left == right {
        return Err(format!("`a` and `b` are both {left}"));
    }
    let verdict = ["duplicate", "near_duplicate", "label"].iter().find_map(|key| row.get(key));
    let duplicate = verdict
        .and_then(|verdict| {
            verdict.as_bool().or_else(|| verdict.as_f64().map(|grade| grade >= 1.0))
        })
        .ok_or("`duplicate` is neither true nor false")?;
    Ok(JudgedPair { left, right, duplicate, line: number })
}

/// A file of judged pairs that answers are appended to, each on disk before the next question.
#[derive(Debug)]
pub struct JudgmentsFile {
    path: PathBuf,
    file: File,
}

impl JudgmentsFile {
    /// Opens or creates the file, with the pairs that it already holds.
    ///
    /// # Errors
    /// The file cannot be opened for writing, or holds something else than judged pairs.
    pub fn open(path: &Path) -> Result<(Self, Vec<JudgedPair>), RunError> {
        let earlier = if path.exists() { read_judgments(path)? } else { Vec::new() };
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true);
        let mut file = options.open(path).map_err(file_error("write", path))?;
        end_last_line(&mut file).map_err(file_error("write", path))?;
        Ok((Self { path: path.to_owned(), file }, earlier))
    }

    /// Appends a verdict.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn append(&mut self, left: &str, right: &str, duplicate: bool) -> Result<(), RunError> {
        let line = format!("{}\n", json!({"a": left, "b": right, "duplicate": duplicate}));
        let mut write =
            || self.file.write_all(line.as_bytes()).and_then(|()| self.file.sync_data());
        write().map_err(file_error("write", &self.path))
    }
}

/// An editor may have left the last line without its end.
fn end_last_line(file: &mut File) -> std::io::Result<()> {
    if file.metadata()?.len() > 0 {
        file.seek(SeekFrom::End(-1))?;
        let mut last = [0];
        file.read_exact(&mut last)?;
        if last != *b"\n" {
            file.write_all(b"\n")?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_of_all_spellings_are_read_and_the_last_on_a_pair_holds() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pairs.jsonl");
        let rows = [
            r#"{"a":"y","b":"x","duplicate":true}"#,
            "",
            r#"{"a":"y","b":"z","near_duplicate":0}"#,
            r#"{"a":1,"b":"z","label":2}"#,
            r#"{"a":"x","b":"y","duplicate":false}"#,
        ];
        std::fs::write(&path, rows.join("\n")).unwrap();
        let judged = read_judgments(&path).unwrap();
        let seen: Vec<_> = judged.iter().map(|pair| (pair.ids(), pair.duplicate)).collect();
        assert_eq!(seen, [(("x", "y"), false), (("y", "z"), false), (("1", "z"), true)]);
        assert_eq!(judged[0].line, 5);
    }

    #[test]
    fn lines_that_are_no_judged_pair_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pairs.jsonl");
        for (row, word) in [
            ("not json", "expected a JSON object"),
            (r#"{"a":"x","duplicate":true}"#, "`b`"),
            (r#"{"a":"x","b":"x","duplicate":true}"#, "both x"),
            (r#"{"a":"x","b":"y","duplicate":"maybe"}"#, "neither true nor false"),
        ] {
            std::fs::write(&path, format!("\n{row}\n")).unwrap();
            let message = read_judgments(&path).unwrap_err().to_string();
            assert!(message.contains("line 2") && message.contains(word), "{message}");
        }
    }

    #[test]
    fn answers_are_appended_to_what_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pairs.jsonl");
        std::fs::write(&path, r#"{"a":"x","b":"y","duplicate":true}"#).unwrap();
        let (mut file, earlier) = JudgmentsFile::open(&path).unwrap();
        assert_eq!(earlier.len(), 1);
        file.append("z", "y", true).unwrap();
        file.append("x", "y", false).unwrap();
        let verdicts: Vec<bool> =
            read_judgments(&path).unwrap().iter().map(|pair| pair.duplicate).collect();
        assert_eq!(verdicts, [false, true]);
        assert!(JudgmentsFile::open(&folder.path().join("no/such/file")).is_err());
    }
}
