//! Character references of HTML: `&amp;`, `&#233;`, `&#xE9;`.
//!
//! `data/html-entities.txt` lists the named references of the HTML standard, in the order of
//! their bytes, as Python's `html.entities.html5` has them: a name (with its semicolon, unless
//! the standard lets it go without) and the code points in hexadecimal.

use std::sync::LazyLock;

const LIST: &str = include_str!("../../data/html-entities.txt");

/// Names and code points, sorted by name.
static NAMED: LazyLock<Vec<(&'static str, &'static str)>> =
    LazyLock::new(|| LIST.lines().filter_map(|line| line.split_once(' ')).collect());

/// The longest name is `CounterClockwiseContourIntegral;`.
const LONGEST_NAME: usize = 32;

/// Appends `raw` to `text` with its character references resolved; others stay as they are.
#[cfg(feature = "html")]
pub(super) fn decode_into(raw: &str, text: &mut String) {
    let mut rest = raw;
    while let Some(position) = rest.find('&') {
        text.push_str(&rest[..position]);
        rest = &rest[position + 1..];
        let length = match rest.strip_prefix('#') {
            Some(number) => numeric(number, text).map(|length| length + 1),
            None => named(rest, text),
        };
        match length {
            Some(length) => rest = &rest[length..],
            None => text.push('&'),
        }
    }
    text.push_str(rest);
}

/// The character reference that `rest` begins with, behind its `&`, and how long it is, where it is
/// clear that plain text means one.
///
/// That is a number, or the name of a mark or letter that texts have, with its semicolon. Names of
/// mathematical signs are left out: programs have `&sum;` and mean a variable.
pub(crate) fn reference(rest: &str) -> Option<(String, usize)> {
    let mut text = String::new();
    let length = if let Some(number) = rest.strip_prefix('#') {
        numeric(number, &mut text).map(|length| length + 1)?
    } else {
        let end = rest.bytes().take(LONGEST_NAME).position(|b| !b.is_ascii_alphanumeric())?;
        let name = rest.get(..=end)?;
        let place = NAMED.binary_search_by_key(&name, |&(name, _)| name).ok()?;
        text.extend(characters_of(place));
        name.len()
    };
    let mut characters = text.chars();
    let (character, None) = (characters.next()?, characters.next()) else { return None };
    let is_of_texts = matches!(
        character,
        '&' | '<' | '>' | '"' | '\'' | '\u{A0}'..='\u{17F}' | '\u{391}'..='\u{3C9}'
            | '\u{2000}'..='\u{206F}' | '€' | '™'
    );
    let is_meant = if rest.starts_with('#') { character >= ' ' } else { is_of_texts };
    let is_meant = is_meant && character != char::REPLACEMENT_CHARACTER;
    (is_meant && rest[..length].ends_with(';')).then_some((text, length))
}

/// Resolves a reference behind `&#`; gives the length of what it used up.
fn numeric(rest: &str, text: &mut String) -> Option<usize> {
    let (digits, radix) = match rest.strip_prefix(['x', 'X']) {
        Some(digits) => (digits, 16),
        None => (rest, 10),
    };
    let length = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
    if length == 0 {
        return None;
    }
    // A number too large for the type is no character either.
    let number = u32::from_str_radix(&digits[..length], radix).unwrap_or(u32::MAX);
    text.push(character(number));
    let prefix = rest.len() - digits.len();
    let semicolon = usize::from(digits[length..].starts_with(';'));
    Some(prefix + length + semicolon)
}

fn character(number: u32) -> char {
    match number {
        // The standard reads these as windows-1252, because so many pages mean it.
        0x80..=0x9F => {
            let byte = [number as u8];
            let (decoded, _) = encoding_rs::WINDOWS_1252.decode_without_bom_handling(&byte);
            decoded.chars().next().unwrap_or(char::REPLACEMENT_CHARACTER)
        }
        0 => char::REPLACEMENT_CHARACTER,
        _ => char::from_u32(number).unwrap_or(char::REPLACEMENT_CHARACTER),
    }
}

/// Resolves the longest name at the start of `rest`; gives the name's length.
#[cfg(feature = "html")]
fn named(rest: &str, text: &mut String) -> Option<usize> {
    let letters = rest.bytes().take(LONGEST_NAME).take_while(u8::is_ascii_alphanumeric).count();
    let semicolon = usize::from(rest[letters..].starts_with(';'));
    (2..=letters + semicolon).rev().find_map(|length| {
        let name = &rest[..length];
        let place = NAMED.binary_search_by_key(&name, |&(name, _)| name).ok()?;
        text.extend(characters_of(place));
        Some(length)
    })
}

/// What a name of the list stands for.
fn characters_of(place: usize) -> impl Iterator<Item = char> {
    let code_points = NAMED[place].1.split(' ');
    code_points.filter_map(|hex| char::from_u32(u32::from_str_radix(hex, 16).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(raw: &str) -> String {
        let mut text = String::new();
        decode_into(raw, &mut text);
        text
    }

    #[test]
    fn the_list_is_sorted_and_complete() {
        assert_eq!(NAMED.len(), 2231);
        assert!(NAMED.is_sorted());
        assert!(NAMED.iter().all(|(name, _)| name.len() <= LONGEST_NAME));
    }

    #[test]
    fn references_of_all_kinds_are_resolved() {
        assert_eq!(decoded("caf&eacute; &amp; th&#233; &#xE9; &#X41;"), "café & thé é A");
        assert_eq!(decoded("&#150; &#8364;&#0;&#99999999999;"), "– €\u{FFFD}\u{FFFD}");
        assert_eq!(decoded("&NotEqualTilde;"), "≂\u{338}");
    }

    #[test]
    fn old_names_need_no_semicolon_and_the_longest_wins() {
        assert_eq!(decoded("&copy 2002, &notin; &notit;"), "© 2002, ∉ ¬it;");
    }

    #[test]
    fn anything_else_stays_as_it_is() {
        for raw in ["", "&", "&;", "a & b", "&unknown;", "&#;", "&#x;", "&é;", "AT&T", "&&&"] {
            assert_eq!(decoded(raw), raw);
        }
    }
}
