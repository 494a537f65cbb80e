//! What signing hands on of a document, as bytes.

use lookalike_detect::{BucketKey, Rejection, Signature, SignedDocument};

use super::row::ReadRow;
use crate::{KeepValue, UnreadableRow};

/// One step of signing, in the order of the steps.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Event<'a> {
    /// The rows from here on belong to the known collection.
    Known,
    /// The field that was named for ids is there.
    NamedId,
    /// A row was read.
    Enter {
        id: &'a str,
        id_is_literal: bool,
        identity: u128,
        digest: u64,
        keep: &'a [u8],
        /// Why there is no document: place, reason, how the row begins, whether more is missing.
        unreadable: Option<(&'a str, &'a str, Option<&'a str>, bool)>,
    },
    /// The features of the document that was entered last.
    Early { document: u32, words: Vec<u64> },
    /// What came of signing a document.
    Leave { document: u32, confirm: bool, outcome: Result<(Vec<u64>, Vec<u64>), u8> },
}

/// The kind of a row that has its id as a number or truth value.
const LITERAL_ENTER: u8 = 5;

impl<'a> Event<'a> {
    pub(super) fn enter<T>(row: &'a ReadRow<T>) -> Self {
        let unreadable = row.content.as_ref().err().map(|row: &UnreadableRow| {
            (row.place.as_str(), row.reason.as_str(), row.content.as_deref(), row.incomplete)
        });
        let (identity, digest) = (row.identity, row.digest);
        let id_is_literal = row.id_is_literal;
        let keep = row.keep.as_bytes();
        Self::Enter { id: &row.id, id_is_literal, identity, digest, keep, unreadable }
    }

    pub(super) fn leave(
        document: u32,
        confirm: bool,
        outcome: &Result<SignedDocument, Rejection>,
    ) -> Self {
        let outcome = match outcome {
            Ok(signed) => {
                let keys = signed.keys.iter().map(|key| key.0).collect();
                Ok((keys, signed.signature.0.clone()))
            }
            Err(reason) => {
                let number = Rejection::ALL.iter().position(|one| one == reason);
                // A reason without a number would be found damaged, not taken for another.
                Err(number.map_or(u8::MAX - 1, |number| number as u8))
            }
        };
        Self::Leave { document, confirm, outcome }
    }

    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        match self {
            Self::Known => out.push(0),
            Self::NamedId => out.push(1),
            Self::Enter { id, id_is_literal, identity, digest, keep, unreadable } => {
                out.push(if *id_is_literal { LITERAL_ENTER } else { 2 });
                put_bytes(out, id.as_bytes());
                out.extend_from_slice(&identity.to_le_bytes());
                out.extend_from_slice(&digest.to_le_bytes());
                put_bytes(out, keep);
                let Some((place, reason, content, incomplete)) = unreadable else {
                    return out.push(0);
                };
                out.push(1 + u8::from(*incomplete) + 2 * u8::from(content.is_some()));
                put_bytes(out, place.as_bytes());
                put_bytes(out, reason.as_bytes());
                put_bytes(out, content.unwrap_or_default().as_bytes());
            }
            Self::Early { document, words } => {
                out.push(3);
                out.extend_from_slice(&document.to_le_bytes());
                put_words(out, words);
            }
            Self::Leave { document, confirm, outcome } => {
                out.push(4);
                out.extend_from_slice(&document.to_le_bytes());
                out.push(u8::from(*confirm));
                match outcome {
                    Ok((keys, signature)) => {
                        out.push(u8::MAX);
                        put_words(out, keys);
                        put_words(out, signature);
                    }
                    Err(reason) => out.push(*reason),
                }
            }
        }
    }

    /// The next event, or `None` where the bytes are none.
    pub(super) fn decode(rest: &mut &'a [u8]) -> Option<Self> {
        Some(match take::<1>(rest)?[0] {
            0 => Self::Known,
            1 => Self::NamedId,
            kind @ (2 | LITERAL_ENTER) => {
                let id = take_text(rest)?;
                let identity = u128::from_le_bytes(take(rest)?);
                let digest = u64::from_le_bytes(take(rest)?);
                let keep = take_bytes(rest)?;
                let flags = take::<1>(rest)?[0];
                let unreadable = if flags == 0 {
                    None
                } else {
                    let (place, reason, content) =
                        (take_text(rest)?, take_text(rest)?, take_text(rest)?);
                    let content = ((flags - 1) & 2 != 0).then_some(content);
                    Some((place, reason, content, (flags - 1) & 1 != 0))
                };
                let id_is_literal = kind == LITERAL_ENTER;
                Self::Enter { id, id_is_literal, identity, digest, keep, unreadable }
            }
            3 => {
                let document = u32::from_le_bytes(take(rest)?);
                Self::Early { document, words: take_words(rest)? }
            }
            4 => {
                let document = u32::from_le_bytes(take(rest)?);
                let confirm = take::<1>(rest)?[0] != 0;
                let outcome = match take::<1>(rest)?[0] {
                    u8::MAX => Ok((take_words(rest)?, take_words(rest)?)),
                    reason => Err(reason),
                };
                Self::Leave { document, confirm, outcome }
            }
            _ => return None,
        })
    }
}

