//! What a share measured on halvings says of data that nobody has seen yet.

/// A value and the interval it lies in with 95 % confidence.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// The mean over the halvings.
    pub mean: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Estimate {
    /// The mean of a share over halvings, and where the share of new data lies.
    ///
    /// The interval is the wider of two. Student's t, with the variance between halvings times
    /// `1/n + 1` instead of `1/n`: halvings share their documents, so that their mean varies far more
    /// than independent ones would (Nadeau and Bengio, *Inference for the generalization error*, 2003,
    /// with halves of equal size); and times 1 more, since new data vary as a half does. And Wilson's for `n_trials` independent trials, since halvings that
    /// all reach 1 do not prove that nothing can go wrong.
    pub(super) fn of_halvings(shares: &[f64], n_trials: usize) -> Self {
        let n = shares.len().max(1) as f64;
        let mean = shares.iter().sum::<f64>() / n;
        let (low, high) = wilson(mean, n_trials as f64);
        if shares.len() < 2 {
            return Self { mean, low: 0.0, high: 1.0 };
        }
        let variance = shares.iter().map(|share| (share - mean).powi(2)).sum::<f64>() / (n - 1.0);
        let margin = students_t(shares.len() - 1) * (variance * (1.0 / n + 2.0)).sqrt();
        Self { mean, low: low.min(mean - margin).max(0.0), high: high.max(mean + margin).min(1.0) }
    }
}

/// The 97.5 % quantile of Student's t.
fn students_t(degrees_of_freedom: usize) -> f64 {
    const T: [f64; 9] = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262];
    T.get(degrees_of_freedom.saturating_sub(1)).copied().unwrap_or(2.23)
}

/// Wilson's 95 % interval of a share of `n` independent trials.
fn wilson(share: f64, n: f64) -> (f64, f64) {
    const Z: f64 = 1.96;
    if n < 1.0 {
        return (0.0, 1.0);
    }
    let scale = 1.0 + Z * Z / n;
    let center = (share + Z * Z / (2.0 * n)) / scale;
    let margin = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt() / scale;
    (center - margin, center + margin)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_contains_its_mean_and_stays_a_share() {
        let estimate = Estimate::of_halvings(&[0.9, 0.95, 1.0, 0.97, 0.93], 1000);
        assert!((estimate.mean - 0.95).abs() < 1e-12);
        assert!(estimate.low > 0.77 && estimate.low < 0.82, "{estimate:?}");
        assert_eq!(estimate.high, 1.0);
    }

    #[test]
    fn halvings_without_an_error_leave_room_for_one() {
        let few = Estimate::of_halvings(&[1.0; 5], 20);
        let many = Estimate::of_halvings(&[1.0; 5], 2000);
        assert!(few.low > 0.8 && few.low < 0.9, "{few:?}");
        assert!(many.low > 0.99 && many.low < 1.0, "{many:?}");
        assert_eq!((few.mean, few.high), (1.0, 1.0));
    }

    #[test]
    fn wilsons_interval_is_that_of_the_books() {
        // 10 of 50: 0.112 to 0.330 (Agresti and Coull 1998 give the formula).
        let (low, high) = wilson(0.2, 50.0);
        assert!((low - 0.1124).abs() < 1e-3 && (high - 0.3304).abs() < 1e-3, "{low} {high}");
    }

    #[test]
    fn one_halving_promises_nothing() {
        assert_eq!(Estimate::of_halvings(&[0.9], 500), Estimate { mean: 0.9, low: 0.0, high: 1.0 });
    }
}
