//! Work on numbered pieces by all threads at once, taken in order, without waiting for each other.
//!
//! Every thread does the same: it takes a piece that was fetched, works on it, leaves the result
//! under the piece's number, and hands over whatever is next in order unless another thread is
//! about it. A thread fetches its own piece, which is in the cache of its core then. Where a fetch
//! takes long, as with compressed files, pieces are fetched ahead, one for each processor, by the
//! thread that fetched last, so that what a decoder looks back at stays in its cache; another one
//! fetches where nothing is left. A thread waits only where fetching does not keep up and nothing can
//! be prepared for it meanwhile, or where too much is under way already.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Condvar, LazyLock, Mutex, MutexGuard, PoisonError};

/// What may be under way at once.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    /// Pieces that may be under way for each thread.
    pub pieces_per_thread: usize,
    /// The usual size of a piece.
    pub piece_size: u64,
    /// A piece larger than this takes much memory to work on: nothing is fetched beside it.
    pub large_size: u64,
    /// Whether to fetch a piece is a good part of the work on it.
    pub slow_fetch: bool,
}

impl Room {
    /// Enough to keep all threads busy when one piece is slow.
    pub const fn new(piece_size: u64, large_size: u64) -> Self {
        Self { pieces_per_thread: 4, piece_size, large_size, slow_fetch: false }
    }

    /// The same where to fetch a piece may take long.
    pub const fn with_slow_fetch(self, slow_fetch: bool) -> Self {
        Self { slow_fetch, ..self }
    }
}

/// Runs `work` on all that `fetch` gives, and hands the results to `take` in the same order.
///
/// `fetch` tells the size of each piece. Whatever the number of threads, `take` sees the same
/// results in the same order; after an error nothing more is fetched or taken. None of the three may
/// use the thread pool itself.
pub fn in_order<P: Send, T: Send, E: Send>(
    room: Room,
    fetch: impl FnMut() -> Result<Option<(P, u64)>, E> + Send,
    work: impl Fn(P) -> T + Sync,
    take: impl FnMut(T) -> Result<(), E> + Send,
) -> Result<(), E> {
    in_order_ahead(room, fetch, || false, work, take)
}

/// As [`in_order`]; a thread that would wait makes a step by `ahead`, which makes later fetches
/// shorter, for as long as that says that it did something.
///
/// None of the four may use the thread pool itself: while it waited there, its thread could begin
/// one of the runs below, which would then wait for the piece in its own hands.
///
/// `fetch` tells the size of each piece. Whatever the number of threads, `take` sees the same
/// results in the same order; after an error nothing more is fetched or taken.
pub fn in_order_ahead<P: Send, T: Send, E: Send>(
    room: Room,
    fetch: impl FnMut() -> Result<Option<(P, u64)>, E> + Send,
    ahead: impl Fn() -> bool + Sync,
    work: impl Fn(P) -> T + Sync,
    take: impl FnMut(T) -> Result<(), E> + Send,
) -> Result<(), E> {
    let threads = rayon::current_num_threads().min(most_threads());
    let pipeline = Pipeline {
        room,
        most_pieces: threads * room.pieces_per_thread,
        pieces_ahead: if room.slow_fetch { threads.min(processors()) } else { 1 },
        fetch: Mutex::new(fetch),
        ahead,
        take: Mutex::new(take),
        work,
        state: Mutex::new(State::default()),
        progress: Condvar::new(),
    };
    rayon::scope(|scope| {
        for number in 1..threads {
            let pipeline = &pipeline;
            scope.spawn(move |_| pipeline.run(number));
        }
        pipeline.run(0);
    });
    let state = pipeline.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    state.error.map_or(Ok(()), Err)
}

/// How many threads can be at work at once.
fn processors() -> usize {
    static COUNT: LazyLock<usize> =
        LazyLock::new(|| std::thread::available_parallelism().map_or(1, usize::from));
    *COUNT
}

/// More threads than these would only take the caches from each other; some may wait for the disk.
fn most_threads() -> usize {
    if cfg!(test) { usize::MAX } else { 2 * processors() }
}

struct Pipeline<F, A, W, K, P, T, E> {
    room: Room,
    most_pieces: usize,
    /// Pieces that the last thread to fetch keeps ready; what waits long leaves the caches.
    pieces_ahead: usize,
    fetch: Mutex<F>,
    ahead: A,
    work: W,
    take: Mutex<K>,
    state: Mutex<State<P, T, E>>,
    /// Something was taken, worked on or given up.
    progress: Condvar,
}

