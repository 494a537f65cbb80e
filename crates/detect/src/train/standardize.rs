//! Columns brought to mean 0 and deviation 1, so that one penalty suits all of them.

/// Mean and standard deviation of each column of a table of rows.
///
/// A column that never changes gets deviation 1: scaled, it is 0 everywhere.
pub(super) fn scaling<'a>(
    n_columns: usize,
    rows: impl Iterator<Item = &'a [f32]>,
) -> Vec<(f64, f64)> {
    let mut sums = vec![(0.0, 0.0); n_columns];
    let mut n_rows = 0.0;
    for row in rows {
        n_rows += 1.0;
        for ((sum, squares), &value) in sums.iter_mut().zip(row) {
            let value = f64::from(value);
            *sum += value;
            *squares += value * value;
        }
    }
    let scale = |(sum, squares): (f64, f64)| {
        if n_rows == 0.0 {
            return (0.0, 1.0);
        }
        let mean = sum / n_rows;
        let variance = squares / n_rows - mean * mean;
        // Rounding leaves a little variance in a constant column.
        let is_constant = variance <= 1e-9 * (1.0 + mean * mean);
        (mean, if is_constant { 1.0 } else { variance.sqrt() })
    };
    sums.into_iter().map(scale).collect()
}

/// Scales rows in place.
pub(super) fn apply(scaling: &[(f64, f64)], rows: &mut [f32]) {
    for row in rows.chunks_exact_mut(scaling.len().max(1)) {
        for (value, (mean, deviation)) in row.iter_mut().zip(scaling) {
            *value = ((f64::from(*value) - mean) / deviation) as f32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scaled_columns_have_mean_zero_and_deviation_one() {
        let mut rows = vec![1.0, 7.0, 3.0, 7.0, 8.0, 7.0];
        let scaling = scaling(2, rows.chunks_exact(2));
        assert_eq!(scaling[0].0, 4.0);
        assert_eq!(scaling[1], (7.0, 1.0));
        apply(&scaling, &mut rows);
        let first: Vec<f32> = rows.iter().step_by(2).copied().collect();
        assert!(first.iter().sum::<f32>().abs() < 1e-6);
        assert!((first.iter().map(|v| v * v).sum::<f32>() / 3.0 - 1.0).abs() < 1e-5);
        assert!(rows.iter().skip(1).step_by(2).all(|&value| value == 0.0));
    }
}
