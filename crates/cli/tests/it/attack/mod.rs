//! The program under attack. Each file is one way to attack it; all of them run in a short form with
//! the other tests, and in a long form with `scripts/attack`.
//!
//! To add one: a file here with tests that take their number of rounds from [`rounds`] and their
//! choices from [`Chance`], so that a failure can be had again.

mod accounting;
mod bombs;
mod damage;
mod determinism;
mod full_disk;
mod kills;

use std::fmt::Write as _;

use serde_json::json;

/// How often something is tried: in the short form, and in that of `scripts/attack`.
fn rounds(short: usize, long: usize) -> usize {
    if std::env::var("LOOKALIKE_ATTACK").is_ok_and(|form| form == "long") { long } else { short }
}

/// Numbers that look random and are the same in every run (splitmix64).
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }
}

/// Rows of families of four: a text, two edits of it and a copy. `rank` is unique.
fn families(n_families: usize) -> Vec<String> {
    let mut chance = Chance(7);
    let mut rows = Vec::new();
    for family in 0..n_families {
        let mut words: Vec<String> =
            (0..90).map(|_| format!("w{}", chance.below(400) + family * 50)).collect();
        for member in 0..4 {
            if member == 1 || member == 2 {
                words[member * 13] = format!("edit{family}x{member}");
            }
            let mut text = String::new();
            for (place, word) in words.iter().enumerate() {
                let end = if place % 15 == 14 { ". The " } else { " " };
                let _ = write!(text, "{word}{end}");
            }
            let rank = (family * 4 + member) * 37 % (n_families * 4);
            let id = format!("{family}-{member}");
            rows.push(format!(
                "{}\n",
                json!({"id": id, "text": text, "rank": rank, "cluster": family})
            ));
        }
    }
    rows
}
