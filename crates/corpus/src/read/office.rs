//! Word and `OpenDocument` files: the text of their paragraphs, tables row by row, notes at the end.
//!
//! Both are zip archives of XML, which is read as a stream: what is unpacked is bounded, and nesting
//! costs no stack. Headers, footers, comments and deleted text of tracked changes are left out.

use std::io::{BufReader, Cursor, Read};

use memchr::memmem;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use zip::ZipArchive;
use zip::result::ZipError;

use super::office_text::Writer;
use crate::source::Format;

/// What one part of an archive may unpack to; the text itself is bounded by the limit of a row.
const MAX_XML_BYTES: u64 = 128 << 20;
/// Elements within elements.
const MAX_DEPTH: usize = 2000;
/// How an OLE container begins: an old Word file, or a new one behind a password.
const OLE: &[u8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";

type Archive<'a> = ZipArchive<Cursor<&'a [u8]>>;

/// The text of a Word or `OpenDocument` file.
///
/// # Errors
/// The reason why there is none, in words.
pub(crate) fn text(bytes: &[u8], format: Format, max_bytes: usize) -> Result<String, String> {
    if bytes.starts_with(OLE) {
        return Err("the file is encrypted, or in the format of old Word (.doc)".into());
    }
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|error| reason(&error))?;
    let mut writer = Writer::new(max_bytes);
    if format == Format::Odt {
        if is_encrypted(&mut archive)? {
            return Err("the file is encrypted".into());
        }
        read_part(&mut archive, "content.xml", open_document, &mut writer)?;
        return Ok(writer.finish());
    }
    let main = main_part(&mut archive)?;
    read_part(&mut archive, &main, word, &mut writer)?;
    let folder = main.rsplit_once('/').map_or("", |(folder, _)| folder);
    for notes in ["footnotes.xml", "endnotes.xml"] {
        let name = format!("{folder}/{notes}");
        if archive.index_for_name(&name).is_some() {
            read_part(&mut archive, &name, word, &mut writer)?;
        }
    }
    Ok(writer.finish())
}

/// What an element means for the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// A paragraph or a heading.
    Paragraph,
    /// The letters within a paragraph of Word, which has other text beside them.
    Letters,
    Cell,
    Row,
    Table,
    /// A footnote or an endnote where it is referred to.
    Note,
    Tab,
    LineBreak,
    Hyphen,
    Spaces,
    /// Nothing inside is text that a reader sees.
    Hidden,
    None,
}

fn word(name: &str) -> Meaning {
    match name {
        "p" => Meaning::Paragraph,
        "t" => Meaning::Letters,
        "tc" => Meaning::Cell,
        "tr" => Meaning::Row,
        "tbl" => Meaning::Table,
        "tab" | "ptab" => Meaning::Tab,
        "br" | "cr" => Meaning::LineBreak,
        "noBreakHyphen" => Meaning::Hyphen,
        // Text that was moved away or deleted, and the second version of a drawing for old readers.
        "moveFrom" | "del" | "Fallback" => Meaning::Hidden,
        // Properties: `<w:tab>` is a tab stop there.
        name if name.ends_with("Pr") => Meaning::Hidden,
        _ => Meaning::None,
    }
}

fn open_document(name: &str) -> Meaning {
    match name {
        "p" | "h" => Meaning::Paragraph,
        "table-cell" => Meaning::Cell,
        "table-row" => Meaning::Row,
        "table" => Meaning::Table,
        "note" => Meaning::Note,
        "tab" => Meaning::Tab,
        "line-break" => Meaning::LineBreak,
        "s" => Meaning::Spaces,
        "annotation" | "tracked-changes" | "note-citation" | "desc" | "title" => Meaning::Hidden,
        _ => Meaning::None,
    }
}

/// The name of the part with the text, which need not be `word/document.xml`.
fn main_part(archive: &mut Archive<'_>) -> Result<String, String> {
    let mut main = None;
    read_events(archive, "_rels/.rels", |event| {
        if let Event::Start(element) | Event::Empty(element) = event
            && element.local_name().as_ref() == "Relationship"
            && attribute(element, "Type").is_some_and(|kind| kind.ends_with("/officeDocument"))
        {
            main = attribute(element, "Target");
        }
        Ok(())
    })?;
    let main = main.ok_or("the archive does not say which part has the text")?;
    Ok(main.trim_start_matches('/').to_owned())
}

