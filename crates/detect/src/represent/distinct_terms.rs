//! The distinct terms of one document at a time, in buffers that are used again.

use lookalike_statistics::DistinctHashes;
use lookalike_text::Analyzer;

/// Distinct terms in the order of their first appearance, as hashes and, where wanted, as texts.
///
/// As words ([`DistinctTerms::encode`]): the hashes alone, or how many there are, the hashes, where the
/// text of each term ends, two a word, and the texts one after the other.
#[derive(Clone, Debug, Default)]
pub struct DistinctTerms {
    hashes: DistinctHashes,
    text: String,
    ends: Vec<u32>,
}

impl DistinctTerms {
    /// Takes the distinct terms of a text; returns how many terms it has.
    pub fn fill(&mut self, analyzer: &Analyzer, text: &str) -> usize {
        self.clear();
        let mut n_terms = 0;
        analyzer.visit_hashed(text, |term, hash, _| {
            n_terms += 1;
            if self.hashes.insert(hash) {
                self.text.push_str(term);
                self.ends.push(self.text.len() as u32);
            }
        });
        n_terms
    }

    /// Takes the hashes of the distinct terms of a text, without their texts; returns how many terms it has.
    pub fn fill_hashes(&mut self, analyzer: &Analyzer, text: &str) -> usize {
        self.clear();
        let mut n_terms = 0;
        // No term's text is kept: the room for them serves the tokenizer.
        analyzer.visit_hashes(text, &mut self.text, |some| {
            n_terms += some.len();
            for hash in some {
                self.hashes.insert(*hash);
            }
        });
        self.text.clear();
        n_terms
    }

    /// Appends hashes and texts as words.
    pub fn encode(&self, words: &mut Vec<u64>) {
        words.push(self.ends.len() as u64);
        words.extend_from_slice(self.hashes());
        let pair = |ends: &[u32]| {
            u64::from(ends[0]) | u64::from(ends.get(1).copied().unwrap_or_default()) << 32
        };
        words.extend(self.ends.chunks(2).map(pair));
        let (whole, rest) = self.text.as_bytes().as_chunks::<8>();
        words.extend(whole.iter().map(|bytes| u64::from_le_bytes(*bytes)));
        if !rest.is_empty() {
            let mut last = [0; 8];
            last[..rest.len()].copy_from_slice(rest);
            words.push(u64::from_le_bytes(last));
        }
    }

    /// The hashes of encoded terms, and what is left.
    pub fn encoded_hashes(words: &[u64]) -> (&[u64], &[u64]) {
        let (n_terms, rest) = words.split_first().unwrap_or((&0, &[]));
        rest.split_at_checked(*n_terms as usize).unwrap_or_default()
    }

    /// Takes the texts of so many encoded terms, of what stands behind their hashes; the hashes are left out.
    pub fn fill_texts(&mut self, n_terms: usize, encoded: &[u64]) {
        self.clear();
        let Some((ends, text)) = encoded.split_at_checked(n_terms.div_ceil(2)) else { return };
        self.ends.extend(ends.iter().flat_map(|pair| [*pair as u32, (pair >> 32) as u32]));
        self.ends.truncate(n_terms);
        let mut bytes = std::mem::take(&mut self.text).into_bytes();
        for word in text {
            bytes.extend_from_slice(&word.to_le_bytes());
        }
        bytes.truncate(self.ends.last().map_or(0, |end| *end as usize));
        self.text = String::from_utf8(bytes).unwrap_or_default();
    }

    /// The hashes in the order of first appearance.
    pub fn hashes(&self) -> &[u64] {
        self.hashes.hashes()
    }

    /// The text of the term with this number; empty where only hashes were taken.
    pub fn text(&self, number: u32) -> &str {
        let number = number as usize;
        let start = number.checked_sub(1).and_then(|previous| self.ends.get(previous));
        match self.ends.get(number) {
            Some(&end) => {
                let place = start.copied().unwrap_or(0) as usize..end as usize;
                self.text.get(place).unwrap_or_default()
            }
            None => "",
        }
    }

    fn clear(&mut self) {
        self.hashes.clear();
        self.text.clear();
        self.ends.clear();
    }
}
