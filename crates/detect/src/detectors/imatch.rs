//! `imatch`: documents that agree in the terms which collection statistics single out.
//!
//! Signature = digest of the document's distinct terms that a retention rule keeps (Chowdhury et
//! al. 2002) or that lie in a lexicon, nidf in [a,b]; then K more digests under random subsets of
//! that lexicon, of which one must agree (Kołcz and Chowdhury 2008).
//!
//! Choose it for speed, for short documents and for mail: the cost is that of reading the text,
//! and word order does not matter. One changed lexicon term breaks the single signature, which is
//! what `bags` are for; for heavy edits `minhash` finds more.
//!
//! With no `rule`, `nidf` or `preset` the method is the one we recommend: IDF-L-10 with ten bags,
//! and no signature from less than five terms, no bag's from less than ten. Naming one of the
//! three gives the papers' method as printed: no bags and no limits unless they are asked for.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use lookalike_statistics::Statistics;
use lookalike_text::{Analyzer, AnalyzerConfig};
use serde::{Deserialize, Serialize};

use crate::decide::AgreeingCoordinates;
use crate::represent::{Lexicon, Retain, RetentionRule};
use crate::sign::{
    BagRule, Bags, Coordinates, DigestRule, FusedTerms, SignatureLimits, TermObserver,
};
use crate::{Artifacts, DetectError, Detector, Model, ObserveTerms, Recipe};

/// Parameters of `imatch`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ImatchConfig {
    /// Which terms are retained, by a rule of the 2002 paper: `IDF-L-10`, `Doc-L-90`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<RetentionRule>,
    /// Which terms are retained, by their nidf: `0.2-0.8`. Instead of `rule`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nidf: Option<NidfRange>,
    /// The 2008 paper's lexicon for a kind of documents: `web` or `mail`. Instead of `rule`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<LexiconPreset>,
    /// The number K of randomized lexicons beside the whole one; 0 is the 2002 paper's method.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bags: Option<usize>,
    /// How each of them is drawn: `bootstrap` or `drop:0.33`.
    pub bag_rule: BagRule,
    /// How many of the K+1 signatures must agree.
    pub min_matches: usize,
    /// The fewest retained terms |S| of a signature.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_terms: Option<usize>,
    /// The fewest retained terms that a bag's signature may rest on; as `min-terms` if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bag_min_terms: Option<usize>,
    /// The smallest share |S|/|U| of a document's distinct terms that a signature must rest on; by
    /// default 0, and 0.12 for the preset `mail`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_share: Option<f64>,
    /// The most terms of the secondary lexicon, which helps documents to reach `min-share`.
    pub secondary_size: u64,
    /// Doc-L and Doc-H keep no term of a document of which their fraction is less than one, as section
    /// 4.1 of the 2002 paper has it; by default they keep one, as its Table IX does.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub round_down: bool,
    /// The fewest distinct terms |U| of a document; by default 1, and 5 for the preset `mail`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_distinct: Option<usize>,
    /// How retained terms become the first signature: `sha1`, as the 2002 paper has it and by
    /// default with a `rule`, or `sum`. The bags' signatures are sums always.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<DigestRule>,
    /// Decides the randomized lexicons.
    pub seed: u64,
    /// What the terms are; the 2008 paper's word rules by default.
    pub analyzer: AnalyzerConfig,
}

impl Default for ImatchConfig {
    fn default() -> Self {
        Self {
            rule: None,
            nidf: None,
            preset: None,
            bags: None,
            bag_rule: BagRule::Bootstrap,
            min_matches: 1,
            min_terms: None,
            bag_min_terms: None,
            min_share: None,
            secondary_size: 1_000_000,
            round_down: false,
            min_distinct: None,
            digest: None,
            seed: 1,
            analyzer: AnalyzerConfig::paper_2008(),
        }
    }
}

/// Kinds of documents for which the 2008 paper found a lexicon.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LexiconPreset {
    /// nidf in [0.2, 0.8] (section 6.5.1).
    Web,
    /// nidf in [0.2, 0.3] (section 6.5.2), at least five distinct words (section 6.3), and the limits
    /// that keep legitimate mail apart: three terms in a signature, five in that of a bag, and 12 %
    /// of the distinct terms.
    Mail,
}

