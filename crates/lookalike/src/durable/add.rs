//! Adding documents: each is checked against all that came before it, then the batch is durable.

use std::collections::BTreeSet;
use std::sync::{Arc, PoisonError};

use hashbrown::{HashMap, HashSet};
use lookalike_store::{Added, Batch, NEVER, OnDuplicate, StoreError};
use serde::Serialize;

use super::cache::Fresh;
use super::candidates::{MOST_CANDIDATES, Postings};
use super::check::{Answer, Asked, CheckedDocument, Found, SameId, no_part};
use super::create::IndexError;
use super::stored::to_store;
use super::{Index, IndexSnapshot};
use crate::{Interrupt, OwnedDocument};

/// What became of a document that was to be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum AddStatus {
    /// It is in the index.
    Added,
    /// It is in the index instead of an earlier document of its id.
    Replaced,
    /// A document of its id was there already and stayed.
    Skipped,
    /// It duplicates something that is there, and duplicates were not to be added.
    LeftOut,
}

/// What happens to a document that duplicates one that is there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnMatch {
    /// It is added like any other.
    #[default]
    Keep,
    /// It is not added.
    Skip,
    /// What it duplicates is removed; of a text that is there more than a hundred times, a hundred.
    Replace,
}

/// Documents that are added for one caller, and on which terms.
#[derive(Clone, Copy, Debug)]
pub struct Addition<'a> {
    /// The documents, in order; each has an id.
    pub documents: &'a [OwnedDocument],
    /// When each was added, in milliseconds since 1970, where they were in an index before; empty
    /// where they are added now.
    pub added: &'a [u64],
    /// What happens to those whose id is already there.
    pub on_id: OnDuplicate,
    /// What happens to those that duplicate something.
    pub on_match: OnMatch,
}

/// What an addition says of one document.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AddedDocument {
    /// What it duplicates among all that were added before it.
    #[serde(flatten)]
    pub checked: CheckedDocument,
    /// What became of it.
    pub added: AddStatus,
}

/// What an addition of several comes to: its documents, or why none of them was added.
pub type AdditionAnswer = Result<Vec<AddedDocument>, IndexError>;

impl Index {
    /// Adds documents as one batch: when this returns, all are on disk, or on an error none.
    ///
    /// # Errors
    /// The disk refuses, a document has no id, or an id is there already and that was declared an
    /// error.
    pub fn add(
        &self,
        documents: &[OwnedDocument],
        on_duplicate: OnDuplicate,
        clock: u64,
    ) -> Result<Vec<AddedDocument>, IndexError> {
        let (on_id, on_match) = (on_duplicate, OnMatch::Keep);
        let addition = Addition { documents, added: &[], on_id, on_match };
        let mut answers = self.add_together(&[addition], clock)?;
        answers.pop().unwrap_or_else(|| Ok(Vec::new()))
    }

    /// Adds what several callers bring, one after the other, and makes it durable at once. An
    /// addition that is refused for an id leaves the others alone.
    ///
    /// # Errors
    /// The disk refuses; then nothing was added.
    pub fn add_together(
        &self,
        additions: &[Addition<'_>],
        clock: u64,
    ) -> Result<Vec<AdditionAnswer>, IndexError> {
        // One after the other, so that each sees what came before it.
        let _adding = self.adding.lock().unwrap_or_else(PoisonError::into_inner);
        let snapshot = self.snapshot(clock);
        let documents: Vec<&OwnedDocument> =
            additions.iter().flat_map(|addition| addition.documents).collect();
        let now = snapshot.now;
        // Nothing was added later than now.
        let times = additions.iter().flat_map(|addition| {
            let times = addition.added.iter().map(|time| (*time).min(now));
            times.chain(std::iter::repeat(now)).take(addition.documents.len())
        });
        let times: Vec<u64> = times.collect();
        let time_to_live = self.opened.options.time_to_live;
        let expiry = |at: usize| time_to_live.map_or(NEVER, |ttl| times[at].saturating_add(ttl));
        let prepared = snapshot.prepare(&documents, expiry);
        let asked = Asked { same_id: SameId::PassedOver, nearest: 0, interrupt: &Interrupt::new() };
        let (postings, answers) = snapshot.answers(&documents, &prepared, asked)?;
        let ids: Vec<&str> = documents.iter().map(|document| document.id.as_str()).collect();
        let mut together = Together {
            known: snapshot.store.find_all(&ids, snapshot.now)?,
            ready: &prepared,
            documents: &documents,
            snapshot: &snapshot,
            postings: &postings,
            compared: vec![false; documents.len()],
            latest: HashMap::with_capacity(documents.len()),
            gone: BTreeSet::new(),
        };
        let mut answers = answers.into_iter();
        let mut told = Vec::with_capacity(additions.len());
        let mut at = 0;
        for addition in additions {
            let of_addition = answers.by_ref().take(addition.documents.len()).collect();
            told.push(together.take(addition, at, of_addition));
            at += addition.documents.len();
        }
        let mut kept: Vec<usize> = together.latest.values().copied().collect();
        kept.sort_unstable();
        let removed_numbers = together.gone.iter().copied().collect();
        drop(together);
        let mut places = vec![None; documents.len()];
        (0..).zip(&kept).for_each(|(place, at)| places[*at] = Some(place));
        let batch = Batch {
            time: clock,
            keys: postings.keys_of(|at| places[at as usize]),
            documents: kept
                .iter()
                .map(|at| to_store(&self.opened, documents[*at], &prepared[*at], times[*at]))
                .collect(),
            on_duplicate: OnDuplicate::Replace,
            removed_numbers,
            ..Batch::default()
        };
        let committed = self.store.commit(batch)?;
        self.opened.cache.put(kept.into_iter().zip(committed.added).filter_map(|(at, added)| {
            let (Added::New(number) | Added::Replaced { number, .. }) = added else { return None };
            Some((number, Arc::clone(&prepared[at].known)))
        }));
        Ok(told)
    }
}

/// What is decided while additions are gone through in order, before anything is written.
struct Together<'a> {
    snapshot: &'a IndexSnapshot,
    documents: &'a [&'a OwnedDocument],
    ready: &'a [Fresh],
    /// The number of the document that has the same id in the index.
    known: Vec<Option<u32>>,
    /// Who shares keys with whom.
    postings: &'a Postings,
    /// Which documents of the batch later ones are compared with, if they are still to be there.
    compared: Vec<bool>,
    /// By id the document of the batch that is to be there.
    latest: HashMap<&'a str, usize>,
    /// Numbers of documents that are to be removed.
    gone: BTreeSet<u32>,
}

