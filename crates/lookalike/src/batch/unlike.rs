//! A word of warning where documents are unlike those that a model or a tuned configuration was made
//! on.

use lookalike_corpus::Corpus;

use crate::{Config, Profile, RunError, read_model};

/// What a run should say of its input before anyone relies on its result.
pub(super) fn notes(corpus: &Corpus, config: &Config) -> Result<Vec<String>, RunError> {
    let path = config.run.model.as_ref().filter(|_| config.detector.needs_model());
    let model = path.map(|path| read_model(path)).transpose()?;
    let (made_on, what) = match (&config.run.made_on, &model) {
        (Some(profile), _) => (profile.clone(), "configuration"),
        (None, Some(model)) => (Profile { figures: model.profile.clone() }, "model"),
        (None, None) => return Ok(Vec::new()),
    };
    let statistics = model.as_ref().map(|model| &*model.statistics);
    let here = Profile::of_corpus(corpus, config.detector.analyzer(), statistics)?;
    let told = made_on.differs_from(&here).map(|figure| {
        format!(
            "the documents are unlike those that the {what} was made on, and what it promised may not hold: {figure}"
        )
    });
    Ok(told.into_iter().collect())
}
