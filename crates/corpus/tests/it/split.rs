use std::fs;
use std::path::Path;

use lookalike_corpus::{
    Corpus, CorpusError, Decisions, Destination, EvidenceNames, Fate, InputOptions, KeeperId,
    Removal, Stop, Written, check_pipe,
    pass::{Silent, Watch},
};
use tempfile::TempDir;

use crate::reading::{documents, file, fixture, open, outcomes};

pub fn removed(duplicate_of: KeeperId, score: f64) -> Fate {
    Fate::Removed(Removal { duplicate_of, score, accounted: f64::NAN })
}

/// Removes every second row.
fn every_second(ordinal: u64) -> Fate {
    if ordinal.is_multiple_of(2) {
        Fate::Kept
    } else {
        removed(format!("row, {}", ordinal - 1).as_str().into(), 0.75)
    }
}

/// Fates by row number, and what the rows were when they were decided.
struct Decided<F> {
    digests: Vec<u64>,
    fate: F,
}

impl<F: Fn(u64) -> Fate + Sync> Decided<F> {
    fn new(corpus: &Corpus, fate: F) -> Self {
        let mut digests = Vec::new();
        for block in corpus.blocks() {
            block.visit(|row| digests.push(row.digest()));
        }
        Self { digests, fate }
    }

    fn write(&self, corpus: &Corpus, out: &Path) -> Result<Written, CorpusError> {
        split_with(corpus, Destination::folder(out), self)
    }
}

impl<F: Fn(u64) -> Fate> Decisions for Decided<F> {
    fn n_rows(&self) -> u64 {
        self.digests.len() as u64
    }

    fn digest(&self, ordinal: u64) -> u64 {
        self.digests[ordinal as usize]
    }

    fn fate(&self, ordinal: u64) -> Fate {
        (self.fate)(ordinal)
    }
}

/// Writes and listens to nothing.
fn split_with<F: Fn(u64) -> Fate + Sync>(
    corpus: &Corpus,
    destination: Destination<'_, '_>,
    decided: &Decided<F>,
) -> Result<Written, CorpusError> {
    let stop = Stop::new();
    let watch = Watch { progress: &Silent, stop: &stop };
    lookalike_corpus::split(corpus, destination, decided, watch)
}

pub fn split(
    corpus: &Corpus,
    out: &Path,
    fate: impl Fn(u64) -> Fate + Sync,
) -> Result<Written, CorpusError> {
    Decided::new(corpus, fate).write(corpus, out)
}

fn copy_of(id: &str) -> Fate {
    removed(id.into(), 0.75)
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
    assert!(list.starts_with("{\"id\":\"b.txt\",\"path\":"), "{list}");
    assert!(list.contains(",\"duplicate_of\":\"row, 0\",\"score\":0.75}\n"), "{list}");
    assert_eq!(list.lines().count(), 2);
}

#[test]
fn shards_come_out_as_shards_of_the_same_names() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("a.csv"), "id,text\n1,a\n").unwrap();
    fs::write(folder.path().join("b.csv"), "text,id\nb,2\n").unwrap();
    fs::create_dir(folder.path().join("deep")).unwrap();
    fs::write(folder.path().join("deep/c.csv"), "id,text\r\n3,c").unwrap();
    fs::write(folder.path().join("e.jsonl"), "bad\n{\"id\":5,\"text\":\"e\"}").unwrap();
    fs::write(folder.path().join("f.txt"), "f").unwrap();
    let out = TempDir::new().unwrap();
    let fate = |ordinal| match ordinal {
        3 => Fate::Unreadable,
        4 => copy_of("1"),
        _ => Fate::Kept,
    };
    let written = split(&open(folder.path()), out.path(), fate).unwrap();
    assert_eq!((written.kept, written.removed, written.unreadable), (4, 1, 1));
    assert_eq!(names(out.path()), ["kept", "removed", "removed.jsonl", "unreadable"]);
    assert_eq!(names(&out.path().join("kept")), ["a.csv", "b.csv", "deep", "e.jsonl", "f.txt"]);
    let read = |name: &str| fs::read_to_string(out.path().join(name)).unwrap();
    assert_eq!(read("kept/a.csv"), "id,text\n1,a\n");
    assert_eq!(read("kept/b.csv"), "text,id\nb,2\n");
    assert_eq!(read("kept/deep/c.csv"), "id,text\r\n3,c\n");
    assert_eq!(read("removed/a.csv"), "id,text,duplicate_of,score\n");
    let removed = "{\"id\":5,\"text\":\"e\",\"duplicate_of\":\"1\",\"score\":0.75}\n";
    assert_eq!(read("removed/e.jsonl"), removed);
    assert_eq!(read("unreadable/e.jsonl"), "bad\n");
    assert_eq!(read("removed.jsonl"), "");
}

