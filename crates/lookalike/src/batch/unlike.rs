//! A word of warning where documents are unlike those that a model or a tuned configuration was made
//! on.

use lookalike_corpus::Corpus;
use lookalike_detect::Model;

use crate::{Config, Profile, RunError};

/// What a run should say of its input before anyone relies on its result; `seen` is what its first
/// documents look like, where that is known already.
pub(super) fn notes(
    corpus: &Corpus,
    config: &Config,
    model: Option<&Model>,
    seen: Option<Profile>,
) -> Result<Vec<String>, RunError> {
    let (made_on, what) = match (&config.run.made_on, model) {
        (Some(profile), _) => (profile.clone(), "configuration"),
        (None, Some(model)) => (Profile { figures: model.profile.clone() }, "model"),
        (None, None) => return Ok(Vec::new()),
    };
    let statistics = model.map(|model| &*model.statistics);
    let look = || Profile::of_corpus(corpus, config.detector.analyzer(), statistics);
    let here = seen.map_or_else(look, Ok)?;
    let told = made_on.differs_from(&here).map(|figure| {
        format!(
            "the documents are unlike those that the {what} was made on, and what it promised may not hold: {figure}"
        )
    });
    Ok(told.into_iter().collect())
}
