//! What is tried: every method with its main parameters.

use lookalike_detect::DetectorConfig;
use lookalike_detect::measure::Similarity;

/// What has to be learned before a candidate can run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LearnedKind {
    /// Weights of k-grams for a similarity.
    Andd {
        /// The similarity.
        similarity: Similarity,
        /// Terms in a k-gram.
        k: usize,
    },
    /// A discriminant.
    Svm,
}

/// A method with parameters.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// How it is called in the ranking.
    pub name: String,
    /// The method and its parameters.
    pub config: DetectorConfig,
    /// What it learns first.
    pub learns: Option<LearnedKind>,
}

/// Parameters worth trying beside the defaults, by method: name of the key and its values.
const VARIANTS: &[(&str, &str, &[i64])] =
    &[("minhash", "ngram", &[1, 3, 5]), ("vectors", "ngram", &[1, 3])];

/// Every method of this build, cheap ones first, in the variants worth trying.
pub fn candidates() -> Vec<Candidate> {
    let mut candidates = Vec::new();
    for (name, _) in DetectorConfig::METHODS {
        let Some(config) = DetectorConfig::named(name) else { continue };
        let learns = match config {
            DetectorConfig::Svm(_) => Some(LearnedKind::Svm),
            DetectorConfig::AnddJaccard(_) => {
                Some(LearnedKind::Andd { similarity: Similarity::ExtendedJaccard, k: 1 })
            }
            _ if config.needs_model() => {
                Some(LearnedKind::Andd { similarity: Similarity::Cosine, k: 1 })
            }
            _ => None,
        };
        let variants = VARIANTS.iter().find(|(method, ..)| method == name);
        let varied: Vec<Candidate> = variants
            .into_iter()
            .flat_map(|(_, key, values)| values.iter().map(move |value| (*key, *value)))
            .filter_map(|(key, value)| {
                let mut table = toml::Table::new();
                table.insert("method".into(), (*name).into());
                table.insert(key.into(), value.into());
                let config = DetectorConfig::from_table(table).ok()?;
                Some(Candidate { name: format!("{name} {key} {value}"), config, learns })
            })
            .collect();
        if let DetectorConfig::Andd(_) = config {
            let learns = Some(LearnedKind::Andd { similarity: Similarity::Cosine, k: 3 });
            let config = config.clone();
            candidates.push(Candidate { name: format!("{name} kgram 3"), config, learns });
        }
        if varied.is_empty() {
            candidates.push(Candidate { name: (*name).to_owned(), config, learns });
        } else {
            candidates.extend(varied);
        }
    }
    candidates
}
