//! Files that are one document each.

use std::borrow::Cow;

use lookalike_text::extract;

use super::Columns;
use crate::row::Problem;
#[cfg(any(feature = "documents", feature = "html", feature = "mail"))]
use crate::source::Format;
use crate::source::Source;
use crate::{InputOptions, RowDocument};

/// Reads one file and hands its document over, with the bytes it was made of.
pub(crate) fn visit(
    source: &Source,
    options: &InputOptions,
    visitor: impl FnOnce(Result<RowDocument<'_>, Problem>, &[u8]),
) {
    if let Some(problem) = &source.problem {
        return visitor(Err(Problem::of_file(problem.as_str())), &[]);
    }
    match source.read_whole(options.max_row_bytes) {
        Ok(Some(bytes)) => {
            visitor(parse(source, options, &bytes).map_err(Problem::from), &bytes);
        }
        Ok(None) => {
            let limit = options.max_row_bytes;
            let reason = format!("the file has more than the {limit} bytes allowed");
            visitor(Err(reason.into()), &[]);
        }
        Err(error) => visitor(Err(Problem::of_file(error.to_string())), &[]),
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
            let page = extract::html(&extract::decode_html(bytes).text)
                .map_err(|error| error.to_string())?;
            Ok(RowDocument {
                id_is_literal: false,
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
        #[cfg(feature = "documents")]
        Format::Docx | Format::Odt | Format::Pdf => {
            let text = match source.format {
                Format::Pdf => super::pdf_process::text(bytes, options.max_row_bytes)?,
                format => super::office::text(bytes, format, options.max_row_bytes)?,
            };
            let text = Cow::Owned(text);
            Ok(RowDocument {
                id,
                id_is_literal: false,
                text,
                title: None,
                url: None,
                columns: Columns::None,
            })
        }
        _ => {
            let decoded = extract::decode(bytes);
            // Asked to read everything as text, we come across what is none.
            if options.read_as.is_some() && decoded.text.contains('\0') {
                return Err("the file holds binary data, not text".into());
            }
            Ok(RowDocument {
                id_is_literal: false,
                id,
                text: decoded.text,
                title: None,
                url: None,
                columns: Columns::None,
            })
        }
    }
}
