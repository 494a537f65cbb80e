//! One method: prepare a document, judge a pair, explain it.

use std::sync::Arc;

use lookalike::{
    Artifacts, Config, Context, Corpus, Document, Explanation, Interrupt, Method as Seam,
    OwnedDocument, Prepared as SeamPrepared, PreparedError, Silent,
};
use lookalike_detect::Model;
use lookalike_statistics::Statistics;
use lookalike_statistics::boilerplate::BoilerplateSet;
use pyo3::prelude::*;
use serde_json::json;
use similar::ChangeTag;

use crate::config::parse;
use crate::errors::{ArtifactError, ConfigError, failed_run, with_causes};

/// A method with its parameters and artefacts.
#[pyclass(frozen, module = "lookalike._lookalike")]
pub struct Method {
    seam: Seam,
    config: Config,
    settings: String,
    artifacts: Artifacts,
}

/// A document as a method needs it.
#[pyclass(frozen, module = "lookalike._lookalike")]
pub struct Prepared(SeamPrepared);

/// An explanation with the two documents.
#[pyclass(frozen, module = "lookalike._lookalike")]
pub struct Explained {
    explanation: Explanation,
    left: OwnedDocument,
    right: OwnedDocument,
}

/// What travels with a pickled method: its settings, statistics, model and boilerplate.
type State = (String, Option<Vec<u8>>, Option<Vec<u8>>, Option<Vec<u8>>);

impl Method {
    /// What does the work.
    pub fn seam(&self) -> &Seam {
        &self.seam
    }

    fn build(settings: String, artifacts: Artifacts) -> PyResult<Self> {
        let config = parse(&settings)?;
        let seam = Seam::new(&config, artifacts.clone()).map_err(failed_run)?;
        Ok(Self { seam, config, settings, artifacts })
    }
}

/// The artefacts that the configuration names files of.
fn read_artifacts(config: &Config) -> PyResult<Artifacts> {
    let missing = |key: &str, how: &str| {
        let name = config.detector.name();
        ConfigError::new_err(format!("{name} needs to know a collection: give {key}=…, {how}"))
    };
    if config.detector.needs_statistics() && config.run.stats.is_none() {
        return Err(missing("stats", "a file that lookalike.statistics writes"));
    }
    if config.run.ignore_boilerplate.is_some() && config.run.boilerplate.is_none() {
        return Err(missing("boilerplate", "a file that a run with write-artifacts writes"));
    }
    let folder = std::env::temp_dir();
    let interrupt = Interrupt::new();
    let context = Context { progress: &Silent, interrupt: &interrupt, temp_dir: &folder };
    let nothing = Corpus::from_documents(std::iter::empty::<OwnedDocument>());
    lookalike::artifacts(&nothing, config, &context).map_err(failed_run)
}

#[pymethods]
impl Method {
    #[new]
    fn new(settings: String) -> PyResult<Self> {
        let artifacts = read_artifacts(&parse(&settings)?)?;
        Self::build(settings, artifacts)
    }

