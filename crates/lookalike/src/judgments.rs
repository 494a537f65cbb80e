//! Judged pairs: the file that `label` appends to, and that `train`, `tune` and `compare` read.
//!
//! JSON Lines of `a` and `b` (ids) and a verdict: `duplicate` or `near_duplicate`, true or false, or
//! a grade (also as `label`), of which 1 and more is yes. `"unsure"` is the answer of a person who
//! cannot say, `null` that nobody has answered yet. `time`, `by` and `how` say when, who and with
//! what, `keep` names the one of the two that stays, and `draw` says how the pair was drawn. The file
//! only grows: of several verdicts on one pair the last one holds.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use lookalike_corpus::read_text;
use lookalike_store::Said;
use serde_json::{Value, json};

use crate::RunError;
use crate::error::file_error;

/// How a pair came to be asked about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Draw {
    /// The stratum that it was drawn from at random.
    pub stratum: usize,
    /// How many pairs there are in it.
    pub pairs: f64,
}

/// A verdict on two documents.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgedPair {
    /// One document's id.
    pub left: String,
    /// The other's.
    pub right: String,
    /// Whether they are near-duplicates; no where the person could not say.
    pub duplicate: bool,
    /// The person could not say.
    pub unsure: bool,
    /// When it was said, in milliseconds since 1970, where the file says so.
    pub time: Option<u64>,
    /// The id of the two that is to be kept, where the person chose.
    pub keeps: Option<String>,
    /// The name of the person; empty where the file does not say.
    pub by: String,
    /// With what it was said; empty where the file does not say.
    pub how: String,
    /// How the pair was drawn, where the file says so.
    pub draw: Option<Draw>,
    /// The line of the file it stands in, from 1.
    pub line: usize,
}

impl JudgedPair {
    /// What a person said about two ids of an index.
    pub(crate) fn of(left: &str, right: &str, said: &Said) -> Self {
        let Said { duplicate, keeps, time, by, how } = said.clone();
        let (left, right, time) = (left.to_owned(), right.to_owned(), Some(time));
        let (unsure, draw) = (false, None);
        Self { left, right, duplicate, unsure, time, keeps, by, how, draw, line: 0 }
    }

    /// The two ids, the smaller first.
    pub fn ids(&self) -> (&str, &str) {
        let (left, right) = (self.left.as_str(), self.right.as_str());
        (left.min(right), left.max(right))
    }

    /// 1 for duplicates, 0 for others, and a half where the person could not say.
    pub fn truth(&self) -> f64 {
        if self.unsure { 0.5 } else { f64::from(u8::from(self.duplicate)) }
    }
}

/// Reads judged pairs, compressed or not; each pair once, in the order of their first verdicts.
/// Pairs on which nobody could say anything are left out.
///
/// # Errors
/// The file cannot be read, or a line is no judged pair.
///
/// A last line that breaks off, as a crash or a full disk leaves it, is passed over.
pub fn read_judgments(path: &Path) -> Result<Vec<JudgedPair>, RunError> {
    let mut judged = read_answers(path)?;
    judged.retain(|pair| !pair.unsure);
    Ok(judged)
}

/// As [`read_judgments`], with the pairs on which a person could not say.
///
/// # Errors
/// As [`read_judgments`].
pub fn read_answers(path: &Path) -> Result<Vec<JudgedPair>, RunError> {
    let mut judged: Vec<JudgedPair> = Vec::new();
    let mut places: BTreeMap<(String, String), usize> = BTreeMap::new();
    for pair in read_every_judgment(path)? {
        let (left, right) = pair.ids();
        let place = *places.entry((left.to_owned(), right.to_owned())).or_insert(judged.len());
        match judged.get_mut(place) {
            Some(earlier) => *earlier = pair,
            None => judged.push(pair),
        }
    }
    Ok(judged)
}

