//! The next pair to ask about, given the answers so far.

use std::collections::BTreeMap;

use lookalike_detect::train::best_threshold;

use super::{STRATA, stratum};
use crate::OwnedDocument;

/// A pair of documents whose verdict is wanted.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// One document.
    pub left: OwnedDocument,
    /// The other.
    pub right: OwnedDocument,
    /// How alike the method finds them.
    pub score: f64,
}

/// Pairs to ask about, and what has been answered.
#[derive(Clone, Debug)]
pub struct Questions {
    pairs: Vec<Question>,
    is_asked: Vec<bool>,
    /// The decision line before any answer.
    first_line: f64,
    /// Score and verdict of pairs that were answered in earlier sessions.
    earlier: Vec<(f64, bool)>,
    /// The verdict on each question, where there is one.
    verdicts: BTreeMap<usize, bool>,
    /// How often each document was shown.
    shown: BTreeMap<String, usize>,
}

impl Questions {
    /// Questions around a decision line, and the scores and verdicts of earlier answers.
    pub fn new(pairs: Vec<Question>, line: f64, earlier: Vec<(f64, bool)>) -> Self {
        let is_asked = vec![false; pairs.len()];
        let (verdicts, shown) = (BTreeMap::new(), BTreeMap::new());
        Self { pairs, is_asked, first_line: line, earlier, verdicts, shown }
    }

    /// A question by its number.
    pub fn question(&self, number: usize) -> &Question {
        &self.pairs[number]
    }

    /// The verdict on a question in this session.
    pub fn verdict(&self, number: usize) -> Option<bool> {
        self.verdicts.get(&number).copied()
    }

    /// Takes an answer; a later one replaces it.
    pub fn answer(&mut self, number: usize, duplicate: bool) {
        self.verdicts.insert(number, duplicate);
    }

    /// Takes a person's word on two documents, asked about or not; true where they are a question.
    pub fn answer_pair(&mut self, left: &str, right: &str, duplicate: bool) -> bool {
        let is_pair = |question: &Question| {
            let ids = (question.left.id.as_str(), question.right.id.as_str());
            ids == (left, right) || ids == (right, left)
        };
        let Some(number) = self.pairs.iter().position(is_pair) else { return false };
        self.is_asked[number] = true;
        self.answer(number, duplicate);
        true
    }

