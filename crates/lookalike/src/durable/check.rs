//! What a document duplicates: keys find candidates, the method's rule judges them.

use std::borrow::Borrow;
use std::sync::Arc;

use lookalike_detect::{Features, Prepared, Rejection, Rule, Scratch, Verdict};
use rayon::prelude::*;
use serde::Serialize;

use super::IndexSnapshot;
use super::candidates::{Candidates, Postings};
use super::create::{IndexError, StoredParts};
use super::stored::{StoredHead, StoredText, unreadable};
use crate::OwnedDocument;

/// Matches of one document that are listed, the best first; the rest is counted.
pub const LISTED_MATCHES: usize = 100;

/// A document of the index that another one duplicates.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Match {
    /// Its id.
    pub id: String,
    /// The score of the pair; 1 where a person said so.
    pub score: f64,
}

/// What a check came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CheckStatus {
    /// Nothing like it is in the index.
    New,
    /// It duplicates something.
    Duplicate,
    /// It is too short or too plain to be compared.
    TooShort,
}

/// What a check says of one document.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CheckedDocument {
    /// The document's id.
    pub id: String,
    /// What it came to.
    pub status: CheckStatus,
    /// What it duplicates: the best first, of equals the one added first; at most
    /// [`LISTED_MATCHES`] of them.
    pub matches: Vec<Match>,
    /// Further documents that it duplicates.
    #[serde(skip_serializing_if = "is_zero")]
    pub more_matches: u64,
    /// At least so many candidates were not compared because their buckets are crowded.
    #[serde(skip_serializing_if = "is_zero")]
    pub skipped: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// A match with what orders it.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub id: String,
    pub score: f64,
    /// The order of adding.
    pub number: u32,
}

/// What the index says of one document.
#[derive(Clone, Debug, Default)]
pub(super) struct Answer {
    pub found: Vec<Found>,
    /// Copies beyond those that are listed.
    pub more: u64,
    pub skipped: u64,
}

impl Answer {
    /// Puts the answer in order; `rejected` where the document could not be compared.
    pub fn finish(mut self, id: &str, rejected: bool) -> CheckedDocument {
        self.found.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.number.cmp(&b.number)));
        let more = self.found.len().saturating_sub(LISTED_MATCHES) as u64;
        self.found.truncate(LISTED_MATCHES);
        let matches: Vec<Match> =
            self.found.into_iter().map(|Found { id, score, .. }| Match { id, score }).collect();
        let status = match (matches.is_empty(), rejected) {
            (false, _) => CheckStatus::Duplicate,
            (true, true) => CheckStatus::TooShort,
            (true, false) => CheckStatus::New,
        };
        let (more_matches, skipped) = (self.more + more, self.skipped);
        CheckedDocument { id: id.to_owned(), status, matches, more_matches, skipped }
    }
}

impl IndexSnapshot {
    /// Says of each document what it duplicates in the index; documents are not compared with each
    /// other, and one that is in the index itself is not compared with itself.
    ///
    /// # Errors
    /// A damaged file.
    pub fn check(&self, documents: &[OwnedDocument]) -> Result<Vec<CheckedDocument>, IndexError> {
        let prepared = self.prepare(documents);
        let answers = self.answers(documents, &prepared)?;
        let finished =
            documents.iter().zip(prepared).zip(answers).map(|((document, prepared), answer)| {
                answer.finish(&document.id, prepared.is_err())
            });
        Ok(finished.collect())
    }

    /// Prepares documents on all threads.
    pub(super) fn prepare<D: Borrow<OwnedDocument> + Sync>(
        &self,
        documents: &[D],
    ) -> Vec<Result<Prepared, Rejection>> {
        let method = &self.opened.method;
        documents
            .par_iter()
            .map_init(Scratch::default, |scratch, document| {
                method.prepare_with(&document.borrow().document(), scratch)
            })
            .collect()
    }

    /// What each document duplicates in the index.
    pub(super) fn answers<D: Borrow<OwnedDocument> + Sync>(
        &self,
        documents: &[D],
        prepared: &[Result<Prepared, Rejection>],
    ) -> Result<Vec<Answer>, IndexError> {
        let postings = Postings::read(&self.store, prepared)?;
        documents
            .par_iter()
            .zip(prepared)
            .map_init(Scratch::default, |scratch, (document, prepared)| {
                let document = document.borrow();
                let Ok(prepared) = prepared else { return Ok(Answer::default()) };
                let candidates = postings.candidates(prepared);
                let mut answer = self.judge_all(document, prepared, &candidates, scratch)?;
                self.add_words(&document.id, &mut answer)?;
                Ok(answer)
            })
            .collect()
    }

