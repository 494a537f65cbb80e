//! How large the numbers among the parameters may be, whatever the method.
//!
//! A method refuses what it cannot work with; these bounds keep a number that nobody can mean from
//! taking memory or time without end. A numeric parameter that is not listed here fails a test.

use toml::Value;

/// A key, its largest value, and the sentence that says so.
pub type Bound = (&'static str, f64, &'static str);

/// Lists keys with their largest values; none of them may be negative.
#[macro_export]
macro_rules! bounds {
    ($($name:literal <= $most:literal,)+) => {
        &[$((
            $name,
            {
                let most: u64 = $most;
                most as f64
            },
            concat!("a number between 0 and ", $most),
        ),)+]
    };
}

/// The bounds of the parameters of all methods, by their paths, aliases among them.
pub const PARAMETER_BOUNDS: &[Bound] = crate::bounds! {
    // Words, sentences and paragraphs.
    "ngram" <= 1000,
    "ngram-size" <= 1000,
    "ngram_size" <= 1000,
    "run" <= 1000000,
    "length" <= 100,
    "min-words" <= 1000000,
    "min-spots" <= 100,
    "min-terms" <= 1000000,
    "bag-min-terms" <= 1000000,
    "min-distinct" <= 1000000,
    "min-matches" <= 1000000,
    "sentences" <= 1000000,
    "max-sentences" <= 1000000,
    "max-keywords" <= 1000000,
    "active-terms" <= 1000000,
    "secondary-size" <= 1000000000,
    "analyzer.min-characters" <= 1000,
    "analyzer.max-digits" <= 1000,
    // Signatures and their keys.
    "permutations" <= 65536,
    "num-perm" <= 65536,
    "num_perm" <= 65536,
    "bands" <= 65536,
    "rows" <= 65536,
    "num-buckets" <= 65536,
    "num_buckets" <= 65536,
    "hashes-per-bucket" <= 65536,
    "hashes_per_bucket" <= 65536,
    "groups" <= 64,
    "required" <= 3,
    "samples" <= 65536,
    "value-bits" <= 64,
    "bits" <= 65536,
    "hash-bits" <= 65536,
    "hash_bits" <= 65536,
    "distance" <= 65536,
    "bit-diff" <= 65536,
    "bit_diff" <= 65536,
    "max-distance" <= 64,
    "bags" <= 1000,
    "modulus" <= 1000000000,
    "seed" <= 9223372036854775807,
    // Scores and weights.
    "threshold" <= 1,
    "jaccard-threshold" <= 1,
    "jaccard_threshold" <= 1,
    "recall" <= 1,
    "min-share" <= 1,
    "weights.keyword" <= 1000000,
    "weights.length" <= 1000000,
    "weights.position" <= 1000000,
};

/// The first number of a table, or of one inside it, that lies outside its bounds: the parameter,
/// the number, and what it may be.
pub fn out_of_bounds(
    table: &toml::Table,
    bounds: &[Bound],
) -> Option<(&'static str, String, &'static str)> {
    out_of_bounds_within(table, bounds, "")
}

fn out_of_bounds_within(
    table: &toml::Table,
    bounds: &[Bound],
    path: &str,
) -> Option<(&'static str, String, &'static str)> {
    table.iter().find_map(|(key, value)| {
        let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        let number = match value {
            Value::Table(inner) => return out_of_bounds_within(inner, bounds, &path),
            Value::Integer(number) => *number as f64,
            Value::Float(number) => *number,
            _ => return None,
        };
        let &(name, most, expected) = bounds.iter().find(|(name, ..)| *name == path)?;
        (!(0.0..=most).contains(&number)).then(|| (name, value.to_string(), expected))
    })
}
