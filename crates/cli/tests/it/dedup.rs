//! `lookalike dedup`.

use serde_json::json;

use crate::program::{OTHER, STORY, Workplace, read};

#[test]
fn rows_come_out_as_they_came_in_and_removed_ones_say_of_what_they_are_a_copy() {
    let place = Workplace::new();
    let row = |id: &str, text: &str| {
        format!("{{ \"id\":\"{id}\", \"text\":{}, \"n\": 1.50}}\n", json!(text))
    };
    let (a, b, c) = (row("a", STORY), row("b", OTHER), row("c", STORY));
    let input = place.file("in.jsonl", [a.clone(), b.clone(), c].concat());
    place.succeed(&["dedup", &input, "--out", "out", "--method", "exact"]);
    assert_eq!(read(&place.path("out/kept.jsonl")), [a, b].concat());
    let removed = place.result("out/removed.jsonl");
    assert_eq!(removed.len(), 1);
    assert_eq!(removed[0]["id"], "c");
    assert_eq!(removed[0]["n"], 1.5);
    assert_eq!(removed[0]["duplicate_of"], "a");
    assert_eq!(removed[0]["score"], 1.0);
}

#[test]
fn the_keep_rule_decides_which_copy_stays() {
    let place = Workplace::new();
    let row = |id: &str, date: &str, source: &str| {
        format!("{}\n", json!({"id": id, "text": STORY, "date": date, "source": source}))
    };
    let rows = [row("a", "2020", "blog"), row("b", "2024", "mirror"), row("c", "2022", "agency")];
    let input = place.file("in.jsonl", rows.concat());
    for (rule, kept) in [
        ("first", "a"),
        ("newest:date", "b"),
        ("oldest:date", "a"),
        ("prefer:source=agency,blog", "c"),
    ] {
        place.succeed(&[
            "dedup", &input, "--out", "out", "--force", "--method", "exact", "--keep", rule,
        ]);
        assert_eq!(place.result("out/kept.jsonl")[0]["id"], kept, "{rule}");
        assert_eq!(place.summary("out")["removed"], 2);
    }
}

#[test]
fn a_folder_of_files_becomes_a_folder_of_files() {
    let place = Workplace::new();
    place.file("in/one.txt", STORY);
    place.file("in/deep/two.txt", OTHER);
    place.file("in/deep/three.txt", STORY);
    place.succeed(&["dedup", "in", "--out", "out", "--method", "exact"]);
    assert_eq!(read(&place.path("out/kept/deep/two.txt")), OTHER);
    let stories = [place.path("out/kept/one.txt"), place.path("out/kept/deep/three.txt")];
    assert_eq!(stories.iter().filter(|path| path.exists()).count(), 1);
    assert_eq!(place.result("out/removed.jsonl").len(), 1);
}

#[test]
fn a_new_batch_is_written_without_what_is_known() {
    let place = Workplace::new();
    let known = place.rows("known.jsonl", &[("k", STORY)]);
    let new = place.rows("new.jsonl", &[("a", STORY), ("b", OTHER), ("c", OTHER)]);
    let arguments = ["dedup", &new, "--against", &known, "--method", "exact", "--force", "--out"];
    let kept = |more: &[&str]| {
        place.succeed(&[&arguments[..], &["out"], more].concat());
        let id = |row: &serde_json::Value| row["id"].as_str().unwrap().to_owned();
        place.result("out/kept.jsonl").iter().map(id).collect::<Vec<_>>()
    };
    assert_eq!(kept(&[]), ["b", "c"]);
    assert_eq!(place.result("out/removed.jsonl")[0]["duplicate_of"], "k");
    let summary = place.summary("out");
    assert_eq!((&summary["documents"], &summary["known_documents"]), (&json!(3), &json!(1)));
    assert_eq!(summary["inputs"][1]["path"], json!(known));
}

#[test]
fn unreadable_rows_of_the_known_collection_are_told_apart() {
    let place = Workplace::new();
    let row = |id: &str, text: &str| format!("{}\n", json!({"id": id, "text": text}));
    let known = place.file("known.jsonl", row("k", STORY) + "bad\nworse\nworst\n");
    let new = place.file("new.jsonl", row("a", STORY) + &row("b", OTHER) + "broken \u{1F600}\n");
    place.succeed(&["find", &new, "--against", &known, "--method", "exact", "--out", "out"]);
    let summary = place.summary("out");
    assert_eq!((&summary["unreadable"], &summary["known_unreadable"]), (&json!(1), &json!(3)));
    let unreadable = place.result("out/unreadable.jsonl");
    assert_eq!(unreadable.len(), 1);
    assert_eq!(unreadable[0]["content"], "broken \u{1F600}");
    assert_eq!(place.result("out/known_unreadable.jsonl").len(), 3);
    let run = place.run(&["find", &new, "--against", &place.file("k.jsonl", "x\n")]);
    assert_eq!(run.status, 1, "nothing known could be read: {}", run.stdout);
}

