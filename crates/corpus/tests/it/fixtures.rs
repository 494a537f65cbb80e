use std::fs;

use lookalike_corpus::{IdKey, InputOptions};
use serde_json::Value;

use crate::reading::{Document, documents, fixture, open, open_with, outcomes, rows};

/// The rows that every tabular fixture holds.
fn expected() -> Vec<Document> {
    let text = fs::read_to_string(fixture("rows_expected.json")).unwrap();
    let rows: Vec<Value> = serde_json::from_str(&text).unwrap();
    let field = |row: &Value, name: &str| row[name].as_str().map(str::to_owned);
    rows.iter()
        .map(|row| Document {
            id: field(row, "id").unwrap(),
            text: field(row, "text").unwrap(),
            title: field(row, "title"),
            url: field(row, "url"),
        })
        .collect()
}

#[test]
fn json_lines_of_other_programs_are_read() {
    let names = ["rows.jsonl", "rows_windows.jsonl", "rows.jsonl.gz", "rows.jsonl.zst"];
    for name in names.into_iter().chain(["members.jsonl.gz", "frames.jsonl.zst"]) {
        assert_eq!(documents(&open(&fixture(name))), expected(), "{name}");
    }
}

#[test]
fn separated_values_of_other_programs_are_read() {
    for name in ["rows.csv", "rows_quoted.csv", "rows.tsv", "rows.csv.gz", "rows.tsv.zst"] {
        assert_eq!(documents(&open(&fixture(name))), expected(), "{name}");
    }
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_of_other_programs_is_read_in_every_string_type() {
    for name in ["utf8.parquet", "large.parquet", "view.parquet", "dictionary.parquet"] {
        assert_eq!(documents(&open(&fixture(name))), expected(), "{name}");
        let small_blocks = open(&fixture(name)).with_block_bytes(1);
        assert_eq!(documents(&small_blocks), expected(), "{name}");
    }
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_ids_may_be_numbers_and_a_null_text_is_an_empty_one() {
    let corpus = open(&fixture("numbers.parquet"));
    assert_eq!(outcomes(&corpus), ["7", "8"]);
}

#[test]
fn other_fields_are_found_in_every_tabular_format() {
    let mut names = vec!["rows.jsonl", "rows.csv"];
    if cfg!(feature = "parquet") {
        names.push("utf8.parquet");
    }
    for name in names {
        let options = InputOptions { fields: vec!["year".into()], ..InputOptions::default() };
        let mut years = Vec::new();
        for block in open_with(&fixture(name), options).blocks() {
            block.visit(|row| {
                let year = row.content.unwrap().field("year");
                years.push(year.map(|year| year.to_string().trim_matches('"').to_owned()));
            });
        }
        assert_eq!(years[0].as_deref(), Some("2019"), "{name}");
        assert_eq!(years[3].as_deref(), Some("1998"), "{name}");
    }
}

#[test]
fn nested_fields_are_found_by_path() {
    let mut names = vec!["rows.jsonl"];
    if cfg!(feature = "parquet") {
        names.push("large.parquet");
    }
    for name in names {
        let options = InputOptions { text_key: "meta.lang".into(), ..InputOptions::default() };
        let texts: Vec<String> = documents(&open_with(&fixture(name), options))
            .into_iter()
            .map(|document| document.text)
            .collect();
        assert_eq!(texts, ["en", "de", "zh", "en"], "{name}");
    }
}

#[cfg(all(feature = "mail", feature = "html"))]
fn messages() -> Vec<(&'static str, &'static str)> {
    vec![
        (
            "Moorings after the storm",
            "From now on the western moorings are closed.\n\n\
             From the office you may borrow a rope; sign for it.",
        ),
        ("Grüße aus dem Büro", "Die Öffnungszeiten ändern sich: ab Montag schließen wir früher."),
        ("码头通知", "明天上午码头停水，请提前准备。"),
        ("Two versions", "The plain version counts."),
        ("Only a page", "Bring your own cup.\nCafé opens at ten."),
    ]
}

#[cfg(all(feature = "mail", feature = "html"))]
fn assert_messages(read: &[Document], expected: &[(&str, &str)]) {
    assert_eq!(read.len(), expected.len());
    for (document, (subject, body)) in read.iter().zip(expected) {
        assert_eq!(document.title.as_deref(), Some(*subject));
        let (title, rest) = document.text.split_once("\n\n").unwrap();
        assert_eq!(title, *subject);
        let lines = |text: &str| {
            let lines = text.lines().map(str::trim_end).filter(|line| !line.is_empty());
            lines.collect::<Vec<_>>().join("\n")
        };
        assert_eq!(lines(rest), lines(body));
    }
}

#[cfg(all(feature = "mail", feature = "html"))]
#[test]
fn messages_are_decoded_from_whatever_they_were_sent_in() {
    let messages = messages();
    let read = documents(&open(&fixture("mail")));
    let order: Vec<&str> = read.iter().map(|document| document.id.as_str()).collect();
    assert_eq!(order, ["accents.eml", "alternative.eml", "chinese.eml", "page.eml", "plain.eml"]);
    let sorted = [messages[1], messages[3], messages[2], messages[4], messages[0]];
    assert_messages(&read, &sorted);
}

#[cfg(all(feature = "mail", feature = "html"))]
#[test]
fn mbox_is_cut_at_its_separators_whatever_the_block_size() {
    for name in ["archive.mbox", "archive.mbox.gz"] {
        let corpus = open(&fixture(name));
        assert_messages(&documents(&corpus), &messages());
        for block_bytes in [1, 7, 64, 1000] {
            assert_eq!(rows(&corpus.with_block_bytes(block_bytes)), rows(&corpus));
        }
    }
    let path = fixture("archive.mbox").display().to_string();
    assert_eq!(documents(&open(&fixture("archive.mbox")))[4].id, format!("{path}:5"));
}

#[cfg(all(feature = "mail", feature = "html"))]
#[test]
fn maildir_gives_delivered_messages_only() {
    let corpus = open(&fixture("maildir"));
    assert_messages(&documents(&corpus), &messages()[..3]);
    assert_eq!(outcomes(&corpus)[2], "new/1003.M3.harbour");
    assert_eq!(corpus.ignored().len(), 1);
}

#[cfg(feature = "mail")]
#[test]
fn a_message_can_be_known_by_a_header() {
    let options =
        InputOptions { id_key: IdKey::Field("message-id".into()), ..InputOptions::default() };
    let corpus = open_with(&fixture("archive.mbox"), options);
    assert_eq!(outcomes(&corpus)[..2], ["1@harbour.example", "2@harbour.example"]);
    for block in corpus.blocks() {
        block.visit(|row| {
            let date = row.content.unwrap().field("date").unwrap();
            assert_eq!(date, Value::from("2008-07-20T12:00:00Z"));
        });
    }
}

#[cfg(feature = "html")]
#[test]
fn folders_give_one_document_a_file_in_order_of_their_paths() {
    let corpus = open(&fixture("folder"));
    let read = documents(&corpus);
    let ids: Vec<&str> = read.iter().map(|document| document.id.as_str()).collect();
    assert_eq!(ids, ["a.md", "b.txt", "deeper/page.html", "wide.txt"]);
    assert_eq!(read[1].text.trim(), "Ein Kännchen Kaffee für die Wartenden im Büro.");
    assert_eq!(read[2].title.as_deref(), Some("Prices & hours"));
    assert!(read[2].text.contains("A coffee in the café is two euros."), "{}", read[2].text);
    assert!(!read[2].text.contains("hidden"));
    assert_eq!(read[3].text.trim(), "The notice board stands by the gate.");
    assert!(corpus.ignored()[0].path.ends_with("photo.jpg"));
}
