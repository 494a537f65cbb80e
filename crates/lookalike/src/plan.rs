//! What a run will cost, from a sample of its input.

use std::time::Instant;

use lookalike_corpus::Corpus;
use lookalike_detect::{DetectorConfig, Scratch};
use serde::Serialize;

use crate::{Config, Context, RunError, artifacts_of_sample, build_detector};

/// Text that is read to forecast the rest.
const SAMPLE_BYTES: u64 = 16 << 20;
/// A (key, document) row in the sorter.
const ROW_BYTES: f64 = 12.0;
/// What the catalog and the join hold of each document beside its id.
const DOCUMENT_BYTES: f64 = 60.0;
/// The program itself, its dictionaries and the blocks in flight.
const BASE_BYTES: f64 = 30e6;
/// Documents that share a bucket with another, where nothing is known: a cautious share.
const CANDIDATE_SHARE: f64 = 0.5;

/// A forecast; numbers past the sample are proportional to it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Plan {
    /// Documents in the sample.
    pub sampled_documents: u64,
    /// Documents in all.
    pub documents: u64,
    /// Bytes of text in all.
    pub text_bytes: u64,
    /// Bucket keys of a document, on average.
    pub keys_per_document: f64,
    /// Peak memory, within `--memory` plus what does not count against it.
    pub memory_bytes: u64,
    /// Working files on disk.
    pub disk_bytes: u64,
    /// Seconds on one thread: reading and signing as measured, the rest in proportion.
    pub seconds: f64,
    /// Bands and rows of the candidate search, where the method has them.
    pub banding: Option<(usize, usize)>,
    /// The probability that a pair becomes a candidate, by resemblance.
    pub detection: Vec<(f64, f64)>,
}

/// Reads a sample and forecasts the run.
///
/// # Errors
/// The method cannot be built, or nothing can be read.
pub fn plan(corpus: &Corpus, config: &Config, context: &Context<'_>) -> Result<Plan, RunError> {
    let artifacts = artifacts_of_sample(corpus, config, SAMPLE_BYTES)?;
    let detector = build_detector(config, &artifacts)?;
    let sample = Sample::read(corpus, |document| {
        detector.sign(document, &mut Scratch::default()).map_or(0, |signed| signed.keys.len())
    });
    context.interrupt.check()?;
    let whole = sample.share_read(corpus.size_bytes()).recip();
    let documents = sample.documents as f64 * whole;
    let text_bytes = sample.text_bytes as f64 * whole;
    let keys = sample.keys as f64 / (sample.documents as f64).max(1.0);
    // Exact sets hold about one feature of 8 bytes for each word of 7 bytes.
    let features =
        if detector.needs_features() { CANDIDATE_SHARE * text_bytes * 8.0 / 7.0 } else { 0.0 };
    let rows = documents * keys * ROW_BYTES;
    let limit = config.run.memory.bytes() as f64;
    let kept = (rows.min(limit / 2.0)).max(features.min(limit / 2.0));
    let resident = documents * DOCUMENT_BYTES + sample.id_bytes as f64 * whole + BASE_BYTES;
    let spilled = (rows - limit / 2.0).max(0.0) + (features - limit / 2.0).max(0.0);
    let passes = 1.0
        + CANDIDATE_SHARE * f64::from(u8::from(detector.needs_features()))
        + f64::from(u8::from(config.detector.needs_statistics()));
    let banding = banding(&config.detector);
    Ok(Plan {
        sampled_documents: sample.documents,
        documents: documents as u64,
        text_bytes: text_bytes as u64,
        keys_per_document: keys,
        memory_bytes: (resident + kept) as u64,
        disk_bytes: spilled as u64,
        seconds: sample.seconds * whole * passes,
        banding,
        detection: banding.map(detection_curve).unwrap_or_default(),
    })
}

/// The probability that a pair of resemblance s shares a band: 1 - (1 - s^rows)^bands.
fn detection_curve((bands, rows): (usize, usize)) -> Vec<(f64, f64)> {
    (0..=20)
        .map(|step| {
            let resemblance = f64::from(step) / 20.0;
            (resemblance, 1.0 - (1.0 - resemblance.powf(rows as f64)).powf(bands as f64))
        })
        .collect()
}

fn banding(config: &DetectorConfig) -> Option<(usize, usize)> {
    match config {
        DetectorConfig::Minhash(minhash) => {
            minhash.banding().ok().map(|banding| (banding.bands, banding.rows))
        }
        _ => None,
    }
}

/// What was seen of the input.
#[derive(Default)]
struct Sample {
    documents: u64,
    text_bytes: u64,
    id_bytes: u64,
    keys: u64,
    file_bytes: u64,
    complete: bool,
    seconds: f64,
}

impl Sample {
    fn read(corpus: &Corpus, mut keys: impl FnMut(&lookalike_text::Document<'_>) -> usize) -> Self {
        let mut sample = Self { complete: true, ..Self::default() };
        let start = Instant::now();
        for block in corpus.blocks() {
            if sample.text_bytes >= SAMPLE_BYTES {
                sample.complete = false;
                break;
            }
            sample.file_bytes += block.consumed_bytes();
            block.visit(|row| {
                if let Ok(document) = &row.content {
                    sample.documents += 1;
                    sample.text_bytes += document.text.len() as u64;
                    sample.id_bytes += document.id.len() as u64;
                    sample.keys += keys(&document.document()) as u64;
                }
            });
        }
        sample.seconds = start.elapsed().as_secs_f64();
        sample
    }

    fn share_read(&self, size_bytes: u64) -> f64 {
        if self.complete || self.file_bytes == 0 {
            return 1.0;
        }
        (self.file_bytes as f64 / size_bytes.max(1) as f64).clamp(1e-9, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_detection_curve_rises_from_zero_to_one() {
        let curve = detection_curve((14, 8));
        assert_eq!(curve[0], (0.0, 0.0));
        assert_eq!(curve[20], (1.0, 1.0));
        assert!(curve.windows(2).all(|pair| pair[0].1 <= pair[1].1));
        // The published figure for 14 bands of 8 rows at 0.8.
        assert!((curve[16].1 - 0.92).abs() < 0.01);
    }
}
