use std::fs;

use lookalike_corpus::{Corpus, CorpusError, InputOptions};
use tempfile::TempDir;

use crate::reading::{file, fixture, incomplete, open, open_with, outcomes, rows};

fn opened(inputs: &[&str]) -> Result<Corpus, CorpusError> {
    let inputs: Vec<String> = inputs.iter().map(ToString::to_string).collect();
    Corpus::open(&inputs, InputOptions::default(), &std::env::temp_dir())
}

#[test]
fn input_that_leads_nowhere_is_an_error_that_says_so() {
    assert!(matches!(opened(&[]), Err(CorpusError::NoInput)));
    assert!(matches!(opened(&["no/such/file.jsonl"]), Err(CorpusError::NotFound(_))));
    assert!(matches!(opened(&["no/such/*.jsonl"]), Err(CorpusError::NothingFound { .. })));
    assert!(matches!(opened(&["[[*"]), Err(CorpusError::BadPattern { .. })));
    let (_folder, path) = file("table.xlsx", "x");
    let error = opened(&[path.to_str().unwrap()]).unwrap_err();
    assert!(error.to_string().contains(".jsonl"), "{error}");
    let error = opened(&[path.parent().unwrap().to_str().unwrap()]).unwrap_err();
    assert!(error.to_string().contains("(1 others were ignored"), "{error}");
}

#[test]
fn empty_files_have_no_rows() {
    for name in ["a.jsonl", "a.csv", "a.mbox"] {
        let (_folder, path) = file(name, "");
        assert_eq!(rows(&open(&path)), [], "{name}");
    }
}

#[test]
fn bad_lines_say_what_is_wrong_and_good_ones_are_read() {
    let lines = [
        r#"{"id": "good", "text": "a"}"#,
        r#"{"id": "cut", "text": "a"#,
        r#"{"id": "trailing", "text": "a"} x"#,
        r#"{"id": "none", "body": "a"}"#,
        r#"{"id": "number", "text": 12}"#,
        r#"{"id": "null", "text": null}"#,
        r#"{"id": "list", "text": ["a"]}"#,
        r#"["text"]"#,
        r#"{"id": 12345678901234567890123, "text": ""}"#,
        r#"{"id": null, "text": ""}"#,
        r#"{"id": "", "text": ""}"#,
    ];
    let (_folder, path) = file("a.jsonl", lines.join("\n"));
    let name = path.display().to_string();
    let expected = [
        "good",
        "! malformed JSON at column 24: EOF while parsing a string",
        "! malformed JSON at column 33: trailing characters",
        "! no field `text`; the row has: id, body",
        "! field `text` is a number, not a string",
        "null",
        "! field `text` is a list, not a string; `text[]` reads a list of strings",
        "! the row is a JSON list; give one object a line",
        "12345678901234567890123",
        &format!("{name}:10"),
        &format!("{name}:11"),
    ];
    assert_eq!(outcomes(&open(&path)), expected);
    assert_eq!(incomplete(&open(&path)), [0; 0], "a bad row does not make a file incomplete");
    let second = rows(&open(&path)).swap_remove(1);
    assert_eq!(second.place, format!("{name}:2"));
}

#[test]
fn invalid_utf8_costs_its_own_row_only() {
    let (_folder, path) =
        file("a.jsonl", b"{\"id\":\"a\",\"text\":\"\xFF\"}\n{\"id\":\"b\",\"text\":\"\"}\n");
    assert_eq!(outcomes(&open(&path)), ["! invalid UTF-8 at byte 19", "b"]);
    let (_folder, path) = file("a.csv", b"id,text\na,\xFF\nb,c\n");
    assert_eq!(outcomes(&open(&path)), ["! invalid UTF-8 in column `text`", "b"]);
}

#[test]
fn over_long_rows_are_skipped_wherever_blocks_end() {
    let long = "x".repeat(500);
    let lines = format!(
        "{{\"id\":\"a\",\"text\":\"\"}}\n{{\"id\":\"b\",\"text\":\"{long}\"}}\n\
         {{\"id\":\"c\",\"text\":\"\"}}\n{long}"
    );
    let (_folder, path) = file("a.jsonl", lines);
    let options = InputOptions { max_row_bytes: 100, ..InputOptions::default() };
    let corpus = open_with(&path, options);
    let expected = [
        "a",
        "! the row has 521 bytes, more than the 100 allowed",
        "c",
        "! the row has 500 bytes, more than the 100 allowed",
    ];
    for block_bytes in [1, 10, 99, 100, 101, 400, 10_000] {
        assert_eq!(outcomes(&corpus.with_block_bytes(block_bytes)), expected, "{block_bytes}");
    }
}

#[test]
fn a_quote_that_is_never_closed_leaves_a_file_incomplete_however_much_it_swallows() {
    let rest = "more,of,this\n".repeat(100);
    let (_folder, path) = file("a.csv", format!("id,text\na,b\nc,\"{rest}"));
    let never_closed =
        "! a quote is opened here that is never closed; all that follows is inside it";
    for max_row_bytes in [100, 10_000] {
        let options = InputOptions { max_row_bytes, ..InputOptions::default() };
        let corpus = open_with(&path, options);
        for block_bytes in [1, 7, 100, 10_000] {
            let corpus = corpus.with_block_bytes(block_bytes);
            assert_eq!(outcomes(&corpus), ["a", never_closed]);
            assert_eq!(incomplete(&corpus), [1]);
        }
    }
}

