//! A document as it is stored: a head for every candidate, a body for those that come close.

use lookalike_detect::{Rejection, Signature};
use lookalike_text::Document;
use serde::Serialize;
use serde_json::{Map, Value};

use super::cache::{Fresh, Known};
use super::create::{IndexError, Opened, StoredParts};
use super::export::ADDED;
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

impl StoredHead {
    pub fn of(document: &OwnedDocument, known: &Known) -> Self {
        Self {
            identity: known.identity,
            text_bytes: document.text.len() as u32,
            rejection: known.rejection,
            signature: known.signature.clone(),
        }
    }

    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(21 + self.signature.0.len() * 8);
        bytes.extend_from_slice(&self.identity.to_le_bytes());
        bytes.extend_from_slice(&self.text_bytes.to_le_bytes());
        let rejection =
            self.rejection.and_then(|r| Rejection::ALL.iter().position(|known| *known == r));
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
                .and_then(|at| Rejection::ALL.get(at).copied()),
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
pub(super) fn to_store<'a>(
    opened: &Opened,
    document: &'a OwnedDocument,
    prepared: &Fresh,
    added: u64,
) -> lookalike_store::Document<'a> {
    let known = &prepared.known;
    let (body, rest_of_body) = match (opened.options.store, known.rejection) {
        (StoredParts::Text, _) => StoredText::write(document),
        (_, None) => (prepared.to_bytes(opened.method.detector()), &[][..]),
        (_, Some(_)) => (Vec::new(), &[][..]),
    };
    let head = StoredHead::of(document, known).encode();
    let expires = known.expires;
    let (id, added) = (document.id.clone(), Some(added));
    let keys = Vec::new();
    lookalike_store::Document { id, added, expires, head, body, rest_of_body, keys }
}

/// The first byte of a stored text.
const FORM: u8 = 1;
/// The length of a title or an address that is not there.
const NONE: u32 = u32::MAX;

/// Text and fields of a document as they are stored; its id is in the head.
#[derive(Debug)]
pub(super) struct StoredText<'a> {
    text: &'a str,
    title: Option<&'a str>,
    url: Option<&'a str>,
    /// A JSON object of the other fields; nothing where there are none.
    fields: &'a [u8],
}

impl<'a> StoredText<'a> {
    /// The body of a document: what comes before its text, and the text.
    fn write(document: &OwnedDocument) -> (Vec<u8>, &[u8]) {
        let OwnedDocument { text, title, url, fields, .. } = document;
        let mut front = vec![FORM];
        for value in [title, url] {
            let length = value.as_ref().map_or(NONE, |value| value.len() as u32);
            front.extend_from_slice(&length.to_le_bytes());
            front.extend_from_slice(value.as_deref().unwrap_or_default().as_bytes());
        }
        // Writing JSON values into memory cannot fail.
        let fields = if fields.is_empty() { None } else { serde_json::to_vec(fields).ok() };
        let fields = fields.unwrap_or_default();
        front.extend_from_slice(&(fields.len() as u32).to_le_bytes());
        front.extend_from_slice(&fields);
        (front, text.as_bytes())
    }

    /// Reads a body.
    pub fn read(body: &'a [u8]) -> Result<Self, IndexError> {
        Self::parts(body).ok_or_else(|| unreadable("a stored document", "it is cut or changed"))
    }

    fn parts(body: &'a [u8]) -> Option<Self> {
        let mut rest = body.strip_prefix(&[FORM])?;
        let mut value = || {
            let (length, after) = rest.split_first_chunk::<4>()?;
            let length = u32::from_le_bytes(*length);
            let bytes = if length == NONE { 0 } else { length as usize };
            let (value, after) = after.split_at_checked(bytes)?;
            rest = after;
            Some((length != NONE).then_some(value))
        };
        let (title, url, fields) = (value()?, value()?, value()??);
        let text = std::str::from_utf8(rest).ok()?;
        let [title, url] = [title, url].map(|value| value.map(std::str::from_utf8).transpose());
        Some(Self { text, title: title.ok()?, url: url.ok()?, fields })
    }

