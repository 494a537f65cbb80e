//! What a document duplicates: keys find candidates, the method's rule judges them.

use std::borrow::Borrow;
use std::sync::Arc;

use hashbrown::HashMap;
use lookalike_detect::{
    Detector, Evidence, FeatureRule, Features, LateFeatures, LatePrepared, PairParts, Scratch,
    SignatureRule, Verdict, identity,
};
use lookalike_store::NEVER;
use rayon::prelude::*;
use serde::Serialize;

use super::IndexSnapshot;
use super::cache::{Fresh, Known};
use super::candidates::{Candidates, Postings};
use super::create::{IndexError, StoredParts};
use super::stored::{StoredHead, StoredText, unreadable};
use crate::catalog::NOBODY;
use crate::{Interrupt, OwnedDocument};

/// Of so many candidates on, outlines tell most of those that fail.
const CROWD: usize = 8;
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
    /// Whether a document with this id is in the index; only a check asks.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub id_exists: bool,
    /// What it duplicates: the best first, of equals the one added first; at most
    /// [`LISTED_MATCHES`] of them.
    pub matches: Vec<Match>,
    /// Documents that share bucket keys with it and are no duplicates, the most similar first; only
    /// where they were asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nearest: Vec<Match>,
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
    /// Compared documents that are no duplicates.
    pub below: Vec<Found>,
    /// Copies beyond those that are listed.
    pub more: u64,
    pub skipped: u64,
}

/// Whether a document is compared with the one of its id in the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SameId {
    /// It is, as any other.
    Compared,
    /// It is not: the new one is to take its place, or to be left out.
    PassedOver,
}

/// How documents are looked at.
#[derive(Clone, Copy)]
pub(super) struct Asked<'a> {
    pub same_id: SameId,
    /// How many documents are wanted that are no duplicates.
    pub nearest: usize,
    pub interrupt: &'a Interrupt,
}

/// What a thread needs to judge one document after the other.
struct Room<'a> {
    asked: Asked<'a>,
    candidates: Candidates,
    /// On earlier candidates of the document at hand, by their identity.
    verdicts: HashMap<u128, Verdict>,
    scratch: Scratch,
}

impl Found {
    /// The order of matches: of equal scores the one that was added first.
    fn best_first(&self, other: &Self) -> std::cmp::Ordering {
        other.score.total_cmp(&self.score).then(self.number.cmp(&other.number))
    }
}

impl Answer {
    /// Notes a document that is no duplicate, among the most similar ones.
    fn put_below(&mut self, found: Found, most: usize) {
        let place = self.below.partition_point(|other| other.best_first(&found).is_lt());
        self.below.insert(place, found);
        self.below.truncate(most);
    }

    /// Puts the answer in order; `rejected` where the document could not be compared.
    pub fn finish(mut self, id: &str, rejected: bool) -> CheckedDocument {
        self.found.sort_by(Found::best_first);
        let more = self.found.len().saturating_sub(LISTED_MATCHES) as u64;
        self.found.truncate(LISTED_MATCHES);
        let listed = |found: Vec<Found>| -> Vec<Match> {
            found.into_iter().map(|Found { id, score, .. }| Match { id, score }).collect()
        };
        let (matches, nearest) = (listed(self.found), listed(self.below));
        let status = match (matches.is_empty(), rejected) {
            (false, _) => CheckStatus::Duplicate,
            (true, true) => CheckStatus::TooShort,
            (true, false) => CheckStatus::New,
        };
        let (more_matches, skipped) = (self.more + more, self.skipped);
        let (id, id_exists) = (id.to_owned(), false);
        CheckedDocument { id, status, id_exists, matches, nearest, more_matches, skipped }
    }
}

impl IndexSnapshot {
    /// Says of each document what it duplicates in the index, a document of the same id included, and
    /// whether there is one; documents are not compared with each other.
    ///
    /// # Errors
    /// A damaged file.
    pub fn check(&self, documents: &[OwnedDocument]) -> Result<Vec<CheckedDocument>, IndexError> {
        self.check_until(documents, 0, &Interrupt::new())
    }

