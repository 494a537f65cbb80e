use std::borrow::Cow;

use lookalike_corpus::{Corpus, Fate, Format, InputOptions, OwnedDocument};
use serde_json::json;

use crate::reading::{documents, file, open, outcomes, rows};
use crate::split::{removed, split};

fn three() -> Vec<OwnedDocument> {
    let mut noted = OwnedDocument::new("b", "fog at sea");
    noted.title = Some("Weather".into());
    noted.url = Some("http://sea".into());
    noted.fields.insert("source".into(), json!({ "name": "agency" }));
    vec![OwnedDocument::new("a", "calm sea"), noted, OwnedDocument::from("no id")]
}

#[test]
fn documents_in_memory_are_read_like_rows_of_a_file() {
    for block_bytes in [1, 10, 1 << 20] {
        let corpus = Corpus::from_documents(three()).with_block_bytes(block_bytes);
        let read = documents(&corpus);
        let ids: Vec<&str> = read.iter().map(|document| document.id.as_str()).collect();
        assert_eq!(ids, ["a", "b", "2"]);
        assert_eq!(read[1].text, "fog at sea");
        assert_eq!(read[1].title.as_deref(), Some("Weather"));
        assert_eq!(read[1].url.as_deref(), Some("http://sea"));
        let consumed: u64 = corpus.blocks().map(|block| block.consumed_bytes()).sum();
        assert_eq!((consumed, corpus.size_bytes()), (23, 23));
        corpus.check_unchanged().unwrap();
    }
    let corpus = Corpus::from_documents(three());
    for block in corpus.blocks() {
        block.visit_selected(
            |ordinal| ordinal == 1,
            |row| {
                assert_eq!((row.ordinal, row.place.to_string().as_str()), (1, "memory:2"));
                let document = row.content.unwrap();
                assert_eq!(document.field("source.name"), Some(json!("agency")));
                assert_eq!(document.field("source.nothing"), None);
                assert!(matches!(document.text, Cow::Borrowed(_)));
            },
        );
    }
    assert_eq!(rows(&Corpus::from_documents(Vec::<OwnedDocument>::new())).len(), 0);
}

#[test]
fn documents_in_memory_are_split_into_json_lines() {
    let folder = tempfile::tempdir().unwrap();
    let fate = |ordinal| match ordinal {
        1 => removed("a".into(), 0.9),
        _ => Fate::Kept,
    };
    let written = split(&Corpus::from_documents(three()), folder.path(), fate).unwrap();
    assert_eq!((written.kept, written.removed), (2, 1));
    let read = |name| std::fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!(read("kept.jsonl").lines().count(), 2);
    let removed: serde_json::Value = serde_json::from_str(&read("removed.jsonl")).unwrap();
    assert_eq!(removed["source"]["name"], "agency");
    assert_eq!(removed["duplicate_of"], "a");
}

#[cfg(feature = "parquet")]
mod batches {
    use std::sync::Arc;

    use arrow_array::{
        ArrayRef, Int64Array, LargeStringArray, RecordBatch, StringArray, StringViewArray,
    };
    use lookalike_corpus::{CorpusError, InputOptions, PROBLEM_COLUMN};

    use super::*;

    const TEXTS: [Option<&str>; 4] =
        [Some("calm sea"), None, Some("a text of more than twelve bytes"), Some("")];

    fn batch(texts: ArrayRef) -> RecordBatch {
        let numbers: ArrayRef = Arc::new(Int64Array::from(vec![Some(7), Some(8), None, Some(9)]));
        let stars: ArrayRef = Arc::new(Int64Array::from(vec![3, 1, 4, 1]));
        RecordBatch::try_from_iter([("id", numbers), ("text", texts), ("stars", stars)]).unwrap()
    }