/// Reads the judged pairs of all lines that are answered, also several on one pair.
///
/// # Errors
/// As [`read_judgments`].
pub fn read_every_judgment(path: &Path) -> Result<Vec<JudgedPair>, RunError> {
    let text = match read_text(path) {
        Err(error) if error.kind() == ErrorKind::InvalidData => {
            without_half_letter(path).ok_or(error)
        }
        text => text,
    };
    let text = text.map_err(file_error("read", path))?;
    let text = &text[..text.len() - cut_off(&text).len()];
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let judged = lines.map(|(position, line)| {
        let (path, line_number) = (path.to_owned(), position + 1);
        parse(line, line_number).map_err(|reason| RunError::JudgedPair {
            path,
            line: line_number,
            reason,
        })
    });
    judged.filter_map(Result::transpose).collect()
}

/// The text of a file that breaks off in the middle of a letter, unless something else is wrong.
fn without_half_letter(path: &Path) -> Option<String> {
    let mut bytes = std::fs::read(path).ok()?;
    let wrong = std::str::from_utf8(&bytes).err().filter(|wrong| wrong.error_len().is_none())?;
    bytes.truncate(wrong.valid_up_to());
    String::from_utf8(bytes).ok()
}

/// The last line, if it has no end and is JSON that breaks off.
fn cut_off(text: &str) -> &str {
    let last = text.rsplit_once('\n').map_or(text, |(_, last)| last);
    let breaks_off = serde_json::from_str::<Value>(last).is_err_and(|error| error.is_eof());
    if breaks_off && last.trim_start().starts_with('{') { last } else { "" }
}

/// What a line says of a pair; nothing where nobody has answered yet.
fn parse(line: &str, number: usize) -> Result<Option<JudgedPair>, String> {
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
    if verdict.is_some_and(Value::is_null) {
        return Ok(None);
    }
    let unsure = verdict.is_some_and(|verdict| verdict == "unsure");
    let duplicate = verdict
        .and_then(|verdict| {
            verdict.as_bool().or_else(|| verdict.as_f64().map(|grade| grade >= 1.0))
        })
        .or(unsure.then_some(false))
        .ok_or("`duplicate` is neither true nor false nor \"unsure\"")?;
    let keeps = match &row["keep"] {
        Value::Null => None,
        _ => Some(id("keep")?),
    };
    if keeps.as_ref().is_some_and(|keeps| !duplicate || (*keeps != left && *keeps != right)) {
        return Err("`keep` names neither document of a pair of duplicates".into());
    }
    let (by, how) = (name_in(&row, "by"), name_in(&row, "how"));
    let time = row["time"].as_u64();
    let draw = match &row["draw"] {
        Value::Null => None,
        draw => Some(parse_draw(draw).ok_or("`draw` has no `stratum` and `pairs`")?),
    };
    Ok(Some(JudgedPair {
        left,
        right,
        duplicate,
        unsure,
        time,
        keeps,
        by,
        how,
        draw,
        line: number,
    }))
}

fn name_in(row: &Value, key: &str) -> String {
    row[key].as_str().unwrap_or_default().to_owned()
}

fn parse_draw(draw: &Value) -> Option<Draw> {
    let stratum = usize::try_from(draw["stratum"].as_u64()?).ok()?;
    let pairs = draw["pairs"].as_f64().filter(|pairs| pairs.is_finite() && *pairs >= 0.0)?;
    Some(Draw { stratum, pairs })
}

/// A file of judged pairs that answers are appended to, each on disk before the next question.
#[derive(Debug)]
pub struct JudgmentsFile {
    path: PathBuf,
    file: File,
    cut_off: Option<String>,
}

impl JudgmentsFile {
    /// Opens or creates the file, with the pairs that it already holds.
    ///
    /// # Errors
    /// The file cannot be opened for writing, or holds something else than judged pairs.
    pub fn open(path: &Path) -> Result<(Self, Vec<JudgedPair>), RunError> {
        let earlier = if path.exists() { read_answers(path)? } else { Vec::new() };
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true);
        let mut file = options.open(path).map_err(file_error("write", path))?;
        let cut_off = end_last_line(&mut file).map_err(file_error("write", path))?;
        Ok((Self { path: path.to_owned(), file, cut_off }, earlier))
    }

    /// The last line of the file, where it broke off and was removed.
    pub fn cut_off(&self) -> Option<&str> {
        self.cut_off.as_deref()
    }

    /// Appends a verdict, or none where the person could not say.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn append(
        &mut self,
        (left, right): (&str, &str),
        verdict: Option<bool>,
        draw: Option<Draw>,
    ) -> Result<(), RunError> {
        let verdict = verdict.map_or(Value::from("unsure"), Value::from);
        let mut row = json!({"a": left, "b": right, "duplicate": verdict});
        if let Some(Draw { stratum, pairs }) = draw {
            row["draw"] = json!({"stratum": stratum, "pairs": pairs});
        }
        let line = format!("{row}\n");
        let mut write =
            || self.file.write_all(line.as_bytes()).and_then(|()| self.file.sync_data());
        write().map_err(file_error("write", &self.path))
    }
}

