//! The naive index: a list of documents and a list of words.

use std::collections::BTreeMap;

use lookalike_store::{Batch, Document, Judgment, NEVER, OnDuplicate, Options, Snapshot, Word};

/// Small enough that every few batches make a segment, and merging happens in turn.
pub fn small_options() -> Options {
    Options { log_bytes: 3000, log_records: 6, cache_bytes: 1000, background: false }
}

/// A document whose content follows from its id and a version.
pub fn document(id: u8, version: u32, expires: u64) -> Document<'static> {
    let long = if id.is_multiple_of(7) { 3000 } else { 20 };
    let body: Vec<u8> = (0..long).map(|at| (at as u32 * version + u32::from(id)) as u8).collect();
    let keys = (0..5).map(|key| (key * u64::from(id % 4)) << 40 | u64::from(version % 3)).collect();
    let rest_of_body: &[u8] = if id.is_multiple_of(2) { b"and this" } else { b"" };
    let head = vec![id, version as u8];
    Document { id: format!("id-{id}"), added: None, expires, head, body, rest_of_body, keys }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Model {
    /// In the order of adding.
    pub documents: Vec<Document<'static>>,
    pub judgments: BTreeMap<(String, String), bool>,
    pub time: u64,
}

impl Model {
    pub fn live(&self, now: u64) -> impl Iterator<Item = &Document<'static>> {
        self.documents.iter().filter(move |document| document.expires > now)
    }

    /// Applies a batch; false where it must be refused.
    pub fn apply(&mut self, batch: &Batch<'static>) -> bool {
        let now = self.time.max(batch.time);
        let mut after = self.clone();
        let mut changed = !batch.judgments.is_empty();
        for id in &batch.removed_ids {
            let before = after.documents.len();
            after.documents.retain(|document| document.id != *id || document.expires <= now);
            changed |= after.documents.len() < before;
        }
        if !batch.removed_numbers.is_empty() {
            after.documents.retain(|document| document.expires > now);
            changed = true;
        }
        for document in &batch.documents {
            let known = after.documents.iter().position(|d| d.id == document.id && d.expires > now);
            match (known, batch.on_duplicate) {
                (Some(_), OnDuplicate::Refuse) => return false,
                (Some(_), OnDuplicate::Skip) => continue,
                (Some(known), OnDuplicate::Replace) => drop(after.documents.remove(known)),
                (None, _) => {}
            }
            changed = true;
            after.documents.push(document.clone());
        }
        for Judgment { left, right, word, .. } in &batch.judgments {
            let pair = (left.min(right).clone(), left.max(right).clone());
            match word {
                Word::Yes => drop(after.judgments.insert(pair, true)),
                Word::No => drop(after.judgments.insert(pair, false)),
                Word::Withdrawn => drop(after.judgments.remove(&pair)),
            }
        }
        if changed {
            after.time = now;
        }
        *self = after;
        true
    }

    /// What differs between the model and a snapshot, if anything does.
    pub fn difference(&self, snapshot: &Snapshot, clock: u64) -> Option<String> {
        // Its own time, whatever the clock says now: the clock may go back.
        let own_time = snapshot.now(0);
        if own_time != self.time {
            return Some(format!("time {own_time} instead of {}", self.time));
        }
        let now = snapshot.now(clock);
        let found: Result<Vec<_>, _> = snapshot.scan(now, true).collect();
        let found = match found {
            Ok(found) => found,
            Err(error) => return Some(error.to_string()),
        };
        // Before time began nothing had expired.
        let with_expired = snapshot.scan(0, false).count() as u64;
        if snapshot.len() != with_expired {
            return Some(format!("counts {} documents and holds {with_expired}", snapshot.len()));
        }
        let ids: Vec<&str> = found.iter().map(|scanned| scanned.head.id.as_str()).collect();
        let expected: Vec<&str> = self.live(now).map(|document| document.id.as_str()).collect();
        if ids != expected {
            return Some(format!("documents {ids:?} instead of {expected:?}"));
        }
        for (scanned, document) in found.iter().zip(self.live(now)) {
            let number = scanned.head.number;
            let body = [&document.body[..], document.rest_of_body].concat();
            if scanned.body != body || scanned.head.bytes != document.head {
                return Some(format!("another content of {}", document.id));
            }
            if snapshot.find(&document.id, now).unwrap() != Some(scanned.head.clone())
                || snapshot.body(number).unwrap().as_ref() != Some(&body)
            {
                return Some(format!("{} is not found by its id", document.id));
            }
        }
        let mut by_key: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
        for (scanned, document) in found.iter().zip(self.live(now)) {
            let mut keys = document.keys.clone();
            keys.sort_unstable();
            keys.dedup();
            for key in keys {
                by_key.entry(key).or_default().push(scanned.head.number);
            }
        }
        by_key.entry(77).or_default();
        let keys: Vec<u64> = by_key.keys().copied().collect();
        let mut all = vec![Vec::new(); keys.len()];
        snapshot
            .look_up_all(&keys, |place, number| {
                all[place].push(number);
                true
            })
            .unwrap();
        let is_live = |number: &u32| found.iter().any(|s| s.head.number == *number);
        for ((key, numbers), all) in by_key.into_iter().zip(all) {
            let mut single = Vec::new();
            snapshot
                .look_up(key, |number| {
                    single.push(number);
                    true
                })
                .unwrap();
            if single != all {
                return Some(format!("key {key:x}: {single:?} alone, {all:?} among others"));
            }
            single.retain(is_live);
            if single != numbers {
                return Some(format!("key {key:x}: {single:?} instead of {numbers:?}"));
            }
        }
        if snapshot.find("nobody", now).unwrap().is_some() {
            return Some("nobody is there".into());
        }
        let said: Vec<_> =
            snapshot.judgments().iter().map(|(l, r, said)| (l, r, said[0].duplicate)).collect();
        let expected: Vec<_> =
            self.judgments.iter().map(|((l, r), word)| (l.as_str(), r.as_str(), *word)).collect();
        if said != expected {
            return Some(format!("judgments {said:?} instead of {expected:?}"));
        }
        let errors = snapshot.verify();
        (!errors.is_empty()).then(|| format!("{errors:?}"))
    }
}

/// A batch of new documents that stay.
pub fn batch_of(ids: std::ops::Range<u8>, version: u32) -> Batch<'static> {
    let documents = ids.map(|id| document(id, version, NEVER)).collect();
    Batch { documents, on_duplicate: OnDuplicate::Replace, ..Batch::default() }
}