#[test]
fn shards_from_different_folders_keep_what_tells_them_apart() {
    let folder = TempDir::new().unwrap();
    for name in ["2023/a.jsonl", "2024/a.jsonl"] {
        fs::create_dir_all(folder.path().join(name).parent().unwrap()).unwrap();
        fs::write(folder.path().join(name), "{\"text\":\"x\"}\n").unwrap();
    }
    let path = |name: &str| folder.path().join(name).display().to_string();
    let inputs = [path("2023/a.jsonl"), path("2024/a.jsonl")];
    let corpus = Corpus::open(&inputs, InputOptions::default(), folder.path()).unwrap();
    let out = TempDir::new().unwrap();
    split(&corpus, out.path(), |_| Fate::Kept).unwrap();
    assert_eq!(names(&out.path().join("kept")), ["2023", "2024"]);
    assert!(out.path().join("kept/2024/a.jsonl").is_file());
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_shards_come_out_as_parquet_shards() {
    let folder = TempDir::new().unwrap();
    for name in ["one.parquet", "two.parquet"] {
        fs::copy(fixture("utf8.parquet"), folder.path().join(name)).unwrap();
    }
    let out = TempDir::new().unwrap();
    split(&open(folder.path()), out.path(), every_second).unwrap();
    for kind in ["kept", "removed"] {
        assert_eq!(names(&out.path().join(kind)), ["one.parquet", "two.parquet"]);
        assert_eq!(documents(&open(&out.path().join(kind).join("two.parquet"))).len(), 2);
    }
}

#[cfg(feature = "parquet")]
#[test]
fn unreadable_rows_of_parquet_are_put_aside_and_ids_keep_their_type() {
    let corpus = open(&fixture("numbers.parquet"));
    let out = TempDir::new().unwrap();
    let fate = |ordinal| if ordinal == 1 { Fate::Unreadable } else { copy_of("7") };
    let decided = Decided::new(&corpus, fate);
    decided.write(&corpus, out.path()).unwrap();
    let expected = ["kept.parquet", "removed.parquet", "unreadable.parquet"];
    assert_eq!(names(out.path()), expected);
    assert_eq!(outcomes(&open(&out.path().join("unreadable.parquet"))).len(), 1);
    let id_of = |name: &str| {
        let fields = vec!["duplicate_of".into()];
        let options = InputOptions { fields, ..InputOptions::default() };
        let mut found = Vec::new();
        for block in crate::reading::open_with(&out.path().join(name), options).blocks() {
            block.visit(|row| found.push(row.content.unwrap().field("duplicate_of").unwrap()));
        }
        found
    };
    assert_eq!(id_of("removed.parquet"), [serde_json::json!(7)]);
    // An id that is no number, since its row has none, makes the column text.
    let corpus = open(&fixture("numbers.parquet"));
    let out_text = TempDir::new().unwrap();
    let fate = |ordinal| if ordinal == 1 { Fate::Unreadable } else { copy_of("rows:2") };
    split(&corpus, out_text.path(), fate).unwrap();
    fs::copy(out_text.path().join("removed.parquet"), out.path().join("text.parquet")).unwrap();
    assert_eq!(id_of("text.parquet"), [serde_json::json!("rows:2")]);
}

#[cfg(feature = "parquet")]
#[test]
fn long_rows_of_parquet_among_short_ones_come_out_in_their_place() {
    let mut texts: Vec<String> = (0..24).map(|row| format!("row {row}")).collect();
    // Two in the first page of 12 rows, and the last of the file.
    for row in [3, 4, 23] {
        texts[row] = format!("row {row} {}", "fog ".repeat(17 << 18));
    }
    let folder = TempDir::new().unwrap();
    let path = parquet_file(&folder, texts.iter().map(String::as_str).collect(), 12);
    let out = TempDir::new().unwrap();
    split(&open(&path), out.path(), |row| if row == 7 { copy_of("x") } else { Fate::Kept })
        .unwrap();
    let kept = documents(&open(&out.path().join("kept.parquet")));
    texts.remove(7);
    assert!(kept.iter().map(|document| &document.text).eq(&texts));
}

/// A file with a column `text`.
#[cfg(feature = "parquet")]
fn parquet_file(folder: &TempDir, texts: Vec<&str>, rows_of_group: usize) -> std::path::PathBuf {
    use std::sync::Arc;

    use arrow_array::{RecordBatch, StringArray};
    use parquet::arrow::ArrowWriter;

    let path = folder.path().join("a.parquet");
    let texts: Arc<StringArray> = Arc::new(texts.into());
    let table = RecordBatch::try_from_iter([("text", texts as _)]).unwrap();
    let output = fs::File::create(&path).unwrap();
    let mut writer = ArrowWriter::try_new(output, table.schema(), None).unwrap();
    for start in (0..table.num_rows()).step_by(rows_of_group) {
        let length = rows_of_group.min(table.num_rows() - start);
        writer.write(&table.slice(start, length)).unwrap();
        writer.flush().unwrap();
    }
    writer.close().unwrap();
    path
}

#[cfg(feature = "parquet")]
#[test]
fn a_row_of_parquet_that_is_too_long_is_counted_and_not_copied() {
    let long = "fog ".repeat(100);
    let folder = TempDir::new().unwrap();
    let path = parquet_file(&folder, vec!["a", &long, "b", "c", &long], 5);
    let options = InputOptions { max_row_bytes: 100, ..InputOptions::default() };
    for block_bytes in [1, 50, 10_000] {
        let corpus =
            crate::reading::open_with(&path, options.clone()).with_block_bytes(block_bytes);
        let read = outcomes(&corpus);
        let too_long = "! the row has 400 bytes, more than the 100 allowed";
        assert_eq!([&*read[1], &*read[4]], [too_long; 2], "{block_bytes}");
        assert!(read[3].ends_with("a.parquet:4"), "{read:?}");
        let out = TempDir::new().unwrap();
        let fate = |row| if row % 3 == 1 { Fate::Unreadable } else { Fate::Kept };
        let written = split(&corpus, out.path(), fate).unwrap();
        assert_eq!((written.kept, written.unreadable), (3, 2));
        assert_eq!(documents(&open(&out.path().join("kept.parquet"))).len(), 3);
    }
}

#[test]
fn fields_of_the_user_keep_their_names_and_values() {
    let rows = [
        r#"{"id":1,"text":"a"}"#,
        r#"{"id":2,"text":"b","score":0.1}"#,
        r#"{"id":3,"text":"c","duplicate_of":"x","lookalike_score":5}"#,
    ];
    let (_folder, path) = file("a.jsonl", rows.join("\n"));
    let out = TempDir::new().unwrap();
    let written = split(&open(&path), out.path(), |_| copy_of("9")).unwrap();
    let expected = EvidenceNames {
        duplicate_of: "lookalike_duplicate_of".into(),
        score: "lookalike_score2".into(),
        accounted: None,
    };
    assert_eq!(written.evidence, expected);
    assert_eq!(written.removed, 3);
    let removed = fs::read_to_string(out.path().join("removed.jsonl")).unwrap();
    let added = r#","lookalike_duplicate_of":"9","lookalike_score2":0.75}"#;
    let with = |row: &str| format!("{}{added}\n", row.strip_suffix('}').unwrap());
    assert_eq!(removed, rows.map(with).concat());

    let (_folder, path) = file("a.csv", "score,text\n5,a\n");
    split(&open(&path), out.path(), |_| copy_of("x")).unwrap();
    let removed = fs::read_to_string(out.path().join("removed.csv")).unwrap();
    assert_eq!(removed, "score,text,duplicate_of,lookalike_score\n5,a,x,0.75\n");
}

#[test]
fn kept_rows_go_through_a_pipe_once_and_unpacked() {
    let folder = TempDir::new().unwrap();
    let pack = |text: &str| zstd::encode_all(text.as_bytes(), 1).unwrap();
    let row = |n: u32| format!("{{\"id\":{n},\"text\":\"t{n}\"}}\n");
    fs::write(folder.path().join("a.jsonl.zst"), pack(&(row(1) + &row(2)))).unwrap();
    // Found only after two kept rows went through: the pass begins again.
    let late = "{\"id\":3,\"text\":\"t\",\"score\":1}\n".to_owned() + &row(4);
    fs::write(folder.path().join("b.jsonl"), &late).unwrap();
    let corpus = open(folder.path());
    check_pipe(&corpus).unwrap();
    let fate = |ordinal| if ordinal == 2 { copy_of("1") } else { Fate::Kept };
    let decided = Decided::new(&corpus, fate);
    let (out, mut piped) = (TempDir::new().unwrap(), Vec::new());
    let destination = Destination { folder: Some(out.path()), pipe: Some(&mut piped) };
    let written = split_with(&corpus, destination, &decided).unwrap();
    assert_eq!((written.kept, written.removed), (3, 1));
    assert_eq!(String::from_utf8(piped).unwrap(), row(1) + &row(2) + &row(4));
    assert_eq!(names(out.path()), ["removed"]);
    let mut alone = Vec::new();
    let destination = Destination { folder: None, pipe: Some(&mut alone) };
    split_with(&corpus, destination, &decided).unwrap();
    assert_eq!(String::from_utf8(alone).unwrap(), row(1) + &row(2) + &row(4));
}

#[test]
fn what_cannot_go_through_one_pipe_is_refused() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("a.jsonl"), "{\"text\":\"a\"}").unwrap();
    fs::write(folder.path().join("b.csv"), "text\nb\n").unwrap();
    let error = check_pipe(&open(folder.path())).unwrap_err().to_string();
    assert!(error.contains("b.csv: another format than"), "{error}");
    fs::remove_file(folder.path().join("a.jsonl")).unwrap();
    fs::write(folder.path().join("c.csv"), "id,text\n1,c\n").unwrap();
    let corpus = open(folder.path());
    check_pipe(&corpus).unwrap();
    let mut piped = Vec::new();
    let destination = Destination { folder: None, pipe: Some(&mut piped) };
    let decided = Decided::new(&corpus, |_| Fate::Kept);
    let error = split_with(&corpus, destination, &decided).unwrap_err().to_string();
    assert!(error.contains("c.csv: its header differs"), "{error}");
}

