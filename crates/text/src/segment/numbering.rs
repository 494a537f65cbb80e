//! Where a paragraph's own words begin, behind its number, bullet or quoting marks.
//!
//! Whoever inserts a clause renumbers all that follow, and a reply quotes with `>`: what a
//! paragraph says has not changed.

use crate::letters::{LetterKind, letter_kind};

/// Markers that may follow each other: `> 1. (a) (ii)`.
const MOST_MARKERS: usize = 6;

/// Numbers above this are years and amounts rather than the numbers of clauses.
const MOST_DIGITS: usize = 4;

/// The offset of a paragraph's first own word: behind bullets, quoting marks, section signs and
/// numbers of any script (`1.`, `5.3`, `(a)`, `iv)`, `§ 12`, `Art. 5`, `٣)`, `一、`, `第五条`, `③`).
///
/// 0 where nothing would be left.
pub fn after_numbering(paragraph: &str) -> usize {
    if begins_with_word(paragraph.as_bytes()) { 0 } else { after_markers(paragraph) }
}

/// Whether a text begins with a word of ASCII that is neither a letter or Roman number nor followed by a
/// number: most do, and none of them has a marker.
fn begins_with_word(text: &[u8]) -> bool {
    let is_roman =
        |letter: &u8| matches!(letter.to_ascii_lowercase(), b'c' | b'i' | b'l' | b'v' | b'x');
    let length = text.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let (word, behind) = text.split_at(length);
    let next = behind.iter().find(|byte| !matches!(byte, b'.' | b' '));
    let is_number =
        |byte: &u8| byte.is_ascii_digit() || byte.is_ascii_uppercase() && is_roman(byte);
    length > 1
        && !word.iter().all(is_roman)
        && next.is_none_or(|byte| byte.is_ascii() && !is_number(byte))
}

/// The plain version of [`after_numbering`].
fn after_markers(paragraph: &str) -> usize {
    let mut rest = paragraph;
    for _ in 0..MOST_MARKERS {
        let (opened, label) = split_signs(rest);
        let Some(behind) = after_label(label, opened) else { break };
        rest = behind;
    }
    let (_, text) = split_signs(rest);
    if text.is_empty() { 0 } else { paragraph.len() - text.len() }
}

/// What stands before the first letter or digit.
#[derive(Clone, Copy, Default)]
struct Signs {
    /// An opening bracket, which a closing one must follow.
    bracket: bool,
    /// A section sign, which makes any number a clause's.
    section: bool,
}

/// Splits off bullets, quoting marks and whatever else is neither letter nor digit.
fn split_signs(text: &str) -> (Signs, &str) {
    let label = text.trim_start_matches(|c: char| letter_kind(c) == LetterKind::None);
    let signs = &text[..text.len() - label.len()];
    let bracket = signs.ends_with(['(', '[', '（', '【', '〔', '［']);
    (Signs { bracket, section: signs.contains(['§', '¶', '№']) }, label)
}

/// What follows the label that a text begins with, if it does.
fn after_label(text: &str, before: Signs) -> Option<&str> {
    let first = text.chars().next()?;
    if is_number_sign(first) {
        return Some(&text[first.len_utf8()..]);
    }
    if let Some(behind) = after_ordinal_characters(text) {
        return Some(behind);
    }
    let (named, number) = match after_section_word(text) {
        Some(number) => (true, number),
        None => (before.section, text),
    };
    let (label, levels) = number_label(number)
        .or_else(|| ideographic_label(number).map(|label| (label, 1)))
        .or_else(|| letters_label(number).filter(|l| !named || is_roman(l)).map(|l| (l, 1)))?;
    let behind = &number[label.len()..];
    let is_letters = label.starts_with(char::is_alphabetic) && !is_ideographic_number(label);
    if before.bracket {
        return behind.strip_prefix([')', ']', '）', '】', '〕', '］']);
    }
    if let Some(after) = behind.strip_prefix([')', '）', ']', '、']) {
        return Some(after);
    }
    let spaced = |text: &str| text.is_empty() || text.starts_with(char::is_whitespace);
    if let Some(after) = behind.strip_prefix(['.', '．', ':', '：', '-', '–', '—'])
        && (spaced(after) || !is_letters && !after.starts_with(|c: char| c.is_ascii_alphanumeric()))
    {
        return Some(after);
    }
    // A number without a mark behind it is a clause's where its name, its sign or its levels say
    // so, and a new sentence follows: `Section 5 The tenant`, but not `Section 5 of the act`.
    let is_clear = named || levels > 1;
    let next = behind.trim_start().chars().next();
    (is_clear && spaced(behind) && next.is_some_and(|c| c.is_alphabetic() && !c.is_lowercase()))
        .then_some(behind)
}

