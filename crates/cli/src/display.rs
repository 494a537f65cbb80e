//! What people see: errors, counts, clusters. Everything that is printed goes through here.

use std::fmt::{self, Display};
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};
use anyhow::{Context as _, Result};
use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Table, Width, presets};
use serde::Serialize;

use lookalike::visible::{Breaks, visible, visible_json};

/// How a piece of a line looks on a terminal that wants color.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// As it is.
    Plain,
    /// Bold.
    Heading,
    /// The color of what only the left document has.
    Removed,
    /// The color of what only the right document has.
    Added,
}

impl Look {
    fn style(self) -> Style {
        match self {
            Self::Plain => Style::new(),
            Self::Heading => Style::new().bold(),
            Self::Removed => AnsiColor::Red.on_default(),
            Self::Added => AnsiColor::Green.on_default(),
        }
    }
}

/// Bytes of lines that wait for others to be printed with them.
const MOST_WAITING: usize = 64 << 10;

/// A piece of text and its look.
pub type Piece = (Look, String);

/// Where a report goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Output,
    /// Standard error, where standard output belongs to the rows.
    Error,
}

/// Prints a line; an error for a closed pipe, which ends the program quietly.
pub fn line(text: impl Display) -> Result<()> {
    line_to(Stream::Output, text)
}

/// Prints a line where a report goes.
pub fn line_to(stream: Stream, text: impl Display) -> Result<()> {
    print(stream, &[(Look::Plain, text.to_string())], Breaks::Shown)
}

/// Prints a line in bold.
pub fn heading(text: impl Display) -> Result<()> {
    heading_to(Stream::Output, text)
}

/// Prints a line in bold where a report goes.
pub fn heading_to(stream: Stream, text: impl Display) -> Result<()> {
    print(stream, &[(Look::Heading, text.to_string())], Breaks::Shown)
}

/// Prints an empty line.
pub fn blank() -> Result<()> {
    blank_to(Stream::Output)
}

/// Prints an empty line where a report goes.
pub fn blank_to(stream: Stream) -> Result<()> {
    line_to(stream, "")
}

/// Prints text of several lines: a table, a page.
pub fn block(text: impl Display) -> Result<()> {
    block_to(Stream::Output, text)
}

/// Prints text of several lines where a report goes.
pub fn block_to(stream: Stream, text: impl Display) -> Result<()> {
    print(stream, &[(Look::Plain, text.to_string())], Breaks::Kept)
}

/// Prints one line made of pieces.
pub fn line_of(pieces: &[Piece]) -> Result<()> {
    print(Stream::Output, pieces, Breaks::Shown)
}

/// Prints text of several lines made of pieces.
pub fn block_of(pieces: &[Piece]) -> Result<()> {
    print(Stream::Output, pieces, Breaks::Kept)
}

/// Prints a value for programs.
pub fn json(value: &impl Serialize) -> Result<()> {
    json_to(Stream::Output, value)
}

/// Prints a value for programs where a report goes.
pub fn json_to(stream: Stream, value: &impl Serialize) -> Result<()> {
    let text = serde_json::to_string_pretty(value)?;
    write(stream, &visible_json(&text))
}

/// Prints a value for programs on one line of several such.
pub fn json_line(value: &impl Serialize) -> Result<()> {
    write(Stream::Output, &visible_json(&serde_json::to_string(value)?))
}

/// Plain lines that are printed together: one call of the system for a batch of answers, not one
/// for each.
#[derive(Debug, Default)]
pub struct Lines(String);

impl Lines {
    /// Adds a line.
    pub fn line(&mut self, text: impl Display) -> Result<()> {
        self.push(&visible(&text.to_string(), Breaks::Shown))
    }

    /// Adds a value for programs as a line.
    pub fn json(&mut self, value: &impl Serialize) -> Result<()> {
        self.push(&visible_json(&serde_json::to_string(value)?))
    }

    fn push(&mut self, line: &str) -> Result<()> {
        self.0.push_str(line);
        self.0.push('\n');
        if self.0.len() < MOST_WAITING { Ok(()) } else { self.print() }
    }

    /// Prints what was added since the last time.
    pub fn print(&mut self) -> Result<()> {
        let mut output = io::stdout().lock();
        output.write_all(self.0.as_bytes())?;
        self.0.clear();
        Ok(output.flush()?)
    }
}

/// What the pieces hold is made visible, and only then colored.
fn print(stream: Stream, pieces: &[Piece], breaks: Breaks) -> Result<()> {
    let mut text = String::new();
    let colored = wants_color(stream);
    for (look, piece) in pieces {
        let style = if colored { look.style() } else { Style::new() };
        let piece = visible(piece, breaks);
        text.extend([style.render().to_string(), piece.into_owned()]);
        text.push_str(&style.render_reset().to_string());
    }
    write(stream, &text)
}

fn wants_color(stream: Stream) -> bool {
    let is_terminal = match stream {
        Stream::Output => io::stdout().is_terminal(),
        Stream::Error => io::stderr().is_terminal(),
    };
    is_terminal && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
}

