//! What was run, when, and on which files: the part of `summary.json` that lets it be run again.

use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

use lookalike_corpus::Corpus;
use serde::Serialize;

/// So many files are named; the totals are of all.
const MOST_NAMED: usize = 1000;

/// What was run, when, on which files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RunRecord {
    /// The command as it was typed.
    pub command: Vec<String>,
    /// When it was started, in universal time.
    pub started: String,
    /// How many files were read.
    pub input_files: u64,
    /// Their size on disk.
    pub input_bytes: u64,
    /// The first of them, in reading order.
    pub inputs: Vec<InputFile>,
    /// Files that were found and not read, by extension or else by the reason.
    pub passed_over: BTreeMap<String, u64>,
    /// What removed rows are given under other names, since their own fields have these.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub renamed_fields: BTreeMap<&'static str, String>,
}

/// A file of the input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct InputFile {
    /// Its path as it was given or found.
    pub path: String,
    /// Its size on disk.
    pub bytes: u64,
}

impl RunRecord {
    /// The record of a run over these collections.
    pub fn new(command: Vec<String>, started: SystemTime, corpora: &[&Corpus]) -> Self {
        let sources = || corpora.iter().flat_map(|corpus| corpus.sources());
        let mut passed_over = BTreeMap::new();
        for (kind, count) in corpora.iter().flat_map(|corpus| corpus.passed_over()) {
            *passed_over.entry(kind).or_insert(0) += count;
        }
        let input = |source: &lookalike_corpus::Source| InputFile {
            path: source.name.clone(),
            bytes: source.size_bytes,
        };
        Self {
            command,
            started: utc(started),
            input_files: sources().count() as u64,
            input_bytes: sources().map(|source| source.size_bytes).sum(),
            inputs: sources().take(MOST_NAMED).map(input).collect(),
            passed_over,
            renamed_fields: BTreeMap::new(),
        }
    }
}

/// A time as `2024-02-29T23:59:59Z`.
fn utc(time: SystemTime) -> String {
    let seconds = time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (mut days, second) = (seconds / 86_400, seconds % 86_400);
    let mut year = 1970;
    let is_leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    loop {
        let length = 365 + u64::from(is_leap(year));
        if days < length {
            break;
        }
        days -= length;
        year += 1;
    }
    let february = 28 + u64::from(is_leap(year));
    let lengths = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 0;
    while days >= lengths[month] {
        days -= lengths[month];
        month += 1;
    }
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year}-{:02}-{:02}T{hour:02}:{minute:02}:{second:02}Z", month + 1, days + 1)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn times_are_written_as_people_read_them() {
        let at = |seconds| utc(UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(at(0), "1970-01-01T00:00:00Z");
        assert_eq!(at(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(at(1_709_251_199), "2024-02-29T23:59:59Z");
        assert_eq!(at(4_107_542_400), "2100-03-01T00:00:00Z");
    }
}