impl ImatchConfig {
    /// The rule that retains terms, however it was given.
    ///
    /// # Errors
    /// Where it was given in more than one way.
    pub fn retention(&self) -> Result<RetentionRule, DetectError> {
        match (self.rule, self.nidf, self.preset) {
            (Some(rule), None, None) => Ok(rule),
            (None, Some(range), _) => Ok(RetentionRule::IdfRI(range.from, range.to)),
            (None, None, Some(LexiconPreset::Web)) => Ok(RetentionRule::IdfRI(0.2, 0.8)),
            (None, None, Some(LexiconPreset::Mail)) => Ok(RetentionRule::IdfRI(0.2, 0.3)),
            (None, None, None) => Ok(RetentionRule::IdfL(0.1)),
            (Some(rule), ..) => {
                Err(wrong("rule", rule, "choose either a rule, or nidf and preset"))
            }
        }
    }

    /// The number of randomized lexicons, given or recommended.
    pub fn n_bags(&self) -> usize {
        self.bags.unwrap_or(if self.is_recommended() { 10 } else { 0 })
    }

    /// How the first signature is made, given or recommended.
    fn digest_rule(&self) -> DigestRule {
        let usual = if self.rule.is_some() { DigestRule::Sha1 } else { DigestRule::Sum };
        self.digest.unwrap_or(usual)
    }

    /// Whether the choice of terms was left to us.
    fn is_recommended(&self) -> bool {
        self.rule.is_none() && self.nidf.is_none() && self.preset.is_none()
    }

    /// Mail has limits that the 2008 paper does not print: with fewer terms in a signature,
    /// legitimate messages are matched, and the share brings in the secondary lexicon for long ones.
    /// They were chosen on one collection of mail and hold on another (docs/results/imatch.md).
    fn limits(&self) -> SignatureLimits {
        let (terms, bag_terms) = match self.preset {
            _ if self.is_recommended() => (5, Some(10)),
            Some(LexiconPreset::Mail) => (3, self.min_terms.or(Some(5))),
            _ => (1, self.min_terms),
        };
        let min_terms = self.min_terms.unwrap_or(terms);
        SignatureLimits {
            min_distinct: self.min_distinct.unwrap_or(if self.is_mail() { 5 } else { 1 }),
            min_terms,
            bag_min_terms: self.bag_min_terms.or(bag_terms).unwrap_or(min_terms),
            min_share: self.least_share(),
        }
    }

    fn is_mail(&self) -> bool {
        self.preset == Some(LexiconPreset::Mail)
    }

    fn least_share(&self) -> f64 {
        self.min_share.unwrap_or(if self.is_mail() { 0.12 } else { 0.0 })
    }

    fn check(&self) -> Result<(), DetectError> {
        if self.min_matches == 0 || self.min_matches > self.n_bags() + 1 {
            let expected = "it must be at least 1 and at most bags + 1";
            return Err(wrong("min-matches", self.min_matches, expected));
        }
        if self.n_bags() > MOST_BAGS {
            return Err(wrong("bags", self.n_bags(), "more than 1000 lexicons help nobody"));
        }
        if !(0.0..=1.0).contains(&self.least_share()) {
            return Err(wrong("min-share", self.least_share(), "it must be in 0 to 1"));
        }
        Ok(())
    }

    fn statistics(&self, artifacts: &Artifacts) -> Result<Arc<Statistics>, DetectError> {
        let statistics = artifacts.statistics.clone().ok_or(DetectError::NoStatistics("imatch"))?;
        if statistics.analyzer() != &self.analyzer {
            return Err(DetectError::Mismatch(
                "imatch: the statistics were counted with another analyzer; count them again with \
                 this configuration, or give the method the analyzer of the statistics"
                    .into(),
            ));
        }
        Ok(statistics)
    }
}

const MOST_BAGS: usize = 1000;

impl Recipe for ImatchConfig {
    const SUMMARY: &'static str =
        "the same telling words by collection statistics; one small key a document";

    fn analyzer(&self) -> &AnalyzerConfig {
        &self.analyzer
    }

    fn needs_statistics(&self) -> bool {
        true
    }

    fn observer(&self, _: Option<&Model>) -> Result<Option<Box<dyn ObserveTerms>>, DetectError> {
        let analyzer = Analyzer::new(&self.analyzer)?;
        let is_ranked = self.rule.is_some_and(RetentionRule::ranks_terms);
        let texts = self.digest_rule() == DigestRule::Sha1 || is_ranked;
        Ok(Some(Box::new(TermObserver { analyzer, texts })))
    }

