//! A comparison as one self-contained HTML page.

use std::ops::Range;

use super::passages::only_there;
use super::shell::{begin, difference, end, escaped, push};
use crate::{Explanation, OwnedDocument, Verdict, shown_percent, shown_score};

/// The page: verdict and measures, the paragraphs that match side by side, both texts with what
/// matches marked, and the difference word by word.
pub fn explanation_page(
    explanation: &Explanation,
    left: &OwnedDocument,
    right: &OwnedDocument,
) -> String {
    let (left_id, right_id) = (escaped(&left.id), escaped(&right.id));
    let mut page = begin(&format!("{left_id} and {right_id}"));
    let verdict = if explanation.verdict.duplicate { "duplicates" } else { "not duplicates" };
    push(&mut page, format_args!("<h1>{left_id} and {right_id}: {verdict}</h1>\n<dl>"));
    measures(explanation, &mut page);
    alone(explanation, left, right, &mut page);
    page.push_str("</dl>\n");
    if !explanation.matches.is_empty() {
        push(
            &mut page,
            format_args!(
                "<h2>Matching paragraphs</h2>\n<table class=\"pair\"><tr><th>{left_id}<th>{right_id}\n"
            ),
        );
        for matched in &explanation.matches {
            let of = |text: &str, place: &Range<usize>| {
                escaped(text.get(place.clone()).unwrap_or_default())
            };
            push(
                &mut page,
                format_args!(
                    "<tr><td dir=\"auto\">{}<td dir=\"auto\">{}\n",
                    of(&left.text, &matched.left),
                    of(&right.text, &matched.right)
                ),
            );
        }
        push(
            &mut page,
            format_args!(
                "</table>\n<h2>Both texts</h2>\n<table class=\"pair\"><tr><th>{left_id}<th>{right_id}\n"
            ),
        );
        let places = |side: fn(&lookalike_detect::ParagraphMatch) -> Range<usize>| {
            explanation.matches.iter().map(side).collect::<Vec<_>>()
        };
        let (in_left, in_right) = (places(|m| m.left.clone()), places(|m| m.right.clone()));
        push(
            &mut page,
            format_args!(
                "<tr><td dir=\"auto\">{}<td dir=\"auto\">{}\n</table>\n",
                marked(&left.text, in_left),
                marked(&right.text, in_right)
            ),
        );
    }
    page.push_str("<h2>Difference</h2>\n");
    difference(&mut page, &explanation.difference);
    end(&mut page);
    page
}

fn measures(explanation: &Explanation, page: &mut String) {
    push(page, format_args!("<dt>score<dd>{}", shown_score(&explanation.verdict)));
    if let Some(comparison) = &explanation.comparison {
        let resemblance = Verdict::new(explanation.verdict.duplicate, comparison.resemblance);
        push(page, format_args!("<dt>resemblance<dd>{}", shown_score(&resemblance)));
        if let Some((left, right)) = comparison.containment {
            push(
                page,
                format_args!(
                    "<dt>containment<dd>{} of the left, {} of the right",
                    shown_percent(left),
                    shown_percent(right)
                ),
            );
        }
    }
    push(page, format_args!("<dt>matching paragraphs<dd>{}", explanation.matches.len()));
}

/// How much of each text the other does not have, and the longest passage of it.
fn alone(
    explanation: &Explanation,
    left: &OwnedDocument,
    right: &OwnedDocument,
    page: &mut String,
) {
    for (alone, document) in [(&explanation.alone.0, left), (&explanation.alone.1, right)] {
        let only = only_there(alone, &document.text);
        push(page, format_args!("<dt>only in {}<dd>{only}", escaped(&document.id)));
    }
}

/// The text with these places marked.
fn marked(text: &str, mut places: Vec<Range<usize>>) -> String {
    places.sort_by_key(|place| place.start);
    let mut marked = String::new();
    let mut written = 0;
    for place in places {
        let Some(inside) = text.get(place.clone()).filter(|_| place.start >= written) else {
            continue;
        };
        marked.push_str(&escaped(&text[written..place.start]));
        push(&mut marked, format_args!("<mark>{}</mark>", escaped(inside)));
        written = place.end;
    }
    marked.push_str(&escaped(&text[written..]));
    marked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_are_marked_and_markup_is_shown_as_text() {
        let text = "a <b> & \"c\" end";
        assert_eq!(
            marked(text, std::iter::once(2..5).collect()),
            "a <mark>&lt;b&gt;</mark> &amp; &quot;c&quot; end"
        );
        // Overlapping and impossible places are left alone.
        assert_eq!(marked("abc", vec![0..2, 1..3, 2..9]), "<mark>ab</mark>c");
    }
}
