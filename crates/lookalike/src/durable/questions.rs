//! What people may be asked about an index, and what they have answered.

use std::collections::BTreeMap;

use lookalike_detect::train::TrainingPairs;
use lookalike_store::{Said, Scanned};

use super::IndexSnapshot;
use super::create::{IndexError, StoredParts};
use super::stored::StoredText;
use crate::error::file_error;
use crate::label::{self, Questions, Round};
use crate::{Context, Corpus, JudgedPair, OwnedDocument, RunConfig};

/// Documents that people have judged, and how.
#[derive(Clone, Debug, Default)]
pub struct JudgedDocuments {
    /// The documents, by id.
    pub documents: Vec<OwnedDocument>,
    /// The pairs, by places.
    pub pairs: TrainingPairs,
    /// Judged pairs of which a document is not in the index.
    pub n_not_there: usize,
}

impl IndexSnapshot {
    /// Pairs to ask about among the newest documents, at most so many with at most so many bytes;
    /// what was answered is not asked again, but draws the line.
    ///
    /// # Errors
    /// The index has no texts, its method no threshold, no two documents are alike, a file is
    /// damaged, or as [`crate::find`].
    pub fn questions(
        &self,
        (most_documents, most_bytes): (usize, u64),
        run: &RunConfig,
        context: &Context<'_>,
    ) -> Result<Questions, IndexError> {
        self.require_texts()?;
        let folder = tempfile::tempdir_in(context.temp_dir)
            .map_err(file_error("create", context.temp_dir))?;
        let config = self.config_with_files(run, folder.path())?;
        let corpus = Corpus::from_documents(self.newest(most_documents, most_bytes)?);
        let answered: Vec<JudgedPair> = self.judged().collect();
        let round = Round { answered: &answered, ..Round::default() };
        Ok(label::questions(&corpus, &config, round, context)?)
    }

    /// The newest documents, in the order of adding.
    fn newest(&self, most: usize, most_bytes: u64) -> Result<Vec<OwnedDocument>, IndexError> {
        let mut sizes = Vec::new();
        for outline in self.outlines() {
            sizes.push(u64::from(outline?.text_bytes));
        }
        let mut bytes = 0;
        let fits = |size: &&u64| {
            bytes += **size;
            bytes <= most_bytes
        };
        let count = sizes.iter().rev().take(most).take_while(fits).count();
        let mut newest = Vec::with_capacity(count);
        for scanned in self.store.scan(self.now, true).skip(sizes.len() - count) {
            let Scanned { head, body } = scanned?;
            newest.push(StoredText::read(&body)?.to_document(head.id)?);
        }
        Ok(newest)
    }

    fn judged(&self) -> impl Iterator<Item = JudgedPair> {
        let holding = |(left, right, said): (&str, &str, &[Said])| {
            Some(JudgedPair::of(left, right, said.last()?))
        };
        let judged = self.judgments().filter_map(holding);
        judged.enumerate().map(|(at, pair)| JudgedPair { line: at + 1, ..pair })
    }

    /// The documents that people have judged, as [`crate::tune::tune`] takes them.
    ///
    /// # Errors
    /// The index has no texts, or a file is damaged.
    pub fn judged_documents(&self) -> Result<JudgedDocuments, IndexError> {
        self.require_texts()?;
        let mut judged = JudgedDocuments::default();
        let mut places: BTreeMap<String, Option<u32>> = BTreeMap::new();
        for pair in self.judged() {
            let mut place = |id: &str| -> Result<Option<u32>, IndexError> {
                if let Some(place) = places.get(id) {
                    return Ok(*place);
                }
                let stored = self.document(id)?;
                let place = stored.map(|stored| {
                    judged.documents.push(stored.document);
                    judged.documents.len() as u32 - 1
                });
                places.insert(id.to_owned(), place);
                Ok(place)
            };
            let (Some(left), Some(right)) = (place(&pair.left)?, place(&pair.right)?) else {
                judged.n_not_there += 1;
                continue;
            };
            let pairs = &mut judged.pairs;
            let side = if pair.duplicate { &mut pairs.positive } else { &mut pairs.negative };
            side.push((left.min(right), left.max(right)));
        }
        Ok(judged)
    }

    fn require_texts(&self) -> Result<(), IndexError> {
        match self.opened.options.store {
            StoredParts::Text => Ok(()),
            store => Err(IndexError::NoTexts(store)),
        }
    }
}
