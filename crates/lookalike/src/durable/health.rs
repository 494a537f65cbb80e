//! How large an index is, whether it is whole, and how well its artefacts still fit.

use lookalike_text::term_hash;
use serde::Serialize;

use super::IndexSnapshot;
use super::create::{IndexError, StoredParts};
use super::stored::{StoredHead, StoredText, identity_key};
use crate::catalog::NOBODY;

/// Documents of the oldest and of the newest that are looked at for how well statistics fit.
const SAMPLE: usize = 500;
/// A key of more documents than this is crowded.
const CROWDED: usize = 1000;
/// Keys of recent documents that are asked how crowded they are.
const SAMPLED_KEYS: usize = 10_000;

/// Sizes and counts of an index.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct IndexStat {
    /// Documents that are there.
    pub documents: u64,
    /// Of these, documents that are too short or too plain to be compared.
    pub without_signature: u64,
    /// Documents that have expired and still take up room.
    pub expired: u64,
    /// Removed documents that still take up room.
    pub tombstones: u64,
    /// Additions so far, replaced and removed ones included.
    pub additions: u32,
    /// Segments on disk.
    pub segments: usize,
    /// Bytes of all segments.
    pub segment_bytes: u64,
    /// Bytes of what the log holds.
    pub log_bytes: u64,
    /// Bytes of the attached statistics, model and boilerplate.
    pub artifact_bytes: u64,
    /// Pairs of key and document.
    pub keys: u64,
    /// Sampled keys that more than a thousand documents share.
    pub crowded_keys: usize,
    /// Pairs that people have judged.
    pub judgments: usize,
    /// How well the collection statistics fit, where the method reads them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lexicon: Option<LexiconFit>,
}

/// How well collection statistics fit what came in: the oldest documents beside the newest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct LexiconFit {
    /// The share of terms that the statistics do not know, in the oldest and in the newest documents.
    pub unknown_terms: [f64; 2],
    /// The share of documents without a signature, likewise.
    pub without_signature: [f64; 2],
    /// Whether the newest fit so much worse that the index should be built anew.
    pub rebuild: bool,
}

/// What verifying an index came to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct IndexVerification {
    /// Documents that were read.
    pub documents: u64,
    /// Keys that led to their document.
    pub keys: u64,
    /// What is wrong, a sentence each; empty where all is well.
    pub errors: Vec<String>,
}

impl IndexSnapshot {
    /// Sizes and counts; reads the heads of all documents and the texts of a few.
    ///
    /// # Errors
    /// A damaged file.
    pub fn stat(&self) -> Result<IndexStat, IndexError> {
        let stat = self.store.stat();
        let mut documents = 0;
        let mut without_signature = 0;
        let mut numbers = Vec::new();
        for scanned in self.store.scan(self.now, false) {
            let head = scanned?.head;
            documents += 1;
            without_signature += u64::from(StoredHead::decode(&head.bytes)?.rejection.is_some());
            numbers.push(head.number);
        }
        let artifacts = self.opened.method.artifacts();
        let sizes = [
            artifacts.statistics.as_ref().map_or(0, |statistics| statistics.to_bytes().len()),
            artifacts.model.as_ref().map_or(0, |model| model.to_bytes().len()),
            artifacts.boilerplate.as_ref().map_or(0, |set| set.to_bytes().len()),
        ];
        Ok(IndexStat {
            documents,
            without_signature,
            expired: stat.documents.saturating_sub(documents),
            tombstones: stat.tombstones,
            additions: stat.additions,
            segments: stat.segments,
            segment_bytes: stat.segment_bytes,
            log_bytes: stat.log_bytes,
            artifact_bytes: sizes.iter().sum::<usize>() as u64,
            keys: stat.postings,
            crowded_keys: self.crowded_keys(&numbers)?,
            judgments: stat.judgments,
            lexicon: self.lexicon_fit(&numbers)?,
        })
    }

    /// Of the keys of the newest documents those that many share.
    fn crowded_keys(&self, numbers: &[u32]) -> Result<usize, IndexError> {
        let mut keys = Vec::new();
        for number in numbers.iter().rev() {
            keys.extend(self.keys_of(*number)?);
            if keys.len() >= SAMPLED_KEYS {
                break;
            }
        }
        keys.sort_unstable();
        keys.dedup();
        let mut counts = vec![0; keys.len()];
        self.store.look_up_all(&keys, |place, _| {
            counts[place] += 1;
            counts[place] <= CROWDED
        })?;
        Ok(counts.iter().filter(|count| **count > CROWDED).count())
    }

