//! A folder of the file system.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{LockGuard, ReadFile, Storage, WriteFile};

/// A folder of the file system.
#[derive(Clone, Debug)]
pub struct Folder {
    path: PathBuf,
}

impl Folder {
    /// A folder that may or may not exist yet.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// Creates the folder and those above it.
    ///
    /// # Errors
    /// The file system refuses.
    pub fn make(&self) -> io::Result<()> {
        fs::create_dir_all(&self.path)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Folder {
    /// Writes down who writes the index, for others who want to: one line.
    ///
    /// # Errors
    /// The disk refuses.
    pub fn announce(&self, who: &str) -> io::Result<()> {
        fs::write(self.path.join(crate::files::LOCK), who)
    }
}

impl Storage for Folder {
    fn open(&self, name: &str) -> io::Result<Arc<dyn ReadFile>> {
        Ok(Arc::new(ReadableFile(File::open(self.path.join(name))?)))
    }

    fn create(&self, name: &str) -> io::Result<Box<dyn WriteFile>> {
        let file = OpenOptions::new().write(true).create_new(true).open(self.path.join(name))?;
        Ok(Box::new(GrowingFile(file)))
    }

    fn append(&self, name: &str, length: u64) -> io::Result<Box<dyn WriteFile>> {
        let mut file = OpenOptions::new().write(true).open(self.path.join(name))?;
        if file.metadata()?.len() != length {
            file.set_len(length)?;
        }
        file.sync_all()?;
        file.seek(SeekFrom::End(0))?;
        Ok(Box::new(GrowingFile(file)))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        fs::rename(self.path.join(from), self.path.join(to))
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        fs::remove_file(self.path.join(name))
    }

    fn sync(&self) -> io::Result<()> {
        // Only on Unix can a folder be opened and synchronized; elsewhere a rename is durable itself.
        if cfg!(unix) { File::open(&self.path)?.sync_all() } else { Ok(()) }
    }

    fn list(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.path)? {
            names.push(entry?.file_name().to_string_lossy().into_owned());
        }
        names.sort_unstable();
        Ok(names)
    }

    fn lock(&self, name: &str) -> io::Result<Option<LockGuard>> {
        let path = self.path.join(name);
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(path)?;
        match file.try_lock() {
            Ok(()) => {
                // Only for people: it does not matter if this cannot be written.
                let _ = self.announce(&format!("process {}", std::process::id()));
                Ok(Some(Box::new(file)))
            }
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    fn describe(&self, name: &str) -> String {
        self.path.join(name).display().to_string()
    }
}

#[derive(Debug)]
struct ReadableFile(File);

impl ReadFile for ReadableFile {
    fn length(&self) -> io::Result<u64> {
        Ok(self.0.metadata()?.len())
    }

    #[cfg(unix)]
    fn read_at(&self, place: u64, buffer: &mut [u8]) -> io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(&self.0, buffer, place)
    }

    #[cfg(windows)]
    fn read_at(&self, place: u64, buffer: &mut [u8]) -> io::Result<()> {
        let mut done = 0;
        while done < buffer.len() {
            let place = place + done as u64;
            match std::os::windows::fs::FileExt::seek_read(&self.0, &mut buffer[done..], place)? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                read => done += read,
            }
        }
        Ok(())
    }
}

#[derive(Debug)]
struct GrowingFile(File);

impl WriteFile for GrowingFile {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.write_all(bytes)
    }

    fn truncate(&mut self, length: u64) -> io::Result<()> {
        self.0.set_len(length)?;
        self.0.seek(SeekFrom::Start(length)).map(drop)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.0.sync_data()
    }
}
