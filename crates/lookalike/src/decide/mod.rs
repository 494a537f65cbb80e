//! Which measure and which line suit a collection: told by the collection itself, or by answers.
//!
//! No threshold is right everywhere. Two releases of a manual share most of every page, two
//! articles share nothing. So the scores of pairs around some thousands of documents are taken
//! ([`Survey`]). Without answers the line goes between the hills of these scores ([`decide`]); with
//! answers, the measure and line are taken that fit them best ([`choose()`]).

mod choose;
mod hills;
mod measures;
mod neighbours;
mod promise;

use std::collections::BTreeSet;
use std::fmt;

use serde::Serialize;

pub use choose::{Answer, Choice, choose};
pub(crate) use choose::{draw_order, next_stratum};
pub use hills::Hills;
pub(crate) use measures::RESEMBLANCES;
pub use measures::{MEASURES, Measure, Scale};
pub use neighbours::{Neighbourhoods, SampledPair};
pub(crate) use neighbours::{STRATA, stratum};
pub use promise::{Cell, WIDEST, answers_wanted, promise, tells};

use crate::{Config, Context, Corpus, OwnedDocument, RunConfig, RunError};

/// Text that is looked at; of a larger collection, its beginning.
const MOST_TEXT_BYTES: usize = 192 << 20;

/// By this measure pairs of one story in different frames are alike, and pages of one frame are not.
const OF_STORIES: &str = "spots without boilerplate";
/// The measure of all other collections.
const OF_RARE_WORDS: &str = "rare 4-grams";
/// Pairs that have so much in common ...
const ALIKE: f64 = 0.2;
/// ... and by stories so little, ...
const OTHER_STORY: f64 = 0.05;
/// ... are pages of one frame; that many of them speak for a measure that does not see frames.
const FRAMED_SHARE: f64 = 0.2;

/// Scores of pairs around some documents of a collection.
#[derive(Debug)]
pub struct Survey {
    /// The documents that were looked at.
    pub documents: Vec<OwnedDocument>,
    /// The measures, in the order of the scores.
    pub measures: Vec<Measure>,
    /// Pairs of all strata, and how many each stands for.
    pub pairs: Vec<SampledPair>,
    /// The scores of each pair by each measure.
    pub scores: Vec<Vec<f64>>,
    /// How many pairs have nothing in common.
    pub strangers: f64,
}

impl Survey {
    /// Takes measures of a collection, by a seed of the draw; with the scale, for pairs that were not
    /// drawn.
    ///
    /// # Errors
    /// Nothing can be read, the user stopped it, or as for a run by each measure.
    pub fn of(
        corpus: &Corpus,
        (measures, seed): (&[Measure], u64),
        run: &RunConfig,
        context: &Context<'_>,
    ) -> Result<(Self, Scale), RunError> {
        let documents = read(corpus, context)?;
        if documents.is_empty() {
            crate::refuse_nothing_readable(corpus)?;
        }
        let found = Neighbourhoods::of(&documents, seed)?;
        context.interrupt.check()?;
        let scale = Scale::of(&documents, measures, run, context)?;
        let pairs: Vec<(u32, u32)> = found.pairs.iter().map(|sampled| sampled.pair).collect();
        let scores = scale.scores(&documents, &pairs);
        let Neighbourhoods { pairs, strangers } = found;
        let empty = Self::without_pairs(documents, measures);
        Ok((Self { pairs, scores, strangers, ..empty }, scale))
    }

    /// Documents of which no pair was drawn.
    pub(crate) fn without_pairs(documents: Vec<OwnedDocument>, measures: &[Measure]) -> Self {
        Self {
            documents,
            measures: measures.to_vec(),
            pairs: Vec::new(),
            scores: Vec::new(),
            strangers: 0.0,
        }
    }