/// Cuts the file off, lets it grow or swaps rows once writing has begun.
#[test]
fn a_file_that_changes_while_it_is_written_is_refused_and_nothing_is_left() {
    let row = |n: u32| format!("{{\"id\":{n},\"text\":\"t{n}\"}}\n");
    let all: Vec<String> = (100..300).map(row).collect();
    let mut swapped = all.clone();
    swapped.swap(150, 151);
    for changed in [all[..100].concat(), all.concat() + &row(999), swapped.concat(), String::new()]
    {
        let (_folder, path) = file("a.jsonl", all.concat());
        let corpus = open(&path).with_block_bytes(64);
        let fate = |ordinal| {
            if ordinal == 10 {
                fs::write(&path, &changed).unwrap();
            }
            Fate::Kept
        };
        let out = TempDir::new().unwrap();
        let error = split(&corpus, out.path(), fate).unwrap_err();
        assert!(matches!(&error, CorpusError::Changed(file) if *file == path), "{error}");
        assert!(names(out.path()).is_empty());
    }
}

#[test]
fn a_copied_file_and_a_listed_one_are_what_was_judged() {
    let folder = TempDir::new().unwrap();
    for name in ["a.txt", "b.txt"] {
        fs::write(folder.path().join(name), name).unwrap();
    }
    for changed in ["a.txt", "b.txt"] {
        let corpus = open(folder.path());
        let fate = |ordinal| if ordinal == 0 { Fate::Kept } else { copy_of("a.txt") };
        let decided = Decided::new(&corpus, fate);
        fs::write(folder.path().join(changed), "other").unwrap();
        let out = TempDir::new().unwrap();
        let error = decided.write(&corpus, out.path()).unwrap_err();
        assert!(matches!(&error, CorpusError::Changed(file) if file.ends_with(changed)));
        assert!(names(out.path()).is_empty());
        fs::write(folder.path().join(changed), changed).unwrap();
    }
}