/// An editor may have left the last line without its end, a crash without more than that: a line
/// that breaks off is removed and returned.
fn end_last_line(file: &mut File) -> std::io::Result<Option<String>> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.read_to_end(&mut bytes)?;
    if bytes.is_empty() || bytes.ends_with(b"\n") {
        return Ok(None);
    }
    let text = String::from_utf8_lossy(&bytes);
    let rest = cut_off(&text).to_owned();
    if rest.is_empty() {
        file.write_all(b"\n")?;
        return Ok(None);
    }
    let kept = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    file.set_len(kept as u64)?;
    Ok(Some(rest))
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
    fn who_cannot_say_is_no_verdict_and_an_open_question_is_no_answer() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pairs.jsonl");
        let (mut file, _) = JudgmentsFile::open(&path).unwrap();
        file.append(("x", "y"), None, None).unwrap();
        std::fs::write(folder.path().join("open.jsonl"), r#"{"a":"x","b":"y","duplicate":null}"#)
            .unwrap();
        assert!(read_judgments(&path).unwrap().is_empty());
        assert_eq!(read_answers(&path).unwrap()[0].truth(), 0.5);
        assert!(read_answers(&folder.path().join("open.jsonl")).unwrap().is_empty());
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
            (r#"{"a":"x","b":"y","duplicate":true,"draw":{"stratum":1}}"#, "`draw`"),
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
        file.append(("z", "y"), Some(true), None).unwrap();
        file.append(("x", "y"), Some(false), Some(Draw { stratum: 3, pairs: 17.5 })).unwrap();
        let judged = read_judgments(&path).unwrap();
        let verdicts: Vec<bool> = judged.iter().map(|pair| pair.duplicate).collect();
        assert_eq!(verdicts, [false, true]);
        assert_eq!(judged[0].draw, Some(Draw { stratum: 3, pairs: 17.5 }));
        assert_eq!(judged[1].draw, None);
        assert!(JudgmentsFile::open(&folder.path().join("no/such/file")).is_err());
    }

    #[test]
    fn a_last_line_that_breaks_off_costs_only_itself() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pairs.jsonl");
        let whole = "{\"a\":\"x\",\"b\":\"y\",\"duplicate\":true}\n";
        let torn = "{\"a\":\"x\",\"b\":\"z\",\"dupl";
        let in_a_letter = [whole.as_bytes(), b"{\"a\":\"\xc3"].concat();
        for content in [format!("{whole}{torn}").as_bytes(), &in_a_letter] {
            std::fs::write(&path, content).unwrap();
            assert_eq!(read_judgments(&path).unwrap().len(), 1);
            assert_eq!(JudgmentsFile::open(&path).unwrap().1.len(), 1);
            assert_eq!(std::fs::read_to_string(&path).unwrap(), whole);
        }
        std::fs::write(&path, format!("{whole}{torn}")).unwrap();
        let (mut file, earlier) = JudgmentsFile::open(&path).unwrap();
        assert_eq!((earlier.len(), file.cut_off()), (1, Some(torn)));
        file.append(("x", "z"), Some(false), None).unwrap();
        assert_eq!(read_judgments(&path).unwrap().len(), 2);
        // In the middle, or where it is no beginning of a verdict, it is an error as before.
        for content in [format!("{torn}\n{whole}"), format!("{whole}not json")] {
            std::fs::write(&path, content).unwrap();
            assert!(read_judgments(&path).is_err());
        }
    }
}
