//! The joins of the literature for the cosine of sets of words, plainly written: what `vectors` is
//! measured against.
//!
//! `cargo run --release -p lookalike-detect --example vector_joins -- FILE [THRESHOLD]`
//!
//! All-Pairs (Bayardo, Ma, Srikant 2007): words are ordered from rare to frequent; of a document
//! only as many words are indexed and looked up as two documents at the threshold cannot avoid to
//! share one of; what shares one is compared completely. `PPJoin+` (Xiao, Wang, Lin, Yu 2008): the
//! places at which words are shared bound what can still be shared, and halves of the rests are
//! compared before the whole is. Seconds are of the join alone, one thread, words already numbered;
//! compare them with the stages `join` and `cluster` in the `summary.json` of `lookalike find FILE
//! --method vectors --pairs all --threads 1`, which has the same pairs.

use std::collections::HashMap;
use std::error::Error;
use std::fs;
use std::time::Instant;

use lookalike_text::{Analyzer, AnalyzerConfig};

/// How often rests are halved by the suffix filter of `PPJoin+`.
const DEEPEST: usize = 2;

#[expect(clippy::print_stdout, reason = "a program that reports")]
fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("usage: vector_joins FILE [THRESHOLD]")?;
    let threshold: f64 = arguments.next().as_deref().unwrap_or("0.9").parse()?;
    let documents = documents(&fs::read_to_string(&file)?)?;
    println!("{} documents, cosine of words {threshold}", documents.len());
    let mut found = Vec::new();
    for (name, is_positional) in [("All-Pairs", false), ("PPJoin+", true)] {
        let start = Instant::now();
        let joined = join(&documents, threshold, is_positional);
        let seconds = start.elapsed().as_secs_f64();
        let (pairs, compared) = (joined.pairs.len(), joined.n_compared);
        println!("{name:10} {seconds:8.3} s  {compared:10} compared  {pairs:8} pairs");
        found.push(joined.pairs);
    }
    if found[0] != found[1] {
        return Err("the two joins found different pairs".into());
    }
    Ok(())
}

/// The words of each document as numbers, the rare ones first; documents by size.
fn documents(rows: &str) -> Result<Vec<Vec<u32>>, Box<dyn Error>> {
    let analyzer = Analyzer::new(&AnalyzerConfig::default())?;
    let mut documents: Vec<Vec<u64>> = Vec::new();
    let mut frequencies: HashMap<u64, u32> = HashMap::new();
    for row in rows.lines() {
        let row: serde_json::Value = serde_json::from_str(row)?;
        let tokens = analyzer.tokenize(row["text"].as_str().unwrap_or_default());
        let mut words: Vec<u64> = tokens.tokens().iter().map(|token| token.hash).collect();
        words.sort_unstable();
        words.dedup();
        for word in &words {
            *frequencies.entry(*word).or_default() += 1;
        }
        documents.push(words);
    }
    let mut order: Vec<(u32, u64)> = frequencies.into_iter().map(|(word, n)| (n, word)).collect();
    order.sort_unstable();
    let numbers: HashMap<u64, u32> = order.into_iter().map(|(_, word)| word).zip(0..).collect();
    let numbered = |words: Vec<u64>| {
        let mut words: Vec<u32> = words.into_iter().map(|word| numbers[&word]).collect();
        words.sort_unstable();
        words
    };
    let mut documents: Vec<Vec<u32>> = documents.into_iter().map(numbered).collect();
    documents.sort_by_key(Vec::len);
    Ok(documents)
}

/// What a join found.
struct Joined {
    pairs: Vec<(u32, u32)>,
    n_compared: usize,
}

/// Shared words that a document and an earlier one were found to have, and whether more may follow.
#[derive(Clone, Copy, Default)]
struct Candidate {
    n_shared: usize,
    is_excluded: bool,
}

