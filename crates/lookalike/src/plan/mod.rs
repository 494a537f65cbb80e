//! What a run will cost, from runs over parts of its input.
//!
//! Random parts go the whole road of the method, each twice as large as the one before, until a
//! run takes long enough to be measured. Seconds of each stage, pairs and memory are then
//! continued to the whole: what reads documents grows with them, what compares them with a power
//! between one and two, which the parts tell.

mod growth;
mod sample;

use std::collections::BTreeMap;
use std::time::Instant;

use lookalike_corpus::Corpus;
use lookalike_detect::{BandSearch, CandidateSearch, Scratch};
use serde::Serialize;

use self::growth::Growth;
use self::sample::{Part, Sample};
use crate::batch::ResultBytes;
use crate::decide::{Decision, decide};
use crate::report::{peak_memory_bytes, resident_memory_bytes};
use crate::{Config, Context, PairsWritten, RunError, Silent, build_detector, find};

/// A part that takes so long is the last, if it is large enough too.
const LONG_ENOUGH_SECONDS: f64 = 1.0;
/// One part in so many of all documents is large enough: what is continued further is a guess.
const LARGE_ENOUGH: f64 = 8.0;
/// A part that takes so long is the last in any case.
const TOO_LONG_SECONDS: f64 = 5.0;
/// A (key, document) row in the sorter.
const ROW_BYTES: f64 = 12.0;
/// What the program and the blocks in flight need, whatever the input.
const BASE_BYTES: f64 = 16e6;
/// What the catalog and the join hold of each document beside its id.
const DOCUMENT_BYTES: f64 = 60.0;
/// Stages that read every document once: they grow with the input and no faster.
const READING_STAGES: [&str; 3] = ["statistics", "sign", "join"];

/// A forecast.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Plan {
    /// Documents in the largest part that was tried.
    pub sampled_documents: u64,
    /// Documents in all.
    pub documents: u64,
    /// Bytes of text in all.
    pub text_bytes: u64,
    /// Bucket keys of a document, on average.
    pub keys_per_document: f64,
    /// Pairs that will be compared.
    pub candidate_pairs: u64,
    /// Peak memory, within the limit for the search plus what does not count against it.
    pub memory_bytes: u64,
    /// Working files on disk.
    pub disk_bytes: u64,
    /// Result files of `find`.
    pub result_bytes: u64,
    /// Result files of `dedup`: those of `find`, and the rows themselves.
    pub dedup_result_bytes: u64,
    /// Seconds on as many threads as were given.
    pub seconds: f64,
    /// The threads.
    pub threads: usize,
    /// The bands that find candidates, where the method has them.
    pub search: Option<BandSearch>,
    /// The probability that a pair exactly at the threshold becomes a candidate, where the method
    /// has both.
    pub recall_at_threshold: Option<f64>,
    /// The probability that a pair becomes a candidate, by resemblance.
    pub detection: Vec<(f64, f64)>,
    /// The method and the threshold that the documents themselves ask for.
    pub decision: Decision,
}

/// Runs parts of the input and forecasts the whole.
///
/// # Errors
/// The method cannot be built, nothing can be read, or a part fails as the whole would.
pub fn plan(corpus: &Corpus, config: &Config, context: &Context<'_>) -> Result<Plan, RunError> {
    let at_start = resident_memory_bytes().unwrap_or(0);
    let sample = Sample::read(corpus, context)?;
    // A run by itself begins without what sampling has left behind.
    let left_behind = resident_memory_bytes().unwrap_or(0).saturating_sub(at_start);
    let mut trials = Trials { left_behind: left_behind as f64, ..Trials::default() };
    // The parts have fields of their own, and which copy stays costs nothing.
    let mut tried = config.clone();
    tried.run.text_key = "text".into();
    tried.run.id_key = "id".into();
    tried.run.keep = crate::KeepRule::default();
    tried.run.write_artifacts = None;
    for part in sample.parts() {
        let part = part?;
        let share = part.n_documents as f64 / sample.documents().max(1.0);
        tried.run.max_comparisons = limit_for_part(config.run.max_comparisons, share);
        let silent = Context { progress: &Silent, ..*context };
        let seconds =
            trials.run(&part, &tried, &silent).map_err(|error| in_the_input(error, corpus))?;
        let is_large = share * LARGE_ENOUGH >= 1.0;
        if seconds >= TOO_LONG_SECONDS || (seconds >= LONG_ENOUGH_SECONDS && is_large) {
            break;
        }
    }
    // Only now: what it takes in memory is not the method's.
    let decision = decide(corpus, &config.run, &Context { progress: &Silent, ..*context })?;
    Ok(trials.forecast(&sample, decision, (corpus, config)))
}

