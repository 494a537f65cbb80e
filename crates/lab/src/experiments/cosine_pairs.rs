//! Found pairs against the exact truth of the 2008 paper: a cosine of the sets of terms of at least
//! 0.9, whatever the labels say; and how many found pairs join documents of different labels.

use lookalike::{Config, LabelledCorpus, OwnedDocument};
use lookalike_learn::{Outcome, Table};
use lookalike_text::AnalyzerConfig;
use rayon::prelude::*;

use crate::LabError;
use crate::found::found_pairs;
use crate::truth::{SetMeasure, all_pairs, term_sets};

/// What is asked.
#[derive(Clone, Debug)]
pub struct CosineOptions {
    /// Methods and presets, by the name their row gets.
    pub methods: Vec<(String, Config)>,
    /// The least cosine of a true pair.
    pub cosine: f64,
}

/// Runs the experiment; clusters are the documents' labels, such as spam and ham.
///
/// # Errors
/// A method that cannot be run.
pub fn run(corpus: &LabelledCorpus, options: &CosineOptions) -> Result<Outcome, LabError> {
    let mut table = Table::new(
        "Found pairs against pairs of an exact cosine of the sets of terms",
        &[
            "method",
            "terms",
            "true_pairs",
            "found",
            "recall",
            "precision",
            "mixed",
            "mixed_unconfirmed",
        ],
    );
    let folder = tempfile::tempdir().map_err(|error| LabError::Collection(error.to_string()))?;
    let documents: Vec<&OwnedDocument> = corpus.documents.iter().collect();
    let analyzers =
        [("words", AnalyzerConfig::default()), ("the 2008 paper's", AnalyzerConfig::paper_2008())];
    let mut truths = Vec::new();
    for (name, analyzer) in &analyzers {
        truths.push((*name, exact_pairs(&documents, analyzer, options.cosine)?));
    }
    for (name, config) in &options.methods {
        let found = found_pairs(&documents, config, folder.path())?;
        let is_mixed = |(l, r): &&(usize, usize)| corpus.clusters[*l] != corpus.clusters[*r];
        let n_mixed = found.iter().filter(is_mixed).count();
        for (terms, truth) in &truths {
            let is_true = |pair: &&(usize, usize)| truth.binary_search(pair).is_ok();
            let n_right = found.iter().filter(is_true).count();
            let unconfirmed = found.iter().filter(is_mixed).filter(|pair| !is_true(pair)).count();
            table.push(vec![
                name.as_str().into(),
                (*terms).into(),
                truth.len().into(),
                found.len().into(),
                (n_right as f64 / truth.len().max(1) as f64).into(),
                (n_right as f64 / found.len().max(1) as f64).into(),
                n_mixed.into(),
                unconfirmed.into(),
            ]);
        }
    }
    table.note(format!(
        "{} documents; true: a cosine of at least {}. mixed: found pairs of documents of different labels; \
         mixed_unconfirmed: those of them that are not true.",
        corpus.documents.len(),
        options.cosine
    ));
    Ok(table.into())
}

/// All pairs of at least this cosine, ascending.
fn exact_pairs(
    documents: &[&OwnedDocument],
    analyzer: &AnalyzerConfig,
    cosine: f64,
) -> Result<Vec<(usize, usize)>, LabError> {
    let texts = documents.par_iter().map(|document| document.text.as_str());
    let sets = term_sets(texts, analyzer)?;
    let pairs = all_pairs(&sets, SetMeasure::BinaryCosine, cosine).into_iter();
    let mut pairs: Vec<(usize, usize)> =
        pairs.map(|pair| (pair.left.min(pair.right), pair.left.max(pair.right))).collect();
    pairs.sort_unstable();
    Ok(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_decide_are_confirmed_unless_the_papers_way_is_asked_for() {
        // Spam and a reply that have the same few telling words, and a true copy of the spam.
        let spam = "cheap pills shipped overnight order today discount pharmacy online";
        // Letters only: the 2008 paper's words have at most one digit.
        let letter = |n: usize| char::from(b'a' + (n % 26) as u8);
        let filler = |seed: usize, n: usize| {
            let word = |i: usize| format!("filler{}{}{}", letter(seed), letter(i / 26), letter(i));
            (0..n).map(word).collect::<Vec<_>>().join(" ")
        };
        let texts = [
            format!("{spam} {}", filler(1, 30)),
            format!("{spam} {}", filler(2, 30)),
            format!("{spam} {}", filler(1, 30)),
        ];
        let mut corpus = LabelledCorpus::default();
        for (number, text) in texts.into_iter().enumerate() {
            corpus.documents.push(OwnedDocument {
                id: number.to_string(),
                text,
                ..Default::default()
            });
        }
        corpus.clusters = vec![0, 1, 0];
        let config = |text: &str| {
            let text = format!("method = 'imatch'\nrule = 'IDF-H-20'\n{text}");
            (text.clone(), Config::from_table(text.parse().unwrap()).unwrap())
        };
        let methods = vec![config("verify = 'none'"), config("")];
        let outcome = run(&corpus, &CosineOptions { methods, cosine: 0.9 }).unwrap();
        let unconfirmed = outcome.table.numbers("mixed_unconfirmed");
        assert!(unconfirmed[0] > Some(0.0), "{unconfirmed:?}");
        assert_eq!(unconfirmed[2], Some(0.0));
        assert_eq!(outcome.table.numbers("recall")[2], Some(1.0));
    }
}
