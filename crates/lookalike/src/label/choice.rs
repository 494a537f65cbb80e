//! The next pair to ask about, given the answers so far.

use std::collections::{BTreeMap, BTreeSet};

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::{Answer, Choice, Earlier, STRATA, Survey, choose, highest_stratum, weighed};
use crate::decide::{draw_order, next_stratum};
use crate::tune::Goal;
use crate::{Draw, OwnedDocument};

/// A pair of documents whose verdict is wanted.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// One document.
    pub left: OwnedDocument,
    /// The other.
    pub right: OwnedDocument,
    /// How alike each measure finds them.
    pub scores: Vec<f64>,
    /// How it was drawn.
    pub draw: Draw,
}

impl Question {
    /// The two ids, the smaller first.
    fn ids(&self) -> (&str, &str) {
        let (left, right) = (self.left.id.as_str(), self.right.id.as_str());
        (left.min(right), left.max(right))
    }
}

/// Pairs to ask about, and what has been answered.
#[derive(Clone, Debug)]
pub struct Questions {
    /// In the order of drawing within each stratum.
    pairs: Vec<Question>,
    measures: Vec<&'static str>,
    is_asked: Vec<bool>,
    /// What the collection itself says: the place of a measure, and a line.
    first: (usize, f64),
    earlier: Vec<Earlier>,
    /// The verdict on each question, where there is one: 1, 0, or a half for a person who could not
    /// say.
    verdicts: BTreeMap<usize, f64>,
}

/// Pairs of a stratum that can be asked about; more than anybody answers.
const KEPT: usize = 100;

impl Questions {
    /// Questions from the pairs of a survey, and earlier answers.
    pub(super) fn of(survey: &Survey, mut earlier: Vec<Earlier>, seed: u64) -> Self {
        let decision = survey.decide();
        let measures: Vec<&'static str> =
            survey.measures.iter().map(|measure| measure.name).collect();
        let first = measures.iter().position(|name| *name == decision.measure).unwrap_or(0);
        let mut strata = [0.0; STRATA.len()];
        let mut drawn: Vec<(usize, f64, usize)> = Vec::new();
        for (at, (sampled, scores)) in survey.pairs.iter().zip(&survey.scores).enumerate() {
            strata[highest_stratum(scores)] += sampled.weight;
            let [left, right] = [sampled.pair.0, sampled.pair.1]
                .map(|place| survey.documents[place as usize].id.as_bytes());
            let draw = xxh3_64_with_seed(left.max(right), xxh3_64_with_seed(left.min(right), seed));
            drawn.push((highest_stratum(scores), draw_order(draw, sampled.weight), at));
        }
        drawn.sort_by(|left, right| {
            left.0.cmp(&right.0).then(left.1.total_cmp(&right.1)).then(left.2.cmp(&right.2))
        });
        // Where it is not noted how a pair was drawn, as in an index: as it would be drawn now.
        for answer in earlier.iter_mut().filter(|answer| answer.draw.is_none()) {
            let stratum = highest_stratum(&answer.scores);
            answer.draw = Some(Draw { stratum, pairs: strata[stratum] });
        }
        let answered: BTreeSet<(&str, &str)> =
            earlier.iter().map(|answer| (answer.ids.0.as_str(), answer.ids.1.as_str())).collect();
        let mut pairs = Vec::new();
        let mut kept = [0; STRATA.len()];
        for (stratum, _, at) in drawn {
            let (left, right) = survey.pairs[at].pair;
            let document = |place: u32| survey.documents[place as usize].clone();
            let question = Question {
                left: document(left),
                right: document(right),
                scores: survey.scores[at].clone(),
                draw: Draw { stratum, pairs: strata[stratum] },
            };
            if kept[stratum] < KEPT && !answered.contains(&question.ids()) {
                kept[stratum] += 1;
                pairs.push(question);
            }
        }
        let is_asked = vec![false; pairs.len()];
        let first = (first, decision.line.unwrap_or(0.5));
        Self { pairs, measures, is_asked, first, earlier, verdicts: BTreeMap::new() }
    }

    /// A question by its number.
    pub fn question(&self, number: usize) -> &Question {
        &self.pairs[number]
    }

