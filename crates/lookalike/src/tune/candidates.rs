//! What is tried: every method with its main parameters.

use lookalike_detect::DetectorConfig;

use super::LearnedKind;
use crate::ConfigError;

/// A method with parameters.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// How it is called in the ranking.
    pub name: String,
    /// The method and its parameters.
    pub config: DetectorConfig,
    /// What it learns first.
    pub learns: Option<LearnedKind>,
    /// Paragraphs that at least so many otherwise different documents repeat are left out.
    pub ignore_boilerplate: Option<usize>,
}

/// Parameters worth trying, by method, each list instead of the defaults. Of I-Match the range of
/// nidf, the bags and the limits, which its 2008 paper chose by cross-validation.
const VARIANTS: &[(&str, &[&str])] = &[
    ("minhash", &["ngram=1", "ngram=3", "ngram=5"]),
    ("vectors", &["ngram=1", "ngram=3"]),
    (
        "imatch",
        &[
            "",
            "nidf=0.1-0.9 bags=10 min-terms=5 min-share=0.1",
            "nidf=0.2-0.8 bags=0 min-terms=5 min-share=0.1",
            "nidf=0.2-0.8 bags=10 min-terms=5 min-share=0.1",
            "nidf=0.2-0.3 bags=10 min-terms=5 min-share=0.1",
            "nidf=0.2-0.3 bags=10 min-terms=10 min-share=0.2",
        ],
    ),
];

/// A method with parameters, written `key=value` with spaces between.
fn varied(method: &str, parameters: &str) -> Option<DetectorConfig> {
    let mut table = toml::Table::new();
    table.insert("method".into(), method.into());
    for assignment in parameters.split_whitespace() {
        crate::assign(&mut table, assignment).ok()?;
    }
    DetectorConfig::from_table(table).ok()
}

/// The methods with these names, in their variants; all of them where none is named.
///
/// # Errors
/// A name that no method has.
pub fn candidates_named(names: &[String]) -> Result<Vec<Candidate>, ConfigError> {
    let mut candidates = candidates();
    let is_known = |name: &&String| candidates.iter().any(|c| c.config.name() == *name);
    if let Some(unknown) = names.iter().find(|name| !is_known(name)) {
        return Err(ConfigError::Invalid(format!("there is no method `{unknown}`")));
    }
    if !names.is_empty() {
        candidates.retain(|c| names.iter().any(|name| name == c.config.name()));
    }
    Ok(candidates)
}

/// Every method of this build, cheap ones first, in the variants worth trying.
pub fn candidates() -> Vec<Candidate> {
    let mut candidates = Vec::new();
    for (name, _) in DetectorConfig::METHODS {
        let Some(config) = DetectorConfig::named(name) else { continue };
        let learns = LearnedKind::of(&config);
        let variants = VARIANTS.iter().find(|(method, _)| method == name);
        let varied: Vec<Candidate> = variants
            .into_iter()
            .flat_map(|(_, variants)| variants.iter())
            .filter_map(|parameters| {
                Some(Candidate {
                    name: format!("{name} {}", parameters.replace('=', " ")).trim_end().to_owned(),
                    config: varied(name, parameters)?,
                    learns: learns.clone(),
                    ignore_boilerplate: None,
                })
            })
            .collect();
        if let (DetectorConfig::Andd(_), Some(LearnedKind::Andd(options))) = (&config, &learns) {
            let mut options = options.clone();
            options.features.k = 3;
            let (config, learns) = (config.clone(), Some(LearnedKind::Andd(options)));
            candidates.push(Candidate {
                name: format!("{name} kgram 3"),
                config,
                learns,
                ignore_boilerplate: None,
            });
        }
        if varied.is_empty() {
            candidates.push(Candidate {
                name: (*name).to_owned(),
                config,
                learns,
                ignore_boilerplate: None,
            });
        } else {
            candidates.extend(varied);
        }
    }
    candidates
}

/// The candidates, and each of them without the paragraphs that so many documents repeat.
///
/// The numbers worth trying: a template of few pages, and one that nobody can mistake.
pub fn with_boilerplate(candidates: &[Candidate]) -> Vec<Candidate> {
    const NUMBERS: [Option<usize>; 3] = [None, Some(4), Some(10)];
    let of_number = |number: Option<usize>| {
        candidates.iter().map(move |candidate| candidate.clone().ignoring(number))
    };
    NUMBERS.into_iter().flat_map(of_number).collect()
}

impl Candidate {
    /// The candidate without paragraphs that so many documents repeat.
    pub fn ignoring(mut self, ignore_boilerplate: Option<usize>) -> Self {
        if let Some(number) = ignore_boilerplate {
            self.name = format!("{} ignore-boilerplate {number}", self.name);
        }
        self.ignore_boilerplate = ignore_boilerplate;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_variant_is_a_configuration_of_its_own() {
        let names: Vec<String> = candidates().into_iter().map(|candidate| candidate.name).collect();
        for (method, variants) in VARIANTS {
            for parameters in *variants {
                let name = format!("{method} {}", parameters.replace('=', " "));
                assert!(names.iter().any(|known| known == name.trim_end()), "{name}: {names:?}");
            }
        }
        let ranges = candidates().into_iter().filter_map(|candidate| match candidate.config {
            DetectorConfig::Imatch(imatch) => imatch.nidf.map(|range| range.to_string()),
            _ => None,
        });
        let mut ranges: Vec<String> = ranges.collect();
        ranges.dedup();
        assert_eq!(ranges, ["0.1-0.9", "0.2-0.8", "0.2-0.3"]);
    }
}