/// Numbers that are a sign by themselves: ①, ⑴, ⒈, ❶, ㈠.
fn is_number_sign(c: char) -> bool {
    matches!(
        c,
        '\u{2460}'..='\u{24ff}' | '\u{2776}'..='\u{2793}' | '\u{3220}'..='\u{3247}'
        | '\u{3280}'..='\u{32b0}' | '\u{1f100}'..='\u{1f10c}'
    )
}

/// Behind `第五条`, `第3章`, `제5조`.
fn after_ordinal_characters(text: &str) -> Option<&str> {
    let number = text.strip_prefix(['第', '제'])?.trim_start();
    let length = number
        .find(|c: char| !c.is_numeric() && !is_ideographic_digit(c))
        .filter(|length| *length > 0)?;
    number[length..].trim_start().strip_prefix(is_section_character)
}

fn is_section_character(c: char) -> bool {
    matches!(
        c,
        '条' | '條'
            | '章'
            | '节'
            | '節'
            | '款'
            | '项'
            | '項'
            | '编'
            | '編'
            | '部'
            | '篇'
            | '조'
            | '항'
            | '장'
            | '절'
            | '관'
    )
}

/// The number at the beginning of a text, with its levels: `5`, `5.3`, `٥`.
fn number_label(text: &str) -> Option<(&str, usize)> {
    let digits = |text: &str| text.find(|c: char| !is_digit(c)).unwrap_or(text.len());
    let (mut end, mut levels) = (0, 0);
    loop {
        let length = digits(&text[end..]);
        let level = &text[end..end + length];
        if level.is_empty() || level.chars().count() > MOST_DIGITS {
            break;
        }
        (end, levels) = (end + length, levels + 1);
        match text[end..].chars().next() {
            Some(dot @ ('.' | '．')) if text[end + dot.len_utf8()..].starts_with(is_digit) => {
                end += dot.len_utf8();
            }
            _ => break,
        }
    }
    // A level that was not taken leaves its full stop behind.
    let label = text[..end].trim_end_matches(['.', '．']);
    (levels > 0).then_some((label, levels))
}

/// Digits of every script, but not fractions and superscripts.
fn is_digit(c: char) -> bool {
    c.is_ascii_digit() || c.is_numeric() && !c.is_ascii() && !is_number_sign(c) && is_decimal(c)
}

/// The scripts whose digits number clauses; each has its ten in a row.
fn is_decimal(c: char) -> bool {
    const ZEROS: &[u32] = &[
        0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xde6,
        0xe50, 0xed0, 0xf20, 0x1040, 0x17e0, 0x1810, 0xff10,
    ];
    ZEROS.iter().any(|zero| (*zero..zero + 10).contains(&u32::from(c)))
}

/// `一`, `十二`, `二十三`: a number only where a mark follows, as the caller sees to.
fn ideographic_label(text: &str) -> Option<&str> {
    let end = text.find(|c: char| !is_ideographic_digit(c)).unwrap_or(text.len());
    (end > 0 && text[..end].chars().count() <= 5).then(|| &text[..end])
}

