//! A run that is killed after signing goes on from there.
#![cfg(unix)]

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::program::{Workplace, read};

const KEPT: &str = ".out.resume.lookalike-work";

/// Runs until everything is signed, and kills it there: the file of judgments is a pipe that nobody
/// writes to, and is read next.
fn kill_after_signing(place: &Workplace, arguments: &[&str]) -> PathBuf {
    let pipe = place.path("words.jsonl");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let stamp = place.path(KEPT).join("stamp.json");
    let mut run =
        place.command(arguments).stderr(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
    let start = Instant::now();
    while !stamp.exists() {
        assert!(run.try_wait().unwrap().is_none(), "it ended before it had signed");
        assert!(start.elapsed() < Duration::from_mins(5));
        std::thread::sleep(Duration::from_millis(5));
    }
    run.kill().unwrap();
    run.wait().unwrap();
    fs::remove_file(&pipe).unwrap();
    fs::write(&pipe, "").unwrap();
    stamp
}

fn arguments<'a>(input: &'a str, out: &'a str, further: &[&'a str]) -> Vec<&'a str> {
    let mut arguments = vec!["dedup", input, "--out", out, "--judgments", "words.jsonl"];
    arguments.extend(further);
    arguments
}

/// The result files without what tells of the run itself.
fn results(place: &Workplace, folder: &str) -> Vec<String> {
    ["kept.jsonl", "removed.jsonl", "clusters.jsonl", "pairs.jsonl", "unreadable.jsonl"]
        .map(|name| read(&place.path(folder).join(name)))
        .into()
}

#[test]
fn a_killed_run_goes_on_and_writes_the_same() {
    for further in
        [&["--method", "minhash"][..], &["--method", "imatch"], &["--verify", "jaccard:0.5"]]
    {
        let place = Workplace::new();
        let input = place.stories("in.jsonl", 40);
        fs::write(&input, read(&place.path("in.jsonl")) + "{broken\n").unwrap();
        place.file("plain.jsonl", "");
        let mut plain = arguments(&input, "plain", further);
        plain[5] = "plain.jsonl";
        place.succeed(&plain);
        let mut resuming = arguments(&input, "out", further);
        resuming.push("--resume");
        kill_after_signing(&place, &resuming);
        let run = place.succeed(&resuming);
        assert!(run.stderr.contains("going on from the signed documents"), "{}", run.stderr);
        assert_eq!(results(&place, "out"), results(&place, "plain"), "{further:?}");
        let (resumed, whole) = (place.summary("out"), place.summary("plain"));
        for count in ["documents", "removed", "unreadable", "confirmed_pairs", "candidate_pairs"] {
            assert_eq!(resumed[count], whole[count], "{count}");
        }
        assert!(!place.path(KEPT).exists(), "it is not needed any more");
    }
}

#[test]
fn a_known_collection_is_gone_on_with_too() {
    let place = Workplace::new();
    let (new, known) = (place.stories("new.jsonl", 20), place.stories("known.jsonl", 30));
    place.file("words.jsonl", "");
    place.succeed(&arguments(&new, "plain", &["--against", &known]));
    fs::remove_file(place.path("words.jsonl")).unwrap();
    let resuming = arguments(&new, "out", &["--against", &known, "--resume"]);
    kill_after_signing(&place, &resuming);
    place.succeed(&resuming);
    assert_eq!(results(&place, "out"), results(&place, "plain"));
}

#[test]
fn what_does_not_fit_is_refused_and_stays() {
    let place = Workplace::new();
    let input = place.stories("in.jsonl", 10);
    let resuming = arguments(&input, "out", &["--resume"]);
    let stamp = kill_after_signing(&place, &resuming);
    let refused = |further: &[&str], why: &str| {
        let mut arguments = resuming.clone();
        arguments.extend(further);
        let run = place.run(&arguments);
        assert_eq!(run.status, 1, "{}", run.stderr);
        assert!(run.stderr.contains(why) && run.stderr.contains(KEPT), "{}", run.stderr);
        assert!(stamp.exists() && !place.path("out").exists());
    };
    refused(&["--threshold", "0.5"], "another configuration");
    let journal = place.path(KEPT).join("signed");
    let whole = fs::read(&journal).unwrap();
    for damaged in [&whole[..whole.len() - 1], &[&whole[..50], b"x", &whole[51..]].concat()] {
        fs::write(&journal, damaged).unwrap();
        refused(&[], "it is damaged");
    }
    fs::write(&journal, &whole).unwrap();
    // A run that does not ask says what is there and leaves it alone.
    let run = place.succeed(&arguments(&input, "other", &[]));
    assert!(!run.stderr.contains(KEPT), "{}", run.stderr);
    let run = place.succeed(&arguments(&input, "out", &["--memory", "64M"]));
    assert!(run.stderr.contains("has left signed documents"), "{}", run.stderr);
    fs::remove_dir_all(place.path("out")).unwrap();
    fs::write(&input, read(&place.path("in.jsonl")) + "{\"text\": \"one more\"}\n").unwrap();
    refused(&[], "the input has changed since");
}

#[test]
fn with_nothing_to_go_on_from_it_simply_runs() {
    let place = Workplace::new();
    let input = place.stories("in.jsonl", 10);
    place.file("words.jsonl", "");
    place.succeed(&arguments(&input, "plain", &[]));
    place.succeed(&arguments(&input, "out", &["--resume"]));
    assert_eq!(results(&place, "out"), results(&place, "plain"));
    assert!(!place.path(KEPT).exists());
    let run = place.run(&["dedup", "-", "--out", "piped", "--resume"]);
    assert_eq!(run.status, 1);
    assert!(run.stderr.contains("a stream cannot be resumed"), "{}", run.stderr);
    assert_eq!(place.run(&["dedup", &input, "--out", "-", "--resume"]).status, 2);
}