    /// The verdict on a question in this session, where the person could say.
    pub fn verdict(&self, number: usize) -> Option<bool> {
        self.verdicts.get(&number).filter(|truth| **truth != 0.5).map(|truth| *truth > 0.5)
    }

    /// Takes an answer; a later one replaces it.
    pub fn answer(&mut self, number: usize, duplicate: bool) {
        self.verdicts.insert(number, f64::from(u8::from(duplicate)));
    }

    /// Takes it that a person could not say.
    pub fn answer_unsure(&mut self, number: usize) {
        self.verdicts.insert(number, 0.5);
    }

    /// Takes a person's verdict on two documents, asked about or not; true where they are a question.
    pub fn answer_pair(&mut self, left: &str, right: &str, duplicate: bool) -> bool {
        let ids = (left.min(right), left.max(right));
        let Some(number) = self.pairs.iter().position(|question| question.ids() == ids) else {
            return false;
        };
        self.is_asked[number] = true;
        self.answer(number, duplicate);
        true
    }

    /// The questions that [`Questions::ask`] would ask next, which do not count as asked.
    pub fn next(&self, count: usize) -> Vec<&Question> {
        self.ahead(count).into_iter().map(|number| &self.pairs[number]).collect()
    }

    /// Their numbers.
    fn ahead(&self, count: usize) -> Vec<usize> {
        let mut is_asked = self.is_asked.clone();
        let mut next = Vec::new();
        while next.len() < count {
            let Some(number) = self.pick(&is_asked) else { break };
            is_asked[number] = true;
            next.push(number);
        }
        next
    }

    /// How many questions have not been asked.
    pub fn n_open(&self) -> usize {
        self.is_asked.iter().filter(|asked| !**asked).count()
    }

    /// Lets go of everything but the ids, for whoever can find the documents again.
    pub fn forget_texts(&mut self) {
        for question in &mut self.pairs {
            for document in [&mut question.left, &mut question.right] {
                let id = std::mem::take(&mut document.id);
                *document = OwnedDocument { id, ..OwnedDocument::default() };
            }
        }
    }

