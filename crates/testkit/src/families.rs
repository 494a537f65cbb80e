//! Families of documents made up for tests.

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
/// and a few documents too short for anything. By id and text.
pub fn families(n_families: usize) -> Vec<(String, String)> {
    let mut documents = Vec::new();
    for family in 0..n_families {
        let whole = text(family, 12);
        let edited = whole.replacen("seen by", "heard by", 1);
        let shorter = text(family, 11);
        for (version, text) in [whole.clone(), whole, edited, shorter].into_iter().enumerate() {
            let id = format!("{:03}-{version}", family * 37 % n_families);
            documents.push((id, text));
        }
    }
    documents.push(("short".into(), "two words".into()));
    documents.push(("empty".into(), String::new()));
    documents
}
