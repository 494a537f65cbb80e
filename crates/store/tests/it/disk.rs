//! A disk in memory that behaves as badly as a real one may.
//!
//! What was not synchronized may be lost in a crash: whole, in part, or with sectors of zeros in it;
//! names that were created, renamed or deleted since the folder was synchronized may be as before.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard};

use lookalike_store::{LockGuard, ReadFile, Storage, WriteFile};

const SECTOR: usize = 512;

/// What happens when the countdown ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// This operation fails, the next one works.
    Once,
    /// This and all later writes fail after a part of their bytes: the disk is full.
    Full,
    /// Nothing works any more.
    Dead,
}

#[derive(Clone, Debug)]
pub struct Disk(Arc<Mutex<Inner>>);

#[derive(Debug, Default)]
struct Inner {
    contents: BTreeMap<u64, Content>,
    names: BTreeMap<String, u64>,
    durable_names: BTreeMap<String, u64>,
    /// The states of the folder since it was synchronized.
    pending_names: Vec<BTreeMap<String, u64>>,
    next: u64,
    fault: Option<(u32, Fault)>,
    locked: Arc<()>,
}

#[derive(Clone, Debug, Default)]
struct Content {
    bytes: Vec<u8>,
    durable: Vec<u8>,
}

fn failure(kind: io::ErrorKind) -> io::Error {
    io::Error::new(kind, "the disk of the test says no")
}

impl Inner {
    /// Counts an operation that changes something; an error when its turn has come.
    fn count(&mut self) -> io::Result<()> {
        match &mut self.fault {
            Some((0, Fault::Once)) => {
                self.fault = None;
                Err(failure(io::ErrorKind::Other))
            }
            Some((0, Fault::Full)) => Err(failure(io::ErrorKind::StorageFull)),
            Some((0, Fault::Dead)) => Err(failure(io::ErrorKind::NotConnected)),
            Some((left, _)) => {
                *left -= 1;
                Ok(())
            }
            None => Ok(()),
        }
    }

    fn is_dead(&self) -> bool {
        matches!(self.fault, Some((0, Fault::Dead)))
    }

    fn rename_done(&mut self) {
        self.pending_names.push(self.names.clone());
    }
}

impl Disk {
    pub fn new() -> Self {
        Self(Arc::default())
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap()
    }

    /// Lets the operation after so many others fail.
    pub fn fail_after(&self, operations: u32, fault: Fault) {
        self.inner().fault = Some((operations, fault));
    }

    pub fn heal(&self) {
        self.inner().fault = None;
    }

    /// The disk as it is found after a power cut; `choose` makes a number below its argument.
    pub fn after_crash(&self, choose: &mut dyn FnMut(usize) -> usize) -> Self {
        let inner = self.inner();
        let states = inner.pending_names.len();
        let names = match choose(states + 1) {
            0 => inner.durable_names.clone(),
            state => inner.pending_names[state - 1].clone(),
        };
        let mut contents = BTreeMap::new();
        for (number, content) in &inner.contents {
            let bytes = survive(content, choose);
            contents.insert(*number, Content { durable: bytes.clone(), bytes });
        }
        let next = inner.next;
        let durable_names = names.clone();
        let inner = Inner { contents, names, durable_names, next, ..Inner::default() };
        Self(Arc::new(Mutex::new(inner)))
    }

    /// The disk as another process finds it when the writer was killed.
    pub fn after_kill(&self) -> Self {
        let inner = self.inner();
        let (contents, names) = (inner.contents.clone(), inner.names.clone());
        let durable_names = inner.durable_names.clone();
        let next = inner.next;
        let copy = Inner { contents, names, durable_names, next, ..Inner::default() };
        Self(Arc::new(Mutex::new(copy)))
    }

    pub fn bytes(&self, name: &str) -> Vec<u8> {
        let inner = self.inner();
        inner.contents[&inner.names[name]].bytes.clone()
    }

    pub fn overwrite(&self, name: &str, bytes: Vec<u8>) {
        let mut inner = self.inner();
        let number = inner.names[name];
        inner.contents.insert(number, Content { durable: bytes.clone(), bytes });
    }
}

