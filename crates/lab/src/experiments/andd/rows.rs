//! The rows of the main table, with the score of every halving behind each.

use lookalike_learn::evaluate::MaxF1;
use lookalike_learn::{Cell, Table};

use crate::evaluate::paired_t_test;

/// What a row compares: the paper has a table for each, and tests within it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compared {
    /// Raw vectors or sets: Tables 2 and 4.
    Vectors,
    /// Signatures: Tables 3 and 5.
    Signatures,
}

/// What a row is about.
pub(super) struct RowName {
    pub(super) method: String,
    pub(super) k: Cell,
    pub(super) similarity: Cell,
    pub(super) statistics: Cell,
    pub(super) compared: Compared,
    /// Whether the other rows of the same kind are tested against this one.
    pub(super) is_reference: bool,
}

impl RowName {
    /// A row that no other is tested against.
    pub(super) fn new(method: impl Into<String>, compared: Compared) -> Self {
        let (k, similarity, statistics) = (Cell::Missing, Cell::Missing, Cell::Missing);
        Self { method: method.into(), k, similarity, statistics, compared, is_reference: false }
    }
}

/// Rows in the order they were measured.
#[derive(Default)]
pub(super) struct Rows(Vec<(RowName, Vec<MaxF1>, Cell)>);

impl Rows {
    /// Appends a row.
    pub(super) fn push(&mut self, name: RowName, scores: Vec<MaxF1>, seconds: Cell) {
        self.0.push((name, scores, seconds));
    }

    /// Averages over the halvings; `p` is that of the paired t-test against the row of the paper's.
    pub(super) fn into_table(self, title: &str) -> Table {
        let columns = [
            "method",
            "k",
            "similarity",
            "statistics",
            "max_f1",
            "precision",
            "recall",
            "p",
            "train_seconds",
        ];
        let mut table = Table::new(title, &columns);
        let f1 = |scores: &[MaxF1]| -> Vec<f64> { scores.iter().map(|score| score.f1).collect() };
        for (name, scores, seconds) in &self.0 {
            let mean = |part: fn(&MaxF1) -> f64| {
                Cell::Real(scores.iter().map(part).sum::<f64>() / scores.len().max(1) as f64, 4)
            };
            let mut references = self.0.iter();
            let reference = references
                .find(|(other, ..)| other.is_reference && other.compared == name.compared)
                .filter(|_| !name.is_reference);
            let p = reference.and_then(|(_, other, _)| paired_t_test(&f1(scores), &f1(other)));
            table.push(vec![
                name.method.clone().into(),
                name.k.clone(),
                name.similarity.clone(),
                name.statistics.clone(),
                mean(|s| s.f1),
                mean(|s| s.precision),
                mean(|s| s.recall),
                p.map_or(Cell::Missing, |p| Cell::Real(p, 4)),
                seconds.clone(),
            ]);
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_tested_against_the_reference_of_their_own_kind() {
        let scores = |values: [f64; 3]| {
            let score = |f1| MaxF1 { f1, threshold: 0.5, precision: f1, recall: f1 };
            values.map(score).to_vec()
        };
        let mut rows = Rows::default();
        let reference = |compared| RowName { is_reference: true, ..RowName::new("ours", compared) };
        rows.push(
            RowName::new("before", Compared::Vectors),
            scores([0.8, 0.9, 0.85]),
            Cell::Missing,
        );
        rows.push(reference(Compared::Vectors), scores([0.8, 0.9, 0.85]), Cell::Missing);
        rows.push(reference(Compared::Signatures), scores([0.5, 0.61, 0.55]), Cell::Missing);
        rows.push(
            RowName::new("bits", Compared::Signatures),
            scores([0.7, 0.8, 0.76]),
            Cell::Missing,
        );
        let p = rows.into_table("t").numbers("p");
        assert_eq!((p[0], p[1], p[2]), (Some(1.0), None, None));
        assert!(p[3].unwrap() < 0.01, "{p:?}");
    }
}
