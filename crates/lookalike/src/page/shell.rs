//! What all pages have in common: head, style, and the one place where foreign text is made harmless.

use std::fmt::Write as _;

use similar::ChangeTag;

const STYLE: &str = "\
:root{color-scheme:light dark;--ink:#222;--dim:#666;--line:#ddd;--paper:#fff;--mark:#fff3b0;--del:#ffd9d9;\
--ins:#d9f5d9;--bar:#4a7ab5}\
@media(prefers-color-scheme:dark){:root{--ink:#e6e6e6;--dim:#a0a0a0;--line:#444;--paper:#181818;--mark:#5c5000;\
--del:#5a2626;--ins:#1f4d24;--bar:#7aa5d8}}\
body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:76rem;padding:0 1rem;color:var(--ink);\
background:var(--paper)}\
h1{font-size:1.3rem}h2{font-size:1.1rem;margin-top:2rem}table{border-collapse:collapse;width:100%}\
td,th{vertical-align:top;padding:.5rem;border:1px solid var(--line);text-align:left}\
.pair td,.pair th{width:50%;white-space:pre-wrap;overflow-wrap:anywhere}\
.text{white-space:pre-wrap;overflow-wrap:anywhere}mark{background:var(--mark);color:inherit}\
del{background:var(--del);text-decoration:none}ins{background:var(--ins);text-decoration:none}\
del::before{content:'[\u{2212}'}del::after{content:']'}ins::before{content:'[+'}ins::after{content:']'}\
dl{display:grid;grid-template-columns:max-content auto;gap:.2rem 1rem}dt,.dim{color:var(--dim)}dd{margin:0}\
.number{text-align:right;font-variant-numeric:tabular-nums}details{margin:.6rem 0}summary{cursor:pointer}\
svg{max-width:100%;height:auto}rect{fill:var(--bar)}svg text{fill:var(--ink);font-size:11px}pre{overflow:auto}";

/// A page up to where its content begins; the title is escaped already.
pub(super) fn begin(title: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta http-equiv=\"Content-Security-Policy\" \
         content=\"default-src 'none'; style-src 'unsafe-inline'\">\
         <meta name=\"viewport\" content=\"width=device-width\">\
         <title>{title}</title><style>{STYLE}</style></head><body>\n"
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
