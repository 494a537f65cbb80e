//! `lookalike dedup`: the kept corpus in its own format, and what was removed and why.

use std::path::PathBuf;

use anyhow::Result;
use lookalike::OutputFolder;

use super::find::report;
use crate::arguments::DedupArguments;
use crate::configuration::{self, Surroundings};
use crate::display;

/// Runs the command.
pub fn run(arguments: &DedupArguments) -> Result<()> {
    let shared = &arguments.shared;
    let config = configuration::resolve(shared)?;
    config.check_removal()?;
    let surroundings = Surroundings::new(shared, &config)?;
    let folder = OutputFolder::create(&arguments.out, shared.force)?;
    let (findings, written) = surroundings.run(|context| {
        let corpus = lookalike::open_corpus(&arguments.inputs, &config, context.temp_dir)?;
        let findings = lookalike::find(&corpus, &config, context)?;
        let written = lookalike::dedup(&corpus, &findings, &folder)?;
        Ok::<_, lookalike::RunError>((findings, written))
    })?;
    lookalike::write_findings(&findings, &config, &folder)?;
    folder.commit()?;
    report(&findings, shared)?;
    if !shared.quiet && shared.format == crate::arguments::Format::Table {
        let name =
            |path: &PathBuf| path.file_name().map(|name| name.to_string_lossy().into_owned());
        let names: Vec<String> = written.paths.iter().filter_map(name).collect();
        display::line(format_args!(
            "\nwritten to {}: {}",
            arguments.out.display(),
            names.join(", ")
        ))?;
    }
    Ok(())
}
