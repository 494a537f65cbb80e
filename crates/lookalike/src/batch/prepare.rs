//! What a run is made of: its input, its artefacts, its detector.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

use lookalike_corpus::{Corpus, InputOptions};
use lookalike_detect::decide::Threshold;
use lookalike_detect::measure::SetMeasure;
use lookalike_detect::represent::{WordRuns, WordSet};
use lookalike_detect::{Artifacts, Confirm, DetectError, Detector, Frequencies, Model};
use lookalike_statistics::Statistics;
use lookalike_text::{Analyzer, AnalyzerConfig};
use xxhash_rust::xxh3::xxh3_128;

use super::artifact_files::read_boilerplate;
use super::boilerplate::find_hidden_paragraphs;
use super::hidden::HiddenParagraphs;
use super::statistics::{KeptTerms, count_statistics, read_statistics};
use crate::{Config, Context, MemoryBudget, RunError, Verify, read_model};

/// Opens the input as a configuration says.
///
/// # Errors
/// Nothing is there, or a format is not known.
pub fn open_corpus(
    inputs: &[impl AsRef<OsStr>],
    config: &Config,
    temp_dir: &Path,
) -> Result<Corpus, RunError> {
    Ok(read_ahead(&Corpus::open(inputs, input_options(config), temp_dir)?, config))
}

/// As [`open_corpus`], and heeds the interrupt of a run: while standard input is read, and in every
/// pass, however long a row is.
///
/// # Errors
/// As [`open_corpus`], and the user stopped the run.
pub fn open_input(
    inputs: &[impl AsRef<OsStr>],
    config: &Config,
    context: &Context<'_>,
) -> Result<Corpus, RunError> {
    let (options, stop) = (input_options(config), context.interrupt.flag());
    let opened = Corpus::open_until(inputs, options, context.temp_dir, stop);
    context.interrupt.check()?;
    Ok(read_ahead(&opened?, config))
}

/// A corpus whose files may be read before their turn, within the limit of a run.
fn read_ahead(corpus: &Corpus, config: &Config) -> Corpus {
    corpus.with_read_ahead(MemoryBudget::new(config.run.memory).read_ahead())
}

/// What a configuration says about reading: for [`Corpus::open`] and [`Corpus::from_batches`].
pub fn input_options(config: &Config) -> InputOptions {
    let run = &config.run;
    let fields = run.keep.fields().into_iter().map(str::to_owned).collect();
    InputOptions { fields, ..run.input_options() }
}

/// The artefacts a configuration needs, counted from the corpus where no file is named.
///
/// # Errors
/// A file cannot be read or does not fit the method's analyzer.
pub fn artifacts(
    corpus: &Corpus,
    config: &Config,
    context: &Context<'_>,
) -> Result<Artifacts, RunError> {
    Ok(artifacts_and_hidden(corpus, config, context)?.0)
}

/// As [`artifacts`], and what the rows of this corpus hide, where that was found out.
pub fn artifacts_and_hidden(
    corpus: &Corpus,
    config: &Config,
    context: &Context<'_>,
) -> Result<(Artifacts, Option<HiddenParagraphs>), RunError> {
    artifacts_with(model(config)?, corpus, config, context)
}

/// As [`artifacts_and_hidden`], with a model that was read already.
pub fn artifacts_with(
    model: Option<Arc<Model>>,
    corpus: &Corpus,
    config: &Config,
    context: &Context<'_>,
) -> Result<(Artifacts, Option<HiddenParagraphs>), RunError> {
    let statistics = match &config.run.stats {
        Some(path) => Some(read_statistics(path)?),
        None if counts_input(config, model.as_deref()) => {
            let analyzer = config.detector.analyzer();
            let counted = count_statistics(corpus, analyzer, KeptTerms::Hashes, context)?;
            worth_asking_with(counted, model.as_deref())
        }
        None => None,
    };
    let (boilerplate, hidden) = match (&config.run.boilerplate, config.run.ignore_boilerplate) {
        (Some(path), _) => (Some(read_boilerplate(path)?), None),
        (None, Some(min_documents)) => {
            let memory = config.run.memory.bytes();
            let (set, hidden) = find_hidden_paragraphs(corpus, min_documents, memory, context)?;
            (Some(Arc::new(set)), Some(hidden))
        }
        (None, None) => (None, None),
    };
    Ok((Artifacts { statistics, model, boilerplate }, hidden))
}