    /// The keys that lead to a document, made again from what is stored of it.
    fn keys_of(&self, number: u32) -> Result<Vec<u64>, IndexError> {
        let body = self.store.body(number)?.unwrap_or_default();
        let method = &self.opened.method;
        let prepared = match self.opened.options.store {
            StoredParts::Text => {
                let document = StoredText::read(&body)?;
                method.prepare(&document.document()).ok()
            }
            _ if body.is_empty() => None,
            _ => method.read_prepared(&body).ok(),
        };
        let keys = prepared.iter().flat_map(|prepared| {
            prepared.keys().iter().map(|key| key.0).chain([identity_key(prepared.identity())])
        });
        let mut keys: Vec<u64> = keys.collect();
        if let Some(StoredHead { rejection: Some(_), identity, .. }) = self.stored_head(number)?
            && identity != NOBODY
        {
            keys.push(identity_key(identity));
        }
        Ok(keys)
    }

    fn stored_head(&self, number: u32) -> Result<Option<StoredHead>, IndexError> {
        let head = self.store.head(number, self.now)?;
        head.map(|head| StoredHead::decode(&head.bytes)).transpose()
    }

    fn lexicon_fit(&self, numbers: &[u32]) -> Result<Option<LexiconFit>, IndexError> {
        let needs = self.opened.config.detector.needs_statistics();
        let Some(statistics) = self.opened.method.artifacts().statistics.as_ref().filter(|_| needs)
        else {
            return Ok(None);
        };
        if self.opened.options.store != StoredParts::Text || numbers.is_empty() {
            return Ok(None);
        }
        let ends = [
            &numbers[..numbers.len().min(SAMPLE)],
            &numbers[numbers.len().saturating_sub(SAMPLE)..],
        ];
        let mut fit = LexiconFit::default();
        for (end, numbers) in ends.into_iter().enumerate() {
            let (mut terms, mut unknown, mut rejected) = (0_u64, 0_u64, 0_u64);
            for number in numbers {
                let body = self.store.body(*number)?.unwrap_or_default();
                let document = StoredText::read(&body)?;
                let method = &self.opened.method;
                let tokens = method.detector().analyzer().tokenize(document.document().text);
                for term in tokens.terms() {
                    terms += 1;
                    let known = statistics.document_frequency(term_hash(term)) > 0;
                    unknown += u64::from(!known);
                }
                let prepared = method.prepare(&document.document());
                rejected += u64::from(prepared.is_err());
            }
            fit.unknown_terms[end] = unknown as f64 / terms.max(1) as f64;
            fit.without_signature[end] = rejected as f64 / numbers.len() as f64;
        }
        let worse = |[old, new]: [f64; 2]| new > 0.05 && new > 2.0 * old;
        fit.rebuild = worse(fit.unknown_terms) || worse(fit.without_signature);
        Ok(Some(fit))
    }

    /// Reads every byte, and looks up every document by each of its keys.
    ///
    /// # Errors
    /// A record that cannot be understood; damage is returned as a list of sentences.
    pub fn verify(&self) -> Result<IndexVerification, IndexError> {
        let mut result = IndexVerification::default();
        result.errors.extend(self.store.verify().iter().map(ToString::to_string));
        if !result.errors.is_empty() {
            return Ok(result);
        }
        let mut wanted: Vec<(u64, u32)> = Vec::new();
        for scanned in self.store.scan(self.now, false) {
            let number = scanned?.head.number;
            result.documents += 1;
            wanted.extend(self.keys_of(number)?.into_iter().map(|key| (key, number)));
            if wanted.len() > 1 << 20 {
                self.verify_keys(&mut wanted, &mut result)?;
            }
        }
        self.verify_keys(&mut wanted, &mut result)?;
        Ok(result)
    }

    fn verify_keys(
        &self,
        wanted: &mut Vec<(u64, u32)>,
        result: &mut IndexVerification,
    ) -> Result<(), IndexError> {
        wanted.sort_unstable();
        wanted.dedup();
        let mut keys: Vec<u64> = wanted.iter().map(|(key, _)| *key).collect();
        keys.dedup();
        let mut found = vec![false; wanted.len()];
        self.store.look_up_all(&keys, |place, number| {
            if let Ok(at) = wanted.binary_search(&(keys[place], number)) {
                found[at] = true;
            }
            true
        })?;
        for ((key, number), found) in wanted.drain(..).zip(found) {
            result.keys += 1;
            if !found && result.errors.len() < 100 {
                result.errors.push(format!("document {number} is not found by its key {key:016x}"));
            }
        }
        Ok(())
    }
}