#[test]
fn kept_rows_stand_in_a_pipe() {
    let place = Workplace::new();
    let row = |id: &str, text: &str| format!("{}\n", json!({"id": id, "text": text}));
    let (a, b, c) = (row("a", STORY), row("b", OTHER), row("c", STORY));
    let rows = [a.clone(), b.clone(), c].concat();
    let arguments = ["dedup", "-", "--method", "exact"];
    for more in [&["--out", "-"][..], &["--stdout"], &["--stdout", "--out", "rest"]] {
        let run = place.succeed_with_input(&[&arguments[..], more].concat(), &rows);
        assert_eq!(run.stdout, [a.clone(), b.clone()].concat(), "{more:?}");
        assert!(run.stderr.contains("3 documents: 2 kept, 1 removed"), "{}", run.stderr);
    }
    assert_eq!(place.result("rest/removed.jsonl").len(), 1);
    assert!(!place.path("rest/kept.jsonl").exists());
    assert_eq!(place.run(&["dedup", "in.jsonl"]).status, 2, "nowhere to write to");
    place.file("pages/a.txt", STORY);
    let run = place.run(&["dedup", "pages", "--out", "-"]);
    assert_eq!((run.status, run.stdout.as_str()), (1, ""));
    assert!(run.stderr.contains("write to a folder"), "{}", run.stderr);
}

#[test]
fn a_pipe_that_closes_ends_the_program_quietly() {
    use std::io::{BufRead, BufReader, Read};
    let place = Workplace::new();
    let input = place.stories("in.jsonl", 2000);
    let mut child = place
        .command(&["dedup", &input, "--method", "exact", "--stdout", "-q"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = String::new();
    BufReader::with_capacity(64, child.stdout.take().unwrap()).read_line(&mut first).unwrap();
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    assert!(child.wait().unwrap().success(), "{stderr}");
    assert_eq!(stderr, "");
}

#[test]
fn fields_of_the_user_stay_and_the_report_says_how_ours_are_called() {
    let place = Workplace::new();
    let row = |id: u32| format!("{}\n", json!({"id": id, "text": STORY, "score": 0.1}));
    let input = place.file("in.jsonl", [row(1), row(2)].concat());
    let run = place.succeed(&["dedup", &input, "--method", "exact", "--out", "out"]);
    assert!(run.stdout.contains("`lookalike_score`"), "{}", run.stdout);
    let removed = &place.result("out/removed.jsonl")[0];
    assert_eq!((&removed["score"], &removed["lookalike_score"]), (&json!(0.1), &json!(1.0)));
    assert_eq!(removed["duplicate_of"], 1);
    assert_eq!(place.summary("out")["renamed_fields"], json!({"score": "lookalike_score"}));
}

#[test]
fn the_summary_tells_what_was_run_and_the_report_what_stays() {
    let place = Workplace::new();
    let mut rows = vec![("a", STORY), ("b", STORY), ("c", OTHER)];
    rows.extend([("d", ""), ("e", "…"), ("f", "!")]);
    let input = place.rows("in/rows.jsonl", &rows);
    place.file("in/photo.jpg", "x");
    let bad = "bad 0\nbad 1\nbad 2\nbad 3\nbad 4\n";
    place.file("in/bad.jsonl", bad);
    let run = place.succeed(&["dedup", "in", "--out", "out"]);
    let line = "11 documents: 2 kept, 1 removed, 3 too short (kept as well), 5 unreadable";
    assert!(run.stdout.contains(line), "{}", run.stdout);
    assert!(run.stdout.contains("and 2 more"), "{}", run.stdout);
    assert_eq!(place.result("out/kept/rows.jsonl").len(), 5);
    assert_eq!(read(&place.path("out/unreadable/bad.jsonl")), bad);
    let summary = place.summary("out");
    assert_eq!(summary["input_files"], 2);
    assert_eq!(summary["inputs"][1]["path"], json!("in/rows.jsonl"));
    let size = std::fs::metadata(&input).unwrap().len();
    assert_eq!(summary["inputs"][1]["bytes"], json!(size));
    assert_eq!(summary["passed_over"][".jpg"], 1);
    let command = summary["command"].as_array().unwrap();
    assert_eq!(command[1..], ["dedup", "in", "--out", "out"].map(|word| json!(word)));
    assert!(summary["started"].as_str().unwrap().ends_with('Z'));
    let run = place.succeed(&["find", "in"]);
    assert!(run.stdout.contains("2 would stay, 1 copies"), "{}", run.stdout);
    assert!(!run.stdout.contains("removed"), "{}", run.stdout);
}

#[test]
fn what_a_killed_run_left_behind_is_removed_and_told() {
    let place = Workplace::new();
    let input = place.rows("in.jsonl", &[("a", STORY)]);
    place.file(".out.lookalike-work/new/kept.jsonl", "half");
    let run = place.succeed(&["dedup", &input, "--out", "out"]);
    assert!(
        run.stderr.contains("was killed; its unfinished results were removed"),
        "{}",
        run.stderr
    );
    assert!(!place.path(".out.lookalike-work").exists());
}
