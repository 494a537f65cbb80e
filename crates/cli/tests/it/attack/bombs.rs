//! Small files that unpack to much: memory stays within its limit.
#![cfg(target_os = "linux")]

use std::io::{Read, Write};
use std::sync::Arc;

use arrow_array::{RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;

use super::{Chance, families, rounds};
use crate::program::Workplace;

/// `--memory`, and what the program takes beside it.
const ALLOWED: u64 = (64 << 20) + (150 << 20);

fn packed(mut content: impl Read) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::copy(&mut content, &mut encoder).unwrap();
    encoder.flush().unwrap();
    encoder.finish().unwrap()
}

fn check(name: &str, bomb: Vec<u8>, unreadable: u64) {
    let place = Workplace::new();
    place.file("in/a.jsonl", families(3).concat());
    place.file(&format!("in/{name}"), bomb);
    let run =
        place.run(&["dedup", "in", "--out", "out", "-q", "--memory", "64M", "--threads", "2"]);
    assert!([0, 1].contains(&run.status), "{name}: {} {}", run.status, run.stderr);
    let summary = place.summary("out");
    assert_eq!(summary["unreadable"].as_u64(), Some(unreadable), "{name}");
    let peak = summary["peak_memory_bytes"].as_u64().unwrap();
    assert!(peak < ALLOWED, "{name}: {peak} bytes");
}

#[test]
fn an_endless_row_takes_no_more_memory_than_allowed() {
    let size = rounds(200 << 20, 4 << 30) as u64;
    check("endless.jsonl.gz", packed(std::io::repeat(b'x').take(size)), 1);
}

#[test]
fn rows_that_are_none_take_no_more_memory_than_allowed() {
    let size = rounds(250 << 20, 4 << 30) as u64;
    // Lines of blanks, which are looked through faster than empty ones.
    let line = [&[b' '; 4095][..], b"\n"].concat();
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    (0..size / 4096).for_each(|_| encoder.write_all(&line).unwrap());
    check("blank.jsonl.gz", encoder.finish().unwrap(), 0);
}

#[test]
fn rows_nested_deeply_and_damaged_archives_take_no_more_memory_than_allowed() {
    let size = rounds(50 << 20, 1 << 30) as u64;
    check("deep.jsonl.gz", packed(std::io::repeat(b'[').take(size)), 1);
    let mut cut = packed(std::io::repeat(b'x').take(size));
    cut.truncate(cut.len() / 2);
    check("cut.jsonl.gz", cut, 1);
}

#[test]
fn a_row_of_sixty_megabytes_takes_no_more_memory_than_allowed() {
    // With an escape every ten words, so that the text is not the row's own bytes.
    let mut row = br#"{"id": "long", "text": ""#.to_vec();
    for number in (0..).take_while(|number| number * 10 < 60 << 20) {
        let behind = if number % 10 == 0 { r"\n" } else { " " };
        write!(row, "w{number:08}{behind}").unwrap();
    }
    row.extend_from_slice(b"\"}\n");
    check("long.jsonl", row, 0);
}

/// Rows of so many megabytes, each in a row group of its own.
fn long_rows(megabytes: &[usize], compression: Compression) -> Vec<u8> {
    let properties = WriterProperties::builder().set_compression(compression).build();
    rows_of(megabytes, properties, ArrowWriter::flush)
}

/// The same as pages of one row group.
fn long_pages(megabytes: &[usize], has_dictionary: bool) -> Vec<u8> {
    let properties = WriterProperties::builder().set_dictionary_enabled(has_dictionary).build();
    rows_of(megabytes, properties, |_| Ok(()))
}

fn rows_of(
    megabytes: &[usize],
    properties: WriterProperties,
    after_each: impl Fn(&mut ArrowWriter<Vec<u8>>) -> parquet::errors::Result<()>,
) -> Vec<u8> {
    let rows = |text: String| {
        let column = Arc::new(StringArray::from(vec![text]));
        RecordBatch::try_from_iter([("text", column as _)]).unwrap()
    };
    let schema = rows(String::new()).schema();
    let mut writer = ArrowWriter::try_new(Vec::new(), schema, Some(properties)).unwrap();
    let mut chance = Chance(1);
    for size in megabytes {
        let mut text = String::with_capacity(size << 20);
        while text.len() < size << 20 {
            let letters = chance.next().to_le_bytes().map(|byte| char::from(b'a' + byte % 26));
            text.extend(letters);
            text.push(' ');
        }
        writer.write(&rows(text)).unwrap();
        after_each(&mut writer).unwrap();
    }
    writer.into_inner().unwrap()
}

#[test]
fn long_rows_of_parquet_take_no_more_memory_than_allowed() {
    check("long.parquet", long_rows(&[57], Compression::UNCOMPRESSED), 0);
    // One above the limit of a row, in a page that could be held; after another long one too.
    check("longer.parquet", long_rows(&[115], Compression::UNCOMPRESSED), 1);
    check("both.parquet", long_rows(&[57, 115], Compression::UNCOMPRESSED), 1);
}

#[test]
fn long_rows_in_pages_of_one_row_group_take_no_more_memory_than_allowed() {
    check("pages.parquet", long_pages(&[57, 115], false), 1);
    check("pages.parquet", long_pages(&[115, 57], false), 1);
    // The first is the dictionary's.
    check("dictionary.parquet", long_pages(&[57, 115], true), 1);
}

#[test]
fn a_page_of_parquet_that_cannot_be_held_is_not_read() {
    check("page.parquet", long_rows(&[1, 115], Compression::SNAPPY), 1);
}