/// A row as it was when it was read, without its document.
pub(super) fn read_row(event: &Event<'_>) -> Option<ReadRow<()>> {
    let Event::Enter { id, id_is_literal, identity, digest, keep, unreadable } = event else {
        return None;
    };
    let content = match unreadable {
        None => Ok(()),
        Some((place, reason, content, incomplete)) => Err(UnreadableRow {
            place: (*place).to_owned(),
            reason: (*reason).to_owned(),
            content: content.map(str::to_owned),
            incomplete: *incomplete,
        }),
    };
    Some(ReadRow {
        id: (*id).to_owned(),
        id_is_literal: *id_is_literal,
        identity: *identity,
        digest: *digest,
        keep: KeepValue::from_bytes(keep)?,
        content,
    })
}

/// What signing gave, from a [`Event::Leave`].
pub(super) fn signed(
    outcome: Result<(Vec<u64>, Vec<u64>), u8>,
) -> Option<Result<SignedDocument, Rejection>> {
    Some(match outcome {
        Ok((keys, signature)) => Ok(SignedDocument {
            signature: Signature(signature),
            keys: keys.into_iter().map(BucketKey).collect(),
        }),
        Err(reason) => Err(*Rejection::ALL.get(usize::from(reason))?),
    })
}

fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
    out.extend_from_slice(bytes);
}

fn put_words(out: &mut Vec<u8>, words: &[u64]) {
    out.extend_from_slice(&(words.len() as u64).to_le_bytes());
    out.extend(words.iter().flat_map(|word| word.to_le_bytes()));
}

fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (taken, left) = rest.split_first_chunk::<N>()?;
    *rest = left;
    Some(*taken)
}

fn take_bytes<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = usize::try_from(u64::from_le_bytes(take(rest)?)).ok()?;
    let (taken, left) = rest.split_at_checked(length)?;
    *rest = left;
    Some(taken)
}

fn take_text<'a>(rest: &mut &'a [u8]) -> Option<&'a str> {
    std::str::from_utf8(take_bytes(rest)?).ok()
}

fn take_words(rest: &mut &[u8]) -> Option<Vec<u64>> {
    let length = usize::try_from(u64::from_le_bytes(take(rest)?)).ok()?;
    let (taken, left) = rest.split_at_checked(length.checked_mul(8)?)?;
    *rest = left;
    Some(taken.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_come_back_as_they_went_and_cut_ones_not_at_all() {
        let outcome = Ok((vec![3, 9], vec![u64::MAX]));
        let events = [
            Event::Known,
            Event::NamedId,
            Event::Enter {
                id: "é",
                id_is_literal: false,
                identity: 1 << 100,
                digest: 7,
                keep: b"k",
                unreadable: None,
            },
            Event::Enter {
                id: "7.50",
                id_is_literal: true,
                identity: 1,
                digest: 7,
                keep: b"k",
                unreadable: None,
            },
            Event::Enter {
                id: "",
                id_is_literal: false,
                identity: 0,
                digest: 0,
                keep: b"",
                unreadable: Some(("a:1", "no JSON", Some("{"), true)),
            },
            Event::Enter {
                id: "",
                id_is_literal: false,
                identity: 0,
                digest: 0,
                keep: b"",
                unreadable: Some(("a:2", "no JSON", None, false)),
            },
            Event::Early { document: 5, words: vec![1, 2, 3] },
            Event::Leave { document: 5, confirm: true, outcome },
            Event::Leave { document: 6, confirm: false, outcome: Err(4) },
        ];
        let mut bytes = Vec::new();
        for event in &events {
            let start = bytes.len();
            event.encode(&mut bytes);
            for end in start + 1..bytes.len() {
                assert_eq!(Event::decode(&mut &bytes[start..end]), None);
            }
        }
        let mut rest = bytes.as_slice();
        for event in &events {
            assert_eq!(Event::decode(&mut rest).as_ref(), Some(event));
        }
        assert!(rest.is_empty());
    }

    #[test]
    fn every_reason_against_a_document_has_a_number() {
        for reason in Rejection::ALL {
            let Event::Leave { outcome, .. } = Event::leave(0, false, &Err(reason)) else {
                panic!("a leave");
            };
            assert_eq!(signed(outcome), Some(Err(reason)));
        }
        assert_eq!(signed(Err(6)), None);
    }
}
