//! People's words on pairs, which stand above the method's.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use lookalike_detect::Verdict;
use lookalike_index::{DocumentId, RowSorter};
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use crate::catalog::{Catalog, Status};
use crate::{Config, RunError, read_judgments};

/// What people said about documents of a run.
#[derive(Debug, Default)]
pub struct Words {
    /// By both documents, the smaller number first.
    verdicts: BTreeMap<(DocumentId, DocumentId), bool>,
    /// By a document those that people keep instead of it.
    preferred: BTreeMap<DocumentId, BTreeSet<DocumentId>>,
}

impl Words {
    /// Reads the file that the configuration names; words on documents that are not there say nothing.
    pub fn read(config: &Config, catalog: &Catalog) -> Result<Self, RunError> {
        let Some(path) = &config.run.judgments else { return Ok(Self::default()) };
        let judged = read_judgments(path)?;
        let ids: BTreeSet<&str> =
            judged.iter().flat_map(|pair| [pair.ids().0, pair.ids().1]).collect();
        let mut by_id: BTreeMap<&str, Vec<DocumentId>> = BTreeMap::new();
        for document in catalog.documents() {
            // New and known documents may have one id; the word is on both.
            if let Some(id) = ids.get(catalog.id(document))
                && catalog.status(document) == Status::Signed
            {
                by_id.entry(id).or_default().push(document);
            }
        }
        let mut verdicts = BTreeMap::new();
        let mut preferred: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
        for pair in &judged {
            let (left, right) = pair.ids();
            let documents = |id| by_id.get(id).map_or(&[][..], Vec::as_slice);
            for left in documents(left) {
                for right in documents(right) {
                    verdicts.insert((*left.min(right), *left.max(right)), pair.duplicate);
                    if let Some(keeps) = &pair.keeps {
                        let is_left = keeps == pair.ids().0;
                        let (kept, over) = if is_left { (left, right) } else { (right, left) };
                        preferred.entry(*over).or_default().insert(*kept);
                    }
                }
            }
        }
        Ok(Self { verdicts, preferred })
    }

    /// Puts every document before those that people keep it instead of, and leaves all others in
    /// their order. Where people contradict each other in a circle, the keep rule decides.
    pub fn in_order(&self, order: Vec<DocumentId>) -> Vec<DocumentId> {
        if self.preferred.is_empty() {
            return order;
        }
        let rank = order.iter().enumerate().map(|(rank, document)| (*document, rank));
        let rank: BTreeMap<DocumentId, usize> = rank.collect();
        let mut begun = BTreeSet::new();
        let mut put = Vec::with_capacity(order.len());
        // No recursion: a chain of preferences may be long.
        let mut open: Vec<(DocumentId, Vec<DocumentId>)> = Vec::new();
        for first in order {
            let mut next = Some(first);
            loop {
                if let Some(document) = next.take().filter(|document| begun.insert(*document)) {
                    let preferred = self.preferred.get(&document).into_iter().flatten().copied();
                    let mut preferred: Vec<_> =
                        preferred.filter(|kept| rank.contains_key(kept)).collect();
                    preferred.sort_by_key(|kept| std::cmp::Reverse(rank[kept]));
                    open.push((document, preferred));
                }
                let Some((document, preferred)) = open.last_mut() else { break };
                next = preferred.pop();
                if next.is_none() {
                    put.push(*document);
                    open.pop();
                }
            }
        }
        put
    }

    /// Whether nobody said anything.
    pub fn are_none(&self) -> bool {
        self.verdicts.is_empty()
    }

    /// The verdict of a person on two documents, if there is one.
    pub fn verdict(&self, left: DocumentId, right: DocumentId) -> Option<Verdict> {
        let duplicate = *self.verdicts.get(&(left.min(right), left.max(right)))?;
        Some(Verdict::new(duplicate, f64::from(duplicate)))
    }

    /// Gives each pair that belongs together a bucket of its own, so that it is looked at.
    pub fn add_rows(&self, rows: &mut RowSorter) -> Result<(), RunError> {
        for ((left, right), _) in self.verdicts.iter().filter(|(_, yes)| **yes) {
            let key = xxh3_64(format!("judged {} {}", left.0, right.0).as_bytes());
            rows.push(key, *left)?;
            rows.push(key, *right)?;
        }
        Ok(())
    }

    /// What makes copies: documents that were kept apart from another are nobody's copy, so that
    /// the word on them can be heard; they are compared instead.
    pub fn identities<'c>(&self, catalog: &'c Catalog) -> Cow<'c, [u128]> {
        let no = self.verdicts.iter().filter(|(_, yes)| !**yes);
        let apart: BTreeSet<u32> = no.flat_map(|((left, right), _)| [left.0, right.0]).collect();
        if apart.is_empty() {
            return catalog.identities().into();
        }
        let mut identities = catalog.identities().to_vec();
        for document in apart {
            identities[document as usize] ^= xxh3_128(format!("apart {document}").as_bytes());
        }
        identities.into()
    }
}
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_kept_instead_comes_first_and_all_others_stay_where_they_are() {
        let order = |preferred: &[(u32, u32)]| {
            let mut words = Words::default();
            for (kept, over) in preferred {
                words.preferred.entry(DocumentId(*over)).or_default().insert(DocumentId(*kept));
            }
            let order = words.in_order((0..5).map(DocumentId).collect());
            order.iter().map(|document| document.0).collect::<Vec<_>>()
        };
        assert_eq!(order(&[]), [0, 1, 2, 3, 4]);
        assert_eq!(order(&[(3, 1)]), [0, 3, 1, 2, 4]);
        assert_eq!(order(&[(1, 3)]), [0, 1, 2, 3, 4]);
        assert_eq!(order(&[(4, 3), (3, 0), (2, 0)]), [2, 4, 3, 0, 1]);
        // A circle ends, and everybody is there once.
        assert_eq!(order(&[(1, 0), (2, 1), (0, 2)]), [2, 1, 0, 3, 4]);
    }
}
