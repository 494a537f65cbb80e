//! Which pairs to ask people about, so that their answers tell which measure and line fit.
//!
//! Pairs around some documents are measured in several ways ([`crate::decide`]) and divided into
//! strata by the highest score. Every stratum is asked about, the low ones too: what nobody looked
//! at cannot be known. [`Questions::ask`] picks one after the other, evenly over the strata. How a
//! pair was drawn is noted with its answer, so that an answer counts for as many pairs as it stands
//! for.

mod choice;

use std::collections::BTreeMap;

use lookalike_corpus::Corpus;

pub use choice::{Question, Questions};

use crate::decide::{
    Answer, Cell, Choice, MEASURES, Measure, RESEMBLANCES, STRATA, Scale, Survey, answers_wanted,
    choose, promise, stratum,
};
use crate::tune::{Goal, Promise};
use crate::{Config, Context, Draw, JudgedPair, RunConfig, RunError};

/// What a round of questions goes on from.
#[derive(Clone, Copy, Debug, Default)]
pub struct Round<'a> {
    /// Answers of earlier rounds: their pairs are not asked about again, but count.
    pub answered: &'a [JudgedPair],
    /// Decides which pairs are drawn.
    pub seed: u64,
}

/// Finds pairs to ask about.
///
/// # Errors
/// Documents of which no two have anything in common, or what stops any run.
pub fn questions(
    corpus: &Corpus,
    config: &Config,
    round: Round<'_>,
    context: &Context<'_>,
) -> Result<Questions, RunError> {
    let drawn = (&MEASURES[..], round.seed);
    let (survey, scale) = Survey::of(corpus, drawn, &config.run, context)?;
    let earlier = scored(&survey, &scale, round.answered);
    if survey.pairs.is_empty() && earlier.is_empty() {
        return Err(RunError::NothingToAsk);
    }
    Ok(Questions::of(&survey, earlier, round.seed))
}

/// An answer of an earlier session, with the scores of its pair.
#[derive(Clone, Debug)]
struct Earlier {
    ids: (String, String),
    scores: Vec<f64>,
    truth: f64,
    draw: Option<Draw>,
}

/// The answers on documents that are there.
fn scored(survey: &Survey, scale: &Scale, answered: &[JudgedPair]) -> Vec<Earlier> {
    let places: BTreeMap<&str, u32> =
        survey.documents.iter().map(|document| document.id.as_str()).zip(0..).collect();
    let place = |id: &str| places.get(id).copied();
    let there: Vec<(&JudgedPair, (u32, u32))> = answered
        .iter()
        .filter_map(|pair| Some((pair, (place(&pair.left)?, place(&pair.right)?))))
        .collect();
    let pairs: Vec<(u32, u32)> = there.iter().map(|(_, places)| *places).collect();
    let scores = scale.scores(&survey.documents, &pairs);
    let earlier = |((pair, _), scores): ((&JudgedPair, _), Vec<f64>)| Earlier {
        ids: (pair.ids().0.to_owned(), pair.ids().1.to_owned()),
        scores,
        truth: pair.truth(),
        draw: pair.draw,
    };
    there.into_iter().zip(scores).map(earlier).collect()
}

/// The measure and line that answers choose.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// The measure.
    pub measure: Measure,
    /// Its line.
    pub line: f64,
    /// F1 on the answers that chose: no promise.
    pub f1: f64,
    /// Answers that counted.
    pub answers: usize,
    /// Of these, duplicates.
    pub duplicates: usize,
    /// Answers that say nothing of how their pair was drawn: they do not count.
    pub undrawn: usize,
    /// Answers of which a document is not there.
    pub missing: usize,
    /// What may be expected of it, where there are answers that had no part in the choice.
    pub checked: Option<Checked>,
}

/// What further answers say of a choice.
#[derive(Clone, Debug)]
pub struct Checked {
    /// Precision, recall and F1 with their intervals.
    pub promise: Promise,
    /// How many answers say so.
    pub answers: usize,
    /// How many more would tell F1 well enough; see [`answers_wanted`].
    pub wanted: Option<usize>,
}

