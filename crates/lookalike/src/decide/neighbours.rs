//! Neighbourhoods: some thousands of documents, each with all that share anything with it.
//!
//! A sample of single documents has no pairs. So documents are drawn as centers, and every other
//! document that shares sampled runs of three words with a center is its neighbor. Of all pairs
//! found so, some of each twentieth of the estimated resemblance are kept; each stands for as many
//! pairs as there were in its twentieth for one that is kept.

use lookalike_detect::random::mix64;
use lookalike_detect::represent::shingle_in_place;
use lookalike_text::{Analyzer, AnalyzerConfig};
use rayon::prelude::*;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use crate::{OwnedDocument, RunError};

/// Words in a run: documents that share five words or four share three.
const RUN_WORDS: usize = 3;
/// One run in so many is looked at, and besides the runs of the lowest hashes, so that short
/// documents are seen whole.
const RUNS_EACH: u64 = 16;
const LOWEST_RUNS: usize = 48;
/// Runs of more documents than this bring nobody together.
const MOST_SHARING: usize = 1 << 15;
/// Centers at most, and meetings of a center with a document that shares a run with it.
const MOST_CENTERS: usize = 3_000;
const MOST_MEETINGS: usize = 300_000_000;
/// Pairs that are kept of each twentieth of the estimate.
const KEPT: usize = 150;
const TWENTIETHS: usize = 20;

/// Upper ends of the strata of a resemblance.
pub const STRATA: [f64; 10] = [0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95, f64::INFINITY];

/// Centers that are looked around before what was found is thinned.
const CENTERS_AT_ONCE: usize = 64;

/// The stratum of a resemblance.
pub fn stratum(resemblance: f64) -> usize {
    STRATA.iter().position(|end| resemblance < *end).unwrap_or(STRATA.len() - 1)
}

/// A pair of places, the smaller first, and how many pairs of the neighbourhoods it stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SampledPair {
    /// The two documents.
    pub pair: (u32, u32),
    /// How many pairs it stands for.
    pub weight: f64,
}

/// What was found around the centers.
#[derive(Clone, Debug, Default)]
pub struct Neighbourhoods {
    /// Pairs of all strata.
    pub pairs: Vec<SampledPair>,
    /// How many pairs have nothing in common.
    pub strangers: f64,
}

/// The sampled runs of all documents, by run.
struct Runs {
    /// The groups of each document.
    of_document: Vec<Vec<u32>>,
    /// The documents of each run.
    groups: Vec<Vec<u32>>,
    /// How much rarity the runs of each document have.
    rarity: Vec<f64>,
}

impl Neighbourhoods {
    /// Looks around documents that are drawn by their ids and a seed.
    ///
    /// # Errors
    /// The analyzer cannot be built.
    pub fn of(documents: &[OwnedDocument], seed: u64) -> Result<Self, RunError> {
        let runs = Runs::of(documents)?;
        let texts: Vec<u64> =
            documents.par_iter().map(|document| xxh3_64(document.text.as_bytes())).collect();
        let mut order: Vec<u32> = (0..documents.len() as u32).collect();
        let draws: Vec<u64> = documents
            .iter()
            .map(|document| xxh3_64_with_seed(document.id.as_bytes(), seed))
            .collect();
        order.sort_by_key(|&place| (draws[place as usize], place));
        let centers = runs.affordable(&order);
        let mut is_center = vec![false; documents.len()];
        for &center in &centers {
            is_center[center as usize] = true;
        }
        let around = |met: &mut Vec<(f64, u32)>, &center: &u32| runs.around(center, &texts, met);
        let fresh = || vec![(0.0, 0); documents.len()];
        let mut strata: Vec<Stratum> = (0..TWENTIETHS).map(|_| Stratum::empty()).collect();
        // Some centers at a time: all neighbors of all of them would not fit into memory.
        for some in centers.chunks(CENTERS_AT_ONCE) {
            let found: Vec<Vec<Neighbor>> = some.par_iter().map_init(fresh, around).collect();
            for (&center, neighbors) in some.iter().zip(found) {
                for Neighbor { place, estimate } in neighbors {
                    let both = is_center[place as usize];
                    // A pair of two centers is met from both sides: it is taken from one, and counts
                    // for both.
                    if both && place < center {
                        continue;
                    }
                    let pair = (center.min(place), center.max(place));
                    let twentieth = ((estimate * TWENTIETHS as f64) as usize).min(TWENTIETHS - 1);
                    let order = pair_draw(draws[center as usize], draws[place as usize]);
                    strata[twentieth].meet(order, pair, if both { 1.0 } else { 0.5 });
                }
            }
        }
        let met: f64 = strata.iter().map(|stratum| stratum.weight).sum();
        let pairs = strata.into_iter().flat_map(Stratum::finish).collect();
        // Copies count among them, which are few.
        let all = 0.5 * centers.len() as f64 * documents.len().saturating_sub(1) as f64;
        Ok(Self { pairs, strangers: (all - met).max(0.0) })
    }
}

/// A document that shares runs with a center.
struct Neighbor {
    place: u32,
    estimate: f64,
}

