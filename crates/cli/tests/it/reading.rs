//! What the program makes of its input: incomplete files, streams, folders, formats.

use std::fs;
use std::io::{Read, Write};
use std::process::{Command, Stdio};

use serde_json::json;

use crate::program::{OTHER, STORY, Workplace};

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn rows(count: usize) -> String {
    (0..count)
        .map(|n| json!({"id": n, "text": format!("{STORY} {}", n * 7919)}).to_string() + "\n")
        .collect()
}

#[test]
fn a_truncated_file_gives_its_results_and_a_failure() {
    let place = Workplace::new();
    let whole = gzip(rows(2000).as_bytes());
    let input = place.file("in.jsonl.gz", &whole[..whole.len() / 2]);
    for command in ["find", "dedup"] {
        let run = place.run(&[command, &input, "--out", command, "--method", "exact"]);
        assert_eq!(run.status, 1, "{}", run.stdout);
        assert!(run.stderr.contains("not read completely"), "{}", run.stderr);
        let summary = place.summary(command);
        assert!(summary["documents"].as_u64().unwrap() > 100);
        let incomplete = summary["incomplete"].as_array().unwrap();
        assert_eq!(incomplete.len(), 1);
        assert!(
            incomplete[0]["place"].as_str().unwrap().contains("in.jsonl.gz:"),
            "{incomplete:?}"
        );
        assert_eq!(place.result(&format!("{command}/unreadable.jsonl")).len(), 1);
    }
    assert!(place.path("dedup/kept.jsonl.gz").exists());
}

#[cfg(unix)]
#[test]
fn a_named_file_that_may_not_be_read_is_a_failure() {
    use std::os::unix::fs::PermissionsExt;

    let place = Workplace::new();
    let good = place.rows("good.jsonl", &[("a", STORY)]);
    let mut closed = place.rows("closed.jsonl", &[("b", OTHER)]);
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
    if fs::read(&closed).is_ok() {
        // Nothing is forbidden to the superuser; a table without the text cannot be read by anybody.
        closed = place.file("closed.jsonl.csv", "no,such,column\n1,2,3\n");
    }
    let run = place.run(&["find", &good, &closed, "--out", "out"]);
    assert_eq!(run.status, 1);
    assert!(run.stderr.contains("closed.jsonl"), "{}", run.stderr);
    assert_eq!(place.summary("out")["kept"], 1);
}

