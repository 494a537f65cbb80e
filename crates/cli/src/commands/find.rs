//! `lookalike find`: clusters and pairs, nothing changed.

use anyhow::Result;
use lookalike::{Findings, OutputFolder};

use crate::arguments::{FindArguments, Format, SharedArguments};
use crate::configuration::{self, Surroundings};
use crate::display;

/// How many of the largest clusters the report shows.
const SHOWN_CLUSTERS: usize = 10;

/// Runs the command.
pub fn run(arguments: &FindArguments) -> Result<()> {
    let shared = &arguments.shared;
    let config = configuration::resolve(shared)?;
    let surroundings = Surroundings::new(shared, &config)?;
    let folder = arguments
        .out
        .as_deref()
        .map(|path| OutputFolder::create(path, shared.force))
        .transpose()?;
    let findings = surroundings.run(|context| {
        let open = |inputs| lookalike::open_corpus(inputs, &config, context.temp_dir);
        let corpus = open(&arguments.inputs)?;
        match arguments.against.as_slice() {
            [] => lookalike::find(&corpus, &config, context),
            known => {
                let known = open(known)?;
                lookalike::find_against(&corpus, &known, arguments.among_new, &config, context)
            }
        }
    })?;
    if let Some(folder) = folder {
        lookalike::write_findings(&findings, &config, &folder)?;
        folder.commit()?;
    }
    report(&findings, shared)
}

/// Prints the counts and the largest clusters.
pub fn report(findings: &Findings, shared: &SharedArguments) -> Result<()> {
    if shared.quiet {
        return Ok(());
    }
    if shared.format == Format::Json {
        return display::line(serde_json::to_string_pretty(&findings.summary)?);
    }
    let summary = &findings.summary;
    let bold = display::heading();
    display::line(format_args!(
        "{bold}{} documents: {} kept, {} removed, {} too short, {} unreadable{bold:#}",
        summary.documents, summary.kept, summary.removed, summary.too_short, summary.unreadable
    ))?;
    display::line(format_args!(
        "{} clusters, the largest of {}; {} pairs compared, {} confirmed, {} skipped; method {}{}, {:.1} s",
        summary.clusters,
        summary.largest_cluster,
        summary.candidate_pairs,
        summary.confirmed_pairs,
        summary.skipped_comparisons,
        summary.method,
        summary.threshold.map_or(String::new(), |t| format!(" at {t}")),
        summary.seconds.total(),
    ))?;
    if summary.skipped_comparisons > 0 {
        display::line(
            "warning: crowded buckets were not compared to their end, so that duplicates may be \
             missing; raise --max-comparisons, or hide what templates repeat with \
             --ignore-boilerplate 10",
        )?;
    }
    for row in findings.unreadable.iter().take(3) {
        display::line(format_args!("unreadable: {}: {}", row.place, row.reason))?;
    }
    largest_clusters(findings)
}

fn largest_clusters(findings: &Findings) -> Result<()> {
    let clusters = findings.largest_clusters(SHOWN_CLUSTERS);
    if clusters.is_empty() {
        return Ok(());
    }
    let mut table = display::table(&["kept", "copies", "lowest score", "for example"]);
    for cluster in clusters {
        table.add_row([
            cluster.keeper.to_owned(),
            (cluster.size - 1).to_string(),
            cluster.lowest_score.map_or_else(|| "none".to_owned(), |score| format!("{score:.3}")),
            cluster.example.to_owned(),
        ]);
    }
    display::line(format_args!("\n{table}"))
}
