//! Adding documents: each is checked against all that came before it, then the batch is durable.

use std::collections::HashMap;
use std::sync::PoisonError;

use lookalike_detect::Prepared;
use lookalike_store::{Added, Batch, NEVER, OnDuplicate};
use serde::Serialize;

use super::candidates::{MOST_CANDIDATES, MOST_POSTINGS};
use super::check::{Answer, CheckedDocument, Found};
use super::create::IndexError;
use super::stored::{identity_key, to_store};
use super::{Index, IndexSnapshot};
use crate::OwnedDocument;

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

impl Index {
    /// Adds documents as one batch: when this returns, all are on disk, or on an error none.
    ///
    /// # Errors
    /// The disk refuses, or an id is there already and that was declared an error.
    pub fn add(
        &self,
        documents: &[OwnedDocument],
        on_duplicate: OnDuplicate,
        clock: u64,
    ) -> Result<Vec<AddedDocument>, IndexError> {
        // One after the other, so that each sees what came before it.
        let _adding = self.adding.lock().unwrap_or_else(PoisonError::into_inner);
        let snapshot = self.snapshot(clock);
        let prepared = snapshot.prepare(documents);
        let mut answers = snapshot.answers(documents, &prepared)?;
        let expires =
            self.opened.options.time_to_live.map_or(NEVER, |ttl| snapshot.now.saturating_add(ttl));
        let to_add = documents
            .iter()
            .zip(&prepared)
            .map(|(document, prepared)| to_store(&self.opened, document, prepared, expires));
        let batch =
            Batch { time: clock, documents: to_add.collect(), on_duplicate, ..Batch::default() };
        let ready: Vec<Option<&Prepared>> = prepared.iter().map(|p| p.as_ref().ok()).collect();
        let committed = self.store.commit(batch)?;
        snapshot.match_among(documents, &ready, &committed.added, &mut answers);
        let status = |added: &Added| match added {
            Added::New(_) => AddStatus::Added,
            Added::Replaced { .. } => AddStatus::Replaced,
            Added::Skipped => AddStatus::Skipped,
        };
        let rows = documents.iter().zip(&prepared).zip(answers).zip(&committed.added).map(
            |(((document, prepared), answer), added)| AddedDocument {
                checked: answer.finish(&document.id, prepared.is_err()),
                added: status(added),
            },
        );
        Ok(rows.collect())
    }
}

impl IndexSnapshot {
    /// Adds to the answers what documents duplicate among the earlier ones of their batch, so that
    /// the answer does not depend on how additions are cut into batches.
    fn match_among(
        &self,
        documents: &[OwnedDocument],
        prepared: &[Option<&Prepared>],
        added: &[Added],
        answers: &mut [Answer],
    ) {
        let mut earlier: HashMap<u64, Vec<usize>> = HashMap::new();
        let mut latest: HashMap<&str, usize> = HashMap::new();
        for (at, document) in documents.iter().enumerate() {
            let (Added::New(_) | Added::Replaced { .. }) = added[at] else { continue };
            let answer = &mut answers[at];
            // What an earlier document of the batch has replaced is not there any more.
            answer.found.retain(|found| !latest.contains_key(found.id.as_str()));
            for other in self.candidates_among(document, prepared[at], at, &mut earlier, &latest) {
                let id = &documents[other].id;
                let still_there = *id != document.id && latest.get(id.as_str()) == Some(&other);
                if let Some(score) = self.score_among(documents, prepared, (at, other))
                    && still_there
                    && let Added::New(number) | Added::Replaced { number, .. } = added[other]
                {
                    answer.found.push(Found { id: id.clone(), score, number });
                }
            }
            latest.insert(&document.id, at);
        }
    }

    /// Earlier documents of the batch that share a key with a document, or that a person has named
    /// with it, in their order; notes the keys of the document.
    fn candidates_among(
        &self,
        document: &OwnedDocument,
        prepared: Option<&Prepared>,
        at: usize,
        earlier: &mut HashMap<u64, Vec<usize>>,
        latest: &HashMap<&str, usize>,
    ) -> Vec<usize> {
        let Some(prepared) = prepared else { return Vec::new() };
        let keys = prepared.keys().iter().map(|key| key.0);
        let identity = identity_key(prepared.identity());
        let mut candidates: Vec<usize> = earlier.get(&identity).cloned().unwrap_or_default();
        let n_copies = candidates.len();
        for key in keys.chain([identity]) {
            let members = earlier.entry(key).or_default();
            // Of a text that is there a thousand times, most keys lead to its copies alone.
            if *members != candidates[..n_copies] {
                candidates.extend(members.iter());
            }
            if members.len() < MOST_POSTINGS {
                members.push(at);
            }
        }
        let named = self.store.judgments().of(&document.id).filter(|(_, yes)| *yes);
        candidates.extend(named.filter_map(|(id, _)| latest.get(id)));
        candidates.sort_unstable();
        candidates.dedup();
        candidates.truncate(MOST_CANDIDATES);
        candidates
    }

    /// The score of two documents of a batch, if they are duplicates.
    fn score_among(
        &self,
        documents: &[OwnedDocument],
        prepared: &[Option<&Prepared>],
        (at, other): (usize, usize),
    ) -> Option<f64> {
        let (left, right) = (prepared[at]?, prepared[other]?);
        let said = self.store.judgments().verdict(&documents[at].id, &documents[other].id);
        if let Some(duplicate) = said {
            return duplicate.then_some(1.0);
        }
        // Both were prepared by the method that judges them.
        let verdict = self.opened.method.judge(left, right).ok()?;
        verdict.duplicate.then_some(verdict.score)
    }
}
