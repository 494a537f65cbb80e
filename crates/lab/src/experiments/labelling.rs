//! What answers to `label` are worth: F1 of `tune`'s choice on documents that no answer came from,
//! over the number of answers, beside answers about pairs drawn at random.
//!
//! Documents are divided so that the sides have no cluster and no group in common. On one side `label`
//! asks, the labels answer, and `tune` chooses; on the other its choice runs as `find` runs it.

use std::collections::BTreeMap;
use std::time::Duration;

use lookalike::label::{Round, questions};
use lookalike::tune::{Candidate, Labels, TuneOptions, tune};
use lookalike::{
    Config, Context, Corpus, Groups, Interrupt, LabelledCorpus, OwnedDocument, Silent,
};
use lookalike_detect::random::SplitMix64;
use lookalike_detect::train::TrainingPairs;
use lookalike_learn::evaluate::PairCounts;
use lookalike_learn::{Outcome, Plot, Table};

use crate::LabError;
use crate::found::{broken, count_pairs, found_pairs, tuned_pairs};

/// What is asked, and how often.
#[derive(Clone, Debug)]
pub struct LabellingOptions {
    /// The method that looks for pairs to ask about; it also stands for no answer at all.
    pub method: Config,
    /// Numbers of answers, ascending.
    pub answers: Vec<usize>,
    /// What `tune` may choose from.
    pub candidates: Vec<Candidate>,
    /// Random divisions.
    pub divisions: usize,
    /// Where they start.
    pub seed: u64,
}

/// How the pairs that are answered were come by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Asked {
    /// As `label` asks, one after the other.
    Label,
    /// At random from the pairs that `label` had to choose from.
    Pool,
    /// At random from all pairs of documents.
    Random,
}

impl Asked {
    const ALL: [Self; 3] = [Self::Label, Self::Pool, Self::Random];

    fn name(self) -> &'static str {
        match self {
            Self::Label => "as label asks",
            Self::Pool => "random, of the pairs label chooses from",
            Self::Random => "random, of all pairs",
        }
    }
}

/// Two documents by their places, and whether they are near-duplicates.
type Answer = (u32, u32, bool);

/// What came of some answers on one division.
struct Reached {
    counts: PairCounts,
    n_duplicates: usize,
    chosen: Option<String>,
}

/// Runs the experiment.
///
/// # Errors
/// Documents without labels, or a method that cannot be run.
pub fn run(corpus: &LabelledCorpus, options: &LabellingOptions) -> Result<Outcome, LabError> {
    let labels = Labels::Clusters(corpus.clusters.clone());
    let mut generator = SplitMix64::new(options.seed);
    let mut reached: BTreeMap<(Asked, usize), Vec<Reached>> = BTreeMap::new();
    for _ in 0..options.divisions {
        let [(train, _), (test, _)] = labels.divide(&corpus.groups.of_document, &mut generator);
        let division = Division::new(corpus, &train, &test);
        for asked in Asked::ALL {
            let answers = division.answers(asked, options, &mut generator)?;
            for &number in &options.answers {
                let some = &answers[..number.min(answers.len())];
                reached.entry((asked, number)).or_default().push(division.reach(some, options)?);
            }
        }
    }
    let mut outcome = report(&reached);
    outcome.table.note(format!(
        "{} documents, {}; {} divisions, seed {}. f1: the mean over the divisions, on the side that no \
         answer came from; lowest_f1: the least. duplicates: answers that were yes, on average. tuned: in \
         how many divisions there were answers of both kinds to tune on; in the others, and without \
         answers, {} runs at its own threshold.",
        corpus.documents.len(),
        corpus.groups,
        options.divisions,
        options.seed,
        options.method.detector.name()
    ));
    Ok(outcome)
}

