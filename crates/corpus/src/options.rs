//! What the reader is told about the input.

use crate::source::Format;

/// Which fields of a row mean what, and how long a row may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputOptions {
    /// The field with the document's text; `a.b` means field `b` inside field `a`, `a,b` both fields,
    /// `a[].b` field `b` of every item of the list `a`, and `a[c=d].b` of those whose field `c` is `d`.
    pub text_key: String,
    /// Where a document's id comes from.
    pub id_key: IdKey,
    /// Fields that hold a title or subject; the first one present counts.
    pub title_keys: Vec<String>,
    /// The field with the page's address.
    pub url_key: String,
    /// Further fields that [`RowDocument::field`](crate::RowDocument::field) will be asked for;
    /// columnar files read no column that is not named here or above.
    pub fields: Vec<String>,
    /// Whether the text of rows is HTML, of which only what a reader sees counts.
    pub html: bool,
    /// The format of all files whatever their names, or `None` to go by the names.
    pub read_as: Option<Format>,
    /// Whether files and folders below a folder are read whose names begin with a dot.
    pub hidden: bool,
    /// Rows of more bytes are skipped and reported as unreadable.
    pub max_row_bytes: usize,
}

impl Default for InputOptions {
    fn default() -> Self {
        Self {
            text_key: "text".into(),
            id_key: IdKey::default(),
            title_keys: vec!["title".into(), "subject".into()],
            url_key: "url".into(),
            fields: Vec::new(),
            html: false,
            read_as: None,
            hidden: false,
            max_row_bytes: 64 << 20,
        }
    }
}

/// Where a document's id comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IdKey {
    /// A field of the row; rows without it get their path or `file:row`.
    Field(String),
    /// Always the path or `file:row`, whatever the row says.
    Row,
}

impl Default for IdKey {
    fn default() -> Self {
        Self::Field("id".into())
    }
}

impl IdKey {
    /// The field's name, unless rows are numbered.
    pub fn field(&self) -> Option<&str> {
        match self {
            Self::Field(name) => Some(name),
            Self::Row => None,
        }
    }
}
