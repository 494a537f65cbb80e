//! How a durable index grows: adding, opening and single checks at several sizes, and what readers
//! wait while a writer adds.
//!
//! Documents of 100 words are generated; every tenth is an earlier one with two words changed.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use lookalike::{
    Artifacts, ByteSize, Config, Index, IndexError, IndexOptions, IndexReader, OnDuplicate,
    OwnedDocument,
};
use lookalike_detect::random::SplitMix64;
use lookalike_learn::{Cell, Outcome, Table};

use crate::LabError;

/// Documents that become durable together while the index grows.
const BATCH: u64 = 10_000;
/// Batches of so many are added while readers are at work.
const SMALL_BATCH: u64 = 1_000;
const VOCABULARY: u64 = 50_000;
/// A time at which nothing has expired.
const NOW: u64 = 1;

/// What is measured.
#[derive(Clone, Debug)]
pub struct GrowthOptions {
    /// Sizes at which it is measured, ascending.
    pub sizes: Vec<u64>,
    /// The limit of memory for all that is open at a time.
    pub memory: ByteSize,
    /// The configuration of the index.
    pub config: Config,
    /// Documents that are checked one by one at each size.
    pub checks: u64,
    /// Batches of a thousand documents that are added beside two readers at each size.
    pub batches: u64,
}

/// Grows an index in a folder of its own, and measures it.
pub fn run(folder: &Path, options: &GrowthOptions) -> Result<Outcome, LabError> {
    let columns = [
        "documents",
        "added_a_second",
        "bytes_a_document",
        "segments",
        "open_ms",
        "first_p99_us",
        "check_p50_us",
        "check_p99_us",
        "beside_writer_p99_us",
        "beside_writer_longest_us",
        "add_1000_longest_ms",
        "peak_memory_mb",
    ];
    let mut table = Table::new("A durable index of documents of 100 words", &columns);
    let mut config = options.config.clone();
    config.run.memory = options.memory;
    let created = Index::create(folder, &config, Artifacts::default(), IndexOptions::default());
    drop(created?);
    let memory = options.memory;
    let mut there = 0;
    for size in &options.sizes {
        let added_a_second = grow(folder, there..(*size).max(there), memory)?;
        let checks = measure_checks(folder, *size, options)?;
        let beside = measure_pauses(folder, *size, options)?;
        there = there.max(*size) + options.batches * SMALL_BATCH;
        table.push(vec![
            (*size).into(),
            Cell::Real(added_a_second, 0),
            Cell::Real(checks.bytes_a_document, 0),
            checks.segments.into(),
            Cell::Real(checks.open.as_secs_f64() * 1e3, 1),
            microseconds(checks.first.at(0.99)),
            microseconds(checks.again.at(0.5)),
            microseconds(checks.again.at(0.99)),
            microseconds(beside.reading.at(0.99)),
            microseconds(beside.reading.longest()),
            Cell::Real(beside.adding.longest().as_secs_f64() * 1e3, 1),
            (lookalike::peak_memory_bytes().unwrap_or(0) >> 20).into(),
        ]);
    }
    table.note(format!(
        "memory limit {}; half of the checked documents have a match",
        options.memory
    ));
    Ok(table.into())
}

fn microseconds(time: Duration) -> Cell {
    Cell::Real(time.as_secs_f64() * 1e6, 0)
}

/// Document `number`.
fn document(number: u64) -> OwnedDocument {
    let is_copy = number % 10 == 9;
    // The document it is made from is none of the copies.
    let source = if is_copy { number.saturating_sub(number % 1_000 / 20 * 10 + 1) } else { number };
    let (mut words, mut changes) = (SplitMix64::new(source), SplitMix64::new(!number));
    let changed = [changes.next_u64() % 100, changes.next_u64() % 100];
    let mut text = String::with_capacity(800);
    for at in 0..100 {
        // Common words come more often, as in any language.
        let draw = words.next_u64() % VOCABULARY * (words.next_u64() % VOCABULARY) / VOCABULARY;
        let is_changed = is_copy && changed.contains(&at);
        let word = if is_changed { VOCABULARY + number % 97 } else { draw };
        // Writing to a string cannot fail.
        let _ = write!(text, "w{word} ");
    }
    OwnedDocument::new(number.to_string(), text)
}

/// Adds documents; returns how many a second.
fn grow(folder: &Path, numbers: std::ops::Range<u64>, memory: ByteSize) -> Result<f64, IndexError> {
    let index = Index::open(folder, memory)?;
    let mut time = Duration::ZERO;
    let mut first = numbers.start;
    while first < numbers.end {
        let batch: Vec<_> = (first..numbers.end.min(first + BATCH)).map(document).collect();
        let start = Instant::now();
        index.add(&batch, OnDuplicate::Refuse, NOW)?;
        time += start.elapsed();
        first += BATCH;
    }
    Ok((numbers.end - numbers.start) as f64 / time.as_secs_f64().max(1e-9))
}

