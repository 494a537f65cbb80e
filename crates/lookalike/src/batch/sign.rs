//! The pass that reads every document once and leaves its bucket keys.

use lookalike_corpus::{Block, Corpus, Row};
use lookalike_detect::{Detector, Rejection, Scratch, SignedDocument};
use lookalike_index::{DocumentId, RowSorter, WordStore, WordStoreBuilder};
use xxhash_rust::xxh3::{xxh3_64, xxh3_128_with_seed};

use super::pass::over_blocks;
use crate::catalog::{Catalog, Status};
use crate::{Context, KeepRule, KeepValue, RunConfig, RunError, UnreadableRow};

/// What the signing pass leaves behind.
pub struct SignedCorpus {
    /// What is known of each row.
    pub catalog: Catalog,
    /// The rows that could not be read.
    pub unreadable: Vec<UnreadableRow>,
    /// Bucket keys, ready to be sorted.
    pub rows: RowSorter,
    /// Signatures, for methods that compare them.
    pub signatures: Option<WordStore>,
}

/// A signing pass over one corpus after the other; documents are numbered through.
pub struct Signing<'a> {
    detector: &'a Detector,
    keep: &'a KeepRule,
    context: &'a Context<'a>,
    catalog: Catalog,
    unreadable: Vec<UnreadableRow>,
    rows: RowSorter,
    signatures: Option<WordStoreBuilder>,
}

impl<'a> Signing<'a> {
    /// A pass that has seen nothing yet.
    pub fn new(detector: &'a Detector, run: &'a RunConfig, context: &'a Context<'a>) -> Self {
        let memory = run.memory.bytes();
        Self {
            detector,
            keep: &run.keep,
            context,
            catalog: Catalog::default(),
            unreadable: Vec::new(),
            rows: RowSorter::new(memory / 2, context.temp_dir),
            signatures: detector
                .needs_signatures()
                .then(|| WordStoreBuilder::new(memory / 4, context.temp_dir)),
        }
    }

    /// Reads, analyzes and signs a whole corpus.
    pub fn add(&mut self, corpus: &Corpus) -> Result<(), RunError> {
        let signer = BlockSigner { detector: self.detector, keep: self.keep };
        let sign = |block: &Block| signer.sign(block);
        over_blocks(corpus, "reading", self.context, sign, |block| {
            block.into_iter().try_for_each(|row| self.take(row))
        })
    }

    fn take(&mut self, row: SignedRow) -> Result<(), RunError> {
        let number = u32::try_from(self.catalog.len()).map_err(|_| RunError::TooManyRows)?;
        let document = DocumentId(number);
        let status = match row.outcome {
            Outcome::Signed(signed) => {
                self.rows.extend(&signed.keys, document)?;
                if let Some(store) = &mut self.signatures {
                    store.put(document, &signed.signature.0)?;
                }
                Status::Signed
            }
            Outcome::Rejected(reason) => Status::TooShort(reason),
            Outcome::Unreadable(row) => {
                self.unreadable.push(row);
                Status::Unreadable
            }
        };
        self.catalog.push(&row.id, status, row.identity, row.keep);
        Ok(())
    }

    /// Rows read so far.
    pub fn n_rows(&self) -> usize {
        self.catalog.len()
    }

    /// Rows so far that could not be read.
    pub fn unreadable(&self) -> &[UnreadableRow] {
        &self.unreadable
    }

    /// What the pass leaves behind.
    pub fn finish(self) -> Result<SignedCorpus, RunError> {
        Ok(SignedCorpus {
            catalog: self.catalog,
            unreadable: self.unreadable,
            rows: self.rows,
            signatures: self.signatures.map(WordStoreBuilder::finish).transpose()?,
        })
    }
}

/// Signs the rows of one block; called from many threads.
struct BlockSigner<'a> {
    detector: &'a Detector,
    keep: &'a KeepRule,
}

struct SignedRow {
    id: String,
    identity: u128,
    keep: KeepValue,
    outcome: Outcome,
}

enum Outcome {
    Signed(SignedDocument),
    Rejected(Rejection),
    Unreadable(UnreadableRow),
}

impl BlockSigner<'_> {
    fn sign(&self, block: &Block) -> Vec<SignedRow> {
        let mut scratch = Scratch::default();
        let mut signed = Vec::with_capacity(block.n_rows());
        block.visit(|row| signed.push(self.sign_row(&row, &mut scratch)));
        signed
    }

    fn sign_row(&self, row: &Row<'_>, scratch: &mut Scratch) -> SignedRow {
        let document = match &row.content {
            Ok(document) => document,
            Err(unreadable) => {
                return SignedRow {
                    id: String::new(),
                    identity: 0,
                    keep: self.keep.value(0, None),
                    outcome: Outcome::Unreadable(UnreadableRow {
                        place: unreadable.place.clone(),
                        reason: unreadable.reason.clone(),
                    }),
                };
            }
        };
        let field = self.keep.field().and_then(|name| document.field(name));
        let outcome = match self.detector.sign(&document.document(), scratch) {
            Ok(mut signed) => {
                if !self.detector.needs_signatures() {
                    signed.signature.0 = Vec::new();
                }
                Outcome::Signed(signed)
            }
            Err(reason) => Outcome::Rejected(reason),
        };
        let metadata = if self.detector.reads_metadata() {
            let title = document.title.as_deref().unwrap_or_default();
            let url = document.url.as_deref().unwrap_or_default();
            xxh3_64(format!("{title}\u{1f}{url}").as_bytes())
        } else {
            0
        };
        SignedRow {
            id: document.id.clone().into_owned(),
            identity: xxh3_128_with_seed(document.text.as_bytes(), metadata),
            keep: self.keep.value(document.text.len(), field.as_ref()),
            outcome,
        }
    }
}
