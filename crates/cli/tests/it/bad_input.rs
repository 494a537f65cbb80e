//! Bad input gets a clear message and loses nothing.

use std::io::Read;
use std::process::Stdio;

use serde_json::json;

use crate::program::{OTHER, STORY, Workplace};

#[test]
fn bad_rows_are_listed_and_good_ones_still_processed() {
    let place = Workplace::new();
    let good = |id: &str, text: &str| format!("{}\n", json!({"id": id, "text": text})).into_bytes();
    let mut content = good("a", STORY);
    content.extend(b"{\"id\": \"broken\", \"text\": \n");
    content.extend(b"{\"id\": \"no text\"}\n");
    content.extend(b"{\"id\": \"bytes\", \"text\": \"\xff\xfe\"}\n");
    content.extend(good("b", STORY));
    content.extend(good("c", OTHER));
    let input = place.file("in.jsonl", content);
    let run = place.succeed(&["find", &input, "--out", "out", "--method", "exact"]);
    assert!(run.stdout.contains("3 unreadable"), "{}", run.stdout);
    let unreadable = place.result("out/unreadable.jsonl");
    let places: Vec<&str> = unreadable.iter().map(|row| row["place"].as_str().unwrap()).collect();
    for (place, row) in places.iter().zip([2, 3, 4]) {
        assert!(place.ends_with(&format!("in.jsonl:{row}")), "{place}");
    }
    assert_eq!(place.summary("out")["removed"], 1);
}

#[test]
fn nothing_readable_is_a_failure() {
    let place = Workplace::new();
    let input = place.file("in.jsonl", "not json\nneither\n");
    let run = place.run(&["find", &input, "--out", "out"]);
    assert_eq!(run.status, 1);
    assert!(run.stderr.contains("in.jsonl:1"), "{}", run.stderr);
    assert!(!place.path("out").exists());
    for command in [
        &["stats", "--out", "counted.stats"][..],
        &["boilerplate", "--out", "rows.jsonl"],
        &["plan"],
        &["tune", "--out", "config.toml"],
        &["compare"],
        &["explain", "one", "two", "--in"],
    ] {
        let run = place.run(&[command, &[input.as_str()]].concat());
        assert_eq!(run.status, 1, "{command:?}: {}", run.stdout);
        let told = run.stderr.matches("in.jsonl:1").count();
        assert_eq!(told, 1, "{command:?}: {}", run.stderr);
    }
    assert!(!place.path("counted.stats").exists() && !place.path("rows.jsonl").exists());
}

#[test]
fn a_damaged_page_is_told_in_words_and_not_as_a_panic() {
    let place = Workplace::new();
    let bytes = include_bytes!("../../../../fuzz/seeds/parquet/levels");
    let input = place.file("in.parquet", bytes);
    let run = place.run(&["find", &input, "--out", "out"]);
    assert_eq!(run.status, 1);
    assert!(run.stderr.contains("a page is damaged"), "{}", run.stderr);
    assert!(!run.stderr.contains("panicked"), "{}", run.stderr);
}

#[test]
fn an_empty_file_is_no_failure_and_gives_empty_results() {
    let place = Workplace::new();
    let input = place.file("in.jsonl", "");
    place.succeed(&["find", &input, "--out", "out"]);
    assert_eq!(place.summary("out")["documents"], 0);
    assert!(place.result("out/clusters.jsonl").is_empty());
}