/// Joins documents that come in the order of their sizes.
fn join(documents: &[Vec<u32>], threshold: f64, is_positional: bool) -> Joined {
    let n_words = documents.iter().flatten().max().map_or(0, |last| *last as usize + 1);
    let mut index: Vec<Vec<(u32, u32)>> = vec![Vec::new(); n_words];
    let mut joined = Joined { pairs: Vec::new(), n_compared: 0 };
    for (number, document) in documents.iter().enumerate() {
        let size = document.len();
        // A hair less than the bound, so that rounding misses nothing.
        let at_least = |share: f64| (share * size as f64 - 1e-9).ceil() as usize;
        let least_size = at_least(threshold * threshold);
        let mut candidates: HashMap<u32, Candidate> = HashMap::new();
        for (place, word) in document.iter().enumerate().take((size + 1).saturating_sub(least_size))
        {
            for &(other, other_place) in &index[*word as usize] {
                let earlier = &documents[other as usize];
                if earlier.len() < least_size {
                    continue;
                }
                let candidate = candidates.entry(other).or_default();
                if candidate.is_excluded {
                    continue;
                }
                candidate.n_shared += 1;
                if is_positional {
                    let rests = [&document[place + 1..], &earlier[other_place as usize + 1..]];
                    let needed = needed(threshold, size, earlier.len());
                    candidate.is_excluded = !may_share(*candidate, rests, needed);
                }
            }
        }
        let mut left: Vec<u32> = candidates
            .iter()
            .filter(|(_, found)| !found.is_excluded)
            .map(|found| *found.0)
            .collect();
        left.sort_unstable();
        joined.n_compared += left.len();
        for other in left {
            let earlier = &documents[other as usize];
            if n_shared(document, earlier) >= needed(threshold, size, earlier.len()) {
                joined.pairs.push((other, number as u32));
            }
        }
        let n_indexed = (size + 1).saturating_sub(at_least(threshold));
        for (place, word) in document.iter().enumerate().take(n_indexed) {
            index[*word as usize].push((number as u32, place as u32));
        }
    }
    joined
}

/// The fewest shared words of documents of these sizes at the threshold.
fn needed(threshold: f64, left: usize, right: usize) -> usize {
    (threshold * (left as f64 * right as f64).sqrt() - 1e-9).ceil() as usize
}

/// Whether a candidate may still share enough, by the sizes of the rests and, at the first shared
/// word, by their halves.
fn may_share(candidate: Candidate, [left, right]: [&[u32]; 2], needed: usize) -> bool {
    if candidate.n_shared + left.len().min(right.len()) < needed {
        return false;
    }
    if candidate.n_shared > 1 {
        return true;
    }
    let most_differing = left.len() + right.len() + 2 * candidate.n_shared;
    let most_differing = most_differing.saturating_sub(2 * needed);
    fewest_differing(left, right, most_differing, 1) <= most_differing
}

/// A lower bound of the words that only one of two documents has: those of the halves before and
/// behind the middle word of one of them (the suffix filter).
fn fewest_differing(left: &[u32], right: &[u32], most: usize, depth: usize) -> usize {
    let by_size = left.len().abs_diff(right.len());
    if depth > DEEPEST || left.is_empty() || right.is_empty() {
        return by_size;
    }
    let middle = right[right.len() / 2];
    let halves = |words: &[u32]| {
        let at = words.partition_point(|word| *word < middle);
        let has_it = words.get(at) == Some(&middle);
        (at, at + usize::from(has_it), usize::from(!has_it))
    };
    let (left_end, left_start, misses) = halves(left);
    let (right_end, right_start, _) = halves(right);
    let by_halves = left_end.abs_diff(right_end)
        + (left.len() - left_start).abs_diff(right.len() - right_start)
        + misses;
    if by_halves > most {
        return by_halves;
    }
    let (before, behind) =
        ((&left[..left_end], &right[..right_end]), (&left[left_start..], &right[right_start..]));
    let first = fewest_differing(before.0, before.1, most, depth + 1);
    first + fewest_differing(behind.0, behind.1, most, depth + 1) + misses
}

fn n_shared(left: &[u32], right: &[u32]) -> usize {
    let (mut i, mut j, mut n_shared) = (0, 0, 0);
    while i < left.len() && j < right.len() {
        n_shared += usize::from(left[i] == right[j]);
        let (l, r) = (left[i], right[j]);
        i += usize::from(l <= r);
        j += usize::from(r <= l);
    }
    n_shared
}
