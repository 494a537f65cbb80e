//! What randomized lexicons survive, predicted (the 2008 paper, section 4 and Table 4).
//!
//! A document is changed in n terms of the lexicon. A randomized lexicon that lacks all n of them
//! does not notice; with a share p of the terms dropped that happens with probability p^n, and at
//! least one of K lexicons does not notice with 1 - (1 - p^n)^K (Eq. 1). Useful to choose K before
//! anything is signed; not useful where edits hit terms outside the lexicon, which no signature
//! sees anyway.

/// The share of terms a bootstrap sample of a large lexicon lacks: 1/e.
pub const BOOTSTRAP_DROP: f64 = 0.367_879_441_171_442_33;

/// The probability that a lexicon lacks all `n_edits` terms, each dropped with probability `drop`.
pub fn survival(drop: f64, n_edits: u32) -> f64 {
    drop.powi(n_edits as i32)
}

/// The same for a lexicon of `lexicon` terms of which exactly `dropped` are missing:
/// C(L-n, M-n) / C(L, M), the exact hypergeometric form of p^n.
pub fn survival_exact(lexicon: u64, dropped: u64, n_edits: u32) -> f64 {
    (0..u64::from(n_edits))
        .map(|i| {
            if i >= dropped || i >= lexicon {
                0.0
            } else {
                (dropped - i) as f64 / (lexicon - i) as f64
            }
        })
        .product()
}

/// Eq. 1: the probability that at least one of `n_lexicons` keeps its signature, given the
/// probability that one does.
pub fn stability(survival: f64, n_lexicons: u32) -> f64 {
    // ln_1p and exp_m1 keep the digits of survival probabilities near zero.
    -((-survival).ln_1p() * f64::from(n_lexicons)).exp_m1()
}

/// How many lexicons give a stability of at least `wanted`; `None` if no number does.
pub fn lexicons_needed(survival: f64, wanted: f64) -> Option<u64> {
    if wanted <= 0.0 {
        return Some(0);
    }
    if survival >= 1.0 {
        return Some(1);
    }
    if survival <= 0.0 || wanted >= 1.0 {
        return None;
    }
    let exact = (-wanted).ln_1p() / (-survival).ln_1p();
    // A quotient that is whole up to rounding must not be rounded up to the next number.
    Some((exact - 1e-9).ceil().max(1.0) as u64)
}

/// Table 4: the expected number of lexicons until one keeps its signature.
///
/// Eq. 6 as printed, C(L-n, M) / C(L, M), is the probability for a lexicon that *keeps* M terms,
/// while the text and Eq. 1 speak of M dropped; only this reading gives the printed numbers.
pub fn expected_lexicons(lexicon: u64, kept: u64, n_edits: u32) -> f64 {
    // A running product of n quotients is exact to the last printed digit, where quotients of
    // factorials would not be.
    (0..u64::from(n_edits))
        .map(|i| {
            let numerator = lexicon.saturating_sub(i);
            numerator as f64 / lexicon.saturating_sub(kept).saturating_sub(i) as f64
        })
        .product()
}

/// A value of Table 4 with the paper's two decimals.
///
/// The paper rounded twice, to three decimals and then to two: 3012.3847 is printed as 3,012.39
/// and 527924300.9147 as 527,924,300.92, and the other thirteen values agree with this reading.
pub fn as_printed(value: f64) -> f64 {
    let thousandths = (value * 1_000.0).round();
    (thousandths / 10.0).round() / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_4_of_the_2008_paper_comes_out_to_the_printed_digit() {
        let printed = [
            (1_000, ["2.23", "7.44", "56.10", "3309.92", "932403182.29"]),
            (10_000, ["2.23", "7.41", "54.98", "3037.91", "527924300.92"]),
            (100_000, ["2.23", "7.41", "54.87", "3012.39", "499897879.50"]),
        ];
        for (lexicon, row) in printed {
            let kept = lexicon * 33 / 100;
            let ours = [2, 5, 10, 20, 50].map(|n| expected_lexicons(lexicon, kept, n));
            assert_eq!(ours.map(|value| format!("{:.2}", as_printed(value))), row, "{lexicon}");
        }
        // In exact arithmetic this one is 527924300.91465...
        assert!((expected_lexicons(10_000, 3_300, 50) - 527924300.91465).abs() < 1e-4);
    }

    #[test]
    fn the_exact_form_approaches_equation_1_for_large_lexicons() {
        let exact = stability(survival_exact(1_000_000, 330_000, 5), 10);
        let equation = stability(survival(0.33, 5), 10);
        assert!((exact - equation).abs() < 1e-4);
        assert!(survival_exact(100, 33, 5) < survival(0.33, 5));
    }

    #[test]
    fn more_edits_than_dropped_terms_never_survive() {
        assert_eq!(survival_exact(10, 3, 4), 0.0);
        assert_eq!(survival_exact(10, 0, 1), 0.0);
        assert_eq!(survival_exact(10, 3, 0), 1.0);
    }

    #[test]
    fn the_planned_number_of_lexicons_is_the_smallest_that_suffices() {
        for (drop, n_edits, wanted) in [(0.33, 2, 0.9), (BOOTSTRAP_DROP, 5, 0.9), (0.5, 1, 0.5)] {
            let one = survival(drop, n_edits);
            let planned = lexicons_needed(one, wanted).unwrap() as u32;
            assert!(stability(one, planned) >= wanted - 1e-9);
            assert!(stability(one, planned - 1) < wanted);
        }
        assert_eq!(lexicons_needed(0.0, 0.9), None);
        assert_eq!(lexicons_needed(0.1, 1.0), None);
    }

    #[test]
    fn an_unchanged_document_always_keeps_its_signature() {
        assert_eq!(stability(survival(0.33, 0), 1), 1.0);
    }
}