    fn build(&self, artifacts: &Artifacts) -> Result<Detector, DetectError> {
        self.check()?;
        let rule = self.retention()?;
        let statistics = self.statistics(artifacts)?;
        let lexicon = Lexicon::new(statistics, rule, self.least_share(), self.secondary_size);
        let lexicon = Arc::new(if self.round_down { lexicon.rounding_down() } else { lexicon });
        let coordinates = Coordinates {
            digest: self.digest_rule(),
            bags: Bags::new(self.n_bags(), self.bag_rule, self.seed),
            limits: self.limits(),
        };
        let analyzer = Analyzer::new(&self.analyzer)?;
        let represent = Arc::new(Retain(lexicon.clone()));
        let sign = Box::new(coordinates.clone());
        let detector = if self.min_matches == 1 {
            Detector::by_keys(analyzer, represent, sign)
        } else {
            let decide = Box::new(AgreeingCoordinates(self.min_matches));
            Detector::by_signatures(analyzer, represent, sign, decide)
        };
        let analyzer = Analyzer::new(&self.analyzer)?;
        Ok(detector.observed_by(FusedTerms::new(analyzer, lexicon, coordinates)))
    }
}

fn wrong(parameter: &'static str, value: impl fmt::Display, expected: &'static str) -> DetectError {
    DetectError::Parameter { method: "imatch", parameter, value: value.to_string(), expected }
}

/// A range of normalized inverse document frequency; as text `0.2-0.8`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct NidfRange {
    /// The smallest nidf of the lexicon.
    pub from: f64,
    /// The largest nidf of the lexicon.
    pub to: f64,
}

impl FromStr for NidfRange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let bounds = text
            .split_once('-')
            .and_then(|(from, to)| Some((from.trim().parse().ok()?, to.trim().parse().ok()?)));
        match bounds {
            Some((from, to)) if 0.0 <= from && from <= to && to <= 1.0 => Ok(Self { from, to }),
            _ => Err(format!("`{text}` is no range of nidf; write for example 0.2-0.8")),
        }
    }
}

impl fmt::Display for NidfRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.from, self.to)
    }
}

impl TryFrom<String> for NidfRange {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<NidfRange> for String {
    fn from(range: NidfRange) -> Self {
        range.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(parameters: &str) -> ImatchConfig {
        toml::from_str(parameters).unwrap()
    }

    #[test]
    fn parameters_that_cannot_work_are_refused_by_name() {
        let statistics = Statistics::default();
        let analyzer = AnalyzerConfig::default();
        assert_eq!(statistics.analyzer(), &analyzer);
        let artifacts = Artifacts::with_statistics(Arc::new(statistics));
        for (parameters, named) in [
            ("min-matches = 0", "min-matches"),
            ("bags = 2\nmin-matches = 4", "min-matches"),
            ("bags = 100000", "bags"),
            ("min-share = 1.5", "min-share"),
            ("rule = 'IDF-L-10'\nnidf = '0.2-0.8'", "rule"),
            ("rule = 'IDF-L-10'\npreset = 'mail'", "rule"),
            ("", "another analyzer"),
        ] {
            let message = config(parameters).build(&artifacts).err().unwrap().to_string();
            assert!(message.contains(named), "{parameters}: {message}");
        }
        let message = config("").build(&Artifacts::default()).err().unwrap().to_string();
        assert!(message.contains("`stats`"), "{message}");
        let config = ImatchConfig { analyzer, ..ImatchConfig::default() };
        assert!(config.build(&artifacts).is_ok());
    }

    #[test]
    fn naming_the_terms_gives_the_papers_method_without_bags_and_limits() {
        let limits = |parameters| config(parameters).limits();
        assert_eq!(config("").n_bags(), 10);
        assert_eq!((limits("").min_terms, limits("").bag_min_terms), (5, 10));
        for parameters in ["rule = 'IDF-L-10'", "nidf = '0.2-0.8'", "preset = 'web'"] {
            assert_eq!(config(parameters).n_bags(), 0);
            assert_eq!((limits(parameters).min_terms, limits(parameters).bag_min_terms), (1, 1));
        }
        let mail = limits("preset = 'mail'");
        assert_eq!((mail.min_distinct, mail.min_terms, mail.bag_min_terms), (5, 3, 5));
        assert_eq!((mail.min_share, limits("preset = 'web'").min_share), (0.12, 0.0));
        let printed = limits("preset = 'mail'\nmin-terms = 1\nmin-share = 0.0");
        assert_eq!((printed.min_terms, printed.min_share), (1, 0.0));
        assert_eq!(limits("preset = 'web'\nmin-terms = 4").bag_min_terms, 4);
    }

    #[test]
    fn ranges_and_presets_are_rules() {
        let rule = |parameters| config(parameters).retention().unwrap().to_string();
        assert_eq!(rule(""), "IDF-L-10");
        assert_eq!(rule("preset = 'web'"), "IDFR-I-20-80");
        assert_eq!(rule("preset = 'mail'"), "IDFR-I-20-30");
        assert_eq!(rule("nidf = '0.1-0.75'"), "IDFR-I-10-75");
        assert!("0.8-0.2".parse::<NidfRange>().is_err());
    }
}
