//! Disjoint sets whose root is their smallest element.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Disjoint sets of the numbers below a bound.
#[derive(Debug)]
pub struct UnionFind {
    /// Any ancestor will do as a parent, so that several threads may shorten paths at once.
    parents: Vec<AtomicU32>,
}

impl UnionFind {
    /// Every number below `length` in a set of its own.
    pub fn new(length: usize) -> Self {
        Self { parents: (0..length as u32).map(AtomicU32::new).collect() }
    }

    /// The smallest element of the set of `element`.
    pub fn find(&self, mut element: u32) -> u32 {
        loop {
            let parent = self.parents[element as usize].load(Relaxed);
            if parent == element {
                return element;
            }
            // Path halving: every other element on the way is lifted by one.
            let grandparent = self.parents[parent as usize].load(Relaxed);
            self.parents[element as usize].store(grandparent, Relaxed);
            element = grandparent;
        }
    }

    /// Joins two sets; false where they were one already.
    ///
    /// The smaller root wins, so that the root is the keeper. Without ranks a find costs at most
    /// logarithmic time on average, thanks to path halving.
    pub fn union(&mut self, left: u32, right: u32) -> bool {
        let (left, right) = (self.find(left), self.find(right));
        *self.parents[left.max(right) as usize].get_mut() = left.min(right);
        left != right
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_is_the_smallest_element() {
        let mut sets = UnionFind::new(6);
        assert!(sets.union(5, 3));
        assert!(sets.union(4, 5));
        assert!(!sets.union(3, 4));
        assert!(sets.union(1, 4));
        assert_eq!((0..6).map(|e| sets.find(e)).collect::<Vec<_>>(), [0, 1, 2, 1, 1, 1]);
    }
}