fn report(reached: &BTreeMap<(Asked, usize), Vec<Reached>>) -> Outcome {
    let mut table = Table::new(
        "F1 of tune's choice on unseen documents over the number of answers",
        &["asked", "answers", "duplicates", "tuned", "f1", "lowest_f1", "chosen"],
    );
    let mut curves: BTreeMap<Asked, Vec<(f64, f64)>> = BTreeMap::new();
    for ((asked, number), divisions) in reached {
        let n = divisions.len().max(1) as f64;
        let f1: Vec<f64> = divisions.iter().map(|reached| reached.counts.f1()).collect();
        let mean = f1.iter().sum::<f64>() / n;
        let n_duplicates: usize = divisions.iter().map(|reached| reached.n_duplicates).sum();
        let mut chosen: Vec<&str> = divisions.iter().filter_map(|r| r.chosen.as_deref()).collect();
        let n_tuned = chosen.len();
        chosen.sort_unstable();
        chosen.dedup();
        table.push(vec![
            asked.name().into(),
            (*number).into(),
            (n_duplicates as f64 / n).into(),
            n_tuned.into(),
            mean.into(),
            f1.iter().copied().fold(1.0, f64::min).into(),
            chosen.join("; ").into(),
        ]);
        curves.entry(*asked).or_default().push((*number as f64, mean));
    }
    let mut plot = Plot::new("F1 on unseen documents over answers", "answers", "F1");
    for (asked, curve) in curves {
        plot.push(asked.name(), curve);
    }
    Outcome { table, further: Vec::new(), plot: Some(plot) }
}

/// Documents to ask about, and others to ask on.
struct Division {
    /// The ids of the first are their places.
    documents: Vec<OwnedDocument>,
    clusters: Vec<u32>,
    groups: Groups,
    unseen: Vec<OwnedDocument>,
    unseen_clusters: Vec<u32>,
}

impl Division {
    fn new(corpus: &LabelledCorpus, train: &[usize], test: &[usize]) -> Self {
        let placed = |(place, &document): (usize, &usize)| OwnedDocument {
            id: place.to_string(),
            ..corpus.documents[document].clone()
        };
        let clusters = |side: &[usize]| side.iter().map(|&d| corpus.clusters[d]).collect();
        Self {
            documents: train.iter().enumerate().map(placed).collect(),
            clusters: clusters(train),
            groups: Groups {
                of_document: train.iter().map(|&d| corpus.groups.of_document[d]).collect(),
                grouping: corpus.groups.grouping.clone(),
            },
            unseen: test.iter().enumerate().map(placed).collect(),
            unseen_clusters: clusters(test),
        }
    }

    /// As many answers as are wanted at most, in the order in which they are given.
    fn answers(
        &self,
        asked: Asked,
        options: &LabellingOptions,
        generator: &mut SplitMix64,
    ) -> Result<Vec<Answer>, LabError> {
        let wanted = options.answers.iter().copied().max().unwrap_or(0);
        let answer = |left: usize, right: usize| {
            (left as u32, right as u32, self.clusters[left] == self.clusters[right])
        };
        if asked == Asked::Random {
            let n = self.documents.len() as u64;
            let draw = |_| (generator.next_below(n) as usize, generator.next_below(n) as usize);
            let pairs = (0..2 * wanted).map(draw).filter(|(left, right)| left != right);
            return Ok(pairs.map(|(left, right)| answer(left, right)).take(wanted).collect());
        }
        let corpus = Corpus::from_documents(self.documents.iter().cloned());
        let (interrupt, temp_dir) = (Interrupt::new(), std::env::temp_dir());
        let context = Context { progress: &Silent, interrupt: &interrupt, temp_dir: &temp_dir };
        let mut questions =
            questions(&corpus, &options.method, Round::default(), &context).map_err(broken)?;
        let mut answers = Vec::new();
        while asked == Asked::Pool || answers.len() < wanted {
            let Some(number) = questions.ask() else { break };
            let question = questions.question(number);
            let place = |document: &OwnedDocument| document.id.parse().map_err(broken);
            let answered = answer(place(&question.left)?, place(&question.right)?);
            questions.answer(number, answered.2);
            answers.push(answered);
        }
        if asked == Asked::Pool {
            generator.shuffle(&mut answers);
            answers.truncate(wanted);
        }
        Ok(answers)
    }