impl Together<'_> {
    /// Goes through one addition, whose documents begin at a place.
    fn take(
        &mut self,
        addition: &Addition<'_>,
        first: usize,
        answers: Vec<Answer>,
    ) -> AdditionAnswer {
        if let Some(at) = addition.documents.iter().position(|document| document.id.is_empty()) {
            return Err(IndexError::NoId(at));
        }
        if addition.on_id == OnDuplicate::Refuse {
            let mut own = HashSet::with_capacity(addition.documents.len());
            for (at, document) in (first..).zip(addition.documents) {
                if self.is_there(at) || !own.insert(document.id.as_str()) {
                    return Err(StoreError::DuplicateId(document.id.clone()).into());
                }
            }
        }
        let rows = (first..).zip(answers).map(|(at, mut answer)| {
            let added = self.decide(at, addition, &mut answer);
            let is_rejected = self.ready[at].known.rejection.is_some();
            let checked = answer.finish(&self.documents[at].id, is_rejected);
            AddedDocument { checked, added }
        });
        Ok(rows.collect())
    }

    /// Whether the id of a document is taken.
    fn is_there(&self, at: usize) -> bool {
        let known = self.known[at].is_some_and(|number| !self.gone.contains(&number));
        known || self.latest.contains_key(self.documents[at].id.as_str())
    }

    /// What becomes of a document, and what it duplicates among the earlier ones of the batch, so
    /// that the answer does not depend on how additions are cut into batches.
    fn decide(&mut self, at: usize, addition: &Addition<'_>, answer: &mut Answer) -> AddStatus {
        // What an earlier document of the batch has replaced is not there any more.
        if !self.gone.is_empty() {
            answer.found.retain(|found| {
                !self.gone.contains(&found.number) && !self.latest.contains_key(found.id.as_str())
            });
        }
        self.match_among(at, answer);
        let is_there = self.is_there(at);
        if is_there && addition.on_id == OnDuplicate::Skip {
            return AddStatus::Skipped;
        }
        match addition.on_match {
            OnMatch::Keep => {}
            OnMatch::Skip if answer.found.is_empty() => {}
            OnMatch::Skip => return AddStatus::LeftOut,
            OnMatch::Replace => {
                for found in &answer.found {
                    if self.latest.remove(found.id.as_str()).is_none() {
                        self.gone.insert(found.number);
                    }
                }
            }
        }
        // The earlier one is gone even where this one is removed again within the batch.
        self.gone.extend(self.known[at]);
        self.latest.insert(&self.documents[at].id, at);
        if is_there { AddStatus::Replaced } else { AddStatus::Added }
    }

    fn match_among(&mut self, at: usize, answer: &mut Answer) {
        let document = self.documents[at];
        // Numbers grow with the places; only their order matters here.
        let first = self.snapshot.store.next_number();
        let candidates = self.candidates_among(at);
        let n_candidates = candidates.len();
        for other in candidates {
            let id = &self.documents[other].id;
            let still_there = *id != document.id && self.latest.get(id.as_str()) == Some(&other);
            if still_there && let Some(score) = self.score_among(at, other, n_candidates) {
                let number = first.saturating_add(other as u32);
                answer.found.push(Found { id: id.clone(), score, number });
            }
        }
    }

    /// Earlier documents of the batch that share a key with a document, or that a person has named
    /// with it, in their order; notes that the document was there.
    fn candidates_among(&mut self, at: usize) -> Vec<usize> {
        self.compared[at] = true;
        let counts = |other: u32| self.compared[other as usize];
        let candidates = self.postings.candidates_among(at, counts);
        let mut candidates: Vec<usize> =
            candidates.into_iter().map(|other| other as usize).collect();
        let judgments = self.snapshot.store.judgments();
        if self.ready[at].known.rejection.is_none() {
            let named = judgments.of(&self.documents[at].id).filter(|(_, yes)| *yes);
            candidates.extend(named.filter_map(|(id, _)| self.latest.get(id)));
        }
        candidates.sort_unstable();
        candidates.dedup();
        candidates.truncate(MOST_CANDIDATES);
        candidates
    }

    /// The score of two documents of a batch, if they are duplicates.
    fn score_among(&self, at: usize, other: usize, n_candidates: usize) -> Option<f64> {
        let (left, right) = (&*self.ready[at].known, &*self.ready[other].known);
        // People say nothing of documents that are too short to be compared.
        if left.rejection.or(right.rejection).is_none()
            && let Some(duplicate) = self.snapshot.store.judgments().verdict(&left.id, &right.id)
        {
            return duplicate.then_some(1.0);
        }
        // Both were prepared by the method that judges them, with all that it compares.
        let detector = self.snapshot.opened.method.detector();
        let features = || right.features.get(detector).ok_or_else(no_part);
        let verdict = self.snapshot.judge((left, n_candidates), right, features).ok()?;
        verdict.duplicate.then_some(verdict.score)
    }
}
