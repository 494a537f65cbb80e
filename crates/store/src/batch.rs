//! What is written at once: all of it, or nothing.

use crate::Judgment;
use crate::error::{Result, StoreError, shown_id};

/// The expiry of a document that stays.
pub const NEVER: u64 = u64::MAX;

/// Longer ids would make every look-up read them.
const MOST_ID_BYTES: usize = 16 << 20;
/// Lengths are 32-bit words, and a block must fit into memory.
const MOST_BYTES: usize = 1 << 30;

/// A document to be stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Document<'a> {
    /// The user's id.
    pub id: String,
    /// When it was added, in milliseconds since 1970, if that was before its batch.
    pub added: Option<u64>,
    /// When it ceases to be there, in milliseconds since 1970; [`NEVER`] for never.
    pub expires: u64,
    /// A few bytes that are wanted for every candidate.
    pub head: Vec<u8>,
    /// What is wanted more rarely: text, fields, features.
    pub body: Vec<u8>,
    /// The end of the body, borrowed: texts are large.
    pub rest_of_body: &'a [u8],
    /// The bucket keys, in any order.
    pub keys: Vec<u64>,
}

impl Document<'_> {
    pub(crate) fn check(&self) -> Result<()> {
        let limits = [
            ("the id", self.id.len(), MOST_ID_BYTES),
            ("the signature", self.head.len(), MOST_BYTES),
            ("the text", self.body.len() + self.rest_of_body.len(), MOST_BYTES),
        ];
        match limits.into_iter().find(|(_, bytes, most)| bytes > most) {
            Some((what, bytes, most)) => {
                let id = shown_id(&self.id).into_owned();
                Err(StoreError::TooLarge { what, id, bytes, most })
            }
            None => Ok(()),
        }
    }
}

/// What happens to a document whose id is already there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnDuplicate {
    /// It takes the place of the earlier one, at the end of the order.
    Replace,
    /// The earlier one stays.
    Skip,
    /// The whole batch is refused.
    #[default]
    Refuse,
}

/// Changes that become durable together.
#[derive(Clone, Debug, Default)]
pub struct Batch<'a> {
    /// The time at which they are made, in milliseconds since 1970.
    pub time: u64,
    /// Documents to add, in order.
    pub documents: Vec<Document<'a>>,
    /// Bucket keys besides the documents' own, each with the place of its document; ascending ones
    /// need not be sorted.
    pub keys: Vec<(u64, u32)>,
    /// What happens to those whose id is already there.
    pub on_duplicate: OnDuplicate,
    /// Ids to remove before anything is added; unknown ones are counted, not refused.
    pub removed_ids: Vec<String>,
    /// Document numbers to remove, as a snapshot named them.
    pub removed_numbers: Vec<u32>,
    /// People's words on pairs.
    pub judgments: Vec<Judgment>,
}

/// What became of one document of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Added {
    /// It is there under this number.
    New(u32),
    /// It is there under the first number instead of an earlier document of its id.
    Replaced {
        /// Its own number.
        number: u32,
        /// The number of the earlier document.
        earlier: u32,
    },
    /// A document of its id was there already and stayed.
    Skipped,
}

/// What a commit did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Committed {
    /// For each document of the batch what became of it.
    pub added: Vec<Added>,
    /// How many of the documents to remove were there.
    pub removed: usize,
}
