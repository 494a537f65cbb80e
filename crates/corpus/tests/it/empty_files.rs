use std::fs;
use std::io::Read;

use lookalike_corpus::Fate;
use tempfile::TempDir;

use crate::reading::{file, open, outcomes};
use crate::split::split;

/// What becomes of a file of this name, of which every row is kept: kept and removed rows.
fn kept_and_removed(name: &str, content: impl AsRef<[u8]>) -> [Vec<u8>; 2] {
    let (_folder, path) = file(name, content);
    let out = TempDir::new().unwrap();
    let written = split(&open(&path), out.path(), |_| Fate::Kept).unwrap();
    assert_eq!((written.removed, written.unreadable), (0, 0), "{name}");
    let extension = name.split_once('.').unwrap().1;
    ["kept", "removed"]
        .map(|side| fs::read(out.path().join(format!("{side}.{extension}"))).unwrap())
}

fn gunzip(bytes: &[u8]) -> String {
    let mut text = String::new();
    flate2::read::MultiGzDecoder::new(bytes).read_to_string(&mut text).unwrap();
    text
}

#[test]
fn a_file_without_rows_comes_out_as_one_without_rows() {
    for (name, content, kept, removed) in [
        ("a.jsonl", "", "", ""),
        ("a.jsonl", "\n\n", "", ""),
        ("a.csv", "id,text\r\n", "id,text\r\n", "id,text,duplicate_of,score\r\n"),
        ("a.tsv", "id\ttext", "id\ttext\n", "id\ttext\tduplicate_of\tscore\n"),
        ("a.json", "[ ]", "[]\n", "[]\n"),
        ("a.mbox", "", "", ""),
    ] {
        let written = kept_and_removed(name, content).map(|file| String::from_utf8(file).unwrap());
        assert_eq!(written, [kept, removed], "{name}");
    }
}

#[test]
fn a_compressed_file_without_rows_can_be_read_again() {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let empty = {
        std::io::Write::write_all(&mut encoder, b"").unwrap();
        encoder.finish().unwrap()
    };
    for name in ["a.jsonl.gz", "a.warc.gz"] {
        for written in kept_and_removed(name, &empty) {
            assert_eq!(gunzip(&written), "", "{name}");
            let (_folder, path) = file(name, &written);
            assert_eq!(outcomes(&open(&path)), [""; 0], "{name}");
        }
    }
}

#[test]
fn a_shard_without_rows_is_not_missing_among_the_others() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("a.csv"), "id,text\n1,a\n").unwrap();
    fs::write(folder.path().join("b.csv"), "id,text\n").unwrap();
    fs::write(folder.path().join("c.csv"), "id,text\n3,c\n").unwrap();
    let out = TempDir::new().unwrap();
    split(&open(folder.path()), out.path(), |_| Fate::Kept).unwrap();
    let read = |name: &str| fs::read_to_string(out.path().join(name)).unwrap();
    assert_eq!(read("kept/a.csv"), "id,text\n1,a\n");
    assert_eq!(read("kept/b.csv"), "id,text\n");
    assert_eq!(read("kept/c.csv"), "id,text\n3,c\n");
}

#[cfg(feature = "parquet")]
#[test]
fn a_table_without_rows_keeps_its_columns() {
    use arrow_array::RecordBatch;
    use arrow_schema::{DataType, Field, Schema};
    use parquet::arrow::ArrowWriter;
    use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
    use std::sync::Arc;

    let fields =
        [Field::new("id", DataType::Int64, false), Field::new("text", DataType::Utf8, true)];
    let schema = Arc::new(Schema::new(fields.to_vec()));
    let mut table = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut table, Arc::clone(&schema), None).unwrap();
    writer.write(&RecordBatch::new_empty(schema)).unwrap();
    writer.close().unwrap();
    let columns = kept_and_removed("a.parquet", &table).map(|file| {
        let (_folder, path) = self::file("b.parquet", file);
        let file = fs::File::open(path).unwrap();
        let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
        assert_eq!(reader.metadata().file_metadata().num_rows(), 0);
        let fields = reader.schema().fields().iter();
        fields.map(|field| field.name().clone()).collect::<Vec<_>>()
    });
    assert_eq!(columns[0], ["id", "text"]);
    assert_eq!(columns[1], ["id", "text", "duplicate_of", "score"]);
}
