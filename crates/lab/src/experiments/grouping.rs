//! Documents with equal digests, counted the way the 2002 paper counts them.

use hashbrown::HashMap;

/// What equal digests say about a collection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Groups {
    /// Documents with a digest.
    pub n_documents: usize,
    /// Different digests: the documents that would be left.
    pub n_unique: usize,
    /// Documents beyond the first of their group that share title or address with it.
    pub n_same_title: usize,
    /// Groups of two or more.
    pub n_clusters: usize,
    /// Documents in the largest group.
    pub largest: usize,
}

impl Groups {
    /// Documents beyond the first of their group.
    pub fn n_duplicates(&self) -> usize {
        self.n_documents - self.n_unique
    }
}

/// Groups documents by digest; `None` has no signature and is in no group.
///
/// `same_title` tells whether two documents, by number, have the same title or address.
pub fn group_by_digest(
    digests: &[Option<u128>],
    same_title: impl Fn(usize, usize) -> bool,
) -> Groups {
    let mut first: HashMap<u128, (usize, usize)> = HashMap::new();
    let mut groups = Groups::default();
    for (number, digest) in digests.iter().enumerate() {
        let Some(digest) = digest else { continue };
        groups.n_documents += 1;
        let (original, size) = first.entry(*digest).or_insert((number, 0));
        *size += 1;
        groups.largest = groups.largest.max(*size);
        groups.n_clusters += usize::from(*size == 2);
        groups.n_same_title += usize::from(*size > 1 && same_title(*original, number));
    }
    groups.n_unique = first.len();
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_without_a_digest_are_nobodys_duplicates() {
        let digests = [None, Some(1), None, Some(1), Some(2), Some(1)];
        let groups = group_by_digest(&digests, |left, right| left + right == 4);
        let expected =
            Groups { n_documents: 4, n_unique: 2, n_same_title: 1, n_clusters: 1, largest: 3 };
        assert_eq!(groups, expected);
        assert_eq!(groups.n_duplicates(), 2);
    }
}