#[test]
fn rows_before_the_cut_of_a_truncated_file_are_delivered() {
    let row = |row: u64| format!("{{\"id\":{row},\"text\":\"{}\"}}\n", row * 7919);
    let lines = (0..20_000).map(row).collect::<Vec<_>>().concat();
    let gzip = {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        std::io::Write::write_all(&mut encoder, lines.as_bytes()).unwrap();
        encoder.finish().unwrap()
    };
    let zstd = zstd::encode_all(lines.as_bytes(), 3).unwrap();
    for (name, bytes) in [("a.jsonl.gz", gzip), ("a.jsonl.zst", zstd)] {
        let (_folder, path) = file(name, &bytes[..bytes.len() * 9 / 10]);
        let read = outcomes(&open(&path));
        let (last, good) = read.split_last().unwrap();
        assert!(good.len() > 1000, "{name}: {} rows", good.len());
        assert!(good.iter().enumerate().all(|(place, id)| *id == place.to_string()));
        assert!(last.starts_with("! the rest of the file from here on cannot be read"), "{last}");
        assert_eq!(incomplete(&open(&path)), [good.len()], "{name}");
        let corpus = open(&path);
        assert_eq!(corpus.incomplete(), [], "nothing was read yet");
        (0..2).for_each(|_| assert_eq!(outcomes(&corpus), read));
        let files: Vec<String> = corpus.incomplete().iter().map(ToString::to_string).collect();
        assert!(files.len() == 1 && files[0].contains("cannot be read"), "{files:?}");
        assert_eq!(outcomes(&open(&path)), read);
    }
}

#[cfg(feature = "parquet")]
#[test]
fn truncated_parquet_is_one_unreadable_entry() {
    let bytes = fs::read(fixture("utf8.parquet")).unwrap();
    for length in [0, 3, 100, bytes.len() - 1] {
        let (_folder, path) = file("a.parquet", &bytes[..length]);
        let read = outcomes(&open(&path));
        assert_eq!(read.len(), 1);
        assert!(read[0].starts_with("! not a complete Parquet file"), "{}", read[0]);
        assert_eq!(incomplete(&open(&path)), [0]);
    }
}

#[cfg(feature = "parquet")]
#[test]
fn damaged_parquet_never_panics() {
    let bytes = fs::read(fixture("large.parquet")).unwrap();
    for place in (4..bytes.len()).step_by(37) {
        let mut damaged = bytes.clone();
        damaged[place] ^= 0x55;
        let (_folder, path) = file("a.parquet", &damaged);
        assert!(rows(&open(&path)).len() <= 5, "byte {place}");
    }
}

#[test]
fn tables_without_a_text_column_name_the_columns_they_have() {
    let (_folder, path) = file("a.csv", "id,body\na,b\nc,d\n");
    assert_eq!(outcomes(&open(&path)), ["! no column `text`; the header has: id, body"]);
    if cfg!(feature = "parquet") {
        let options = InputOptions { text_key: "body".into(), ..InputOptions::default() };
        let read = outcomes(&open_with(&fixture("utf8.parquet"), options));
        assert_eq!(read, ["! no column `body`; there are: id, title, text, url, year, meta"]);
        let options = InputOptions { text_key: "year".into(), ..InputOptions::default() };
        let read = outcomes(&open_with(&fixture("utf8.parquet"), options));
        assert_eq!(read, ["! column `year` is Int64, not text"]);
    }
}

#[test]
fn csv_rows_that_lack_the_text_or_have_more_than_the_header_names_are_reported() {
    let (_folder, path) = file("a.csv", "id,text\na\n\nb,c,d\r\ne,f,\n");
    let expected = [
        "! the row has 1 columns and ends before column `text`",
        "! the row has 3 columns, the header 2; fields that contain the separator need quotes",
        "e",
    ];
    assert_eq!(outcomes(&open(&path)), expected);
    assert!(rows(&open(&path))[1].place.ends_with(":4"));
}

#[cfg(feature = "mail")]
#[test]
fn what_is_no_mail_is_said_to_be_none() {
    let (_folder, path) = file("a.eml", "just some words\nand some more\n");
    assert_eq!(outcomes(&open(&path)), ["! not a mail message: it has no mail header"]);
    let (_folder, path) =
        file("a.mbox", "just some words\n\nFrom a Sun Jul 20 12:00:00 2008\nSubject: s\n\nb\n");
    let read = outcomes(&open(&path));
    assert!(read[0].starts_with("! the file does not begin with a line `From ...`"), "{}", read[0]);
    assert!(read[1].ends_with("a.mbox:2"), "{}", read[1]);
}

#[cfg(unix)]
#[test]
fn what_may_not_be_read_in_a_folder_is_reported_and_the_rest_is_read() {
    use std::os::unix::fs::PermissionsExt;

    let folder = TempDir::new().unwrap();
    let closed = folder.path().join("closed");
    fs::create_dir(&closed).unwrap();
    fs::write(closed.join("inside.txt"), "x").unwrap();
    fs::write(folder.path().join("open.txt"), "y").unwrap();
    fs::write(folder.path().join("secret.txt"), "z").unwrap();
    std::os::unix::fs::symlink(folder.path(), folder.path().join("loop")).unwrap();
    let forbid = |path: &std::path::Path| {
        fs::set_permissions(path, fs::Permissions::from_mode(0o000)).unwrap();
    };
    forbid(&closed);
    forbid(&folder.path().join("secret.txt"));
    let is_superuser = fs::read_dir(&closed).is_ok();
    let read = outcomes(&open(folder.path()));
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o755)).unwrap();
    if is_superuser {
        // Nothing is forbidden to the superuser.
        assert_eq!(read, ["closed/inside.txt", "open.txt", "secret.txt"]);
        return;
    }
    assert!(read[0].contains("ermission denied"), "{read:?}");
    assert_eq!(read[1], "open.txt");
    assert!(read[2].contains("ermission denied"), "{read:?}");
}
