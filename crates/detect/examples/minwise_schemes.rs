//! Bias, spread, candidate recall and cost of three ways to take minima of a set.
//!
//! `cargo run --release -p lookalike-detect --example minwise_schemes`

use std::fs;

use lookalike_detect::random::{SplitMix64, mix64};
use lookalike_detect::sign::{Banding, MinwiseBins};

const N_BINS: usize = 130;
const BANDING: Banding = Banding { bands: 26, rows: 5 };
const TRIALS: u64 = 2_000;

/// A scheme fills bins from elements under a seed.
type Scheme = fn(&[u64], u64, &mut Vec<u64>);

const SCHEMES: [(&str, Scheme); 3] = [
    ("one order a bin", classical),
    ("one permutation, densified", densified),
    ("fast similarity sketching", |elements, seed, bins| {
        MinwiseBins::new(N_BINS, seed).fill(elements, bins);
    }),
];

/// Broder's: every element under every order.
fn classical(elements: &[u64], seed: u64, bins: &mut Vec<u64>) {
    let minimum = |bin: u64| {
        let key = mix64(seed ^ mix64(bin));
        elements.iter().map(|element| mix64(element ^ key)).min().unwrap_or(u64::MAX)
    };
    bins.clear();
    bins.extend((0..N_BINS as u64).map(minimum));
}

/// One throw an element; an empty bin copies a random full one (Shrivastava 2017).
fn densified(elements: &[u64], seed: u64, bins: &mut Vec<u64>) {
    bins.clear();
    bins.resize(N_BINS, u64::MAX);
    let key = mix64(seed);
    for element in elements {
        let hash = mix64(element ^ key);
        let bin = (((hash >> 32) * N_BINS as u64) >> 32) as usize;
        bins[bin] = bins[bin].min(hash & 0xffff_ffff);
    }
    let full: Vec<u64> = bins.clone();
    for (bin, value) in bins.iter_mut().enumerate().filter(|(_, value)| **value == u64::MAX) {
        let mut attempt = 0;
        while *value == u64::MAX {
            let hash = mix64(key ^ mix64((bin as u64) << 32 | attempt));
            *value = full[(((hash >> 32) * N_BINS as u64) >> 32) as usize];
            attempt += 1;
        }
    }
}

#[expect(clippy::print_stdout, reason = "a program that reports")]
fn main() {
    println!("{N_BINS} bins, {} bands of {}, {TRIALS} pairs a row", BANDING.bands, BANDING.rows);
    println!(
        "| scheme | elements | Jaccard | bias | mean squared error / J(1-J)/bins | found | curve | ns a set |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|");
    for (shared, own) in [(7, 1), (14, 3), (35, 7), (70, 15), (350, 75), (1400, 300)] {
        for (name, scheme) in SCHEMES {
            report(name, scheme, shared, own);
        }
    }
}

/// Measures a scheme on random pairs of sets with so many shared elements and own ones each.
#[expect(clippy::print_stdout, reason = "a program that reports")]
fn report(name: &str, scheme: Scheme, shared: usize, own: usize) {
    let jaccard = shared as f64 / (shared + 2 * own) as f64;
    let mut generator = SplitMix64::new(7);
    let (mut sum, mut squares, mut found) = (0.0, 0.0, 0);
    let (mut left_bins, mut right_bins) = (Vec::new(), Vec::new());
    for seed in 0..TRIALS {
        let elements: Vec<u64> = (0..shared + 2 * own).map(|_| generator.next_u64()).collect();
        scheme(&elements[own..], seed, &mut left_bins);
        scheme(&elements[..shared + own], seed, &mut right_bins);
        let agreeing = left_bins.iter().zip(&right_bins).filter(|(l, r)| l == r).count();
        let error = agreeing as f64 / N_BINS as f64 - jaccard;
        sum += error;
        squares += error * error;
        let (mut left, mut right) = (Vec::new(), Vec::new());
        BANDING.keys(seed, &left_bins, &mut left);
        BANDING.keys(seed, &right_bins, &mut right);
        found += usize::from(left.iter().zip(&right).any(|(l, r)| l == r));
    }
    let elements: Vec<u64> = (0..shared + own).map(|_| generator.next_u64()).collect();
    let start = cpu_seconds();
    for seed in 0..10 * TRIALS {
        scheme(&elements, seed, &mut left_bins);
    }
    let seconds = cpu_seconds() - start;
    let trials = TRIALS as f64;
    let ideal = jaccard * (1.0 - jaccard) / N_BINS as f64;
    println!(
        "| {name} | {} | {jaccard:.3} | {:+.4} | {:.2} | {:.4} | {:.4} | {:.0} |",
        shared + own,
        sum / trials,
        squares / trials / ideal,
        found as f64 / trials,
        BANDING.detection(jaccard),
        seconds / trials / 10.0 * 1e9,
    );
}

/// Seconds this thread has spent on a processor; the machine may be shared.
fn cpu_seconds() -> f64 {
    let schedule = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = schedule.split(' ').next().and_then(|field| field.parse::<f64>().ok());
    nanoseconds.unwrap_or_default() / 1e9
}
