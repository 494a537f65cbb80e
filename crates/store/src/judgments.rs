//! What people said about pairs of documents.

use std::collections::BTreeMap;

use crate::bytes::{Put, Take};

/// A person's word on two documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    /// They are not near-duplicates.
    No,
    /// They are.
    Yes,
    /// An earlier word is taken back.
    Withdrawn,
}

/// A person's word on two ids, which need not be in the index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgment {
    /// One id.
    pub left: String,
    /// The other.
    pub right: String,
    /// What was said.
    pub word: Word,
    /// When, in milliseconds since 1970.
    pub time: u64,
}

impl Judgment {
    pub(crate) fn encode(&self, bytes: &mut Vec<u8>) {
        bytes.push(match self.word {
            Word::No => 0,
            Word::Yes => 1,
            Word::Withdrawn => 2,
        });
        bytes.put_u64(self.time);
        let (left, right) = ordered(&self.left, &self.right);
        bytes.put_bytes(left.as_bytes());
        bytes.put_bytes(right.as_bytes());
    }

    pub(crate) fn decode(take: &mut Take<'_>) -> Option<Self> {
        let word = match take.u8()? {
            0 => Word::No,
            1 => Word::Yes,
            2 => Word::Withdrawn,
            _ => return None,
        };
        let time = take.u64()?;
        Some(Self { word, time, left: take.text()?.to_owned(), right: take.text()?.to_owned() })
    }
}

fn ordered<'a>(left: &'a str, right: &'a str) -> (&'a str, &'a str) {
    (left.min(right), left.max(right))
}

/// The last word on each pair.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Judgments {
    /// By each id of a pair the other one.
    by_id: BTreeMap<String, BTreeMap<String, (bool, u64)>>,
    count: usize,
}

impl Judgments {
    /// Whether two ids were said to be near-duplicates, if anything was said.
    pub fn verdict(&self, left: &str, right: &str) -> Option<bool> {
        self.by_id.get(left)?.get(right).map(|(duplicate, _)| *duplicate)
    }

    /// When it was said.
    pub fn time(&self, left: &str, right: &str) -> Option<u64> {
        self.by_id.get(left)?.get(right).map(|(_, time)| *time)
    }

    /// What was said about an id, by the other id of the pair.
    pub fn of(&self, id: &str) -> impl Iterator<Item = (&str, bool)> {
        let others = self.by_id.get(id).into_iter().flatten();
        others.map(|(other, (duplicate, _))| (other.as_str(), *duplicate))
    }

    /// Every pair once, by ids: the smaller id, the larger, the word, the time.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str, bool, u64)> {
        self.by_id.iter().flat_map(|(left, others)| {
            others.iter().filter(move |(right, _)| left < *right).map(
                |(right, (duplicate, time))| (left.as_str(), right.as_str(), *duplicate, *time),
            )
        })
    }

    /// The number of pairs.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether nothing was said.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub(crate) fn apply(&mut self, judgment: &Judgment) {
        if judgment.left == judgment.right {
            return;
        }
        let known = self.verdict(&judgment.left, &judgment.right).is_some();
        let said = match judgment.word {
            Word::Yes => Some((true, judgment.time)),
            Word::No => Some((false, judgment.time)),
            Word::Withdrawn => None,
        };
        let both = [(&judgment.left, &judgment.right), (&judgment.right, &judgment.left)];
        for (one, other) in both {
            let others = self.by_id.entry(one.clone()).or_default();
            let _ = match said {
                Some(said) => others.insert(other.clone(), said),
                None => others.remove(other),
            };
            if others.is_empty() {
                self.by_id.remove(one);
            }
        }
        self.count = self.count + usize::from(said.is_some()) - usize::from(known);
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        bytes.put_u32(self.count as u32);
        for (left, right, duplicate, time) in self.iter() {
            let word = if duplicate { Word::Yes } else { Word::No };
            Judgment { left: left.into(), right: right.into(), word, time }.encode(&mut bytes);
        }
        bytes
    }

    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let mut take = Take(bytes);
        let mut judgments = Self::default();
        for _ in 0..take.u32()? {
            judgments.apply(&Judgment::decode(&mut take)?);
        }
        take.0.is_empty().then_some(judgments)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(left: &str, right: &str, word: Word) -> Judgment {
        Judgment { left: left.into(), right: right.into(), word, time: 5 }
    }

    #[test]
    fn the_last_word_on_a_pair_holds_whatever_the_order_of_its_ids() {
        let mut judgments = Judgments::default();
        judgments.apply(&said("b", "a", Word::Yes));
        judgments.apply(&said("a", "b", Word::No));
        judgments.apply(&said("a", "c", Word::Yes));
        judgments.apply(&said("d", "c", Word::Yes));
        judgments.apply(&said("c", "d", Word::Withdrawn));
        judgments.apply(&said("x", "y", Word::Withdrawn));
        assert_eq!(judgments.verdict("b", "a"), Some(false));
        assert_eq!(judgments.verdict("c", "d"), None);
        assert_eq!(judgments.of("a").collect::<Vec<_>>(), [("b", false), ("c", true)]);
        assert_eq!(judgments.len(), 2);
        assert_eq!(Judgments::decode(&judgments.encode()), Some(judgments));
    }
}
