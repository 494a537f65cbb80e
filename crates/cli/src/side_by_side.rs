//! Two texts in two columns, with what differs marked and what is equal shortened.

use console::measure_text_width;
use lookalike::changed_words;
use similar::ChangeTag;

use crate::display::{Look, Piece};
use lookalike::visible::{Breaks, visible};

/// Equal words kept on each side of a difference.
const CONTEXT_WORDS: usize = 12;

/// Between the columns.
const GUTTER: &str = " | ";

/// A word, or a character of a text without spaces.
#[derive(Clone, Debug, PartialEq)]
struct Word {
    text: String,
    /// Whether the other text lacks it.
    differs: bool,
    /// Whether a space stands before it.
    is_apart: bool,
}

/// A stretch of both texts.
#[derive(Clone, Debug, PartialEq)]
enum Block {
    /// The words of the left and of the right text.
    Words(Vec<Word>, Vec<Word>),
    /// So many equal words were left out.
    Equal(usize),
}

/// The lines of two texts side by side, `width` columns wide.
pub fn side_by_side(left: &str, right: &str, width: usize) -> Vec<Vec<Piece>> {
    let column = (width.saturating_sub(GUTTER.len()) / 2).max(20);
    let mut lines = Vec::new();
    for block in blocks(left, right) {
        match block {
            Block::Equal(n_words) => {
                let left_out = format!("… {n_words} equal words …");
                let plain = vec![(Look::Plain, left_out)];
                lines.push(beside(plain.clone(), plain, column));
            }
            Block::Words(left, right) => {
                let left = wrap(&left, column, ["[-", "-]"], Look::Removed);
                let right = wrap(&right, column, ["{+", "+}"], Look::Added);
                for row in 0..left.len().max(right.len()) {
                    let cell = |lines: &[Vec<Piece>]| lines.get(row).cloned().unwrap_or_default();
                    lines.push(beside(cell(&left), cell(&right), column));
                }
            }
        }
    }
    lines
}

/// One line of two cells, the left one padded.
pub fn two_cells(left: &str, right: &str, width: usize) -> String {
    let column = (width.saturating_sub(GUTTER.len()) / 2).max(20);
    let cut = |text: &str| {
        let text = visible(text, Breaks::Shown);
        vec![(Look::Plain, console::truncate_str(&text, column, "…").into_owned())]
    };
    text_of(&beside(cut(left), cut(right), column)).trim_end().to_owned()
}

/// Two cells on one line, the left one as wide as its column.
fn beside(mut left: Vec<Piece>, right: Vec<Piece>, column: usize) -> Vec<Piece> {
    let missing = column.saturating_sub(measure_text_width(&text_of(&left)));
    let gutter = if right.is_empty() { GUTTER.trim_end() } else { GUTTER };
    left.push((Look::Plain, format!("{}{gutter}", " ".repeat(missing))));
    left.extend(right);
    left
}

fn text_of(line: &[Piece]) -> String {
    line.iter().map(|(_, text)| text.as_str()).collect()
}

/// Cuts the difference where both texts agree for long.
fn blocks(left: &str, right: &str) -> Vec<Block> {
    let runs = runs(changed_words(left, right));
    let mut blocks = Vec::new();
    let (mut lefts, mut rights) = (Vec::new(), Vec::new());
    let last = runs.len().saturating_sub(1);
    for (position, (tag, words)) in runs.into_iter().enumerate() {
        let mut take = |words: &[Word]| {
            if tag != ChangeTag::Insert {
                lefts.extend_from_slice(words);
            }
            if tag != ChangeTag::Delete {
                rights.extend_from_slice(words);
            }
        };
        if tag != ChangeTag::Equal {
            take(&words);
            continue;
        }
        let head = if position == 0 { 0 } else { CONTEXT_WORDS };
        let tail = if position == last { 0 } else { CONTEXT_WORDS };
        if words.len() <= head + tail + CONTEXT_WORDS {
            take(&words);
            continue;
        }
        take(&words[..head]);
        if !(lefts.is_empty() && rights.is_empty()) {
            blocks.push(Block::Words(std::mem::take(&mut lefts), std::mem::take(&mut rights)));
        }
        blocks.push(Block::Equal(words.len() - head - tail));
        lefts.extend_from_slice(&words[words.len() - tail..]);
        rights.clone_from(&lefts);
    }
    if !(lefts.is_empty() && rights.is_empty()) {
        blocks.push(Block::Words(lefts, rights));
    }
    blocks
}