/// Whether the manifest of an `OpenDocument` file tells of encrypted parts.
fn is_encrypted(archive: &mut Archive<'_>) -> Result<bool, String> {
    const MANIFEST: &str = "META-INF/manifest.xml";
    let mut encrypted = false;
    if archive.index_for_name(MANIFEST).is_some() {
        read_events(archive, MANIFEST, |event| {
            if let Event::Start(element) | Event::Empty(element) = event {
                encrypted |= element.local_name().as_ref() == "encryption-data";
            }
            Ok(())
        })?;
    }
    Ok(encrypted)
}

/// Adds the text of one part.
fn read_part(
    archive: &mut Archive<'_>,
    name: &str,
    meaning: fn(&str) -> Meaning,
    writer: &mut Writer,
) -> Result<(), String> {
    let letters_apart = meaning("t") == Meaning::Letters;
    // The depth at which something hidden began, and the depth now.
    let (mut hidden, mut depth) = (None, 0_usize);
    read_events(archive, name, |event| {
        match event {
            Event::Start(element) => {
                depth += 1;
                if depth > MAX_DEPTH {
                    return Err(format!("{name} is nested more than {MAX_DEPTH} deep"));
                }
                let meaning = meaning(element.local_name().as_ref());
                if hidden.is_none() && meaning == Meaning::Hidden {
                    hidden = Some(depth);
                }
                if hidden.is_none() {
                    writer.open(meaning, spaces(element));
                }
            }
            Event::Empty(element) if hidden.is_none() => {
                let meaning = meaning(element.local_name().as_ref());
                writer.open(meaning, spaces(element));
                writer.close(meaning);
            }
            Event::End(element) => {
                if hidden.is_none() {
                    writer.close(meaning(element.local_name().as_ref()));
                }
                if hidden == Some(depth) {
                    hidden = None;
                }
                depth = depth.saturating_sub(1);
            }
            Event::Text(text) if hidden.is_none() => {
                writer.letters(&text.xml10_content(), letters_apart);
            }
            Event::CData(text) if hidden.is_none() => {
                writer.letters(&text.xml10_content(), letters_apart);
            }
            Event::GeneralRef(reference) if hidden.is_none() => {
                let character = reference.resolve_char_ref().ok().flatten();
                if let Some(character) = character {
                    writer.letters(character.encode_utf8(&mut [0; 4]), letters_apart);
                } else if let Some(text) =
                    quick_xml::escape::resolve_predefined_entity(reference.as_ref())
                {
                    writer.letters(text, letters_apart);
                }
            }
            _ => {}
        }
        writer.check()
    })?;
    writer.end_part();
    Ok(())
}

fn spaces(element: &BytesStart<'_>) -> usize {
    // Bounded: a number of spaces means nothing to us but that there is one.
    attribute(element, "c").and_then(|count| count.parse().ok()).unwrap_or(1).min(100)
}

fn attribute(element: &BytesStart<'_>, name: &str) -> Option<String> {
    let found = element
        .attributes()
        .with_checks(false)
        .flatten()
        .find(|attribute| attribute.key.local_name().as_ref() == name)?;
    Some(found.value.to_string())
}

/// Unpacks one part and hands over what is in it.
fn read_events(
    archive: &mut Archive<'_>,
    name: &str,
    mut each: impl FnMut(&Event<'_>) -> Result<(), String>,
) -> Result<(), String> {
    let part = archive.by_name(name).map_err(|error| reason(&error))?;
    let mut unpacked = part.take(MAX_XML_BYTES + 1);
    let mut reader = Reader::from_reader(BufReader::new(&mut unpacked));
    let mut buffer = Vec::new();
    let read = loop {
        match reader.read_event_into(&mut buffer) {
            Ok(Event::Eof) => break Ok(()),
            Ok(event) => each(&event)?,
            Err(error) => break Err(format!("{name} is damaged: {error}")),
        }
        buffer.clear();
    };
    // What was cut off at the limit looks damaged.
    if unpacked.limit() == 0 {
        return Err(format!("{name} unpacks to more than the {MAX_XML_BYTES} bytes allowed"));
    }
    read
}

fn reason(error: &ZipError) -> String {
    match error {
        ZipError::FileNotFound => "the archive has no part with text in it".to_owned(),
        ZipError::UnsupportedArchive(why) if memmem::find(why.as_bytes(), b"assword").is_some() => {
            "the file is encrypted".to_owned()
        }
        error => format!("the archive cannot be read: {error}"),
    }
}
