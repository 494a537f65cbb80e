//! What is in a file: as the options say, by where it lies, by its name, by how it begins.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::InputOptions;
use crate::read::mbox;
use crate::source::{Compression, Format, compression_of, format_of};

/// Format and compression of a file, if anything tells them.
pub(super) fn kind_of(path: &Path, options: &InputOptions) -> Option<(Format, Compression)> {
    match options.read_as {
        Some(Format::Parquet) => Some((Format::Parquet, Compression::None)),
        Some(format) => Some((format, compression_of(path))),
        None => message_of_maildir(path).or_else(|| format_of(path)).or_else(|| mailbox(path)),
    }
}

/// A file under `cur` or `new` of a Maildir is a message whatever its name.
fn message_of_maildir(path: &Path) -> Option<(Format, Compression)> {
    let (folder, maildir) = (path.parent()?, path.parent()?.parent()?);
    let is_message = ["cur", "new"].iter().any(|name| folder.ends_with(name))
        && is_maildir(maildir)
        && !path.file_name()?.to_string_lossy().starts_with('.');
    is_message.then_some((Format::Mail, Compression::None))
}

/// Mail programs name their mailboxes `Inbox` and `Sent`, without an extension.
fn mailbox(path: &Path) -> Option<(Format, Compression)> {
    if path.extension().is_some() {
        return None;
    }
    let mut head = Vec::new();
    File::open(path).ok()?.take(200).read_to_end(&mut head).ok()?;
    mbox::begins_mailbox(&head).then_some((Format::Mbox, Compression::None))
}

/// Messages under `tmp` have not been delivered yet.
pub(super) fn in_maildir_tmp(path: &Path) -> bool {
    path.parent()
        .is_some_and(|folder| folder.ends_with("tmp") && folder.parent().is_some_and(is_maildir))
}

pub(super) fn is_maildir(folder: &Path) -> bool {
    folder.join("cur").is_dir() && folder.join("new").is_dir()
}