    fn name(&self) -> &'static str {
        self.config.detector.name()
    }

    /// Whether pairs come with what the two documents share.
    fn shows_matches(&self) -> bool {
        self.seam.detector().shows_matches()
    }

    fn fingerprint(&self) -> String {
        format!("{:032x}", self.seam.fingerprint())
    }

    fn prepare(
        &self,
        py: Python<'_>,
        text: &str,
        title: Option<&str>,
        url: Option<&str>,
    ) -> Option<Prepared> {
        let document = Document { text, title, url, whole_text: None };
        py.detach(|| self.seam.prepare(&document)).ok().map(Prepared)
    }

    fn load(&self, bytes: &[u8]) -> PyResult<Prepared> {
        self.seam.read_prepared(bytes).map(Prepared).map_err(foreign)
    }

    fn judge(&self, left: &Prepared, right: &Prepared) -> PyResult<(bool, f64)> {
        let verdict = self.seam.judge(&left.0, &right.0).map_err(foreign)?;
        Ok((verdict.duplicate, verdict.score))
    }

    fn score(&self, left: &Prepared, right: &Prepared) -> PyResult<f64> {
        self.seam.score(&left.0, &right.0).map_err(foreign)
    }

    fn explain(&self, py: Python<'_>, left: String, right: String) -> Explained {
        let (left, right) = (OwnedDocument::new("left", left), OwnedDocument::new("right", right));
        let explanation = py.detach(|| self.seam.explain(&left.document(), &right.document()));
        Explained { explanation, left, right }
    }

    fn state(&self) -> State {
        let Artifacts { statistics, model, boilerplate } = &self.artifacts;
        (
            self.settings.clone(),
            statistics.as_ref().map(|statistics| statistics.to_bytes()),
            model.as_ref().map(|model| model.to_bytes()),
            boilerplate.as_ref().map(|set| set.to_bytes()),
        )
    }

    #[staticmethod]
    fn from_state(state: State) -> PyResult<Self> {
        let broken = |error: &dyn std::error::Error| ArtifactError::new_err(with_causes(error));
        let (settings, statistics, model, boilerplate) = state;
        let statistics = statistics.map(|bytes| Statistics::from_bytes(&bytes)).transpose();
        let model = model.map(|bytes| Model::from_bytes(&bytes)).transpose();
        let boilerplate = boilerplate.map(|bytes| BoilerplateSet::from_bytes(&bytes)).transpose();
        let artifacts = Artifacts {
            statistics: statistics.map_err(|error| broken(&error))?.map(Arc::new),
            model: model.map_err(|error| broken(&error))?.map(Arc::new),
            boilerplate: boilerplate.map_err(|error| broken(&error))?.map(Arc::new),
        };
        Self::build(settings, artifacts)
    }
}

/// What another method prepared, as an exception.
fn foreign(error: PreparedError) -> PyErr {
    ArtifactError::new_err(with_causes(&error))
}

/// The state of a method whose artefacts are given as they are on disk, by the keys that name them.
#[pyfunction]
pub fn method_state(
    settings: String,
    mut artifacts: std::collections::BTreeMap<String, Vec<u8>>,
) -> PyResult<State> {
    let mut take = |key: &str| artifacts.remove(key);
    let state = (settings, take("stats"), take("model"), take("boilerplate"));
    // Whether it works is known here, not on an executor.
    Method::from_state(state.clone())?;
    Ok(state)
}

#[pymethods]
impl Prepared {
    fn keys(&self) -> Vec<u64> {
        self.0.keys().iter().map(|key| key.0).collect()
    }

    fn identity(&self) -> u128 {
        self.0.identity()
    }

    fn to_bytes(&self) -> Vec<u8> {
        self.0.to_bytes()
    }

    /// Reads what was pickled.
    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Self> {
        let read = SeamPrepared::of_any_method(bytes);
        read.map(Self).map_err(|error| ArtifactError::new_err(error.to_string()))
    }
}

#[pymethods]
impl Explained {
    fn facts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let explanation = &self.explanation;
        let tag = |tag: ChangeTag| match tag {
            ChangeTag::Equal => "=",
            ChangeTag::Delete => "-",
            ChangeTag::Insert => "+",
        };
        let facts = json!({
            "duplicate": explanation.verdict.duplicate,
            "shown_score": lookalike::shown_score(&explanation.verdict),
            "score": explanation.verdict.score,
            "shared_keys": explanation.keys.2,
            "shared": explanation.shared.iter().map(|f| &f.text).collect::<Vec<_>>(),
            "only_left": explanation.only_left.iter().map(|f| &f.text).collect::<Vec<_>>(),
            "only_right": explanation.only_right.iter().map(|f| &f.text).collect::<Vec<_>>(),
            "matches": explanation.matches.iter().map(|matched| {
                [[matched.left.start, matched.left.end], [matched.right.start, matched.right.end]]
            }).collect::<Vec<_>>(),
            "difference": explanation.difference.iter()
                .map(|(kind, words)| (tag(*kind), words)).collect::<Vec<_>>(),
        });
        py.import("json")?.call_method1("loads", (facts.to_string(),))
    }

    /// A page of its own.
    fn page(&self) -> String {
        lookalike::explanation_page(&self.explanation, &self.left, &self.right)
    }
}
