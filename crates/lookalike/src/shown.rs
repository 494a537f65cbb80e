//! Scores and shares in the few digits that people read, rounded so that what is said stays true.

use lookalike_detect::Verdict;

/// A score in three digits: below a threshold of three digits where the score is below it, and
/// 1.000 only where it is 1.
///
/// ```
/// use lookalike::{Verdict, shown_score};
///
/// let told = |duplicate, score| shown_score(&Verdict::new(duplicate, score));
/// assert_eq!(told(false, 0.69955), "0.699");
/// assert_eq!(told(true, 0.70049), "0.700");
/// assert_eq!([told(true, 0.9999), told(true, 1.0)], ["0.999", "1.000"]);
/// ```
pub fn shown_score(verdict: &Verdict) -> String {
    let thousandths = 1000.0 * verdict.score;
    // A hair of slack: 0.7 is stored as less than 0.7.
    let down = (thousandths + 1e-9).floor();
    let rounded = thousandths.round();
    let shown = if verdict.duplicate && rounded < 1000.0 { rounded } else { down };
    format!("{:.3}", shown / 1000.0)
}

/// A share in percent: 100 % and 0 % only where it is all or nothing.
///
/// ```
/// use lookalike::shown_percent;
///
/// let told = [0.0, 0.004, 0.00001, 0.5, 0.996, 0.99999, 1.0].map(shown_percent);
/// assert_eq!(told, ["0 %", "0.4 %", "below 0.1 %", "50 %", "99.6 %", "99.9 %", "100 %"]);
/// ```
pub fn shown_percent(share: f64) -> String {
    let percent = 100.0 * share;
    let tenths = (1000.0 * share).floor() / 10.0;
    if share > 0.0 && tenths == 0.0 {
        "below 0.1 %".into()
    } else if (share > 0.0 && percent < 0.5) || (share < 1.0 && percent >= 99.5) {
        format!("{tenths:.1} %")
    } else {
        format!("{percent:.0} %")
    }
}