/// What is left of a file: all that was synchronized, and of the rest what happened to be written.
fn survive(content: &Content, choose: &mut dyn FnMut(usize) -> usize) -> Vec<u8> {
    let Content { bytes, durable } = content;
    if !bytes.starts_with(durable) {
        return if choose(2) == 0 { bytes.clone() } else { durable.clone() };
    }
    let length = durable.len() + choose(bytes.len() - durable.len() + 1);
    let mut left = bytes[..length].to_vec();
    let mut start = durable.len();
    while start < length {
        let end = ((start / SECTOR + 1) * SECTOR).min(length);
        if choose(3) == 0 {
            left[start..end].fill(0);
        }
        start = end;
    }
    left
}

impl Storage for Disk {
    fn open(&self, name: &str) -> io::Result<Arc<dyn ReadFile>> {
        let inner = self.inner();
        let number = inner.names.get(name).ok_or_else(|| failure(io::ErrorKind::NotFound))?;
        Ok(Arc::new(Open { disk: self.clone(), number: *number }))
    }

    fn create(&self, name: &str) -> io::Result<Box<dyn WriteFile>> {
        let mut inner = self.inner();
        inner.count()?;
        if inner.names.contains_key(name) {
            return Err(failure(io::ErrorKind::AlreadyExists));
        }
        let number = inner.next;
        inner.next += 1;
        inner.contents.insert(number, Content::default());
        inner.names.insert(name.to_owned(), number);
        inner.rename_done();
        Ok(Box::new(Open { disk: self.clone(), number }))
    }

    fn append(&self, name: &str, length: u64) -> io::Result<Box<dyn WriteFile>> {
        let mut inner = self.inner();
        inner.count()?;
        let number = *inner.names.get(name).ok_or_else(|| failure(io::ErrorKind::NotFound))?;
        let content = inner.contents.get_mut(&number).unwrap();
        content.bytes.truncate(length as usize);
        content.durable = content.bytes.clone();
        Ok(Box::new(Open { disk: self.clone(), number }))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        let mut inner = self.inner();
        inner.count()?;
        let number = inner.names.remove(from).ok_or_else(|| failure(io::ErrorKind::NotFound))?;
        inner.names.insert(to.to_owned(), number);
        inner.rename_done();
        Ok(())
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        let mut inner = self.inner();
        // A full disk still lets go.
        if inner.is_dead() {
            return Err(failure(io::ErrorKind::NotConnected));
        }
        inner.names.remove(name).ok_or_else(|| failure(io::ErrorKind::NotFound))?;
        inner.rename_done();
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        let mut inner = self.inner();
        inner.count()?;
        inner.durable_names = inner.names.clone();
        inner.pending_names.clear();
        Ok(())
    }

    fn list(&self) -> io::Result<Vec<String>> {
        Ok(self.inner().names.keys().cloned().collect())
    }

    fn lock(&self, _: &str) -> io::Result<Option<LockGuard>> {
        let inner = self.inner();
        let free = Arc::strong_count(&inner.locked) == 1;
        Ok(free.then(|| Box::new(Arc::clone(&inner.locked)) as LockGuard))
    }

    fn describe(&self, name: &str) -> String {
        format!("disk/{name}")
    }
}

#[derive(Debug)]
struct Open {
    disk: Disk,
    number: u64,
}

impl ReadFile for Open {
    fn length(&self) -> io::Result<u64> {
        Ok(self.disk.inner().contents[&self.number].bytes.len() as u64)
    }

    fn read_at(&self, place: u64, buffer: &mut [u8]) -> io::Result<()> {
        let inner = self.disk.inner();
        let bytes = &inner.contents[&self.number].bytes;
        let found = bytes.get(place as usize..place as usize + buffer.len());
        buffer.copy_from_slice(found.ok_or_else(|| failure(io::ErrorKind::UnexpectedEof))?);
        Ok(())
    }
}

impl WriteFile for Open {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut inner = self.disk.inner();
        let counted = inner.count();
        // A write that fails may have written a part.
        let part = if counted.is_ok() { bytes.len() } else { bytes.len() / 2 };
        if !inner.is_dead() {
            let content = inner.contents.get_mut(&self.number).unwrap();
            content.bytes.extend_from_slice(&bytes[..part]);
        }
        counted
    }

    fn truncate(&mut self, length: u64) -> io::Result<()> {
        let mut inner = self.disk.inner();
        if inner.is_dead() {
            return Err(failure(io::ErrorKind::NotConnected));
        }
        inner.contents.get_mut(&self.number).unwrap().bytes.truncate(length as usize);
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        let mut inner = self.disk.inner();
        inner.count()?;
        let content = inner.contents.get_mut(&self.number).unwrap();
        content.durable = content.bytes.clone();
        Ok(())
    }
}
