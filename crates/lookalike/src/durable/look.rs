//! Single documents of an index, and what people said.

use lookalike_detect::Rejection;
use lookalike_store::{Head, NEVER, Said, Scanned};

use super::create::{IndexError, IndexOptions, StoredParts};
use super::stored::{StoredHead, StoredText, unreadable};
use super::{Index, IndexSnapshot};
use crate::{Config, Method, OwnedDocument};

/// A document as it stands in an index.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredDocument {
    /// Its id, and its text and fields where the index keeps them.
    pub document: OwnedDocument,
    /// Whether the index keeps texts.
    pub has_text: bool,
    /// When it was added, in milliseconds since 1970.
    pub added: u64,
    /// When it ceases to be there, if it does.
    pub expires: Option<u64>,
    /// The bytes of its text, kept or not.
    pub text_bytes: u32,
    /// Why it is not compared, if it is not.
    pub rejection: Option<Rejection>,
}

impl Index {
    /// What an index was created with besides its configuration.
    pub fn options(&self) -> IndexOptions {
        self.opened.options
    }
}

impl IndexSnapshot {
    /// The document with an id.
    ///
    /// # Errors
    /// A damaged file.
    pub fn document(&self, id: &str) -> Result<Option<StoredDocument>, IndexError> {
        let Some(head) = self.store.find(id, self.now)? else { return Ok(None) };
        let has_text = self.opened.options.store == StoredParts::Text;
        let (number, mut stored) = stored_head(head)?;
        if has_text {
            let body = self.store.body(number)?;
            let body = body.ok_or_else(|| unreadable("a document", "its body is not there"))?;
            stored.document = StoredText::read(&body)?.to_document(stored.document.id)?;
            stored.has_text = true;
        }
        Ok(Some(stored))
    }

    /// The document with an id, without its text and fields.
    ///
    /// # Errors
    /// A damaged file.
    pub fn outline(&self, id: &str) -> Result<Option<StoredDocument>, IndexError> {
        let head = self.store.find(id, self.now)?;
        Ok(head.map(stored_head).transpose()?.map(|(_, stored)| stored))
    }

    /// The document with an id as a row of JSON, without the time it was added; its id
    /// alone where the index keeps no texts.
    ///
    /// # Errors
    /// A damaged file.
    pub fn row(&self, id: &str) -> Result<Option<Vec<u8>>, IndexError> {
        let Some(head) = self.store.find(id, self.now)? else { return Ok(None) };
        if self.opened.options.store != StoredParts::Text {
            return Ok(Some(serde_json::json!({ "id": id }).to_string().into_bytes()));
        }
        let body = self.store.body(head.number)?;
        let body = body.ok_or_else(|| unreadable("a document", "its body is not there"))?;
        StoredText::read(&body)?.to_row(id, None).map(Some)
    }

    /// How many documents there are now, without those that have expired.
    ///
    /// # Errors
    /// A damaged file.
    pub fn n_documents(&self) -> Result<u64, IndexError> {
        if self.opened.options.time_to_live.is_none() {
            return Ok(self.len());
        }
        let heads = self.store.scan(self.now, false);
        heads.map(|scanned| scanned.map(|_| 1)).sum::<Result<u64, _>>().map_err(IndexError::from)
    }

    /// Documents in order of adding, without their texts and fields.
    ///
    /// # Errors
    /// An item is an error where a file is damaged.
    pub fn outlines(&self) -> impl Iterator<Item = Result<StoredDocument, IndexError>> {
        self.store.scan(self.now, false).map(|scanned| Ok(stored_head(scanned?.head)?.1))
    }

    /// The numbers of the documents that pass a test, which is given their texts and fields if it
    /// wants them.
    ///
    /// # Errors
    /// A damaged file.
    pub fn numbers(
        &self,
        with_fields: bool,
        mut passes: impl FnMut(&StoredDocument) -> bool,
    ) -> Result<Vec<u32>, IndexError> {
        let has_text = self.opened.options.store == StoredParts::Text;
        let mut numbers = Vec::new();
        for scanned in self.store.scan(self.now, with_fields && has_text) {
            let Scanned { head, body } = scanned?;
            let (number, mut stored) = stored_head(head)?;
            if with_fields && has_text {
                stored.document = StoredText::read(&body)?.to_document(stored.document.id)?;
                stored.has_text = true;
            }
            if passes(&stored) {
                numbers.push(number);
            }
        }
        Ok(numbers)
    }

    /// How many documents there are, those included that have expired and were not reclaimed yet.
    pub fn len(&self) -> u64 {
        self.store.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.store.is_empty()
    }

    /// The verdict of people on two ids, if there is one.
    pub fn judgment(&self, left: &str, right: &str) -> Option<bool> {
        self.store.judgments().verdict(left, right)
    }

    /// What each person said about two ids, by time: the last verdict holds.
    pub fn said(&self, left: &str, right: &str) -> &[Said] {
        self.store.judgments().said(left, right)
    }

    /// What each person said about pairs with an id, by the other id of the pair.
    pub fn said_of(&self, id: &str) -> impl Iterator<Item = (&str, &[Said])> {
        self.store.judgments().said_of(id)
    }

    /// Pairs that people judged, by ids: the smaller id, the larger, and what each person said, by
    /// time.
    pub fn judgments(&self) -> impl Iterator<Item = (&str, &str, &[Said])> {
        self.store.judgments().iter()
    }

    /// How many pairs people have judged.
    pub fn n_judgments(&self) -> usize {
        self.store.judgments().len()
    }

    /// The method of the index, with its artefacts.
    pub fn method(&self) -> &Method {
        &self.opened.method
    }

    /// The configuration that the index was created with.
    pub fn config(&self) -> &Config {
        &self.opened.config
    }
}

fn stored_head(head: Head) -> Result<(u32, StoredDocument), IndexError> {
    let Head { number, added, expires, id, bytes } = head;
    let head = StoredHead::decode(&bytes)?;
    let stored = StoredDocument {
        document: OwnedDocument { id, ..OwnedDocument::default() },
        has_text: false,
        added,
        expires: (expires != NEVER).then_some(expires),
        text_bytes: head.text_bytes,
        rejection: head.rejection,
    };
    Ok((number, stored))
}
