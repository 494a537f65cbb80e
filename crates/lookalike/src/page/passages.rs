//! What one text says that another does not, in a line.

use lookalike_detect::measure::Alone;

use super::shell::shortened;

/// Characters of a passage that only one text has.
const SHOWN_CHARACTERS: usize = 400;

/// How many words of a text another does not have, and the longest passage of them.
pub(super) fn only_there(alone: &Alone, text: &str) -> String {
    let Alone { words, alone, longest } = alone;
    let passage = text.get(longest.clone()).unwrap_or_default();
    let passage = shortened(passage, SHOWN_CHARACTERS);
    let more =
        if passage.is_empty() { passage } else { format!("; the longest passage: {passage}") };
    format!("{alone} of {words} words{more}")
}
