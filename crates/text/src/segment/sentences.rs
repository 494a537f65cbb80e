//! Sentences of a paragraph.

use std::ops::Range;

use super::Language;
use super::abbreviations::{Abbreviation, abbreviation};
use super::paragraphs::trimmed;

/// The sentences of a text, in reading order, without the white space around them.
///
/// A sentence ends after one of
/// * `。 ！ ？ ； ｡ ؟ ۔ ؛ । ॥` and the full stops of Armenian, Ethiopic, Khmer and Burmese,
///   wherever they stand;
/// * `! ? ;` before white space or the end, so that addresses and code are not torn;
/// * a full stop before white space or the end, unless it belongs to an abbreviation, an
///   initial, an enumeration's number or a German ordinal, or a small letter follows; between
///   two Han or kana characters also without white space;
/// * white space between two Thai, Lao, Khmer or Burmese letters, which these scripts put where
///   others put a full stop.
///
/// Closing quotation marks and brackets stay with the sentence they close. What has no letter or
/// digit is no sentence. `language` decides which abbreviations hold; `None` takes them all.
pub fn sentences(text: &str, language: Option<Language>) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    std::iter::from_fn(move || {
        while start < text.len() {
            let end = sentence_end(text, start, language);
            let range = trimmed(text, start..end);
            start = end;
            if text[range.clone()].chars().any(char::is_alphanumeric) {
                return Some(range);
            }
        }
        None
    })
}

/// Where the sentence that begins at `start` ends; always beyond `start`.
fn sentence_end(text: &str, start: usize, language: Option<Language>) -> usize {
    let mut previous = None;
    for (offset, c) in text[start..].char_indices() {
        let position = start + offset;
        let after = position + c.len_utf8();
        let ends = match c {
            '.' | '．' => full_stop_ends(text, start, position, language),
            '!' | '?' | ';' | '\u{37e}' | '…' => breaks_off(text, after),
            _ if is_terminator(c) => true,
            _ if c.is_whitespace() && previous.is_some_and(is_spaceless_letter) => {
                text[after..].trim_start().starts_with(is_spaceless_letter)
            }
            _ => false,
        };
        if ends {
            return after_closing_marks(text, after);
        }
        previous = Some(c);
    }
    text.len()
}

/// Terminators that no other use shares.
#[rustfmt::skip]
fn is_terminator(c: char) -> bool {
    matches!(
        c,
        '。' | '！' | '？' | '；' | '｡' | '؟' | '۔' | '؛' | '।' | '॥'
        | '։' | '።' | '፧' | '។' | '៕' | '။'
    )
}

fn is_closing(c: char) -> bool {
    matches!(
        c,
        '"' | '\'' | '”' | '’' | '»' | '›' | ')' | ']' | '）' | '」' | '』' | '》' | '】' | '〉'
    )
}

/// Letters of scripts that put spaces between phrases instead of words.
fn is_spaceless_letter(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}')
}

fn is_han_or_kana(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{20000}'..='\u{323af}')
}

/// Whether nothing but closing marks and further terminators stand between here and white space.
fn breaks_off(text: &str, after: usize) -> bool {
    text[after_closing_marks(text, after)..]
        .chars()
        .next()
        .is_none_or(|c| c.is_whitespace() || is_han_or_kana(c))
}

/// The end of the run of terminators and closing marks that begins at `position`.
fn after_closing_marks(text: &str, position: usize) -> usize {
    let more = |c: char| is_closing(c) || is_terminator(c) || matches!(c, '.' | '!' | '?' | '…');
    text.len() - text[position..].trim_start_matches(more).len()
}

fn full_stop_ends(text: &str, start: usize, position: usize, language: Option<Language>) -> bool {
    let dot_length = text[position..].chars().next().map_or(1, char::len_utf8);
    let after = after_closing_marks(text, position + dot_length);
    let before = text[start..position].chars().next_back();
    let next = text[after..].chars().next();
    match next {
        None => return true,
        Some(c) if c.is_whitespace() => {}
        Some(c) => return is_han_or_kana(c) && before.is_some_and(is_han_or_kana),
    }
    let following = text[after..].trim_start().chars().next();
    if following.is_some_and(char::is_lowercase) {
        return false;
    }
    let number_follows = following.is_some_and(|c| c.is_ascii_digit());
    let word = last_word(&text[start..position]);
    let is_number = !word.is_empty() && word.chars().all(|c| c.is_ascii_digit());
    if is_number {
        let enumerates = text[start..position].trim_start().len() == word.len();
        let ordinal = language == Some(Language::GERMAN) && word.len() <= 2;
        return !enumerates && !ordinal;
    }
    let mut letters = word.chars();
    let initial = letters.next().is_some_and(char::is_alphabetic) && letters.next().is_none();
    let dotted = word.contains('.');
    if (initial || dotted) && !word.chars().any(is_han_or_kana) {
        return following.is_none();
    }
    match abbreviation(word, language) {
        Some(Abbreviation::Always) => following.is_none(),
        Some(Abbreviation::BeforeNumber) => !number_follows,
        None => true,
    }
}

