//! The measures among which a collection, or a person's answers, choose.
//!
//! Each is a method that a run can use, so that what was measured is what a run confirms.

use std::collections::BTreeMap;

use lookalike_detect::{Detector, Features, Scratch};
use rayon::prelude::*;

use crate::{Config, Context, Corpus, KeepRule, OwnedDocument, RunConfig, RunError};

/// A way to measure how alike two documents are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measure {
    /// What people call it.
    pub name: &'static str,
    /// The method and its parameters, as TOML.
    keys: &'static str,
}

/// All measures, the simplest first: of equally good ones the first is taken.
///
/// They are few on purpose. Among more of them, twenty answers choose worse
/// (`docs/results/forty.md`).
pub const MEASURES: [Measure; 4] = [
    Measure { name: "5-grams", keys: "method = 'minhash'\nngram = 5" },
    Measure { name: "rare 4-grams", keys: "method = 'rarity'" },
    Measure {
        name: "spots without boilerplate",
        keys: "method = 'spotsigs'\nignore-boilerplate = 10",
    },
    Measure { name: "contained paragraphs", keys: "method = 'paragraph'\nrelation = 'contains'" },
];

/// By the first so many, which measure resemblance, pairs are divided into strata; a short document
/// may be contained in a long one of another kind.
pub(crate) const RESEMBLANCES: usize = 3;

impl Measure {
    /// The measure of this name.
    pub fn named(name: &str) -> Option<Self> {
        MEASURES.into_iter().find(|measure| measure.name == name)
    }

    /// The configuration of a run by this measure, with everything else as in `run`.
    ///
    /// # Errors
    /// None for the measures of [`MEASURES`]: a test builds each.
    pub fn configuration(&self, line: Option<f64>, run: &RunConfig) -> Result<Config, RunError> {
        let table: toml::Table = self.keys.parse().unwrap_or_default();
        let own = Config::from_table(table)?;
        let ignore_boilerplate = own.run.ignore_boilerplate;
        let keeps_first = own.run.keep == KeepRule::default();
        // What contains another document is kept, whichever came first.
        let keep = if keeps_first { run.keep.clone() } else { own.run.keep };
        let mut detector = own.detector;
        if let Some(line) = line {
            detector.set_threshold(line);
        }
        let run = RunConfig { keep, ignore_boilerplate, ..run.clone() };
        Ok(Config { run, detector })
    }
}

/// Measures that are ready to score the documents of a collection.
pub struct Scale {
    detectors: Vec<Detector>,
}

impl Scale {
    /// Counts what the measures need to know of the collection.
    ///
    /// # Errors
    /// As for a run of each.
    pub fn of(
        documents: &[OwnedDocument],
        measures: &[Measure],
        run: &RunConfig,
        context: &Context<'_>,
    ) -> Result<Self, RunError> {
        let corpus = Corpus::from_documents(documents.iter().cloned());
        let ready = |measure: &Measure| {
            let config = measure.configuration(None, run)?;
            let artifacts = crate::artifacts(&corpus, &config, context)?;
            let detector = config.detector.build(&artifacts)?;
            Ok(detector)
        };
        let detectors: Result<Vec<_>, RunError> = measures.iter().map(ready).collect();
        Ok(Self { detectors: detectors? })
    }

    /// The scores of pairs of documents, by pair and by measure.
    pub fn scores(&self, documents: &[OwnedDocument], pairs: &[(u32, u32)]) -> Vec<Vec<f64>> {
        let mut wanted: Vec<u32> = pairs.iter().flat_map(|pair| [pair.0, pair.1]).collect();
        wanted.sort_unstable();
        wanted.dedup();
        let mut scores = vec![Vec::with_capacity(self.detectors.len()); pairs.len()];
        for detector in &self.detectors {
            // One measure after the other: features of all of them would not fit into memory.
            let features: BTreeMap<u32, Features> = wanted
                .par_iter()
                .map_init(Scratch::default, |scratch, &place| {
                    let document = documents[place as usize].document();
                    (place, detector.features(&document, scratch))
                })
                .collect::<Vec<_>>()
                .into_iter()
                .collect();
            let rule = detector.rule().features;
            let score =
                |(left, right): &(u32, u32)| match (&rule, &features[left], &features[right]) {
                    (Some(rule), left, right) if !left.is_empty() && !right.is_empty() => {
                        rule.score(left, right)
                    }
                    _ => 0.0,
                };
            let measured: Vec<f64> = pairs.par_iter().map(score).collect();
            scores.iter_mut().zip(measured).for_each(|(row, score)| row.push(score));
        }
        scores
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_measure_is_a_configuration_of_its_own() {
        for measure in MEASURES {
            let config = measure.configuration(Some(0.25), &RunConfig::default()).unwrap();
            assert_eq!(config.detector.threshold(), Some(0.25), "{}", measure.name);
            assert_eq!(Measure::named(measure.name), Some(measure));
            let text = config.to_toml().unwrap();
            let again = Config::from_table(text.parse().unwrap()).unwrap();
            assert_eq!(again.to_toml().unwrap(), text);
        }
    }
}
