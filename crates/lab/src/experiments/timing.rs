//! How long methods take on one collection, as ratios to I-Match (Tables VII and VIII of the 2002
//! paper: DSC almost 9 times, DSC-SS 5 to 6 times the time of I-Match).
//!
//! Each is run as `find` runs it, on one thread; reading the documents and counting terms are left
//! out, as collection statistics are made once and kept.

use lookalike_detect::DetectorConfig;
use lookalike_detect::represent::RetentionRule;
use lookalike_learn::compare::ComparedMethod;
use lookalike_learn::{Cell, Collection, Outcome, Table};

use super::imatch::with_rule;
use super::shortdocs::RUNS;
use crate::LabError;
use crate::find_run::{FindRun, Finder};

/// The first is what the others are measured against: I-Match as in the papers, with one lexicon.
/// Then with the 2002 paper's own rule and digest, and with ten lexicons.
const METHODS: &[&str] =
    &["imatch:bags=0", "imatch:rule=IDF-L-10", "imatch:bags=10", "syntactic", "dsc-ss", "dsc"];

/// The thresholds of DSC in the paper.
const DSC_THRESHOLDS: &[f64] = &[0.5, 0.6, 0.7, 0.8, 0.9];

/// Rounds in which every method runs once. Its fastest run counts: a busy machine only ever makes
/// a run slower, and going round lets a slow spell hit all methods alike.
const ROUNDS: usize = 5;

/// Times the methods, and the paper's experiments with each of its algorithms.
pub fn run(collection: &Collection) -> Result<Outcome, LabError> {
    let config = |name: &&str| ComparedMethod::parse(name).map(|method| method.config);
    let configs: Vec<DetectorConfig> = METHODS.iter().map(config).collect::<Result<_, _>>()?;
    let mut finder = Finder::new(collection)?;
    let mut fastest: Vec<FindRun> = Vec::new();
    for round in 0..ROUNDS {
        for (number, config) in configs.iter().enumerate() {
            let run = finder.run(collection, config)?;
            match round {
                0 => fastest.push(run),
                _ => fastest[number] = fastest[number].or_faster(run),
            }
        }
    }
    let columns = [
        "method",
        "sign_seconds",
        "join_seconds",
        "times_imatch_signing",
        "times_imatch",
        "pairs",
        "ignored",
    ];
    let mut table = Table::new("Time to sign and join, beside I-Match", &columns);
    let times = |seconds: f64, imatch: f64| Cell::Real(seconds / imatch.max(1e-9), 2);
    for (name, run) in METHODS.iter().zip(&fastest) {
        table.push(vec![
            (*name).into(),
            run.sign_seconds.into(),
            run.join_seconds.into(),
            times(run.sign_seconds, fastest[0].sign_seconds),
            times(run.seconds(), fastest[0].seconds()),
            run.n_pairs.into(),
            run.n_ignored.into(),
        ]);
    }
    table.note(format!(
        "{} documents; the fastest of {ROUNDS} runs on one thread as find runs them, all pairs \
         wanted, without reading and without collection statistics.",
        collection.len()
    ));
    let further = vec![("experiments", experiments(&mut finder, collection)?)];
    Ok(Outcome { further, ..table.into() })
}

