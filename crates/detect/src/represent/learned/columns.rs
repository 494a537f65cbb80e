//! Observations of a k-gram, spread into the columns that a linear weight can use.

use serde::{Deserialize, Serialize};

use super::observations::{N_OBSERVATIONS, Observation};

/// How an observation enters a column.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// As it is.
    Value,
    /// `ln(1 + value)`.
    Log,
    /// 1 if the value lies in `from..to`, else 0.
    Bin {
        /// First value inside.
        from: f32,
        /// First value beyond.
        to: f32,
    },
}

/// One number of a k-gram's feature vector φ.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Column {
    /// What is observed.
    pub observation: Observation,
    /// How it enters.
    pub form: Form,
}

impl Form {
    /// An observed value in this form.
    #[inline]
    pub fn of(self, value: f32) -> f32 {
        match self {
            Self::Value => value,
            Self::Log => log(1.0 + f64::from(value)) as f32,
            Self::Bin { from, to } => f32::from(u8::from(from <= value && value < to)),
        }
    }
}

impl Column {
    /// The column's value for one k-gram.
    pub fn value(&self, row: &[f32; N_OBSERVATIONS]) -> f32 {
        self.form.of(row[self.observation as usize])
    }
}

/// Which features weights are learned on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct FeatureChoice {
    /// Terms in a k-gram.
    pub k: usize,
    /// Whether the two features of the block a k-gram stands in are used.
    pub blocks: bool,
    /// Whether query-log frequencies are used.
    pub queries: bool,
}

impl Default for FeatureChoice {
    fn default() -> Self {
        Self { k: 1, blocks: true, queries: false }
    }
}

impl FeatureChoice {
    /// The columns: bias first, numbers as value, logarithm and a few bins, yes-or-no as they are.
    pub fn columns(&self) -> Vec<Column> {
        let mut columns = vec![Column { observation: Observation::Bias, form: Form::Value }];
        let frequency: &[f32] = &[0.0, 5.0, 20.0, 60.0, 200.0, 500.0];
        numeric(&mut columns, Observation::TermFrequency, &[0.0, 2.0, 3.0, 6.0]);
        numeric(&mut columns, Observation::DocumentFrequency, frequency);
        if self.k > 1 {
            numeric(&mut columns, Observation::AverageDocumentFrequency, frequency);
            numeric(&mut columns, Observation::MedianDocumentFrequency, frequency);
        }
        if self.queries {
            numeric(&mut columns, Observation::QueryFrequency, &[0.0, 1.0, 10.0, 100.0]);
        }
        numeric(&mut columns, Observation::Location, &[0.0, 0.1, 0.25, 0.5, 0.75]);
        numeric(&mut columns, Observation::Length, &[]);
        for observation in [Observation::Capitalized, Observation::InTitle, Observation::InUrl] {
            columns.push(Column { observation, form: Form::Value });
        }
        if self.blocks {
            let lengths = &[0.0, 3.0, 6.0, 11.0, 21.0, 41.0];
            numeric(&mut columns, Observation::BlockLength, lengths);
            let shares = &[0.0, 0.01, 0.15, 0.3, 0.45];
            numeric(&mut columns, Observation::BlockStopWords, shares);
        }
        columns
    }
}

/// Value, logarithm, and one bin from each bound to the next.
fn numeric(columns: &mut Vec<Column>, observation: Observation, bounds: &[f32]) {
    let mut push = |form| columns.push(Column { observation, form });
    push(Form::Value);
    push(Form::Log);
    for (i, &from) in bounds.iter().enumerate() {
        push(Form::Bin { from, to: bounds.get(i + 1).copied().unwrap_or(f32::MAX) });
    }
}

/// The natural logarithm of a number of at least 1, by arithmetic alone: the same bits on every
/// machine, which the logarithms of system libraries do not promise.
#[inline]
pub(crate) fn log(x: f64) -> f64 {
    const TERMS: u32 = 9;
    let bits = x.to_bits();
    let exponent = (bits >> 52) as i64 - 1023;
    let mantissa = f64::from_bits(bits & ((1 << 52) - 1) | 1023 << 52);
    // ln m = 2 artanh((m - 1) / (m + 1)), with m brought to the middle around 1.
    let (mantissa, exponent) =
        if mantissa > 1.5 { (mantissa / 2.0, exponent + 1) } else { (mantissa, exponent) };
    let ratio = (mantissa - 1.0) / (mantissa + 1.0);
    let square = ratio * ratio;
    let series = (0..TERMS).rev().fold(0.0, |sum, n| sum * square + 1.0 / f64::from(2 * n + 1));
    exponent as f64 * std::f64::consts::LN_2 + 2.0 * ratio * series
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_logarithm_is_that_of_the_library() {
        for step in 0..4000 {
            let x = 1.0 + f64::from(step * step) / 100.0;
            assert!((log(x) - x.ln()).abs() <= 1e-12 * (1.0 + x.ln()), "{x}");
        }
        assert_eq!(log(1.0), 0.0);
    }

    #[test]
    fn every_number_falls_into_exactly_one_bin_of_its_observation() {
        let columns = FeatureChoice { k: 3, blocks: true, queries: true }.columns();
        for value in [0.0, 0.5, 1.0, 7.0, 30.0, 5000.0] {
            let row = [value; N_OBSERVATIONS];
            for observation in [Observation::TermFrequency, Observation::BlockLength] {
                let bins = columns.iter().filter(|column| {
                    column.observation == observation && matches!(column.form, Form::Bin { .. })
                });
                assert_eq!(bins.map(|column| column.value(&row)).sum::<f32>(), 1.0, "{value}");
            }
        }
    }

    #[test]
    fn the_paper_has_no_block_features() {
        let columns = FeatureChoice { blocks: false, ..FeatureChoice::default() }.columns();
        assert_eq!(columns[0].observation, Observation::Bias);
        assert!(columns.iter().all(|column| column.observation < Observation::BlockLength));
    }
}