fn write(stream: Stream, text: &str) -> Result<()> {
    let (written, name) = match stream {
        Stream::Output => (writeln!(io::stdout().lock(), "{text}"), "standard output"),
        Stream::Error => (writeln!(io::stderr().lock(), "{text}"), "standard error"),
    };
    written.with_context(|| format!("cannot write to {name}"))
}

/// Prints a file that is all ours: a script, a manual page.
pub fn script(bytes: &[u8]) -> Result<()> {
    Ok(io::stdout().lock().write_all(bytes)?)
}

/// Says something beside the report, on standard error.
pub fn message(text: impl Display) {
    // A closed standard error is no reason to stop the run.
    let _ = writeln!(io::stderr(), "{}", visible(&text.to_string(), Breaks::Shown));
}

/// Says something beside the report that a person should know.
pub fn note(text: impl Display) {
    message(format_args!("note: {text}"));
}

/// Warns, beside the report, that something looks wrong.
pub fn warning(text: impl Display) {
    message(format_args!("warning: {text}"));
}

/// Prints what clap has to say, help or an error; an error may quote what was typed, which a
/// shell may have made of hostile names.
pub fn print_usage(error: &clap::Error) -> ExitCode {
    let is_hostile = |argument: std::ffi::OsString| {
        let text = argument.to_string_lossy().into_owned();
        visible(&text, Breaks::Shown) != text
    };
    if error.use_stderr() && std::env::args_os().any(is_hostile) {
        let text = error.render().to_string();
        let _ = write!(io::stderr(), "{}", visible(&text, Breaks::Kept));
    } else {
        let _ = error.print();
    }
    ExitCode::from(error.exit_code() as u8)
}

/// A table of rows; what a cell holds stays on the lines of its row.
pub struct Listing(Table);

impl Listing {
    /// A table without frame.
    pub fn new(header: &[&str]) -> Self {
        let mut table = Table::new();
        table.load_style(presets::NOTHING).set_header(header);
        Self(table)
    }

    /// Two columns of running text, each as wide as the other.
    pub fn side_by_side(header: &[String; 2]) -> Self {
        let mut table = Table::new();
        table
            .load_style(presets::NOTHING)
            .set_content_arrangement(ContentArrangement::DynamicFullWidth)
            .set_constraints([ColumnConstraint::UpperBoundary(Width::Percentage(50)); 2])
            .set_header(header.each_ref().map(|cell| visible(cell, Breaks::Shown).into_owned()));
        // Where the output is no terminal, a page's width.
        if table.width().is_none() {
            table.set_width(100);
        }
        Self(table)
    }

    /// Adds a row.
    pub fn row<const N: usize>(&mut self, cells: [String; N]) {
        self.0.add_row(cells.map(|cell| visible(&cell, Breaks::Shown).into_owned()));
    }

    /// Adds a row whose cells have several lines.
    pub fn tall_row<const N: usize>(&mut self, cells: [Vec<String>; N]) {
        let cell = |lines: Vec<String>| {
            let lines: Vec<_> = lines.iter().map(|line| visible(line, Breaks::Shown)).collect();
            lines.join("\n")
        };
        self.0.add_row(cells.map(cell));
    }

    /// Aligns the columns from the second on to the right.
    pub fn align_numbers(&mut self) {
        for column in self.0.column_iter_mut().skip(1) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
}

impl Display for Listing {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

/// Whether the reader of our output has gone away, as `head` does.
pub fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause.downcast_ref::<io::Error>().is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe)
    })
}

/// Prints an error and its causes as one sentence on standard error.
pub fn print_error(error: &anyhow::Error) {
    message(format_args!("error: {}", in_flags(&sentence(error))));
}

/// The library names keys of the configuration; here they are typed as flags.
fn in_flags(sentence: &str) -> String {
    let mut parts = sentence.split("the key `");
    let mut told = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once('`') {
            Some((key, rest)) if !key.is_empty() && key.chars().all(is_of_a_key) => {
                let rest = rest.strip_prefix(" =").unwrap_or(rest);
                told.extend(["--", key, rest]);
            }
            _ => told.extend(["the key `", part]),
        }
    }
    told
}

fn is_of_a_key(character: char) -> bool {
    character.is_ascii_lowercase() || character == '-'
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

    #[test]
    fn keys_of_the_configuration_are_told_as_flags() {
        let told =
            in_flags("use the key `id-key` = row, or the key `force`; the key `a b` is none");
        assert_eq!(told, "use --id-key row, or --force; the key `a b` is none");
    }

    #[test]
    fn a_cell_cannot_make_lines_of_its_own() {
        let mut table = Listing::new(&["id"]);
        table.row(["a\n0 removed\u{1b}[A".to_owned()]);
        assert_eq!(table.to_string().lines().count(), 2, "{table}");
        assert!(!table.to_string().contains('\u{1b}'));
    }
}
