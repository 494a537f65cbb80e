//! What a run warns of when its result looks wrong, and which command to try instead.

use std::fmt;

use lookalike_detect::{DetectorConfig, Rejection};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::Summary;
use crate::Config;

/// The share of documents or pairs from which on most are affected.
const MOST: f64 = 0.5;
/// Fewer documents or pairs than this say nothing about a collection.
const FEWEST: u64 = 20;
/// The share of documents that stand alone though a dozen others have text of theirs, from which on a
/// collection consists of templates. Chosen on collections with labels (docs/results/warnings.md).
const TEMPLATED: f64 = 0.1;

/// Something that looks wrong about a result.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Warning {
    /// The bands find fewer of the pairs at the threshold than promised.
    LowRecall {
        /// The method.
        method: &'static str,
        /// The probability that a pair at the threshold is compared.
        recall: f64,
        /// The least probability that was promised.
        promised: f64,
        /// The threshold.
        threshold: f64,
    },
    /// Most documents could not be compared.
    FewSignatures {
        /// Documents without a signature.
        documents: u64,
        /// Documents that could be read.
        of: u64,
        /// Why most of them have none.
        reason: &'static str,
    },
    /// Most pairs that the method takes for duplicates are related at most.
    MostlyRelated {
        /// Pairs under the guard's line.
        related: u64,
        /// Pairs above it.
        confirmed: u64,
    },
    /// Most confirmed pairs rest on text that a dozen other documents share.
    SharedText {
        /// Pairs that rest on such text alone.
        pairs: u64,
        /// Pairs that were looked at.
        of: u64,
    },
    /// Many documents without a copy have text that a dozen others share.
    Templates {
        /// Documents with such text.
        documents: u64,
        /// Documents with different texts.
        of: u64,
    },
}

/// How much of what a run found rests on text that a dozen other documents have as well.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SharedText {
    /// Documents in no cluster with a key that a dozen and more unlike documents have.
    pub documents: u64,
    /// Documents with another text than all before them.
    pub distinct_documents: u64,
    /// Confirmed pairs of a document and its keeper that were looked at.
    pub sampled_pairs: u64,
    /// Those of them that share no other key than such ones.
    pub resting_pairs: u64,
}

impl Warning {
    /// What a run under this configuration has to warn of; in one order.
    pub fn of(config: &Config, summary: &Summary) -> Vec<Self> {
        let (detector, shared) = (&config.detector, &summary.shared_text);
        let few_signatures = || {
            let of = summary.documents - summary.unreadable;
            // Documents that the lexicon leaves out have a note of their own.
            let reasons = [Rejection::Empty, Rejection::TooShort, Rejection::FewSpots];
            let counts = &summary.too_short_reasons;
            let count = |reason: &Rejection| counts.get(reason.name()).copied().unwrap_or(0);
            let reason = reasons.into_iter().max_by_key(count)?;
            let documents = count(&reason);
            is_most(documents, of).then(|| Self::FewSignatures {
                documents,
                of,
                reason: reason.name(),
            })
        };
        let mostly_related = || {
            let (related, confirmed) = (summary.related_pairs?, summary.confirmed_pairs);
            is_most(related, related + confirmed)
                .then_some(Self::MostlyRelated { related, confirmed })
        };
        let shared_text = || {
            let (pairs, of) = (shared.resting_pairs, shared.sampled_pairs);
            is_most(pairs, of).then_some(Self::SharedText { pairs, of })
        };
        let templates = || {
            let (documents, of) = (shared.documents, shared.distinct_documents);
            let is_templated = of >= FEWEST && documents as f64 > TEMPLATED * of as f64;
            // Keys of shingles tell templates; `--preset pages` is what they are for.
            (is_templated
                && matches!(detector, DetectorConfig::Minhash(minhash) if minhash.ngram > 1))
            .then_some(Self::Templates { documents, of })
        };
        let found = [
            Self::low_recall(detector),
            few_signatures(),
            mostly_related(),
            shared_text(),
            templates(),
        ];
        found.into_iter().flatten().collect()
    }

    fn low_recall(detector: &DetectorConfig) -> Option<Self> {
        let (recall, threshold) = (detector.recall_at_threshold()?, detector.threshold()?);
        let promised = detector.promised_recall();
        (recall < promised).then(|| Self::LowRecall {
            method: detector.name(),
            recall,
            promised,
            threshold,
        })
    }

