//! `lookalike decide`: which measure and line suit a collection, by what it shows of itself.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use lookalike::decide::{Decision, decide};
use lookalike::{Config, RunError};
use serde_json::json;

use crate::arguments::{CommonArguments, Format, ReportArguments};
use crate::commands::incomplete::Incomplete;
use crate::configuration::{RunResources, Typed};
use crate::{display, output_file};

/// Width of a full bar of the picture.
const BAR_WIDTH: usize = 40;

/// What `lookalike decide` takes.
#[derive(Debug, Args)]
pub struct DecideArguments {
    /// Files, folders or globs
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<OsString>,
    /// The configuration file to write, for find and dedup --config
    #[arg(long, short, value_name = "FILE.toml")]
    out: Option<PathBuf>,
    /// Replace a file that exists
    #[arg(long, help_heading = "Output")]
    force: bool,
    #[command(flatten)]
    pub common: CommonArguments,
}

/// Runs the command.
pub fn run(arguments: &DecideArguments) -> Result<()> {
    if let Some(out) = &arguments.out {
        output_file::check(out, arguments.force)?;
    }
    let config = Typed::default().with_common(&arguments.common)?.resolve()?;
    let resources = RunResources::of(&arguments.common, &config)?;
    let (decision, incomplete) = resources.run(|context| {
        let corpus = lookalike::open_input(&arguments.inputs, &config, context)?;
        let decision = decide(&corpus, &config.run, context)?;
        Ok::<_, RunError>((decision, Incomplete::of(&corpus)))
    })?;
    let chosen = decision.configuration(&config.run)?;
    if let Some(out) = &arguments.out {
        write(&decision.reason, &chosen, out)?;
    }
    match arguments.common.report {
        ReportArguments { quiet: true, .. } => {}
        ReportArguments { format: Format::Json, .. } => {
            let recall = chosen.detector.recall_at_threshold();
            let decision = serde_json::to_value(&decision)?;
            display::json(&json!({
                "decision": decision, "recall_at_threshold": recall, "config": arguments.out,
            }))?;
        }
        _ => report(&decision, &chosen, arguments)?,
    }
    incomplete.refuse()
}

/// Writes a configuration that begins with the reason for it.
pub fn write(reason: &str, config: &Config, out: &Path) -> Result<()> {
    output_file::write(out, format!("# {reason}\n\n{}", config.to_toml()?).as_bytes())
}

fn report(decision: &Decision, chosen: &Config, arguments: &DecideArguments) -> Result<()> {
    let Decision { documents, pairs, hills, measure, .. } = decision;
    if *pairs > 0 {
        display::heading(format_args!(
            "{pairs} pairs of {documents} documents by {measure}: pairs by score, on a logarithmic scale"
        ))?;
        for row in hills.picture(BAR_WIDTH) {
            display::line(row)?;
        }
        display::blank()?;
    }
    display::line(&decision.reason)?;
    let inputs = arguments.inputs.join(OsStr::new(" "));
    let inputs = inputs.display();
    match decision.line {
        Some(line) => {
            let recall = chosen.detector.recall_at_threshold().map_or(String::new(), |recall| {
                format!(", which compares {:.1} % of the pairs at the line", 100.0 * recall)
            });
            let method = chosen.detector.name();
            display::line(format_args!(
                "duplicates: {measure} of at least {line:.2} (method {method}{recall})"
            ))?;
        }
        None => display::line(format_args!(
            "the configuration is the default method; twenty answers give a better one: lookalike label \
             {inputs} --out pairs.jsonl"
        ))?,
    }
    if let Some(out) = &arguments.out {
        let out = out.display();
        display::line(format_args!("{out}: use it with --config {out}"))?;
    }
    Ok(())
}