    /// The measure that fits the answers so far best, or what the collection itself says.
    pub fn measure(&self) -> &'static str {
        self.measures[self.standing().0]
    }

    /// The line of that measure.
    pub fn line(&self) -> f64 {
        self.standing().1
    }

    /// The score of a question by that measure.
    pub fn score(&self, question: &Question) -> f64 {
        question.scores[self.standing().0]
    }

    /// What the answers choose.
    pub fn choice(&self) -> Option<Choice> {
        choose(&self.answers(), Goal::F1)
    }

    fn standing(&self) -> (usize, f64) {
        self.choice().map_or(self.first, |choice| (choice.measure, choice.line))
    }

    /// The number of the next question, which then counts as asked; `None` when all have been.
    pub fn ask(&mut self) -> Option<usize> {
        let number = self.pick(&self.is_asked)?;
        self.is_asked[number] = true;
        Some(number)
    }

    /// The next question of the stratum that was asked about least.
    fn pick(&self, is_asked: &[bool]) -> Option<usize> {
        let mut strata = [(0, false); STRATA.len()];
        for draw in self.earlier.iter().filter_map(|answer| answer.draw) {
            strata[draw.stratum.min(STRATA.len() - 1)].0 += 1;
        }
        for (question, asked) in self.pairs.iter().zip(is_asked) {
            let (n_asked, is_open) = &mut strata[question.draw.stratum];
            *n_asked += usize::from(*asked);
            *is_open |= !asked;
        }
        let wanted = next_stratum(strata)?;
        let mut open = self.pairs.iter().zip(is_asked);
        open.position(|(question, asked)| !asked && question.draw.stratum == wanted)
    }

    fn answers(&self) -> Vec<Answer> {
        let of_session = self.verdicts.iter().map(|(&number, &truth)| {
            let question = &self.pairs[number];
            let ids = question.ids();
            let ids = (ids.0.to_owned(), ids.1.to_owned());
            Earlier { ids, scores: question.scores.clone(), truth, draw: Some(question.draw) }
        });
        let all: Vec<Earlier> = self.earlier.iter().cloned().chain(of_session).collect();
        weighed(&all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decide::{Measure, SampledPair, stratum};

    /// A thousand pairs with every score; by the second measure they are half as alike.
    fn questions(earlier: Vec<Earlier>) -> Questions {
        let document = |id: String| OwnedDocument { id, ..OwnedDocument::default() };
        let documents = (0..2_000).map(|n| document(format!("{n:04}"))).collect();
        let pair = |n: u32| SampledPair { pair: (2 * n, 2 * n + 1), weight: 1.0 };
        let measures: Vec<Measure> = ["rare 4-grams", "spots without boilerplate"]
            .into_iter()
            .filter_map(Measure::named)
            .collect();
        let mut survey = Survey::without_pairs(documents, &measures);
        survey.pairs = (0..1_000).map(pair).collect();
        let score = |n: u32| f64::from(n) / 1_000.0;
        survey.scores = (0..1_000).map(|n| vec![score(n), score(n) / 2.0]).collect();
        Questions::of(&survey, earlier, 0)
    }

    /// The first scores that are asked about, answered by a person who sees a line at `truth`.
    fn asked(truth: f64, count: usize) -> (Vec<f64>, Questions) {
        let mut questions = questions(Vec::new());
        let mut scores = Vec::new();
        for _ in 0..count {
            let number = questions.ask().unwrap();
            let score = questions.question(number).scores[0];
            questions.answer(number, score >= truth);
            scores.push(score);
        }
        (scores, questions)
    }

    #[test]
    fn questions_come_from_all_strata_evenly() {
        let (scores, _) = asked(0.6, 60);
        let in_stratum = |k: usize| scores.iter().filter(|score| stratum(**score) == k).count();
        assert!((0..STRATA.len()).all(|k| in_stratum(k) == 6), "{scores:?}");
    }

    #[test]
    fn the_measure_and_the_line_follow_the_answers() {
        let (scores, questions) = asked(0.45, 40);
        assert_eq!(questions.measure(), "rare 4-grams");
        assert!((questions.line() - 0.45).abs() < 0.08, "{} {scores:?}", questions.line());
    }

    #[test]
    fn every_pair_is_asked_once() {
        let mut questions = questions(Vec::new());
        let n = questions.n_open();
        let mut order: Vec<usize> = std::iter::from_fn(|| questions.ask()).collect();
        order.sort_unstable();
        order.dedup();
        assert_eq!((order.len(), questions.n_open()), (n, 0));
    }

    #[test]
    fn looking_ahead_asks_nothing_and_answers_by_ids_count() {
        let mut questions = questions(Vec::new());
        let n_open = questions.n_open();
        let ids = |question: &Question| (question.left.id.clone(), question.right.id.clone());
        let ahead: Vec<_> = questions.next(5).into_iter().map(ids).collect();
        let mut same = questions.clone();
        let asked: Vec<_> =
            (0..5).map(|_| same.ask().map(|n| ids(same.question(n))).unwrap()).collect();
        assert_eq!((ahead.clone(), questions.n_open()), (asked, n_open));
        assert!(questions.answer_pair(&ahead[0].1, &ahead[0].0, false));
        assert!(!questions.answer_pair("0000", "0009", true));
        questions.forget_texts();
        assert_eq!(questions.n_open(), n_open - 1);
        assert!(questions.next(n_open).into_iter().all(|question| ids(question) != ahead[0]));
    }

    #[test]
    fn a_later_round_asks_other_pairs_and_counts_the_answers_of_both() {
        let (scores, first) = asked(0.45, 30);
        let earlier = |(number, truth): (&usize, &f64)| {
            let question = first.question(*number);
            let ids = question.ids();
            Earlier {
                ids: (ids.0.to_owned(), ids.1.to_owned()),
                scores: question.scores.clone(),
                truth: *truth,
                draw: Some(question.draw),
            }
        };
        let mut second = questions(first.verdicts.iter().map(earlier).collect());
        assert_eq!((second.measure(), second.line()), (first.measure(), first.line()));
        let next = second.ask().unwrap();
        assert!(!scores.contains(&second.question(next).scores[0]));
    }

    #[test]
    fn who_cannot_say_is_counted_as_a_half() {
        let mut questions = questions(Vec::new());
        let number = questions.ask().unwrap();
        questions.answer_unsure(number);
        assert_eq!((questions.verdict(number), questions.choice()), (None, None));
        assert_eq!(questions.answers()[0].truth, 0.5);
    }
}