    /// The name that tells one kind of warning from another.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::LowRecall { .. } => "low-recall",
            Self::FewSignatures { .. } => "few-signatures",
            Self::MostlyRelated { .. } => "mostly-related",
            Self::SharedText { .. } => "shared-text",
            Self::Templates { .. } => "templates",
        }
    }

    /// The share that was warned of, from 0 to 1.
    pub fn share(&self) -> f64 {
        let share = |some: u64, all: u64| some as f64 / all.max(1) as f64;
        match *self {
            Self::LowRecall { recall, .. } => recall,
            Self::MostlyRelated { related, confirmed } => share(related, related + confirmed),
            Self::SharedText { pairs, of } => share(pairs, of),
            Self::FewSignatures { documents, of, .. } | Self::Templates { documents, of } => {
                share(documents, of)
            }
        }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = 100.0 * self.share();
        match self {
            Self::LowRecall { method, promised, threshold, .. } => {
                let advice = match *method {
                    "minwise" => "raise --permutations or the threshold",
                    _ => "leave out --bands and --rows, which are then chosen to reach it",
                };
                let promised = 100.0 * promised;
                write!(
                    formatter,
                    "a pair at the threshold {threshold} is compared with a probability of \
                     {percent:.1} % only, below the promised {promised} %; {advice}"
                )
            }
            Self::FewSignatures { documents, of, reason: "empty" } => write!(
                formatter,
                "{documents} of {of} documents have no text; name the field that has it with \
                 --text-key"
            ),
            Self::FewSignatures { documents, of, reason } => write!(
                formatter,
                "{documents} of {of} documents could not be compared ({reason}): the method needs \
                 more text; try --method minhash"
            ),
            Self::MostlyRelated { related, confirmed } => write!(
                formatter,
                "{related} of {} pairs are related, not duplicates: the method takes text that \
                 many documents share for copies; try --preset training-data",
                related + confirmed
            ),
            Self::SharedText { pairs, of } => write!(
                formatter,
                "{pairs} of {of} pairs rest on text that a dozen other documents share; try \
                 --ignore-boilerplate 10, and look at pairs with explain"
            ),
            Self::Templates { documents, of } => write!(
                formatter,
                "{documents} of {of} documents have no copy and share text with a dozen others, as \
                 pages of a template do; to find one story in several templates, try --preset pages"
            ),
        }
    }
}

/// In `summary.json`: its kind, the share, and the sentence.
impl Serialize for Warning {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(3))?;
        map.serialize_entry("kind", self.kind())?;
        map.serialize_entry("share", &super::rounded(self.share()))?;
        map.serialize_entry("message", &self.to_string())?;
        map.end()
    }
}

fn is_most(some: u64, all: u64) -> bool {
    all >= FEWEST && some as f64 > MOST * all as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn warnings(keys: &str, summary: &Summary, shared_text: SharedText) -> Vec<&'static str> {
        let config = Config::from_table(keys.parse().unwrap()).unwrap();
        let summary = Summary { shared_text, ..summary.clone() };
        let warnings = Warning::of(&config, &summary);
        for warning in &warnings {
            assert!(warning.to_string().contains("--"), "{warning} names no command");
        }
        warnings.iter().map(Warning::kind).collect()
    }

    #[test]
    fn bands_that_miss_pairs_at_the_threshold_are_warned_of_and_chosen_ones_are_not() {
        let (none, silent) = (Summary::default(), SharedText::default());
        let of = |keys| warnings(keys, &none, silent);
        assert_eq!(of("bands = 5\nrows = 10"), ["low-recall"]);
        assert_eq!(of("method = 'wordlsh'\nthreshold = 0.2\nbands = 125"), ["low-recall"]);
        assert_eq!(of("method = 'minwise'\nthreshold = 0.02"), ["low-recall"]);
        for keys in ["", "method = 'wordlsh'\nthreshold = 0.2", "method = 'simhash'", "bands = 30"]
        {
            assert!(of(keys).is_empty(), "{keys}");
        }
        assert!(of("bands = 5\nrows = 10\nrecall = 0.1").is_empty());
        let config = Config::from_table("bands = 5\nrows = 10".parse().unwrap()).unwrap();
        let warning = &Warning::of(&config, &none)[0];
        assert!(warning.to_string().contains("13.3 %"), "{warning}");
    }

    #[test]
    fn what_holds_of_most_is_warned_of_and_what_holds_of_half_or_of_few_is_not() {
        let silent = SharedText::default();
        let summary = |documents, few_spots, related, confirmed_pairs| Summary {
            documents,
            too_short_reasons: [("few_spots", few_spots)].into(),
            related_pairs: Some(related),
            confirmed_pairs,
            ..Summary::default()
        };
        let pages = "preset = 'pages'";
        assert_eq!(warnings(pages, &summary(100, 51, 0, 0), silent), ["few-signatures"]);
        assert_eq!(warnings(pages, &summary(100, 0, 31, 30), silent), ["mostly-related"]);
        for quiet in [summary(100, 50, 30, 30), summary(19, 19, 10, 9)] {
            assert!(warnings(pages, &quiet, silent).is_empty());
        }
        let shared = |documents, resting_pairs| SharedText {
            documents,
            distinct_documents: 100,
            sampled_pairs: 40,
            resting_pairs,
        };
        let none = Summary::default();
        assert_eq!(warnings("", &none, shared(0, 21)), ["shared-text"]);
        assert_eq!(warnings("", &none, shared(11, 0)), ["templates"]);
        assert!(warnings("", &none, shared(10, 20)).is_empty());
        assert!(warnings(pages, &none, shared(51, 0)).is_empty(), "pages are made for it");
    }
}
