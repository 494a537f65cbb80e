//! Texts that stand in several places of a row.

use lookalike_corpus::InputOptions;

use crate::reading::{documents, file, open_with, outcomes};

fn keyed(key: &str) -> InputOptions {
    InputOptions { text_key: key.into(), ..InputOptions::default() }
}

/// Texts and problems of a file of these bytes.
fn texts(name: &str, bytes: &[u8], key: &str) -> Vec<String> {
    let (_folder, path) = file(name, bytes);
    documents(&open_with(&path, keyed(key))).into_iter().map(|document| document.text).collect()
}

const CHATS: &str = concat!(
    r#"{"id":1,"title":"Ferry","messages":[{"role":"user","content":"When?"},{"role":"assistant","content":"At six."}]}"#,
    "\n",
    r#"{"id":2,"title":"Bridge","messages":[{"role":"assistant","content":"Closed."}]}"#,
    "\n",
);

#[test]
fn messages_fields_and_lists_of_rows_of_json_are_one_text() {
    for (key, wanted) in [
        ("messages[].content", ["When?\n\nAt six.", "Closed."]),
        ("messages[role=user].content", ["When?", ""]),
        ("title, messages[role=assistant].content", ["Ferry\n\nAt six.", "Bridge\n\nClosed."]),
    ] {
        assert_eq!(texts("a.jsonl", CHATS.as_bytes(), key), wanted, "{key}");
        let array = format!("[{}]", CHATS.trim().replace('\n', ","));
        assert_eq!(texts("a.json", array.as_bytes(), key), wanted, "{key}");
    }
    // A field of that very name comes first.
    assert_eq!(texts("a.jsonl", br#"{"id":1,"a,b":"one","a":"two"}"#, "a,b"), ["one"]);
    let told = |row: &str, key: &str| {
        let (_folder, path) = file("a.jsonl", row.as_bytes());
        outcomes(&open_with(&path, keyed(key))).remove(0)
    };
    let list = told(r#"{"body":["one","two"]}"#, "body");
    assert_eq!(list, "! field `body` is a list, not a string; `body[]` reads a list of strings");
    assert_eq!(told(r#"{"body":["one",2]}"#, "body[]"), "! field `body` is a number, not a string");
    assert_eq!(
        told(r#"{"body":"one"}"#, "title,text"),
        "! no field `title,text`; the row has: body"
    );
    assert!(told(r#"{"body":"one"}"#, "body[").contains("is no key of texts"));
}

#[test]
fn several_columns_of_a_table_are_one_text() {
    let table = "id,title,body\n1,Ferry,At six.\n2,,Closed.\n";
    assert_eq!(texts("a.csv", table.as_bytes(), "title,body"), ["Ferry\n\nAt six.", "Closed."]);
    let (_folder, path) = file("a.csv", table.as_bytes());
    let told = outcomes(&open_with(&path, keyed("title,text"))).remove(0);
    assert!(told.contains("no column `text`") && told.contains("body"), "{told}");
}

#[cfg(feature = "parquet")]
mod columnar {
    use std::sync::Arc;

    use arrow_array::builder::{ListBuilder, StringBuilder, StructBuilder};
    use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
    use arrow_schema::{DataType, Field, Fields};
    use lookalike_corpus::Corpus;
    use parquet::arrow::ArrowWriter;

    use super::*;

    type Turn = (&'static str, Option<&'static str>);

    const TURNS: [&[Turn]; 3] = [
        &[("user", Some("When?")), ("assistant", Some("At six."))],
        &[("assistant", Some("Closed.")), ("user", None)],
        &[],
    ];

    fn chats() -> RecordBatch {
        let fields = ["role", "content"].map(|name| Field::new(name, DataType::Utf8, true));
        let of_turn = StructBuilder::from_fields(Fields::from(fields.to_vec()), 4);
        let mut messages = ListBuilder::new(of_turn);
        let mut tags = ListBuilder::new(StringBuilder::new());
        for turns in TURNS {
            for (role, content) in turns {
                let turn = messages.values();
                turn.field_builder::<StringBuilder>(0).unwrap().append_value(role);
                turn.field_builder::<StringBuilder>(1).unwrap().append_option(*content);
                turn.append(true);
                tags.values().append_value(role);
            }
            messages.append(true);
            tags.append(true);
        }
        let ids: ArrayRef = Arc::new(Int64Array::from(vec![1, 2, 3]));
        let titles: ArrayRef =
            Arc::new(StringArray::from(vec![Some("Ferry"), Some("Bridge"), None]));
        let (messages, tags): (ArrayRef, ArrayRef) =
            (Arc::new(messages.finish()), Arc::new(tags.finish()));
        let columns = [("id", ids), ("title", titles), ("messages", messages), ("tags", tags)];
        RecordBatch::try_from_iter(columns).unwrap()
    }

    #[test]
    fn lists_of_structures_are_read_from_files_and_from_memory() {
        let batch = chats();
        let mut bytes = Vec::new();
        let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        for (key, wanted) in [
            ("messages[].content", ["When?\n\nAt six.", "Closed.", ""]),
            ("messages[role=user].content", ["When?", "", ""]),
            ("tags[]", ["user\n\nassistant", "assistant\n\nuser", ""]),
            (
                "title,messages[role=assistant].content",
                ["Ferry\n\nAt six.", "Bridge\n\nClosed.", ""],
            ),
        ] {
            assert_eq!(texts("a.parquet", &bytes, key), wanted, "{key}");
            let corpus = Corpus::from_batches([batch.clone()], keyed(key)).unwrap();
            let read: Vec<String> = documents(&corpus).into_iter().map(|row| row.text).collect();
            assert_eq!(read, wanted, "{key}");
        }
    }

    #[test]
    fn columns_that_hold_no_texts_are_told() {
        for (key, wanted) in [
            ("tags", "`tags[]` reads a list of texts"),
            ("messages[]", "column `messages` is"),
            ("title[]", "column `title` is Utf8, not a list"),
            ("body,texts", "no column `body`, `texts`; there are: id, title, messages, tags"),
            ("id,title", "column `id` is Int64, not text"),
        ] {
            let error = Corpus::from_batches([chats()], keyed(key)).unwrap_err().to_string();
            assert!(error.contains(wanted), "{key}: {error}");
        }
    }
}
