//! What people said about pairs of documents.

use std::collections::BTreeMap;
use std::sync::Arc;

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

impl Word {
    /// The word for a verdict.
    pub fn of(duplicate: bool) -> Self {
        if duplicate { Self::Yes } else { Self::No }
    }
}

/// A person's verdict on two ids, which need not be in the index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgment {
    /// One id.
    pub left: String,
    /// The other.
    pub right: String,
    /// What was said.
    pub word: Word,
    /// The id of the two that is to be kept, where the person chose.
    pub keeps: Option<String>,
    /// When, in milliseconds since 1970.
    pub time: u64,
    /// The name of the person; empty where it is not known.
    pub by: String,
    /// With what it was said, such as `page`; empty where it is not known.
    pub how: String,
}

/// What one person said about a pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// Whether the two are near-duplicates.
    pub duplicate: bool,
    /// The id of the two that is to be kept, where the person chose.
    pub keeps: Option<String>,
    /// When, in milliseconds since 1970.
    pub time: u64,
    /// The name of the person; empty where it is not known.
    pub by: String,
    /// With what it was said; empty where it is not known.
    pub how: String,
}

/// The bits of an encoded word, and the flags beside them.
const WORD: u8 = 0b11;
const KEEPS_SMALLER: u8 = 1 << 2;
const KEEPS_LARGER: u8 = 1 << 3;
const NAMED: u8 = 1 << 4;

impl Judgment {
    /// A verdict of somebody whose name is not known.
    pub fn new(left: &str, right: &str, word: Word, time: u64) -> Self {
        let (by, how) = (String::new(), String::new());
        Self { left: left.into(), right: right.into(), word, keeps: None, time, by, how }
    }

    pub(crate) fn encode(&self, bytes: &mut Vec<u8>) {
        let (smaller, larger) = ordered(&self.left, &self.right);
        let word = match self.word {
            Word::No => 0,
            Word::Yes => 1,
            Word::Withdrawn => 2,
        };
        let keeps = match &self.keeps {
            Some(id) if id == smaller => KEEPS_SMALLER,
            Some(id) if id == larger => KEEPS_LARGER,
            _ => 0,
        };
        let is_named = !self.by.is_empty() || !self.how.is_empty();
        bytes.push(word | keeps | if is_named { NAMED } else { 0 });
        bytes.put_u64(self.time);
        bytes.put_bytes(smaller.as_bytes());
        bytes.put_bytes(larger.as_bytes());
        if is_named {
            bytes.put_bytes(self.by.as_bytes());
            bytes.put_bytes(self.how.as_bytes());
        }
    }

    pub(crate) fn decode(take: &mut Take<'_>) -> Option<Self> {
        let flags = take.u8()?;
        let word = match flags & WORD {
            0 => Word::No,
            1 => Word::Yes,
            2 => Word::Withdrawn,
            _ => return None,
        };
        let time = take.u64()?;
        let (left, right) = (take.text()?.to_owned(), take.text()?.to_owned());
        let keeps = match flags & !(WORD | NAMED) {
            0 => None,
            KEEPS_SMALLER => Some(left.clone()),
            KEEPS_LARGER => Some(right.clone()),
            _ => return None,
        };
        let mut name = || {
            let name = if flags & NAMED == 0 { Some("") } else { take.text() };
            name.map(str::to_owned)
        };
        let (by, how) = (name()?, name()?);
        Some(Self { left, right, word, keeps, time, by, how })
    }
}

fn ordered<'a>(left: &'a str, right: &'a str) -> (&'a str, &'a str) {
    (left.min(right), left.max(right))
}

/// The last verdict of each person on each pair; of a pair the latest holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Judgments {
    /// By each id of a pair the other one. The verdicts by time, of equal times as they came.
    by_id: BTreeMap<String, BTreeMap<String, Arc<[Said]>>>,
    count: usize,
}

impl Judgments {
    /// Whether two ids are near-duplicates by the latest verdict, if there is one.
    pub fn verdict(&self, left: &str, right: &str) -> Option<bool> {
        self.said(left, right).last().map(|said| said.duplicate)
    }