struct State<P, T, E> {
    /// Pieces that wait for a thread, in order.
    ready: VecDeque<Fetched<P>>,
    /// Results that wait for their turn, by number, with the size of their piece.
    results: BTreeMap<u64, (T, u64)>,
    /// The number of the next piece to fetch, and of the next result to take.
    next_piece: u64,
    next_result: u64,
    /// The size of all pieces between the two.
    size: u64,
    /// Large pieces that have not been taken: what comes of one may be large as well.
    n_large: usize,
    /// Whether some thread is fetching, and whether there is nothing more to fetch.
    fetching: bool,
    all_fetched: bool,
    /// The thread that fetched last.
    fetcher: usize,
    /// Whether some thread is taking.
    taking: bool,
    /// Whether to do nothing more.
    ended: bool,
    error: Option<E>,
}

impl<P, T, E> Default for State<P, T, E> {
    fn default() -> Self {
        Self {
            ready: VecDeque::new(),
            results: BTreeMap::new(),
            next_piece: 0,
            next_result: 0,
            size: 0,
            n_large: 0,
            fetching: false,
            all_fetched: false,
            fetcher: 0,
            taking: false,
            ended: false,
            error: None,
        }
    }
}

/// A piece on its way.
struct Fetched<P> {
    number: u64,
    size: u64,
    piece: P,
}

impl<F, A, W, K, P, T, E> Pipeline<F, A, W, K, P, T, E>
where
    F: FnMut() -> Result<Option<(P, u64)>, E>,
    A: Fn() -> bool,
    W: Fn(P) -> T,
    K: FnMut(T) -> Result<(), E>,
{
    /// What every thread does.
    fn run(&self, thread: usize) {
        // The others must not wait for a thread that was lost.
        let _end = EndOnPanic(self);
        while let Some(Fetched { number, size, piece }) = self.next_piece(thread) {
            let result = (self.work)(piece);
            let mut state = self.state();
            state.results.insert(number, (result, size));
            self.take_results(state);
        }
    }

    fn state(&self) -> MutexGuard<'_, State<P, T, E>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A piece to work on; `None` when all is done.
    fn next_piece(&self, thread: usize) -> Option<Fetched<P>> {
        let mut state = self.state();
        let mut is_idle = false;
        loop {
            if state.ended {
                return None;
            }
            if self.may_fetch(&state, thread) {
                state.fetcher = thread;
                state = self.fetch_one(state);
            } else if let Some(piece) = state.ready.pop_front() {
                return Some(piece);
            } else if state.all_fetched {
                return None;
            } else if !is_idle {
                drop(state);
                is_idle = !(self.ahead)();
                state = self.state();
            } else {
                is_idle = false;
                // Whoever fetches, works or takes wakes one of those who wait: each such event
                // gives work to one thread.
                state = self.progress.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
        }
    }

    fn may_fetch(&self, state: &State<P, T, E>, thread: usize) -> bool {
        let enough = if state.fetcher == thread { self.pieces_ahead } else { 1 };
        state.ready.len() < enough && !state.fetching && !state.all_fetched && self.has_room(state)
    }

    /// Fetches the next piece and leaves it for whoever is free.
    fn fetch_one<'a>(
        &'a self,
        mut state: MutexGuard<'a, State<P, T, E>>,
    ) -> MutexGuard<'a, State<P, T, E>> {
        state.fetching = true;
        drop(state);
        let fetched = (self.fetch.lock().unwrap_or_else(PoisonError::into_inner))();
        let mut state = self.state();
        state.fetching = false;
        match fetched {
            Ok(Some((piece, size))) => {
                let number = state.next_piece;
                state.next_piece += 1;
                state.size += size;
                state.n_large += usize::from(size > self.room.large_size);
                state.ready.push_back(Fetched { number, size, piece });
                self.progress.notify_one();
            }
            Ok(None) => {
                state.all_fetched = true;
                self.progress.notify_all();
            }
            Err(error) => {
                state.error.get_or_insert(error);
                self.end(&mut state);
            }
        }
        state
    }

    fn has_room(&self, state: &State<P, T, E>) -> bool {
        let n_pieces = (state.next_piece - state.next_result) as usize;
        n_pieces < self.most_pieces
            && state.size < self.most_pieces as u64 * self.room.piece_size
            && state.n_large == 0
    }

    /// Takes what is there in order, unless another thread does.
    fn take_results<'a>(&'a self, mut state: MutexGuard<'a, State<P, T, E>>) {
        while !state.taking && !state.ended {
            let next = state.next_result;
            let Some((result, size)) = state.results.remove(&next) else { return };
            state.taking = true;
            drop(state);
            let mut take = self.take.lock().unwrap_or_else(PoisonError::into_inner);
            let taken = take(result);
            drop(take);
            state = self.state();
            state.taking = false;
            state.next_result += 1;
            state.size -= size;
            state.n_large -= usize::from(size > self.room.large_size);
            self.progress.notify_one();
            if let Err(error) = taken {
                state.error.get_or_insert(error);
                self.end(&mut state);
            }
        }
    }
}

impl<F, A, W, K, P, T, E> Pipeline<F, A, W, K, P, T, E> {
    fn end(&self, state: &mut State<P, T, E>) {
        state.ended = true;
        self.progress.notify_all();
    }
}