    /// The questions that [`Questions::ask`] would ask next, which do not count as asked.
    pub fn next(&self, count: usize) -> Vec<&Question> {
        let mut ahead = self.clone();
        (0..count).map_while(|_| ahead.ask()).map(|number| &self.pairs[number]).collect()
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

    /// The score that separates the answers so far best; the method's threshold before there are
    /// answers of both kinds.
    pub fn line(&self) -> f64 {
        let answers = self.answers();
        let n_duplicates = answers.iter().filter(|(_, duplicate)| *duplicate).count();
        if n_duplicates == 0 || n_duplicates == answers.len() {
            return self.first_line;
        }
        best_threshold(answers).threshold
    }

    /// The number of the question that would teach most, which then counts as asked; `None` when
    /// all have been.
    ///
    /// Strata near the line are asked more often than those far away, in proportion; within a
    /// stratum documents that were not shown yet come first, then the pair nearest to the line.
    pub fn ask(&mut self) -> Option<usize> {
        let line = self.line();
        let mut n_asked = [0usize; STRATA];
        for (score, _) in self.answers() {
            n_asked[stratum(score)] += 1;
        }
        for (number, question) in self.pairs.iter().enumerate() {
            let is_skipped = self.is_asked[number] && !self.verdicts.contains_key(&number);
            n_asked[stratum(question.score)] += usize::from(is_skipped);
        }
        let cost = |question: &Question| {
            let of = stratum(question.score);
            let strata_apart = of.abs_diff(stratum(line));
            let shown = |id: &str| self.shown.get(id).copied().unwrap_or(0);
            (
                (n_asked[of] + 1) * (strata_apart + 1),
                strata_apart,
                shown(&question.left.id) + shown(&question.right.id),
                (question.score - line).abs(),
            )
        };
        let open = self.pairs.iter().enumerate().filter(|(number, _)| !self.is_asked[*number]);
        let (_, number) = open.map(|(number, question)| (cost(question), number)).min_by(
            |(left, _), (right, _)| {
                let whole = |cost: &(usize, usize, usize, f64)| (cost.0, cost.1, cost.2);
                whole(left).cmp(&whole(right)).then(left.3.total_cmp(&right.3))
            },
        )?;
        self.is_asked[number] = true;
        let question = &self.pairs[number];
        for id in [&question.left.id, &question.right.id] {
            *self.shown.entry(id.clone()).or_insert(0) += 1;
        }
        Some(number)
    }

    fn answers(&self) -> Vec<(f64, bool)> {
        let now = self.verdicts.iter().map(|(&number, &d)| (self.pairs[number].score, d));
        self.earlier.iter().copied().chain(now).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn questions() -> Questions {
        let document = |id: String| OwnedDocument { id, ..OwnedDocument::default() };
        let question = |number: usize| Question {
            left: document(format!("left {number}")),
            right: document(format!("right {number}")),
            score: number as f64 / 100.0,
        };
        Questions::new((30..100).map(question).collect(), 0.6, Vec::new())
    }

    /// The scores of the first questions, answered by a person who sees a line at `truth`.
    fn asked(truth: f64, count: usize) -> (Vec<f64>, Questions) {
        let mut questions = questions();
        let mut scores = Vec::new();
        for _ in 0..count {
            let number = questions.ask().unwrap();
            let score = questions.question(number).score;
            questions.answer(number, score >= truth);
            scores.push(score);
        }
        (scores, questions)
    }

    #[test]
    fn questions_come_from_all_strata_and_most_from_around_the_line() {
        let (scores, _) = asked(0.6, 30);
        let in_tenth = |tenth: usize| scores.iter().filter(|s| stratum(**s) == tenth).count();
        assert!((3..10).all(|tenth| in_tenth(tenth) > 0), "{scores:?}");
        assert!(in_tenth(5).max(in_tenth(6)) > 2 * in_tenth(9), "{scores:?}");
        assert!((scores[0] - 0.6).abs() < 0.02);
    }

    #[test]
    fn the_line_follows_the_answers() {
        let (scores, questions) = asked(0.45, 20);
        assert!((questions.line() - 0.45).abs() < 0.05, "{} {scores:?}", questions.line());
    }

    #[test]
    fn every_pair_is_asked_once() {
        let (scores, mut questions) = asked(0.5, 70);
        let mut sorted = scores.clone();
        sorted.sort_by(f64::total_cmp);
        sorted.dedup();
        assert_eq!((sorted.len(), questions.ask()), (70, None));
    }

    #[test]
    fn looking_ahead_asks_nothing_and_answers_by_ids_count() {
        let mut questions = questions();
        let ahead: Vec<f64> = questions.next(5).iter().map(|question| question.score).collect();
        let mut same = questions.clone();
        let asked: Vec<f64> =
            (0..5).map(|_| same.ask().map(|n| same.question(n).score).unwrap()).collect();
        assert_eq!(ahead, asked);
        assert_eq!(questions.n_open(), 70);
        assert!(questions.answer_pair("right 45", "left 45", false));
        assert!(!questions.answer_pair("left 45", "right 46", true));
        questions.forget_texts();
        assert_eq!(questions.n_open(), 69);
        assert!(questions.next(70).iter().all(|question| question.left.id != "left 45"));
    }

    #[test]
    fn documents_not_shown_yet_come_first() {
        let document = |id: &str| OwnedDocument { id: id.into(), ..OwnedDocument::default() };
        let pair = |left: &str, right: &str, score| Question {
            left: document(left),
            right: document(right),
            score,
        };
        let pairs = vec![pair("a", "b", 0.600), pair("a", "c", 0.601), pair("x", "y", 0.65)];
        let mut questions = Questions::new(pairs, 0.6, Vec::new());
        let order: Vec<usize> = std::iter::from_fn(|| questions.ask()).collect();
        assert_eq!(order, [0, 2, 1]);
    }
}
