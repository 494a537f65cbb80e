//! The seam that every way of running it stands on: prepare a document, judge a pair.

mod collection;

pub use collection::PreparedCollection;

use lookalike_detect::{Artifacts, Detector, Prepared, PreparedError, Rejection, Scratch, Verdict};
use lookalike_text::Document;

use crate::{Config, Explanation, RunError, build_detector, explain};

/// A configuration with its artefacts, ready to prepare documents and to judge pairs.
///
/// Everything it answers follows from the configuration, the artefacts and the texts, and from
/// nothing else: a batch, an index, a service and a cluster of machines reach the same verdicts.
///
/// ```
/// use lookalike::{Artifacts, Config, Document, Method};
///
/// let config = Config::for_method("minhash")?;
/// let method = Method::new(&config, Artifacts::default())?;
/// let story = "The ferry to the islands stayed at its pier until noon because of thick fog.";
/// let bytes = method.prepare(&Document::from_text(story))?.to_bytes();
///
/// // Later, and on another machine:
/// let known = method.read_prepared(&bytes)?;
/// let copy = format!("{story} Nobody complained.");
/// let new = method.prepare(&Document::from_text(&copy))?;
/// let verdict = method.judge(&known, &new)?;
/// assert!(verdict.duplicate && verdict.score > 0.8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Method {
    detector: Detector,
    artifacts: Artifacts,
}

impl Method {
    /// Puts a method together.
    ///
    /// Of the configuration only the method, its parameters and `verify` matter here. `stats`,
    /// `model` and `ignore-boilerplate` name files and counts; what they stand for is handed in
    /// as artefacts ([`crate::artifacts`] reads or counts them for a corpus).
    ///
    /// # Errors
    /// Parameters that cannot work, or artefacts that are missing or do not fit.
    pub fn new(config: &Config, artifacts: Artifacts) -> Result<Self, RunError> {
        Ok(Self { detector: build_detector(config, &artifacts)?, artifacts })
    }

    /// Makes of a document what finding and judging its pairs takes.
    ///
    /// # Errors
    /// The document has too little to compare; it is nobody's duplicate.
    pub fn prepare(&self, document: &Document<'_>) -> Result<Prepared, Rejection> {
        self.prepare_with(document, &mut Scratch::default())
    }

    /// [`Method::prepare`] with buffers that are used again from document to document.
    ///
    /// # Errors
    /// As [`Method::prepare`].
    pub fn prepare_with(
        &self,
        document: &Document<'_>,
        scratch: &mut Scratch,
    ) -> Result<Prepared, Rejection> {
        self.detector.prepare(document, scratch)
    }

    /// Reads a document that this method prepared, from the bytes of [`Prepared::to_bytes`].
    ///
    /// # Errors
    /// Bytes of another kind, version or method, cut short, or changed since they were written.
    pub fn read_prepared(&self, bytes: &[u8]) -> Result<Prepared, PreparedError> {
        self.detector.read_prepared(bytes)
    }

    /// The verdict on two documents, as a batch over both would reach it; see
    /// [`Detector::judge`].
    ///
    /// # Errors
    /// One of them was prepared by another method, with other parameters or with other artefacts:
    /// there is no verdict on such a pair.
    pub fn judge(&self, left: &Prepared, right: &Prepared) -> Result<Verdict, PreparedError> {
        self.check(left)?;
        self.check(right)?;
        Ok(self.detector.judge(left, right))
    }

    /// The exact score of any two documents, candidates or not; see [`Detector::score`].
    ///
    /// # Errors
    /// As [`Method::judge`].
    pub fn score(&self, left: &Prepared, right: &Prepared) -> Result<f64, PreparedError> {
        self.check(left)?;
        self.check(right)?;
        Ok(self.detector.score(left, right))
    }

    /// Refuses what another method prepared.
    fn check(&self, prepared: &Prepared) -> Result<(), PreparedError> {
        if self.detector.has_prepared(prepared) {
            return Ok(());
        }
        Err(PreparedError::Method { found: prepared.method(), expected: self.fingerprint() })
    }

    /// Why two documents match, or do not.
    pub fn explain(&self, left: &Document<'_>, right: &Document<'_>) -> Explanation {
        explain(&self.detector, left, right)
    }

    /// 128 bits over everything that decides a verdict: the method, its parameters, `verify`, the
    /// artefacts it reads, and the version of its behavior. What was prepared under another
    /// fingerprint is refused.
    pub fn fingerprint(&self) -> u128 {
        self.detector.fingerprint()
    }

    /// The artefacts that it was put together with, for whoever stores them beside what it
    /// prepared.
    pub fn artifacts(&self) -> &Artifacts {
        &self.artifacts
    }

    /// The detector that does the work.
    pub fn detector(&self) -> &Detector {
        &self.detector
    }
}

impl std::fmt::Debug for Method {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Method")
            .field("fingerprint", &format_args!("{:032x}", self.fingerprint()))
            .finish_non_exhaustive()
    }
}
