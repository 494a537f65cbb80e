//! `label`: answers by key, nothing lost, nothing asked twice.

use std::collections::BTreeSet;
use std::io::Write;
use std::process::{Child, ChildStdin, Stdio};

use crate::program::{STORY, Workplace, read};

/// The pairs of an answers file, smaller id first, with the verdicts.
fn answers(place: &Workplace) -> Vec<(String, String, bool)> {
    let pairs = place.result("pairs.jsonl");
    let text = |row: &serde_json::Value, key: &str| row[key].as_str().unwrap().to_owned();
    pairs
        .iter()
        .map(|row| (text(row, "a"), text(row, "b"), row["duplicate"].as_bool().unwrap()))
        .collect()
}

#[test]
fn answers_are_appended_and_not_asked_again() {
    let place = Workplace::new();
    let input = place.stories("in.jsonl", 4);
    let label = ["label", &input, "--out", "pairs.jsonl"];
    let run = place.succeed_with_input(&label, "yn\ny q");
    assert!(
        place.result("pairs.jsonl").iter().all(|row| row["draw"]["pairs"].as_f64() > Some(0.0))
    );
    assert!(run.stdout.contains("2 pairs of near-duplicates and 1 others"), "{}", run.stdout);
    let first = answers(&place);
    assert_eq!(first.iter().map(|(.., verdict)| *verdict).collect::<Vec<_>>(), [true, false, true]);
    // The end of the input ends the session like q.
    let run = place.succeed_with_input(&label, "nnnn");
    assert!(run.stdout.contains("so far 2 yes, 1 no"), "{}", run.stdout);
    let all = answers(&place);
    assert_eq!((all.len(), &all[..3]), (7, &first[..]));
    let distinct: BTreeSet<_> = all.iter().map(|(a, b, _)| (a.min(b), a.max(b))).collect();
    assert_eq!(distinct.len(), 7, "no pair twice: {all:?}");
}

#[test]
fn a_pair_shows_its_score_and_what_differs() {
    let place = Workplace::new();
    let input = place.stories("in.jsonl", 2);
    let run = place.succeed_with_input(&["label", &input, "--out", "pairs.jsonl"], "m");
    for word in ["score ", "line at 0.", "[-", "{+", "equal words", "[y]es [n]o [u]nsure [s]kip"] {
        assert!(run.stdout.contains(word), "{word}: {}", run.stdout);
    }
    assert!(answers(&place).is_empty());
}

#[test]
fn back_corrects_and_skip_answers_nothing() {
    let place = Workplace::new();
    let input = place.stories("in.jsonl", 3);
    let run = place.succeed_with_input(&["label", &input, "--out", "pairs.jsonl"], "yysbbnq");
    assert!(run.stdout.contains("answered yes"), "{}", run.stdout);
    assert!(run.stdout.contains("1 pairs of near-duplicates and 1 others"), "{}", run.stdout);
    let written = answers(&place);
    assert_eq!(written.len(), 3);
    let (a, b, verdict) = &written[2];
    assert_eq!((a, b, *verdict), (&written[1].0, &written[1].1, false));
    // Readers take the last word on a pair.
    let run = place.succeed(&["train", "svm", &input, "--judged", "pairs.jsonl", "--out", "m"]);
    assert!(run.stdout.contains("1 pairs of near-duplicates and 1 others"), "{}", run.stdout);
}

#[test]
fn back_at_the_start_and_unknown_keys_are_answered_in_words() {
    let place = Workplace::new();
    let input = place.stories("in.jsonl", 2);
    let run = place.succeed_with_input(&["label", &input, "--out", "pairs.jsonl"], "bxyq");
    assert!(run.stdout.contains("first pair of this session"), "{}", run.stdout);
    assert!(run.stdout.contains("`x` is no answer"), "{}", run.stdout);
    assert_eq!(answers(&place).len(), 1);
}

#[test]
fn all_pairs_answered_ends_the_session() {
    let place = Workplace::new();
    let input = place.stories("in.jsonl", 1);
    let label = ["label", &input, "--out", "pairs.jsonl"];
    let run = place.succeed_with_input(&label, &"y".repeat(50));
    assert!(run.stdout.contains("every pair worth asking about"), "{}", run.stdout);
    let n_answers = answers(&place).len();
    assert!((5..=10).contains(&n_answers), "{n_answers}");
    place.succeed_with_input(&label, "yyy");
    assert_eq!(answers(&place).len(), n_answers);
}

