//! What is tried: every method with its main parameters.

use lookalike_detect::DetectorConfig;

use super::LearnedKind;

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

/// Parameters worth trying beside the defaults, by method: name of the key and its values.
const VARIANTS: &[(&str, &str, &[i64])] =
    &[("minhash", "ngram", &[1, 3, 5]), ("vectors", "ngram", &[1, 3])];

/// Every method of this build, cheap ones first, in the variants worth trying.
pub fn candidates() -> Vec<Candidate> {
    let mut candidates = Vec::new();
    for (name, _) in DetectorConfig::METHODS {
        let Some(config) = DetectorConfig::named(name) else { continue };
        let learns = LearnedKind::of(&config);
        let variants = VARIANTS.iter().find(|(method, ..)| method == name);
        let varied: Vec<Candidate> = variants
            .into_iter()
            .flat_map(|(_, key, values)| values.iter().map(move |value| (*key, *value)))
            .filter_map(|(key, value)| {
                let mut table = toml::Table::new();
                table.insert("method".into(), (*name).into());
                table.insert(key.into(), value.into());
                let config = DetectorConfig::from_table(table).ok()?;
                let learns = learns.clone();
                Some(Candidate {
                    name: format!("{name} {key} {value}"),
                    config,
                    learns,
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
