//! Files that are read before their turn give the rows that they give at their turn.

use std::fs;
use std::io::Write;

use lookalike_corpus::{Blocks, Corpus};
use tempfile::TempDir;

use crate::reading::open;

const LARGE: usize = 1 << 30;

fn lines(name: &str, count: usize) -> String {
    let row = |number| format!("{{\"id\": \"{name}{number}\", \"text\": \"the sea {number}\"}}\n");
    (0..count).map(row).collect()
}

fn zstd(text: &str, window_log: u32) -> Vec<u8> {
    let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
    encoder.window_log(window_log).unwrap();
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

/// Everything that can be among the files of a folder.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let long = format!("{{\"id\": \"long\", \"text\": \"{}\"}}\n", "sea ".repeat(5 << 20));
    let damaged = zstd(&lines("d", 40_000), 20);
    let files = [
        ("a.jsonl.zst", zstd(&lines("a", 3000), 20)),
        ("b.jsonl.gz", gzip(&lines("b", 2000))),
        ("c.jsonl", lines("c", 10).into_bytes()),
        ("d.jsonl.zst", damaged[..damaged.len() / 2].to_vec()),
        // A window that is too large for a file that is not at its turn, from the beginning or later.
        ("e.jsonl.zst", zstd(&lines("e", 2000), 26)),
        ("f.jsonl.zst", [zstd(&lines("f", 2000), 20), zstd(&lines("ff", 2000), 26)].concat()),
        ("g.csv.zst", zstd("id,text\n1,sea\n2,land\n", 20)),
        ("h.csv.zst", zstd("id,text\n", 20)),
        ("i.jsonl.zst", zstd(&(lines("i", 500) + &long + &lines("ii", 500)), 20)),
        ("j.jsonl.zst", b"no zstd".to_vec()),
        ("k.txt.zst", zstd("one document", 20)),
        ("l.json.zst", zstd("[{\"id\": \"l\", \"text\": \"sea\"}]", 20)),
        ("m.jsonl.zst", zstd(&lines("m", 100), 20)),
    ];
    for (name, bytes) in files {
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    folder
}

fn rows(blocks: Blocks, mut before_each: impl FnMut()) -> (Vec<String>, u64) {
    let (mut rows, mut consumed) = (Vec::new(), 0);
    before_each();
    for block in blocks {
        consumed += block.consumed_bytes();
        block.visit(|row| {
            let content = match &row.content {
                Ok(document) => format!("{} {:.40}", document.id, document.text),
                Err(unreadable) => unreadable.reason.clone(),
            };
            rows.push(format!("{} {} {content}", row.ordinal, row.place));
        });
        before_each();
    }
    (rows, consumed)
}

#[test]
fn the_rows_are_the_same_however_much_was_read_before() {
    let folder = folder();
    let corpus = open(folder.path()).with_block_bytes(1 << 14);
    let expected = rows(corpus.blocks(), || ());
    assert_eq!(expected.1, corpus.size_bytes());
    let corpus = corpus.with_read_ahead(LARGE);
    for steps in [0, 1, 2, 5, 1000] {
        let mut blocks = corpus.blocks();
        let ahead = blocks.read_ahead(4).unwrap();
        let mut n_steps = 0;
        let read = rows(blocks, || n_steps += (0..steps).take_while(|_| ahead.read_some()).count());
        assert!(read == expected, "with {steps} steps ahead for each block");
        assert!(n_steps >= steps.min(20), "{n_steps} steps");
        assert!(!ahead.read_some(), "nothing is left");
    }
}

#[test]
fn the_rows_are_the_same_when_threads_read_before() {
    let folder = folder();
    let corpus = open(folder.path()).with_block_bytes(1 << 14).with_read_ahead(LARGE);
    let expected = rows(corpus.blocks(), || ());
    for _ in 0..4 {
        let mut blocks = corpus.blocks();
        let ahead = blocks.read_ahead(4).unwrap();
        let read = std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| while ahead.read_some() {});
            }
            rows(blocks, || ())
        });
        assert!(read == expected);
    }
}

#[test]
fn what_waits_is_bounded() {
    let folder = tempfile::tempdir().unwrap();
    // Rows long enough that a block has a megabyte of them.
    let long = format!("{{\"id\": \"a\", \"text\": \"{}\"}}\n", "sea ".repeat(250));
    let packed = zstd(&long.repeat(20_000), 20);
    for name in ["a", "b", "c", "d"] {
        fs::write(folder.path().join(format!("{name}.jsonl.zst")), &packed).unwrap();
    }
    // Room for one file: half of it rows that wait.
    let room = 64 << 20;
    let mut blocks = open(folder.path()).with_read_ahead(room).blocks();
    let ahead = blocks.read_ahead(8).unwrap();
    let waiting = (0..1000).take_while(|_| ahead.read_some()).count() << 20;
    // The steps at the ends of files give nothing.
    assert!((room / 4..=room / 2 + (4 << 20)).contains(&waiting), "{waiting}");
}

#[test]
fn nothing_is_read_before_where_there_is_nothing_to_gain() {
    let folder = folder();
    let corpus = open(folder.path());
    assert!(corpus.blocks().read_ahead(4).is_none(), "nobody allowed it");
    let corpus = corpus.with_read_ahead(LARGE);
    assert!(corpus.blocks().read_ahead(1).is_none(), "one thread never waits");
    assert!(corpus.with_read_ahead(1 << 20).blocks().read_ahead(4).is_none(), "no room");
    let one = open(&folder.path().join("a.jsonl.zst")).with_read_ahead(LARGE);
    assert!(one.blocks().read_ahead(4).is_none(), "one file");
    let documents = Corpus::from_documents(["sea"]).with_read_ahead(LARGE);
    assert!(documents.blocks().read_ahead(4).is_none(), "no files");
}
