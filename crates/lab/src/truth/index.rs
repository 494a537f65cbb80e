//! An inverted index over the rarest features of each set.

use hashbrown::HashMap;

use super::SetMeasure;

/// A collection of sets, ready to be asked for the partners of a set.
#[derive(Debug)]
pub struct SetIndex {
    measure: SetMeasure,
    threshold: f64,
    /// Feature → rank; rank 0 is the rarest feature of the collection.
    ranks: HashMap<u64, u32>,
    /// Each set as ascending ranks, the sets themselves by ascending length.
    sets: Vec<Vec<u32>>,
    /// The number each of `sets` had in the collection.
    numbers: Vec<u32>,
    /// Rank → the sets with that feature in their prefix, by ascending length.
    postings: Vec<Vec<Posting>>,
}

#[derive(Clone, Copy, Debug)]
struct Posting {
    set: u32,
    /// Where in the set the feature stands.
    position: u32,
}

/// A thread's room for searching a [`SetIndex`].
#[derive(Debug)]
pub struct Search<'a> {
    index: &'a SetIndex,
    /// By set: the last query that looked at it.
    seen: Vec<u32>,
    query: u32,
    known: Vec<u32>,
}

impl SetIndex {
    /// Indexes a collection for one measure and threshold, which should be above 0.
    pub fn build<S: AsRef<[u64]>>(sets: &[S], measure: SetMeasure, threshold: f64) -> Self {
        let ranks = rank_rarest_first(sets);
        let mut ranked: Vec<(u32, Vec<u32>)> = sets
            .iter()
            .enumerate()
            .map(|(number, set)| (number as u32, ascending_ranks(set.as_ref(), &ranks)))
            .collect();
        ranked.sort_by_key(|(number, set)| (set.len(), *number));
        let mut postings = vec![Vec::new(); ranks.len()];
        for (set, (_, features)) in ranked.iter().enumerate() {
            let prefix = measure.prefix_length(features.len(), threshold);
            for (position, rank) in features[..prefix].iter().enumerate() {
                let posting = Posting { set: set as u32, position: position as u32 };
                postings[*rank as usize].push(posting);
            }
        }
        let (numbers, sets) = ranked.into_iter().unzip();
        Self { measure, threshold, ranks, sets, numbers, postings }
    }

    /// Room for one thread's searches.
    pub fn search(&self) -> Search<'_> {
        Search { index: self, seen: vec![0; self.sets.len()], query: 0, known: Vec::new() }
    }
}

impl Search<'_> {
    /// The sets whose measure with `features` reaches the threshold, by ascending number.
    pub fn find(&mut self, features: &[u64]) -> Vec<(usize, f64)> {
        let index = self.index;
        self.query += 1;
        self.known.clear();
        self.known.extend(features.iter().filter_map(|feature| index.ranks.get(feature)));
        self.known.sort_unstable();
        // Features unknown to the collection count as its rarest: they fill the prefix first.
        let n_unknown = features.len() - self.known.len();
        let prefix = index.measure.prefix_length(features.len(), index.threshold);
        let prefix = prefix.saturating_sub(n_unknown);
        let (shortest, longest) = index.measure.partner_lengths(features.len(), index.threshold);
        let mut found = Vec::new();
        for position in 0..prefix {
            let postings = &index.postings[self.known[position] as usize];
            let length = |posting: &Posting| index.sets[posting.set as usize].len();
            let start = postings.partition_point(|posting| length(posting) < shortest);
            for posting in &postings[start..] {
                if length(posting) > longest {
                    break;
                }
                let seen = &mut self.seen[posting.set as usize];
                if *seen == self.query {
                    continue;
                }
                *seen = self.query;
                if let Some(score) = self.verify(features.len(), position, *posting) {
                    found.push((index.numbers[posting.set as usize] as usize, score));
                }
            }
        }
        found.sort_unstable_by_key(|(number, _)| *number);
        found
    }

    /// The exact measure of the query and a set whose first common feature stands at `position`
    /// and at the posting's position; `None` below the threshold.
    fn verify(&self, length: usize, position: usize, posting: Posting) -> Option<f64> {
        let index = self.index;
        let set = &index.sets[posting.set as usize];
        let needed = index.measure.overlap_needed(length, set.len(), index.threshold);
        let left = &self.known[position..];
        let right = &set[posting.position as usize..];
        let (mut i, mut j, mut common) = (0, 0, 0);
        while i < left.len() && j < right.len() {
            if common + (left.len() - i).min(right.len() - j) < needed {
                return None;
            }
            common += usize::from(left[i] == right[j]);
            let (left_rank, right_rank) = (left[i], right[j]);
            i += usize::from(left_rank <= right_rank);
            j += usize::from(right_rank <= left_rank);
        }
        let score = index.measure.from_counts(common, length, set.len());
        (score >= index.threshold).then_some(score)
    }
}

/// Gives every feature a rank, rarest first, ties by the feature itself.
fn rank_rarest_first<S: AsRef<[u64]>>(sets: &[S]) -> HashMap<u64, u32> {
    let mut frequencies: HashMap<u64, u32> = HashMap::new();
    for feature in sets.iter().flat_map(AsRef::as_ref) {
        *frequencies.entry(*feature).or_insert(0) += 1;
    }
    let mut features: Vec<(u32, u64)> =
        frequencies.into_iter().map(|(feature, frequency)| (frequency, feature)).collect();
    features.sort_unstable();
    features.iter().enumerate().map(|(rank, (_, feature))| (*feature, rank as u32)).collect()
}

fn ascending_ranks(features: &[u64], ranks: &HashMap<u64, u32>) -> Vec<u32> {
    let mut ascending: Vec<u32> =
        features.iter().filter_map(|feature| ranks.get(feature)).copied().collect();
    ascending.sort_unstable();
    ascending
}