fn is_ideographic_number(label: &str) -> bool {
    label.chars().all(is_ideographic_digit)
}

fn is_ideographic_digit(c: char) -> bool {
    matches!(
        c,
        '〇' | '零'
            | '一'
            | '二'
            | '三'
            | '四'
            | '五'
            | '六'
            | '七'
            | '八'
            | '九'
            | '十'
            | '百'
            | '千'
            | '两'
            | '壹'
            | '贰'
            | '叁'
            | '肆'
            | '伍'
            | '陆'
            | '柒'
            | '捌'
            | '玖'
            | '拾'
    )
}

/// One letter of any script, or a Roman number: `a`, `б`, `iv`, `XII`.
fn letters_label(text: &str) -> Option<&str> {
    let end = text.find(|c: char| !c.is_alphanumeric()).unwrap_or(text.len());
    let word = &text[..end];
    let is_small_roman = || word.chars().all(|c| "ivxlc".contains(c));
    let is_one = word.chars().nth(1).is_none();
    (!word.is_empty() && (is_one || word.len() <= 7 && (is_small_roman() || is_roman(word))))
        .then_some(word)
}

/// What follows a word for a clause, section or chapter, with its full stop.
fn after_section_word(text: &str) -> Option<&str> {
    let end = text.find(|c: char| !c.is_alphabetic() && !is_vowel_sign(c))?;
    let number = text[end..].trim_start_matches(['.', ' ', '\u{a0}']);
    let is_number = number.starts_with(|c: char| c.is_numeric() || is_roman_digit(c));
    let is_word = || SECTION_WORDS.contains(&text[..end].to_lowercase().as_str());
    (is_number && is_word()).then_some(number)
}

fn is_roman_digit(c: char) -> bool {
    matches!(c, 'I' | 'V' | 'X' | 'L' | 'C')
}

fn is_roman(word: &str) -> bool {
    word.chars().all(is_roman_digit)
}

/// Vowel signs of Indic scripts and Thai stand inside words.
fn is_vowel_sign(c: char) -> bool {
    matches!(c, '\u{900}'..='\u{963}' | '\u{e31}'..='\u{e4e}')
}

