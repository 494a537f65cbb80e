//! What stands after the question mark.

use std::str::FromStr;
use std::time::Duration;

use axum::extract::Query;
use axum::http::Uri;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::problem::Problem;

/// How long a request waits for something that is being made, at most.
const LONGEST_WAIT: f64 = 60.0;
/// Rows of a page of a list.
const MOST_ROWS: usize = 200;
const ROWS: usize = 50;

/// The parameters of a request; each is taken once, and none may be left over.
#[derive(Debug)]
pub struct Parameters(Vec<(String, String)>);

impl Parameters {
    /// The parameters of an address.
    pub fn of(uri: &Uri) -> Result<Self, Problem> {
        let Query(pairs) = Query::try_from_uri(uri)
            .map_err(|error| Problem::broken(format!("the query cannot be read: {error}")))?;
        Ok(Self(pairs))
    }

    /// The value of a parameter.
    pub fn text(&mut self, name: &str) -> Option<String> {
        let at = self.0.iter().position(|(known, _)| known == name)?;
        Some(self.0.remove(at).1)
    }

    /// The value of a parameter that is a number or the like.
    pub fn value<T: FromStr>(&mut self, name: &str) -> Result<Option<T>, Problem> {
        let Some(text) = self.text(name) else { return Ok(None) };
        let value = text.parse();
        value
            .map(Some)
            .map_err(|_| Problem::field(name, format!("`{name}` has an impossible value")))
    }

    /// A score.
    pub fn score(&mut self, name: &str) -> Result<Option<f64>, Problem> {
        match self.value::<f64>(name)? {
            Some(score) if !(0.0..=1.0).contains(&score) => {
                Err(Problem::field(name, format!("`{name}` lies between 0 and 1")))
            }
            score => Ok(score),
        }
    }

    /// One of some words.
    pub fn choice<T: Copy>(
        &mut self,
        name: &str,
        choices: &[(&str, T)],
    ) -> Result<Option<T>, Problem> {
        let Some(text) = self.text(name) else { return Ok(None) };
        let chosen = choices.iter().find(|(word, _)| *word == text);
        chosen.map(|(_, choice)| Some(*choice)).ok_or_else(|| {
            let words: Vec<&str> = choices.iter().map(|(word, _)| *word).collect();
            Problem::field(name, format!("`{name}` is one of {}", words.join(", ")))
        })
    }

    /// Whether a switch is on.
    pub fn switch(&mut self, name: &str, otherwise: bool) -> Result<bool, Problem> {
        let choices = [("1", true), ("true", true), ("0", false), ("false", false)];
        Ok(self.choice(name, &choices)?.unwrap_or(otherwise))
    }

    /// How many rows are wanted.
    pub fn limit(&mut self) -> Result<usize, Problem> {
        match self.value("limit")? {
            None => Ok(ROWS),
            Some(limit) if (1..=MOST_ROWS).contains(&limit) => Ok(limit),
            Some(_) => {
                Err(Problem::field("limit", format!("`limit` lies between 1 and {MOST_ROWS}")))
            }
        }
    }

    /// How long to wait for what is being made.
    pub fn wait(&mut self, otherwise: f64) -> Result<Duration, Problem> {
        Ok(self.wanted_wait()?.unwrap_or(Duration::from_secs_f64(otherwise)))
    }

    /// How long to wait for what is being made, if it is asked for at all.
    pub fn wanted_wait(&mut self) -> Result<Option<Duration>, Problem> {
        let Some(seconds) = self.value("wait")? else { return Ok(None) };
        if !(0.0..=LONGEST_WAIT).contains(&seconds) {
            let told = format!("`wait` lies between 0 and {LONGEST_WAIT} seconds");
            return Err(Problem::field("wait", told));
        }
        Ok(Some(Duration::from_secs_f64(seconds)))
    }

    /// Where a list goes on, as [`cursor`] wrote it.
    pub fn cursor<T: DeserializeOwned>(&mut self) -> Result<Option<T>, Problem> {
        let Some(text) = self.text("cursor") else { return Ok(None) };
        let wrong = || Problem::field("cursor", "`cursor` is what `next` of an earlier answer was");
        let pairs: Option<Vec<u8>> = text
            .as_bytes()
            .chunks(2)
            .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
            .collect();
        serde_json::from_slice(&pairs.ok_or_else(wrong)?).map(Some).map_err(|_| wrong())
    }

    /// Refuses what nobody asked for, so that a slip of the pen is not taken for no filter.
    pub fn finish(self) -> Result<(), Problem> {
        match self.0.into_iter().next() {
            None => Ok(()),
            Some((name, _)) => {
                let told = "there is no such parameter here, or it was given twice";
                Err(Problem::field(name.chars().take(100).collect::<String>(), told))
            }
        }
    }
}

/// Where a list goes on.
pub fn cursor(key: &impl Serialize) -> String {
    use std::fmt::Write as _;
    let mut text = String::new();
    for byte in serde_json::to_vec(key).unwrap_or_default() {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}
