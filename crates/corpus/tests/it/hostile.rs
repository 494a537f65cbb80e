use lookalike_corpus::{Corpus, InputOptions, Stop};

use crate::reading::{file, open, outcomes};

#[cfg(feature = "mail")]
#[test]
fn messages_nested_thousands_deep_are_one_unreadable_row() {
    let level = "Content-Type: message/rfc822\n\n";
    let mail = format!("Subject: fog\n{}Subject: inner\n\nb\n", level.repeat(40_000));
    let (_folder, path) = file("a.eml", &mail);
    assert_eq!(outcomes(&open(&path)), ["! the message has more than 500 others in it"]);
    let (_folder, path) = file(
        "a.mbox",
        format!(
            "From a Sun Jul 20 12:00:00 2008\n{mail}\nFrom b Sun Jul 20 12:00:00 2008\nSubject: s\n\nb\n"
        ),
    );
    let read = outcomes(&open(&path));
    assert_eq!(read[0], "! the message has more than 500 others in it");
    assert!(read[1].ends_with("a.mbox:2"), "{read:?}");
}

#[cfg(feature = "mail")]
#[test]
fn messages_nested_inside_an_encoded_part_do_not_exhaust_the_stack() {
    let level = "Content-Type: message/rfc822\n\n";
    let inner = format!("Subject: x\n{}Subject: inner\n\nb\n", level.repeat(100_000));
    // Quoted-printable needs no more than `=` for `=`; there is none in it.
    let mail = format!(
        "Subject: fog\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nHere it is.\n--b\n\
         Content-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\n{}\n--b--\n",
        base64(inner.as_bytes())
    );
    let (_folder, path) = file("a.eml", &mail);
    let read = outcomes(&open(&path));
    assert_eq!(read.len(), 1);
    assert!(read[0].ends_with("a.eml"), "{}", read[0]);
}

#[cfg(feature = "mail")]
fn base64(bytes: &[u8]) -> String {
    const SYMBOLS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for (place, three) in bytes.chunks(3).enumerate() {
        let number =
            three.iter().chain([0, 0].iter()).take(3).fold(0, |n, b| n << 8 | usize::from(*b));
        for digit in 0..=three.len() {
            text.push(char::from(SYMBOLS[number >> (18 - 6 * digit) & 63]));
        }
        text.extend(std::iter::repeat_n('=', 3 - three.len()));
        if place % 19 == 18 {
            text.push('\n');
        }
    }
    text
}

