//! Sentences of many languages, and of texts that are none.

use proptest::prelude::*;

use super::*;
use crate::stress;

fn cut(text: &str) -> Vec<&str> {
    sentences(text, Language::detect(text)).map(|range| &text[range]).collect()
}

fn cut_as<'a>(code: &str, text: &'a str) -> Vec<&'a str> {
    sentences(text, code.parse().ok()).map(|range| &text[range]).collect()
}

#[test]
fn abbreviations_initials_and_decimals_do_not_end_an_english_sentence() {
    let text = "Dr. J. Miller paid 3.50 dollars, e.g. for No. 5. She left. \"Why?\" he asked.";
    let expected =
        ["Dr. J. Miller paid 3.50 dollars, e.g. for No. 5.", "She left.", "\"Why?\"", "he asked."];
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
    let expected =
        ["他说：“船到了。”", "大家都跑出去看；", "真的吗？", "当然！", "价格是3.5元.", "没有人买"];
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

/// The plain version: every question is answered by looking at the text.
mod plain {
    use super::super::*;

    pub(super) fn sentence_end(text: &str, start: usize, language: Option<Language>) -> usize {
        let mut previous = None;
        for (offset, c) in text[start..].char_indices() {
            let position = start + offset;
            let after = position + c.len_utf8();
            let ends = match c {
                '.' | '．' => full_stop_ends(text, start, position, language),
                '!' | '?' | ';' | '\u{37e}' | '…' => text[after_marks(text, after)..]
                    .chars()
                    .next()
                    .is_none_or(|c| c.is_whitespace() || is_han_or_kana(c)),
                _ if is_terminator(c) => true,
                _ if c.is_whitespace() && previous.is_some_and(is_spaceless_letter) => {
                    text[after..].trim_start().starts_with(is_spaceless_letter)
                }
                _ => false,
            };
            if ends {
                return after_marks(text, after);
            }
            previous = Some(c);
        }
        text.len()
    }

    /// The end of the run of terminators and closing marks that begins at `position`.
    fn after_marks(text: &str, position: usize) -> usize {
        text.len() - text[position..].trim_start_matches(is_mark).len()
    }

    fn full_stop_ends(
        text: &str,
        start: usize,
        position: usize,
        language: Option<Language>,
    ) -> bool {
        let dot_length = text[position..].chars().next().map_or(1, char::len_utf8);
        let after = after_marks(text, position + dot_length);
        let before = text[start..position].chars().next_back();
        match text[after..].chars().next() {
            None => return true,
            Some(c) if c.is_whitespace() => {}
            Some(c) => return is_han_or_kana(c) && before.is_some_and(is_han_or_kana),
        }
        let following = text[after..].trim_start().chars().next();
        if following.is_some_and(char::is_lowercase) {
            return false;
        }
        let word = last_word(&text[start..position]);
        match stop_after(word, language) {
            StopAfter::Number => {
                let enumerates = text[start..position].trim_start().len() == word.len();
                let ordinal = language == Some(Language::GERMAN) && word.len() <= 2;
                !enumerates && !ordinal
            }
            StopAfter::Inner => following.is_none(),
            StopAfter::UnlessNumber => !following.is_some_and(|c| c.is_ascii_digit()),
            StopAfter::End => true,
        }
    }

    /// The run of letters, digits and inner full stops that a text ends in.
    fn last_word(text: &str) -> &str {
        let is_inside = |c: char| c.is_alphanumeric() || c == '.';
        let begin = text.trim_end_matches(is_inside).len();
        text[begin..].trim_matches('.')
    }
}

#[test]
fn no_run_of_anything_makes_cutting_more_than_linear() {
    let german = Some(Language::GERMAN);
    for text in stress::texts(40_000) {
        for language in [None, german] {
            work::take();
            let n_sentences = sentences(&text, language).count();
            let counted = work::take();
            let beginning: String = text.chars().take(12).collect();
            assert!(
                counted <= 6 * text.len() + 100,
                "{beginning:?}: looked at {counted} characters of {} bytes, {n_sentences} sentences",
                text.len()
            );
        }
    }
}

#[test]
fn stress_texts_are_cut_as_the_plain_version_cuts_them() {
    for text in stress::texts(60) {
        for language in [None, Some(Language::ENGLISH), Some(Language::GERMAN)] {
            let mut cutter = Cutter::new(&text, language);
            let mut start = 0;
            while start < text.len() {
                let end = plain::sentence_end(&text, start, language);
                assert_eq!(cutter.sentence_end(start), end, "{text:?} from {start}");
                start = end;
            }
        }
    }
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

    #[test]
    fn cutting_is_as_the_plain_version_cuts(
        text in "([aB12.．。!?;…\"” \n中ก]|Dr|bzw|\\. |\\.\\.|1\\.){0,40}", german in any::<bool>(),
    ) {
        let language = german.then_some(Language::GERMAN);
        let mut cutter = Cutter::new(&text, language);
        let mut start = 0;
        while start < text.len() {
            let end = plain::sentence_end(&text, start, language);
            prop_assert_eq!(cutter.sentence_end(start), end);
            start = end;
        }
    }
}
