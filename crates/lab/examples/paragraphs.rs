//! Runs the experiments on paragraphs: `paragraphs copies FILE...` or `paragraphs boilerplate FILE...`.
#![expect(clippy::print_stdout, reason = "a program for people")]

use lookalike_corpus::{Corpus, InputOptions};
use lookalike_detect::DetectorConfig;
use lookalike_lab::perturb::PartialCopies;
use lookalike_lab::{Collection, experiments};
use lookalike_statistics::boilerplate::BoilerplateOptions;
use lookalike_text::{Analyzer, AnalyzerConfig};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((experiment, inputs)) = arguments.split_first() else {
        return Err("usage: paragraphs copies|boilerplate FILE...".into());
    };
    let options = InputOptions { fields: vec!["cluster".to_owned()], ..InputOptions::default() };
    let corpus = Corpus::open(inputs, options, &std::env::temp_dir())?;
    let collection = Collection::load(&corpus, "cluster");
    let outcome = match experiment.as_str() {
        "copies" => {
            let analyzer = Analyzer::new(&AnalyzerConfig::default())?;
            experiments::paragraphs::run(&PartialCopies::default().make(&collection, &analyzer))?
        }
        "boilerplate" => {
            let method = DetectorConfig::named("minhash").ok_or("no minhash in this build")?;
            let thresholds = [0.3, 0.5, 0.7];
            experiments::boilerplate::run(
                &collection,
                &method,
                &thresholds,
                BoilerplateOptions::default(),
            )?
        }
        other => return Err(format!("unknown experiment `{other}`").into()),
    };
    println!("{}", outcome.table.to_markdown());
    for (_, table) in &outcome.further {
        println!("## {}\n\n{}", table.title, table.to_markdown());
    }
    Ok(())
}
