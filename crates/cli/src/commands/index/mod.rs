//! `lookalike index`: documents that stay prepared on disk.

mod answers;
mod arguments;
mod documents;
mod maintenance;
mod time;

use anyhow::Result;
use lookalike::{Artifacts, ByteSize, Config, Index, IndexOptions};
use serde::Serialize;

pub use self::arguments::IndexArguments;
use self::arguments::{Action, CreateArguments, OutputArguments};
use crate::arguments::{Format, ReportArguments};
use crate::configuration::{self, RunResources, Usage};
use crate::display;

/// Memory for the log, directories and features where nothing else is said.
const DEFAULT_MEMORY: ByteSize = ByteSize(512 << 20);

/// Runs the command.
pub fn run(arguments: &IndexArguments) -> Result<()> {
    match &arguments.action {
        Action::Create(arguments) => create(arguments),
        Action::Add(arguments) => answers::add(arguments),
        Action::Check(arguments) => answers::check(arguments),
        Action::Remove(arguments) => maintenance::remove(arguments),
        Action::Judge(arguments) => maintenance::judge(arguments),
        Action::Find(arguments) => maintenance::find(arguments),
        Action::Stat(arguments) => maintenance::stat(arguments),
        Action::Verify(arguments) => maintenance::verify(arguments),
        Action::Compact(arguments) => maintenance::compact(arguments),
        Action::Export(arguments) => maintenance::export(arguments),
    }
}

fn create(arguments: &CreateArguments) -> Result<()> {
    let shared = &arguments.shared;
    let config = configuration::resolve(shared)?;
    if config.run.judgments.is_some() {
        let told = "--judgments: an index is told with `lookalike index judge`";
        return Err(Usage(told.into()).into());
    }
    refuse_uncounted(arguments, &config)?;
    let resources = RunResources::new(shared, &config)?;
    let artifacts = resources.run(|context| -> Result<Artifacts> {
        if arguments.stats_from.is_empty() {
            // What the configuration names is read; there is nothing to count.
            let nothing = lookalike::Corpus::from_documents(Vec::<String>::new());
            return Ok(lookalike::artifacts(&nothing, &config, context)?);
        }
        let corpus = lookalike::open_input(&arguments.stats_from, &config, context)?;
        Ok(lookalike::artifacts(&corpus, &config, context)?)
    })?;
    lookalike::write_artifacts(&config, &artifacts)?;
    let options = IndexOptions { store: arguments.store, time_to_live: arguments.ttl };
    let index = Index::create(&arguments.index, &config, artifacts, options)?;
    if shared.report.quiet {
        return Ok(());
    }
    let detector = &index.config().detector;
    if shared.report.format == Format::Json {
        let (path, method) = (arguments.index.display().to_string(), detector.name());
        return display::json(&serde_json::json!({
            "index": path, "method": method, "threshold": detector.threshold(),
            "store": options.store, "time_to_live_ms": options.time_to_live,
        }));
    }
    display::line(format_args!(
        "created {}: method {}{}, stores {}",
        arguments.index.display(),
        detector.name(),
        detector.threshold().map_or(String::new(), |t| format!(" at {t}")),
        options.store,
    ))
}

/// Refuses what would have to be counted, where nothing is there to count it in.
fn refuse_uncounted(arguments: &CreateArguments, config: &Config) -> Result<(), Usage> {
    if !arguments.stats_from.is_empty() {
        return Ok(());
    }
    if config.run.ignore_boilerplate.is_some() {
        return Err(Usage(
            "--ignore-boilerplate counts what to leave out: say where with --stats-from INPUT"
                .into(),
        ));
    }
    if config.detector.needs_statistics() && config.run.stats.is_none() {
        return Err(Usage(format!(
            "{} needs collection statistics, which stay as they are in an index: give --stats FILE, \
             or --stats-from INPUT to count them",
            config.detector.name()
        )));
    }
    Ok(())
}

/// Progress, working folder and threads as the arguments ask.
fn resources(output: &OutputArguments, config: &Config) -> Result<RunResources> {
    let ReportArguments { quiet, verbose, format } = output.report;
    // Answers that come row by row say themselves how far it is.
    let report = ReportArguments { quiet: quiet || format == Format::Json, verbose, format };
    RunResources::with(report, output.temp_dir.as_deref(), config)
}

/// Prints one value as JSON, or as lines for people.
fn tell(output: &OutputArguments, value: &impl Serialize, lines: &[String]) -> Result<()> {
    if output.report.quiet {
        return Ok(());
    }
    match output.report.format {
        Format::Json => display::json_line(value),
        _ => lines.iter().try_for_each(display::line),
    }
}
