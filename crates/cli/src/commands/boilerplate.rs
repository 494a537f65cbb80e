//! `lookalike boilerplate`: the paragraphs that templates repeat, template by template.

use anyhow::Result;
use lookalike::RunError;
use lookalike_statistics::boilerplate::BoilerplateReport;
use serde_json::{Value, json};

use crate::arguments::{BoilerplateArguments, Format, ReportArguments};
use crate::commands::incomplete::Incomplete;
use crate::configuration::{RunResources, Typed, Usage};
use crate::display::{self, Listing};
use crate::output_file;

/// How many of the largest templates the report shows.
const SHOWN_TEMPLATES: usize = 20;
/// Characters of an example that fit on the line of its template.
const SHOWN_CHARACTERS: usize = 80;

/// Runs the command.
pub fn run(arguments: &BoilerplateArguments) -> Result<()> {
    if arguments.min_documents < 2 {
        return Err(Usage("--min-documents: what repeats is in at least 2 documents".into()).into());
    }
    if let Some(out) = &arguments.out {
        output_file::check(out, arguments.force)?;
    }
    let config = Typed::default().with_common(&arguments.common)?.resolve()?;
    let resources = RunResources::of(&arguments.common, &config)?;
    let (report, incomplete) = resources.run(|context| {
        let corpus = lookalike::open_input(&arguments.inputs, &config, context)?;
        let memory = config.run.memory.bytes();
        let min_documents = arguments.min_documents;
        let report = lookalike::count_boilerplate(&corpus, min_documents, memory, context)?;
        if report.n_documents == 0 {
            lookalike::refuse_nothing_readable(&corpus)?;
        }
        Ok::<_, RunError>((report, Incomplete::of(&corpus)))
    })?;
    let rows = rows(&report);
    if let Some(out) = &arguments.out {
        let lines: Vec<String> = rows.iter().map(|row| row.to_string() + "\n").collect();
        output_file::write(out, lines.concat().as_bytes())?;
    }
    let ReportArguments { quiet, format, .. } = arguments.common.report;
    match format {
        _ if quiet => {}
        Format::Json => display::json(&rows)?,
        _ => print(&report)?,
    }
    incomplete.refuse()
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

fn print(report: &BoilerplateReport) -> Result<()> {
    let templates = report.templates();
    display::heading(format_args!(
        "{} documents: {} paragraphs of {} templates",
        report.n_documents,
        report.paragraphs.len(),
        templates.len()
    ))?;
    if templates.is_empty() {
        return Ok(());
    }
    let mut table = Listing::new(&["paragraphs", "documents", "different", "for example"]);
    for template in templates.iter().take(SHOWN_TEMPLATES) {
        // The longest paragraph says most.
        let Some(longest) = template.iter().max_by_key(|p| p.example.chars().count()) else {
            continue;
        };
        table.row([
            template.len().to_string(),
            longest.n_documents.to_string(),
            longest.n_different.to_string(),
            longest.example.chars().take(SHOWN_CHARACTERS).collect(),
        ]);
    }
    display::blank()?;
    display::block(table)
}
