//! Every command on the page of the papers runs, on small collections with the fields it needs; those
//! on the pages of results, which take their hours, can at least be typed. The commands of
//! `lookalike-lab` are among the tests of that program.

use lookalike_testkit::papers;

use crate::program::{Workplace, read};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/papers.md");
const RESULTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/results");

#[test]
fn every_row_has_a_command_or_says_why_not() {
    let page = read(PAGE.as_ref());
    let rows = page.lines().take_while(|line| *line != "## Errata");
    let cells = rows.filter(|line| line.starts_with("| ") && !line.starts_with("| place"));
    let mut n_rows = 0;
    for row in cells {
        let command = row.split('|').nth(3).unwrap().trim();
        let is_told = ["`lookalike ", "`lookalike-lab ", "none: "];
        assert!(is_told.iter().any(|start| command.starts_with(start)), "{row}");
        n_rows += 1;
    }
    assert!(n_rows > 30, "{n_rows} rows");
}

#[test]
fn every_command_of_the_page_runs() {
    let page = read(PAGE.as_ref());
    let workplace = Workplace::new();
    let stories = papers::rows(24, 4);
    let commands = papers::commands(&page, "lookalike");
    assert!(commands.len() > 20, "{commands:?}");
    for command in commands {
        let mut arguments: Vec<String> =
            papers::arguments(command).into_iter().map(str::to_owned).collect();
        for argument in &mut arguments {
            if let Some(name) = argument.strip_prefix("DATA/") {
                let name = name.replace(".jsonl.zst", ".jsonl");
                *argument = workplace.file(&name, &stories);
            }
        }
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let run = workplace.run(&arguments);
        assert_eq!(run.status, 0, "{command}: {}", run.stderr);
        assert!(!run.stdout.is_empty(), "{command} printed nothing");
    }
}

#[test]
fn every_command_of_the_results_can_be_typed() {
    let workplace = Workplace::new();
    let mut n_commands = 0;
    for entry in std::fs::read_dir(RESULTS).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "md") {
            continue;
        }
        let page = read(&path);
        for command in papers::typed(&page, "lookalike") {
            // Read to its end, and then help is given instead of a run.
            let arguments = [papers::arguments(command), vec!["--help"]].concat();
            let run = workplace.run(&arguments);
            assert_eq!(run.status, 0, "{}: {command}: {}", path.display(), run.stderr);
            n_commands += 1;
        }
    }
    assert!(n_commands > 20, "{n_commands} commands");
}
