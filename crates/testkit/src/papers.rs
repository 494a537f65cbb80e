//! The pages of the papers and of results: their commands, and rows on which those run.

use std::collections::BTreeSet;

use serde_json::{Value, json};

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
pub fn rows(n_stories: usize, n_copies: usize) -> String {
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

/// The commands of a program between backticks, in the order of the page, each once.
pub fn commands<'a>(page: &'a str, program: &str) -> Vec<&'a str> {
    let mut seen = BTreeSet::new();
    let spans = page.split('`').skip(1).step_by(2);
    spans.filter(|span| is_of(program, span) && seen.insert(*span)).collect()
}

/// The commands of a page of results: lines set apart, and what stands between backticks.
pub fn typed<'a>(page: &'a str, program: &str) -> impl Iterator<Item = &'a str> {
    let lines = page.lines().filter_map(|line| line.strip_prefix("    "));
    let spans = page.split('`').skip(1).step_by(2);
    lines.chain(spans).filter(move |command| is_of(program, command))
}

fn is_of(program: &str, command: &str) -> bool {
    command.strip_prefix(program).is_some_and(|rest| rest.starts_with(' '))
}

/// The words of a command behind its program, with numbers where a reader is to put them in.
pub fn arguments(command: &str) -> Vec<&str> {
    let word = |word| match word {
        "T" => "0.5",
        "N" => "1",
        word => word,
    };
    command.split_whitespace().skip(1).map(word).collect()
}
