//! What a keep rule sees of one document, as bytes that compare in the order of the rule.

use std::cmp::Ordering;

/// Bytes of each criterion: a tag and a key of eight bytes, both of which sort upwards.
const CRITERION_BYTES: usize = 9;

/// What a rule looks at in one document; the best document compares as the smallest.
///
/// The bytes are stable: they mean the same in every build, so that an index may store them and
/// another machine compare them.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeepValue(Vec<u8>);

/// What one criterion found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Found {
    /// Smaller is better.
    Key(u64),
    /// The field is there but holds nothing the criterion can use: after every key.
    Unusable,
    /// The field is absent: after everything else.
    Missing,
}

/// How a document fared under one criterion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Usable {
    /// The criterion has a value to compare.
    Yes,
    /// The field holds nothing the criterion can use, such as a date that is none.
    No,
    /// The row has no such field.
    Absent,
}

impl KeepValue {
    pub(super) fn push(&mut self, found: Found) {
        let (tag, key) = match found {
            Found::Key(key) => (0, key),
            Found::Unusable => (1, 0),
            Found::Missing => (2, 0),
        };
        self.0.push(tag);
        self.0.extend_from_slice(&key.to_be_bytes());
    }

    /// The order of two documents under one rule, the one to keep first; equal values are a tie.
    pub fn compare(&self, other: &Self) -> Ordering {
        self.cmp(other)
    }

    /// Whether the rule leaves everything to the tie.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value as bytes whose order is that of the values.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The value that was written as these bytes, or `None` if they are none.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (criteria, rest) = bytes.as_chunks::<CRITERION_BYTES>();
        let is_valid = rest.is_empty() && criteria.iter().all(|criterion| criterion[0] <= 2);
        is_valid.then(|| Self(bytes.to_owned()))
    }

    /// How the document fared under each criterion of the rule, in their order.
    pub fn usable(&self) -> impl Iterator<Item = Usable> {
        usable(&self.0)
    }
}

/// The same of bytes as they are stored.
pub(crate) fn usable(bytes: &[u8]) -> impl Iterator<Item = Usable> {
    bytes.as_chunks::<CRITERION_BYTES>().0.iter().map(|criterion| match criterion[0] {
        0 => Usable::Yes,
        1 => Usable::No,
        _ => Usable::Absent,
    })
}

/// A number as a key, the smallest first.
pub(super) fn ascending(number: f64) -> u64 {
    // Adding zero makes the two zeros one.
    let bits = (number + 0.0).to_bits();
    // Negative numbers have their order reversed by their bits, and stand before the others.
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

/// An instant as a key, the earliest first.
pub(super) fn earliest_first(microseconds: i64) -> u64 {
    (microseconds as u64) ^ 1 << 63
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_the_order_of_what_they_stand_for() {
        let numbers = [f64::MIN, -2.5, -1.0, -1e-300, 0.0, 1e-300, 1.0, 2.5, 1e300];
        assert!(numbers.windows(2).all(|pair| ascending(pair[0]) < ascending(pair[1])));
        assert_eq!(ascending(-0.0), ascending(0.0));
        let instants = [i64::MIN, -1, 0, 1, i64::MAX];
        assert!(instants.windows(2).all(|pair| earliest_first(pair[0]) < earliest_first(pair[1])));
    }

    #[test]
    fn values_come_back_from_their_bytes_and_damaged_bytes_do_not() {
        let mut value = KeepValue::default();
        value.push(Found::Key(7));
        value.push(Found::Missing);
        assert_eq!(value.as_bytes(), b"\0\0\0\0\0\0\0\0\x07\x02\0\0\0\0\0\0\0\0");
        assert_eq!(KeepValue::from_bytes(value.as_bytes()), Some(value.clone()));
        assert_eq!(value.usable().collect::<Vec<_>>(), [Usable::Yes, Usable::Absent]);
        assert_eq!(KeepValue::from_bytes(&value.as_bytes()[1..]), None);
        assert_eq!(KeepValue::from_bytes(&[9; CRITERION_BYTES]), None);
    }
}
