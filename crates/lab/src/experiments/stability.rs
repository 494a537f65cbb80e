//! Predicted against simulated survival of signatures under edits, and Table 4 of the 2008 paper.

use std::sync::Arc;

use lookalike_detect::random::SplitMix64;
use lookalike_detect::{Artifacts, Detector, Scratch};
use lookalike_learn::{Cell, Outcome, Plot, Table};
use lookalike_statistics::{Statistics, StatisticsBuilder};
use lookalike_text::{AnalyzerConfig, Document, term_hash};

use super::imatch::with_bags;
use crate::LabError;
use crate::sampling::sample;
use crate::stability::{
    BOOTSTRAP_DROP, as_printed, expected_lexicons, lexicons_needed, stability, survival,
    survival_exact,
};

/// What is simulated.
#[derive(Clone, Debug)]
pub struct StabilityOptions {
    /// The numbers of randomized lexicons K.
    pub bags: Vec<usize>,
    /// The shares of terms dropped p; `None` is a bootstrap sample.
    pub drops: Vec<Option<f64>>,
    /// The numbers of edited lexicon terms n.
    pub edits: Vec<u32>,
    /// Terms in the lexicon.
    pub lexicon: usize,
    /// Lexicon terms in a document.
    pub document: usize,
    /// Documents signed before and after editing, for each p and n.
    pub trials: usize,
    /// Seed of everything random.
    pub seed: u64,
}

impl Default for StabilityOptions {
    fn default() -> Self {
        Self {
            bags: vec![1, 2, 5, 10, 20],
            drops: vec![None, Some(0.33), Some(0.5)],
            edits: vec![1, 2, 3, 5],
            lexicon: 10_000,
            document: 200,
            trials: 2_000,
            seed: 1,
        }
    }
}

/// Documents signed with the same draw of lexicons, before others are drawn.
const TRIALS_A_DRAW: usize = 100;
/// The quantile of the normal distribution for a 99 % confidence interval.
const QUANTILE_99: f64 = 2.576;

/// Simulates, and compares with Eq. 1 and its exact hypergeometric form.
pub fn run(options: &StabilityOptions) -> Result<Outcome, LabError> {
    let laboratory = Laboratory::new(options)?;
    let mut table = Table::new(
        "Stability of signatures under edits: Eq. 1 against simulation",
        &[
            "drop",
            "edits",
            "bags",
            "predicted",
            "predicted_exact",
            "simulated",
            "low",
            "high",
            "within",
        ],
    );
    let mut plot = Plot::new("Stability of I-Match signatures", "edited terms", "stability");
    for drop in &options.drops {
        let share = drop.unwrap_or(BOOTSTRAP_DROP);
        for n_edits in &options.edits {
            let survived = laboratory.simulate(*drop, *n_edits)?;
            for (n_bags, survived) in options.bags.iter().zip(survived) {
                let one = survival(share, *n_edits);
                let dropped = (share * options.lexicon as f64).round() as u64;
                let one_exact = survival_exact(options.lexicon as u64, dropped, *n_edits);
                let predicted = stability(one, *n_bags as u32);
                let (low, high) = wilson_interval(survived, options.trials);
                table.push(vec![
                    drop.map_or_else(|| "bootstrap".into(), |drop| drop.to_string().into()),
                    u64::from(*n_edits).into(),
                    (*n_bags).into(),
                    Cell::Real(predicted, 4),
                    Cell::Real(stability(one_exact, *n_bags as u32), 4),
                    Cell::Real(survived as f64 / options.trials.max(1) as f64, 4),
                    Cell::Real(low, 4),
                    Cell::Real(high, 4),
                    (low <= predicted && predicted <= high).into(),
                ]);
            }
        }
        for n_bags in &options.bags {
            let curve = |n_edits| stability(survival(share, n_edits), *n_bags as u32);
            let points = (0..=10).map(|n_edits| (f64::from(n_edits), curve(n_edits))).collect();
            plot.push(format!("{n_bags} lexicons, {share:.2} dropped"), points);
        }
    }
    table.note(format!(
        "{} documents of {} lexicon terms for each row, out of a lexicon of {}; low and high are the 99 % \
         confidence interval of the simulation.",
        options.trials, options.document, options.lexicon
    ));
    let further = vec![("table_4", table_4())];
    Ok(Outcome { table, further, plot: Some(plot) })
}