/// Ends a pipeline when a thread panics on it.
struct EndOnPanic<'a, F, A, W, K, P, T, E>(&'a Pipeline<F, A, W, K, P, T, E>);

impl<F, A, W, K, P, T, E> Drop for EndOnPanic<'_, F, A, W, K, P, T, E> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.end(&mut self.0.state.lock().unwrap_or_else(PoisonError::into_inner));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

    use proptest::prelude::*;

    use super::*;
    use crate::CorpusError;

    const ROOM: Room = Room::new(10, 50);

    fn on<T: Send>(threads: usize, run: impl FnOnce() -> T + Send) -> T {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(run)
    }

    /// Keeps a processor for about so long.
    fn labor(amount: u64) -> u64 {
        (0..amount * 200).fold(amount, |sum, n| sum.rotate_left(7) ^ n)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn results_come_in_order_and_within_the_room(
            sizes in prop::collection::vec(0_u64..60, 0..80),
            threads in 1_usize..6,
            slow_fetch: bool,
        ) {
            let (under_way, most) = (AtomicU64::new(0), AtomicU64::new(0));
            let large = AtomicUsize::new(0);
            let mut pieces = sizes.iter().copied().enumerate();
            let mut taken = Vec::new();
            let fetch = || Ok(pieces.next().map(|(number, size)| {
                assert_eq!(large.load(Ordering::SeqCst), 0, "nothing is fetched beside a large one");
                most.fetch_max(under_way.fetch_add(size, Ordering::SeqCst), Ordering::SeqCst);
                large.fetch_add(usize::from(size > ROOM.large_size), Ordering::SeqCst);
                ((number, size), size)
            }));
            let work = |(number, size): (usize, u64)| {
                std::hint::black_box(labor(size));
                large.fetch_sub(usize::from(size > ROOM.large_size), Ordering::SeqCst);
                (number, size)
            };
            let take = |(number, size): (usize, u64)| {
                under_way.fetch_sub(size, Ordering::SeqCst);
                taken.push((number, size));
                Ok(())
            };
            let room = ROOM.with_slow_fetch(slow_fetch);
            on(threads, || in_order::<_, _, CorpusError>(room, fetch, work, take)).unwrap();
            prop_assert_eq!(taken, sizes.iter().copied().enumerate().collect::<Vec<_>>());
            let room = (threads * ROOM.pieces_per_thread) as u64 * ROOM.piece_size;
            prop_assert!(most.into_inner() < room, "what was under way when a piece was fetched");
        }
    }

    #[test]
    fn threads_that_would_wait_make_steps_ahead() {
        let (steps, mut numbers, mut taken) = (AtomicUsize::new(0), 0..20_u32, Vec::new());
        let fetch = || {
            // The others have nothing to do meanwhile.
            let next = numbers.next();
            while next.is_some() && steps.load(Ordering::SeqCst) < 5 {
                std::thread::yield_now();
            }
            Ok(next.map(|number| (number, 1)))
        };
        let ahead = || steps.fetch_add(1, Ordering::SeqCst) < 5;
        let take = |number| {
            taken.push(number);
            Ok(())
        };
        let run = || in_order_ahead::<_, _, CorpusError>(ROOM, fetch, ahead, |number| number, take);
        on(3, run).unwrap();
        assert_eq!(taken, (0..20).collect::<Vec<_>>());
    }

    #[test]
    fn an_error_ends_it_and_nothing_is_taken_after_it() {
        for threads in [1, 2, 5] {
            let mut taken = Vec::new();
            let mut numbers = 0..100;
            let run = || {
                let fetch = || Ok(numbers.next().map(|number| (number, 1)));
                let take = |number| {
                    taken.push(number);
                    if number == 7 { Err(CorpusError::NoInput) } else { Ok(()) }
                };
                in_order(ROOM, fetch, |number: u32| number, take)
            };
            assert!(matches!(on(threads, run), Err(CorpusError::NoInput)));
            assert_eq!(taken, (0..8).collect::<Vec<_>>());
            let fetch = || Err::<Option<((), u64)>, _>(CorpusError::NoInput);
            let failed = on(threads, || in_order(ROOM, fetch, |()| (), |()| Ok(())));
            assert!(matches!(failed, Err(CorpusError::NoInput)));
        }
    }

    #[test]
    fn a_panic_comes_through_and_nobody_waits_for_ever() {
        for threads in [1, 2, 5] {
            let run = || {
                let mut numbers = 0..1000;
                let fetch = || Ok(numbers.next().map(|number| (number, 1)));
                let work = |number: u32| assert_ne!(number, 30, "on purpose");
                in_order::<_, _, CorpusError>(ROOM, fetch, work, |()| Ok(()))
            };
            let caught = std::panic::catch_unwind(|| on(threads, run));
            assert!(caught.is_err());
        }
    }
}
