//! From the bytes of a file to text: character encodings and markup.

mod charset;
pub(crate) mod entities;
#[cfg(feature = "html")]
mod html;

pub use self::charset::{Decoded, decode, decode_html};
#[cfg(feature = "html")]
pub use self::html::{HtmlError, HtmlText, html};