#[cfg(feature = "parquet")]
#[test]
fn another_parquet_file_of_the_same_size_is_refused() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.parquet");
    fs::copy(fixture("utf8.parquet"), &path).unwrap();
    let corpus = open(&path);
    let decided = Decided::new(&corpus, |_| Fate::Kept);
    fs::copy(fixture("numbers.parquet"), &path).unwrap();
    let out = TempDir::new().unwrap();
    assert!(matches!(decided.write(&corpus, out.path()), Err(CorpusError::Changed(_))));
}

#[test]
fn short_csv_rows_are_filled_up_before_the_evidence() {
    let (_folder, path) = file("a.csv", "text,id,more\na\n");
    let out = TempDir::new().unwrap();
    let fate = |_| removed("x".into(), 1.0);
    split(&open(&path), out.path(), fate).unwrap();
    let removed = fs::read_to_string(out.path().join("removed.csv")).unwrap();
    assert_eq!(removed, "text,id,more,duplicate_of,score\na,,,x,1\n");
}

#[test]
fn output_that_cannot_be_written_is_an_error_that_names_the_file() {
    let (folder, path) = file("a.jsonl", "{\"text\":\"a\"}\n");
    let error = split(&open(&path), &folder.path().join("missing"), every_second).unwrap_err();
    assert!(matches!(&error, CorpusError::Write { path, .. } if path.ends_with("missing")));
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