    /// The document as the stages see it.
    pub fn document(&self) -> Document<'_> {
        Document { text: self.text, title: self.title, url: self.url, whole_text: None }
    }

    /// The document by itself.
    pub fn to_document(&self, id: String) -> Result<OwnedDocument, IndexError> {
        let mut fields = self.fields()?;
        for (name, value) in [("title", self.title), ("url", self.url)] {
            if value.is_some() && fields.get(name).and_then(Value::as_str) == value {
                fields.remove(name);
            }
        }
        let [title, url] = [self.title, self.url].map(|value| value.map(str::to_owned));
        Ok(OwnedDocument { id, text: self.text.to_owned(), title, url, fields })
    }

    fn fields(&self) -> Result<Map<String, Value>, IndexError> {
        match self.fields {
            [] => Ok(Map::new()),
            fields => serde_json::from_slice(fields)
                .map_err(|error| unreadable("the fields of a document", &error.to_string())),
        }
    }

    /// The document as one row of JSON Lines, its end included.
    ///
    /// A field that has the name of something else in the row, such as the field `text` of a document
    /// whose text is in another field, gets `_` after its name.
    pub fn to_row(&self, id: &str, added: Option<u64>) -> Result<Vec<u8>, IndexError> {
        let known =
            [("id", Some(id)), ("text", Some(self.text)), ("title", self.title), ("url", self.url)];
        let mut row = Vec::with_capacity(self.text.len() + self.text.len() / 16 + 64);
        for (name, value) in known {
            if let Some(value) = value {
                put(&mut row, name, value);
            }
        }
        let mut fields = self.fields()?;
        let mut own: Vec<(&str, Value)> = Vec::new();
        for (name, value) in known {
            if let Some(value) = value {
                own.extend(fields.remove(name).filter(|own| own != value).map(|own| (name, own)));
            }
        }
        if let Some(added) = added {
            put(&mut row, ADDED, &added);
            own.extend(fields.remove(ADDED).map(|own| (ADDED, own)));
        }
        for (name, own) in own {
            let mut free = format!("{name}_");
            while fields.contains_key(&free) {
                free.push('_');
            }
            fields.insert(free, own);
        }
        for (name, value) in &fields {
            put(&mut row, name, value);
        }
        row.extend_from_slice(b"}\n");
        Ok(row)
    }
}

/// Appends a field to a row.
fn put(row: &mut Vec<u8>, name: &str, value: &(impl Serialize + ?Sized)) {
    row.push(if row.is_empty() { b'{' } else { b',' });
    // Writing strings and JSON values into memory cannot fail.
    let _ = serde_json::to_writer(&mut *row, name);
    row.push(b':');
    let _ = serde_json::to_writer(row, value);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn body(document: &OwnedDocument) -> Vec<u8> {
        let (mut body, text) = StoredText::write(document);
        body.extend_from_slice(text);
        body
    }

    fn row(document: &OwnedDocument) -> Value {
        let body = body(document);
        let row = StoredText::read(&body).unwrap().to_row(&document.id, None).unwrap();
        serde_json::from_slice(&row).unwrap()
    }

    #[test]
    fn what_is_stored_comes_back() {
        let fields = json!({"title": "T", "lang": "de", "n": [1, {"a": null}]});
        let document = OwnedDocument {
            title: Some("T".into()),
            fields: fields.as_object().unwrap().clone(),
            ..OwnedDocument::new("i\u{1F600}", "line\n\"quoted\"")
        };
        let body = body(&document);
        let stored = StoredText::read(&body).unwrap();
        assert_eq!(stored.document(), document.document());
        let expected = json!({"id": "i\u{1F600}", "text": "line\n\"quoted\"", "title": "T",
            "lang": "de", "n": [1, {"a": null}]});
        assert_eq!(row(&document), expected);
        assert_eq!(row(&OwnedDocument::new("a", "")), json!({"id": "a", "text": ""}));
    }

    #[test]
    fn fields_that_have_the_name_of_another_part_are_kept() {
        let fields = json!({"text": "short", "id": 7, "text_": 1, "url": "u"});
        let document = OwnedDocument {
            fields: fields.as_object().unwrap().clone(),
            ..OwnedDocument::new("a", "the body")
        };
        let expected = json!({"id": "a", "text": "the body", "text_": 1, "text__": "short", "id_": 7, "url": "u"});
        assert_eq!(row(&document), expected);
    }

    #[test]
    fn a_cut_body_is_refused() {
        let document = OwnedDocument {
            title: Some("title".into()),
            url: Some("address".into()),
            ..OwnedDocument::new("a", "text")
        };
        let body = body(&document);
        let front = body.len() - document.text.len();
        for length in 0..front {
            assert!(StoredText::read(&body[..length]).is_err(), "{length}");
        }
        assert!(StoredText::read(b"{}").is_err());
    }
}