#[test]
fn json_nested_thousands_deep_is_one_unreadable_row() {
    let deep = format!("{{\"text\":\"a\",\"x\":{}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
    for (name, content) in [("a.jsonl", deep.clone()), ("a.json", format!("[{deep}]"))] {
        let (_folder, path) = file(name, content);
        let read = outcomes(&open(&path));
        assert_eq!(read.len(), 1, "{name}");
    }
}

#[test]
fn short_rows_come_in_blocks_of_bounded_number() {
    let (_folder, path) = file("a.jsonl", "x\n".repeat(100_000));
    let corpus = open(&path);
    let sizes: Vec<usize> = corpus.blocks().map(|block| block.n_rows()).collect();
    assert_eq!(sizes.iter().sum::<usize>(), 100_000);
    assert!(sizes.iter().all(|size| *size <= 8192), "{sizes:?}");
    assert_eq!(outcomes(&corpus).len(), 100_000);
}

#[cfg(feature = "parquet")]
#[test]
fn one_string_in_thousands_of_parquet_rows_is_handed_out_little_by_little() {
    use std::sync::Arc;

    use arrow_array::{RecordBatch, StringArray};
    use parquet::arrow::ArrowWriter;

    let text = "fog ".repeat(250_000);
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("a.parquet");
    let column = Arc::new(StringArray::from(vec![text.as_str(); 40]));
    let batch = RecordBatch::try_from_iter([("text", column as _)]).unwrap();
    let properties = parquet::file::properties::WriterProperties::builder()
        .set_dictionary_page_size_limit(4 << 20)
        .build();
    let output = std::fs::File::create(&path).unwrap();
    let mut writer = ArrowWriter::try_new(output, batch.schema(), Some(properties)).unwrap();
    for _ in 0..50 {
        writer.write(&batch).unwrap();
    }
    writer.close().unwrap();
    assert!(std::fs::metadata(&path).unwrap().len() < 2 << 20);
    let (mut n_rows, mut largest) = (0, 0);
    for block in open(&path).blocks() {
        n_rows += block.n_rows();
        largest = largest.max(block.n_rows());
        assert!(block.bytes() < 16 << 20, "{}", block.bytes());
    }
    assert_eq!((n_rows, largest), (2000, 1));
}

#[cfg(feature = "parquet")]
#[test]
fn the_limit_for_rows_holds_for_parquet() {
    let options = InputOptions { max_row_bytes: 50, ..InputOptions::default() };
    let read =
        outcomes(&crate::reading::open_with(&crate::reading::fixture("utf8.parquet"), options));
    assert_eq!(read[0], "! the row has 88 bytes, more than the 50 allowed");
}

#[test]
fn a_window_of_two_gigabytes_is_refused() {
    // A frame whose header asks for a window of 2^31 bytes, and an empty block.
    let frame = [0x28, 0xB5, 0x2F, 0xFD, 0x00, 21 << 3, 0x01, 0x00, 0x00];
    let (_folder, path) = file("a.jsonl.zst", frame);
    let read = outcomes(&open(&path));
    assert_eq!(read.len(), 1);
    assert!(read[0].contains("a window of more than 128 MiB"), "{}", read[0]);
}

#[test]
fn reading_ends_when_it_is_told_to_even_within_a_row() {
    let (_folder, path) = file("a.jsonl", "x".repeat(8 << 20));
    let stop = Stop::new();
    let inputs = [path.display().to_string()];
    let corpus =
        Corpus::open_until(&inputs, InputOptions::default(), &std::env::temp_dir(), &stop).unwrap();
    assert_eq!(corpus.blocks().count(), 1);
    stop.set();
    assert_eq!(corpus.blocks().count(), 0);
}

#[test]
fn blank_lines_between_rows_are_not_kept() {
    let blank = "\n".repeat(300_000);
    let (_folder, path) =
        file("a.jsonl", format!("{blank}{{\"text\":\"x\"}}\n{blank}{{\"text\":\"y\"}}"));
    let corpus = open(&path).with_block_bytes(1000);
    let blocks: Vec<(usize, u64)> = corpus.blocks().map(|b| (b.n_rows(), b.bytes())).collect();
    assert_eq!(blocks.iter().map(|(rows, _)| rows).sum::<usize>(), 2);
    assert!(blocks.iter().all(|(_, bytes)| *bytes < 5000), "{blocks:?}");
    let read = outcomes(&corpus);
    assert!(read[0].ends_with("a.jsonl:300001") && read[1].ends_with("a.jsonl:600002"), "{read:?}");
}

#[cfg(feature = "parquet")]
#[test]
fn a_parquet_column_before_the_beginning_is_one_unreadable_row() {
    let bytes = include_bytes!("../../../../fuzz/seeds/parquet/negative");
    let (_folder, path) = file("a.parquet", bytes);
    let read = outcomes(&open(&path));
    assert_eq!(read, ["! not a complete Parquet file: a column begins before it"]);
}

#[cfg(feature = "parquet")]
#[test]
fn a_parquet_page_that_the_library_panics_on_is_one_unreadable_row() {
    let bytes = include_bytes!("../../../../fuzz/seeds/parquet/levels");
    let (_folder, path) = file("a.parquet", bytes);
    let read = outcomes(&open(&path));
    assert_eq!(read, ["! from row 1 on the file cannot be read: a page is damaged"]);
}

#[cfg(feature = "parquet")]
#[test]
fn a_parquet_footer_of_endless_lists_is_one_unreadable_row() {
    // Two billion truth values, which have no bytes, a thousand times.
    let footer = [0x19, 0xF1, 0xFF, 0xFF, 0xFF, 0xFF, 7].repeat(1000);
    let length = (footer.len() as u32).to_le_bytes();
    let (_folder, path) = file("a.parquet", [b"PAR1", &footer[..], &length, b"PAR1"].concat());
    let reason = "! not a complete Parquet file: its footer is damaged";
    assert_eq!(outcomes(&open(&path)), [reason]);
}
