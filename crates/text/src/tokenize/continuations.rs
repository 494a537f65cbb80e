//! How far a Chinese word may go on, in one look.

/// Which letters may follow a node: a bit for each, by a hash of both.
///
/// Most words of running text go no further at the next character. One look at a table that fits
/// the processor's cache says so for eight in nine of them; it never says so of a letter that does
/// follow. Made when the first Chinese text comes, so that the program does not grow by it.
pub(super) struct Continuations(Vec<u64>);

/// The table has two to the power of this many bits: about eight for each node.
const CONTINUATION_BITS: u32 = 22;

impl Continuations {
    pub(super) fn new() -> Self {
        Self(vec![0; 1 << (CONTINUATION_BITS - 6)])
    }

    #[inline]
    fn bit(node: usize, letter: u16) -> usize {
        let mixed = ((node as u64) << 16 | u64::from(letter)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> (64 - CONTINUATION_BITS)) as usize
    }

    pub(super) fn insert(&mut self, node: usize, letter: u16) {
        let bit = Self::bit(node, letter);
        self.0[bit / 64] |= 1 << (bit % 64);
    }

    #[inline]
    pub(super) fn may_contain(&self, node: usize, letter: u16) -> bool {
        let bit = Self::bit(node, letter);
        self.0[bit / 64] >> (bit % 64) & 1 == 1
    }
}
