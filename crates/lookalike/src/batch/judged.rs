//! People's words on pairs, which stand above the method's.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use lookalike_detect::{ComparedSet, Verdict};
use lookalike_index::{DocumentId, RowSorter};
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use super::judge::BatchJudge;
use crate::catalog::{Catalog, Status};
use crate::cluster::{Effort, Judge};
use crate::{Config, RunError, read_judgments};

/// What people said about documents of a run.
#[derive(Debug, Default)]
pub struct Words {
    /// By both documents, the smaller number first.
    verdicts: BTreeMap<(DocumentId, DocumentId), bool>,
}

impl Words {
    /// Reads the file that the configuration names; words on documents that are not there say nothing.
    pub fn read(config: &Config, catalog: &Catalog) -> Result<Self, RunError> {
        let Some(path) = &config.run.judgments else { return Ok(Self::default()) };
        let judged = read_judgments(path)?;
        let ids: BTreeSet<&str> =
            judged.iter().flat_map(|pair| [pair.ids().0, pair.ids().1]).collect();
        let mut by_id: BTreeMap<&str, Vec<DocumentId>> = BTreeMap::new();
        for document in catalog.documents() {
            // New and known documents may have one id; the word is on both.
            if let Some(id) = ids.get(catalog.id(document))
                && catalog.status(document) == Status::Signed
            {
                by_id.entry(id).or_default().push(document);
            }
        }
        let mut verdicts = BTreeMap::new();
        for pair in &judged {
            let (left, right) = pair.ids();
            let documents = |id| by_id.get(id).map_or(&[][..], Vec::as_slice);
            for left in documents(left) {
                for right in documents(right) {
                    verdicts.insert((*left.min(right), *left.max(right)), pair.duplicate);
                }
            }
        }
        Ok(Self { verdicts })
    }

    /// Gives each pair that belongs together a bucket of its own, so that it is looked at.
    pub fn add_rows(&self, rows: &mut RowSorter) -> Result<(), RunError> {
        for ((left, right), _) in self.verdicts.iter().filter(|(_, yes)| **yes) {
            let key = xxh3_64(format!("judged {} {}", left.0, right.0).as_bytes());
            rows.push(key, *left)?;
            rows.push(key, *right)?;
        }
        Ok(())
    }

    /// What makes copies: documents that were kept apart from another are nobody's copy, so that
    /// the word on them can be heard; they are compared instead.
    pub fn identities<'c>(&self, catalog: &'c Catalog) -> Cow<'c, [u128]> {
        let no = self.verdicts.iter().filter(|(_, yes)| !**yes);
        let apart: BTreeSet<u32> = no.flat_map(|((left, right), _)| [left.0, right.0]).collect();
        if apart.is_empty() {
            return catalog.identities().into();
        }
        let mut identities = catalog.identities().to_vec();
        for document in apart {
            identities[document as usize] ^= xxh3_128(format!("apart {document}").as_bytes());
        }
        identities.into()
    }
}

/// The judge of a batch, with people's words above it.
pub struct JudgedBatch<'a> {
    /// The method.
    pub method: BatchJudge<'a>,
    /// What people said.
    pub words: &'a Words,
    /// What makes copies, by document.
    pub identities: &'a [u128],
}

impl JudgedBatch<'_> {
    fn identity(&self, document: DocumentId) -> u128 {
        self.identities[document.0 as usize]
    }

    /// The verdict on a pair that needs no method.
    fn certain(&self, left: DocumentId, right: DocumentId) -> Option<Verdict> {
        match self.words.verdicts.get(&(left.min(right), left.max(right))) {
            Some(duplicate) => Some(Verdict::new(*duplicate, f64::from(*duplicate))),
            // Copies of which one was kept apart from a third document.
            None => (self.identity(left) == self.identity(right)).then_some(Verdict::COPIES),
        }
    }
}

impl Judge for JudgedBatch<'_> {
    type Error = RunError;

    fn keys_decide(&self) -> bool {
        self.words.verdicts.is_empty() && self.method.keys_decide()
    }

    fn judge(&self, left: DocumentId, right: DocumentId) -> Result<Verdict, RunError> {
        self.certain(left, right).map_or_else(|| self.method.judge(left, right), Ok)
    }

    fn compared_set(
        &self,
        document: DocumentId,
        values: &mut Vec<u64>,
    ) -> Result<Option<ComparedSet>, RunError> {
        self.method.compared_set(document, values)
    }

    fn exclude(&self, left: DocumentId, candidates: &[DocumentId], excluded: &mut [bool]) {
        // Words of people stand above it. Copies are excluded by nothing.
        if self.words.verdicts.is_empty() {
            self.method.exclude(left, candidates, excluded);
        }
    }

    fn judge_in_crowd(
        &self,
        left: DocumentId,
        right: DocumentId,
    ) -> Result<(Verdict, Effort), RunError> {
        match self.certain(left, right) {
            Some(verdict) => Ok((verdict, Effort::Little)),
            None => self.method.judge_in_crowd(left, right),
        }
    }
}
