use std::fs;

use lookalike_corpus::{Corpus, IdKey, InputOptions};

use crate::reading::{documents, file, fixture, incomplete, open, open_with, outcomes, rows};

#[cfg(feature = "html")]
#[test]
fn pages_in_an_archive_are_read_as_the_same_pages_in_files() {
    let files = documents(&open(&fixture("pages")));
    for name in ["pages.warc", "pages.warc.gz"] {
        let options = InputOptions {
            id_key: IdKey::Field("WARC-Target-URI".into()),
            ..InputOptions::default()
        };
        let corpus = open_with(&fixture(name), options);
        let mut pages = Vec::new();
        let mut others = Vec::new();
        for row in crate::reading::rows(&corpus) {
            match row.content {
                Ok(page) => pages.push(page),
                Err(reason) => others.push(reason),
            }
        }
        assert_eq!(others, ["the server answered 301", "the content is image/png, not a page"]);
        pages.sort_by(|a, b| a.id.cmp(&b.id));
        assert_eq!(pages.len(), files.len());
        for (page, saved) in pages.iter().zip(&files) {
            assert_eq!(page.id, format!("https://harbour.example/{}", saved.id));
            assert_eq!(page.url.as_deref(), Some(page.id.as_str()));
            assert_eq!((&page.text, &page.title), (&saved.text, &saved.title));
        }
        let all = outcomes(&open(&fixture(name)));
        assert_eq!(all[0], "<urn:uuid:00000000-0000-4000-8000-000000000001>");
        for block_bytes in [1, 7, 100, 1000] {
            let cut = open(&fixture(name)).with_block_bytes(block_bytes);
            assert_eq!(outcomes(&cut), all, "{block_bytes}");
        }
    }
}

#[test]
fn the_text_of_a_page_stands_in_a_wet_file() {
    let read = documents(&open(&fixture("pages.wet.gz")));
    assert_eq!(read.len(), 1);
    assert_eq!(read[0].text, "The ticket office is closed on Mondays.\n");
    assert_eq!(read[0].url.as_deref(), Some("https://harbour.example/notice.txt"));
}

#[test]
fn an_archive_that_is_cut_or_damaged_says_so() {
    let bytes = fs::read(fixture("pages.warc")).unwrap();
    let (_folder, path) = file("a.warc", &bytes[..bytes.len() - 15]);
    let read = outcomes(&open(&path));
    assert_eq!(read.last().unwrap(), "! the file ends in the middle of this row");
    assert_eq!(incomplete(&open(&path)), [read.len() - 1]);
    let mut damaged = b"no archive\n".to_vec();
    damaged.extend_from_slice(&bytes);
    let (_folder, path) = file("a.warc", &damaged);
    let read = outcomes(&open(&path));
    assert_eq!(read[0], "! not a record of a web archive");
    assert_eq!(read[1..], outcomes(&open(&fixture("pages.warc"))));
}

#[test]
fn what_is_no_record_ends_in_the_same_place_whatever_the_blocks() {
    // Inside what is none, the beginning of a record means nothing unless it begins a line.
    let archive = "no archive\r\n\r\nmore of it, WARC/1.0\r\nWARC-Type: conversion\r\n\
                   Content-Length: 20\r\n\r\nno page\r\nWARC/1.0\r\nWARC-Type: conversion\r\n\
                   WARC-Record-ID: a\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n\r\n\
                   fog\r\n\r\n";
    let options = InputOptions::default();
    let corpus = Corpus::from_bytes("a.warc", archive.as_bytes(), options).unwrap();
    assert_eq!(outcomes(&corpus), ["! not a record of a web archive", "a"]);
    for block_bytes in 1..archive.len() {
        let cut = corpus.with_block_bytes(block_bytes);
        assert_eq!(rows(&cut), rows(&corpus), "{block_bytes}");
    }
}

#[test]
fn arrays_and_other_compressions_hold_the_same_rows() {
    let expected = documents(&open(&fixture("rows.jsonl")));
    for name in ["rows.json", "rows.json.xz", "rows.json.bz2", "rows.jsonl.xz", "rows.jsonl.bz2"] {
        assert_eq!(documents(&open(&fixture(name))), expected, "{name}");
        for block_bytes in [1, 50] {
            let cut = open(&fixture(name)).with_block_bytes(block_bytes);
            assert_eq!(documents(&cut), expected, "{name}");
        }
    }
}

#[test]
fn arrays_that_are_no_good_lose_their_bad_rows_only() {
    for empty in ["[]", " [\n]\n", "[ ]"] {
        let (_folder, path) = file("a.json", empty);
        assert_eq!(outcomes(&open(&path)), [""; 0], "{empty}");
    }
    let array = r#"[{"id":"a","text":"[,]\\"}, 7, {"id":"b"}, {"id":"c","text":"x"}] tail"#;
    let (_folder, path) = file("a.json", array);
    let expected = [
        "a",
        "! the row is not a JSON object",
        "! no field `text`; the row has: id",
        "c",
        "! the row is not a JSON object",
    ];
    assert_eq!(outcomes(&open(&path)), expected);
    let (_folder, path) = file("a.json", &array[..60]);
    let read = outcomes(&open(&path));
    assert_eq!(read.last().unwrap(), "! the file ends in the middle of this row");
    assert_eq!(incomplete(&open(&path)), [read.len() - 1]);
}

#[cfg(feature = "mail")]
#[test]
fn a_mailbox_without_extension_is_known_by_its_first_line() {
    let folder = tempfile::TempDir::new().unwrap();
    fs::copy(fixture("archive.mbox"), folder.path().join("Inbox")).unwrap();
    fs::write(folder.path().join("Notes"), "From here on no mail.\n").unwrap();
    let read = documents(&open(folder.path()));
    let expected = documents(&open(&fixture("archive.mbox")));
    assert_eq!(read.len(), 5);
    let texts = |read: &[crate::reading::Document]| -> Vec<String> {
        read.iter().map(|document| document.text.clone()).collect()
    };
    assert_eq!(texts(&read), texts(&expected));
}

#[cfg(feature = "html")]
#[test]
fn a_field_may_hold_a_page() {
    let options = InputOptions { html: true, ..InputOptions::default() };
    let page = "<title>Fog</title><p>The <b>ferry</b> waits.";
    let row = serde_json::json!({"id": "a", "text": page}).to_string();
    for (name, content) in [
        ("a.jsonl", row.clone()),
        ("a.json", format!("[{row}]")),
        ("a.csv", format!("id,text\na,{page}\n")),
    ] {
        let (_folder, path) = file(name, content);
        let read = documents(&open_with(&path, options.clone()));
        assert_eq!(read[0].text, "The ferry waits.", "{name}");
        assert_eq!(read[0].title.as_deref(), Some("Fog"), "{name}");
    }
}
