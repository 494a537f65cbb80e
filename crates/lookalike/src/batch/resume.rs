//! Signed documents kept on disk, so that a run that was interrupted after signing goes on from there.
//!
//! What signing hands on, document by document, is written to a journal as well, in frames with
//! checksums; going on means to hand on the same once more. The stamp is written last: without it
//! there is nothing to go on from, and it says what configuration and input the journal is of.

use std::fs::{self, File};
use std::io::{BufReader, BufWriter, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use lookalike_corpus::Corpus;
use lookalike_detect::Artifacts;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use super::artifact_files::{read_artifacts, write_artifacts_to};
use super::journal::Event;
use crate::error::file_error;
use crate::{Config, RunError};

const JOURNAL: &str = "signed";
const STAMP: &str = "stamp.json";
/// Changes whenever the journal or what it means does.
const VERSION: u32 = 1;
/// Events are written in frames of about this size.
const FRAME_BYTES: usize = 1 << 20;
/// No frame is longer: a document with all its keys and features fits many times over.
const MAX_FRAME_BYTES: u64 = 1 << 32;

/// Where a run keeps what it has signed, and finds what an earlier one has.
#[derive(Clone, Debug)]
pub struct Resume {
    folder: PathBuf,
}

/// What a journal is of.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Stamp {
    version: u32,
    configuration: String,
    inputs: String,
    frames: u64,
}

impl Resume {
    /// Beside the folder that will have the results.
    ///
    /// The name ends as that of every working folder does, so that none is read as input.
    pub fn beside(out: &Path) -> Self {
        let mut name = std::ffi::OsString::from(".");
        name.push(out.file_name().unwrap_or_default());
        name.push(".resume.lookalike-work");
        Self { folder: out.with_file_name(name) }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether there are signed documents to go on from.
    pub fn is_there(&self) -> bool {
        self.folder.join(STAMP).exists()
    }

    /// Removes everything; nothing is left to go on from.
    ///
    /// # Errors
    /// The system refuses.
    pub fn remove(&self) -> Result<(), RunError> {
        match fs::remove_dir_all(&self.folder) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(file_error("remove", &self.folder)(error))
            }
            _ => Ok(()),
        }
    }

    /// Begins to keep what a run signs, in place of anything that is there.
    ///
    /// # Errors
    /// The input cannot be read a second time, or the system refuses.
    pub(super) fn begin(
        &self,
        config: &Config,
        corpora: &[&Corpus],
    ) -> Result<JournalWriter, RunError> {
        let stamp = Stamp::new(config, corpora)?;
        self.remove()?;
        fs::create_dir_all(&self.folder).map_err(file_error("create", &self.folder))?;
        let path = self.folder.join(JOURNAL);
        let file = File::create(&path).map_err(file_error("create", &path))?;
        Ok(JournalWriter { path, out: BufWriter::new(file), frame: Vec::new(), stamp })
    }

    /// Makes a journal one to go on from.
    pub(super) fn commit(
        &self,
        journal: JournalWriter,
        config: &Config,
        artifacts: &Artifacts,
    ) -> Result<(), RunError> {
        let stamp = journal.finish()?;
        write_artifacts_to(&self.folder, config, artifacts)?;
        let path = self.folder.join(STAMP);
        let bytes = serde_json::to_vec_pretty(&stamp).unwrap_or_default();
        let partial = path.with_added_extension("partial");
        let write = || {
            let mut file = File::create(&partial)?;
            file.write_all(&bytes)?;
            file.sync_all()?;
            fs::rename(&partial, &path)
        };
        write().map_err(file_error("write", &path))
    }

    /// What an earlier run has signed, if it was to be the same as this one.
    ///
    /// # Errors
    /// The configuration or the input is another now, or a file is damaged.
    pub(super) fn open(
        &self,
        config: &Config,
        corpora: &[&Corpus],
    ) -> Result<Option<(JournalReader, Artifacts)>, RunError> {
        if !self.is_there() {
            return Ok(None);
        }
        let path = self.folder.join(STAMP);
        let bytes = fs::read(&path).map_err(file_error("read", &path))?;
        let found: Stamp = serde_json::from_slice(&bytes).map_err(|_| self.damaged())?;
        let expected = Stamp::new(config, corpora)?;
        for (matches, what) in [
            (found.version == expected.version, "it was made by another version of the program"),
            (
                found.configuration == expected.configuration,
                "it was made with another configuration",
            ),
            (
                found.inputs == expected.inputs,
                "it was made from other input, or the input has changed since",
            ),
        ] {
            if !matches {
                return Err(RunError::Resume { folder: self.folder.clone(), what });
            }
        }
        let path = self.folder.join(JOURNAL);
        let file = File::open(&path).map_err(|_| self.damaged())?;
        let input = BufReader::with_capacity(1 << 16, file);
        let artifacts = read_artifacts(&self.folder).map_err(|_| self.damaged())?;
        let reader = JournalReader { resume: self.clone(), input, frames_left: found.frames };
        Ok(Some((reader, artifacts)))
    }

    fn damaged(&self) -> RunError {
        RunError::Resume { folder: self.folder.clone(), what: "it is damaged" }
    }
}

