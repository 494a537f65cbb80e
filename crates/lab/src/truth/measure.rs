//! Measures of two sets and what they demand of lengths and overlaps.

/// A likeness of two sets in 0..=1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetMeasure {
    /// |A∩B| / sqrt(|A| |B|): cosine without term frequencies (Eq. 2 of the 2008 paper).
    BinaryCosine,
    /// |A∩B| / |A∪B|.
    Jaccard,
}

/// Bounds are loosened by this much, so that rounding never loses a pair; the final comparison
/// is exact.
const SLACK: f64 = 1e-9;

impl SetMeasure {
    /// The measure of two sets of distinct features in ascending order.
    pub fn of(self, left: &[u64], right: &[u64]) -> f64 {
        let (mut i, mut j, mut common) = (0, 0, 0);
        while i < left.len() && j < right.len() {
            match left[i].cmp(&right[j]) {
                std::cmp::Ordering::Less => i += 1,
                std::cmp::Ordering::Greater => j += 1,
                std::cmp::Ordering::Equal => {
                    common += 1;
                    i += 1;
                    j += 1;
                }
            }
        }
        self.from_counts(common, left.len(), right.len())
    }

    /// The measure of sets of these sizes with `common` features in both; 0 without any.
    pub fn from_counts(self, common: usize, left: usize, right: usize) -> f64 {
        if common == 0 {
            return 0.0;
        }
        match self {
            Self::BinaryCosine => common as f64 / (left as f64 * right as f64).sqrt(),
            Self::Jaccard => common as f64 / (left + right - common) as f64,
        }
    }

    /// The sizes a partner of a set of `length` features can have at `threshold`.
    pub(super) fn partner_lengths(self, length: usize, threshold: f64) -> (usize, usize) {
        // |A∩B| is at most the smaller size; put that into the definition and solve for |B|.
        let ratio = match self {
            Self::BinaryCosine => threshold * threshold,
            Self::Jaccard => threshold,
        };
        let shortest = (length as f64 * ratio - SLACK).ceil().max(1.0) as usize;
        let longest = (length as f64 / ratio + SLACK).floor() as usize;
        (shortest, longest)
    }

    /// How many features sets of these sizes must share to reach `threshold`; at least 1.
    pub(super) fn overlap_needed(self, left: usize, right: usize, threshold: f64) -> usize {
        let exact = match self {
            Self::BinaryCosine => threshold * (left as f64 * right as f64).sqrt(),
            Self::Jaccard => threshold / (1.0 + threshold) * (left + right) as f64,
        };
        (exact - SLACK).ceil().max(1.0) as usize
    }

    /// How many of a set's rarest features must be looked at to meet every possible partner.
    pub(super) fn prefix_length(self, length: usize, threshold: f64) -> usize {
        if length == 0 {
            return 0;
        }
        // The overlap is smallest with the shortest partner, which must then be contained.
        let (shortest, _) = self.partner_lengths(length, threshold);
        (length + 1).saturating_sub(shortest).min(length)
    }
}