/// Table 4 of the paper: the expected number of lexicons until a signature survives n edits.
pub fn table_4() -> Table {
    let mut table = Table::new(
        "Expected number of lexicons for perfect recall (Table 4, 2008)",
        &["lexicon", "n_2", "n_5", "n_10", "n_20", "n_50"],
    );
    for lexicon in [1_000u64, 10_000, 100_000] {
        let mut row: Vec<Cell> = vec![lexicon.into()];
        row.extend([2, 5, 10, 20, 50].map(|n_edits| {
            Cell::Real(as_printed(expected_lexicons(lexicon, lexicon * 33 / 100, n_edits)), 2)
        }));
        table.push(row);
    }
    table.note(
        "Eq. 6 with M = 0.33 L as the number of terms kept: the printed table, although the text says \
         that M terms are dropped. Rounded as the paper rounded, to three decimals and then to two.",
    );
    table
}

/// How many lexicons keep a signature with probability `wanted` under `n_edits` edits.
pub fn plan(n_edits: u32, wanted: f64, drops: &[Option<f64>]) -> Table {
    let mut table =
        Table::new("Lexicons needed", &["drop", "edits", "stability", "lexicons", "reached"]);
    for drop in drops {
        let one = survival(drop.unwrap_or(BOOTSTRAP_DROP), n_edits);
        let needed = lexicons_needed(one, wanted);
        let reached = needed.map(|needed| stability(one, needed.min(u64::from(u32::MAX)) as u32));
        table.push(vec![
            drop.map_or_else(|| "bootstrap".into(), |drop| drop.to_string().into()),
            u64::from(n_edits).into(),
            Cell::Real(wanted, 3),
            needed.map_or(Cell::Missing, Cell::Count),
            reached.map_or(Cell::Missing, |reached| Cell::Real(reached, 4)),
        ]);
    }
    table
}

/// Terms and statistics in which every term is in the lexicon.
struct Laboratory<'a> {
    options: &'a StabilityOptions,
    terms: Vec<String>,
    statistics: Arc<Statistics>,
}

impl<'a> Laboratory<'a> {
    fn new(options: &'a StabilityOptions) -> Result<Self, LabError> {
        if options.document + options.edits.iter().max().map_or(0, |n| *n as usize)
            > options.lexicon
        {
            return Err(LabError::Option {
                option: "lexicon",
                value: options.lexicon.to_string(),
                expected: "it must hold the terms of a document and all edits",
            });
        }
        let terms: Vec<String> = (0..options.lexicon).map(invented_term).collect();
        let hashes: Vec<u64> = terms.iter().map(|term| term_hash(term)).collect();
        let analyzer = with_bags(&parameters(None, 0), 0)?.analyzer().clone();
        let statistics = Arc::new(middling_statistics(analyzer, &hashes));
        Ok(Self { options, terms, statistics })
    }

    /// For each number of bags, in how many trials a signature survived.
    fn simulate(&self, drop: Option<f64>, n_edits: u32) -> Result<Vec<usize>, LabError> {
        let mut random = SplitMix64::new(self.options.seed ^ u64::from(n_edits));
        let mut survived = vec![0; self.options.bags.len()];
        let mut scratch = Scratch::default();
        let mut detectors = Vec::new();
        for trial in 0..self.options.trials {
            if trial % TRIALS_A_DRAW == 0 {
                detectors = self.detectors(drop, random.next_u64() >> 1)?;
            }
            let (before, after) = self.edited_document(n_edits as usize, &mut random);
            for (detector, survived) in detectors.iter().zip(&mut survived) {
                let mut sign = |text: &str| {
                    let signed = detector.sign(&Document::from_text(text), &mut scratch);
                    signed.map_or(Vec::new(), |signed| signed.keys)
                };
                let (before, after) = (sign(&before), sign(&after));
                *survived += usize::from(before.iter().any(|key| after.contains(key)));
            }
        }
        Ok(survived)
    }