/// The words of a difference, neighbors of one kind together, spaces only told.
fn runs(difference: Vec<(ChangeTag, &str)>) -> Vec<(ChangeTag, Vec<Word>)> {
    let mut runs: Vec<(ChangeTag, Vec<Word>)> = Vec::new();
    let [mut left_is_apart, mut right_is_apart] = [false; 2];
    for (tag, value) in difference {
        let is_space = value.trim().is_empty();
        let was_apart = if tag == ChangeTag::Insert { right_is_apart } else { left_is_apart };
        if tag != ChangeTag::Insert {
            left_is_apart = is_space;
        }
        if tag != ChangeTag::Delete {
            right_is_apart = is_space;
        }
        if is_space {
            continue;
        }
        let text = visible(value.trim(), Breaks::Shown).into_owned();
        let word = Word { text, differs: tag != ChangeTag::Equal, is_apart: was_apart };
        match runs.last_mut() {
            Some((of_run, words)) if *of_run == tag => words.push(word),
            _ => runs.push((tag, vec![word])),
        }
    }
    runs
}

/// Breaks words into lines; runs of words that differ stand between the marks.
fn wrap(words: &[Word], width: usize, marks: [&str; 2], look: Look) -> Vec<Vec<Piece>> {
    let mut lines = Vec::new();
    let (mut line, mut used): (Vec<Piece>, usize) = (Vec::new(), 0);
    for (position, word) in words.iter().enumerate() {
        let differs =
            |at: Option<usize>| at.and_then(|at| words.get(at)).is_some_and(|w| w.differs);
        let mut text = word.text.clone();
        if word.differs && !differs(position.checked_sub(1)) {
            text.insert_str(0, marks[0]);
        }
        if word.differs && !differs(Some(position + 1)) {
            text.push_str(marks[1]);
        }
        for (number, piece) in pieces(&text, width).into_iter().enumerate() {
            let needed = measure_text_width(&piece);
            let space = usize::from(word.is_apart && number == 0);
            if used > 0 && used + space + needed > width {
                lines.push(std::mem::take(&mut line));
                used = 0;
            }
            if used > 0 && space > 0 {
                line.push((Look::Plain, " ".into()));
                used += 1;
            }
            line.push((if word.differs { look } else { Look::Plain }, piece));
            used += needed;
        }
    }
    if used > 0 {
        lines.push(line);
    }
    lines
}

/// A word cut to pieces that fit: addresses, and text without spaces.
fn pieces(text: &str, width: usize) -> Vec<String> {
    let mut pieces = vec![String::new()];
    let mut used = 0;
    for character in text.chars() {
        let needed = measure_text_width(character.encode_utf8(&mut [0; 4]));
        if used + needed > width {
            pieces.push(String::new());
            used = 0;
        }
        if let Some(piece) = pieces.last_mut() {
            piece.push(character);
        }
        used += needed;
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(left: &str, right: &str, width: usize) -> Vec<String> {
        side_by_side(left, right, width).iter().map(|line| text_of(line)).collect()
    }

    #[test]
    fn differences_stand_beside_each_other_between_marks() {
        let lines = texts("the old ferry leaves", "the new ferry leaves today", 80);
        let expected =
            "the [-old-] ferry leaves               | the {+new+} ferry leaves {+today+}";
        assert_eq!(lines, [expected]);
    }

    #[test]
    fn of_a_text_without_spaces_only_what_differs_is_marked() {
        let lines = texts("市议会星期二晚上开会。", "市议会星期三晚上开会。", 80);
        assert!(lines[0].starts_with("市议会星期[-二-]晚上开会。 "), "{lines:?}");
        assert!(lines[0].ends_with("| 市议会星期{+三+}晚上开会。"), "{lines:?}");
    }

    #[test]
    fn long_equal_stretches_are_left_out() {
        let equal: Vec<String> = (0..200).map(|n| format!("word{n}")).collect();
        let equal = equal.join(" ");
        let lines = texts(&format!("one {equal}"), &format!("two {equal}"), 80);
        assert!(lines.len() < 12, "{lines:?}");
        assert!(lines[0].contains("[-one-]") && lines[0].contains("{+two+}"), "{lines:?}");
        assert!(lines.iter().any(|line| line.contains("188 equal words")), "{lines:?}");
    }

    #[test]
    fn no_line_is_wider_than_asked_even_without_spaces() {
        let lines = texts(&"新闻".repeat(60), &"旧事".repeat(60), 50);
        assert!(lines.iter().all(|line| measure_text_width(line) <= 50), "{lines:?}");
        assert!(lines.len() > 4);
    }

    #[test]
    fn text_cannot_steer_the_terminal() {
        let lines = texts("plain \u{1b}[2J text", "plain text", 60);
        assert!(lines.iter().all(|line| !line.contains('\u{1b}')), "{lines:?}");
    }
}
