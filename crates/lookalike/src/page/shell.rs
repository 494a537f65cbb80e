//! What all pages have in common: head, style, and the one place where foreign text is made harmless.

use std::fmt::Write as _;

use similar::ChangeTag;

/// The look of all pages, that of the service among them.
pub const PAGE_STYLE: &str = include_str!("components.css");

/// A page up to where its content begins; the title is escaped already.
pub(super) fn begin(title: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta http-equiv=\"Content-Security-Policy\" \
         content=\"default-src 'none'; style-src 'unsafe-inline'\">\
         <meta name=\"viewport\" content=\"width=device-width\">\
         <title>{title}</title><style>{PAGE_STYLE}</style></head><body>\n"
    )
}

/// The end of a page.
pub(super) fn end(page: &mut String) {
    page.push_str("</body></html>\n");
}

/// Both texts as one, with what only the left and only the right has marked.
pub(super) fn difference(page: &mut String, difference: &[(ChangeTag, String)]) {
    page.push_str("<div class=\"text\" dir=\"auto\">");
    for (tag, words) in difference {
        let words = escaped(words);
        match tag {
            ChangeTag::Equal => page.push_str(&words),
            ChangeTag::Delete => push(page, format_args!("<del>{words}</del>")),
            ChangeTag::Insert => push(page, format_args!("<ins>{words}</ins>")),
        }
    }
    page.push_str("</div>\n");
}

/// Appends formatted text.
pub(super) fn push(page: &mut String, arguments: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = page.write_fmt(arguments);
}

/// Text as text, whatever is in it.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            // Pages must not have these, not even as references.
            _ if c.is_control() && !c.is_whitespace() => escaped.push('\u{fffd}'),
            _ => escaped.push(c),
        }
    }
    escaped
}

/// The beginning of a text, escaped, with a sign where more follows.
pub(super) fn shortened(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        Some((end, _)) => escaped(&text[..end]) + "…",
        None => escaped(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_and_control_characters_are_shown_as_text() {
        assert_eq!(
            escaped("<a href='x' onclick=\"y\">&"),
            "&lt;a href=&#39;x&#39; onclick=&quot;y&quot;&gt;&amp;"
        );
        assert_eq!(escaped("nul \0, escape \u{1b}[2J\n"), "nul \u{fffd}, escape \u{fffd}[2J\n");
        assert_eq!(shortened("a<bcd", 2), "a&lt;…");
        assert_eq!(shortened("ab", 2), "ab");
    }
}