/// The model a configuration names, where its method needs one.
pub fn model(config: &Config) -> Result<Option<Arc<Model>>, RunError> {
    let path = config.run.model.as_ref().filter(|_| config.detector.needs_model());
    path.map(|path| read_model(path)).transpose()
}

/// Whether paragraphs of documents are not to be seen.
pub fn hides_paragraphs(config: &Config) -> bool {
    config.run.ignore_boilerplate.is_some() || config.run.boilerplate.is_some()
}

/// Whether the document frequencies of the input are wanted.
pub fn counts_input(config: &Config, model: Option<&Model>) -> bool {
    let of_collection = |model: &Model| model.frequencies == Frequencies::Collection;
    config.detector.needs_statistics()
        || (!config.run.model_stats && model.is_some_and(of_collection))
}

/// Fewer documents than this cannot say how common a word is, and a model brings frequencies.
const FEWEST_COUNTED: u64 = 50;

/// What was counted, unless a model's own frequencies say more.
pub fn worth_asking_with(counted: Statistics, model: Option<&Model>) -> Option<Arc<Statistics>> {
    let is_enough = model.is_none() || counted.n_documents() >= FEWEST_COUNTED;
    is_enough.then(|| Arc::new(counted))
}

/// What makes the words of a whole text, numbers and short words included; nothing where the method
/// leaves none of them out.
fn own_words(config: &Config, of_whole: bool) -> Result<Option<Analyzer>, RunError> {
    let plain = AnalyzerConfig::default();
    let leaves_out = config.run.ignore_boilerplate.is_some() || config.run.boilerplate.is_some();
    let is_other = (of_whole && leaves_out) || *config.detector.analyzer() != plain;
    Ok(is_other.then(|| Analyzer::new(&plain)).transpose().map_err(DetectError::from)?)
}

/// The detector of a configuration, with the further check that `--verify` asks for.
///
/// # Errors
/// Parameters or artefacts do not fit.
pub fn build_detector(config: &Config, artifacts: &Artifacts) -> Result<Detector, RunError> {
    let detector = config.detector.build(artifacts)?;
    let verify = config.run.verify.of_method(&config.detector);
    let confirm = |measure, threshold| -> Result<Confirm, RunError> {
        Ok(Confirm {
            represent: Arc::new(WordSet { analyzer: own_words(config, false)? }),
            measure: Box::new(measure),
            decide: Box::new(Threshold(threshold)),
        })
    };
    let verified = match verify {
        Verify::Method | Verify::None => detector,
        Verify::Jaccard(least) => detector.confirmed_by(confirm(SetMeasure::Jaccard, least)?),
        Verify::Cosine(least) => detector.confirmed_by(confirm(SetMeasure::Cosine, least)?),
    };
    let guard = config.guard();
    let guarded = match guard {
        Some(least) => verified.guarded_by(least, WordRuns { analyzer: own_words(config, true)? }),
        None => verified,
    };
    if matches!(verify, Verify::Method | Verify::None) && guard.is_none() {
        return Ok(guarded);
    }
    let of_words = *config.detector.analyzer() != AnalyzerConfig::default();
    let (method, artifacts) = (config.detector.clone(), artifacts.clone());
    Ok(guarded.stamped(move || {
        let alone = method.fingerprint(&artifacts);
        let guarded = guard.map(|share| format!(" accounted {share}")).unwrap_or_default();
        let words = if of_words { " of words" } else { "" };
        xxh3_128(format!("{alone:032x} verify {verify}{words}{guarded}").as_bytes())
    }))
}