    /// The scores of all pairs by one measure, and how many pairs each stands for.
    fn column(&self, name: &str) -> impl Iterator<Item = (f64, f64)> + '_ {
        let place = self.measures.iter().position(|measure| measure.name == name);
        let rows = self.scores.iter().zip(&self.pairs);
        rows.filter_map(move |(scores, pair)| Some((scores[place?], pair.weight)))
    }

    /// Where the collection itself puts the line.
    pub fn decide(&self) -> Decision {
        let framed = self.framed_share();
        let name = if framed >= FRAMED_SHARE { OF_STORIES } else { OF_RARE_WORDS };
        let measure = Measure::named(name).unwrap_or(MEASURES[0]);
        let hills = Hills::of(self.column(name).chain([(0.0, self.strangers)]));
        let line = hills.divides.then_some(hills.line);
        let frames = (framed >= FRAMED_SHARE).then(|| {
            format!(
                "documents stand in frames: of the pairs with much in common, {:.0} % tell other stories; ",
                100.0 * framed
            )
        });
        let hills_said = match line {
            _ if self.pairs.is_empty() => format!(
                "cannot tell: no two of {} documents share enough words in a row",
                self.documents.len()
            ),
            Some(line) => format!(
                "scores of pairs have hills at {:.2} and {:.2}, and few pairs lie around {line:.2}",
                hills.low, hills.high
            ),
            None => format!(
                "cannot tell: scores of pairs have one hill, at {:.2}, and nothing divides them",
                hills.low
            ),
        };
        let reason = frames.unwrap_or_default() + &hills_said;
        let (documents, pairs) = (self.documents.len(), self.pairs.len());
        Decision { measure: measure.name, line, reason, hills, documents, pairs }
    }

    /// The share of pairs with much in common that tell other stories.
    fn framed_share(&self) -> f64 {
        let (rare, stories) = (self.column(OF_RARE_WORDS), self.column(OF_STORIES));
        let rows: Vec<_> = rare.zip(stories).zip(&self.pairs).collect();
        // Lists and tables have no sentences to be compared by.
        let with_sentences: BTreeSet<u32> = rows
            .iter()
            .filter(|((_, (story, _)), _)| *story > 0.0)
            .flat_map(|(_, sampled)| [sampled.pair.0, sampled.pair.1])
            .collect();
        let (mut alike, mut framed) = (0.0, 0.0);
        for (((rare, weight), (story, _)), sampled) in rows {
            let (left, right) = sampled.pair;
            if rare >= ALIKE && with_sentences.contains(&left) && with_sentences.contains(&right) {
                alike += weight;
                framed += if story < OTHER_STORY { weight } else { 0.0 };
            }
        }
        if alike > 0.0 { framed / alike } else { 0.0 }
    }
}

/// What a collection says of itself.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Decision {
    /// The measure that suits it.
    pub measure: &'static str,
    /// The least score of a duplicate; none where nothing divides the pairs.
    pub line: Option<f64>,
    /// Why, in words.
    pub reason: String,
    /// The scores of pairs by that measure.
    pub hills: Hills,
    /// Documents that were looked at.
    pub documents: usize,
    /// Pairs that were measured.
    pub pairs: usize,
}

impl Decision {
    /// The configuration of a run: the default method where the collection does not tell the line.
    ///
    /// # Errors
    /// As [`Measure::configuration`].
    pub fn configuration(&self, run: &RunConfig) -> Result<Config, RunError> {
        let told = self.line.and_then(|_| Measure::named(self.measure));
        told.unwrap_or(MEASURES[0]).configuration(self.line, run)
    }
}

impl fmt::Display for Decision {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { measure, reason, .. } = self;
        match self.line {
            Some(line) => write!(formatter, "{measure} of at least {line:.2}: {reason}"),
            None => formatter.write_str(reason),
        }
    }
}

/// Puts the line where the collection says it is.
///
/// # Errors
/// As [`Survey::of`].
pub fn decide(
    corpus: &Corpus,
    run: &RunConfig,
    context: &Context<'_>,
) -> Result<Decision, RunError> {
    let measures: Vec<Measure> =
        [OF_RARE_WORDS, OF_STORIES].into_iter().filter_map(Measure::named).collect();
    Ok(Survey::of(corpus, (&measures, 0), run, context)?.0.decide())
}

/// The documents, as many as fit.
pub(crate) fn read(corpus: &Corpus, context: &Context<'_>) -> Result<Vec<OwnedDocument>, RunError> {
    let (mut documents, mut bytes) = (Vec::new(), 0);
    for block in corpus.blocks() {
        context.interrupt.check()?;
        if bytes >= MOST_TEXT_BYTES {
            break;
        }
        block.visit(|row| {
            if let Ok(document) = &row.content {
                let document = OwnedDocument::from(document);
                bytes += document.text.len();
                documents.push(document);
            }
        });
    }
    Ok(documents)
}

#[cfg(test)]
mod tests;
