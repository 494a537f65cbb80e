//! `lookalike boilerplate`: the paragraphs that templates repeat, template by template.

use std::io::Write;
use std::path::Path;

use anyhow::{Context as _, Result};
use lookalike_statistics::boilerplate::BoilerplateReport;
use serde_json::{Value, json};

use crate::arguments::{BoilerplateArguments, Format};
use crate::configuration::{self, Surroundings, Usage};
use crate::display;

/// How many of the largest templates the report shows.
const SHOWN_TEMPLATES: usize = 20;
/// Characters of an example that fit on the line of its template.
const SHOWN_CHARACTERS: usize = 80;

/// Runs the command.
pub fn run(arguments: &BoilerplateArguments) -> Result<()> {
    let shared = &arguments.shared;
    if arguments.min_documents < 2 {
        return Err(Usage("--min-documents: what repeats is in at least 2 documents".into()).into());
    }
    if let Some(out) = arguments.out.as_deref().filter(|out| out.exists() && !shared.force) {
        let message = format!("{} exists; overwrite it with --force", out.display());
        return Err(Usage(message).into());
    }
    let config = configuration::resolve(shared)?;
    let surroundings = Surroundings::new(shared, &config)?;
    let report = surroundings.run(|context| {
        let corpus = lookalike::open_corpus(&arguments.inputs, &config, context.temp_dir)?;
        lookalike::count_boilerplate(&corpus, arguments.min_documents, context)
    })?;
    let rows = rows(&report);
    if let Some(out) = &arguments.out {
        write(&rows, out).with_context(|| format!("cannot write {}", out.display()))?;
    }
    match shared.format {
        _ if shared.quiet => Ok(()),
        Format::Json => display::line(serde_json::to_string_pretty(&rows)?),
        _ => print(&report),
    }
}

/// One row a paragraph, template by template; templates are numbered from the largest on.
fn rows(report: &BoilerplateReport) -> Vec<Value> {
    let mut rows = Vec::new();
    for (number, template) in report.templates().into_iter().enumerate() {
        for paragraph in template {
            rows.push(json!({
                "template": number + 1,
                "documents": paragraph.n_documents,
                "otherwise_different": paragraph.n_different,
                "place": paragraph.place,
                "at_place": (paragraph.fixed_share * 1e3).round() / 1e3,
                "example": paragraph.example,
            }));
        }
    }
    rows
}

fn write(rows: &[Value], out: &Path) -> Result<()> {
    let folder = out.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Under a temporary name first, so that a failed write leaves the old file.
    let mut file = std::io::BufWriter::new(tempfile::NamedTempFile::new_in(folder)?);
    for row in rows {
        writeln!(file, "{row}")?;
    }
    file.into_inner()?.persist(out)?;
    Ok(())
}

fn print(report: &BoilerplateReport) -> Result<()> {
    let templates = report.templates();
    let bold = display::heading();
    display::line(format_args!(
        "{bold}{} documents: {} paragraphs of {} templates{bold:#}",
        report.n_documents,
        report.paragraphs.len(),
        templates.len()
    ))?;
    if report.forgotten > 0 {
        display::line(format_args!("counts may be too low by {}", report.forgotten))?;
    }
    if templates.is_empty() {
        return Ok(());
    }
    let mut table = display::table(&["paragraphs", "documents", "different", "for example"]);
    for template in templates.iter().take(SHOWN_TEMPLATES) {
        // The longest paragraph says most.
        let Some(longest) = template.iter().max_by_key(|p| p.example.chars().count()) else {
            continue;
        };
        table.add_row([
            template.len().to_string(),
            longest.n_documents.to_string(),
            longest.n_different.to_string(),
            longest.example.chars().take(SHOWN_CHARACTERS).collect(),
        ]);
    }
    display::line(format_args!("\n{table}"))
}
