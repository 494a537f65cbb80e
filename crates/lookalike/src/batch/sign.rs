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

/// Reads, analyzes and signs the whole corpus.
pub fn sign_corpus(
    corpus: &Corpus,
    detector: &Detector,
    run: &RunConfig,
    context: &Context<'_>,
) -> Result<SignedCorpus, RunError> {
    let memory = run.memory.bytes();
    let mut catalog = Catalog::default();
    let mut unreadable = Vec::new();
    let mut rows = RowSorter::new(memory / 2, context.temp_dir);
    let mut signatures =
        detector.needs_signatures().then(|| WordStoreBuilder::new(memory / 4, context.temp_dir));
    let signer = BlockSigner { detector, keep: &run.keep };
    over_blocks(
        corpus,
        "reading",
        context,
        |block| signer.sign(block),
        |block| {
            for row in block {
                let number = u32::try_from(catalog.len()).map_err(|_| RunError::TooManyRows)?;
                let document = DocumentId(number);
                let status = match row.outcome {
                    Outcome::Signed(signed) => {
                        for key in &signed.keys {
                            rows.push(*key, document)?;
                        }
                        if let Some(store) = &mut signatures {
                            store.put(document, &signed.signature.0)?;
                        }
                        Status::Signed
                    }
                    Outcome::Rejected(reason) => Status::TooShort(reason),
                    Outcome::Unreadable(row) => {
                        unreadable.push(row);
                        Status::Unreadable
                    }
                };
                catalog.push(&row.id, status, row.identity, row.keep);
            }
            Ok(())
        },
    )?;
    let signatures = signatures.map(WordStoreBuilder::finish).transpose()?;
    Ok(SignedCorpus { catalog, unreadable, rows, signatures })
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
