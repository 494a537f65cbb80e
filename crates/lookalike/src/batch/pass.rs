//! One pass over the input: blocks are read one after the other, worked on in parallel, and taken
//! in order. Threads that would wait read compressed files before their turn.

use lookalike_corpus::{Block, Corpus, Source};

use crate::pipeline::{Room, in_order_ahead};
use crate::{Context, RunError};

/// How large blocks are; one of more than 16 MiB is one long row.
const ROOM: Room = Room::new(2 << 20, 16 << 20);

/// Runs `work` on every block of the corpus and hands the results to `take` in reading order.
///
/// Whatever the number of threads, `take` sees the same results in the same order.
pub fn over_blocks<T: Send>(
    corpus: &Corpus,
    stage: &'static str,
    context: &Context<'_>,
    work: impl Fn(&Block) -> T + Sync,
    take: impl FnMut(T) -> Result<(), RunError> + Send,
) -> Result<(), RunError> {
    context.progress.begin(stage, corpus.size_bytes());
    let mut blocks = corpus.blocks();
    let ahead = blocks.read_ahead(rayon::current_num_threads());
    let read_ahead = || ahead.as_ref().is_some_and(|ahead| ahead.read_some());
    let read = || {
        context.interrupt.check()?;
        Ok(blocks.next().map(|block| {
            let bytes = block.bytes();
            (block, bytes)
        }))
    };
    let work = |block: Block| {
        let result = work(&block);
        context.progress.advance(block.consumed_bytes());
        result
    };
    let room = ROOM.with_slow_fetch(corpus.sources().any(Source::is_slow));
    in_order_ahead(room, read, read_ahead, work, take)?;
    // Reading ends early when it hears of the interrupt first.
    context.interrupt.check()?;
    context.progress.end();
    // A file that grew or shrank under way would give its rows other numbers in the next pass.
    Ok(corpus.check_unchanged()?)
}

#[cfg(test)]
mod tests {
    use lookalike_corpus::{CorpusError, InputOptions};

    use super::*;
    use crate::{Interrupt, Silent};

    #[test]
    fn a_file_that_grows_during_a_pass_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.jsonl");
        let rows = "{\"id\": \"a\", \"text\": \"sea\"}\n";
        std::fs::write(&path, rows).unwrap();
        let inputs = [path.to_str().unwrap().to_owned()];
        let corpus = Corpus::open(&inputs, InputOptions::default(), folder.path()).unwrap();
        let interrupt = Interrupt::new();
        let context = Context { progress: &Silent, interrupt: &interrupt, temp_dir: folder.path() };
        let pass = |grows: bool| {
            let work = |block: &Block| {
                if grows {
                    std::fs::write(&path, rows.repeat(2)).unwrap();
                }
                block.n_rows()
            };
            over_blocks(&corpus, "reading", &context, work, |_| Ok(()))
        };
        pass(false).unwrap();
        let error = pass(true).unwrap_err();
        assert!(matches!(error, RunError::Corpus(CorpusError::Changed(_))), "{error}");
    }
}
