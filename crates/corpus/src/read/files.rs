//! Files that are one document each.

use std::borrow::Cow;

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
    let bytes = match source.read_whole(options.max_row_bytes) {
        Ok(Some(bytes)) => bytes,
        Ok(None) => {
            let limit = options.max_row_bytes;
            return visitor(Err(format!("the file has more than the {limit} bytes allowed")));
        }
        Err(error) => return visitor(Err(error.to_string())),
    };
    let id = Cow::Borrowed(source.id_name.as_str());
    match source.format {
        Format::Text => visitor(Ok(RowDocument {
            id,
            text: String::from_utf8_lossy(&bytes),
            title: None,
            url: None,
            columns: Columns::None,
        })),
        _ => visitor(Err("this format is not read yet".into())),
    }
}
