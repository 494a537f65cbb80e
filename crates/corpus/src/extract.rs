//! From the bytes of a page or file to text.

use std::borrow::Cow;

/// The visible part of a page.
pub(crate) struct Page {
    pub text: String,
    pub title: Option<String>,
}

pub(crate) fn html(page: &str) -> Page {
    let mut text = String::new();
    let mut inside = false;
    for character in page.chars() {
        match character {
            '<' => inside = true,
            '>' => inside = false,
            _ if !inside => text.push(character),
            _ => {}
        }
    }
    Page { text, title: None }
}

#[cfg(feature = "html")]
pub(crate) fn html_bytes(bytes: &[u8]) -> Page {
    html(&decode(bytes))
}

pub(crate) fn decode(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}
