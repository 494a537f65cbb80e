//! The distinct terms of one document at a time, in buffers that are used again.

use lookalike_statistics::DistinctHashes;
use lookalike_text::Analyzer;

/// Distinct terms in the order of their first appearance, as hashes and, where wanted, as texts.
#[derive(Clone, Debug, Default)]
pub struct DistinctTerms {
    hashes: DistinctHashes,
    text: String,
    ends: Vec<u32>,
}

impl DistinctTerms {
    /// Takes the distinct terms of a text.
    pub fn fill(&mut self, analyzer: &Analyzer, text: &str) {
        self.clear();
        analyzer.visit_hashed(text, |term, hash, _| {
            if self.hashes.insert(hash) {
                self.text.push_str(term);
                self.ends.push(self.text.len() as u32);
            }
        });
    }

    /// Takes the hashes of the distinct terms of a text, without their texts.
    pub fn fill_hashes(&mut self, analyzer: &Analyzer, text: &str) {
        self.clear();
        // No term's text is kept: the room for them serves the tokenizer.
        analyzer.visit_hashes(text, &mut self.text, |some| {
            for hash in some {
                self.hashes.insert(*hash);
            }
        });
        self.text.clear();
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
            Some(&end) => &self.text[start.copied().unwrap_or(0) as usize..end as usize],
            None => "",
        }
    }

    fn clear(&mut self) {
        self.hashes.clear();
        self.text.clear();
        self.ends.clear();
    }
}