struct Checks {
    open: Duration,
    first: Times,
    again: Times,
    segments: usize,
    bytes_a_document: f64,
}

/// Checks single documents, twice the same ones.
fn measure_checks(folder: &Path, size: u64, options: &GrowthOptions) -> Result<Checks, IndexError> {
    let start = Instant::now();
    let reader = IndexReader::open(folder, options.memory)?;
    let open = start.elapsed();
    let snapshot = reader.snapshot(NOW)?;
    let round = || {
        let mut times = Vec::new();
        let mut random = SplitMix64::new(7);
        for at in 0..options.checks {
            let number =
                if at % 2 == 0 { random.next_u64() % size } else { u64::MAX / 2 + at * 10 };
            let asked = OwnedDocument { id: "asked".into(), ..document(number) };
            let start = Instant::now();
            let answer = snapshot.check(std::slice::from_ref(&asked))?;
            times.push(start.elapsed());
            debug_assert_eq!(answer[0].matches.is_empty(), at % 2 == 1);
        }
        Ok::<_, IndexError>(Times::of(times))
    };
    let (first, again) = (round()?, round()?);
    let stat = snapshot.stat()?;
    let bytes = (stat.segment_bytes + stat.log_bytes) as f64;
    let bytes_a_document = bytes / stat.documents.max(1) as f64;
    Ok(Checks { open, first, again, segments: stat.segments, bytes_a_document })
}

struct Beside {
    reading: Times,
    adding: Times,
}

/// What two readers, which look at every new state, and a writer wait for each other; each has a
/// third of the memory.
fn measure_pauses(folder: &Path, size: u64, options: &GrowthOptions) -> Result<Beside, IndexError> {
    let memory = ByteSize(options.memory.0 / 3);
    let index = Index::open(folder, memory)?;
    let there = u64::from(index.snapshot(NOW).stat()?.additions);
    let done = AtomicBool::new(false);
    let read = || {
        let reader = IndexReader::open(folder, memory)?;
        let (mut times, mut random) = (Vec::new(), SplitMix64::new(8));
        while !done.load(Ordering::Relaxed) {
            let number = random.next_u64() % size;
            let asked = OwnedDocument { id: "asked".into(), ..document(number) };
            let start = Instant::now();
            reader.snapshot(NOW)?.check(std::slice::from_ref(&asked))?;
            times.push(start.elapsed());
        }
        Ok::<_, IndexError>(times)
    };
    std::thread::scope(|scope| {
        let readers = [scope.spawn(read), scope.spawn(read)];
        let add = |batch| {
            let first = there + batch * SMALL_BATCH;
            let batch: Vec<_> = (first..first + SMALL_BATCH).map(document).collect();
            let start = Instant::now();
            index.add(&batch, OnDuplicate::Refuse, NOW)?;
            Ok(start.elapsed())
        };
        let adding = (0..options.batches).map(add).collect::<Result<Vec<_>, IndexError>>();
        done.store(true, Ordering::Relaxed);
        let mut reading = Vec::new();
        for reader in readers {
            // A reader that panics panics here.
            reading.extend(reader.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?);
        }
        Ok(Beside { reading: Times::of(reading), adding: Times::of(adding?) })
    })
}

/// Times in ascending order.
struct Times(Vec<Duration>);

impl Times {
    fn of(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        Self(times)
    }

    fn at(&self, share: f64) -> Duration {
        self.0.get((self.0.len() as f64 * share) as usize).copied().unwrap_or_default()
    }

    fn longest(&self) -> Duration {
        self.0.last().copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_size_has_a_row() {
        let folder = tempfile::tempdir().unwrap();
        let config = Config::for_method("minhash").unwrap();
        let memory = ByteSize(1 << 20);
        let options =
            GrowthOptions { sizes: vec![100, 2_000], memory, config, checks: 20, batches: 1 };
        let table = run(&folder.path().join("index"), &options).unwrap().table.to_json();
        let documents: Vec<_> = table
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row["documents"].as_u64().unwrap())
            .collect();
        assert_eq!(documents, [100, 2_000]);
    }

    #[test]
    fn every_tenth_document_is_an_edited_copy() {
        let words = |number| -> Vec<String> {
            document(number).text.split_whitespace().map(str::to_owned).collect()
        };
        let (copy, original) = (words(1_019), words(1_018));
        let same = copy.iter().zip(&original).filter(|(left, right)| left == right).count();
        assert!((98..100).contains(&same), "{same}");
    }
}