/// Words that name a clause before its number.
#[rustfmt::skip]
const SECTION_WORDS: &[&str] = &[
    "abs", "absatz", "abschnitt", "anlage", "annex", "appendix", "art", "article", "articles",
    "articolo", "artigo", "artikel", "artykuł", "artículo", "bab", "capitolo", "capítulo",
    "chapitre", "chapter", "cl", "clause", "clausola", "cláusula", "czl", "điều", "item", "kapitel",
    "kapitola", "khoản", "madde", "no", "nr", "par", "para", "paragraf", "paragraph", "paragraphe",
    "part", "pasal", "point", "punkt", "rozdział", "rule", "schedule", "sec", "secção", "sección",
    "sect", "section", "sezione", "teil", "ust", "ziff", "ziffer", "článek", "čl",
    "глава", "п", "параграф", "пункт", "раздел", "розділ", "ст", "статья", "стаття", "част", "часть",
    "البند", "الباب", "الفصل", "الفقرة", "القسم", "المادة", "بند", "فقرة", "مادة", "ماده",
    "अध्याय", "अनुच्छेद", "खंड", "धारा", "ข้อ", "มาตรา", "หมวด", "άρθρο", "סעיף",
];

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn own_words(paragraph: &str) -> &str {
        &paragraph[after_numbering(paragraph)..]
    }

    #[test]
    fn numbers_of_clauses_do_not_count_in_any_language() {
        for (paragraph, expected) in [
            ("1. The tenant shall pay.", "The tenant shall pay."),
            ("15. The tenant shall pay.", "The tenant shall pay."),
            ("5.3 The tenant shall pay.", "The tenant shall pay."),
            ("5.3.12. The tenant shall pay.", "The tenant shall pay."),
            ("12) the tenant", "the tenant"),
            ("(a) the tenant", "the tenant"),
            ("(iv) the tenant", "the tenant"),
            ("iv. The tenant", "The tenant"),
            ("XII. The tenant", "The tenant"),
            ("[3] the tenant", "the tenant"),
            ("1. (b) (ii) the tenant", "the tenant"),
            ("§ 12 Der Mieter zahlt.", "Der Mieter zahlt."),
            ("§ 12. Der Mieter zahlt.", "Der Mieter zahlt."),
            ("§ 5 Abs. 2 Der Mieter zahlt.", "Der Mieter zahlt."),
            ("Art. 5 Der Mieter zahlt.", "Der Mieter zahlt."),
            ("Article 5: the tenant", "the tenant"),
            ("Section 7 The tenant", "The tenant"),
            ("ARTICLE IV. The tenant", "The tenant"),
            ("> The tenant", "The tenant"),
            ("> > 3. The tenant", "The tenant"),
            ("• The tenant", "The tenant"),
            ("- [ ] The tenant", "The tenant"),
            ("③ The tenant", "The tenant"),
            ("٣. يدفع المستأجر", "يدفع المستأجر"),
            ("٣) يدفع المستأجر", "يدفع المستأجر"),
            ("أ) يدفع المستأجر", "يدفع المستأجر"),
            ("المادة ٥ يدفع المستأجر", "يدفع المستأجر"),
            ("المادة 5: يدفع المستأجر", "يدفع المستأجر"),
            ("一、承租人应当支付租金。", "承租人应当支付租金。"),
            ("十二、承租人应当支付租金。", "承租人应当支付租金。"),
            ("（三）承租人应当支付租金。", "承租人应当支付租金。"),
            ("第五条 承租人应当支付租金。", "承租人应当支付租金。"),
            ("第十二条承租人应当支付租金。", "承租人应当支付租金。"),
            ("3．承租人应当支付租金。", "承租人应当支付租金。"),
            ("3、承租人应当支付租金。", "承租人应当支付租金。"),
            ("３．承租人应当支付租金。", "承租人应当支付租金。"),
            ("제5조 임차인은 지불한다", "임차인은 지불한다"),
            ("가. 임차인은 지불한다", "임차인은 지불한다"),
            ("Статья 5. Арендатор платит.", "Арендатор платит."),
            ("б) Арендатор платит.", "Арендатор платит."),
            ("धारा ५. किरायेदार", "किरायेदार"),
            ("५. किरायेदार", "किरायेदार"),
            ("ข้อ ๕ ผู้เช่าต้องจ่าย", "ผู้เช่าต้องจ่าย"),
            ("Điều 5. Bên thuê", "Bên thuê"),
        ] {
            assert_eq!(own_words(paragraph), expected);
        }
    }

    #[test]
    fn words_that_only_look_like_numbers_stay() {
        for paragraph in [
            "The tenant shall pay.",
            "1990 was a good year.",
            "5 tenants paid.",
            "3.5 percent of the rent",
            "Section 5 of the act",
            "A tenant shall pay.",
            "I paid.",
            "mix it well",
            "civil law",
            "No tenant shall pay.",
            "No Ifs or buts",
            "Part of the rent",
            "一九九〇年很好",
            "十分重要",
            "第一次世界大战",
            "20240131. The log",
            "5.",
            "(a)",
            "",
        ] {
            assert_eq!(own_words(paragraph), paragraph);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1024))]
        #[test]
        fn words_are_passed_as_the_plain_version_passes_them(
            text in "(art|Sec|civil|No|[a-dA-Divxlcm]{1,3}|[0-9]{1,2}|[IVXLC]|[. ()§:-]|[\u{a0}\u{301}éß中第条٣]){0,7}",
        ) {
            prop_assert_eq!(after_numbering(&text), after_markers(&text));
        }
    }

    #[test]
    fn a_bracket_around_a_word_is_no_marker() {
        assert_eq!(own_words("(see below) The tenant"), "see below) The tenant");
    }
}
