//! A document as it is stored: a head for every candidate, a body for those that come close.

use std::borrow::Cow;

use lookalike_detect::{Prepared, Rejection, Signature};
use lookalike_text::Document;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::create::{IndexError, Opened, StoredParts};
use crate::OwnedDocument;

/// The head's bytes: identity, length of the text, status, signature.
#[derive(Clone, Debug)]
pub(super) struct StoredHead {
    pub identity: u128,
    pub text_bytes: u32,
    /// Why it has no signature, if it has none.
    pub rejection: Option<Rejection>,
    pub signature: Signature,
}

const REJECTIONS: [Rejection; 5] = [
    Rejection::Empty,
    Rejection::TooShort,
    Rejection::NothingRetained,
    Rejection::FewRetained,
    Rejection::SmallShareRetained,
];

impl StoredHead {
    pub fn of(document: &OwnedDocument, prepared: &Result<Prepared, Rejection>) -> Self {
        let text_bytes = document.text.len() as u32;
        match prepared {
            Ok(prepared) => Self {
                identity: prepared.identity(),
                text_bytes,
                rejection: None,
                signature: prepared.evidence().signature().cloned().unwrap_or_default(),
            },
            Err(rejection) => Self {
                identity: 0,
                text_bytes,
                rejection: Some(*rejection),
                signature: Signature::default(),
            },
        }
    }

    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(21 + self.signature.0.len() * 8);
        bytes.extend_from_slice(&self.identity.to_le_bytes());
        bytes.extend_from_slice(&self.text_bytes.to_le_bytes());
        let rejection =
            self.rejection.and_then(|r| REJECTIONS.iter().position(|known| *known == r));
        bytes.push(rejection.map_or(0, |at| at as u8 + 1));
        for word in &self.signature.0 {
            bytes.extend_from_slice(&word.to_le_bytes());
        }
        bytes
    }

    pub fn decode(bytes: &[u8]) -> Result<Self, IndexError> {
        let wrong = || unreadable("a document's head", "it is too short");
        let (identity, rest) = bytes.split_first_chunk::<16>().ok_or_else(wrong)?;
        let (text_bytes, rest) = rest.split_first_chunk::<4>().ok_or_else(wrong)?;
        let (rejection, signature) = rest.split_first().ok_or_else(wrong)?;
        let words = signature.as_chunks::<8>().0;
        Ok(Self {
            identity: u128::from_le_bytes(*identity),
            text_bytes: u32::from_le_bytes(*text_bytes),
            rejection: (*rejection as usize)
                .checked_sub(1)
                .and_then(|at| REJECTIONS.get(at).copied()),
            signature: Signature(words.iter().map(|word| u64::from_le_bytes(*word)).collect()),
        })
    }
}

pub(super) fn unreadable(what: &str, reason: &str) -> IndexError {
    IndexError::Unreadable { what: what.to_owned(), reason: reason.to_owned() }
}

/// A key that copies of one text share, whatever the method.
pub(super) fn identity_key(identity: u128) -> u64 {
    (identity ^ identity >> 64) as u64 ^ 0x6c6f_6f6b_616c_696b
}

/// What is stored of a document to be added.
pub(super) fn to_store(
    opened: &Opened,
    document: &OwnedDocument,
    prepared: &Result<Prepared, Rejection>,
    expires: u64,
) -> lookalike_store::Document {
    let mut keys: Vec<u64> = Vec::new();
    if let Ok(prepared) = prepared {
        keys.extend(prepared.keys().iter().map(|key| key.0));
        keys.push(identity_key(prepared.identity()));
    }
    let body = match (opened.options.store, prepared) {
        (StoredParts::Text, _) => to_row(document),
        (_, Ok(prepared)) => prepared.to_bytes(),
        (_, Err(_)) => Vec::new(),
    };
    let head = StoredHead::of(document, prepared).encode();
    lookalike_store::Document { id: document.id.clone(), expires, head, body, keys }
}

/// A document as one row of JSON Lines.
pub(super) fn to_row(document: &OwnedDocument) -> Vec<u8> {
    let OwnedDocument { id, text, title, url, fields } = document;
    let mut row = Vec::with_capacity(text.len() + text.len() / 16 + 64);
    put(&mut row, "id", id);
    put(&mut row, "text", text);
    for (name, value) in [("title", title), ("url", url)] {
        if let Some(value) = value {
            put(&mut row, name, value);
        }
    }
    let is_there = |name: &str| match name {
        "id" | "text" => true,
        "title" => title.is_some(),
        "url" => url.is_some(),
        _ => false,
    };
    for (name, value) in fields.iter().filter(|(name, _)| !is_there(name)) {
        put(&mut row, name, value);
    }
    row.push(b'}');
    row
}

/// Appends a field to a row.
fn put(row: &mut Vec<u8>, name: &str, value: &impl Serialize) {
    row.push(if row.is_empty() { b'{' } else { b',' });
    // Writing strings and JSON values into memory cannot fail.
    let _ = serde_json::to_writer(&mut *row, name);
    row.push(b':');
    let _ = serde_json::to_writer(row, value);
}

/// What of a stored row a method can see.
#[derive(Debug, Deserialize)]
pub(super) struct StoredText<'a> {
    #[serde(borrow)]
    pub text: Cow<'a, str>,
    #[serde(default)]
    title: Value,
    #[serde(default)]
    url: Value,
}

impl<'a> StoredText<'a> {
    /// Reads a row that [`to_row`] wrote; a title or an address that is no string is a field like
    /// any other.
    pub fn read(row: &'a [u8]) -> Result<Self, IndexError> {
        serde_json::from_slice(row)
            .map_err(|error| unreadable("a stored document", &error.to_string()))
    }

    /// The document as the stages see it.
    pub fn document(&self) -> Document<'_> {
        Document { text: &self.text, title: self.title.as_str(), url: self.url.as_str() }
    }
}
