//! How a quantity grows from part to part, and what it will be of the whole.

/// What was observed of one quantity: documents and amount, the smallest part first.
#[derive(Clone, Debug, Default)]
pub struct Growth(Vec<(f64, f64)>);

impl Growth {
    /// Adds what a part of so many documents gave.
    pub fn observe(&mut self, n_documents: u64, amount: f64) {
        self.0.push((n_documents as f64, amount));
    }

    /// The amount of so many documents, if it grows with a power between `least` and `most` of
    /// their number; the power is that of the parts, where these say one.
    pub fn forecast(&self, n_documents: f64, (least, most): (f64, f64)) -> f64 {
        let Some((last_documents, last)) = self.0.last().copied() else { return 0.0 };
        let power = self.power().unwrap_or(least).clamp(least, most);
        last * (n_documents / last_documents.max(1.0)).max(1.0).powf(power)
    }

    /// The amount of so many documents, if each adds what it added between the last parts to what
    /// there is without any. The first parts are smaller than what is read at once, which fills up
    /// there and grows no further.
    pub fn continued(&self, n_documents: f64) -> f64 {
        let parts = &self.0[self.0.len().saturating_sub(3)..];
        let (Some(first), Some(last)) = (parts.first(), parts.last()) else { return 0.0 };
        let each = (last.1 - first.1).max(0.0) / (last.0 - first.0).max(1.0);
        last.1 + each * (n_documents - last.0).max(0.0)
    }

    /// The slope of the last parts on logarithmic scales.
    fn power(&self) -> Option<f64> {
        let (_, last) = self.0.last()?;
        // What is a small share of the last amount is mostly noise.
        let usable = self.0.iter().filter(|(n, amount)| *n > 0.0 && *amount > last / 100.0);
        let points: Vec<(f64, f64)> = usable.map(|(n, amount)| (n.ln(), amount.ln())).collect();
        let points = &points[points.len().saturating_sub(3)..];
        let mean =
            |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / points.len() as f64;
        let (x, y) = (mean(|point| point.0), mean(|point| point.1));
        let spread: f64 = points.iter().map(|point| (point.0 - x).powi(2)).sum();
        let together: f64 = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
        (spread > 0.0).then(|| together / spread)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn growth(amount: impl Fn(f64) -> f64) -> Growth {
        let mut growth = Growth::default();
        for n_documents in [100, 200, 400, 800] {
            growth.observe(n_documents, amount(f64::from(n_documents as u32)));
        }
        growth
    }

    #[test]
    fn powers_are_recognized_and_kept_within_what_is_possible() {
        let close = |found: f64, expected: f64| (found / expected - 1.0).abs() < 1e-9;
        let quadratic = growth(|n| 3.0 * n * n);
        assert!(close(quadratic.forecast(8000.0, (1.0, 2.0)), 3.0 * 64e6));
        assert!(close(quadratic.forecast(8000.0, (1.0, 1.0)), 3.0 * 64e4 * 10.0));
        let linear = growth(|n| 2.0 * n);
        assert!(close(linear.forecast(8000.0, (1.0, 2.0)), 16e3));
        let faster = growth(|n| n * n * n);
        assert!(close(faster.forecast(1600.0, (1.0, 2.0)), 4.0 * 800_f64.powi(3)));
    }

    #[test]
    fn what_is_there_from_the_beginning_does_not_grow() {
        let memory = growth(|n| 5000.0 + 2.0 * n);
        assert!((memory.continued(8000.0) - 21_000.0).abs() < 1e-6);
        assert_eq!(growth(|_| 7.0).continued(8000.0), 7.0);
    }

    #[test]
    fn nothing_observed_is_nothing_and_the_whole_is_itself() {
        assert_eq!(Growth::default().forecast(100.0, (1.0, 2.0)), 0.0);
        let mut one = Growth::default();
        one.observe(50, 7.0);
        assert_eq!(one.forecast(50.0, (1.0, 2.0)), 7.0);
        assert_eq!(one.forecast(100.0, (1.0, 2.0)), 14.0);
        let zero = growth(|_| 0.0);
        assert_eq!(zero.forecast(8000.0, (1.0, 2.0)), 0.0);
    }
}