#[test]
fn compressed_standard_input_is_recognized() {
    let place = Workplace::new();
    let rows = [json!({"id": "a", "text": STORY}), json!({"id": "b", "text": STORY})];
    let lines = format!("{}\n{}\n", rows[0], rows[1]);
    let array = format!("[{}, {}]", rows[0], rows[1]);
    for bytes in [gzip(lines.as_bytes()), array.into_bytes()] {
        let mut child = place
            .command(&["find", "-", "--method", "exact", "--out", "out", "--force"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(&bytes).unwrap();
        let mut stdout = String::new();
        child.stdout.take().unwrap().read_to_string(&mut stdout).unwrap();
        assert!(child.wait().unwrap().success());
        assert_eq!(place.summary("out")["removed"], 1, "{stdout}");
    }
}

#[cfg(unix)]
#[test]
fn a_named_pipe_is_read_like_standard_input() {
    let place = Workplace::new();
    let pipe = place.path("rows.jsonl");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let writer = std::thread::spawn(move || fs::write(pipe, rows(1000) + &rows(1)));
    let by_row = ["--method", "exact", "--id-key", "row", "-q"];
    place.succeed(&[&["dedup", "rows.jsonl", "--out", "out"], &by_row[..]].concat());
    writer.join().unwrap().unwrap();
    let summary = place.summary("out");
    assert_eq!((&summary["documents"], &summary["removed"]), (&json!(1001), &json!(1)));
}

#[cfg(unix)]
#[test]
fn a_signal_is_heard_while_standard_input_has_not_ended_and_leaves_nothing_behind() {
    let place = Workplace::new();
    fs::create_dir(place.path("temp")).unwrap();
    for signals in [1, 2] {
        let mut child = place
            .command(&["dedup", "-", "--out", "out", "--temp-dir", "temp", "--method", "exact"])
            .stdin(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        // More than a pipe holds: when it is written the program has begun to read.
        stdin.write_all(rows(1000).as_bytes()).unwrap();
        for _ in 0..signals {
            let kill = format!("kill -TERM {}", child.id());
            Command::new("sh").args(["-c", &kill]).status().unwrap();
        }
        assert!(!child.wait().unwrap().success());
        assert_eq!(fs::read_dir(place.path("temp")).unwrap().count(), 0);
        if signals == 1 {
            assert!(!place.path("out").exists());
        }
    }
}

#[cfg(unix)]
#[test]
fn commands_that_learn_from_labels_hear_a_signal_while_they_read() {
    let place = Workplace::new();
    for command in [
        &["compare", "-"][..],
        &["tune", "-", "--out", "config.toml"],
        &["train", "andd", "-", "--out", "model"],
    ] {
        let mut child =
            place.command(command).stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        // More than a pipe holds: when it is written the program has begun to read.
        stdin.write_all(rows(1000).as_bytes()).unwrap();
        Command::new("sh").args(["-c", &format!("kill -INT {}", child.id())]).status().unwrap();
        // Without the end of its input it would wait for ever.
        assert_eq!(child.wait().unwrap().code(), Some(130), "{command:?}");
    }
    assert!(!place.path("config.toml").exists() && !place.path("model").exists());
}

#[test]
fn what_was_not_read_is_told() {
    let place = Workplace::new();
    place.rows("data/in.jsonl", &[("a", STORY), ("b", STORY)]);
    place.file("data/photo.jpg", "x");
    place.file("data/code.py", "x");
    place.file("data/.hidden.txt", "x");
    let folder = place.path("data").display().to_string();
    let out = place.path("data/clean").display().to_string();
    place.succeed(&["dedup", &folder, "--out", &out, "--method", "exact"]);
    // Once more: the results of the first run are no documents.
    let run = place.succeed(&["dedup", &folder, "--out", &out, "--force", "--method", "exact"]);
    let expected = "not read: 1 .jpg, 1 .py, 1 hidden, 1 results of an earlier run";
    assert!(run.stdout.contains(expected), "{}", run.stdout);
    let summary = place.summary("data/clean");
    assert_eq!(summary["documents"], 2);
    assert_eq!(summary["passed_over"][".jpg"], 1);
    let run = place.succeed(&["find", &folder, "--as", "text", "--method", "exact"]);
    assert!(run.stdout.contains("3 documents"), "{}", run.stdout);
}

#[test]
fn formats_that_do_not_exist_are_named() {
    let place = Workplace::new();
    let input = place.rows("in.jsonl", &[("a", STORY)]);
    let run = place.run(&["find", &input, "--as", "papyrus"]);
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains("papyrus"), "{}", run.stderr);
    let run = place.run(&["find", "/dev/null"]);
    assert_eq!(run.status, 1);
    assert!(run.stderr.contains("neither a file nor a folder"), "{}", run.stderr);
}

#[test]
fn archives_and_arrays_are_written_back_in_their_own_format() {
    let place = Workplace::new();
    let page = format!("<html><title>t</title><p>{STORY}</p></html>\r\n\n");
    let record = |id: usize| {
        let http = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{page}");
        format!(
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:{id}>\r\n\
             Content-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n{http}\r\n\r\n",
            http.len()
        )
    };
    let archive: Vec<u8> = (0..3).flat_map(|id| gzip(record(id).as_bytes())).collect();
    let array = json!([{"id": "a", "text": OTHER}, {"id": "b", "text": OTHER}]).to_string();
    place.file("in/a.warc.gz", archive);
    place.file("in/b.json", array);
    place.succeed(&["dedup", "in", "--out", "out", "--method", "exact"]);
    let kept = ["out/kept/a.warc.gz", "out/kept/b.json"];
    place.succeed(&["find", kept[0], kept[1], "--method", "exact", "--out", "again"]);
    assert_eq!(place.summary("again")["kept"], 2);
    let removed = fs::read_to_string(place.path("out/removed/b.json")).unwrap();
    let removed: serde_json::Value = serde_json::from_str(&removed).unwrap();
    assert_eq!(removed[0]["duplicate_of"], "a");
    let removed = "out/removed/a.warc.gz";
    place.succeed(&["find", removed, "--method", "exact", "--out", "removed"]);
    assert_eq!(place.summary("removed")["documents"], 2);
    let run = place.succeed(&["dedup", "in/b.json", "--stdout", "--quiet", "--method", "exact"]);
    assert_eq!(run.stdout.lines().count(), 1, "{}", run.stdout);
}

#[cfg(target_os = "linux")]
#[test]
fn files_whose_names_are_no_utf8_are_read_however_they_are_named_and_escaped_in_results() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let place = Workplace::new();
    let odd = |folder: &str, end: &str| {
        let name = [folder.as_bytes(), b"caf\xE9", end.as_bytes()].concat();
        OsStr::from_bytes(&name).to_owned()
    };
    fs::create_dir(place.path("in")).unwrap();
    place.file("in/b.txt", STORY);
    fs::write(place.path("").join(odd("in/", ".txt")), STORY).unwrap();
    let row = json!({"text": OTHER}).to_string();
    fs::write(place.path("").join(odd("in/", ".jsonl")), row).unwrap();
    let typed = [
        vec!["in".into()],
        vec!["in/*".into()],
        vec!["**/*.txt".into(), odd("in/", ".jsonl")],
        vec![odd("in/", ".txt"), odd("in/", ".jsonl"), "in/b.txt".into()],
    ];
    for inputs in typed {
        let mut command = place.command(&["dedup", "--out", "out", "--force", "--quiet"]);
        let output = command.args(&inputs).output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{inputs:?}: {told}");
        assert_eq!(place.summary("out")["documents"], 3, "{inputs:?}");
        let clusters = place.result("out/clusters.jsonl");
        let ids: Vec<&str> = clusters.iter().map(|row| row["id"].as_str().unwrap()).collect();
        assert!(ids.iter().any(|id| id.ends_with(r"caf\xE9.txt")), "{inputs:?}: {ids:?}");
    }
}
