//! Which of a document's terms I-Match retains: the eight rules of the 2002 paper.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A retention rule, named as in Table X of the paper; numbers are fractions in 0..=1.
///
/// As text, the paper's name with percentages (`IDF-L-10`, `DocR-I-20-80`) or the rule with
/// fractions (`idf-l:0.1`, `docr-i:0.2-0.8`), in upper or lower case.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum RetentionRule {
    /// `Doc-L-f`: without the fraction f of the document's terms that have the lowest idf.
    DocL(f64),
    /// `Doc-H-f`: without the fraction f that has the highest idf.
    DocH(f64),
    /// `DocR-I-a-b`: the terms whose rank by idf lies inside `[a,b]` of the document.
    DocRI(f64, f64),
    /// `DocR-O-a-b`: the other ones.
    DocRO(f64, f64),
    /// `IDF-L-x`: nidf ≥ x.
    IdfL(f64),
    /// `IDF-H-x`: nidf ≤ x.
    IdfH(f64),
    /// `IDFR-I-a-b`: nidf inside `[a,b]`; the lexicon of the 2008 paper.
    IdfRI(f64, f64),
    /// `IDFR-O-a-b`: nidf outside `[a,b]`.
    IdfRO(f64, f64),
}

use RetentionRule::{DocH, DocL, DocRI, DocRO, IdfH, IdfL, IdfRI, IdfRO};

impl RetentionRule {
    /// The 52 rules of the paper's experiments: four by nine fractions, four by four ranges.
    pub fn of_the_paper() -> Vec<Self> {
        let tenth = |n: u32| f64::from(n) / 10.0;
        let mut rules = Vec::new();
        for single in [DocL, DocH, IdfL, IdfH] {
            rules.extend((1..=9).map(|n| single(tenth(n))));
        }
        for range in [DocRI, DocRO, IdfRI, IdfRO] {
            rules.extend((1..=4).map(|n| range(tenth(n), tenth(10 - n))));
        }
        rules
    }

    /// Whether a term's retention depends on its rank among the document's terms.
    pub fn ranks_terms(self) -> bool {
        matches!(self, DocL(_) | DocH(_) | DocRI(..) | DocRO(..))
    }

    fn family(self) -> &'static str {
        match self {
            DocL(_) => "Doc-L",
            DocH(_) => "Doc-H",
            DocRI(..) => "DocR-I",
            DocRO(..) => "DocR-O",
            IdfL(_) => "IDF-L",
            IdfH(_) => "IDF-H",
            IdfRI(..) => "IDFR-I",
            IdfRO(..) => "IDFR-O",
        }
    }
}

impl fmt::Display for RetentionRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Rounded, so that 0.29 is 29 and not 28.999999999999996.
        let percent = |fraction: f64| (fraction * 1e10).round() / 1e8;
        match *self {
            DocL(x) | DocH(x) | IdfL(x) | IdfH(x) => write!(f, "{}-{}", self.family(), percent(x)),
            DocRI(a, b) | DocRO(a, b) | IdfRI(a, b) | IdfRO(a, b) => {
                write!(f, "{}-{}-{}", self.family(), percent(a), percent(b))
            }
        }
    }
}

impl FromStr for RetentionRule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        parse(text).ok_or_else(|| {
            format!(
                "`{text}` is no retention rule; write for example IDF-L-10, Doc-L-90, \
                 DocR-I-20-80 or, with fractions, idf-l:0.1, docr-i:0.2-0.8"
            )
        })
    }
}

fn parse(text: &str) -> Option<RetentionRule> {
    let lower = text.trim().to_ascii_lowercase();
    let (family, numbers, unit) = if let Some((family, numbers)) = lower.split_once(':') {
        (family, numbers, 1.0)
    } else {
        let after_family = lower.match_indices('-').nth(1)?.0;
        (&lower[..after_family], &lower[after_family + 1..], 100.0)
    };
    let numbers: Option<Vec<f64>> = numbers
        .split('-')
        .map(|number| number.parse().ok().map(|number: f64| number / unit))
        .map(|fraction| fraction.filter(|fraction| (0.0..=1.0).contains(fraction)))
        .collect();
    Some(match (family, numbers?.as_slice()) {
        ("doc-l", &[x]) => DocL(x),
        ("doc-h", &[x]) => DocH(x),
        ("idf-l", &[x]) => IdfL(x),
        ("idf-h", &[x]) => IdfH(x),
        ("docr-i", &[a, b]) if a <= b => DocRI(a, b),
        ("docr-o", &[a, b]) if a <= b => DocRO(a, b),
        ("idfr-i", &[a, b]) if a <= b => IdfRI(a, b),
        ("idfr-o", &[a, b]) if a <= b => IdfRO(a, b),
        _ => return None,
    })
}

impl TryFrom<String> for RetentionRule {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<RetentionRule> for String {
    fn from(rule: RetentionRule) -> Self {
        rule.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_papers_names_are_read_and_written() {
        for name in ["IDF-L-10", "Doc-L-90", "DocR-I-20-80", "IDFR-O-30-70", "IDF-H-12.5"] {
            let rule: RetentionRule = name.parse().unwrap();
            assert_eq!(rule.to_string(), name);
            assert_eq!(name.to_lowercase().parse(), Ok(rule));
        }
        assert_eq!("idf-l:0.1".parse(), Ok(IdfL(0.1)));
        assert_eq!("IDF-L-10".parse(), Ok(IdfL(0.1)));
        assert_eq!("docr-i:0.2-0.8".parse(), Ok(DocRI(0.2, 0.8)));
    }

    #[test]
    fn nonsense_is_refused_with_examples() {
        for text in ["", "idf", "idf-l", "IDF-L-110", "DocR-I-80-20", "IDF-X-10", "idf-l:x", "a-b-"]
        {
            let error = text.parse::<RetentionRule>().unwrap_err();
            assert!(error.contains("IDF-L-10"), "{error}");
        }
    }

    #[test]
    fn there_are_52_rules_and_all_names_differ() {
        let mut names: Vec<_> =
            RetentionRule::of_the_paper().iter().map(ToString::to_string).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), 52);
    }
}
