//! Copying a stream to a file, so that it can be read more than once.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use crate::{CorpusError, Stop};

/// Read at a time.
const PIECE_BYTES: usize = 1 << 18;
/// How long the flag may go unseen while nothing comes.
const PATIENCE: Duration = Duration::from_millis(100);

/// Copies a stream to the end into a file without a name, which vanishes with the process.
///
/// A read that waits for a pipe cannot be called off, so that it happens on a thread of its own,
/// which is left behind when the flag is set.
pub(super) fn spool<S: Read>(
    open: impl FnOnce() -> io::Result<S> + Send + 'static,
    name: &str,
    temp_dir: &Path,
    stop: &Stop,
) -> Result<(File, u64), CorpusError> {
    let write_failed = |source| CorpusError::Write { path: temp_dir.to_owned(), source };
    let read_failed = |source| CorpusError::Read { path: PathBuf::from(name), source };
    let mut file = tempfile::tempfile_in(temp_dir).map_err(write_failed)?;
    let (sender, receiver) = sync_channel(4);
    thread::spawn(move || {
        let mut stream = match open() {
            Ok(stream) => stream,
            // Whoever waits may have gone; then nobody needs to know.
            Err(error) => return drop(sender.send(Err(error))),
        };
        loop {
            let mut piece = vec![0; PIECE_BYTES];
            let read = match stream.read(&mut piece) {
                Ok(0) => return,
                Ok(got) => {
                    piece.truncate(got);
                    Ok(piece)
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => Err(error),
            };
            let failed = read.is_err();
            if sender.send(read).is_err() || failed {
                return;
            }
        }
    });
    let mut size_bytes = 0;
    loop {
        if stop.is_set() {
            return Err(CorpusError::Stopped);
        }
        match receiver.recv_timeout(PATIENCE) {
            Ok(piece) => {
                let piece = piece.map_err(read_failed)?;
                file.write_all(&piece).map_err(write_failed)?;
                size_bytes += piece.len() as u64;
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok((file, size_bytes)),
        }
    }
}
