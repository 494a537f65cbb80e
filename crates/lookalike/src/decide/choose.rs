//! The measure and the line that fit answers best.

use lookalike_detect::random::mix64;

use crate::tune::Goal;

/// What a person said of a pair, and what it says of others.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The scores by each measure.
    pub scores: Vec<f64>,
    /// 1 for duplicates, 0 for others; 0.5 where the person could not say.
    pub truth: f64,
    /// How many pairs it stands for.
    pub weight: f64,
}

/// A measure with a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    /// The place of the measure.
    pub measure: usize,
    /// The least score of a duplicate.
    pub line: f64,
    /// F1 on the answers that chose: too good to be a promise.
    pub f1: f64,
}

/// Lines that are tried: hundredths.
const LINES: std::ops::RangeInclusive<u32> = 6..=95;

/// The choice that serves a goal best; `None` where no answer is yes.
///
/// Of equally good measures it is the first, and of its equally good lines the one in the middle.
pub fn choose(answers: &[Answer], goal: Goal) -> Option<Choice> {
    if answers.iter().all(|answer| answer.truth < 1.0) {
        return None;
    }
    let lines: Vec<f64> = LINES.map(|line| f64::from(line) / 100.0).collect();
    let mut best: Option<(f64, usize, Vec<f64>)> = None;
    for measure in 0..answers.first()?.scores.len() {
        for &line in &lines {
            let value = value_at(answers, (measure, line), goal);
            match &mut best {
                Some((known, at, plateau)) if (value - *known).abs() < 1e-9 => {
                    if *at == measure {
                        plateau.push(line);
                    }
                }
                Some((known, ..)) if value < *known => {}
                _ => best = Some((value, measure, vec![line])),
            }
        }
    }
    let (_, measure, plateau) = best?;
    let line = plateau[plateau.len() / 2];
    Some(Choice { measure, line, f1: value_at(answers, (measure, line), Goal::F1) })
}

/// What a measure with a line is worth for a goal, as far as the answers tell; where a precision is
/// wanted, any recall that reaches it is worth more than all that does not.
fn value_at(answers: &[Answer], (measure, line): (usize, f64), goal: Goal) -> f64 {
    let (mut both, mut found, mut wanted) = (0.0, 0.0, 0.0);
    for Answer { scores, truth, weight } in answers {
        let is_found = f64::from(u8::from(scores[measure] >= line));
        both += weight * truth * is_found;
        found += weight * is_found;
        wanted += weight * truth;
    }
    let share = |of: f64| both / of.max(f64::MIN_POSITIVE);
    match goal {
        Goal::F1 => 2.0 * share(found + wanted),
        Goal::Precision(least) if share(found) >= least => 1.0 + share(wanted),
        Goal::Precision(_) => share(found),
    }
}

/// The stratum to ask about next: of those with a pair left, the one that was asked about least.
///
/// Evenly over scores, not where most pairs are: nearly all pairs have nothing in common.
pub fn next_stratum(strata: impl IntoIterator<Item = (usize, bool)>) -> Option<usize> {
    let open = strata.into_iter().enumerate().filter(|(_, (_, is_open))| *is_open);
    open.min_by_key(|(_, (asked, _))| *asked).map(|(stratum, _)| stratum)
}

/// A place in a random order in which pairs come the sooner the more pairs they stand for.
pub fn draw_order(seed: u64, weight: f64) -> f64 {
    let uniform = (mix64(seed) >> 11) as f64 / (1_u64 << 53) as f64;
    -(1.0 - uniform).ln() / weight.max(f64::MIN_POSITIVE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(scores: &[f64], duplicate: bool, weight: f64) -> Answer {
        Answer { scores: scores.to_vec(), truth: f64::from(u8::from(duplicate)), weight }
    }

    #[test]
    fn the_measure_that_divides_the_answers_is_taken_with_the_middle_of_its_plateau() {
        let answers = [
            answer(&[0.9, 0.8], true, 1.0),
            answer(&[0.3, 0.6], true, 1.0),
            answer(&[0.5, 0.2], false, 1.0),
            answer(&[0.1, 0.1], false, 1.0),
        ];
        let choice = choose(&answers, Goal::F1).unwrap();
        assert_eq!((choice.measure, choice.f1), (1, 1.0));
        assert!((choice.line - 0.41).abs() < 0.011, "{choice:?}");
    }

    #[test]
    fn answers_that_stand_for_many_move_the_line() {
        let answers = |weight| {
            [answer(&[0.9], true, 1.0), answer(&[0.7], false, weight), answer(&[0.6], true, 1.0)]
                .into_iter()
                .chain([answer(&[0.1], false, 1.0)])
                .collect::<Vec<_>>()
        };
        assert!(choose(&answers(0.2), Goal::F1).unwrap().line <= 0.6);
        assert!(choose(&answers(5.0), Goal::F1).unwrap().line > 0.7);
    }

    #[test]
    fn a_wanted_precision_costs_recall() {
        let scored = [(0.9, true), (0.8, true), (0.6, false), (0.5, true), (0.4, true)];
        let answers: Vec<Answer> =
            scored.iter().map(|&(score, duplicate)| answer(&[score], duplicate, 1.0)).collect();
        assert!(choose(&answers, Goal::F1).unwrap().line <= 0.4);
        let line = choose(&answers, Goal::Precision(0.99)).unwrap().line;
        assert!(line > 0.6 && line <= 0.8, "{line}");
    }

    #[test]
    fn without_a_duplicate_nothing_is_chosen_and_without_others_a_low_line() {
        assert_eq!(choose(&[answer(&[0.9], false, 1.0)], Goal::F1), None);
        assert!(choose(&[answer(&[0.5], true, 1.0)], Goal::F1).unwrap().line < 0.4);
        assert_eq!(choose(&[], Goal::F1), None);
    }

    #[test]
    fn strata_are_asked_about_evenly_as_long_as_they_have_pairs() {
        assert_eq!(next_stratum([(2, true), (1, false), (1, true)]), Some(2));
        assert_eq!(next_stratum([(1, true), (1, true)]), Some(0));
        assert_eq!(next_stratum([(0, false)]), None);
    }
}