/// What the runs over parts have shown.
#[derive(Default)]
struct Trials {
    stages: BTreeMap<&'static str, Growth>,
    candidate_pairs: Growth,
    /// Rows of pairs that were written.
    pairs: Growth,
    clustered: Growth,
    rows: ResultBytes,
    memory: Growth,
    left_behind: f64,
    n_documents: u64,
    keys: f64,
    feature_words: f64,
    reading_passes: f64,
    part_reading_seconds: f64,
}

impl Trials {
    /// Runs a part, and tells how long it took.
    fn run(
        &mut self,
        part: &Part,
        config: &Config,
        context: &Context<'_>,
    ) -> Result<f64, RunError> {
        let n = part.n_documents;
        forget_peak_memory();
        let start = Instant::now();
        let findings = find(&part.corpus, config, context)?;
        let seconds = start.elapsed().as_secs_f64();
        let summary = &findings.summary;
        for (stage, seconds) in summary.seconds.stages() {
            self.stages.entry(stage).or_default().observe(n, seconds);
        }
        let compared = summary.candidate_pairs + summary.skipped_comparisons;
        self.candidate_pairs.observe(n, compared as f64);
        let rows = findings.result_bytes(config)?;
        self.pairs.observe(n, rows.n_pairs as f64);
        self.rows = rows;
        self.clustered.observe(n, (summary.removed + summary.clusters) as f64);
        self.memory.observe(n, peak_memory_bytes().unwrap_or(0) as f64);
        self.n_documents = n;
        self.look_at_documents(part, config, context)?;
        Ok(seconds)
    }

    /// Keys and features of a few documents, and how long it takes to read the part.
    fn look_at_documents(
        &mut self,
        part: &Part,
        config: &Config,
        context: &Context<'_>,
    ) -> Result<(), RunError> {
        let start = Instant::now();
        for block in part.corpus.blocks() {
            block.visit(|_| {});
        }
        self.part_reading_seconds = start.elapsed().as_secs_f64();
        if self.keys > 0.0 {
            return Ok(());
        }
        let mut counted = config.clone();
        counted.run.ignore_boilerplate = None;
        let artifacts = crate::artifacts(&part.corpus, &counted, context)?;
        let detector = build_detector(&counted, &artifacts)?;
        let (mut keys, mut documents, mut scratch) = (0, 0, Scratch::default());
        for block in part.corpus.blocks() {
            block.visit(|row| {
                let Ok(document) = &row.content else { return };
                documents += 1;
                let signed = detector.sign(&document.document(), &mut scratch);
                keys += signed.map_or(0, |signed| signed.keys.len());
            });
        }
        self.keys = keys as f64 / f64::from(documents.max(1));
        // Exact sets hold about one feature of 8 bytes for each word of 7 bytes.
        self.feature_words = if detector.needs_features() { 1.0 / 7.0 } else { 0.0 };
        self.reading_passes = 1.0
            + 0.5 * f64::from(u8::from(detector.needs_features()))
            + f64::from(u8::from(config.run.ignore_boilerplate.is_some())) * 2.0;
        Ok(())
    }

    fn forecast(
        &self,
        sample: &Sample,
        decision: Decision,
        (corpus, config): (&Corpus, &Config),
    ) -> Plan {
        let whole = sample.share_read.recip();
        let documents = sample.documents();
        let text_bytes = sample.text_bytes as f64 * whole;
        let candidate_pairs = self.candidate_pairs.forecast(documents, (1.0, 2.0));
        // Each document is in one cluster at most.
        let clustered = self.clustered.forecast(documents, (1.0, 2.0)).min(documents);
        let pairs = self.pairs.forecast(documents, (1.0, 2.0));
        let pairs = match config.run.pairs {
            PairsWritten::Clusters => pairs.min(documents),
            PairsWritten::All => pairs,
        };
        let id_bytes = sample.id_bytes as f64 / (sample.documents_read as f64).max(1.0);
        let result_bytes = self.rows.forecast(pairs, clustered);
        let search = match config.detector.search() {
            Some(CandidateSearch::Bands(search)) => Some(search),
            _ => None,
        };
        Plan {
            sampled_documents: self.n_documents,
            documents: documents as u64,
            text_bytes: text_bytes as u64,
            keys_per_document: self.keys,
            candidate_pairs: candidate_pairs as u64,
            memory_bytes: self.memory_bytes(documents, id_bytes, config) as u64,
            disk_bytes: self.spilled_bytes(documents, text_bytes, clustered, config) as u64,
            result_bytes: result_bytes as u64,
            dedup_result_bytes: (corpus.size_bytes() as f64 + result_bytes) as u64,
            seconds: self.seconds(sample, documents),
            threads: rayon::current_num_threads(),
            search,
            recall_at_threshold: config.detector.recall_at_threshold(),
            detection: search.map(|search| search.curve()).unwrap_or_default(),
            decision,
        }
    }