    fn detectors(&self, drop: Option<f64>, seed: u64) -> Result<Vec<Detector>, LabError> {
        let artifacts = Artifacts::with_statistics(Arc::clone(&self.statistics));
        let build = |n_bags: &usize| {
            let config = with_bags(&parameters(drop, seed), *n_bags)?;
            Ok(config.build(&artifacts)?)
        };
        self.options.bags.iter().map(build).collect()
    }

    /// A random document, and the same with random lexicon terms added or taken away.
    fn edited_document(&self, n_edits: usize, random: &mut SplitMix64) -> (String, String) {
        let n_terms = self.options.document;
        let mut chosen = sample(self.terms.len(), n_terms + n_edits, random);
        random.shuffle(&mut chosen);
        let text = |numbers: &[usize]| {
            let terms: Vec<&str> = numbers.iter().map(|n| self.terms[*n].as_str()).collect();
            terms.join(" ")
        };
        // The first terms may go, the last ones may come: each edit is one or the other.
        let n_added = (0..n_edits).filter(|_| random.next_below(2) == 0).count();
        let n_removed = n_edits - n_added;
        (text(&chosen[..n_terms]), text(&chosen[n_removed..n_terms + n_added]))
    }
}

/// I-Match that signs whatever lexicon terms a document has.
fn parameters(drop: Option<f64>, seed: u64) -> toml::Table {
    let rule = drop.map_or_else(|| "bootstrap".to_owned(), |drop| format!("drop:{drop}"));
    let mut table = toml::toml! { rule = "IDFR-I-20-80" };
    table.insert("bag-rule".into(), rule.into());
    table.insert("seed".into(), (seed as i64).into());
    table
}

/// A word of letters only, so that no analyzer drops it.
fn invented_term(mut number: usize) -> String {
    let mut term = String::from("lex");
    for _ in 0..5 {
        term.push(char::from(b'a' + (number % 26) as u8));
        number /= 26;
    }
    term
}

/// Statistics in which each term is in 30 of 1,000 documents: a nidf of 0.51.
fn middling_statistics(analyzer: AnalyzerConfig, hashes: &[u64]) -> Statistics {
    const N_DOCUMENTS: usize = 1_000;
    const FREQUENCY: usize = 30;
    let mut documents = vec![Vec::new(); N_DOCUMENTS];
    for (number, hash) in hashes.iter().enumerate() {
        for place in 0..FREQUENCY {
            // 33 and 1,000 have no common divisor: thirty different documents.
            documents[(number * 7 + place * 33) % N_DOCUMENTS].push(*hash);
        }
    }
    let mut builder = StatisticsBuilder::new(analyzer);
    for document in &documents {
        builder.add_distinct(document, document.len() as u64);
    }
    builder.finish()
}

/// The 99 % confidence interval of a share (Wilson 1927).
fn wilson_interval(successes: usize, trials: usize) -> (f64, f64) {
    if trials == 0 {
        return (0.0, 1.0);
    }
    let (n, share) = (trials as f64, successes as f64 / trials as f64);
    let square = QUANTILE_99 * QUANTILE_99;
    let center = (share + square / (2.0 * n)) / (1.0 + square / n);
    let half = QUANTILE_99 / (1.0 + square / n)
        * (share * (1.0 - share) / n + square / (4.0 * n * n)).sqrt();
    (center - half, center + half)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_simulation_agrees_with_equation_1() {
        let options = StabilityOptions { trials: 400, document: 60, ..Default::default() };
        let json = run(&options).unwrap().table.to_json();
        let rows = json.as_array().unwrap();
        assert_eq!(rows.len(), 60);
        let outside: Vec<_> = rows.iter().filter(|row| row["within"] == false).collect();
        // One row in a hundred may lie outside its 99 % interval by chance.
        assert!(outside.len() <= 2, "{outside:?}");
    }

    #[test]
    fn the_plan_answers_how_many_lexicons() {
        let table = plan(5, 0.9, &[None, Some(0.33)]);
        let needed = table.numbers("lexicons");
        assert_eq!(needed, [Some(341.0), Some(588.0)]);
    }

    #[test]
    fn a_document_too_large_for_the_lexicon_is_refused() {
        let options = StabilityOptions { lexicon: 10, ..Default::default() };
        assert!(run(&options).unwrap_err().to_string().contains("lexicon = 10"));
    }
}
