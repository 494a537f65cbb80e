//! Inverse document frequencies, and which terms lie in a range of them.

use std::ops::RangeInclusive;

use crate::Statistics;

/// Terms whose document frequency lies between two bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrequencyBand {
    /// The smallest document frequency of the band.
    pub from: u32,
    /// The largest document frequency of the band.
    pub to: u32,
    /// How many terms it has.
    pub n_terms: u64,
}

impl Statistics {
    /// `ln(N / df)`; for an unknown term, that of a term in one document.
    pub fn idf(&self, term: u64) -> f64 {
        self.idf_of_frequency(self.document_frequency(term))
    }

    /// `idf / ln(N)`, in 0..=1: 0 for a term of every document, 1 for a term of one or none.
    pub fn nidf(&self, term: u64) -> f64 {
        self.nidf_of_frequency(self.document_frequency(term))
    }

    /// [`Statistics::idf`] of a term with this document frequency.
    pub fn idf_of_frequency(&self, frequency: u32) -> f64 {
        (self.n_documents().max(1) as f64 / f64::from(frequency.max(1))).ln()
    }

    /// [`Statistics::nidf`] of a term with this document frequency.
    pub fn nidf_of_frequency(&self, frequency: u32) -> f64 {
        if self.n_documents() < 2 {
            return 1.0;
        }
        (self.idf_of_frequency(frequency) / (self.n_documents() as f64).ln()).clamp(0.0, 1.0)
    }

    /// The document frequencies whose nidf lies in `nidf`; `None` where no frequency does.
    ///
    /// Comparing whole numbers instead of logarithms is faster and has no rounding to fear.
    pub fn frequencies(&self, nidf: &RangeInclusive<f64>) -> Option<RangeInclusive<u32>> {
        let largest = u32::try_from(self.n_documents()).unwrap_or(u32::MAX).max(1);
        // nidf falls as the frequency rises, so both bounds are found by bisection.
        let first = first_frequency(largest, |f| self.nidf_of_frequency(f) <= *nidf.end());
        let beyond = first_frequency(largest, |f| self.nidf_of_frequency(f) < *nidf.start());
        (first < beyond).then(|| first..=beyond - 1)
    }

    /// How many terms have an nidf in `nidf`: the size of that lexicon.
    pub fn lexicon_size(&self, nidf: &RangeInclusive<f64>) -> u64 {
        let Some(frequencies) = self.frequencies(nidf) else { return 0 };
        self.iter().filter(|(_, frequency)| frequencies.contains(frequency)).count() as u64
    }

    /// How many terms there are by document frequency, in bands 1, 2-3, 4-7, 8-15 and so on.
    pub fn histogram(&self) -> Vec<FrequencyBand> {
        let mut bands: Vec<FrequencyBand> = Vec::new();
        for (_, frequency) in self.iter() {
            let band = frequency.ilog2();
            for exponent in bands.len() as u32..=band {
                let from = 1 << exponent;
                bands.push(FrequencyBand { from, to: from + (from - 1), n_terms: 0 });
            }
            bands[band as usize].n_terms += 1;
        }
        bands
    }
}

/// The smallest frequency in `1..=largest` for which `holds`, or one more than the largest; once
/// it holds it must go on holding.
fn first_frequency(largest: u32, holds: impl Fn(u32) -> bool) -> u32 {
    let (mut low, mut high) = (1, largest.saturating_add(1));
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use lookalike_text::AnalyzerConfig;

    use super::*;
    use crate::StatisticsBuilder;

    /// Term `t` stands in the first `t` of a hundred documents.
    fn triangle() -> Statistics {
        let mut builder = StatisticsBuilder::new(AnalyzerConfig::default());
        for document in 0..100 {
            let terms: Vec<u64> = (document + 1..=100).collect();
            builder.add_distinct(&terms, terms.len() as u64);
        }
        builder.finish()
    }

    #[test]
    fn nidf_is_one_for_a_term_of_one_document_and_zero_for_a_term_of_all() {
        let statistics = triangle();
        assert_eq!(statistics.document_frequency(1), 1);
        assert_eq!(statistics.nidf(1), 1.0);
        assert_eq!(statistics.nidf(100), 0.0);
        assert!((statistics.nidf(10) - 0.5).abs() < 1e-12);
        assert_eq!(statistics.nidf(101), 1.0, "an unknown term is as rare as can be");
    }

    #[test]
    fn frequencies_agree_with_the_logarithms() {
        let statistics = triangle();
        for range in [0.2..=0.8, 0.1..=1.0, 0.0..=0.1, 0.0..=1.0, 0.45..=0.55] {
            let frequencies = statistics.frequencies(&range).unwrap();
            for frequency in 1..=100 {
                let inside = range.contains(&statistics.nidf_of_frequency(frequency));
                assert_eq!(frequencies.contains(&frequency), inside, "{range:?} {frequency}");
            }
            let expected = (1..=100).filter(|f| frequencies.contains(f)).count() as u64;
            assert_eq!(statistics.lexicon_size(&range), expected);
        }
        assert_eq!(statistics.frequencies(&(0.9..=0.95)), None);
    }

    #[test]
    fn histogram_counts_every_term_once() {
        let bands = triangle().histogram();
        let counts: Vec<_> = bands.iter().map(|band| band.n_terms).collect();
        assert_eq!(counts, [1, 2, 4, 8, 16, 32, 37]);
        assert_eq!((bands[2].from, bands[2].to), (4, 7));
    }

    #[test]
    fn statistics_of_nothing_answer_without_dividing_by_zero() {
        let statistics = Statistics::default();
        assert_eq!(statistics.nidf(5), 1.0);
        assert_eq!(statistics.idf(5), 0.0);
        assert!(statistics.histogram().is_empty());
    }
}
