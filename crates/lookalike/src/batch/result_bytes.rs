//! What result files would take, for `plan`.

use std::io;
use std::path::Path;

use super::Findings;
use super::threads::on_threads;
use crate::error::file_error;
use crate::{Config, RunError};

/// What the result files of `find` take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ResultBytes {
    pub n_pairs: u64,
    n_clustered: u64,
    pairs: u64,
    clusters: u64,
    /// What does not grow with either.
    fixed: u64,
}

impl ResultBytes {
    /// The bytes of so many pairs and documents in clusters, their rows being as long as these.
    pub fn forecast(&self, n_pairs: f64, n_clustered: f64) -> f64 {
        let mean = |bytes: u64, count: u64| bytes as f64 / count.max(1) as f64;
        self.fixed as f64
            + n_pairs * mean(self.pairs, self.n_pairs)
            + n_clustered * mean(self.clusters, self.n_clustered)
    }
}

/// Counts what is written, and its lines.
#[derive(Default)]
struct Counted {
    bytes: u64,
    lines: u64,
}

impl io::Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes += bytes.len() as u64;
        self.lines += bytes.iter().map(|byte| u64::from(*byte == b'\n')).sum::<u64>();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Findings {
    /// What [`super::write_findings`] would take.
    pub(crate) fn result_bytes(&self, config: &Config) -> Result<ResultBytes, RunError> {
        let counted = |count: &mut dyn FnMut(&mut Counted) -> io::Result<()>| {
            let mut counted = Counted::default();
            let nowhere = Path::new("the results");
            count(&mut counted).map_err(file_error("count", nowhere))?;
            Ok::<_, RunError>(counted)
        };
        let (pairs, clusters) = on_threads(config.run.threads, || {
            let pairs = counted(&mut |out| self.write_pairs(&self.pairs, out))?;
            Ok((pairs, counted(&mut |out| self.write_clusters(out))?))
        })?;
        let summary = counted(&mut |out| Ok(serde_json::to_writer_pretty(out, &self.summary)?))?;
        Ok(ResultBytes {
            n_pairs: pairs.lines,
            n_clustered: clusters.lines,
            pairs: pairs.bytes,
            clusters: clusters.bytes,
            fixed: summary.bytes + config.to_toml()?.len() as u64,
        })
    }
}
