//! Every command on the page of the papers runs, on small collections with the fields it needs; those
//! on the pages of results, which take their hours, can at least be typed.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::program::{Workplace, read};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/papers.md");
const RESULTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/results");

/// A small number that looks random, from two others.
fn mixed(left: usize, right: usize) -> usize {
    (left * 7919 + right * 104_729 + left * right * 31) % 9973
}

/// A word with no digits, since some rules drop words that have more than one.
fn word(number: usize) -> String {
    let letter = |value: usize| char::from(b'a' + (value % 26) as u8);
    [letter(number / 676), letter(number / 26), letter(number), 'o', 'n'].iter().collect()
}

/// A text of several paragraphs; of the same story, few words differ from one copy to another.
fn text(story: usize, copy: usize) -> String {
    let sentence = |place: usize| {
        let place_word = |at: usize| {
            let changed = copy > 0 && mixed(story * 50 + copy, place * 20 + at).is_multiple_of(29);
            word(mixed(story + if changed { 500 * copy } else { 0 }, place * 20 + at))
        };
        let words: Vec<String> = (0..14).map(place_word).collect();
        format!("The {}.", words.join(" "))
    };
    let paragraph = |number: usize| (0..3).map(|s| sentence(number * 3 + s)).collect::<Vec<_>>();
    (0..4).map(|number| paragraph(number).join(" ")).collect::<Vec<_>>().join("\n\n")
}

/// Stories with copies, labelled for every experiment.
fn rows(n_stories: usize, n_copies: usize) -> String {
    let row = |story: usize, copy: usize| -> Value {
        json!({
            "id": format!("{story}-{copy}"),
            "text": format!("{} see http://www.{}.com/", text(story, copy), word(story)),
            "title": word(story),
            "url": format!("http://{}.com/{story}", word(copy)),
            "cluster": story.to_string(),
            "template": copy.to_string(),
            "label": if story.is_multiple_of(2) { "spam" } else { "ham" },
        })
    };
    // And stories without a copy, for experiments that make copies of their own.
    let copies = |story| {
        let n_copies = if story < n_stories { n_copies } else { 1 };
        (0..n_copies).map(move |copy| format!("{}\n", row(story, copy)))
    };
    (0..2 * n_stories).flat_map(copies).collect()
}

/// The commands between backticks, in the order of the page, each once.
fn commands(page: &str) -> Vec<&str> {
    let mut seen = BTreeSet::new();
    let spans = page.split('`').skip(1).step_by(2);
    spans.filter(|span| span.starts_with("lookalike ") && seen.insert(*span)).collect()
}

#[test]
fn every_row_has_a_command_or_says_why_not() {
    let page = read(PAGE.as_ref());
    let rows = page.lines().take_while(|line| *line != "## Errata");
    let cells = rows.filter(|line| line.starts_with("| ") && !line.starts_with("| place"));
    let mut n_rows = 0;
    for row in cells {
        let command = row.split('|').nth(3).unwrap().trim();
        let is_told = command.starts_with("`lookalike ") || command.starts_with("none: ");
        assert!(is_told, "{row}");
        n_rows += 1;
    }
    assert!(n_rows > 30, "{n_rows} rows");
}

#[test]
fn every_command_of_the_page_runs() {
    let page = read(PAGE.as_ref());
    let workplace = Workplace::new();
    let stories = rows(24, 4);
    workplace.file("qrels", "301 0 0-0 1\n301 0 0-1 0\n");
    let commands = commands(&page);
    assert!(commands.len() > 20, "{commands:?}");
    for command in commands {
        let mut arguments: Vec<String> =
            command.split_whitespace().skip(1).map(str::to_owned).collect();
        for argument in &mut arguments {
            if let Some(name) = argument.strip_prefix("DATA/") {
                let name = name.replace(".jsonl.zst", ".jsonl");
                *argument = workplace.file(&name, &stories);
            }
        }
        let mut arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        // Once is enough to see that it runs.
        if arguments[0] == "lab" && ["andd", "campaigns", "svm"].contains(&arguments[1]) {
            arguments.extend(["--halvings", "1"]);
        }
        let run = workplace.run(&arguments);
        assert_eq!(run.status, 0, "{command}: {}", run.stderr);
        assert!(!run.stdout.is_empty(), "{command} printed nothing");
    }
}

/// The commands of a page of results: lines set apart, and what stands between backticks.
fn typed(page: &str) -> impl Iterator<Item = &str> {
    let lines = page.lines().filter_map(|line| line.strip_prefix("    "));
    let spans = page.split('`').skip(1).step_by(2);
    lines.chain(spans).filter(|command| command.starts_with("lookalike "))
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
        for command in typed(&page) {
            // Numbers that a reader is to put in.
            let word = |word| match word {
                "T" => "0.5",
                "N" => "1",
                word => word,
            };
            let mut arguments: Vec<&str> = command.split_whitespace().skip(1).map(word).collect();
            // Read to its end, and then help is given instead of a run.
            arguments.push("--help");
            let run = workplace.run(&arguments);
            assert_eq!(run.status, 0, "{}: {command}: {}", path.display(), run.stderr);
            n_commands += 1;
        }
    }
    assert!(n_commands > 50, "{n_commands} commands");
}
