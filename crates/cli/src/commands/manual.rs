//! `lookalike completions` and `lookalike man`: what shells and `man` want to know, from the
//! program itself.

use std::path::Path;

use anyhow::{Context as _, Result};
use clap::CommandFactory;

use crate::arguments::{Arguments, CompletionsArguments, ManArguments};
use crate::display;

/// Prints a completion script.
pub fn completions(arguments: &CompletionsArguments) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "lookalike", &mut script);
    display::script(&script)
}

/// Writes the manual, or prints its first page.
pub fn man(arguments: &ManArguments) -> Result<()> {
    let mut command = Arguments::command();
    command.build();
    let Some(folder) = &arguments.out else { return display::script(&page(&command)?) };
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot create {}", folder.display()))?;
    write_pages(&command, folder)
}

/// One page a command, those below it included.
fn write_pages(command: &clap::Command, folder: &Path) -> Result<()> {
    let name = command.get_display_name().unwrap_or_else(|| command.get_name());
    let path = folder.join(format!("{name}.1"));
    std::fs::write(&path, page(command)?)
        .with_context(|| format!("cannot write {}", path.display()))?;
    for below in command.get_subcommands().filter(|below| below.get_name() != "help") {
        write_pages(below, folder)?;
    }
    Ok(())
}

fn page(command: &clap::Command) -> Result<Vec<u8>> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut page)?;
    Ok(page)
}
