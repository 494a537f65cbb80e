//! One pass over the input, whatever it is for: to count, to sign, to confirm, to write.
//!
//! Blocks are read one after the other, worked on by all threads of the current pool, and taken in
//! reading order, so that no result depends on the number of threads. Threads that would wait read
//! compressed files before their turn.

mod pipeline;
mod progress;

use crate::{Block, Blocks, Corpus, CorpusError, Source, Stop};
use pipeline::in_order_ahead;
pub use pipeline::{Room, in_order};
pub use progress::{Progress, Silent};

/// How large blocks are; one of more than 16 MiB is one long row.
const ROOM: Room = Room::new(2 << 20, 16 << 20);

/// Who hears of a pass, and who may end it.
#[derive(Clone, Copy)]
pub struct Watch<'a> {
    /// Hears how far the pass is.
    pub progress: &'a dyn Progress,
    /// Ends the pass when set.
    pub stop: &'a Stop,
}

impl Watch<'_> {
    fn check<E: From<CorpusError>>(&self) -> Result<(), E> {
        if self.stop.is_set() { Err(CorpusError::Stopped.into()) } else { Ok(()) }
    }
}

/// Runs `work` on every block of the corpus and hands the results to `take` in reading order.
///
/// # Errors
/// Those of `take`; [`CorpusError::Stopped`]; [`CorpusError::Changed`] of a file that grew or shrank
/// under way, which would give its rows other numbers in the next pass.
pub fn over_blocks<T: Send, E: From<CorpusError> + Send>(
    corpus: &Corpus,
    blocks: Blocks,
    stage: &'static str,
    watch: Watch<'_>,
    work: impl Fn(Block) -> T + Sync,
    take: impl FnMut(T) -> Result<(), E> + Send,
) -> Result<(), E> {
    watch.progress.begin(stage, corpus.size_bytes());
    let mut blocks = blocks;
    let ahead = blocks.read_ahead(rayon::current_num_threads());
    let read_ahead = || ahead.as_ref().is_some_and(|ahead| ahead.read_some());
    let read = || {
        watch.check()?;
        Ok(blocks.next().map(|block| {
            let bytes = block.bytes();
            (block, bytes)
        }))
    };
    let work = |block: Block| {
        let consumed = block.consumed_bytes();
        let result = work(block);
        watch.progress.advance(consumed);
        result
    };
    let room = ROOM.with_slow_fetch(corpus.sources().any(Source::is_slow));
    in_order_ahead(room, read, read_ahead, work, take)?;
    // Reading ends early when it hears of the stop first.
    watch.check()?;
    watch.progress.end();
    Ok(corpus.check_unchanged()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::InputOptions;

    #[test]
    fn a_file_that_grows_during_a_pass_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.jsonl");
        let rows = "{\"id\": \"a\", \"text\": \"sea\"}\n";
        std::fs::write(&path, rows).unwrap();
        let inputs = [path.to_str().unwrap().to_owned()];
        let corpus = Corpus::open(&inputs, InputOptions::default(), folder.path()).unwrap();
        let stop = Stop::new();
        let watch = Watch { progress: &Silent, stop: &stop };
        let pass = |grows: bool| {
            let work = |block: Block| {
                if grows {
                    std::fs::write(&path, rows.repeat(2)).unwrap();
                }
                block.n_rows()
            };
            over_blocks(&corpus, corpus.blocks(), "reading", watch, work, |_| Ok(()))
        };
        pass(false).unwrap();
        let error: CorpusError = pass(true).unwrap_err();
        assert!(matches!(error, CorpusError::Changed(_)), "{error}");
    }

    #[test]
    fn a_pass_that_is_stopped_says_so_and_not_that_the_input_changed() {
        let corpus = Corpus::from_documents(["one", "two"]);
        let stop = Stop::new();
        let watch = Watch { progress: &Silent, stop: &stop };
        let work = |_: Block| stop.set();
        let stopped = over_blocks(&corpus, corpus.blocks(), "reading", watch, work, |()| Ok(()));
        assert!(matches!(stopped, Err(CorpusError::Stopped)));
    }
}
