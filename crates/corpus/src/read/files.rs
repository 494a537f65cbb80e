//! Files that are one document each.

use std::borrow::Cow;

use lookalike_text::extract;

use super::Columns;
use crate::source::Source;
use crate::{InputOptions, RowDocument};

/// Reads one file and hands its document over, with the bytes it was made of.
pub(crate) fn visit(
    source: &Source,
    options: &InputOptions,
    visitor: impl FnOnce(Result<RowDocument<'_>, String>, &[u8]),
) {
    if let Some(problem) = &source.problem {
        return visitor(Err(problem.clone()), &[]);
    }
    match source.read_whole(options.max_row_bytes) {
        Ok(Some(bytes)) => visitor(parse(source, options, &bytes), &bytes),
        Ok(None) => {
            let limit = options.max_row_bytes;
            visitor(Err(format!("the file has more than the {limit} bytes allowed")), &[]);
        }
        Err(error) => visitor(Err(error.to_string()), &[]),
    }
}

#[cfg_attr(not(feature = "mail"), expect(clippy::unnecessary_wraps, reason = "for mail only"))]
fn parse<'a>(
    source: &'a Source,
    #[cfg_attr(not(feature = "mail"), expect(unused_variables, reason = "for mail only"))]
    options: &InputOptions,
    bytes: &'a [u8],
) -> Result<RowDocument<'a>, String> {
    let id = Cow::Borrowed(source.id_name.as_str());
    match source.format {
        #[cfg(feature = "html")]
        crate::source::Format::Html => {
            let page = extract::html(&extract::decode_html(bytes).text);
            Ok(RowDocument {
                id,
                text: Cow::Owned(page.text),
                title: page.title.map(Cow::Owned),
                url: None,
                columns: Columns::None,
            })
        }
        #[cfg(feature = "mail")]
        crate::source::Format::Mail => {
            super::mail::parse(Cow::Borrowed(bytes), options, || source.id_name.clone())
        }
        _ => Ok(RowDocument {
            id,
            text: extract::decode(bytes).text,
            title: None,
            url: None,
            columns: Columns::None,
        }),
    }
}
