//! Randomized lexicons: which terms belong to which of K bags.
//!
//! Membership is a pure function of seed, bag and term, so no lexicon is ever copied: one mixed
//! word of 64 bits decides on four bags, 16 bits each.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::random::mix64;

/// How a bag is drawn from the lexicon; as text `bootstrap` or `drop:0.33`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum BagRule {
    /// As many draws with replacement as there are terms: each term is kept with probability
    /// 1 - 1/e, about 63.2 % (the paper says 67 %).
    #[default]
    Bootstrap,
    /// Each term is dropped with this probability: the p of the paper's Eq. 1.
    Drop(f64),
}

impl BagRule {
    /// The probability that a bag keeps a term.
    pub fn kept_fraction(self) -> f64 {
        match self {
            Self::Bootstrap => 1.0 - (-1.0f64).exp(),
            Self::Drop(fraction) => 1.0 - fraction,
        }
    }
}

impl fmt::Display for BagRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bootstrap => f.write_str("bootstrap"),
            Self::Drop(fraction) => write!(f, "drop:{fraction}"),
        }
    }
}

impl FromStr for BagRule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let dropped = |fraction: &str| fraction.parse().ok().filter(|f| (0.0..1.0).contains(f));
        match text.strip_prefix("drop:").map(dropped) {
            Some(Some(fraction)) => Ok(Self::Drop(fraction)),
            None if text == "bootstrap" => Ok(Self::Bootstrap),
            _ => Err(format!(
                "`{text}` is no bag rule; write bootstrap, or drop:P with P from 0 to below 1"
            )),
        }
    }
}

impl TryFrom<String> for BagRule {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<BagRule> for String {
    fn from(rule: BagRule) -> Self {
        rule.to_string()
    }
}

/// How many bags one mixed word decides on.
pub(crate) const BAGS_A_WORD: usize = 4;

/// K randomized lexicons.
#[derive(Clone, Debug)]
pub struct Bags {
    count: usize,
    word_seeds: Vec<u64>,
    /// A bag keeps a term when its 16 bits are below this.
    threshold: u64,
}

impl Bags {
    /// `count` lexicons drawn by `rule`.
    pub fn new(count: usize, rule: BagRule, seed: u64) -> Self {
        let word_seed = |word: usize| mix64(mix64(seed).wrapping_add(word as u64 + 1));
        Self {
            count,
            word_seeds: (0..count.div_ceil(BAGS_A_WORD)).map(word_seed).collect(),
            threshold: (rule.kept_fraction() * 65_536.0).round() as u64,
        }
    }

    /// How many bags there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Whether a bag, counted from 0, keeps a term.
    pub fn keeps(&self, bag: usize, term: u64) -> bool {
        let lanes = self.lanes(self.word_seeds[bag / BAGS_A_WORD], term);
        lanes[bag % BAGS_A_WORD] != 0
    }

    /// The seeds of the words, one for every four bags.
    pub(crate) fn word_seeds(&self) -> &[u64] {
        &self.word_seeds
    }

    /// For the four bags of a word: all ones where the bag keeps the term, else 0.
    #[inline]
    pub(crate) fn lanes(&self, word_seed: u64, term: u64) -> [u64; BAGS_A_WORD] {
        let word = mix64(word_seed ^ term);
        let lane = |n: u32| u64::from((word >> (16 * n)) & 0xffff < self.threshold).wrapping_neg();
        [lane(0), lane(1), lane(2), lane(3)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bags_keep_the_fraction_their_rule_says_and_differ() {
        for (rule, kept) in [("bootstrap", 0.632), ("drop:0.33", 0.67), ("drop:0", 1.0)] {
            let bags = Bags::new(10, rule.parse().unwrap(), 1);
            let mut together = 0;
            for bag in 0..10 {
                let n_kept = (0..10_000).filter(|&term| bags.keeps(bag, mix64(term))).count();
                assert!((n_kept as f64 / 10_000.0 - kept).abs() < 0.02, "{rule}: {n_kept}");
                let both = |&term: &u64| bags.keeps(bag, term) && bags.keeps((bag + 1) % 10, term);
                together += (0..10_000).map(mix64).filter(both).count();
            }
            assert!((together as f64 / 100_000.0 - kept * kept).abs() < 0.02, "{rule}");
        }
    }

    #[test]
    fn membership_does_not_depend_on_the_number_of_bags() {
        let (few, many) =
            (Bags::new(2, BagRule::Bootstrap, 5), Bags::new(9, BagRule::Bootstrap, 5));
        for term in (0..100).map(mix64) {
            assert_eq!(few.keeps(1, term), many.keeps(1, term));
        }
    }

    #[test]
    fn rules_are_read_and_written() {
        for text in ["bootstrap", "drop:0.33"] {
            assert_eq!(text.parse::<BagRule>().unwrap().to_string(), text);
        }
        for text in ["", "drop", "drop:1", "drop:-0.1", "bag"] {
            assert!(text.parse::<BagRule>().is_err(), "{text}");
        }
    }
}