    /// [`IndexSnapshot::check`], with so many documents of each that are most similar without being
    /// duplicates, until it is interrupted: then it fails after the comparison at hand.
    ///
    /// # Errors
    /// A damaged file, or [`crate::RunError::Interrupted`].
    pub fn check_until(
        &self,
        documents: &[OwnedDocument],
        nearest: usize,
        interrupt: &Interrupt,
    ) -> Result<Vec<CheckedDocument>, IndexError> {
        interrupt.check()?;
        let prepared = self.prepare(documents, |_| NEVER);
        let asked = Asked { same_id: SameId::Compared, nearest, interrupt };
        let (_, answers) = self.answers(documents, &prepared, asked)?;
        let ids: Vec<&str> = documents.iter().map(|document| document.id.as_str()).collect();
        let known = self.store.find_all(&ids, self.now)?;
        let answers = ids.into_iter().zip(prepared).zip(answers).zip(known);
        let finished = answers.map(|(((id, prepared), answer), known)| {
            let checked = answer.finish(id, prepared.known.rejection.is_some());
            CheckedDocument { id_exists: known.is_some(), ..checked }
        });
        Ok(finished.collect())
    }

    /// Prepares documents on all threads; `expires` says until when each will be there.
    pub(super) fn prepare<D: Borrow<OwnedDocument> + Sync>(
        &self,
        documents: &[D],
        expires: impl Fn(usize) -> u64 + Sync,
    ) -> Vec<Fresh> {
        let detector = self.opened.method.detector();
        documents
            .par_iter()
            .enumerate()
            .map_init(Scratch::default, |scratch, (at, document)| {
                let (document, expires) = (document.borrow(), expires(at));
                let id = document.id.as_str();
                let (keys, known) = match detector.prepare_late(&document.document(), scratch) {
                    Ok(LatePrepared { signed, identity, features }) => {
                        let known = Known::new(id, expires, identity, signed.signature, features);
                        (signed.keys, known)
                    }
                    Err(rejection) => {
                        let is_blank = document.text.trim_ascii_start().is_empty();
                        let seen = || identity(&document.document(), detector.reads_metadata());
                        let identity = if is_blank { NOBODY } else { seen() };
                        (Vec::new(), Known::rejected(id, expires, identity, rejection))
                    }
                };
                Fresh { keys, known: Arc::new(known) }
            })
            .collect()
    }

    /// What each document duplicates in the index, and who shares keys with whom.
    pub(super) fn answers<D: Borrow<OwnedDocument> + Sync>(
        &self,
        documents: &[D],
        prepared: &[Fresh],
        asked: Asked<'_>,
    ) -> Result<(Postings, Vec<Answer>), IndexError> {
        let postings = Postings::read(&self.store, prepared)?;
        let order = postings.by_company();
        let room = || Room {
            asked,
            candidates: Candidates::default(),
            verdicts: HashMap::new(),
            scratch: Scratch::default(),
        };
        let judged = order
            .par_iter()
            .map_init(room, |room, at| {
                let known = &prepared[*at].known;
                postings.candidates(*at, &mut room.candidates);
                let mut answer = self.judge_all(known, room)?;
                if known.rejection.is_none() {
                    self.add_words(&documents[*at].borrow().id, &mut answer)?;
                }
                Ok(answer)
            })
            .collect::<Result<Vec<_>, IndexError>>()?;
        let mut answers = vec![Answer::default(); documents.len()];
        for (at, answer) in order.into_iter().zip(judged) {
            answers[at] = answer;
        }
        Ok((postings, answers))
    }