#[test]
fn wrong_paths_methods_and_keys_are_named() {
    let place = Workplace::new();
    let input = place.rows("in.jsonl", &[("a", STORY)]);
    for (arguments, status, word) in [
        (vec!["find", "nowhere.jsonl"], 1, "nowhere.jsonl"),
        (vec!["find", &input, "--method", "psychic"], 2, "psychic"),
        (vec!["find", &input, "--set", "ngrams=4"], 2, "ngrams"),
        (vec!["find", &input, "--memory", "lots"], 2, "lots"),
        (vec!["find", &input, "--keep", "prettiest"], 2, "prettiest"),
        (vec!["find", &input, "--cluster", "cloud"], 2, "cloud"),
        (vec!["find", &input, "--config", "missing.toml"], 1, "missing.toml"),
        (vec!["find", &input, "--temp-dir", "no/such"], 2, "no/such"),
        (vec!["find"], 2, "INPUT"),
    ] {
        let run = place.run(&arguments);
        assert_eq!(run.status, status, "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.contains(word), "{arguments:?}: {}", run.stderr);
        assert!(!run.stderr.contains("panicked"), "{}", run.stderr);
    }
}

#[test]
fn a_full_output_folder_is_refused_before_any_work() {
    let place = Workplace::new();
    let input = place.rows("in.jsonl", &[("a", STORY)]);
    place.file("out/notes.txt", "mine");
    let run = place.run(&["find", &input, "--out", "out"]);
    assert_eq!(run.status, 1);
    assert!(run.stderr.contains("--force"), "{}", run.stderr);
    place.succeed(&["find", &input, "--out", "out", "--force"]);
    assert!(place.path("out/notes.txt").exists());
}

#[test]
fn repeated_ids_name_both_places_and_rows_can_be_numbered_instead() {
    let place = Workplace::new();
    let input = place.rows("in.jsonl", &[("a", STORY), ("b", OTHER), ("a", OTHER)]);
    let run = place.run(&["find", &input]);
    assert_eq!(run.status, 1);
    let plan = place.run(&["plan", &input]);
    for run in [run, plan] {
        for word in ["`a`", "in.jsonl:1", "in.jsonl:3", "--id-key row"] {
            assert!(run.stderr.contains(word), "{word}: {}", run.stderr);
        }
    }
    let run = place.succeed(&["find", &input, "--id-key", "row", "--method", "exact"]);
    assert!(run.stdout.contains("1 copies"), "{}", run.stdout);
}

#[test]
fn a_reader_that_goes_away_ends_the_program_quietly() {
    let place = Workplace::new();
    let input = place.rows("in.jsonl", &[("a", STORY), ("b", STORY)]);
    let mut child = place
        .command(&["find", &input, "--method", "exact"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    assert!(child.wait().unwrap().success(), "{stderr}");
    assert_eq!(stderr, "");
}

#[cfg(target_os = "linux")]
#[test]
fn a_report_that_cannot_be_written_is_a_failure_that_says_where() {
    let place = Workplace::new();
    let input = place.rows("in.jsonl", &[("a", STORY), ("b", STORY)]);
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = place.command(&["find", &input, "--method", "exact"]).stdout(full).output();
    let output = output.unwrap();
    assert_eq!(output.status.code(), Some(1));
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("cannot write to standard output"), "{told}");
}

#[test]
fn every_command_that_reads_a_broken_off_file_works_and_still_fails() {
    let place = Workplace::new();
    let row = |number: usize| {
        let own: Vec<String> = (0..40).map(|n| format!("w{}", number / 2 * 41 + n)).collect();
        let text = format!("{STORY} {} edit{number}", own.join(" "));
        format!("{}\n", json!({"id": number.to_string(), "text": text, "cluster": number / 2}))
    };
    let rows: String = (0..40).map(row).collect();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
    std::io::Write::write_all(&mut gzip, rows.as_bytes()).unwrap();
    let bytes = gzip.finish().unwrap();
    let input = place.file("cut.jsonl.gz", &bytes[..bytes.len() * 3 / 4]);
    let tune = ["tune", &input, "--out", "c.toml", "--methods", "minhash", "--halvings", "1"];
    for (arguments, written) in [
        (&["stats", &input, "--out", "x.stats"][..], Some("x.stats")),
        (&["boilerplate", &input, "--out", "b.jsonl"], Some("b.jsonl")),
        (&["plan", &input], None),
        (&["train", "andd", &input, "--out", "x.model"], Some("x.model")),
        (&tune, Some("c.toml")),
        (&["label", &input, "--out", "pairs.jsonl"], Some("pairs.jsonl")),
        (&["explain", "0", "1", "--in", &input, "--method", "imatch"], None),
        (&["compare", &input, "--methods", "minhash"], None),
        (&["find", &input, "--out", "found"], Some("found/clusters.jsonl")),
    ] {
        let run = place.run(arguments);
        assert_eq!(run.status, 1, "{arguments:?}: {} {}", run.stdout, run.stderr);
        let told = "the input was not read completely: ";
        assert!(run.stderr.contains(told), "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.contains("cut.jsonl.gz:"), "{arguments:?}: {}", run.stderr);
        if let Some(file) = written {
            assert!(place.path(file).exists(), "{arguments:?}");
        }
    }
}

#[test]
fn a_temporary_folder_of_the_system_that_is_not_there_is_not_blamed_on_a_flag() {
    let place = Workplace::new();
    let input = place.rows("in.jsonl", &[("a", STORY)]);
    let mut command = place.command(&["find", &input]);
    let output = command.env("TMPDIR", "/no/such/folder").output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(told.contains("/no/such/folder") && told.contains("set TMPDIR"), "{told}");
    let run = place.run(&["find", &input, "--temp-dir", "absent"]);
    assert!(run.stderr.contains("--temp-dir absent: no such folder"), "{}", run.stderr);
}

#[test]
fn a_row_whose_text_is_null_is_kept_like_an_empty_one() {
    let place = Workplace::new();
    let rows = [r#"{"id":1,"text":null}"#, r#"{"id":2,"text":""}"#, r#"{"id":3,"text":7}"#];
    let input = place.file("in.jsonl", rows.join("\n"));
    place.succeed(&["dedup", &input, "--out", "out"]);
    let kept = place.result("out/kept.jsonl");
    assert_eq!(kept.iter().map(|row| row["id"].clone()).collect::<Vec<_>>(), [1, 2]);
    let summary = place.summary("out");
    assert_eq!((&summary["too_short"], &summary["unreadable"]), (&2.into(), &1.into()));
}

#[test]
fn an_id_is_written_everywhere_as_its_row_has_it() {
    let place = Workplace::new();
    let row = |id: &str| format!("{{\"id\":{id},\"text\":\"{STORY}\"}}\n");
    let input =
        place.file("in.jsonl", ["7.50", "\"8\"", "12345678901234567890123"].map(row).concat());
    place.succeed(&["dedup", &input, "--out", "out"]);
    let read = |name: &str| std::fs::read_to_string(place.path("out").join(name)).unwrap();
    let clusters = read("clusters.jsonl");
    assert!(clusters.starts_with(r#"{"id":7.50,"cluster":7.50,"#), "{clusters}");
    assert!(clusters.contains(r#"{"id":"8","cluster":7.50,"#), "{clusters}");
    assert!(clusters.contains(r#"{"id":12345678901234567890123,"#), "{clusters}");
    assert!(read("pairs.jsonl").contains(r#""a":7.50,"b":"8""#), "{}", read("pairs.jsonl"));
    assert_eq!(read("removed.jsonl").matches(r#""duplicate_of":7.50,"#).count(), 2);
}