/// Mean, deviation and median over all experiments of the paper with each algorithm.
fn experiments(finder: &mut Finder, collection: &Collection) -> Result<Table, LabError> {
    let named = |names: Vec<String>| -> Result<Vec<DetectorConfig>, LabError> {
        names.iter().map(|name| Ok(ComparedMethod::parse(name)?.config)).collect()
    };
    let thresholds = DSC_THRESHOLDS.iter().map(|threshold| format!("dsc:threshold={threshold}"));
    let runs = RUNS.iter().map(|run| format!("dsc-ss:run={run}"));
    let rules = RetentionRule::of_the_paper().into_iter().map(with_rule);
    let algorithms = [
        ("DSC", named(thresholds.collect())?, [31838.2, 807.9, 30862.5]),
        ("DSC-SS", named(runs.collect())?, [24514.7, 1042.1, 24475.5]),
        ("I-Match", rules.collect::<Result<_, _>>()?, [3815.8, 975.8, 3598.8]),
        ("Syntactic", named(vec!["syntactic".to_owned()])?, [65.0, f64::NAN, f64::NAN]),
    ];
    let mut table = Table::new(
        "Seconds over the paper's experiments (Tables VII and VIII, 2002)",
        &[
            "algorithm",
            "experiments",
            "mean",
            "deviation",
            "median",
            "paper_mean",
            "paper_deviation",
            "paper_median",
        ],
    );
    for (name, configs, paper) in algorithms {
        let seconds = configs.iter().map(|config| Ok(finder.run(collection, config)?.seconds()));
        let seconds: Vec<f64> = seconds.collect::<Result<_, LabError>>()?;
        let mut row: Vec<Cell> = vec![name.into(), seconds.len().into()];
        let ours = Spread::of(seconds);
        row.extend([ours.mean.into(), ours.deviation.map_or(Cell::Missing, Cell::from)]);
        row.push(ours.median.into());
        let known = |value: f64| if value.is_nan() { Cell::Missing } else { Cell::Real(value, 1) };
        row.extend(paper.map(known));
        table.push(row);
    }
    table.note("Each experiment once. The paper's columns are its Table VIII, 2 GB of web pages.");
    Ok(table)
}

/// Where values lie.
struct Spread {
    mean: f64,
    /// Of a sample; a single value has none.
    deviation: Option<f64>,
    median: f64,
}

impl Spread {
    fn of(mut values: Vec<f64>) -> Self {
        values.sort_by(f64::total_cmp);
        let n = values.len().max(1);
        let mean = values.iter().sum::<f64>() / n as f64;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let at = |place: usize| values.get(place).copied().unwrap_or(0.0);
        let median = f64::midpoint(at((n - 1) / 2), at(n / 2));
        Self { mean, deviation: (n > 1).then(|| (squares / (n - 1) as f64).sqrt()), median }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lookalike_learn::LabelledText;

    #[test]
    fn every_method_has_a_row_and_the_first_is_the_yardstick() {
        let words = |number: usize| {
            let letter = |value: usize| char::from(b'a' + (value % 26) as u8);
            let word = |place: usize| format!("word{}{}", letter(number), letter(place));
            (0..26).map(word).collect::<Vec<_>>().join(" ")
        };
        let document = |number: usize| LabelledText {
            id: number.to_string(),
            // Each text twice, so that every method has pairs to find.
            text: words(number / 2),
            ..LabelledText::default()
        };
        let documents = (0..40).map(document).collect();
        let outcome = run(&Collection { documents, n_unreadable: 0 }).unwrap();
        let (name, experiments) = &outcome.further[0];
        assert_eq!(*name, "experiments");
        let experiments = experiments.to_json();
        let counts: Vec<u64> =
            (0..4).map(|row| experiments[row]["experiments"].as_u64().unwrap()).collect();
        assert_eq!(counts, [5, 10, 52, 1]);
        assert!(experiments[2]["median"].as_f64().unwrap() > 0.0, "{experiments}");
        let table = outcome.table.to_json();
        let rows = table.as_array().unwrap();
        assert_eq!(rows.len(), METHODS.len());
        for row in rows {
            // Shingles are sampled, so that a short text may have none.
            let count = |name: &str| row[name].as_u64().unwrap();
            assert_eq!(count("pairs"), 20, "equal texts are copies, however short: {row}");
            let samples = row["method"].as_str().unwrap().starts_with("dsc");
            assert!(samples || count("ignored") == 0, "{row}");
        }
        assert_eq!(rows[0]["times_imatch"], 1.0);
        assert_eq!(rows[0]["times_imatch_signing"], 1.0);
    }

    #[test]
    fn the_spread_of_a_few_values_is_that_of_a_sample() {
        let spread = Spread::of(vec![4.0, 1.0, 1.0]);
        assert_eq!((spread.mean, spread.median), (2.0, 1.0));
        assert!((spread.deviation.unwrap() - 3.0f64.sqrt()).abs() < 1e-12);
        assert!(Spread::of(vec![4.0]).deviation.is_none());
    }
}
