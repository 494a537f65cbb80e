//! How low an estimate may be before a pair is surely below the threshold.

/// The smallest estimate, out of `n_samples` that each agree with probability `agreement`, that a
/// pair falls below with probability at most `miss`.
///
/// The exact lower tail of the binomial distribution: of the samples, the most that may be
/// asked to agree.
pub fn promising_agreement(n_samples: usize, agreement: f64, miss: f64) -> usize {
    if agreement >= 1.0 {
        return n_samples;
    }
    // ln P(X = 0), then each term from the last; logarithms, since the first underflows.
    let odds = (agreement / (1.0 - agreement)).ln();
    let mut term = n_samples as f64 * (1.0 - agreement).ln();
    let mut tail = 0.0;
    for count in 0..n_samples {
        tail += term.exp();
        if tail > miss {
            return count;
        }
        term += odds + ((n_samples - count) as f64 / (count + 1) as f64).ln();
    }
    n_samples
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;

    #[test]
    fn few_samples_allow_what_the_binomial_table_says() {
        // Two tosses of a fair coin: no head once in four times.
        assert_eq!(promising_agreement(2, 0.5, 0.2), 0);
        assert_eq!(promising_agreement(2, 0.5, 0.25), 1);
        assert_eq!(promising_agreement(2, 0.5, 0.75), 2);
        assert_eq!(promising_agreement(10, 1.0, 1e-6), 10);
        assert_eq!(promising_agreement(10_000, 0.01, 1e-4), 65);
    }

    #[test]
    fn pairs_at_the_threshold_are_missed_as_rarely_as_asked() {
        let (n_samples, agreement, miss) = (128, 0.7, 0.01);
        let needed = promising_agreement(n_samples, agreement, miss);
        let mut generator = SplitMix64::new(11);
        let mut agreeing = || (0..n_samples).filter(|_| generator.next_f64() < agreement).count();
        let missed = (0..20_000).filter(|_| agreeing() < needed).count();
        assert!((60..=200).contains(&missed), "{missed} of 20000 with at least {needed}");
    }
}
