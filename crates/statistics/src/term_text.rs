//! The texts of terms, where they are kept, in one flat buffer.

/// Texts numbered from 1 in the order they were added; 0 stands for none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TermTexts {
    text: String,
    ends: Vec<u64>,
}

impl TermTexts {
    /// Whether no text is kept.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Keeps a text and gives its number.
    pub fn push(&mut self, term: &str) -> u32 {
        self.text.push_str(term);
        self.ends.push(self.text.len() as u64);
        self.ends.len() as u32
    }

    /// The text of this number.
    pub fn text(&self, number: u32) -> Option<&str> {
        let last = number.checked_sub(1)? as usize;
        let end = *self.ends.get(last)? as usize;
        let start = last.checked_sub(1).map_or(0, |previous| self.ends[previous] as usize);
        self.text.get(start..end)
    }
}
