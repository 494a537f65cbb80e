//! How long the stages of a run took, and what their threads did in that time.

use std::collections::BTreeMap;
use std::time::Instant;

use serde::Serialize;

/// Seconds by stage.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Seconds {
    stages: BTreeMap<&'static str, Stage>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Stage {
    wall: f64,
    /// Threads of the pool; the stages of a run share one.
    threads: usize,
    /// Where the system tells.
    processor: Option<ProcessorTime>,
}

impl Seconds {
    /// Runs a stage and notes how long it took.
    pub fn time<T>(&mut self, stage: &'static str, work: impl FnOnce() -> T) -> T {
        let (before, start) = (ThreadTimes::so_far(), Instant::now());
        let result = work();
        let wall = start.elapsed().as_secs_f64();
        let used = before.zip(ThreadTimes::so_far()).map(|(before, after)| after.since(&before));
        let entry = self.stages.entry(stage).or_insert_with(|| Stage {
            processor: Some(ProcessorTime::default()),
            ..Stage::default()
        });
        entry.wall += wall;
        entry.threads = rayon::current_num_threads();
        entry.processor = entry.processor.zip(used).map(|(sum, used)| sum.plus(used));
        result
    }

    /// Each stage and its seconds.
    pub fn stages(&self) -> impl Iterator<Item = (&'static str, f64)> {
        self.stages.iter().map(|(name, stage)| (*name, stage.wall))
    }

    /// The sum over all stages.
    pub fn total(&self) -> f64 {
        self.stages.values().map(|stage| stage.wall).sum()
    }

    /// What the threads did; `None` where the system does not tell.
    pub fn threads(&self) -> Option<Threads> {
        let count = self.stages.values().map(|stage| stage.threads).max()?;
        let stages: Option<BTreeMap<_, _>> =
            self.stages.iter().map(|(name, stage)| Some((*name, stage.spent()?))).collect();
        let stages = stages?;
        let sum = |part: fn(&Spent) -> f64| stages.values().map(part).sum::<f64>();
        let (busy, waiting) = (sum(|spent| spent.busy), sum(|spent| spent.waiting));
        let others = count.saturating_sub(1) as f64;
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let tells = (2..=processors).contains(&count) && busy > 0.0;
        let serial_share = tells.then(|| (waiting / (busy * others)).min(1.0));
        Some(Threads { count, serial_share, stages })
    }
}

impl Serialize for Seconds {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.stages())
    }
}

impl Stage {
    fn spent(&self) -> Option<Spent> {
        let ProcessorTime { busy, delayed } = self.processor?;
        let waiting = (self.wall * self.threads as f64 - busy - delayed).max(0.0);
        Some(Spent { busy, delayed, waiting })
    }
}

/// What the threads of a run did, by stage.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Threads {
    /// How many there were.
    pub count: usize,
    /// The share of the work that kept all threads but one waiting, as far as waiting tells: by
    /// it, however many threads there are, they can be at most `1 / serial_share` times as fast
    /// as one. None for a single thread, and where there are fewer processors than threads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub serial_share: Option<f64>,
    /// Seconds of all threads together.
    pub stages: BTreeMap<&'static str, Spent>,
}

/// Seconds of all threads of a stage together.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Spent {
    /// On a processor.
    pub busy: f64,
    /// Ready for a processor that something else was using.
    pub delayed: f64,
    /// With nothing to do: for another thread, or for the disk.
    pub waiting: f64,
}

/// What threads have had of the processors.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct ProcessorTime {
    busy: f64,
    delayed: f64,
}

impl ProcessorTime {
    fn plus(self, other: Self) -> Self {
        Self { busy: self.busy + other.busy, delayed: self.delayed + other.delayed }
    }
}

/// What each thread of this process has had of the processors, by its number.
struct ThreadTimes(BTreeMap<String, ProcessorTime>);

impl ThreadTimes {
    /// As Linux tells it.
    fn so_far() -> Option<Self> {
        let mut times = BTreeMap::new();
        for task in std::fs::read_dir("/proc/self/task").ok()? {
            let task = task.ok()?;
            // A thread may end while others are looked at.
            let Ok(told) = std::fs::read_to_string(task.path().join("schedstat")) else { continue };
            let mut nanoseconds = told.split_ascii_whitespace().map(str::parse::<f64>);
            let busy = nanoseconds.next()?.ok()? / 1e9;
            let delayed = nanoseconds.next()?.ok()? / 1e9;
            let number = task.file_name().to_string_lossy().into_owned();
            times.insert(number, ProcessorTime { busy, delayed });
        }
        Some(Self(times))
    }

    /// What all threads had since then; those that ended in between are left out, but a run's own
    /// live as long as it does.
    fn since(&self, before: &Self) -> ProcessorTime {
        let new = |(number, time): (&String, &ProcessorTime)| {
            let had = before.0.get(number).copied().unwrap_or_default();
            ProcessorTime { busy: time.busy - had.busy, delayed: time.delayed - had.delayed }
        };
        self.0.iter().map(new).fold(ProcessorTime::default(), ProcessorTime::plus)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stage(wall: f64, threads: usize, busy: f64, delayed: f64) -> Stage {
        Stage { wall, threads, processor: Some(ProcessorTime { busy, delayed }) }
    }

    #[test]
    fn what_is_neither_busy_nor_delayed_waits() {
        let stages = [("sign", stage(10.0, 3, 24.0, 3.0)), ("join", stage(2.0, 3, 2.0, 0.0))];
        let seconds = Seconds { stages: stages.into_iter().collect() };
        let threads = seconds.threads().unwrap();
        assert_eq!(threads.stages["sign"], Spent { busy: 24.0, delayed: 3.0, waiting: 3.0 });
        assert_eq!(threads.stages["join"], Spent { busy: 2.0, delayed: 0.0, waiting: 4.0 });
        if std::thread::available_parallelism().unwrap().get() >= 3 {
            assert_eq!(threads.serial_share, Some(7.0 / 52.0));
        } else {
            assert_eq!(threads.serial_share, None);
        }
        let json = serde_json::to_string(&seconds).unwrap();
        assert_eq!(json, r#"{"join":2.0,"sign":10.0}"#);
    }

    #[test]
    fn a_single_thread_has_no_serial_share() {
        let seconds = Seconds { stages: [("sign", stage(1.0, 1, 0.5, 0.0))].into() };
        assert_eq!(seconds.threads().unwrap().serial_share, None);
        assert_eq!(Seconds::default().threads(), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_thread_that_computes_is_busy() {
        if std::fs::metadata("/proc/self/schedstat").is_err() {
            println!("skipped: this system does not tell what threads do");
            return;
        }
        let mut seconds = Seconds::default();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        // Long enough for the system to take note of it.
        let labor = || (0..50_000_000_u64).fold(1, |sum: u64, n| std::hint::black_box(sum ^ n));
        pool.install(|| seconds.time("sign", labor));
        let threads = seconds.threads().unwrap();
        assert_eq!(threads.count, 2);
        assert!(threads.stages["sign"].busy > 0.0);
    }
}
