//! `lookalike plan`: what a run will cost, and which pairs its search will see.

use anyhow::Result;
use lookalike::Plan;

use crate::arguments::{Format, PlanArguments};
use crate::configuration::{self, Surroundings};
use crate::display;

/// Width of a full bar of the chart.
const BAR_WIDTH: f64 = 40.0;

/// Runs the command.
pub fn run(arguments: &PlanArguments) -> Result<()> {
    let config = configuration::resolve(&arguments.shared)?;
    let surroundings = Surroundings::new(&arguments.shared, &config)?;
    let plan = surroundings.run(|context| {
        let corpus = lookalike::open_corpus(&arguments.inputs, &config, context.temp_dir)?;
        lookalike::plan(&corpus, &config, context)
    })?;
    if arguments.shared.format == Format::Json {
        return display::line(serde_json::to_string_pretty(&plan)?);
    }
    print(&plan, config.detector.name())
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
    display::line(format_args!("memory     about {}", megabytes(plan.memory_bytes)))?;
    display::line(format_args!("disk       about {}", megabytes(plan.disk_bytes)))?;
    display::line(format_args!("time       about {:.1} s on one thread", plan.seconds))?;
    let Some((bands, rows)) = plan.banding else { return Ok(()) };
    display::line(format_args!(
        "\n{bands} bands of {rows} rows: how likely a pair of that resemblance is looked at"
    ))?;
    for (resemblance, probability) in &plan.detection {
        let bar = "█".repeat((probability * BAR_WIDTH).round() as usize);
        display::line(format_args!("{resemblance:.2} {:5.1} % {bar}", probability * 100.0))?;
    }
    Ok(())
}