    /// Adds those that a person said are duplicates, whatever the method says.
    fn add_words(&self, id: &str, answer: &mut Answer) -> Result<(), IndexError> {
        for (other, _) in self.store.judgments().of(id).filter(|(_, duplicate)| *duplicate) {
            if let Some(head) = self.store.find(other, self.now)?
                && StoredHead::decode(&head.bytes)?.rejection.is_none()
            {
                answer.found.retain(|found| found.number != head.number);
                answer.found.push(Found { id: head.id, score: 1.0, number: head.number });
            }
        }
        Ok(())
    }

    fn judge_all(
        &self,
        document: &OwnedDocument,
        prepared: &Prepared,
        candidates: &Candidates,
        scratch: &mut Scratch,
    ) -> Result<Answer, IndexError> {
        let mut answer = Answer { skipped: candidates.unread, ..Answer::default() };
        for (at, number) in candidates.copies.iter().enumerate() {
            // Copies are all alike: beyond those that are listed they are only counted.
            if answer.found.len() > LISTED_MATCHES {
                answer.more = (candidates.copies.len() - at) as u64;
                break;
            }
            self.judge_one(document, prepared, *number, &mut answer, scratch)?;
        }
        let most_failures = self.opened.config.run.max_comparisons;
        let mut failed = 0;
        for (at, number) in candidates.others.iter().enumerate() {
            if failed >= most_failures {
                answer.skipped += (candidates.others.len() - at) as u64;
                break;
            }
            failed +=
                usize::from(!self.judge_one(document, prepared, *number, &mut answer, scratch)?);
        }
        Ok(answer)
    }

    /// Judges a candidate and writes a match down; false where it was compared and is none.
    fn judge_one(
        &self,
        document: &OwnedDocument,
        prepared: &Prepared,
        number: u32,
        answer: &mut Answer,
        scratch: &mut Scratch,
    ) -> Result<bool, IndexError> {
        let Some(head) = self.store.head(number, self.now)? else { return Ok(true) };
        if head.id == document.id {
            return Ok(true);
        }
        let verdict = match self.store.judgments().verdict(&document.id, &head.id) {
            Some(duplicate) => Verdict { duplicate, score: 1.0 },
            None => self.judge(prepared, number, &head.bytes, scratch)?,
        };
        if verdict.duplicate {
            answer.found.push(Found { id: head.id, score: verdict.score, number });
        }
        Ok(verdict.duplicate)
    }

    /// The verdict on a new document and a stored one that share a key or an identity.
    fn judge(
        &self,
        new: &Prepared,
        number: u32,
        head: &[u8],
        scratch: &mut Scratch,
    ) -> Result<Verdict, IndexError> {
        let head = StoredHead::decode(head)?;
        if head.identity == new.identity() {
            return Ok(Verdict::COPIES);
        }
        let signature = || new.evidence().signature().ok_or_else(no_part);
        let features = || new.evidence().features().ok_or_else(no_part);
        match self.opened.method.detector().rule() {
            Rule::Keys => Ok(Verdict::COPIES),
            Rule::Signatures(rule) => Ok(rule.judge(signature()?, &head.signature)),
            Rule::Features(rule) => Ok(rule.judge(features()?, &*self.features(number, scratch)?)),
            Rule::Both(first, then) => {
                let verdict = first.judge(signature()?, &head.signature);
                if !verdict.duplicate {
                    return Ok(verdict);
                }
                Ok(then.judge(features()?, &*self.features(number, scratch)?))
            }
        }
    }

    /// The exact features of a stored document.
    fn features(&self, number: u32, scratch: &mut Scratch) -> Result<Arc<Features>, IndexError> {
        if let Some(features) = self.opened.features.get(number) {
            return Ok(features);
        }
        let body = self.store.body(number)?;
        let body = body.ok_or_else(|| unreadable("a document", "its body is not there"))?;
        let method = &self.opened.method;
        let features = match self.opened.options.store {
            StoredParts::Text => {
                let document = StoredText::read(&body)?;
                method.detector().features(&document.document(), scratch)
            }
            StoredParts::Features | StoredParts::Signatures => {
                let prepared = method.read_prepared(&body);
                let prepared = prepared
                    .map_err(|error| unreadable("a prepared document", &error.to_string()))?;
                prepared.evidence().features().ok_or_else(no_part)?.clone()
            }
        };
        let features = Arc::new(features);
        self.opened.features.put(number, &features);
        Ok(features)
    }
}

fn no_part() -> IndexError {
    unreadable("a prepared document", "it has not the parts that the method compares")
}
