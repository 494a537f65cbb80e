//! Every experiment on the page of the papers runs, on small collections with the fields it needs; those
//! on the pages of results, which take their hours, can at least be typed.

use lookalike_corpus::{Corpus, InputOptions};
use lookalike_detect::DetectorConfig;
use lookalike_learn::Collection;
use lookalike_testkit::papers;
use serde_json::json;

use crate::program::{Workplace, read};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/papers.md");
const RESULTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/results");

/// What commands of `lookalike` on the page leave for the experiments after them.
fn leave_what_was_found(workplace: &Workplace, stories: &str) {
    let path = workplace.file("reuters21578.jsonl", stories);
    let corpus = Corpus::open(&[path], InputOptions::default(), &std::env::temp_dir()).unwrap();
    let imatch = DetectorConfig::named("imatch").unwrap();
    let statistics = Collection::load(&corpus, "label").statistics(imatch.analyzer()).unwrap();
    workplace.file("reuters.stats", statistics.to_bytes());
    let member = |id: &str| format!("{}\n", json!({"id": id, "cluster": "a", "size": 2}));
    workplace.file("imatch/clusters.jsonl", member("0-0") + &member("0-1"));
    workplace.file("qrels", "301 0 0-0 1\n301 0 0-1 0\n");
}

#[test]
fn every_experiment_of_the_page_runs() {
    let page = read(PAGE.as_ref());
    let workplace = Workplace::new();
    let stories = papers::rows(24, 4);
    leave_what_was_found(&workplace, &stories);
    let commands = papers::commands(&page, "lookalike-lab");
    assert!(commands.len() > 15, "{commands:?}");
    for command in commands {
        let mut arguments: Vec<String> =
            papers::arguments(command).into_iter().map(str::to_owned).collect();
        for argument in &mut arguments {
            if let Some(name) = argument.strip_prefix("DATA/") {
                *argument = workplace.file(&name.replace(".jsonl.zst", ".jsonl"), &stories);
            }
        }
        let mut arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        // Once is enough to see that it runs.
        if ["andd", "campaigns", "svm"].contains(&arguments[0]) {
            arguments.extend(["--halvings", "1"]);
        }
        let run = workplace.run(&arguments);
        assert_eq!(run.status, 0, "{command}: {}", run.stderr);
        assert!(!run.stdout.is_empty(), "{command} printed nothing");
    }
}

#[test]
fn every_experiment_of_the_results_can_be_typed() {
    let workplace = Workplace::new();
    let mut n_commands = 0;
    for entry in std::fs::read_dir(RESULTS).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "md") {
            continue;
        }
        let page = read(&path);
        for command in papers::typed(&page, "lookalike-lab") {
            // Read to its end, and then help is given instead of a run.
            let arguments = [papers::arguments(command), vec!["--help"]].concat();
            let run = workplace.run(&arguments);
            assert_eq!(run.status, 0, "{}: {command}: {}", path.display(), run.stderr);
            n_commands += 1;
        }
    }
    assert!(n_commands > 30, "{n_commands} commands");
}
