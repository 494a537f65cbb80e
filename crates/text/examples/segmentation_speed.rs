//! CPU time of cutting text into words, one thread: MB of UTF-8 a second.
//!
//! `zstd -dc FILE.jsonl.zst | cargo run --release -p lookalike-text --example segmentation_speed`
//! reads JSON Lines with a field `text` from standard input.

use std::error::Error;
use std::io::BufRead;

use lookalike_text::{Analyzer, AnalyzerConfig, WordRule};

/// Runs of which the fastest counts: a busy machine only ever makes a run slower.
const REPEATS: usize = 3;

#[expect(clippy::print_stdout, reason = "a program that reports")]
fn main() -> Result<(), Box<dyn Error>> {
    let mut texts = Vec::new();
    for line in std::io::stdin().lock().lines() {
        let row: serde_json::Value = serde_json::from_str(&line?)?;
        texts.push(row["text"].as_str().unwrap_or_default().to_owned());
    }
    let megabytes = texts.iter().map(String::len).sum::<usize>() as f64 / 1e6;
    println!("{megabytes:.1} MB in {} documents", texts.len());
    for (name, words) in
        [("by dictionary", WordRule::Unicode), ("single characters", WordRule::Characters)]
    {
        let analyzer = Analyzer::new(&AnalyzerConfig { words, ..AnalyzerConfig::default() })?;
        // The dictionary is loaded with the first word that needs it.
        analyzer.visit("词典", |_, _| ());
        let mut fastest = f64::INFINITY;
        let mut n_words = 0u64;
        for _ in 0..REPEATS {
            let start = cpu_seconds();
            n_words = 0;
            for text in &texts {
                analyzer.visit(text, |_, _| n_words += 1);
            }
            fastest = fastest.min(cpu_seconds() - start);
        }
        let rate = megabytes / fastest;
        println!("{name:18} {fastest:7.3} s  {rate:6.1} MB/s  {n_words} words");
    }
    Ok(())
}

/// Seconds this thread has spent on a processor; the machine may be shared.
fn cpu_seconds() -> f64 {
    let schedule = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = schedule.split(' ').next().and_then(|field| field.parse::<f64>().ok());
    nanoseconds.unwrap_or_default() / 1e9
}