    #[test]
    fn every_string_type_is_read_and_other_columns_are_carried_along() {
        let kinds: [ArrayRef; 3] = [
            Arc::new(StringArray::from(TEXTS.to_vec())),
            Arc::new(LargeStringArray::from(TEXTS.to_vec())),
            Arc::new(StringViewArray::from(TEXTS.to_vec())),
        ];
        for texts in kinds {
            let batches = [batch(Arc::clone(&texts)), batch(texts).slice(2, 1)];
            for block_bytes in [1, 1 << 20] {
                let corpus = Corpus::from_batches(batches.clone(), InputOptions::default())
                    .unwrap()
                    .with_block_bytes(block_bytes);
                let expected = ["7", "8", "2", "9", "4"];
                assert_eq!(outcomes(&corpus), expected);
                let mut stars = Vec::new();
                for block in corpus.blocks() {
                    block.visit(|row| stars.extend(row.content.ok().map(|d| d.field("stars"))));
                }
                assert_eq!(stars, [3, 1, 4, 1, 4].map(|number| Some(json!(number))));
            }
        }
    }

    #[test]
    fn a_batch_may_say_why_a_row_holds_no_document() {
        let whole = batch(Arc::new(StringArray::from(TEXTS.to_vec())));
        let problems = StringArray::from(vec![None, Some("it is a number"), None, None]);
        let mut columns: Vec<(String, ArrayRef)> =
            vec![(PROBLEM_COLUMN.into(), Arc::new(problems))];
        for (field, column) in whole.schema().fields().iter().zip(whole.columns()) {
            columns.push((field.name().clone(), Arc::clone(column)));
        }
        let batch = RecordBatch::try_from_iter_with_nullable(
            columns.into_iter().map(|(name, column)| (name, column, true)),
        )
        .unwrap();
        let corpus = Corpus::from_batches([batch], InputOptions::default()).unwrap();
        assert_eq!(outcomes(&corpus), ["7", "! it is a number", "2", "9"]);
        for block in corpus.blocks() {
            block.visit(|row| {
                let Ok(document) = row.content else { return };
                let fields = document.fields_but(&["text", "id"]);
                assert_eq!(fields.keys().collect::<Vec<_>>(), ["stars"]);
            });
        }
    }

    #[test]
    fn dates_and_decimal_numbers_are_told_as_they_are_written() {
        use arrow_array::{
            Date32Array, Date64Array, Decimal128Array, TimestampMillisecondArray,
            TimestampNanosecondArray, TimestampSecondArray,
        };
        let texts: ArrayRef = Arc::new(StringArray::from(vec!["calm sea"]));
        let price = Decimal128Array::from(vec![1050]).with_precision_and_scale(10, 2).unwrap();
        let id = Decimal128Array::from(vec![90_071_992_547_409_931])
            .with_precision_and_scale(38, 0)
            .unwrap();
        let columns: Vec<(&str, ArrayRef)> = vec![
            ("text", texts),
            ("id", Arc::new(id)),
            ("price", Arc::new(price)),
            ("day", Arc::new(Date32Array::from(vec![2500]))),
            ("day64", Arc::new(Date64Array::from(vec![2500 * 86_400_000]))),
            ("second", Arc::new(TimestampSecondArray::from(vec![31_536_000]))),
            ("zoned", Arc::new(TimestampMillisecondArray::from(vec![-1]).with_timezone("+09:00"))),
            ("nano", Arc::new(TimestampNanosecondArray::from(vec![1_500_000_000]))),
        ];
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        let corpus = Corpus::from_batches([batch], InputOptions::default()).unwrap();
        assert_eq!(outcomes(&corpus), ["90071992547409931"]);
        for block in corpus.blocks() {
            block.visit(|row| {
                let document = row.content.unwrap();
                for (name, expected) in [
                    ("price", "10.50"),
                    ("day", "1976-11-05"),
                    ("day64", "1976-11-05"),
                    ("second", "1971-01-01T00:00:00Z"),
                    ("zoned", "1969-12-31T23:59:59.999Z"),
                    ("nano", "1970-01-01T00:00:01.500Z"),
                ] {
                    assert_eq!(document.field(name), Some(json!(expected)), "{name}");
                }
            });
        }
    }

    #[test]
    fn texts_are_read_where_they_are() {
        let texts = StringArray::from(TEXTS.to_vec());
        let start = texts.value(0).as_ptr();
        let corpus =
            Corpus::from_batches([batch(Arc::new(texts))], InputOptions::default()).unwrap();
        for block in corpus.blocks() {
            block.visit_selected(
                |ordinal| ordinal == 0,
                |row| assert_eq!(row.content.unwrap().text.as_ptr(), start),
            );
        }
    }

