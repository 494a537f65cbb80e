//! Student's paired t-test: whether two settings differ by more than their rounds do.

/// The probability of a difference at least as large, were there none, from paired scores.
///
/// `None` with fewer than two pairs. Rounds that share documents are not independent, so that this says
/// more than it knows: the papers use it, and so it stands beside theirs.
pub fn paired_t_test(left: &[f64], right: &[f64]) -> Option<f64> {
    if left.len() != right.len() || left.len() < 2 {
        return None;
    }
    let n = left.len() as f64;
    let differences: Vec<f64> = left.iter().zip(right).map(|(l, r)| l - r).collect();
    let mean = differences.iter().sum::<f64>() / n;
    let squares: f64 = differences.iter().map(|d| (d - mean) * (d - mean)).sum();
    let error = (squares / (n - 1.0) / n).sqrt();
    if error == 0.0 {
        return Some(if mean == 0.0 { 1.0 } else { 0.0 });
    }
    Some(beyond(mean.abs() / error, left.len() - 1))
}

/// P(|T| > t) for so many degrees of freedom (Abramowitz and Stegun, 26.7.3 and 26.7.4).
fn beyond(t: f64, degrees: usize) -> f64 {
    let angle = (t / (degrees as f64).sqrt()).atan();
    let (sine, cosine) = angle.sin_cos();
    let first = if degrees.is_multiple_of(2) { 1.0 } else { cosine };
    let mut term = if degrees == 1 { 0.0 } else { first };
    let mut sum = term;
    // Powers of the cosine up to degrees - 2, by two, times odd over even numbers or the reverse.
    let mut power = if degrees.is_multiple_of(2) { 2 } else { 3 };
    while power + 2 <= degrees {
        term *= cosine * cosine * (power - 1) as f64 / power as f64;
        sum += term;
        power += 2;
    }
    let within = if degrees.is_multiple_of(2) {
        sine * sum
    } else {
        2.0 / std::f64::consts::PI * (angle + sine * sum)
    };
    (1.0 - within).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_printed_quantiles_of_the_distribution_come_out() {
        let quantiles =
            [(1, 12.706), (2, 4.303), (3, 3.182), (4, 2.776), (5, 2.571), (9, 2.262), (10, 2.228)];
        for (degrees, t) in quantiles {
            assert!((beyond(t, degrees) - 0.05).abs() < 1e-4, "{degrees}: {}", beyond(t, degrees));
        }
        assert!((beyond(4.604, 4) - 0.01).abs() < 1e-4);
    }

    #[test]
    fn a_steady_difference_is_significant_and_a_wavering_one_is_not() {
        let scores = [0.90, 0.92, 0.88, 0.91, 0.89];
        let shifted =
            |by: [f64; 5]| -> Vec<f64> { scores.iter().zip(by).map(|(s, d)| s + d).collect() };
        let steady = paired_t_test(&scores, &shifted([0.010, 0.012, 0.009, 0.011, 0.010])).unwrap();
        let wavering = paired_t_test(&scores, &shifted([0.03, -0.02, 0.02, -0.02, 0.0])).unwrap();
        assert!(steady < 0.001 && wavering > 0.5, "{steady} {wavering}");
        assert_eq!(paired_t_test(&scores, &scores), Some(1.0));
        assert_eq!(paired_t_test(&scores[..1], &scores[..1]), None);
    }
}