impl Stamp {
    fn new(config: &Config, corpora: &[&Corpus]) -> Result<Self, RunError> {
        Ok(Self {
            version: VERSION,
            configuration: format!("{:032x}", xxh3_128(signing_configuration(config)?.as_bytes())),
            inputs: format!("{:032x}", xxh3_128(inputs(corpora)?.as_bytes())),
            frames: 0,
        })
    }
}

/// The configuration, without what does not change results, and with the artefacts it names.
fn signing_configuration(config: &Config) -> Result<String, RunError> {
    let mut same = config.clone();
    same.run.threads = 0;
    same.run.memory = crate::RunConfig::default().memory;
    let mut text = same.to_toml()?;
    let files = [&config.run.stats, &config.run.model, &config.run.boilerplate];
    for path in files.into_iter().flatten() {
        let bytes = fs::read(path).map_err(file_error("read", path))?;
        text.extend(["\n# ".to_owned(), format!("{:032x}", xxh3_128(&bytes))]);
    }
    Ok(text + env!("CARGO_PKG_VERSION"))
}

/// The files of the input with their sizes and times.
fn inputs(corpora: &[&Corpus]) -> Result<String, RunError> {
    let mut files = Vec::new();
    for corpus in corpora {
        for source in corpus.sources() {
            let Some(modified) =
                source.modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok())
            else {
                return Err(RunError::NothingToResume(source.name.clone()));
            };
            let (path, size) = (source.path.display(), source.size_bytes);
            let (id_name, modified) = (&source.id_name, modified.as_nanos());
            files.push(format!("{path}\t{id_name}\t{size}\t{modified}"));
        }
        files.push("--".to_owned());
    }
    Ok(files.join("\n"))
}

/// A journal in the making.
#[derive(Debug)]
pub(super) struct JournalWriter {
    path: PathBuf,
    out: BufWriter<File>,
    frame: Vec<u8>,
    stamp: Stamp,
}

impl JournalWriter {
    pub(super) fn put(&mut self, event: &Event<'_>) -> Result<(), RunError> {
        event.encode(&mut self.frame);
        if self.frame.len() >= FRAME_BYTES { self.end_frame() } else { Ok(()) }
    }

    fn end_frame(&mut self) -> Result<(), RunError> {
        let head = [self.frame.len() as u64, xxh3_64(&self.frame)];
        let mut write = || {
            head.iter().try_for_each(|word| self.out.write_all(&word.to_le_bytes()))?;
            self.out.write_all(&self.frame)
        };
        write().map_err(file_error("write", &self.path))?;
        self.frame.clear();
        self.stamp.frames += 1;
        Ok(())
    }

    fn finish(mut self) -> Result<Stamp, RunError> {
        self.end_frame()?;
        let synced = self.out.flush().and_then(|()| self.out.get_ref().sync_all());
        synced.map_err(file_error("write", &self.path))?;
        Ok(self.stamp)
    }
}

/// A journal to go on from.
#[derive(Debug)]
pub(super) struct JournalReader {
    resume: Resume,
    input: BufReader<File>,
    frames_left: u64,
}

impl JournalReader {
    /// The error of a journal that holds what no run writes.
    pub(super) fn damaged(&self) -> impl Fn() -> RunError + use<> {
        let resume = self.resume.clone();
        move || resume.damaged()
    }

    /// Hands on every event in order.
    pub(super) fn replay(
        mut self,
        mut each: impl FnMut(Event<'_>) -> Result<(), RunError>,
    ) -> Result<(), RunError> {
        let mut frame = Vec::new();
        while self.frames_left > 0 {
            self.read_frame(&mut frame).ok_or_else(|| self.resume.damaged())?;
            self.frames_left -= 1;
            let mut rest = frame.as_slice();
            while !rest.is_empty() {
                each(Event::decode(&mut rest).ok_or_else(|| self.resume.damaged())?)?;
            }
        }
        Ok(())
    }

    fn read_frame(&mut self, frame: &mut Vec<u8>) -> Option<()> {
        let mut word = || {
            let mut bytes = [0; 8];
            self.input.read_exact(&mut bytes).ok()?;
            Some(u64::from_le_bytes(bytes))
        };
        let (length, checksum) = (word()?, word()?);
        if length > MAX_FRAME_BYTES {
            return None;
        }
        frame.clear();
        // Grows with what is there, not with what a damaged head asks for.
        self.input.by_ref().take(length).read_to_end(frame).ok()?;
        (frame.len() as u64 == length && xxh3_64(frame) == checksum).then_some(())
    }
}