/// A session that has written three answers and waits for the fourth, with its keys.
fn session_in_the_middle(place: &Workplace) -> (Child, ChildStdin) {
    let input = place.stories("in.jsonl", 4);
    let mut command = place.command(&["label", &input, "--out", "pairs.jsonl"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let mut keys = child.stdin.take().unwrap();
    keys.write_all(b"yny").unwrap();
    keys.flush().unwrap();
    let written = || read(&place.path("pairs.jsonl")).lines().count();
    while !place.path("pairs.jsonl").exists() || written() < 3 {
        std::thread::sleep(std::time::Duration::from_millis(20));
        assert!(child.try_wait().unwrap().is_none(), "ended by itself");
    }
    (child, keys)
}

#[test]
fn a_session_killed_in_the_middle_has_lost_nothing() {
    let place = Workplace::new();
    let (mut child, _keys) = session_in_the_middle(&place);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(answers(&place).len(), 3);
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_a_waiting_session_at_once() {
    let place = Workplace::new();
    let (mut child, _keys) = session_in_the_middle(&place);
    let process = child.id().to_string();
    let sent = std::process::Command::new("kill").args(["-INT", &process]).status().unwrap();
    assert!(sent.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(answers(&place).len(), 3);
}

#[test]
fn bad_files_and_inputs_are_named_and_left_alone() {
    let place = Workplace::new();
    let input = place.stories("in.jsonl", 2);
    let unlike = place.rows("unlike.jsonl", &[("a", STORY), ("b", crate::program::OTHER)]);
    let bad = place.file("bad.jsonl", "{\"a\":\"x\",\"b\":\"y\",\"duplicate\":true}\nnot json\n");
    for (arguments, status, word) in [
        (vec!["label", &input, "--out", &bad], 1, "bad.jsonl, line 2"),
        (vec!["label", &input, "--out", "no/such/pairs.jsonl"], 1, "no/such/pairs.jsonl"),
        (vec!["label", "nowhere.jsonl", "--out", "p"], 1, "nowhere.jsonl"),
        (vec!["label", &unlike, "--out", "p"], 1, "share enough words"),
        (vec!["label", &input, "--out", &bad, "--questions", "5"], 2, "--force"),
        (vec!["label", &input, "--out", "p", "--judged", "none.jsonl"], 1, "none.jsonl"),
        (vec!["label", &input], 2, "--out"),
    ] {
        let run = place.run(&arguments);
        assert_eq!(run.status, status, "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.contains(word), "{arguments:?}: {}", run.stderr);
    }
    assert!(read(&place.path("bad.jsonl")).ends_with("not json\n"));
}

#[test]
fn questions_are_written_answered_elsewhere_and_choose_a_configuration() {
    let place = Workplace::new();
    let input = place.stories("in.jsonl", 12);
    // The program of a person who knows the stories: versions of one story are duplicates.
    let answer = |from: &str, to: &str| {
        let rows = place.result(from).into_iter().map(|mut row| {
            assert!(row["a_text"].as_str() != row["b_text"].as_str() && row["duplicate"].is_null());
            let story =
                |key: &str| row[key].as_str().unwrap().split('-').next().unwrap().to_owned();
            let duplicate = story("a") == story("b");
            row["duplicate"] = duplicate.into();
            format!("{row}\n")
        });
        place.file(to, rows.collect::<String>());
    };
    let round = ["label", &input, "--questions", "20", "--out"];
    let run = place.succeed(&[&round[..], &["q1.jsonl"]].concat());
    assert!(run.stdout.contains("20 pairs"), "{}", run.stdout);
    // Open questions are no answers yet.
    let early = place.run(&["tune", &input, "--judged", "q1.jsonl", "--out", "c.toml"]);
    assert_ne!(early.status, 0, "{}", early.stdout);
    answer("q1.jsonl", "a1.jsonl");
    place.succeed(&[&round[..], &["q2.jsonl", "--judged", "a1.jsonl"]].concat());
    answer("q2.jsonl", "a2.jsonl");
    let pairs = |name: &str| -> BTreeSet<_> {
        place.result(name).iter().map(|row| (row["a"].to_string(), row["b"].to_string())).collect()
    };
    assert!(pairs("a1.jsonl").is_disjoint(&pairs("a2.jsonl")));
    let both = read(&place.path("a1.jsonl")) + &read(&place.path("a2.jsonl"));
    place.file("a.jsonl", both);
    let tuned = ["tune", &input, "--judged", "a.jsonl", "--out", "c.toml", "--format", "json"];
    let run = place.succeed(&tuned);
    let told: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((&told["answers"], &told["not_drawn"]), (&40.into(), &0.into()), "{told}");
    let run = place.succeed(&["find", &input, "--config", "c.toml"]);
    assert!(run.stdout.contains("12 clusters"), "{}", run.stdout);
    assert!(read(&place.path("c.toml")).starts_with("# 40 answers"));
    // Of the answers that chose no interval is printed; of others, one.
    assert!(told["check"].is_null(), "{told}");
    let halves = ["tune", &input, "--judged", "a1.jsonl", "--check", "a.jsonl", "--out", "d.toml"];
    let run = place.succeed(&halves);
    assert!(run.stdout.contains("by 20 answers that did not choose"), "{}", run.stdout);
}

#[test]
fn answers_without_a_draw_count_as_random_only_where_somebody_says_so() {
    let place = Workplace::new();
    let input = place.stories("in.jsonl", 12);
    let verdict = |a: &str, b: &str| {
        let duplicate = a.split('-').next() == b.split('-').next();
        format!("{{\"a\":\"{a}\",\"b\":\"{b}\",\"duplicate\":{duplicate}}}\n")
    };
    let old: String = (0..12)
        .flat_map(|n| {
            let of = |story: usize, version: usize| format!("{story}-{version}");
            [verdict(&of(n, 0), &of(n, 1)), verdict(&of(n, 0), &of((n + 1) % 12, 0))]
        })
        .collect();
    place.file("old.jsonl", old);
    let tune = ["tune", &input, "--judged", "old.jsonl", "--out", "c.toml"];
    let run = place.run(&tune);
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains("--drawn-at-random"), "{}", run.stderr);
    place.succeed(&[&tune[..], &["--drawn-at-random", "--methods", "minhash"]].concat());
}

#[test]
fn a_person_who_cannot_say_is_asked_no_more_and_counts_for_neither() {
    let place = Workplace::new();
    let input = place.stories("in.jsonl", 4);
    let run = place.succeed_with_input(&["label", &input, "--out", "pairs.jsonl"], "uyq");
    assert!(run.stdout.contains("1 pairs of near-duplicates and 0 others"), "{}", run.stdout);
    let rows = place.result("pairs.jsonl");
    assert_eq!((rows.len(), &rows[0]["duplicate"]), (2, &"unsure".into()));
}
