//! From what was typed to what it means: the configuration file, overridden by flags.

use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use lookalike::{Config, Context};
use serde::Serialize;

use crate::INTERRUPT;
use crate::arguments::SharedArguments;
use crate::progress::Bars;

/// An error in what was typed: exit status 2.
#[derive(Debug)]
pub struct Usage(pub String);

impl fmt::Display for Usage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// The resolved configuration: defaults, then the file, then flags, then `--set`.
pub fn resolve(arguments: &SharedArguments) -> Result<Config> {
    let mut table = match &arguments.config {
        Some(path) => read_table(path)?,
        None => toml::Table::new(),
    };
    table.extend(typed(&arguments.run)?);
    table.extend(typed(&arguments.method)?);
    for assignment in &arguments.set {
        assign(&mut table, assignment)?;
    }
    // Only one method knows of relations, so that asking for one is asking for the method.
    if table.contains_key("relation") && !table.contains_key("method") {
        table.insert("method".into(), "paragraph".into());
    }
    Config::from_table(table).map_err(|error| Usage(error.to_string()).into())
}

fn read_table(path: &Path) -> Result<toml::Table> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("cannot read the configuration {}", path.display()))?;
    let mut table: toml::Table =
        text.parse().map_err(|error| Usage(format!("{}: {error}", path.display())))?;
    find_beside(&mut table, path);
    Ok(table)
}

/// A model or statistics that stand beside the configuration are found there, wherever the
/// program runs.
fn find_beside(table: &mut toml::Table, config: &Path) {
    let Some(folder) = config.parent() else { return };
    for key in ["model", "stats", "boilerplate"] {
        let beside = table.get(key).and_then(toml::Value::as_str).map(|name| folder.join(name));
        if let Some(path) = beside.filter(|path| path.is_file())
            && let Some(text) = path.to_str()
        {
            table.insert(key.into(), text.into());
        }
    }
}

/// The flags that were given, under their names.
fn typed(arguments: &impl Serialize) -> Result<toml::Table> {
    toml::Table::try_from(arguments).map_err(|error| Usage(error.to_string()).into())
}

/// Applies `a.b=value`, where the value is TOML or else plain text.
fn assign(table: &mut toml::Table, assignment: &str) -> Result<()> {
    let wrong = || Usage(format!("--set {assignment}: expected KEY=VALUE"));
    let (key, value) = assignment.split_once('=').ok_or_else(wrong)?;
    let value = format!("value = {value}")
        .parse::<toml::Table>()
        .ok()
        .and_then(|mut parsed| parsed.remove("value"))
        .unwrap_or_else(|| value.into());
    let mut path: Vec<&str> = key.trim().split('.').collect();
    let last = path.pop().filter(|last| !last.is_empty()).ok_or_else(wrong)?;
    let mut place = table;
    for part in path {
        place = place
            .entry(part)
            .or_insert_with(|| toml::Table::new().into())
            .as_table_mut()
            .ok_or_else(wrong)?;
    }
    place.insert(last.to_owned(), value);
    Ok(())
}

/// What a run needs besides its configuration.
pub struct Surroundings {
    bars: Bars,
    temp_dir: PathBuf,
    pool: rayon::ThreadPool,
}

impl Surroundings {
    /// Progress, working folder and threads as the arguments ask.
    pub fn new(arguments: &SharedArguments, config: &Config) -> Result<Self> {
        let temp_dir = arguments.temp_dir.clone().unwrap_or_else(std::env::temp_dir);
        if !temp_dir.is_dir() {
            return Err(Usage(format!("--temp-dir {}: no such folder", temp_dir.display())).into());
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(config.run.threads).build()?;
        Ok(Self { bars: Bars::new(arguments.quiet), temp_dir, pool })
    }

    /// Runs `work` on the threads that were asked for.
    pub fn run<T: Send>(&self, work: impl FnOnce(&Context<'_>) -> T + Send) -> T {
        let context =
            Context { progress: &self.bars, interrupt: &INTERRUPT, temp_dir: &self.temp_dir };
        self.pool.install(|| work(&context))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assignments_reach_into_tables_and_take_plain_words() {
        let mut table = toml::Table::new();
        for assignment in ["analyzer.words=characters", "analyzer.lowercase=false", "ngram=5"] {
            assign(&mut table, assignment).unwrap();
        }
        let expected = toml::toml! { ngram = 5
        analyzer = { words = "characters", lowercase = false } };
        assert_eq!(table, expected);
        assert!(assign(&mut table, "ngram").is_err());
        assert!(assign(&mut table, "ngram.x=1").is_err());
    }
}
