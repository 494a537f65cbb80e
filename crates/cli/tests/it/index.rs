//! The durable index as people run it: rows in a pipe, refusals, and kills.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Output, Stdio};

use serde_json::{Value, json};

use crate::program::Workplace;

const STORY: &str = "The island council has decided to keep the six o'clock ferry through the winter, \
    although fewer than twenty people use it on most days, because the night bus no longer runs.";

fn rows(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn an_index_without_documents_has_no_clusters_as_a_file_without_rows_has_none() {
    for store in ["text", "features"] {
        let place = Workplace::new();
        place.succeed(&["index", "create", "i", "--store", store]);
        place.succeed(&["index", "find", "i", "--out", "never", "--quiet"]);
        let known = place.rows("known.jsonl", &[("a", STORY), ("b", STORY)]);
        place.succeed(&["index", "add", "i", &known, "--quiet"]);
        place.succeed(&["index", "remove", "i", "a", "b"]);
        place.succeed(&["index", "find", "i", "--out", "removed", "--quiet"]);
        for folder in ["never", "removed"] {
            assert_eq!(place.summary(folder)["documents"], 0, "{store}: {folder}");
            let clusters = place.path(folder).join("clusters.jsonl");
            assert_eq!(std::fs::read_to_string(clusters).unwrap(), "", "{store}: {folder}");
        }
    }
}

#[test]
fn documents_are_added_checked_judged_removed_and_exported() {
    let place = Workplace::new();
    let edited = STORY.replace("six", "seven");
    let known = place.rows("known.jsonl", &[("a", STORY), ("b", &edited), ("c", ".")]);
    place.succeed(&["index", "create", "i", "--threshold", "0.6"]);
    let added = rows(&place.succeed(&["index", "add", "i", &known, "--format", "json"]).stdout);
    assert_eq!(added[0]["status"], "new");
    assert_eq!(added[1]["matches"][0]["id"], "a");
    assert_eq!(added[2]["status"], "too-short");
    assert!(added.iter().all(|row| row["added"] == "added"));

    let again = place.run(&["index", "add", "i", &known]);
    assert_eq!(again.status, 1);
    assert!(again.stderr.contains("already in the index"), "{}", again.stderr);
    let skipping = place.succeed(&["index", "add", "i", &known, "--on-id", "skip"]).stdout;
    assert!(skipping.contains("0 documents added") && skipping.contains("3 documents were not"));

    let new = place.rows("new.jsonl", &[("n", STORY)]);
    let check = |place: &Workplace| {
        rows(&place.succeed(&["index", "check", "i", &new, "--format", "json"]).stdout)
    };
    assert_eq!(check(&place)[0]["matches"].as_array().unwrap().len(), 2);
    place.succeed(&["index", "judge", "i", "n", "b", "no"]);
    assert_eq!(check(&place)[0]["matches"], json!([{"id": "a", "score": 1.0}]));

    place.succeed(&["index", "judge", "i", "a", "b", "no"]);
    place.succeed(&["index", "find", "i", "--out", "found", "--quiet"]);
    let apart = std::fs::read_to_string(place.path("found/clusters.jsonl")).unwrap();
    assert_eq!(apart, "");
    place.succeed(&["index", "judge", "i", "a", "b", "withdraw"]);
    place.succeed(&["index", "find", "i", "--out", "again", "--quiet"]);
    let exported = place.succeed(&["index", "export", "i"]).stdout;
    let exported = place.file("exported.jsonl", exported);
    place.succeed(&["find", &exported, "--threshold", "0.6", "--out", "batch", "--quiet"]);
    for file in ["clusters.jsonl", "pairs.jsonl"] {
        let read = |folder: &str| std::fs::read(place.path(folder).join(file)).unwrap();
        assert_eq!(read("again"), read("batch"), "{file}");
    }
    let removed = place.succeed(&["index", "remove", "i", "a", "nobody", "--format", "json"]);
    assert_eq!(rows(&removed.stdout)[0], json!({"removed": 1, "unknown_ids": 1}));
    assert_eq!(check(&place)[0]["status"], "new");
    place.succeed(&["index", "compact", "i"]);
    let verified = place.succeed(&["index", "verify", "i"]).stdout;
    assert!(verified.contains("all is well"), "{verified}");
    let stat = rows(&place.succeed(&["index", "stat", "i", "--format", "json"]).stdout);
    assert_eq!(stat[0]["documents"], 2);
}

#[test]
fn what_cannot_work_is_refused_with_a_reason() {
    let place = Workplace::new();
    let file = place.rows("rows.jsonl", &[("a", STORY)]);
    let cases: [(&[&str], i32, &str); 5] = [
        (&["index", "add", "missing", &file], 1, "is not an index"),
        (&["index", "create", "i", "--method", "imatch"], 2, "--stats-from"),
        (&["index", "create", "i", "--store", "signatures"], 1, "exact features"),
        (&["index", "create", "i", "--ttl", "soon"], 2, "30d"),
        (&["index", "remove", "i"], 2, "required"),
    ];
    for (arguments, status, word) in cases {
        let run = place.run(arguments);
        assert_eq!(run.status, status, "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.contains(word), "{arguments:?}: {}", run.stderr);
    }
    place.succeed(&["index", "create", "i"]);
    std::fs::create_dir(place.path("other")).unwrap();
    place.file("other/file", "content");
    for folder in ["i", "other"] {
        let run = place.run(&["index", "create", folder]);
        assert!(run.stderr.contains("not empty"), "{}", run.stderr);
    }
    assert!(!place.path("other/LOCK").exists());
    place.succeed(&["index", "add", "i", &file, "--quiet"]);
    for arguments in [["index", "create", "j"], ["index", "find", "i"]] {
        let run = place.run(&[&arguments[..], &["--keep", "newest:file.modified"]].concat());
        assert_eq!(run.status, 1, "{}", run.stderr);
        assert!(run.stderr.contains("an index has no files"), "{}", run.stderr);
    }
}

#[test]
fn an_id_that_was_made_up_is_no_identity() {
    let place = Workplace::new();
    place.succeed(&["index", "create", "i"]);
    let unnamed = place.file("unnamed.jsonl", format!("{}\n", json!({"text": STORY})));
    let named = place.rows("rows.jsonl", &[("a", STORY)]);
    for (input, more, told) in [
        (unnamed.as_str(), &[][..], "unnamed.jsonl:1: the row has no `id`"),
        (unnamed.as_str(), &["--on-id", "replace"][..], "--id-key FIELD"),
        (named.as_str(), &["--id-key", "row"][..], "rows are numbered"),
    ] {
        let run = place.run(&[&["index", "add", "i", input][..], more].concat());
        assert!(run.status == 1 && run.stderr.contains(told), "{}", run.stderr);
    }
    let run =
        place.run_with_input(&["index", "add", "i", "-"], &json!({"text": STORY}).to_string());
    assert!(run.status == 1 && run.stderr.contains("-:1: the row has no `id`"), "{}", run.stderr);
    assert_eq!(place.succeed(&["index", "export", "i"]).stdout, "");

    // Files that are one document each are known by their names.
    std::fs::create_dir(place.path("texts")).unwrap();
    place.file("texts/one.txt", STORY);
    place.succeed(&["index", "add", "i", "texts", "--quiet"]);
    for input in [unnamed.as_str(), "rows.jsonl"] {
        let checked = place.succeed(&["index", "check", "i", input, "--format", "json"]).stdout;
        let row = &rows(&checked)[0];
        assert_eq!((&row["status"], &row["id_exists"]), (&json!("duplicate"), &json!(null)));
        let id = row["id"].as_str().unwrap();
        assert!(id == "a" || id.ends_with("unnamed.jsonl:1"), "{id}");
    }
}

#[test]
fn an_index_that_is_restored_knows_when_documents_were_added_and_pairs_judged() {
    let place = Workplace::new();
    let known = place.rows("rows.jsonl", &[("a", STORY), ("b", STORY)]);
    place.succeed(&["index", "create", "i", "--ttl", "1h"]);
    place.succeed(&["index", "add", "i", &known, "--quiet"]);
    place.succeed(&["index", "judge", "i", "a", "b", "no"]);
    let read = |index: &str, more: &[&str]| {
        place.succeed(&[&["index", "export", index][..], more].concat()).stdout
    };
    let documents = read("i", &[]);
    let judgments = read("i", &["--judgments"]);
    let time = rows(&documents)[0]["_added"].as_u64().unwrap();
    // As they were two hours ago.
    let earlier = |text: &str, key: &str| {
        let mut all = rows(text);
        for row in &mut all {
            row[key] = (row[key].as_u64().unwrap() - 7_200_000).into();
        }
        all.iter().flat_map(|row| [row.to_string(), "\n".to_owned()]).collect::<String>()
    };
    let words = place.file("words.jsonl", earlier(&judgments, "time"));
    for (index, documents, n_living) in
        [("same", documents.clone(), 2), ("old", earlier(&documents, "_added"), 0)]
    {
        let documents = place.file("documents.jsonl", documents);
        place.succeed(&["index", "create", index, "--ttl", "1h"]);
        let add = ["index", "add", index, &documents, "--added-key", "_added", "--quiet"];
        place.succeed(&add);
        place.succeed(&["index", "judge", index, "--from", &words]);
        assert_eq!(rows(&read(index, &[])).len(), n_living, "{index}");
        let said = rows(&read(index, &["--judgments"]));
        assert_eq!(said[0]["time"], rows(&judgments)[0]["time"].as_u64().unwrap() - 7_200_000);
    }
    assert_eq!(read("same", &[]), documents);
    assert!(time > 1_700_000_000_000);
    let run =
        place.run(&["index", "add", "same", &known, "--added-key", "when", "--on-id", "skip"]);
    assert!(run.status == 1 && run.stderr.contains("`when` is missing"), "{}", run.stderr);
}

#[test]
fn a_check_under_a_known_id_says_so() {
    let place = Workplace::new();
    let known = place.rows("rows.jsonl", &[("a", STORY)]);
    place.succeed(&["index", "create", "i"]);
    place.succeed(&["index", "add", "i", &known, "--quiet"]);
    let checked = place.succeed(&["index", "check", "i", &known]).stdout;
    assert!(checked.contains("a (this id is in the index) duplicates a (1.000)"), "{checked}");
    let other = place.rows("other.jsonl", &[("a", &"A word about something else. ".repeat(9))]);
    let checked = place.succeed(&["index", "check", "i", &other]).stdout;
    assert!(checked.contains("a (this id is in the index) is new"), "{checked}");
}

#[test]
fn a_long_id_does_not_drown_the_message_that_names_it() {
    let place = Workplace::new();
    let long = "x".repeat(1 << 20);
    let long = long.as_str();
    let file = place.rows("rows.jsonl", &[("a", STORY), (long, STORY), (long, STORY)]);
    place.succeed(&["index", "create", "i"]);
    let add = ["index", "add", "i", &file, "--batch", "1"];
    let run = place.run(&[&add[..], &["--quiet", "--format", "json"]].concat());
    assert_eq!((run.status, run.stdout.lines().count()), (1, 2));
    assert!(run.stderr.len() < 400, "{} bytes", run.stderr.len());
    for part in ["xx…\"", "2 documents before it were added", "--on-id skip"] {
        assert!(run.stderr.contains(part), "{}", run.stderr);
    }
    let run = place.run(&["find", &file]);
    assert!(run.stderr.contains("two documents have the id") && run.stderr.len() < 600);
    let run = place.run(&["index", "judge", "i", &long[..100_000], &long[..100_000], "yes"]);
    assert!(run.stderr.contains("named twice") && run.stderr.len() < 400);
}

#[test]
fn a_field_that_has_the_name_of_the_text_is_kept() {
    let place = Workplace::new();
    let row = json!({"key": 7, "body": STORY, "text": "a summary", "id": "own"});
    let file = place.file("rows.jsonl", format!("{row}\n"));
    place.succeed(&["index", "create", "i", "--text-key", "body", "--id-key", "key"]);
    place.succeed(&["index", "add", "i", &file, "--quiet"]);
    let mut exported = rows(&place.succeed(&["index", "export", "i"]).stdout);
    assert!(exported[0].as_object_mut().unwrap().remove("_added").unwrap().is_u64());
    let expected = json!({"id": "7", "text": STORY, "text_": "a summary", "id_": "own"});
    assert_eq!(exported, [expected]);
}

/// A disk that is full after so many bytes of a file, as the process sees it.
#[cfg(unix)]
/// Runs the program where no file may grow beyond so many blocks, as on a disk that is nearly full.
fn with_small_files(place: &Workplace, blocks: u32, arguments: &[&str]) -> Output {
    let limit = format!("ulimit -f {blocks}; exec \"$0\" \"$@\"");
    Command::new("sh")
        .args(["-c", &limit, env!("CARGO_BIN_EXE_lookalike")])
        .args(arguments)
        .current_dir(place.path(""))
        .output()
        .unwrap()
}

#[test]
fn a_full_disk_loses_nothing_and_the_index_works_again_when_there_is_room() {
    let place = Workplace::new();
    let ids = |from: u32, to: u32| (from..to).map(|n| (n.to_string(), format!("{STORY} {n}")));
    let file = |name: &str, from: u32, to: u32| {
        let owned: Vec<(String, String)> = ids(from, to).collect();
        let rows: Vec<(&str, &str)> =
            owned.iter().map(|(id, text)| (id.as_str(), text.as_str())).collect();
        place.rows(name, &rows)
    };
    place.succeed(&["index", "create", "i", "--threads", "1"]);
    place.succeed(&["index", "add", "i", &file("first.jsonl", 0, 50), "--quiet"]);
    let many = file("many.jsonl", 50, 1000);
    let adding = ["index", "add", "i", &many, "--batch", "10", "--format", "json"];
    let limited = with_small_files(&place, 64, &adding);
    let (told, error) = (limited.stdout, String::from_utf8(limited.stderr).unwrap());
    assert_eq!(limited.status.code(), Some(1), "{error}");
    assert!(error.contains("cannot write") && error.contains("log-"), "{error}");
    let acknowledged = rows(std::str::from_utf8(&told).unwrap());
    assert!(!acknowledged.is_empty() && acknowledged.len() < 950, "{}", acknowledged.len());

    place.succeed(&["index", "verify", "i"]);
    let there = rows(&place.succeed(&["index", "export", "i"]).stdout).len();
    assert_eq!(there, 50 + acknowledged.len());
    place.succeed(&["index", "add", "i", &many, "--on-id", "skip", "--quiet"]);
    assert_eq!(rows(&place.succeed(&["index", "export", "i"]).stdout).len(), 1000);
    place.succeed(&["index", "verify", "i"]);

    let limited = with_small_files(&place, 64, &["index", "find", "i", "--out", "found"]);
    let error = String::from_utf8(limited.stderr).unwrap();
    assert_eq!(limited.status.code(), Some(1), "{error}");
    assert!(error.contains("cannot write") && error.contains("documents.jsonl"), "{error}");
    assert!(!place.path("found").exists());
}

/// A process that adds what is piped in, one document at a time.
fn adding(place: &Workplace) -> Child {
    Command::new(env!("CARGO_BIN_EXE_lookalike"))
        .args(["index", "add", "i", "-", "--format", "json", "--on-id", "replace"])
        // The least that the log may hold, so that segments are written and merged all the time.
        .args(["--memory", "512K"])
        .current_dir(place.path(""))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// As many kills as `KILLS` says.
#[test]
fn nothing_acknowledged_is_lost_when_the_process_is_killed() {
    let kills = std::env::var("KILLS").map_or(50, |kills| kills.parse().unwrap());
    let place = Workplace::new();
    place.succeed(&["index", "create", "i", "--threads", "1"]);
    let mut acknowledged: Vec<String> = Vec::new();
    for kill in 0..kills {
        let mut child = adding(&place);
        let mut input = child.stdin.take().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        // All are written ahead, so that the kill falls anywhere between two answers.
        for at in 0..30 {
            // Unlike all others: what is tried here is the disk, not a crowd of one story.
            let words = (0..40).map(|word| format!("w{} ", (kill * 30 + at) * 40 + word));
            let text: String = words.collect();
            let line = json!({"id": format!("{kill}-{at}"), "text": text});
            writeln!(input, "{line}").unwrap();
        }
        let mut line = String::new();
        for _ in 0..(kill * 7) % 23 {
            line.clear();
            output.read_line(&mut line).unwrap();
            acknowledged.push(rows(&line)[0]["id"].as_str().unwrap().to_owned());
        }
        // Nor does it fall at the same moment after an answer.
        std::thread::sleep(std::time::Duration::from_micros(kill as u64 * 811 % 4000));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let exported = place.succeed(&["index", "export", "i"]).stdout;
    let there: std::collections::BTreeSet<String> =
        rows(&exported).iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect();
    let lost: Vec<&String> = acknowledged.iter().filter(|id| !there.contains(*id)).collect();
    assert!(lost.is_empty(), "{lost:?}");
    assert!(acknowledged.len() > kills * 6);
    place.succeed(&["index", "verify", "i"]);
    let stat = rows(&place.succeed(&["index", "stat", "i", "--format", "json"]).stdout);
    assert!(stat[0]["segments"].as_u64().unwrap() > 0, "{stat:?}");
    println!("{kills} kills, {} documents acknowledged", acknowledged.len());
}

#[test]
fn rows_in_a_pipe_are_answered_one_by_one() {
    let place = Workplace::new();
    place.succeed(&["index", "create", "i", "--threshold", "0.6"]);
    let mut child = adding(&place);
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut answer = |row: &str| {
        writeln!(input, "{row}").unwrap();
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        assert!(!line.contains('\u{9b}'), "{line:?}");
        rows(&line).remove(0)
    };
    let row = |id: &str, text: &str| json!({"id": id, "text": text, "n": [1]}).to_string();
    assert_eq!(answer(&row("a\u{9b}2J", STORY))["status"], "new");
    assert_eq!(answer(&row("b", STORY))["matches"], json!([{"id": "a\u{9b}2J", "score": 1.0}]));
    let wrong = answer("{\"id\": 1");
    assert_eq!((&wrong["status"], &wrong["place"]), (&json!("unreadable"), &json!("-:3")));
    assert_eq!(answer(&row("c", "."))["status"], "too-short");
    assert_eq!(answer(&row("b", STORY))["added"], "replaced");
    drop(input);
    assert!(child.wait().unwrap().success());
    let exported = rows(&place.succeed(&["index", "export", "i"]).stdout);
    assert_eq!(exported.len(), 3);
    let added = &exported[2]["_added"];
    assert_eq!(exported[2], json!({"id": "b", "text": STORY, "n": [1], "_added": added}));
}

#[test]
fn documents_that_are_left_out_because_nobody_reads_the_answers_are_told() {
    let place = Workplace::new();
    let ids: Vec<String> = (0..100).map(|at| format!("{at}")).collect();
    let documents: Vec<(&str, &str)> = ids.iter().map(|id| (id.as_str(), STORY)).collect();
    let file = place.rows("in.jsonl", &documents);
    place.succeed(&["index", "create", "i"]);
    let mut child = Command::new(env!("CARGO_BIN_EXE_lookalike"))
        .args(["index", "add", "i", &file, "--batch", "10", "--format", "json"])
        .current_dir(place.path(""))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let ended = child.wait_with_output().unwrap();
    let told = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(1), "{told}");
    assert!(told.contains(": 10 documents were added"), "{told}");
    assert_eq!(rows(&place.succeed(&["index", "export", "i"]).stdout).len(), 10);
}

#[test]
fn what_people_said_is_exported_as_find_reads_it() {
    let place = Workplace::new();
    let (edited, other) =
        (STORY.replace("six", "seven"), "A word about something else. ".repeat(9));
    let file = place.rows("in.jsonl", &[("a", STORY), ("b", &edited), ("c", &other)]);
    place.succeed(&["index", "create", "i"]);
    place.succeed(&["index", "add", "i", &file, "--quiet"]);
    place.succeed(&["index", "judge", "i", "b", "a", "no"]);
    place.succeed(&["index", "judge", "i", "c", "a", "yes"]);
    let words = place.succeed(&["index", "export", "i", "--judgments"]).stdout;
    let words = place.file("words.jsonl", words);
    place.succeed(&["find", &file, "--judgments", &words, "-o", "found", "--pairs", "all"]);
    place.succeed(&["index", "find", "i", "-o", "indexed", "--pairs", "all"]);
    for folder in ["found", "indexed"] {
        let pairs = place.result(&format!("{folder}/pairs.jsonl"));
        assert_eq!(pairs, [json!({"a": "a", "b": "c", "score": 1.0})], "{folder}");
    }
    let kept = place.succeed(&["dedup", &file, "--judgments", &words, "--out", "-", "--quiet"]);
    assert_eq!(rows(&kept.stdout).len(), 2);
}

#[test]
fn an_answer_of_somebody_who_could_not_say_is_no_verdict_of_an_index() {
    let place = Workplace::new();
    place.succeed(&["index", "create", "s.index"]);
    let said =
        [r#"{"a":"x","b":"y","duplicate":"unsure"}"#, r#"{"a":"x","b":"z","duplicate":true}"#];
    let file = place.file("said.jsonl", said.join("\n") + "\n");
    place.succeed(&["index", "judge", "s.index", "--from", &file]);
    let run = place.succeed(&["index", "export", "s.index", "--judgments"]);
    assert!(
        run.stdout.contains(r#""b":"z""#) && !run.stdout.contains(r#""b":"y""#),
        "{}",
        run.stdout
    );
}
