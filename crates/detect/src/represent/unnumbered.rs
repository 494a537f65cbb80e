//! Sentences without the numbers of their clauses.

use std::ops::Range;

use lookalike_text::Token;
use lookalike_text::segment::{Language, after_numbering, sentences};

/// Calls `take` with the sentences of a paragraph that have a term, each with its place and its tokens.
///
/// The number of a clause is no part of it, so that a renumbered clause stays the same: `skipped`
/// hears of tokens that belong to no sentence. `rest` are the tokens not yet used.
pub(super) fn unnumbered<'a>(
    text: &str,
    paragraph: &Range<usize>,
    language: Option<Language>,
    rest: &mut &'a [Token],
    mut skipped: impl FnMut(&Token),
    mut take: impl FnMut(Range<usize>, &'a [Token]),
) {
    let start = paragraph.start + after_numbering(&text[paragraph.clone()]);
    for within in sentences(&text[start..paragraph.end], language) {
        let mut place = start + within.start..start + within.end;
        // A sentence that is the whole paragraph has no number: it would be gone by now.
        if place != *paragraph && begins_line(&text[..place.start]) {
            place.start += after_numbering(&text[place.clone()]);
        }
        take_before(rest, place.start).iter().for_each(&mut skipped);
        let tokens = take_before(rest, place.end);
        if !tokens.is_empty() {
            take(place, tokens);
        }
    }
}

/// Takes the tokens that begin before a place; each is looked at once, as there are few at a time.
fn take_before<'a>(rest: &mut &'a [Token], place: usize) -> &'a [Token] {
    let is_before = |token: &&Token| (token.start as usize) < place;
    let (taken, behind) = rest.split_at(rest.iter().take_while(is_before).count());
    *rest = behind;
    taken
}

/// Whether what follows this text is the first of its line, but for blanks.
fn begins_line(before: &str) -> bool {
    let last = before.bytes().rev().find(|byte| !matches!(byte, b' ' | b'\t'));
    match last {
        Some(byte) if byte.is_ascii() => matches!(byte, b'\n' | b'\r'),
        _ => begins_line_plainly(before),
    }
}

/// The plain version.
fn begins_line_plainly(before: &str) -> bool {
    before.trim_end_matches([' ', '\t', '\u{a0}', '\u{3000}']).ends_with(['\n', '\r'])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(512) })]
        #[test]
        fn lines_begin_where_the_plain_version_says(before in "[a\n\r \t\u{a0}\u{3000}é\u{b}]{0,6}") {
            prop_assert_eq!(begins_line(&before), begins_line_plainly(&before));
        }
    }
}