    /// The stages one by one, and what the input's own format costs beside the sample's.
    fn seconds(&self, sample: &Sample, documents: f64) -> f64 {
        let reading: f64 = READING_STAGES
            .iter()
            .filter_map(|stage| self.stages.get(stage))
            .map(|growth| growth.forecast(documents, (1.0, 1.0)))
            .sum();
        let other = |(stage, growth): (&&str, &Growth)| {
            let seconds = growth.forecast(documents, (1.0, 2.0));
            // The second reading is one of the whole input at most.
            if *stage == "features" { seconds.min(1.5 * reading) } else { seconds }
        };
        let is_other = |(stage, _): &(&&str, &Growth)| !READING_STAGES.contains(stage);
        let others: f64 = self.stages.iter().filter(is_other).map(other).sum();
        let own = sample.seconds / (sample.documents_read as f64).max(1.0);
        let part = self.part_reading_seconds / (self.n_documents as f64).max(1.0);
        let threads = rayon::current_num_threads() as f64;
        let format = (own - part).max(0.0) * documents * self.reading_passes / threads;
        reading + others + format
    }

    /// What grows with documents is continued from the parts; what is limited stays in its limit.
    fn memory_bytes(&self, documents: f64, id_bytes: f64, config: &Config) -> f64 {
        let observed = self.memory.continued(documents) - self.left_behind;
        let limit = config.run.memory.bytes() as f64;
        let resident = documents * (DOCUMENT_BYTES + id_bytes);
        observed.clamp(BASE_BYTES, BASE_BYTES + limit + resident)
    }

    /// What does not fit into the limit goes to working files.
    fn spilled_bytes(
        &self,
        documents: f64,
        text_bytes: f64,
        clustered: f64,
        config: &Config,
    ) -> f64 {
        let limit = config.run.memory.bytes() as f64;
        let rows = documents * self.keys * ROW_BYTES;
        let compared = clustered / documents.max(1.0);
        let features = compared * text_bytes * 8.0 * self.feature_words;
        (rows - limit / 2.0).max(0.0) + (features - limit / 2.0).max(0.0)
    }
}

/// An error of a part as one of the input, whose files the user knows.
fn in_the_input(error: RunError, corpus: &Corpus) -> RunError {
    let RunError::DuplicateId { id, .. } = error else { return error };
    let mut places = Vec::new();
    for block in corpus.blocks() {
        block.visit(|row| {
            if row.content.as_ref().is_ok_and(|document| document.id == id) {
                places.push(row.place.to_string());
            }
        });
        if places.len() > 1 {
            break;
        }
    }
    let mut places = places.into_iter();
    let mut place = || places.next().unwrap_or_default();
    RunError::DuplicateId { id, first: place(), second: place() }
}

/// The failed comparisons that a part of the documents allows: as many of its fewer ones as the
/// whole allows of all, so that a bucket that will be a crowd is one in the part as well.
fn limit_for_part(max_comparisons: usize, share: f64) -> usize {
    if share >= 1.0 || max_comparisons == usize::MAX {
        return max_comparisons;
    }
    (max_comparisons as f64 * share).ceil() as usize
}

/// Lets the system count the peak of memory anew, where it can.
fn forget_peak_memory() {
    // Linux only; elsewhere the peak is that of all parts so far, of which the last is the largest.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_has_its_share_of_the_comparisons_and_no_limit_stays_none() {
        assert_eq!(limit_for_part(1000, 0.125), 125);
        assert_eq!(limit_for_part(1000, 0.0001), 1);
        assert_eq!(limit_for_part(1000, 1.0), 1000);
        assert_eq!(limit_for_part(0, 0.5), 0);
        assert_eq!(limit_for_part(usize::MAX, 0.5), usize::MAX);
    }
}
