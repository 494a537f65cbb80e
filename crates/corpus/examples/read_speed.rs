//! CPU time of reading an input, one thread: finding the rows, then parsing all of them.
//!
//! `cargo run --release -p lookalike-corpus --example read_speed -- INPUT...`

use std::error::Error;
use std::fs;

use lookalike_corpus::{Corpus, InputOptions};

#[expect(clippy::print_stdout, reason = "a program that reports")]
fn main() -> Result<(), Box<dyn Error>> {
    let inputs: Vec<String> = std::env::args().skip(1).collect();
    let corpus = Corpus::open(&inputs, InputOptions::default(), &std::env::temp_dir())?;

    let start = cpu_seconds();
    let (mut rows, mut bytes) = (0, 0);
    for block in corpus.blocks() {
        rows += block.n_rows();
        bytes += block.bytes();
        block.visit_selected(|_| false, |_| ());
    }
    let blocks = cpu_seconds() - start;
    let megabytes = bytes as f64 / 1e6;
    println!("rows   {blocks:7.3} s  {:8.1} MB/s  {rows} rows", megabytes / blocks);

    let start = cpu_seconds();
    let (mut unreadable, mut text_bytes) = (0, 0);
    for block in corpus.blocks() {
        block.visit(|row| match row.content {
            Ok(document) => text_bytes += document.text.len(),
            Err(_) => unreadable += 1,
        });
    }
    let parsed = cpu_seconds() - start;
    println!("parsed {parsed:7.3} s  {:8.1} MB/s", megabytes / parsed);
    println!("{text_bytes} bytes of text, {unreadable} unreadable rows");
    let status = fs::read_to_string("/proc/self/status")?;
    println!("{}", status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default());
    Ok(())
}

/// CPU time of this thread so far; the clock on the wall says little on a busy machine.
fn cpu_seconds() -> f64 {
    let schedule = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = schedule.split(' ').next().and_then(|field| field.parse::<f64>().ok());
    nanoseconds.unwrap_or_default() / 1e9
}
