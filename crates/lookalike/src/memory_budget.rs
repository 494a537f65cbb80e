//! The memory limit of a run, divided in one place.

use crate::ByteSize;

/// Kept of what was observed however large the limit is: it is read again in order, which a disk does
/// as well.
const MOST_OBSERVED_BYTES: usize = 64 << 20;

/// The limit of a run and the share of it that each holder of something large gets.
///
/// Not everybody holds something at the same time:
///
/// | while it is … | rows | signatures | early features | observed | buckets | features | outlines | crowds | pairs | read ahead |
/// |---|---|---|---|---|---|---|---|---|---|---|
/// | signing | 1/2 | 1/4 | 1/8 | 1/16 | | | | | | 1/16 |
/// | joining | 1/2, given back as it goes | 1/4 | 1/8 | 1/16 | 1/4 | | | | | |
/// | reading again | | 1/4 | 1/8, part of the features | | 1/8 | 1/2 | | | | 1/16 |
/// | judging | | 1/4 | 1/8, part of the features | 1/16, part of the features | 1/8 | 1/2 | 1/32 | 1/32 | 1/16 | |
///
/// What boilerplate documents hide takes 1/16 while signing, where nothing is observed before it; to find it takes up to
/// 7/8 before that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryBudget {
    total: usize,
}

impl MemoryBudget {
    /// The division of a limit.
    pub fn new(limit: ByteSize) -> Self {
        Self { total: limit.bytes() }
    }

    /// Bucket keys that wait to be sorted.
    pub fn rows(self) -> usize {
        self.total / 2
    }

    /// What was observed of documents before the collection is counted.
    pub fn observed(self) -> usize {
        (self.total / 16).min(MOST_OBSERVED_BYTES)
    }

    /// Signatures.
    pub fn signatures(self) -> usize {
        self.total / 4
    }

    /// Features kept from the first reading.
    pub fn early_features(self) -> usize {
        self.total / 8
    }

    /// Buckets while they are built; less than half of it afterwards.
    pub fn buckets(self) -> usize {
        self.total / 4
    }

    /// Exact features, those of the first reading included.
    pub fn features(self) -> usize {
        self.total / 2
    }

    /// Files that are read before their turn.
    pub fn read_ahead(self) -> usize {
        self.total / 16
    }

    /// Where boilerplate stands in each document.
    pub fn hidden_paragraphs(self) -> usize {
        self.total / 16
    }

    /// Outlines of documents in crowds.
    pub fn outlines(self) -> usize {
        self.total / 32
    }

    /// What is found out about crowds before they are compared.
    pub fn crowds(self) -> usize {
        self.total / 32
    }

    /// Confirmed pairs.
    pub fn pairs(self) -> usize {
        self.total / 16
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_at_the_same_time_fits_the_limit() {
        let limit = 1 << 30;
        let budget = MemoryBudget::new(ByteSize(limit as u64));
        let signing = budget.rows()
            + budget.signatures()
            + budget.early_features()
            + budget.hidden_paragraphs().max(budget.observed())
            + budget.read_ahead();
        let again = budget.signatures()
            + budget.observed()
            + budget.buckets() / 2
            + budget.features()
            + budget.read_ahead();
        let judging = budget.signatures()
            + budget.buckets() / 2
            + budget.features()
            + budget.outlines()
            + budget.crowds()
            + budget.pairs();
        assert!(
            [signing, again, judging].iter().all(|sum| *sum <= limit),
            "{signing} {again} {judging}"
        );
    }
}
