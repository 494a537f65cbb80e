//! One pass over the input: blocks are read ahead, worked on in parallel, and taken in order.

use lookalike_corpus::{Block, Corpus};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use crate::{Context, RunError};

/// Blocks in flight for each thread: enough to keep all busy when one block is slow.
const BLOCKS_PER_THREAD: usize = 2;
/// Blocks are smaller than this, unless a row is longer.
const USUAL_BLOCK_BYTES: u64 = 2 << 20;
/// A block of more than this is one long row.
const LARGE_BLOCK_BYTES: u64 = 16 << 20;

/// Runs `work` on every block of the corpus and hands the results to `take` in reading order.
///
/// The next blocks are read while the present ones are worked on; with one thread the two simply
/// alternate. Whatever the number of threads, `take` sees the same results in the same order.
pub fn over_blocks<T: Send>(
    corpus: &Corpus,
    stage: &'static str,
    context: &Context<'_>,
    work: impl Fn(&Block) -> T + Sync,
    mut take: impl FnMut(T) -> Result<(), RunError>,
) -> Result<(), RunError> {
    context.progress.begin(stage, corpus.size_bytes());
    let threads = rayon::current_num_threads();
    let group_size = if threads == 1 { 1 } else { threads * BLOCKS_PER_THREAD };
    let mut blocks = corpus.blocks();
    // One row may fill a block of many times the usual size: such blocks wait alone.
    let group_bytes = group_size as u64 * USUAL_BLOCK_BYTES;
    let mut read = || {
        let (mut group, mut bytes) = (Vec::new(), 0);
        while group.len() < group_size && bytes < group_bytes {
            let Some(block) = blocks.next() else { break };
            bytes += block.bytes();
            group.push(block);
        }
        group
    };
    let mut group = read();
    while !group.is_empty() {
        context.interrupt.check()?;
        let one = |block: &Block| {
            let result = work(block);
            context.progress.advance(block.consumed_bytes());
            result
        };
        // A block of one long row takes much memory to work on; the next one waits for it.
        let is_large = group.iter().any(|block| block.bytes() > LARGE_BLOCK_BYTES);
        let (next, results) = if threads == 1 || is_large {
            let results: Vec<T> = group.par_iter().map(one).collect();
            drop(std::mem::take(&mut group));
            (read(), results)
        } else {
            rayon::join(&mut read, || group.par_iter().map(one).collect::<Vec<T>>())
        };
        for result in results {
            take(result)?;
        }
        group = next;
    }
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
