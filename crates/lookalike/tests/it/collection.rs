//! Documents made up for the tests, and runs over them.

use std::path::Path;

use lookalike::{Config, Context, Corpus, Findings, Interrupt, OwnedDocument, RunError, Silent};

/// A word that exists in no language, but looks like one.
fn word(mut number: usize) -> String {
    let syllables =
        ["ba", "del", "fi", "gor", "hum", "ka", "lin", "mor", "ne", "pas", "rit", "sol"];
    number = number.wrapping_mul(2_654_435_761) % 1_000_003;
    let mut word = String::new();
    for _ in 0..4 {
        word += syllables[number % syllables.len()];
        number /= syllables.len();
    }
    word
}

/// A sentence with the small words that some methods look for.
fn sentence(seed: usize) -> String {
    let [a, b, c, d, e, f] = [0, 1, 2, 3, 4, 5].map(|n| word(seed * 6 + n));
    format!("The {a} of the {b} was seen by a {c}, and it is said that the {d} had {e} in the {f}.")
}

/// A text of so many sentences, four to a paragraph, that shares nothing with another family.
pub fn text(family: usize, n_sentences: usize) -> String {
    let sentences: Vec<String> = (0..n_sentences).map(|n| sentence(family * 100 + n)).collect();
    sentences.chunks(4).map(|part| part.join(" ")).collect::<Vec<_>>().join("\n\n")
}

/// So many words of one family, of which other families hardly have any.
pub fn words(family: usize, count: usize) -> Vec<String> {
    (0..count).map(|n| word(family * 1000 + n)).collect()
}

/// Families of four: a text, a copy of it, one with a word changed, one without its last sentence;
/// and a few documents too short for anything.
pub fn families(n_families: usize) -> Vec<OwnedDocument> {
    let mut documents = Vec::new();
    for family in 0..n_families {
        let whole = text(family, 12);
        let edited = whole.replacen("seen by", "heard by", 1);
        let shorter = text(family, 11);
        for (version, text) in [whole.clone(), whole, edited, shorter].into_iter().enumerate() {
            let id = format!("{:03}-{version}", family * 37 % n_families);
            documents.push(OwnedDocument::new(id, text));
        }
    }
    documents.push(OwnedDocument::new("short", "two words"));
    documents.push(OwnedDocument::new("empty", ""));
    documents
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
