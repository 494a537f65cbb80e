//! The few file operations that the store needs, so that tests can let any of them fail.

mod folder;

use std::fmt::Debug;
use std::io;
use std::sync::Arc;

pub use folder::Folder;

/// A flat folder of files.
pub trait Storage: Debug + Send + Sync {
    /// Opens a file for reading by position.
    fn open(&self, name: &str) -> io::Result<Arc<dyn ReadFile>>;

    /// Creates a file that must not exist yet, empty.
    fn create(&self, name: &str) -> io::Result<Box<dyn WriteFile>>;

    /// Opens an existing file for appending after `length` bytes, cutting off what follows.
    fn append(&self, name: &str, length: u64) -> io::Result<Box<dyn WriteFile>>;

    /// Replaces `to` by `from` in one step.
    fn rename(&self, from: &str, to: &str) -> io::Result<()>;

    /// Deletes a file.
    fn remove(&self, name: &str) -> io::Result<()>;

    /// Makes creations, renames and deletions durable.
    fn sync(&self) -> io::Result<()>;

    /// The names of all files.
    fn list(&self) -> io::Result<Vec<String>>;

    /// Takes the writer's lock on a file, creating it; `None` where another has it.
    fn lock(&self, name: &str) -> io::Result<Option<LockGuard>>;

    /// A file as a person finds it.
    fn describe(&self, name: &str) -> String;
}

/// Holds the writer's lock until it is dropped.
pub type LockGuard = Box<dyn Debug + Send + Sync>;

/// A file that is read by position.
pub trait ReadFile: Debug + Send + Sync {
    /// Its length in bytes.
    fn length(&self) -> io::Result<u64>;

    /// Fills the buffer from this place on; an error where the file ends before.
    fn read_at(&self, place: u64, buffer: &mut [u8]) -> io::Result<()>;
}

/// A file that grows at its end.
pub trait WriteFile: Debug + Send {
    /// Writes all bytes at the end.
    fn append(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Cuts the file to so many bytes.
    fn truncate(&mut self, length: u64) -> io::Result<()>;

    /// Makes what was written durable.
    fn sync(&mut self) -> io::Result<()>;
}
