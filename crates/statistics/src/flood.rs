//! Words written against the tables of term hashes, for tests.

use lookalike_text::term_hash;

/// So many words whose hashes are chosen; `is_wanted` should take one hash in a few hundred.
///
/// XXH3 has no key, so whoever writes the text can do the same for as many bits as patience lasts.
pub(crate) fn words_with_hashes(count: usize, is_wanted: impl Fn(u64) -> bool) -> Vec<String> {
    let word = |mut number: u64| {
        let mut word = String::from("w");
        while number > 0 {
            word.push(char::from(b'a' + (number % 26) as u8));
            number /= 26;
        }
        word
    };
    (1..).map(word).filter(|word| is_wanted(term_hash(word))).take(count).collect()
}
