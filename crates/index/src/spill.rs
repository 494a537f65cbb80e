//! An unnamed temporary file: written at its end, read anywhere, gone with the process.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::IndexError;

/// An append-only temporary file that never has a name, so that even a killed run leaves nothing.
#[derive(Debug)]
pub(crate) struct SpillFile {
    file: File,
    folder: PathBuf,
    length: u64,
}

impl SpillFile {
    /// A new empty file in `folder`.
    pub(crate) fn create(folder: &Path) -> Result<Self, IndexError> {
        let file = tempfile::tempfile_in(folder)
            .map_err(|source| IndexError::Create { path: folder.to_owned(), source })?;
        Ok(Self::from_file(file, folder))
    }

    fn from_file(file: File, folder: &Path) -> Self {
        Self { file, folder: folder.to_owned(), length: 0 }
    }

    /// Bytes written so far.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// Writes `bytes` at the end; callers gather large pieces themselves.
    pub(crate) fn append(&mut self, bytes: &[u8]) -> Result<(), IndexError> {
        self.file
            .write_all(bytes)
            .map_err(|source| IndexError::Write { path: self.folder.clone(), source })?;
        self.length += bytes.len() as u64;
        Ok(())
    }

    /// Fills `bytes` from `offset` on.
    pub(crate) fn read_at(&self, offset: u64, bytes: &mut [u8]) -> Result<(), IndexError> {
        read_exact_at(&self.file, offset, bytes)
            .map_err(|source| IndexError::Read { path: self.folder.clone(), source })
    }
}

#[cfg(unix)]
fn read_exact_at(file: &File, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, offset)
}

#[cfg(windows)]
fn read_exact_at(file: &File, mut offset: u64, mut bytes: &mut [u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, bytes, offset)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            count => {
                bytes = &mut bytes[count..];
                offset += count as u64;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_folder_is_an_error_that_names_it() {
        let error = SpillFile::create(Path::new("no/such/folder")).unwrap_err();
        assert!(matches!(error, IndexError::Create { .. }));
        assert!(error.to_string().contains("no/such/folder"), "{error}");
    }

    #[test]
    fn reading_past_the_end_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let mut spill = SpillFile::create(folder.path()).unwrap();
        spill.append(b"abc").unwrap();
        let mut bytes = [0; 2];
        spill.read_at(1, &mut bytes).unwrap();
        assert_eq!(&bytes, b"bc");
        assert!(matches!(spill.read_at(2, &mut bytes), Err(IndexError::Read { .. })));
    }

    #[test]
    fn a_spill_file_has_no_name() {
        let folder = tempfile::tempdir().unwrap();
        let mut spill = SpillFile::create(folder.path()).unwrap();
        spill.append(b"abc").unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_an_error() {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let mut spill = SpillFile::from_file(full, Path::new("scratch"));
        let error = spill.append(b"abc").unwrap_err();
        assert!(matches!(error, IndexError::Write { .. }));
        assert!(error.to_string().contains("scratch"), "{error}");
    }
}
