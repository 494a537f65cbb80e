//! Files that are one document each.

use std::borrow::Cow;

use crate::extract;

use super::Columns;
use crate::source::{Format, Source};
use crate::{InputOptions, RowDocument};

/// Reads one file and hands its document over.
pub(crate) fn visit(
    source: &Source,
    options: &InputOptions,
    visitor: impl FnOnce(Result<RowDocument<'_>, String>),
) {
    if let Some(problem) = &source.problem {
        return visitor(Err(problem.clone()));
    }
    match source.read_whole(options.max_row_bytes) {
        Ok(Some(bytes)) => visitor(parse(source, options, &bytes)),
        Ok(None) => {
            let limit = options.max_row_bytes;
            visitor(Err(format!("the file has more than the {limit} bytes allowed")));
        }
        Err(error) => visitor(Err(error.to_string())),
    }
}

fn parse<'a>(
    source: &'a Source,
    options: &InputOptions,
    bytes: &'a [u8],
) -> Result<RowDocument<'a>, String> {
    let id = Cow::Borrowed(source.id_name.as_str());
    match source.format {
        #[cfg(feature = "html")]
        Format::Html => {
            let page = extract::html_bytes(bytes);
            Ok(RowDocument {
                id,
                text: Cow::Owned(page.text),
                title: page.title.map(Cow::Owned),
                url: None,
                columns: Columns::None,
            })
        }
        #[cfg(feature = "mail")]
        Format::Mail => {
            super::mail::parse(Cow::Borrowed(bytes), options, || source.id_name.clone())
        }
        _ => {
            let _ = options;
            Ok(RowDocument {
                id,
                text: extract::decode(bytes),
                title: None,
                url: None,
                columns: Columns::None,
            })
        }
    }
}
