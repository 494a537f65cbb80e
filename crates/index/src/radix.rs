//! Sorting fixed-width records whose first words are hashes.
//!
//! Records are dealt out as they come, by the leading byte of their first word, into parts that fit
//! a cache; there a radix sort orders the rest of that word. Hashes rarely agree in it without
//! being equal, so the few runs that still need it are finished by comparison. Values that do agree
//! cost a comparison sort, never more. Parts are sorted by all threads of the pool that the caller
//! is in, each by one.

use rayon::prelude::*;

/// Values of a digit of one byte. More would be fewer passes, but each would write to more pages
/// at a time than the processor can keep track of.
pub(crate) const DIGITS: usize = 256;
const DIGIT_BITS: u32 = 8;
/// Below this, counting costs more than comparing.
const SMALL: usize = 256;

/// Unsorted records of 32-bit words, dealt out by their leading byte.
#[derive(Clone, Debug)]
pub(crate) struct Parts<const WIDTH: usize> {
    by_digit: Vec<Vec<[u32; WIDTH]>>,
    shift: u32,
    length: usize,
}

impl<const WIDTH: usize> Parts<WIDTH> {
    /// Parts for records whose first word is at most `largest`, as far as is known.
    ///
    /// Larger ones are sorted as well; they only make the last part larger than the others.
    pub(crate) fn new(largest: u32) -> Self {
        let bits = u32::BITS - largest.leading_zeros();
        Self {
            by_digit: vec![Vec::new(); DIGITS],
            shift: bits.saturating_sub(DIGIT_BITS),
            length: 0,
        }
    }

    pub(crate) fn length(&self) -> usize {
        self.length
    }

    pub(crate) fn push(&mut self, record: [u32; WIDTH]) {
        let part = (record[0] >> self.shift) as usize;
        self.by_digit[part.min(DIGITS - 1)].push(record);
        self.length += 1;
    }

    /// Hands out the records in lexicographic order, a part at a time, and is empty afterwards.
    pub(crate) fn drain_sorted<E>(
        &mut self,
        mut take: impl FnMut(&[[u32; WIDTH]]) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut scratch = Vec::new();
        self.drain(|part| {
            sort(part, &mut scratch);
            take(part)
        })
    }

    /// Hands out the parts in order, each as it came to be, and is empty afterwards.
    pub(crate) fn drain<E>(
        &mut self,
        mut take: impl FnMut(&mut Vec<[u32; WIDTH]>) -> Result<(), E>,
    ) -> Result<(), E> {
        for part in &mut self.by_digit {
            take(part)?;
            part.clear();
        }
        self.length = 0;
        Ok(())
    }

    /// The records, to be sorted when they are visited.
    pub(crate) fn into_sorted(self) -> SortedParts<WIDTH> {
        SortedParts { parts: self.by_digit, length: self.length }
    }
}

/// Parts that are sorted before some are handed over, and at least so many for each thread: enough
/// for all to be busy, and few enough rounds that waking them costs nothing.
const PARTS_AT_ONCE: usize = 64;
const PARTS_PER_THREAD: usize = 4;
/// Fewer records than these are not worth another thread.
const RECORDS_OF_THREADS: usize = if cfg!(test) { 16 } else { 1 << 16 };

/// Gives records in order, a part at a time.
#[derive(Debug)]
pub(crate) struct SortedParts<const WIDTH: usize> {
    parts: Vec<Vec<[u32; WIDTH]>>,
    length: usize,
}

impl<const WIDTH: usize> SortedParts<WIDTH> {
    /// Sorts each part, makes something of it while it is still in the cache, and hands that to
    /// `take` in order. No two parts have a first word in common.
    ///
    /// All threads sort and `make` while one of them takes; a part is given back before what was
    /// made of it is taken.
    pub(crate) fn visit<T: Send, E: Send>(
        self,
        make: impl Fn(Vec<[u32; WIDTH]>) -> T + Sync,
        take: impl FnMut(T) -> Result<(), E> + Send,
    ) -> Result<(), E> {
        let parts = self.parts.into_iter().filter(|part| !part.is_empty());
        let sorted = |scratch: &mut Vec<_>, mut part: Vec<_>| {
            sort(&mut part, scratch);
            make(part)
        };
        let at_once = PARTS_AT_ONCE.max(threads() * PARTS_PER_THREAD);
        in_turns(parts, self.length, at_once, sorted, take)
    }
}

