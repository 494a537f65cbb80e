use std::fs;
use std::path::Path;

use lookalike_corpus::{Corpus, CorpusError, Fate, InputOptions, split};
use tempfile::TempDir;

use crate::reading::{documents, file, fixture, open, outcomes};

/// Removes every second row.
fn every_second(ordinal: u64) -> Fate {
    if ordinal.is_multiple_of(2) {
        Fate::Kept
    } else {
        Fate::Removed { duplicate_of: format!("row, {}", ordinal - 1), score: 0.75 }
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn evidence(corpus: &Corpus) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for block in corpus.blocks() {
        block.visit(|row| {
            let document = row.content.unwrap();
            let text = |name| document.field(name).unwrap().to_string().replace('"', "");
            found.push((text("duplicate_of"), text("score")));
        });
    }
    found
}

#[test]
fn rows_come_out_as_they_came_in() {
    let mut cases = vec![
        ("rows.jsonl", "kept.jsonl", "removed.jsonl"),
        ("rows.jsonl.gz", "kept.jsonl.gz", "removed.jsonl.gz"),
        ("rows.jsonl.zst", "kept.jsonl.zst", "removed.jsonl.zst"),
        ("rows.csv", "kept.csv", "removed.csv"),
        ("rows.tsv.zst", "kept.tsv.zst", "removed.tsv.zst"),
    ];
    if cfg!(feature = "parquet") {
        cases.push(("utf8.parquet", "kept.parquet", "removed.parquet"));
        cases.push(("large.parquet", "kept.parquet", "removed.parquet"));
        cases.push(("view.parquet", "kept.parquet", "removed.parquet"));
        cases.push(("dictionary.parquet", "kept.parquet", "removed.parquet"));
    }
    for (input, kept, removed) in cases {
        let corpus = open(&fixture(input));
        let all = documents(&corpus);
        let out = TempDir::new().unwrap();
        let written = split(&corpus, out.path(), every_second).unwrap();
        assert_eq!((written.kept, written.removed, written.unreadable), (2, 2, 0), "{input}");
        assert_eq!(names(out.path()), [kept, removed], "{input}");
        let expected = [all[0].clone(), all[2].clone()];
        assert_eq!(documents(&open(&out.path().join(kept))), expected, "{input}");
        let expected = [all[1].clone(), all[3].clone()];
        let fields = vec!["duplicate_of".into(), "score".into()];
        let options = InputOptions { fields, ..InputOptions::default() };
        let removed = crate::reading::open_with(&out.path().join(removed), options);
        assert_eq!(documents(&removed), expected, "{input}");
        let pair = |row: u32| (format!("row, {row}"), "0.75".to_owned());
        assert_eq!(evidence(&removed), [pair(0), pair(2)], "{input}");
    }
}

#[test]
fn kept_lines_are_the_same_bytes() {
    let corpus = open(&fixture("rows.jsonl"));
    let out = TempDir::new().unwrap();
    split(&corpus, out.path(), |_| Fate::Kept).unwrap();
    let written = fs::read(out.path().join("kept.jsonl")).unwrap();
    assert_eq!(written, fs::read(fixture("rows.jsonl")).unwrap());
    assert_eq!(fs::read(out.path().join("removed.jsonl")).unwrap(), b"");
}

#[cfg(feature = "mail")]
#[test]
fn mbox_stays_an_mbox_and_says_why_in_headers() {
    let corpus = open(&fixture("archive.mbox"));
    let out = TempDir::new().unwrap();
    split(&corpus, out.path(), every_second).unwrap();
    let all = documents(&corpus);
    let kept = documents(&open(&out.path().join("kept.mbox")));
    assert_eq!(kept.len(), 3);
    assert_eq!(kept[2].text.trim_end(), all[4].text.trim_end());
    let removed = open(&out.path().join("removed.mbox"));
    for block in removed.blocks() {
        block.visit(|row| {
            let message = row.content.unwrap();
            assert!(message.field("x-duplicate-of").unwrap().as_str().unwrap().starts_with("row"));
            assert_eq!(message.field("x-duplicate-score").unwrap().as_str(), Some("0.75"));
        });
    }
    split(&corpus, out.path(), |_| Fate::Kept).unwrap();
    let written = fs::read(out.path().join("kept.mbox")).unwrap();
    assert_eq!(written, fs::read(fixture("archive.mbox")).unwrap());
}

#[cfg(feature = "mail")]
#[test]
fn a_maildir_stays_a_maildir() {
    let out = TempDir::new().unwrap();
    split(&open(&fixture("maildir")), out.path(), every_second).unwrap();
    assert_eq!(names(&out.path().join("kept")), ["cur", "new", "tmp"]);
    assert_eq!(outcomes(&open(&out.path().join("kept"))).len(), 2);
}

#[cfg(feature = "html")]
#[test]
fn folders_are_copied_and_removed_files_are_listed() {
    let out = TempDir::new().unwrap();
    let written = split(&open(&fixture("folder")), out.path(), every_second).unwrap();
    assert_eq!((written.kept, written.removed), (2, 2));
    assert_eq!(outcomes(&open(&out.path().join("kept"))), ["a.md", "deeper/page.html"]);
    let list = fs::read_to_string(out.path().join("removed.jsonl")).unwrap();
    assert!(list.starts_with("{\"duplicate_of\":\"row, 0\",\"id\":\"b.txt\",\"path\":"), "{list}");
    assert_eq!(list.lines().count(), 2);
}

#[test]
fn each_format_and_each_header_gets_its_own_file() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("a.csv"), "id,text\n1,a\n").unwrap();
    fs::write(folder.path().join("b.csv"), "text,id\nb,2\n").unwrap();
    fs::write(folder.path().join("c.csv"), "id,text\r\n3,c").unwrap();
    fs::write(folder.path().join("d.jsonl"), "{\"id\":4,\"text\":\"d\"}").unwrap();
    fs::write(folder.path().join("e.jsonl"), "bad\n{\"id\":5,\"text\":\"e\"}").unwrap();
    fs::write(folder.path().join("f.txt"), "f").unwrap();
    let out = TempDir::new().unwrap();
    let fate = |ordinal| if ordinal == 4 { Fate::Unreadable } else { Fate::Kept };
    let written = split(&open(folder.path()), out.path(), fate).unwrap();
    assert_eq!((written.kept, written.removed, written.unreadable), (6, 0, 1));
    let expected = ["kept", "kept-2.csv", "kept.csv", "kept.jsonl"];
    assert_eq!(names(out.path())[..4], expected);
    let read = |name: &str| fs::read_to_string(out.path().join(name)).unwrap();
    assert_eq!(read("kept.csv"), "id,text\n1,a\n3,c\n");
    assert_eq!(read("kept-2.csv"), "text,id\nb,2\n");
    assert_eq!(read("kept.jsonl"), "{\"id\":4,\"text\":\"d\"}\n{\"id\":5,\"text\":\"e\"}\n");
    assert_eq!(
        names(out.path())[4..],
        ["removed-2.csv", "removed-2.jsonl", "removed.csv", "removed.jsonl"]
    );
}

