//! Long texts wait for their turn: they get half of the threads and of the memory, so that who sends
//! many keeps neither short texts waiting nor the memory limit.

use std::sync::Arc;

use lookalike::ByteSize;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::problem::Problem;

/// Texts of a request that wait for their turn if they have more bytes than this.
const LONG_BYTES: usize = 256 << 10;
/// What is held for each byte of a text while it is judged: its words, its features, those of candidates.
const HELD_FOR_EACH: usize = 24;

/// The threads and the memory for long texts.
pub struct LongTexts {
    threads: Arc<rayon::ThreadPool>,
    turns: Arc<Semaphore>,
    /// In kilobytes.
    memory: Arc<Semaphore>,
    memory_kilobytes: u32,
}

/// A turn: held until the work ends, not until somebody stops waiting for it.
pub struct Turn {
    threads: Arc<rayon::ThreadPool>,
    _permits: [OwnedSemaphorePermit; 2],
}

impl LongTexts {
    /// Half of this machine's threads, and half of a memory limit.
    pub fn new(memory: ByteSize) -> std::io::Result<Self> {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        let n_threads = (cores / 2).max(1);
        let threads = rayon::ThreadPoolBuilder::new()
            .num_threads(n_threads)
            .thread_name(|number| format!("long-{number}"))
            .build()
            .map_err(std::io::Error::other)?;
        let memory_kilobytes = u32::try_from(memory.bytes() / 2048).unwrap_or(u32::MAX).max(1);
        Ok(Self {
            threads: Arc::new(threads),
            turns: Arc::new(Semaphore::new(n_threads)),
            memory: Arc::new(Semaphore::new(memory_kilobytes as usize)),
            memory_kilobytes,
        })
    }

    /// Waits for a turn, where so many bytes of text need one.
    pub async fn turn(&self, bytes: usize) -> Result<Option<Turn>, Problem> {
        if bytes <= LONG_BYTES {
            return Ok(None);
        }
        let ending = |_| Problem::not_ready("the service is ending");
        let held = bytes.saturating_mul(HELD_FOR_EACH) >> 10;
        // What is larger than all of it is judged alone.
        let kilobytes = u32::try_from(held).unwrap_or(u32::MAX).min(self.memory_kilobytes);
        let turn = Arc::clone(&self.turns).acquire_owned().await.map_err(ending)?;
        let memory = Arc::clone(&self.memory).acquire_many_owned(kilobytes).await;
        let threads = Arc::clone(&self.threads);
        Ok(Some(Turn { threads, _permits: [turn, memory.map_err(ending)?] }))
    }
}

impl Turn {
    /// Works on the threads of long texts.
    pub fn work<T: Send>(self, work: impl FnOnce() -> T + Send) -> T {
        self.threads.install(work)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::timeout;

    use super::*;

    #[test]
    fn long_texts_wait_for_each_other_and_short_ones_for_none() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let long_texts = LongTexts::new(ByteSize(64 << 20)).unwrap();
            let turn = long_texts.turn(6 << 20).await.unwrap();
            assert!(turn.is_some());
            assert!(long_texts.turn(1000).await.unwrap().is_none());
            // The first one holds all of the memory.
            let waiting = timeout(Duration::from_millis(20), long_texts.turn(6 << 20)).await;
            assert!(waiting.is_err());
            drop(turn);
            let turn = long_texts.turn(usize::MAX).await.unwrap().unwrap();
            assert_eq!(turn.work(|| 7), 7);
        });
    }
}