/// The run of letters, digits and inner full stops that a text ends in: `Dr`, `z.B`, `3`.
fn last_word(text: &str) -> &str {
    let is_inside = |c: char| c.is_alphanumeric() || c == '.';
    let begin = text.trim_end_matches(is_inside).len();
    text[begin..].trim_matches('.')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cut(text: &str) -> Vec<&str> {
        sentences(text, Language::detect(text)).map(|range| &text[range]).collect()
    }

    fn cut_as<'a>(code: &str, text: &'a str) -> Vec<&'a str> {
        sentences(text, code.parse().ok()).map(|range| &text[range]).collect()
    }

    #[test]
    fn abbreviations_initials_and_decimals_do_not_end_an_english_sentence() {
        let text = "Dr. J. Miller paid 3.50 dollars, e.g. for No. 5. She left. \"Why?\" he asked.";
        let expected = [
            "Dr. J. Miller paid 3.50 dollars, e.g. for No. 5.",
            "She left.",
            "\"Why?\"",
            "he asked.",
        ];
        assert_eq!(cut_as("en", text), expected);
    }

    #[test]
    fn an_answer_no_ends_a_sentence() {
        assert_eq!(cut_as("en", "She said no. They left."), ["She said no.", "They left."]);
    }

    #[test]
    fn addresses_and_code_are_not_torn() {
        let text = "See https://example.org/a?b=c;d and lib.rs now. Then go; or stay.";
        assert_eq!(
            cut_as("en", text),
            ["See https://example.org/a?b=c;d and lib.rs now.", "Then go;", "or stay."]
        );
    }

    #[test]
    fn german_ordinals_and_abbreviations_do_not_end_a_sentence() {
        let text = "Am 3. Mai kam z.B. Frau Dr. Holm, bzw. ihr Sohn. Um 1990. Danach nichts.";
        let expected =
            ["Am 3. Mai kam z.B. Frau Dr. Holm, bzw. ihr Sohn.", "Um 1990.", "Danach nichts."];
        assert_eq!(cut_as("de", text), expected);
    }

    #[test]
    fn an_enumeration_keeps_its_number() {
        assert_eq!(cut_as("en", "1. Open it. 2. Shut it."), ["1. Open it.", "2. Shut it."]);
    }

    #[test]
    fn chinese_ends_at_its_own_marks_and_keeps_closing_quotes() {
        let text = "他说：“船到了。”大家都跑出去看；真的吗？当然！价格是3.5元.没有人买";
        let expected = [
            "他说：“船到了。”",
            "大家都跑出去看；",
            "真的吗？",
            "当然！",
            "价格是3.5元.",
            "没有人买",
        ];
        assert_eq!(cut(text), expected);
    }

    #[test]
    fn japanese_ends_at_its_own_marks() {
        assert_eq!(
            cut("「門は閉まった。」と彼は言った。船は外で待った！"),
            ["「門は閉まった。」", "と彼は言った。", "船は外で待った！"]
        );
    }

    #[test]
    fn arabic_and_urdu_marks_end_a_sentence() {
        assert_eq!(
            cut_as("ar", "هل وصلت السفينة؟ نعم؛ وصلت الآن. شكرا"),
            ["هل وصلت السفينة؟", "نعم؛", "وصلت الآن.", "شكرا"]
        );
        assert_eq!(cut_as("ur", "جہاز آ گیا۔ سب خوش ہیں۔"), ["جہاز آ گیا۔", "سب خوش ہیں۔"]);
    }

    #[test]
    fn a_danda_ends_a_hindi_sentence() {
        assert_eq!(cut("नाव आ गई। सब लोग दौड़े॥ क्या सच?"), ["नाव आ गई।", "सब लोग दौड़े॥", "क्या सच?"]);
    }

    #[test]
    fn a_space_between_thai_letters_ends_a_phrase() {
        assert_eq!(
            cut("เรือมาถึงแล้ว ทุกคนวิ่งออกไปดู ราคา 35 บาท"),
            ["เรือมาถึงแล้ว", "ทุกคนวิ่งออกไปดู", "ราคา 35 บาท"]
        );
    }

    #[test]
    fn russian_initials_do_not_end_a_sentence() {
        assert_eq!(
            cut_as("ru", "Пришёл А. С. Орлов. Корабль ушёл! Кто видел?"),
            ["Пришёл А. С. Орлов.", "Корабль ушёл!", "Кто видел?"]
        );
    }

    #[test]
    fn punctuation_alone_is_no_sentence() {
        assert!(cut("... !? —").is_empty());
        assert!(cut("").is_empty());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn sentences_keep_every_letter_once_and_in_order(text in "[aB1.。!?;…\"” \n中ก]{0,40}") {
            let mut end = 0;
            let mut rebuilt = String::new();
            for range in sentences(&text, None) {
                prop_assert!(range.start >= end && range.start < range.end);
                end = range.end;
                rebuilt.push_str(&text[range]);
            }
            let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
            prop_assert_eq!(letters(&rebuilt), letters(&text));
        }
    }
}
