//! The texts that a page shows, read again from the input.

use std::collections::BTreeMap;

use lookalike_corpus::Corpus;

use crate::RunError;

/// The beginnings of the texts of documents, by the number of their row through all corpora.
pub(super) struct Texts(BTreeMap<u32, String>);

impl Texts {
    /// Reads the texts with these numbers, up to so many characters each.
    pub(super) fn read(
        corpora: &[&Corpus],
        mut numbers: Vec<u32>,
        characters: usize,
        is_interrupted: impl Fn() -> Result<(), RunError>,
    ) -> Result<Self, RunError> {
        numbers.sort_unstable();
        numbers.dedup();
        let mut texts = BTreeMap::new();
        let mut number = 0;
        for corpus in corpora {
            for block in corpus.blocks() {
                is_interrupted()?;
                block.visit(|row| {
                    if let Ok(document) = &row.content
                        && numbers.binary_search(&number).is_ok()
                    {
                        let text = document.text.chars().take(characters).collect();
                        texts.insert(number, text);
                    }
                    number += 1;
                });
                if numbers.last().is_none_or(|last| number > *last) {
                    return Ok(Self(texts));
                }
            }
        }
        Ok(Self(texts))
    }

    /// The text of a document; empty where the input has changed and it is no longer there.
    pub(super) fn of(&self, number: u32) -> &str {
        self.0.get(&number).map_or("", String::as_str)
    }
}