    /// Adds those that a person said are duplicates, whatever the method says.
    fn add_words(&self, id: &str, answer: &mut Answer) -> Result<(), IndexError> {
        for (other, _) in self.store.judgments().of(id).filter(|(_, duplicate)| *duplicate) {
            if let Some(head) = self.store.find(other, self.now)?
                && StoredHead::decode(&head.bytes)?.rejection.is_none()
            {
                answer.found.retain(|found| found.number != head.number);
                answer.below.retain(|found| found.number != head.number);
                answer.found.push(Found { id: head.id, score: 1.0, number: head.number });
            }
        }
        Ok(())
    }

    fn judge_all(&self, new: &Known, room: &mut Room<'_>) -> Result<Answer, IndexError> {
        let candidates = std::mem::take(&mut room.candidates);
        let mut answer = Answer { skipped: candidates.unread, ..Answer::default() };
        let copies = &candidates.copies[..candidates.copies.len().min(LISTED_MATCHES * 2)];
        let known = self.opened.cache.get(copies);
        let known = known.into_iter().chain(std::iter::repeat(None));
        for ((at, number), known) in candidates.copies.iter().enumerate().zip(known) {
            // Copies are all alike: beyond those that are listed they are only counted.
            if answer.found.len() > LISTED_MATCHES {
                answer.more = (candidates.copies.len() - at) as u64;
                break;
            }
            room.verdicts.clear();
            self.judge_one((new, 0), (*number, known), &mut answer, room)?;
        }
        let most_failures = self.opened.config.run.max_comparisons;
        let mut failed = 0;
        let known = self.opened.cache.get(&candidates.others);
        room.verdicts.clear();
        for ((at, number), known) in candidates.others.iter().enumerate().zip(known) {
            if failed >= most_failures {
                answer.skipped += (candidates.others.len() - at) as u64;
                break;
            }
            let candidate = (*number, known);
            // Outlines tell that two are no duplicates, but not how similar they are.
            let n_candidates = if room.asked.nearest > 0 { 0 } else { candidates.others.len() };
            let compared = (new, n_candidates);
            let matches = self.judge_one(compared, candidate, &mut answer, room)?;
            failed += usize::from(!matches);
        }
        room.candidates = candidates;
        Ok(answer)
    }

    /// Judges a candidate and writes a match down; false where it was compared and is none.
    ///
    /// The room has the verdicts on earlier candidates by their identity: of copies one is judged.
    fn judge_one(
        &self,
        new: (&Known, usize),
        (number, cached): (u32, Option<Arc<Known>>),
        answer: &mut Answer,
        Room { asked: Asked { same_id, nearest, interrupt }, verdicts, scratch, .. }: &mut Room<'_>,
    ) -> Result<bool, IndexError> {
        interrupt.check()?;
        let had_features = cached.as_ref().map(|known| known.features.are_there());
        let known = match cached {
            Some(known) => known,
            None => match self.read_known(number)? {
                Some(known) => known,
                None => return Ok(true),
            },
        };
        let is_passed_over = *same_id == SameId::PassedOver && known.has_id_of(new.0);
        if known.expires <= self.now || is_passed_over {
            return Ok(true);
        }
        // People say nothing of documents that are too short to be compared.
        let is_open = new.0.rejection.is_none() && known.rejection.is_none();
        let said = self.store.judgments().verdict(&new.0.id, &known.id).filter(|_| is_open);
        let verdict = if let Some(duplicate) = said {
            Verdict::new(duplicate, 1.0)
        } else if let Some(verdict) = verdicts.get(&known.identity) {
            *verdict
        } else {
            let verdict = self.judge(new, &known, || self.features(number, &known, scratch))?;
            verdicts.insert(known.identity, verdict);
            verdict
        };
        if had_features != Some(known.features.are_there()) {
            self.opened.cache.put([(number, Arc::clone(&known))].into_iter());
        }
        let found = || Found { id: (*known.id).into(), score: verdict.score, number };
        if verdict.duplicate {
            answer.found.push(found());
        } else if *nearest > 0 && said.is_none() && verdict.score > 0.0 {
            answer.put_below(found(), *nearest);
        }
        Ok(verdict.duplicate)
    }

