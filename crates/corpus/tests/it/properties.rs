use csv::ReaderBuilder;
use lookalike_corpus::{IdKey, InputOptions};
use proptest::prelude::*;
use serde_json::{Map, Value};

use crate::reading::{Document, Read, file, open, open_with, rows};

/// Rows as a program that parses everything would read them.
fn naive(lines: &str, name: &str, options: &InputOptions) -> Vec<Option<Document>> {
    let lines = lines.split('\n').enumerate().filter(|(_, line)| !line.trim_ascii().is_empty());
    lines
        .map(|(place, line)| {
            let row: Value = serde_json::from_str(line).ok()?;
            let field = |key: &str| {
                row.get(key)
                    .cloned()
                    .or_else(|| key.split('.').try_fold(&row, |at, part| at.get(part)).cloned())
            };
            let string = |key: &str| field(key)?.as_str().map(str::to_owned);
            let id = options.id_key.field().and_then(|key| match field(key)? {
                Value::String(id) => Some(id).filter(|id| !id.is_empty()),
                Value::Number(number) => Some(number.to_string()),
                Value::Bool(truth) => Some(truth.to_string()),
                _ => None,
            });
            row.is_object().then_some(())?;
            Some(Document {
                id: id.unwrap_or_else(|| format!("{name}:{}", place + 1)),
                text: match field(&options.text_key)? {
                    // A text that is null is an empty one.
                    Value::Null => String::new(),
                    text => text.as_str()?.to_owned(),
                },
                title: options.title_keys.iter().find_map(|key| string(key)),
                url: string(&options.url_key),
            })
        })
        .collect()
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
        "[a-z \"\\\\\n\t\u{1}é中🐦]{0,20}".prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            object(inner).prop_map(Value::from),
        ]
    })
}

fn object(inner: impl Strategy<Value = Value>) -> impl Strategy<Value = Map<String, Value>> {
    let key =
        prop::sample::select(vec!["id", "text", "title", "subject", "url", "a", "b", "a.b", "ü"]);
    prop::collection::vec((key.prop_map(str::to_owned), inner), 0..6)
        .prop_map(|members| members.into_iter().collect())
}

fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => object(value()).prop_map(|row| Value::from(row).to_string()),
        2 => object(value()).prop_map(|mut row| {
            row.insert("text".into(), Value::from("words that \"count\""));
            Value::from(row).to_string()
        }),
        1 => "[ \t\r]{0,3}",
        1 => "[^\n]{0,20}",
        // Keys that come twice: the last one counts.
        1 => Just(r#"{"text":1,"id":"x","text":"b","id":2,"title":"t","title":3}"#.to_owned()),
    ]
}

fn readable(rows: &[Read]) -> Vec<Option<Document>> {
    rows.iter().map(|row| row.content.clone().ok()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn json_lines_are_read_as_a_naive_reader_reads_them(
        lines in prop::collection::vec(line(), 0..12),
        block_bytes in 1usize..200,
        text_key in prop::sample::select(vec!["text", "a.b", "a"]),
        id_key in prop::sample::select(vec![Some("id"), Some("url"), Some("a"), None]),
    ) {
        let lines = lines.join("\n");
        let (_folder, path) = file("a.jsonl", &lines);
        let options = InputOptions {
            text_key: text_key.into(),
            id_key: id_key.map_or(IdKey::Row, |key| IdKey::Field(key.into())),
            ..InputOptions::default()
        };
        let corpus = open_with(&path, options.clone());
        let read = rows(&corpus);
        prop_assert_eq!(readable(&read), naive(&lines, path.to_str().unwrap(), &options));
        prop_assert_eq!(rows(&corpus.with_block_bytes(block_bytes)), read);
    }

    #[test]
    fn csv_records_are_those_of_the_csv_crate(
        body in "[ab,\"\r\n é]{0,80}",
        block_bytes in 1usize..40,
    ) {
        let table = format!("text,id\n{body}");
        let (_folder, path) = file("a.csv", &table);
        let corpus = open(&path);
        let read = rows(&corpus);
        let mut reader = ReaderBuilder::new().flexible(true).from_reader(table.as_bytes());
        let mut expected: Vec<Option<String>> = reader
            .records()
            .map(|record| record.unwrap())
            .map(|record| {
                record.iter().skip(2).all(str::is_empty).then(|| record[0].to_owned())
            })
            .collect();
        // Inside a quote that is never closed the crate takes the rest of the file for a field.
        let more = format!("{table}\nlast,row\n");
        let mut reader = ReaderBuilder::new().flexible(true).from_reader(more.as_bytes());
        let last = reader.records().last().unwrap().unwrap();
        if last != vec!["last", "row"] {
            *expected.last_mut().unwrap() = None;
        }
        let texts: Vec<Option<String>> =
            read.iter().map(|row| row.content.clone().ok().map(|found| found.text)).collect();
        prop_assert_eq!(texts, expected);
        prop_assert_eq!(rows(&corpus.with_block_bytes(block_bytes)), read);
    }

    #[test]
    fn an_array_has_the_rows_of_its_lines(
        rows_of in prop::collection::vec(object(value()), 1..5),
        block_bytes in 1usize..60,
        pretty in any::<bool>(),
    ) {
        let lines: Vec<String> =
            rows_of.iter().map(|row| serde_json::to_string(row).unwrap()).collect();
        let array = if pretty {
            serde_json::to_string_pretty(&rows_of).unwrap()
        } else {
            format!("[{}]\n", lines.join(","))
        };
        let (_folder, path) = file("a.jsonl", lines.join("\n"));
        let options = InputOptions { id_key: IdKey::Field("absent".into()), ..InputOptions::default() };
        let text = |row: &Read| row.content.clone().map(|found| (found.text, found.title)).ok();
        let expected: Vec<_> = rows(&open_with(&path, options.clone())).iter().map(text).collect();
        let (_folder, path) = file("a.json", array);
        let corpus = open_with(&path, options);
        let read: Vec<_> = rows(&corpus).iter().map(text).collect();
        prop_assert_eq!(&read, &expected);
        let cut: Vec<_> = rows(&corpus.with_block_bytes(block_bytes)).iter().map(text).collect();
        prop_assert_eq!(cut, expected);
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        for name in ["a.jsonl", "a.csv", "a.tsv", "a.mbox", "a.eml", "a.html", "a.txt", "a.parquet",
            "a.jsonl.gz", "a.txt.zst", "a.json", "a.warc", "a.jsonl.xz", "a.jsonl.bz2"] {
            let (_folder, path) = file(name, &bytes);
            let corpus = open(&path);
            prop_assert_eq!(rows(&corpus), rows(&corpus.with_block_bytes(3)));
        }
    }
}
