//! `summary.json`: the counts of a run, which add up to its input.

use std::collections::BTreeMap;

use serde::Serialize;

use super::seconds::{Seconds, Threads};
use super::{RunRecord, SharedText, Warning};
use crate::{IncompleteFile, KeepNote};

/// The counts of a run: `kept + removed + too_short + unreadable = documents`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Summary {
    /// Rows read.
    pub documents: u64,
    /// Documents that stay: keepers of clusters and documents without a duplicate.
    pub kept: u64,
    /// Documents that have a keeper other than themselves.
    pub removed: u64,
    /// Documents too short or too plain for the method to judge; they stay as well.
    pub too_short: u64,
    /// `too_short` by reason.
    pub too_short_reasons: BTreeMap<&'static str, u64>,
    /// Rows that could not be read, listed in `unreadable.jsonl`.
    pub unreadable: u64,
    /// Rows of the known collection, where there is one; no other count is about them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub known_documents: Option<u64>,
    /// Rows of the known collection that could not be read, listed in `known_unreadable.jsonl`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub known_unreadable: Option<u64>,
    /// Files that could not be read, or not to their end: what they hold is not all in the result.
    pub incomplete: Vec<IncompleteFile>,
    /// Clusters of two or more documents.
    pub clusters: u64,
    /// The size of the largest cluster.
    pub largest_cluster: u64,
    /// Pairs that were compared, or that share a key where the key decides.
    pub candidate_pairs: u64,
    /// Pairs found to be duplicates.
    pub confirmed_pairs: u64,
    /// Pairs that the method takes for duplicates, of which one document says too much that stands
    /// nowhere in the other; where removals are guarded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub related_pairs: Option<u64>,
    /// Comparisons that a crowded bucket would have needed and that were not made.
    pub skipped_comparisons: u64,
    /// What they may have cost, where there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub crowd: Option<CrowdReport>,
    /// Documents that a criterion of the keep rule could not use.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keep: Vec<KeepNote>,
    /// Wall-clock seconds by stage.
    pub seconds: Seconds,
    /// What the threads did in these seconds, where the system tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threads: Option<Threads>,
    /// The largest resident memory of the process so far, where the system tells.
    pub peak_memory_bytes: Option<u64>,
    /// The method.
    pub method: String,
    /// Its threshold, where it has one.
    pub threshold: Option<f64>,
    /// The probability that a pair exactly at the threshold is compared, where it can be told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recall_at_threshold: Option<f64>,
    /// How much rests on text that dozens of documents share.
    pub shared_text: SharedText,
    /// What looks wrong about the result, and what to try.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
    /// What a reader should know before relying on the result.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The version of lookalike.
    pub version: &'static str,
    /// What was run, when, on which files.
    #[serde(flatten)]
    pub run: Option<RunRecord>,
}

/// What skipped comparisons may have cost, from a sample of them that was compared in the end.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CrowdReport {
    /// About how many pairs of duplicates were not found.
    pub lost_pairs: u64,
    /// Their share of all pairs, from 0 to 1.
    pub lost_share: f64,
    /// What the documents of the largest crowd have in common, where their texts can be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// The peak of resident memory, as Linux tells it.
pub fn peak_memory_bytes() -> Option<u64> {
    memory_bytes("VmHWM:")
}

/// The resident memory at present, as Linux tells it.
pub fn resident_memory_bytes() -> Option<u64> {
    memory_bytes("VmRSS:")
}

fn memory_bytes(name: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}
impl Summary {
    /// Takes the seconds of all stages so far, with what threads did in them.
    pub(crate) fn note(&mut self, seconds: Seconds) {
        self.threads = seconds.threads();
        self.seconds = seconds;
    }
}
