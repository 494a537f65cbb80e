//! `lookalike demo`: the main job on sample documents, from input to explanation.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use clap::Parser;

use crate::arguments::{Arguments, Command, DemoArguments, Format, ReportArguments};
use crate::commands::{dedup, explain};
use crate::display;

/// Stories written for this project and copies of them: edited, reordered, in templates, quoted in mail.
const SAMPLE: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/sample.jsonl"));

/// The pair that is explained: an edited copy.
const EXPLAINED: [&str; 2] = ["winter-ferry-1", "winter-ferry-2"];

/// Runs the command.
pub fn run(arguments: &DemoArguments) -> Result<()> {
    let temporary;
    let folder: PathBuf = if let Some(folder) = &arguments.out {
        folder.clone()
    } else {
        temporary = tempfile::tempdir().context("cannot make a temporary folder")?;
        temporary.path().to_owned()
    };
    std::fs::create_dir_all(&folder)
        .with_context(|| format!("cannot create {}", folder.display()))?;
    let input = folder.join("sample.jsonl");
    std::fs::write(&input, SAMPLE).with_context(|| format!("cannot write {}", input.display()))?;
    let results = folder.join("results");
    let report = arguments.report;
    let talks = !report.quiet && report.format == Format::Table;
    let how: &[&str] = match report {
        ReportArguments { quiet: true, .. } => &["--quiet"],
        ReportArguments { format: Format::Json, .. } => &["--format", "json"],
        _ => &[],
    };
    let show = |arguments: &[&str]| if talks { step(arguments) } else { Ok(()) };
    let run = |arguments: &[&str]| typed(&[arguments, how].concat());
    show(&["dedup", "sample.jsonl", "--out", "results", "--threshold", "0.6", "--report"])?;
    let out = text(&results);
    run(&["dedup", &text(&input), "--out", &out, "--threshold", "0.6", "--report", "--force"])?;
    let [left, right] = EXPLAINED;
    show(&["explain", left, right, "--in", "sample.jsonl", "--threshold", "0.6"])?;
    run(&["explain", left, right, "--in", &text(&input), "--threshold", "0.6"])?;
    if arguments.out.is_none() && talks {
        display::blank()?;
        display::line(
            "keep the files, and a report to look at, with: lookalike demo --out FOLDER",
        )?;
    } else if talks {
        display::blank()?;
        let page = results.join("report.html");
        display::line(format_args!("a report to look at in a browser: {}", page.display()))?;
    }
    Ok(())
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// Shows a command as a person would type it.
fn step(arguments: &[&str]) -> Result<()> {
    display::blank()?;
    display::heading(format_args!("$ lookalike {}", arguments.join(" ")))?;
    display::blank()
}

/// Runs a command exactly as if it had been typed.
fn typed(arguments: &[&str]) -> Result<()> {
    let line = std::iter::once("lookalike").chain(arguments.iter().copied());
    match Arguments::try_parse_from(line)?.command {
        Command::Dedup(arguments) => dedup::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments),
        _ => Ok(()),
    }
}
