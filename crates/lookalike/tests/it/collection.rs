//! Documents made up for the tests, and runs over them.

use std::path::Path;

use lookalike::{Config, Context, Corpus, Findings, Interrupt, OwnedDocument, RunError, Silent};
pub use lookalike_testkit::families::{text, words};

/// Families of four, and a few documents too short for anything.
pub fn families(n_families: usize) -> Vec<OwnedDocument> {
    let documents = lookalike_testkit::families::families(n_families).into_iter();
    documents.map(|(id, text)| OwnedDocument::new(id, text)).collect()
}

/// A configuration from TOML.
pub fn config(text: &str) -> Config {
    Config::from_table(text.parse().unwrap()).unwrap()
}

/// Runs something with a context that nobody watches.
pub fn with_context<T>(folder: &Path, run: impl FnOnce(&Context<'_>) -> Result<T, RunError>) -> T {
    let interrupt = Interrupt::new();
    let context = Context { progress: &Silent, interrupt: &interrupt, temp_dir: folder };
    run(&context).unwrap()
}

/// Finds the clusters of a corpus.
pub fn find(corpus: &Corpus, config: &Config) -> Findings {
    let folder = tempfile::tempdir().unwrap();
    with_context(folder.path(), |context| lookalike::find(corpus, config, context))
}

/// Pairs of ids with the bits of their score, the smaller id first.
pub type Scored = Vec<(String, String, u64)>;

/// The confirmed pairs.
pub fn pairs(findings: &Findings) -> Scored {
    let mut pairs: Scored = findings
        .pairs()
        .map(|pair| {
            let pair = pair.unwrap();
            let (a, b) = (pair.a.id.min(pair.b.id), pair.a.id.max(pair.b.id));
            (a.to_owned(), b.to_owned(), pair.score.to_bits())
        })
        .collect();
    pairs.sort();
    pairs
}