/// Makes something of each part and hands that to `take` in order: where there are threads and enough
/// records for them, `at_once` parts while what was made of those before is taken.
pub(crate) fn in_turns<P: Send, S: Default + Send, T: Send, E: Send>(
    mut parts: impl Iterator<Item = P>,
    n_records: usize,
    at_once: usize,
    make: impl Fn(&mut S, P) -> T + Sync,
    mut take: impl FnMut(T) -> Result<(), E> + Send,
) -> Result<(), E> {
    if threads() == 1 || n_records < RECORDS_OF_THREADS {
        let mut scratch = S::default();
        return parts.try_for_each(|part| take(make(&mut scratch, part)));
    }
    let mut made = Vec::new();
    loop {
        let next: Vec<P> = parts.by_ref().take(at_once).collect();
        if next.is_empty() && made.is_empty() {
            return Ok(());
        }
        let make_next = || -> Vec<T> { next.into_par_iter().map_init(S::default, &make).collect() };
        let (taken, then) = rayon::join(|| made.into_iter().try_for_each(&mut take), make_next);
        taken?;
        made = then;
    }
}

/// The threads of the pool that the caller is in; one where it is in none, because the pool of the
/// whole process would be dead in a process that is forked from it.
pub(crate) fn threads() -> usize {
    if rayon::current_thread_index().is_some() { rayon::current_num_threads() } else { 1 }
}

/// Sorts records in lexicographic order.
pub(crate) fn sort<const WIDTH: usize>(
    records: &mut Vec<[u32; WIDTH]>,
    scratch: &mut Vec<[u32; WIDTH]>,
) {
    if records.len() < SMALL {
        records.sort_unstable();
        return;
    }
    if scratch.len() < records.len() {
        scratch.resize(records.len(), [0; WIDTH]);
    }
    let scratch = &mut scratch[..records.len()];
    let mut in_scratch = false;
    for shift in (0..u32::BITS).step_by(DIGIT_BITS as usize) {
        let (from, to) =
            if in_scratch { (&*scratch, &mut **records) } else { (&**records, &mut *scratch) };
        let counts = count_digits(from, shift);
        if !counts.contains(&from.len()) {
            scatter(from, to, shift, &counts);
            in_scratch = !in_scratch;
        }
    }
    if in_scratch {
        records.copy_from_slice(scratch);
    }
    for run in records.chunk_by_mut(|left, right| left[0] == right[0]) {
        if run.len() > 1 && !run.is_sorted() {
            run.sort_unstable();
        }
    }
}

fn digit<const WIDTH: usize>(record: &[u32; WIDTH], shift: u32) -> usize {
    (record[0] >> shift) as usize % DIGITS
}

fn count_digits<const WIDTH: usize>(records: &[[u32; WIDTH]], shift: u32) -> [usize; DIGITS] {
    let mut counts = [0; DIGITS];
    for record in records {
        counts[digit(record, shift)] += 1;
    }
    counts
}

/// Copies records in the order of a digit, those that agree in it in their old order.
fn scatter<const WIDTH: usize>(
    from: &[[u32; WIDTH]],
    to: &mut [[u32; WIDTH]],
    shift: u32,
    counts: &[usize; DIGITS],
) {
    let mut places = [0; DIGITS];
    let mut start = 0;
    for (place, count) in places.iter_mut().zip(counts) {
        *place = start;
        start += count;
    }
    for record in from {
        let place = &mut places[digit(record, shift)];
        to[*place] = *record;
        *place += 1;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn radix_order_is_comparison_order(
            seeds in prop::collection::vec(any::<[u32; 3]>(), 0..400),
            largest in prop::sample::select(vec![u32::MAX, 1 << 20, 77, 0]),
            mask in prop::sample::select(vec![u32::MAX, 0xff, 0xffff_0000, 3, 0]),
        ) {
            // Repeated with small changes, so that the radix path is taken.
            let records: Vec<[u32; 3]> = (0..40_u32)
                .flat_map(|round| seeds.iter().map(move |[a, b, c]| {
                    [a.rotate_left(round) & mask, b & mask, c ^ round]
                }))
                .collect();
            let mut expected = records.clone();
            expected.sort_unstable();
            let mut parts = Parts::new(largest);
            for record in &records {
                parts.push(*record);
            }
            prop_assert_eq!(parts.length(), records.len());
            let mut drained = Vec::new();
            let take = |part: &[[u32; 3]]| -> Result<(), ()> {
                drained.extend_from_slice(part);
                Ok(())
            };
            parts.drain_sorted(take).unwrap();
            prop_assert_eq!(&drained, &expected);
            for record in &records {
                parts.push(*record);
            }
            let visited = |parts: Parts<3>| {
                let mut visited = Vec::new();
                let take = |part: Vec<[u32; 3]>| -> Result<(), ()> {
                    visited.extend(part);
                    Ok(())
                };
                parts.into_sorted().visit(|part| part, take).unwrap();
                visited
            };
            let again = parts.clone();
            prop_assert_eq!(visited(again), expected.clone());
            let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
            prop_assert_eq!(pool.install(|| visited(parts)), expected);
        }
    }
}
