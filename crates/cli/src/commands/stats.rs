//! `lookalike stats`: count a collection, merge counts, look into a statistics file.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use lookalike::{KeptTerms, RunError};
use lookalike_statistics::Statistics;
use serde_json::json;

use crate::arguments::{Format, ReportArguments, StatsArguments};
use crate::commands::incomplete::Incomplete;
use crate::configuration::{RunResources, Typed, Usage};
use crate::display::{self, Listing};
use crate::output_file;

/// Runs the command.
pub fn run(arguments: &StatsArguments) -> Result<()> {
    if let Some(path) = &arguments.show {
        return show(path, &arguments.nidf, arguments.common.report);
    }
    let out = arguments.out.as_deref().context("--out FILE is missing")?;
    output_file::check(out, arguments.force)?;
    let (counted, incomplete) = if arguments.merge {
        (merge(&arguments.inputs)?, Incomplete::default())
    } else {
        count(arguments)?
    };
    let statistics = counted.prune(arguments.min_documents);
    output_file::write(out, &statistics.to_bytes())?;
    let (n_documents, n_terms) = (statistics.n_documents(), statistics.n_terms());
    match arguments.common.report {
        ReportArguments { quiet: true, .. } => {}
        ReportArguments { format: Format::Json, .. } => {
            display::json(
                &json!({"file": out.display().to_string(), "documents": n_documents, "terms": n_terms}),
            )?;
        }
        _ => display::line(format_args!(
            "{}: {n_documents} documents, {n_terms} terms",
            out.display()
        ))?,
    }
    incomplete.refuse()
}

fn count(arguments: &StatsArguments) -> Result<(Statistics, Incomplete)> {
    let typed = Typed::default().with_common(&arguments.common)?.with(&arguments.analyzer)?;
    let config = typed.with_set(&arguments.analyzer.set).resolve()?;
    let resources = RunResources::of(&arguments.common, &config)?;
    Ok(resources.run(|context| {
        let corpus = lookalike::open_input(&arguments.inputs, &config, context)?;
        let analyzer = config.detector.analyzer();
        let counted = lookalike::count_statistics(&corpus, analyzer, KeptTerms::Text, context)?;
        if counted.n_documents() == 0 {
            lookalike::refuse_nothing_readable(&corpus)?;
        }
        Ok::<_, RunError>((counted, Incomplete::of(&corpus)))
    })?)
}

fn merge(paths: &[OsString]) -> Result<Statistics> {
    let mut total: Option<Statistics> = None;
    for path in paths {
        let one = Arc::unwrap_or_clone(lookalike::read_statistics(Path::new(path))?);
        total = Some(match total {
            None => one,
            Some(total) => {
                total.merge(&one).with_context(|| format!("cannot add {}", path.display()))?
            }
        });
    }
    total.ok_or_else(|| Usage("--merge needs at least one statistics file".into()).into())
}

fn show(path: &Path, range: &str, report: ReportArguments) -> Result<()> {
    let wrong = || Usage(format!("--nidf {range}: expected MIN-MAX within 0-1, such as 0.2-0.8"));
    let (low, high) = range
        .split_once('-')
        .and_then(|(low, high)| Some((low.parse::<f64>().ok()?, high.parse::<f64>().ok()?)))
        .filter(|(low, high)| 0.0 <= *low && low <= high && *high <= 1.0)
        .ok_or_else(wrong)?;
    let statistics = lookalike::read_statistics(path)?;
    if report.format == Format::Json {
        let bins = statistics.histogram().into_iter();
        let histogram: Vec<_> =
            bins.map(|bin| json!({"from": bin.from, "to": bin.to, "terms": bin.n_terms})).collect();
        return display::json(&json!({
            "documents": statistics.n_documents(),
            "terms": statistics.n_terms(),
            "analyzer": statistics.analyzer(),
            "lexicon": statistics.lexicon_size(&(low..=high)),
            "histogram": histogram,
        }));
    }
    display::line(format_args!("documents  {}", statistics.n_documents()))?;
    display::line(format_args!("terms      {}", statistics.n_terms()))?;
    display::line(format_args!("analyzer   {}", serde_json::to_string(statistics.analyzer())?))?;
    display::line(format_args!(
        "lexicon    {} terms with nidf in {low}-{high}",
        statistics.lexicon_size(&(low..=high))
    ))?;
    let mut table = Listing::new(&["documents with the term", "terms"]);
    for bin in statistics.histogram() {
        let range = if bin.from == bin.to {
            bin.from.to_string()
        } else {
            format!("{}-{}", bin.from, bin.to)
        };
        table.row([range, bin.n_terms.to_string()]);
    }
    table.align_numbers();
    display::blank()?;
    display::block(table)
}
