//! Sentences without the numbers of their clauses.

use std::ops::Range;

use lookalike_text::Token;
use lookalike_text::segment::{Language, after_numbering, sentences};

/// The sentences of a paragraph that have a term, each with its place and its tokens.
///
/// The number of a clause is no part of it, so that a renumbered clause stays the same: `skipped`
/// hears of tokens that belong to no sentence. `rest` are the tokens not yet used.
pub(super) fn unnumbered<'a>(
    text: &str,
    paragraph: &Range<usize>,
    language: Option<Language>,
    rest: &mut &'a [Token],
    mut skipped: impl FnMut(&Token),
) -> Vec<(Range<usize>, &'a [Token])> {
    let start = paragraph.start + after_numbering(&text[paragraph.clone()]);
    sentences(&text[start..paragraph.end], language)
        .filter_map(|within| {
            let mut place = start + within.start..start + within.end;
            if begins_line(&text[..place.start]) {
                place.start += after_numbering(&text[place.clone()]);
            }
            take_before(rest, place.start).iter().for_each(&mut skipped);
            let tokens = take_before(rest, place.end);
            (!tokens.is_empty()).then_some((place, tokens))
        })
        .collect()
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
    before.trim_end_matches([' ', '\t', '\u{a0}', '\u{3000}']).ends_with(['\n', '\r'])
}