/// Answers of people, by what they are for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Answers<'a> {
    /// They choose.
    pub choosing: &'a [JudgedPair],
    /// They check what was chosen.
    pub checking: &'a [JudgedPair],
}

impl Chosen {
    /// The configuration of a run.
    ///
    /// # Errors
    /// As [`Measure::configuration`].
    pub fn configuration(&self, run: &RunConfig) -> Result<Config, RunError> {
        self.measure.configuration(Some(self.line), run)
    }
}

/// Chooses the measure and the line by drawn answers; `None` where none of them is yes.
///
/// # Errors
/// What stops any run.
pub fn choose_by(
    corpus: &Corpus,
    run: &RunConfig,
    answers: Answers<'_>,
    goal: Goal,
    context: &Context<'_>,
) -> Result<Option<Chosen>, RunError> {
    let (survey, scale) = if answers.checking.is_empty() {
        let documents = crate::decide::read(corpus, context)?;
        let scale = Scale::of(&documents, &MEASURES, run, context)?;
        (Survey::without_pairs(documents, &MEASURES), scale)
    } else {
        Survey::of(corpus, (&MEASURES, 0), run, context)?
    };
    let chose = scored(&survey, &scale, answers.choosing);
    let undrawn = chose.iter().filter(|answer| answer.draw.is_none()).count();
    let weighed = weighed(&chose);
    let Some(choice) = choose(&weighed, goal) else { return Ok(None) };
    let mut check = scored(&survey, &scale, answers.checking);
    // What chose is no check.
    check.retain(|answer| chose.iter().all(|other| other.ids != answer.ids));
    Ok(Some(Chosen {
        measure: MEASURES[choice.measure],
        line: choice.line,
        f1: choice.f1,
        answers: weighed.len(),
        duplicates: weighed.iter().filter(|answer| answer.truth > 0.5).count(),
        undrawn,
        missing: answers.choosing.len() - chose.len(),
        checked: (!check.is_empty()).then(|| checked(&survey, choice, &check)),
    }))
}

/// What answers that had no part in a choice say of it.
fn checked(survey: &Survey, choice: Choice, check: &[Earlier]) -> Checked {
    let mut cells = [[Cell::default(); 2]; STRATA.len()];
    for cells in &mut cells {
        cells[1].found = true;
    }
    let is_found = |scores: &[f64]| usize::from(scores[choice.measure] >= choice.line);
    for (sampled, scores) in survey.pairs.iter().zip(&survey.scores) {
        cells[highest_stratum(scores)][is_found(scores)].pairs += sampled.weight;
    }
    for answer in check {
        let Some(draw) = answer.draw else { continue };
        let cell = &mut cells[draw.stratum.min(STRATA.len() - 1)][is_found(&answer.scores)];
        cell.asked += 1;
        cell.duplicates += answer.truth;
    }
    let cells: Vec<Cell> =
        cells.into_iter().flatten().filter(|cell| cell.pairs > 0.0 || cell.asked > 0).collect();
    let answers = cells.iter().map(|cell| cell.asked).sum();
    Checked { promise: promise(&cells), answers, wanted: answers_wanted(&cells) }
}

/// The stratum of a pair: that of the highest of its resemblances.
fn highest_stratum(scores: &[f64]) -> usize {
    stratum(scores.iter().take(RESEMBLANCES).copied().fold(0.0, f64::max))
}

/// Each answer with the pairs it stands for: those of its stratum, divided among its answers.
fn weighed(answers: &[Earlier]) -> Vec<Answer> {
    let mut strata = [(0.0, 0.0); STRATA.len()];
    let drawn = || answers.iter().filter_map(|answer| Some((answer, answer.draw?)));
    for (_, draw) in drawn() {
        let (pairs, n) = &mut strata[draw.stratum.min(STRATA.len() - 1)];
        *pairs += draw.pairs;
        *n += 1.0;
    }
    let weighed = |(answer, draw): (&Earlier, Draw)| {
        let (pairs, n) = strata[draw.stratum.min(STRATA.len() - 1)];
        // The mean of what the rounds have counted, over the answers of all of them.
        Answer { scores: answer.scores.clone(), truth: answer.truth, weight: pairs / n / n }
    };
    drawn().map(weighed).collect()
}
