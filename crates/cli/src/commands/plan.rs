//! `lookalike plan`: what a run will cost, which pairs its search will see, and what the documents
//! themselves say of where the line is.

use anyhow::Result;
use lookalike::{Plan, RunError};
use lookalike_detect::BandSearch;
use lookalike_detect::sign::Banding;

use crate::arguments::{Format, PlanArguments, ReportArguments};
use crate::commands::incomplete::Incomplete;
use crate::configuration::{RunResources, Typed};
use crate::display;

/// Width of a full bar of the chart.
const BAR_WIDTH: f64 = 40.0;

/// Runs the command.
pub fn run(arguments: &PlanArguments) -> Result<()> {
    let typed = Typed::default().with_common(&arguments.common)?.with(&arguments.clusters)?;
    let config = typed.with_method(&arguments.method, &arguments.set)?.resolve()?;
    let resources = RunResources::of(&arguments.common, &config)?;
    let (plan, incomplete) = resources.run(|context| {
        let corpus = lookalike::open_input(&arguments.inputs, &config, context)?;
        let plan = lookalike::plan(&corpus, &config, context)?;
        if plan.documents == 0 {
            lookalike::refuse_nothing_readable(&corpus)?;
        }
        Ok::<_, RunError>((plan, Incomplete::of(&corpus)))
    })?;
    match arguments.common.report {
        ReportArguments { quiet: true, .. } => {}
        ReportArguments { format: Format::Json, .. } => display::json(&plan)?,
        _ => print(&plan, config.detector.name())?,
    }
    incomplete.refuse()
}

fn print(plan: &Plan, method: &str) -> Result<()> {
    let megabytes = |bytes: u64| format!("{:.1} MB", bytes as f64 / 1e6);
    display::line(format_args!(
        "method     {method}, forecast from {} documents",
        plan.sampled_documents
    ))?;
    display::line(format_args!("documents  about {}", plan.documents))?;
    display::line(format_args!("text       about {}", megabytes(plan.text_bytes)))?;
    display::line(format_args!("keys       {:.1} a document", plan.keys_per_document))?;
    display::line(format_args!("pairs      about {} to compare", plan.candidate_pairs))?;
    display::line(format_args!("memory     about {}", megabytes(plan.memory_bytes)))?;
    display::line(format_args!(
        "disk       about {} for working files; results of find {}, of dedup {}",
        megabytes(plan.disk_bytes),
        megabytes(plan.result_bytes),
        megabytes(plan.dedup_result_bytes)
    ))?;
    let threads =
        if plan.threads == 1 { "1 thread".into() } else { format!("{} threads", plan.threads) };
    display::line(format_args!("time       about {:.1} s on {threads}", plan.seconds))?;
    display::line(format_args!("decision   {}", plan.decision))?;
    let Some(BandSearch { banding, required, .. }) = plan.search else { return Ok(()) };
    display::blank()?;
    let Banding { bands, rows } = banding;
    let agreeing =
        if required > 1 { format!(", {required} of which must agree") } else { String::new() };
    display::line(format_args!(
        "{bands} bands of {rows} rows{agreeing}: how likely a pair of that resemblance is compared"
    ))?;
    if let Some(recall) = plan.recall_at_threshold {
        display::line(format_args!("at the threshold {:.1} %", 100.0 * recall))?;
    }
    for (resemblance, probability) in &plan.detection {
        let bar = "█".repeat((probability * BAR_WIDTH).round() as usize);
        display::line(format_args!("{resemblance:.2} {:5.1} % {bar}", probability * 100.0))?;
    }
    Ok(())
}
