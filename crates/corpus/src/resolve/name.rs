//! What files are called in results, whatever the bytes of their names.

use std::path::Path;

/// The path as text, with `/` between its parts, so that ids are the same on every system.
///
/// Bytes that are no UTF-8 are escaped as `\xE9`, so that files with different names keep
/// different ids.
pub(super) fn slashes(path: &Path) -> String {
    let name = as_text(path);
    if std::path::MAIN_SEPARATOR == '/' { name } else { name.replace('\\', "/") }
}

#[cfg(unix)]
fn as_text(path: &Path) -> String {
    use std::fmt::Write;
    use std::os::unix::ffi::OsStrExt;
    let bytes = path.as_os_str().as_bytes();
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            let _ = write!(text, "\\x{byte:02X}");
        }
    }
    text
}

#[cfg(not(unix))]
fn as_text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
