//! What people see: errors, counts, clusters.

use std::io::{self, IsTerminal, Write};

use anstyle::{AnsiColor, Style};
use anyhow::Result;
use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Table, Width, presets};

/// Bold, where the output is a terminal that wants color.
pub fn heading() -> Style {
    styled(Style::new().bold())
}

/// The color of what only the left document has.
pub fn removed() -> Style {
    styled(AnsiColor::Red.on_default())
}

/// The color of what only the right document has.
pub fn added() -> Style {
    styled(AnsiColor::Green.on_default())
}

fn styled(style: Style) -> Style {
    let wanted =
        io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
    if wanted { style } else { Style::new() }
}

/// A table without frame, numbers to the right.
pub fn table(header: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(header);
    table
}

/// Two columns of running text, each as wide as the other.
pub fn side_by_side(header: [String; 2]) -> Table {
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::DynamicFullWidth)
        .set_constraints([ColumnConstraint::UpperBoundary(Width::Percentage(50)); 2])
        .set_header(header);
    // Where the output is no terminal, a page's width.
    if table.width().is_none() {
        table.set_width(100);
    }
    table
}

/// Aligns the columns from the second on to the right.
pub fn align_numbers(table: &mut Table) {
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
}

/// Prints a line; an error for a closed pipe, which ends the program quietly.
pub fn line(text: impl std::fmt::Display) -> Result<()> {
    Ok(writeln!(io::stdout().lock(), "{text}")?)
}

/// Prints a line to standard output, or to standard error where that belongs to the rows.
pub fn line_to(stream: Stream, text: impl std::fmt::Display) -> Result<()> {
    match stream {
        Stream::Output => line(text),
        Stream::Error => Ok(writeln!(io::stderr().lock(), "{text}")?),
    }
}

/// Where a report goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Output,
    /// Standard error.
    Error,
}

/// Says something beside the report, on standard error.
pub fn note(text: impl std::fmt::Display) {
    // A closed standard error is no reason to stop the run.
    let _ = writeln!(io::stderr(), "note: {text}");
}

/// Whether the reader of our output has gone away, as `head` does.
pub fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause.downcast_ref::<io::Error>().is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe)
    })
}

/// Prints an error and its causes as one sentence on standard error.
pub fn print_error(error: &anyhow::Error) {
    // Nothing is left to be done when standard error is closed too.
    let _ = writeln!(io::stderr(), "error: {}", sentence(error));
}

/// The error and those of its causes that it does not already tell.
fn sentence(error: &anyhow::Error) -> String {
    let mut sentence = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if sentence.is_empty() {
            sentence = cause;
        } else if !sentence.contains(&cause) {
            sentence = format!("{sentence}: {cause}");
        }
    }
    sentence
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_is_told_once() {
        let told = anyhow::anyhow!("no space left").context("cannot write x: no space left");
        assert_eq!(sentence(&told), "cannot write x: no space left");
        let untold = anyhow::anyhow!("no space left").context("cannot write x");
        assert_eq!(sentence(&untold), "cannot write x: no space left");
    }
}
