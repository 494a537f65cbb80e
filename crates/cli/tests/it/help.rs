//! The help of every command, held to committed files: `BLESS=1 cargo test -p lookalike-cli help`
//! writes them anew.

use std::collections::BTreeSet;
use std::path::Path;

use crate::program::{Workplace, read};

const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/golden/help");

/// What `-h` or `--help` of a command prints.
fn help(place: &Workplace, command: &[String], flag: &str) -> String {
    let words: Vec<&str> = command.iter().map(String::as_str).chain([flag]).collect();
    place.succeed(&words).stdout
}

/// The commands below one, by its own list of them.
fn below(help: &str) -> Vec<String> {
    let list = help.split("Commands:\n").nth(1).unwrap_or_default();
    let names = list.lines().take_while(|line| !line.is_empty()).filter_map(|line| {
        let is_name = line.starts_with("  ") && !line.starts_with("   ");
        is_name.then(|| line.split_whitespace().next()).flatten()
    });
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

#[test]
fn the_help_of_every_command_is_as_committed() {
    let place = Workplace::new();
    let bless = std::env::var_os("BLESS").is_some();
    let mut waiting = vec![Vec::new()];
    let mut seen = BTreeSet::new();
    while let Some(command) = waiting.pop() {
        let short = help(&place, &command, "-h");
        for name in below(&short) {
            waiting.push([&command[..], &[name]].concat());
        }
        for (flag, text) in [("-h", short), ("--help", help(&place, &command, "--help"))] {
            let words = [&["lookalike".to_owned()], &command[..], &[flag.to_owned()]].concat();
            let file = words.join(" ").replace(" -", "-").replace(' ', "_") + ".txt";
            let path = Path::new(GOLDEN).join(&file);
            if bless {
                std::fs::create_dir_all(GOLDEN).unwrap();
                std::fs::write(&path, &text).unwrap();
            }
            let committed = read(&path);
            assert!(text == committed, "{file}: BLESS=1 renews it\n{text}");
            seen.insert(file);
        }
    }
    assert!(seen.len() > 50, "{seen:?}");
    // Nothing is left of commands that are gone; builds without the service have no `serve`.
    for entry in std::fs::read_dir(GOLDEN).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let is_of_service = !cfg!(feature = "service") && name.contains("serve");
        assert!(seen.contains(&name) || is_of_service, "{name} is of no command");
    }
}

#[test]
fn the_help_of_find_and_dedup_stands_in_groups() {
    let place = Workplace::new();
    for command in ["find", "dedup"] {
        for flag in ["-h", "--help"] {
            let text = help(&place, &[command.to_owned()], flag);
            let groups = ["Input:", "Matching:", "Keeping:", "Output:", "Resources:"];
            let at = groups.map(|group| text.find(&format!("\n{group}\n")));
            assert!(at.is_sorted() && at.iter().all(Option::is_some), "{command} {flag}: {text}");
        }
    }
}
