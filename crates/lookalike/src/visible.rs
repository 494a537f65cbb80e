//! Text that is not ours, made safe to look at.
//!
//! Ids, titles, texts, names of files and fields come from anywhere. What would move the cursor,
//! change colors, reverse the reading direction or hide between letters is shown as a sign of its
//! own, so that a terminal shows what is there and does nothing else.

use std::borrow::Cow;

/// Whether line breaks are part of a text or have to be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Breaks {
    /// They end lines.
    Kept,
    /// They are shown, so that no text can pretend to be a line of ours.
    Shown,
}

/// The text with everything visible that is not.
pub fn visible(text: &str, breaks: Breaks) -> Cow<'_, str> {
    // Nearly all text is plain; a look is cheaper than a copy.
    let is_suspect = |c: char| c.is_control() || (c > '\u{7f}' && is_invisible(c));
    if !text.contains(is_suspect) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    let mut before = None;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let after = characters.peek().copied();
        match character {
            '\n' if breaks == Breaks::Kept => shown.push('\n'),
            '\t' => shown.push('\t'),
            // The pictures of control characters stand in their order.
            '\0'..='\u{1f}' => {
                shown.push(char::from_u32(0x2400 + character as u32).unwrap_or('\u{fffd}'));
            }
            '\u{7f}' => shown.push('\u{2421}'),
            _ if character.is_control() => shown += &by_number(character),
            _ if joins(character, before, after) || !is_invisible(character) => {
                shown.push(character);
            }
            _ => shown += &by_number(character),
        }
        before = Some(character);
    }
    Cow::Owned(shown)
}

/// JSON with the characters escaped that serde leaves as they are; it means the same.
pub fn visible_json(text: &str) -> Cow<'_, str> {
    // Below U+007F serde has escaped them, and outside of strings there are none.
    let is_suspect =
        |c: char| c == '\u{7f}' || (c > '\u{7f}' && (c.is_control() || is_invisible(c)));
    if !text.contains(is_suspect) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if is_suspect(character) {
            for unit in character.encode_utf16(&mut [0; 2]) {
                shown.extend([format!("\\u{unit:04x}")]);
            }
        } else {
            shown.push(character);
        }
    }
    Cow::Owned(shown)
}

fn by_number(character: char) -> String {
    format!("<U+{:04X}>", character as u32)
}

/// Joiners belong to Persian, Indic scripts and emoji; between Latin letters they only deceive.
fn joins(character: char, before: Option<char>, after: Option<char>) -> bool {
    let foreign = |c: Option<char>| c.is_some_and(|c| c > '\u{2ff}' && !is_invisible(c));
    matches!(character, '\u{200c}' | '\u{200d}') && foreign(before) && foreign(after)
}

/// Characters without a shape that change how others are read, or that hide.
fn is_invisible(character: char) -> bool {
    matches!(character,
        '\u{ad}' // soft hyphen
        | '\u{61c}' // Arabic letter mark
        | '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' // Hangul fillers
        | '\u{180e}' // Mongolian vowel separator
        | '\u{200b}'..='\u{200f}' // zero-width space, joiners, direction marks
        | '\u{2028}'..='\u{202e}' // line separators, embeddings and overrides of direction
        | '\u{2060}'..='\u{206f}' // word joiner, invisible operators, isolates
        | '\u{feff}' // byte order mark
        | '\u{fff9}'..='\u{fffb}' // annotations
        | '\u{1d173}'..='\u{1d17a}' // musical formatting
        | '\u{e0000}'..='\u{e007f}' // tags
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_of_any_language_stays_as_it_is() {
        for text in [
            "Zürich, 東京, Ἀθήνα",
            "قراءة النص",
            "हिन्दी",
            "می\u{200c}خواهم",
            "👩\u{200d}🚀",
            "क\u{94d}\u{200d}ष",
            "tab\there",
        ] {
            assert!(
                matches!(visible(text, Breaks::Shown), Cow::Borrowed(same) if same == text)
                    || visible(text, Breaks::Shown) == text,
                "{text}"
            );
        }
    }

    #[test]
    fn control_characters_are_shown_by_their_picture_or_number() {
        let shown = |text| visible(text, Breaks::Shown).into_owned();
        assert_eq!(shown("a\u{1b}[2Jb"), "a␛[2Jb");
        assert_eq!(shown("a\rb\u{7}\u{8}\u{7f}"), "a␍b␇␈␡");
        assert_eq!(shown("a\u{9b}2J\u{85}"), "a<U+009B>2J<U+0085>");
        assert_eq!(shown("gpj\u{202e}.exe"), "gpj<U+202E>.exe");
        assert_eq!(shown("pay\u{200b}pal \u{200d}x"), "pay<U+200B>pal <U+200D>x");
        assert_eq!(shown("one\ntwo"), "one␊two");
        assert_eq!(visible("one\ntwo\u{1b}", Breaks::Kept), "one\ntwo␛");
    }

    #[test]
    fn json_means_the_same_after_it_was_made_visible() {
        let value = serde_json::json!({"id": "a\u{1b}\u{9b}\u{7f}\u{202e}\u{e0041}b\nü"});
        let text = serde_json::to_string_pretty(&value).unwrap();
        let shown = visible_json(&text);
        assert!(!shown.contains(['\u{9b}', '\u{7f}', '\u{202e}', '\u{e0041}']), "{shown}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).unwrap(), value);
    }
}