    /// What a stored document is judged by, if it is there.
    fn read_known(&self, number: u32) -> Result<Option<Arc<Known>>, IndexError> {
        let Some(head) = self.store.head(number, self.now)? else { return Ok(None) };
        let StoredHead { identity, signature, rejection, .. } = StoredHead::decode(&head.bytes)?;
        let features = LateFeatures::default();
        let known = match rejection {
            None => Known::new(head.id, head.expires, identity, signature, features),
            Some(rejection) => Known::rejected(head.id, head.expires, identity, rejection),
        };
        Ok(Some(Arc::new(known)))
    }

    /// The verdict on a new document, which has so many candidates, and one of them; `features`
    /// gives those of the candidate.
    pub(super) fn judge<'k>(
        &self,
        (new, n_candidates): (&'k Known, usize),
        known: &'k Known,
        features: impl FnOnce() -> Result<&'k Features, IndexError>,
    ) -> Result<Verdict, IndexError> {
        let detector = self.opened.method.detector();
        let features = Some(features);
        detector.rule().judge(&mut IndexedPair { detector, known, new, n_candidates, features })
    }

    /// The exact features of a stored document.
    fn features<'a>(
        &self,
        number: u32,
        known: &'a Known,
        scratch: &mut Scratch,
    ) -> Result<&'a Features, IndexError> {
        if let Some(features) = known.features.get(self.opened.method.detector()) {
            return Ok(features);
        }
        let body = self.store.body(number)?;
        let body = body.ok_or_else(|| unreadable("a document", "its body is not there"))?;
        let method = &self.opened.method;
        let features = match self.opened.options.store {
            StoredParts::Text => {
                method.detector().features(&StoredText::read(&body)?.document(), scratch)
            }
            StoredParts::Features | StoredParts::Signatures => {
                let prepared = method.read_prepared(&body);
                let prepared = prepared
                    .map_err(|error| unreadable("a prepared document", &error.to_string()))?;
                match prepared.into_evidence() {
                    Evidence::Features(features) | Evidence::Both(_, features) => features,
                    Evidence::Keys | Evidence::Signature(_) => return Err(no_part()),
                }
            }
        };
        Ok(known.features.get_or_put(features))
    }
}

/// A document of the index and one that is asked about: the first stays.
struct IndexedPair<'d, 'k, F> {
    detector: &'d Detector,
    known: &'k Known,
    new: &'k Known,
    n_candidates: usize,
    /// Gives the features of the known one.
    features: Option<F>,
}

impl<'k, F: FnOnce() -> Result<&'k Features, IndexError>> PairParts for IndexedPair<'_, 'k, F> {
    type Error = IndexError;

    fn certain(&mut self) -> Result<Option<Verdict>, IndexError> {
        let copies = self.known.is_copy_of(self.new).then_some(Verdict::COPIES);
        let rejection = self.known.rejection.or(self.new.rejection);
        Ok(copies.or(rejection.map(|_| Verdict::NOT_COMPARED)))
    }

    fn by_signatures(&mut self, rule: SignatureRule<'_>) -> Result<Verdict, IndexError> {
        Ok(rule.judge(&self.new.signature, &self.known.signature))
    }

    fn by_features(&mut self, rule: FeatureRule<'_>) -> Result<Verdict, IndexError> {
        let new = self.new.features.get(self.detector).ok_or_else(no_part)?;
        let known = self.features.take().ok_or_else(no_part)?()?;
        if self.n_candidates >= CROWD
            && let (Some(new), Some(known)) = (self.new.outline(rule), self.known.outline(rule))
            && !rule.may_be_duplicates(new, known)
        {
            return Ok(Verdict::NOT_COMPARED);
        }
        Ok(rule.judge(known, new))
    }
}

pub(super) fn no_part() -> IndexError {
    unreadable("a prepared document", "it has not the parts that the method compares")
}
