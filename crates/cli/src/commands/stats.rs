//! `lookalike stats`: count a collection, merge counts, look into a statistics file.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use lookalike::KeptTerms;
use lookalike_statistics::Statistics;

use crate::arguments::StatsArguments;
use crate::configuration::{self, Surroundings, Usage};
use crate::display;

/// Runs the command.
pub fn run(arguments: &StatsArguments) -> Result<()> {
    if let Some(path) = &arguments.show {
        return show(path, &arguments.nidf);
    }
    let out = arguments.out.as_deref().context("--out FILE is missing")?;
    if out.exists() && !arguments.shared.force {
        let message = format!("{} exists; overwrite it with --force", out.display());
        return Err(Usage(message).into());
    }
    let counted = if arguments.merge { merge(&arguments.inputs)? } else { count(arguments)? };
    let statistics = counted.prune(arguments.min_documents);
    write(&statistics, out)?;
    if !arguments.shared.quiet {
        display::line(format_args!(
            "{}: {} documents, {} terms",
            out.display(),
            statistics.n_documents(),
            statistics.n_terms()
        ))?;
    }
    Ok(())
}

fn count(arguments: &StatsArguments) -> Result<Statistics> {
    let config = configuration::resolve(&arguments.shared)?;
    let surroundings = Surroundings::new(&arguments.shared, &config)?;
    Ok(surroundings.run(|context| {
        let corpus = lookalike::open_corpus(&arguments.inputs, &config, context.temp_dir)?;
        lookalike::count_statistics(&corpus, config.detector.analyzer(), KeptTerms::Text, context)
    })?)
}

fn merge(paths: &[String]) -> Result<Statistics> {
    let mut total: Option<Statistics> = None;
    for path in paths {
        let one = Arc::unwrap_or_clone(lookalike::read_statistics(Path::new(path))?);
        total = Some(match total {
            None => one,
            Some(total) => total.merge(&one).with_context(|| format!("cannot add {path}"))?,
        });
    }
    total.ok_or_else(|| Usage("--merge needs at least one statistics file".into()).into())
}

/// Writes under a temporary name first, so that a failed write leaves the old file.
fn write(statistics: &Statistics, out: &Path) -> Result<()> {
    let folder = out.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let failed = || format!("cannot write {}", out.display());
    let mut file = tempfile::NamedTempFile::new_in(folder).with_context(failed)?;
    std::io::Write::write_all(&mut file, &statistics.to_bytes()).with_context(failed)?;
    file.persist(out).with_context(failed)?;
    Ok(())
}

fn show(path: &Path, range: &str) -> Result<()> {
    let wrong = || Usage(format!("--nidf {range}: expected MIN-MAX within 0-1, such as 0.2-0.8"));
    let (low, high) = range
        .split_once('-')
        .and_then(|(low, high)| Some((low.parse::<f64>().ok()?, high.parse::<f64>().ok()?)))
        .filter(|(low, high)| 0.0 <= *low && low <= high && *high <= 1.0)
        .ok_or_else(wrong)?;
    let statistics = lookalike::read_statistics(path)?;
    display::line(format_args!("documents  {}", statistics.n_documents()))?;
    display::line(format_args!("terms      {}", statistics.n_terms()))?;
    display::line(format_args!("analyzer   {}", serde_json::to_string(statistics.analyzer())?))?;
    display::line(format_args!(
        "lexicon    {} terms with nidf in {low}-{high}",
        statistics.lexicon_size(&(low..=high))
    ))?;
    let mut table = display::table(&["documents with the term", "terms"]);
    for bin in statistics.histogram() {
        let range = if bin.from == bin.to {
            bin.from.to_string()
        } else {
            format!("{}-{}", bin.from, bin.to)
        };
        table.add_row([range, bin.n_terms.to_string()]);
    }
    display::align_numbers(&mut table);
    display::line(format_args!("\n{table}"))
}
