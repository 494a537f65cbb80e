//! CPU time of a method's stages on a JSON Lines file, one thread: signing, features, judging.
//!
//! `cargo run --release -p lookalike-detect --example throughput -- FILE METHOD [KEY=VALUE...]`

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;

use lookalike_detect::{Artifacts, DetectorConfig, Scratch};
use lookalike_statistics::StatisticsBuilder;
use lookalike_text::{Analyzer, Document};

#[expect(clippy::print_stdout, reason = "a program that reports")]
fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(file), Some(method)) = (arguments.next(), arguments.next()) else {
        return Err("usage: throughput FILE METHOD [KEY=VALUE...]".into());
    };
    let mut table = toml::Table::new();
    for argument in arguments {
        table.extend(toml::from_str::<toml::Table>(&argument)?);
    }
    table.insert("method".into(), method.into());
    let config = DetectorConfig::from_table(table)?;
    let texts = texts(&file)?;
    let megabytes = texts.iter().map(String::len).sum::<usize>() as f64 / 1e6;
    let detector = config.build(&artifacts(&config, &texts)?)?;

    let mut scratch = Scratch::default();
    let start = cpu_seconds();
    let signed: Vec<_> =
        texts.iter().map(|text| detector.sign(&Document::from_text(text), &mut scratch)).collect();
    let seconds = cpu_seconds() - start;
    let n_signed = signed.iter().flatten().count();
    let n_keys: usize = signed.iter().flatten().map(|document| document.keys.len()).sum();
    println!("signing   {seconds:7.3} s  {:7.1} MB/s", megabytes / seconds);
    println!("          {} documents, {n_signed} signed, {n_keys} keys", texts.len());

    let mut rows: Vec<(u64, u32)> = Vec::with_capacity(n_keys);
    for (document, signed) in signed.iter().enumerate() {
        rows.extend(signed.iter().flat_map(|s| &s.keys).map(|key| (key.0, document as u32)));
    }
    rows.sort_unstable();
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    for bucket in rows.chunk_by(|left, right| left.0 == right.0) {
        for (position, (_, left)) in bucket.iter().enumerate() {
            pairs.extend(bucket[position + 1..].iter().map(|(_, right)| (*left, *right)));
        }
        // Crowded buckets repeat the same pairs; keep the list short on the way.
        if pairs.len() > 50_000_000 {
            pairs.sort_unstable();
            pairs.dedup();
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    println!("join      {} keys, {} candidate pairs", rows.len(), pairs.len());

    let start = cpu_seconds();
    pairs.retain(|(left, right)| match (&signed[*left as usize], &signed[*right as usize]) {
        (Ok(left), Ok(right)) => detector.is_promising(&left.signature, &right.signature),
        _ => false,
    });
    println!("promising {:7.3} s  {} pairs", cpu_seconds() - start, pairs.len());

    let start = cpu_seconds();
    let mut features = BTreeMap::new();
    let mut bytes = 0;
    if detector.needs_features() {
        for document in pairs.iter().flat_map(|pair| [pair.0, pair.1]) {
            features.entry(document).or_insert_with(|| {
                let text = &texts[document as usize];
                bytes += text.len();
                detector.features(&Document::from_text(text), &mut scratch)
            });
        }
    }
    let seconds = cpu_seconds() - start;
    let rate = bytes as f64 / 1e6 / seconds;
    println!("features  {seconds:7.3} s  {rate:7.1} MB/s of {} documents", features.len());

    let features: Vec<_> =
        (0..texts.len() as u32).map(|document| features.remove(&document)).collect();
    let start = cpu_seconds();
    let features = |document: u32| features[document as usize].as_ref();
    let duplicates =
        pairs.iter().filter(|pair| match (detector.rule().features, features(pair.0)) {
            (Some(rule), Some(left)) => {
                features(pair.1).is_some_and(|right| rule.judge(left, right).duplicate)
            }
            _ => true,
        });
    let n_duplicates = duplicates.count();
    let seconds = cpu_seconds() - start;
    let nanoseconds = 1e9 * seconds / pairs.len().max(1) as f64;
    println!("judging   {seconds:7.3} s  {nanoseconds:7.1} ns a pair, {n_duplicates} duplicates");
    Ok(())
}

/// The field `text` of each row.
fn texts(file: &str) -> Result<Vec<String>, Box<dyn Error>> {
    let mut texts = Vec::new();
    for line in fs::read_to_string(file)?.lines() {
        let row: serde_json::Value = serde_json::from_str(line)?;
        texts.push(row["text"].as_str().unwrap_or_default().to_owned());
    }
    Ok(texts)
}

/// Statistics of the texts themselves, where the method needs them.
fn artifacts(config: &DetectorConfig, texts: &[String]) -> Result<Artifacts, Box<dyn Error>> {
    let mut artifacts = Artifacts::default();
    if config.needs_statistics() {
        let analyzer = Analyzer::new(config.analyzer())?;
        let mut builder = StatisticsBuilder::new(config.analyzer().clone());
        for text in texts {
            builder.add(&analyzer.tokenize(text));
        }
        artifacts.statistics = Some(builder.finish().into());
    }
    Ok(artifacts)
}

/// Seconds this thread has spent on a processor; the machine may be shared.
fn cpu_seconds() -> f64 {
    let schedule = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = schedule.split(' ').next().and_then(|field| field.parse::<f64>().ok());
    nanoseconds.unwrap_or_default() / 1e9
}