    /// Tunes on some answers, and counts what the choice finds on the other side.
    fn reach(&self, answers: &[Answer], options: &LabellingOptions) -> Result<Reached, LabError> {
        let side = |wanted: bool| {
            let of_side = answers.iter().filter(move |answer| answer.2 == wanted);
            of_side.map(|&(left, right, _)| (left.min(right), left.max(right))).collect()
        };
        let pairs = TrainingPairs { positive: side(true), negative: side(false) };
        let n_duplicates = pairs.positive.len();
        let folder = tempfile::tempdir().map_err(broken)?;
        let unseen: Vec<&OwnedDocument> = self.unseen.iter().collect();
        if pairs.positive.is_empty() || pairs.negative.is_empty() {
            let found = found_pairs(&unseen, &options.method, folder.path())?;
            let counts = count_pairs(&found, &self.unseen_clusters);
            return Ok(Reached { counts, n_duplicates, chosen: None });
        }
        let tuning = TuneOptions { budget: Duration::MAX, ..TuneOptions::default() };
        let (interrupt, temp_dir) = (Interrupt::new(), std::env::temp_dir());
        let context = Context { progress: &Silent, interrupt: &interrupt, temp_dir: &temp_dir };
        let labels = Labels::Pairs(pairs);
        let tried = options.candidates.clone();
        let outcome = tune(&self.documents, &self.groups, &labels, tried, &tuning, &context)
            .map_err(broken)?;
        let found = tuned_pairs(&outcome, &tuning.run, &unseen, folder.path())?;
        let counts = count_pairs(&found, &self.unseen_clusters);
        let chosen = outcome.best().map(|best| best.name.clone());
        Ok(Reached { counts, n_duplicates, chosen })
    }
}

#[cfg(test)]
mod tests {
    use lookalike::tune::candidates;

    use super::*;

    /// Stories told in versions of a resemblance of 0.875, any two of them of one of 0.5.
    fn corpus() -> LabelledCorpus {
        let mut corpus = LabelledCorpus::default();
        for story in 0..30 {
            for version in 0..3 {
                let own = |n: usize| match n {
                    n if n % 3 != 0 => format!("common{n}"),
                    n if n / 3 % 10 == version => format!("edit{story}v{version}w{n}"),
                    n => format!("story{story}word{n}"),
                };
                let mut text: Vec<String> = (0..90).map(own).collect();
                // What all have stands together, so that any two texts share runs of words.
                text.sort_by_key(|word| !word.starts_with("common"));
                let id = format!("{story}-{version}");
                corpus.documents.push(OwnedDocument {
                    id,
                    text: text.join(" "),
                    ..Default::default()
                });
                corpus.clusters.push(story as u32);
            }
        }
        corpus.groups = Groups::none(corpus.documents.len());
        corpus
    }

    #[test]
    fn answers_raise_what_a_threshold_that_is_too_high_misses() {
        let minhash = |c: &Candidate| c.config.name() == "minhash" && c.name.ends_with('1');
        let options = LabellingOptions {
            method: Config::from_table("ngram = 1\nthreshold = 0.95".parse().unwrap()).unwrap(),
            answers: vec![0, 20],
            candidates: candidates().into_iter().filter(minhash).collect(),
            divisions: 2,
            seed: 1,
        };
        let outcome = run(&corpus(), &options).unwrap();
        let f1 = outcome.table.numbers("f1");
        // As label asks: without an answer, and with twenty.
        assert!(f1[0] < Some(0.5), "{f1:?}");
        assert!(f1[1] > Some(0.95), "{f1:?}");
        // Pairs of all documents are seldom near-duplicates.
        let duplicates = outcome.table.numbers("duplicates");
        assert!(duplicates[5] < duplicates[1], "{duplicates:?}");
    }
}