#[test]
fn short_csv_rows_are_filled_up_before_the_evidence() {
    let (_folder, path) = file("a.csv", "text,id,more\na\n");
    let out = TempDir::new().unwrap();
    let fate = |_| Fate::Removed { duplicate_of: "x".into(), score: 1.0 };
    split(&open(&path), out.path(), fate).unwrap();
    let removed = fs::read_to_string(out.path().join("removed.csv")).unwrap();
    assert_eq!(removed, "text,id,more,duplicate_of,score\na,,,x,1\n");
}

#[test]
fn output_that_cannot_be_written_is_an_error_that_names_the_file() {
    let (folder, path) = file("a.jsonl", "{\"text\":\"a\"}\n");
    let error = split(&open(&path), &folder.path().join("missing"), every_second).unwrap_err();
    assert!(matches!(&error, CorpusError::Write { path, .. } if path.ends_with("kept.jsonl")));
}

#[cfg(target_os = "linux")]
#[test]
fn nothing_is_left_behind_by_a_failed_run() {
    let (folder, path) = file("a.jsonl", "{\"text\":\"a\"}\n");
    let out = TempDir::new().unwrap();
    // A folder stands where the second file should go, so renaming fails after writing.
    fs::create_dir_all(out.path().join("removed.jsonl/inside")).unwrap();
    let error = split(&open(&path), out.path(), every_second).unwrap_err();
    assert!(error.to_string().contains("removed.jsonl: cannot be written"), "{error}");
    assert!(!names(out.path()).iter().any(|name| name.starts_with(".partial")));
    drop(folder);
}
