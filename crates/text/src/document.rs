//! The document as every stage after reading sees it.

/// One document, borrowed from whatever read it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Document<'a> {
    /// The visible text, already decoded and without markup.
    pub text: &'a str,
    /// The title of a page or the subject of a message, where there is one.
    pub title: Option<&'a str>,
    /// The address of a page, where there is one.
    pub url: Option<&'a str>,
    /// The whole text, where a part of it is left out of `text` because other documents repeat it.
    pub whole_text: Option<&'a str>,
}

impl<'a> Document<'a> {
    /// A document that has nothing but its text.
    pub fn from_text(text: &'a str) -> Self {
        Self { text, ..Self::default() }
    }
}
