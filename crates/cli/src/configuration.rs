//! From what was typed to what it means: the configuration file, overridden by flags.

use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use lookalike::{Config, Context};
use serde::Serialize;

use crate::INTERRUPT;
use crate::arguments::{CommonArguments, MethodArguments, ReportArguments, SharedArguments};
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

/// Ctrl-C where something was done already, and what: exit status 130.
#[derive(Debug)]
pub struct Stopped(pub String);

impl fmt::Display for Stopped {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for Stopped {}

/// What was typed of a configuration, gathered from the groups of flags that a command has.
#[derive(Default)]
pub struct Typed<'a> {
    file: Option<&'a Path>,
    flags: toml::Table,
    set: &'a [String],
    method: Option<&'a MethodArguments>,
}

impl<'a> Typed<'a> {
    /// Flags of a group, under their names.
    pub fn with(mut self, group: &impl Serialize) -> Result<Self> {
        let flags = toml::Table::try_from(group).map_err(|error| Usage(error.to_string()))?;
        self.flags.extend(flags);
        Ok(self)
    }

    /// What every command over documents takes.
    pub fn with_common(mut self, common: &'a CommonArguments) -> Result<Self> {
        self.file = common.config.as_deref();
        self.with(&common.documents)?.with(&common.resources)
    }

    /// The method, its flags and its further parameters.
    pub fn with_method(mut self, method: &'a MethodArguments, set: &'a [String]) -> Result<Self> {
        (self.method, self.set) = (Some(method), set);
        self.with(method)
    }

    /// Further parameters alone.
    pub fn with_set(self, set: &'a [String]) -> Self {
        Self { set, ..self }
    }

    /// The resolved configuration: defaults, then the file, then flags, then `--set`.
    pub fn resolve(self) -> Result<Config> {
        let mut table = self.file.map(read_table).transpose()?.unwrap_or_default();
        table.extend(self.flags);
        for assignment in self.set {
            let set = lookalike::assign(&mut table, assignment);
            set.map_err(|error| Usage(format!("--set {error}")))?;
        }
        // A stored configuration is read from other folders than the one it was made in.
        for key in ["model", "stats", "boilerplate", "judgments"] {
            let absolute = table.get(key).and_then(toml::Value::as_str).map(std::path::absolute);
            if let Some(text) = absolute.transpose()?.as_deref().and_then(Path::to_str) {
                table.insert(key.into(), text.into());
            }
        }
        // Only one method knows of relations, so that asking for one is asking for the method.
        if table.contains_key("relation") && !table.contains_key("method") {
            table.insert("method".into(), "paragraph".into());
        }
        refuse_too_few_permutations(&table)?;
        let config = Config::from_table(table).map_err(|error| Usage(error.to_string()))?;
        if let Some(method) = self.method {
            refuse_useless(method, &config)?;
        }
        Ok(config)
    }
}

/// The configuration of a command that takes everything.
pub fn resolve(arguments: &SharedArguments) -> Result<Config> {
    let mut typed = Typed { file: arguments.config.as_deref(), ..Typed::default() };
    let SharedArguments { write_artifacts, judgments, .. } = arguments;
    for (key, path) in [("write-artifacts", write_artifacts), ("judgments", judgments)] {
        if let Some(path) = path {
            typed.flags.insert(key.into(), path.display().to_string().into());
        }
    }
    typed
        .with(&arguments.documents)?
        .with(&arguments.resources)?
        .with(&arguments.clusters)?
        .with_method(&arguments.method, &arguments.set)?
        .resolve()
}

/// Refuses flags that contradict each other, or that the method would not look at.
fn refuse_useless(typed: &MethodArguments, config: &Config) -> Result<(), Usage> {
    let method = config.detector.name();
    if typed.model.is_some() && !config.detector.needs_model() {
        return Err(Usage(format!(
            "--model: {method} uses no model; leave it out, or name a --method that does"
        )));
    }
    Ok(())
}

/// Refuses bands and rows that need more minima than are asked for beside them.
fn refuse_too_few_permutations(table: &toml::Table) -> Result<(), Usage> {
    let number = |key: &str| table.get(key).and_then(toml::Value::as_integer);
    let [Some(bands), Some(rows), Some(permutations)] =
        ["bands", "rows", "permutations"].map(number)
    else {
        return Ok(());
    };
    let needed = bands.saturating_mul(rows);
    if needed <= permutations {
        return Ok(());
    }
    Err(Usage(format!(
        "bands = {bands} of rows = {rows} need {needed} permutations, not {permutations}; leave out one of the three"
    )))
}

fn read_table(path: &Path) -> Result<toml::Table> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("cannot read the configuration {}", path.display()))?;
    let mut table: toml::Table =
        text.parse().map_err(|error| Usage(place_in_file(path, &text, &error)))?;
    find_beside(&mut table, path);
    Ok(table)
}

/// What is wrong with a configuration file, and in which line, on one line.
fn place_in_file(path: &Path, text: &str, error: &toml::de::Error) -> String {
    let line = error.span().and_then(|span| text.get(..span.start)).map(|before| {
        let number = before.matches('\n').count() + 1;
        format!(", line {number}")
    });
    format!("{}{}: {}", path.display(), line.unwrap_or_default(), error.message())
}

/// A model or statistics that stand beside the configuration are found there, wherever the
/// program runs.
fn find_beside(table: &mut toml::Table, config: &Path) {
    let Some(folder) = config.parent() else { return };
    for key in ["model", "stats", "boilerplate", "judgments"] {
        let beside = table.get(key).and_then(toml::Value::as_str).map(|name| folder.join(name));
        if let Some(path) = beside.filter(|path| path.is_file())
            && let Some(text) = path.to_str()
        {
            table.insert(key.into(), text.into());
        }
    }
}

/// What a run needs besides its configuration.
pub struct RunResources {
    bars: Bars,
    temp_dir: PathBuf,
    pool: rayon::ThreadPool,
}

impl RunResources {
    /// Progress, working folder and threads as the arguments ask.
    pub fn new(arguments: &SharedArguments, config: &Config) -> Result<Self> {
        Self::with(arguments.report, arguments.temp_dir.as_deref(), config)
    }

    /// The same for commands that take less.
    pub fn of(arguments: &CommonArguments, config: &Config) -> Result<Self> {
        Self::with(arguments.report, arguments.temp_dir.as_deref(), config)
    }

    /// The same for commands that have flags of their own.
    pub fn with(report: ReportArguments, temp_dir: Option<&Path>, config: &Config) -> Result<Self> {
        let of_system = std::env::temp_dir();
        if !temp_dir.unwrap_or(&of_system).is_dir() {
            let told = match temp_dir {
                Some(typed) => format!("--temp-dir {}: no such folder", typed.display()),
                None => format!(
                    "the system's temporary folder {} does not exist; set TMPDIR to one that \
                     does, or name one with --temp-dir",
                    of_system.display()
                ),
            };
            return Err(Usage(told).into());
        }
        let temp_dir = temp_dir.map_or(of_system, Path::to_owned);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(config.run.threads).build()?;
        Ok(Self { bars: Bars::new(report), temp_dir, pool })
    }

    /// Runs `work` on the threads that were asked for.
    pub fn run<T: Send>(&self, work: impl FnOnce(&Context<'_>) -> T + Send) -> T {
        let context =
            Context { progress: &self.bars, interrupt: &INTERRUPT, temp_dir: &self.temp_dir };
        self.pool.install(|| work(&context))
    }
}