    #[test]
    fn batches_without_text_are_refused_with_the_columns_they_have() {
        let batch = batch(Arc::new(StringArray::from(TEXTS.to_vec())));
        let with_key = |key: &str| {
            let options = InputOptions { text_key: key.into(), ..InputOptions::default() };
            Corpus::from_batches([batch.clone()], options)
        };
        let error = with_key("body").unwrap_err();
        assert!(matches!(error, CorpusError::NoTextColumn(_)));
        assert!(error.to_string().contains("id, text, stars"), "{error}");
        assert!(with_key("stars").unwrap_err().to_string().contains("Int64"));
    }

    #[test]
    fn batches_are_split_into_parquet_with_all_their_columns() {
        let folder = tempfile::tempdir().unwrap();
        let texts = StringArray::from(vec!["x", "y", "x", "z"]);
        let corpus =
            Corpus::from_batches([batch(Arc::new(texts))], InputOptions::default()).unwrap();
        let fate = |ordinal| match ordinal {
            2 => removed("7".into(), 1.0),
            _ => Fate::Kept,
        };
        let written = split(&corpus, folder.path(), fate).unwrap();
        assert_eq!((written.kept, written.removed), (3, 1));
        let kept = folder.path().join("kept.parquet").display().to_string();
        let options = InputOptions { fields: vec!["stars".into()], ..InputOptions::default() };
        let kept = Corpus::open(&[kept], options, folder.path()).unwrap();
        assert_eq!(outcomes(&kept), ["7", "8", "9"]);
    }
}

#[test]
fn bytes_in_memory_are_read_like_a_file_of_their_name() {
    let packed = zstd::encode_all(&b"{\"text\": \"fog\"}\nno object\n"[..], 1).unwrap();
    let files: [(&str, &[u8]); 6] = [
        ("a.jsonl", b"{\"id\": 7, \"text\": \"fog\"}\n\n{\"text\": \"sea\"}"),
        ("a.json", b"[{\"text\": \"fog\"}, {\"text\": 3}]"),
        ("a.tsv", b"id\ttext\n1\tfog\n"),
        ("a.mbox", b"From a@b Thu Jan  1 00:00:00 1970\nSubject: Weather\n\nfog\n"),
        ("a.txt", b"fog at sea"),
        ("a.jsonl.zst", &packed),
    ];
    for (name, bytes) in files {
        let (folder, path) = file(name, bytes);
        let on_disk = rows(&open(&path));
        drop(folder);
        let name = path.display().to_string();
        let memory = Corpus::from_bytes(&name, bytes, InputOptions::default()).unwrap();
        assert_eq!(rows(&memory), on_disk);
        assert!(!on_disk.is_empty());
        assert_eq!(memory.size_bytes(), bytes.len() as u64);
        memory.check_unchanged().unwrap();
    }
}

#[test]
fn bytes_in_memory_are_split_into_their_own_format() {
    let folder = tempfile::tempdir().unwrap();
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    let fate = |ordinal| match ordinal {
        1 => removed("1".into(), 0.9),
        _ => Fate::Kept,
    };
    let rows = "id,text\n1,fog\n2,calm\n";
    let corpus = Corpus::from_bytes("a.csv", rows.as_bytes(), InputOptions::default()).unwrap();
    split(&corpus, folder.path(), fate).unwrap();
    assert_eq!(read("kept.csv"), "id,text\n1,fog\n");
    let page = Corpus::from_bytes("note.txt", &b"fog"[..], InputOptions::default()).unwrap();
    split(&page, folder.path(), |_| Fate::Kept).unwrap();
    assert_eq!(read("kept/note.txt"), "fog");
}

#[test]
fn bytes_in_memory_need_a_name_that_tells_a_format_which_needs_no_file() {
    let open = |name: &str, options| Corpus::from_bytes(name, &b"fog"[..], options);
    let sentence = |name| open(name, InputOptions::default()).unwrap_err().to_string();
    assert!(sentence("notes").contains("unknown format"));
    assert!(sentence("a.parquet").contains("record batches"));
    let options = InputOptions { read_as: Some(Format::Text), ..InputOptions::default() };
    assert_eq!(documents(&open("notes", options).unwrap())[0].text, "fog");
}