impl Runs {
    fn of(documents: &[OwnedDocument]) -> Result<Self, RunError> {
        let analyzer = Analyzer::new(&AnalyzerConfig::default())
            .map_err(lookalike_detect::DetectError::from)?;
        let sampled = |(hashes, buffer): &mut (Vec<u64>, String), document: &OwnedDocument| {
            hashes.clear();
            analyzer.visit_hashes(&document.text, buffer, |some| hashes.extend_from_slice(some));
            shingle_in_place(hashes, RUN_WORDS);
            sample(hashes)
        };
        let mut of_document: Vec<Vec<u64>> =
            documents.par_iter().map_init(Default::default, sampled).collect();
        let mut rows: Vec<(u64, u32)> = of_document
            .iter_mut()
            .zip(0..)
            .flat_map(|(runs, place)| runs.drain(..).map(move |run| (run, place)))
            .collect();
        rows.par_sort_unstable();
        let n = documents.len();
        let mut runs =
            Self { of_document: vec![Vec::new(); n], groups: Vec::new(), rarity: vec![0.0; n] };
        for group in rows.chunk_by(|left, right| left.0 == right.0) {
            let number = runs.groups.len() as u32;
            let rarity = rarity(n, group.len());
            for row in group {
                runs.of_document[row.1 as usize].push(number);
                runs.rarity[row.1 as usize] += rarity;
            }
            runs.groups.push(group.iter().map(|row| row.1).collect());
        }
        Ok(runs)
    }

    /// The first centers of an order whose neighbors can be looked at.
    fn affordable(&self, order: &[u32]) -> Vec<u32> {
        let mut meetings = 0;
        let is_affordable = |center: &&u32| {
            meetings += self.shared(**center).map(<[u32]>::len).sum::<usize>();
            meetings <= MOST_MEETINGS
        };
        order.iter().take(MOST_CENTERS).take_while(is_affordable).copied().collect()
    }

    /// The groups of a document with others in them.
    fn shared(&self, place: u32) -> impl Iterator<Item = &[u32]> {
        let groups = self.of_document[place as usize].iter();
        let groups = groups.map(|&group| self.groups[group as usize].as_slice());
        groups.filter(|group| (2..=MOST_SHARING).contains(&group.len()))
    }

    /// The neighbors of a center; `met` is a table of zeros, and is left as one.
    fn around(&self, center: u32, texts: &[u64], met: &mut [(f64, u32)]) -> Vec<Neighbor> {
        let mut places = Vec::new();
        for group in self.shared(center) {
            let rarity = rarity(self.of_document.len(), group.len());
            for &place in group {
                let (shared, n) = &mut met[place as usize];
                if *n == 0 {
                    places.push(place);
                }
                *shared += rarity;
                *n += 1;
            }
        }
        let size = |place: u32| self.of_document[place as usize].len() as f64;
        let mut neighbors = Vec::with_capacity(places.len());
        for place in places {
            let (shared, n) = std::mem::take(&mut met[place as usize]);
            // Copies need no measure: every method finds them.
            if place == center || texts[place as usize] == texts[center as usize] {
                continue;
            }
            let n = f64::from(n);
            let plain = n / (size(center) + size(place) - n).max(1.0);
            let all = self.rarity[center as usize] + self.rarity[place as usize] - shared;
            // By runs or by rare runs: what either measure finds alike is drawn.
            neighbors.push(Neighbor { place, estimate: plain.max(shared / all.max(shared)) });
        }
        neighbors
    }
}

/// What a run weighs that so many of all documents have.
fn rarity(n_documents: usize, n_having: usize) -> f64 {
    ((n_documents + 1) as f64 / n_having as f64).ln()
}

/// Of the hashes of a document's runs, those that are looked at, each once.
fn sample(hashes: &mut [u64]) -> Vec<u64> {
    let limit = u64::MAX / RUNS_EACH;
    let n_below = hashes.iter().filter(|hash| **hash < limit).count();
    let n = n_below.max(LOWEST_RUNS.min(hashes.len()));
    if n < hashes.len() {
        hashes.select_nth_unstable(n);
    }
    let mut sample = hashes[..n].to_vec();
    sample.sort_unstable();
    sample.dedup();
    sample
}

/// What a pair is drawn by, given what its documents are drawn by, in either order.
pub fn pair_draw(left: u64, right: u64) -> u64 {
    mix64(left.max(right) ^ mix64(left.min(right)))
}

/// Pairs of one stratum: as many as are kept, at random, and how many there were.
struct Stratum {
    weight: f64,
    kept: Vec<(u64, (u32, u32), f64)>,
    /// What comes later in the order is not kept any more.
    last: u64,
}

impl Stratum {
    fn empty() -> Self {
        Self { weight: 0.0, kept: Vec::new(), last: u64::MAX }
    }

    fn meet(&mut self, order: u64, pair: (u32, u32), weight: f64) {
        self.weight += weight;
        if order > self.last {
            return;
        }
        self.kept.push((order, pair, weight));
        if self.kept.len() >= 8 * KEPT {
            self.thin();
        }
    }

    fn thin(&mut self) {
        self.kept.sort_unstable_by_key(|(order, pair, _)| (*order, *pair));
        self.kept.truncate(KEPT);
        if let Some(last) = self.kept.get(KEPT - 1) {
            self.last = last.0;
        }
    }

    fn finish(mut self) -> Vec<SampledPair> {
        self.thin();
        let kept: f64 = self.kept.iter().map(|(_, _, weight)| weight).sum();
        let times = self.weight / kept.max(f64::MIN_POSITIVE);
        let pair = |(_, pair, weight)| SampledPair { pair, weight: weight * times };
        self.kept.into_iter().map(pair).collect()
    }
}