    /// What each person said about two ids, by time: the last verdict holds.
    pub fn said(&self, left: &str, right: &str) -> &[Said] {
        let others = self.by_id.get(left);
        others.and_then(|others| others.get(right)).map_or(&[], |said| said)
    }

    /// What each person said about pairs with an id, by the other id of the pair.
    pub fn said_of(&self, id: &str) -> impl Iterator<Item = (&str, &[Said])> {
        let others = self.by_id.get(id).into_iter().flatten();
        others.map(|(other, said)| (other.as_str(), &**said))
    }

    /// The verdicts that hold on pairs with an id, by the other id of the pair.
    pub fn of(&self, id: &str) -> impl Iterator<Item = (&str, bool)> {
        self.said_of(id).filter_map(|(other, said)| Some((other, said.last()?.duplicate)))
    }

    /// Every pair once, by ids: the smaller id, the larger, and what each person said, by time.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str, &[Said])> {
        self.by_id.iter().flat_map(|(left, others)| {
            let pairs = others.iter().filter(move |(right, _)| left < *right);
            pairs.map(|(right, said)| (left.as_str(), right.as_str(), &**said))
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
        let Judgment { left, right, word, keeps, time, by, how } = judgment;
        if left == right {
            return;
        }
        let known = self.said(left, right);
        let was_known = !known.is_empty();
        let mut said: Vec<Said> = known.iter().filter(|said| said.by != *by).cloned().collect();
        if *word != Word::Withdrawn {
            let place = said.partition_point(|earlier| earlier.time <= *time);
            let (duplicate, keeps) = (*word == Word::Yes, keeps.clone());
            let (time, by, how) = (*time, by.clone(), how.clone());
            said.insert(place, Said { duplicate, keeps, time, by, how });
        }
        let said: Arc<[Said]> = said.into();
        for (one, other) in [(left, right), (right, left)] {
            if said.is_empty() {
                let Some(others) = self.by_id.get_mut(one) else { continue };
                others.remove(other);
                if others.is_empty() {
                    self.by_id.remove(one);
                }
            } else {
                let others = self.by_id.entry(one.clone()).or_default();
                others.insert(other.clone(), Arc::clone(&said));
            }
        }
        self.count = self.count + usize::from(!said.is_empty()) - usize::from(was_known);
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let count: usize = self.iter().map(|(.., said)| said.len()).sum();
        let mut bytes = Vec::new();
        bytes.put_u32(count as u32);
        for (left, right, said) in self.iter() {
            for Said { duplicate, keeps, time, by, how } in said.iter().cloned() {
                let word = Word::of(duplicate);
                let (left, right) = (left.to_owned(), right.to_owned());
                Judgment { left, right, word, keeps, time, by, how }.encode(&mut bytes);
            }
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
        Judgment::new(left, right, word, 5)
    }

    fn by(name: &str, word: Word, time: u64) -> Judgment {
        let (by, how) = (name.into(), "page".into());
        Judgment { by, how, ..Judgment::new("a", "b", word, time) }
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

    #[test]
    fn each_person_has_a_verdict_of_their_own_and_the_latest_holds() {
        let mut judgments = Judgments::default();
        let keeps = Some("b".to_owned());
        judgments.apply(&Judgment { keeps: keeps.clone(), ..by("anna", Word::Yes, 2) });
        judgments.apply(&by("ben", Word::No, 3));
        assert_eq!(judgments.verdict("a", "b"), Some(false));
        assert_eq!((judgments.len(), judgments.said("b", "a").len()), (1, 2));
        let read = Judgments::decode(&judgments.encode()).unwrap();
        assert_eq!(read, judgments);
        assert_eq!(read.said("a", "b")[0].keeps, keeps);

        // Whoever takes a verdict back leaves those of others, and what is said again with its
        // earlier time has its earlier place.
        judgments.apply(&by("anna", Word::No, 4));
        judgments.apply(&Judgment { keeps, ..by("anna", Word::Yes, 2) });
        assert_eq!(judgments, read);
        judgments.apply(&by("ben", Word::Withdrawn, 5));
        assert_eq!(judgments.verdict("a", "b"), Some(true));
        judgments.apply(&by("anna", Word::Withdrawn, 6));
        assert!(judgments.is_empty());
    }
}
