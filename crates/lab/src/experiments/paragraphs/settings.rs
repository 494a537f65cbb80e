//! Which methods take part, at the paper's settings and at the best of many.

use lookalike_learn::compare::ComparedMethod;

use crate::LabError;

/// The paper's paragraph fingerprints: k = 11, m = 9, 32 bits, cosine of paragraphs at least 0.8. How
/// far two fingerprints may be apart it does not say; 2 of 32 is our 3 of 64.
pub const PAPER: &str = "paragraph:compare=paragraphs:bits=32:max-distance=2:threshold=0.8";

/// What `find --method paragraph --relation contains` does.
pub const PARTIAL: &str = "paragraph:compare=paragraphs:relation=contains";

/// The paper's settings of each method, and the variants that its best settings are chosen from:
/// each at the lowest threshold tried, which stands last.
pub const METHODS: &[(&str, &[&str])] = &[
    (
        PAPER,
        &[
            "paragraph:compare=paragraphs:relation=duplicate:threshold=0.05",
            "paragraph:compare=paragraphs:relation=duplicate:max-distance=12:threshold=0.05",
            "paragraph:compare=paragraphs:relation=duplicate:keywords=none:max-distance=12:threshold=0.05",
            "paragraph:compare=paragraphs:relation=contains:threshold=0.05",
            "paragraph:compare=paragraphs:relation=contains:keywords=text:threshold=0.05",
            "paragraph:compare=paragraphs:relation=contains:keywords=none:threshold=0.05",
            "paragraph:compare=paragraphs:relation=contains:max-distance=8:threshold=0.05",
            "paragraph:compare=paragraphs:relation=contains:max-distance=12:threshold=0.05",
            "paragraph:compare=paragraphs:relation=contains:max-distance=16:threshold=0.05",
            "paragraph:compare=paragraphs:relation=contains:keywords=none:max-distance=8:threshold=0.05",
            "paragraph:compare=paragraphs:relation=contains:keywords=none:max-distance=12:threshold=0.05",
            "paragraph:compare=paragraphs:relation=contains:keywords=none:max-distance=16:threshold=0.05",
        ],
    ),
    (
        // Shingles of six words, resemblance 0.7.
        "minhash:ngram=6:threshold=0.7",
        &[
            "minhash:ngram=1:threshold=0.1",
            "minhash:ngram=2:threshold=0.05",
            "minhash:ngram=3:threshold=0.05",
            "minhash:ngram=5:threshold=0.05",
            "minhash:ngram=6:threshold=0.05",
            "minhash:ngram=10:threshold=0.05",
        ],
    ),
    (
        "simhash:bits=64:distance=3",
        &[
            "simhash:bits=64:threshold=0.75",
            "simhash:bits=64:ngram=3:threshold=0.75",
            "simhash:bits=384:threshold=0.75",
            "simhash:bits=384:ngram=3:threshold=0.65",
        ],
    ),
    (
        // 18 sentences of more than nine words, resemblance 0.6.
        "longsentences:threshold=0.6",
        &[
            "longsentences:threshold=0.02",
            "longsentences:sentences=50:threshold=0.02",
            "longsentences:min-words=6:threshold=0.02",
            "longsentences:min-words=6:sentences=50:threshold=0.02",
        ],
    ),
];

/// A method whose threshold stands last in its text; `simhash` has a distance in its place.
pub fn with_threshold(text: &str) -> Result<ComparedMethod, LabError> {
    let (before, threshold) = text.rsplit_once(":threshold=").unwrap_or((text, ""));
    let mut method = ComparedMethod::parse(before)?;
    if let Ok(threshold) = threshold.parse() {
        method.config.set_threshold(threshold);
    }
    text.clone_into(&mut method.name);
    Ok(method)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_can_be_built() {
        for (paper, variants) in METHODS {
            assert!(ComparedMethod::parse(paper).is_ok(), "{paper}");
            for variant in *variants {
                let method = with_threshold(variant).unwrap();
                let built = method.config.build(&lookalike_detect::Artifacts::default());
                assert!(built.is_ok(), "{variant}");
            }
        }
    }
}
