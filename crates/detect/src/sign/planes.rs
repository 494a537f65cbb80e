//! Counters of single bits, kept bit by bit: bit j of plane i is bit i of counter j.
//!
//! Adding a word to 64 counters is then a handful of logical operations for all of them, and
//! eight words at a time go through a tree of carry-save adders, so that a word costs about five.

/// 64 counters of 40 bits in each of `LANES` words that are counted side by side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Planes<const LANES: usize>([[u64; LANES]; N_PLANES]);

pub(super) const N_PLANES: usize = 40;

impl<const LANES: usize> Default for Planes<LANES> {
    fn default() -> Self {
        Self([[0; LANES]; N_PLANES])
    }
}

impl<const LANES: usize> Planes<LANES> {
    /// Adds 2^plane to the counters whose bit is set.
    #[inline]
    pub(super) fn add(&mut self, words: [u64; LANES], plane: usize) {
        let mut carry = words;
        for plane in &mut self.0[plane..] {
            if carry == [0; LANES] {
                break;
            }
            for (plane, carry) in plane.iter_mut().zip(&mut carry) {
                (*plane, *carry) = (*plane ^ *carry, *plane & *carry);
            }
        }
    }

    /// Adds 2^plane to the counters of each bit that is set, for eight words.
    #[inline]
    pub(super) fn add_eight(&mut self, words: [[u64; LANES]; 8], plane: usize) {
        let [ones, twos, fours, ..] = &mut self.0[plane..] else { return };
        let twos_a = carry_save(ones, words[0], words[1]);
        let twos_b = carry_save(ones, words[2], words[3]);
        let fours_a = carry_save(twos, twos_a, twos_b);
        let twos_a = carry_save(ones, words[4], words[5]);
        let twos_b = carry_save(ones, words[6], words[7]);
        let fours_b = carry_save(twos, twos_a, twos_b);
        let eights = carry_save(fours, fours_a, fours_b);
        self.add(eights, plane + 3);
    }

    /// The counters greater than `limit`, and those equal to it.
    pub(super) fn compare(&self, limit: u64) -> [(u64, u64); LANES] {
        let mut compared = [(0, u64::MAX); LANES];
        for (position, plane) in self.0.iter().enumerate().rev() {
            for ((greater, equal), plane) in compared.iter_mut().zip(plane) {
                if limit >> position & 1 == 0 {
                    *greater |= *equal & plane;
                    *equal &= !plane;
                } else {
                    *equal &= plane;
                }
            }
        }
        compared
    }
}

/// Adds two words to a plane; what is carried into the next one comes back.
#[inline]
pub(super) fn carry_save<const LANES: usize>(
    plane: &mut [u64; LANES],
    left: [u64; LANES],
    right: [u64; LANES],
) -> [u64; LANES] {
    let mut carried = [0; LANES];
    for lane in 0..LANES {
        let either = plane[lane] ^ left[lane];
        carried[lane] = (plane[lane] & left[lane]) | (either & right[lane]);
        plane[lane] = either ^ right[lane];
    }
    carried
}
