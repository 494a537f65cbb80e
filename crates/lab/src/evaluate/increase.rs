//! How far a gain in recall could lie elsewhere, had other documents been asked about.
//!
//! The percentile bootstrap over groups of queries that are duplicates of each other: what one of
//! them finds, the others mostly find too.

use lookalike_detect::random::SplitMix64;

use super::QueryOutcome;

/// Draws of as many groups as there are, with replacement.
const DRAWS: usize = 1_000;
/// Draws outside the interval on either side: 2.5 %.
const OUTSIDE: usize = DRAWS / 40;

/// The ends of the 95 % interval of the relative increase in mean recall from `before` to `after`,
/// outcomes of the same queries; `groups` has a number below the number of queries for each of them.
///
/// `None` where too few queries found anything before.
pub fn increase_interval(
    before: &[QueryOutcome],
    after: &[QueryOutcome],
    groups: &[usize],
    seed: u64,
) -> Option<(f64, f64)> {
    let recall = |outcome: &QueryOutcome| outcome.common as f64 / outcome.relevant as f64;
    let mut sums = vec![(0.0, 0.0); groups.len()];
    for ((before, after), &group) in before.iter().zip(after).zip(groups) {
        if before.relevant > 0 {
            sums[group].0 += recall(before);
            sums[group].1 += recall(after);
        }
    }
    let mut is_group = vec![false; groups.len()];
    for &group in groups {
        is_group[group] = true;
    }
    let sums: Vec<(f64, f64)> = sums
        .into_iter()
        .zip(is_group)
        .filter_map(|(sums, is_group)| is_group.then_some(sums))
        .collect();
    let mut random = SplitMix64::new(seed);
    let mut draw = |_| {
        let (mut before, mut after) = (0.0, 0.0);
        for _ in &sums {
            let drawn = sums[random.next_below(sums.len() as u64) as usize];
            before += drawn.0;
            after += drawn.1;
        }
        (before > 0.0).then(|| after / before - 1.0)
    };
    let mut drawn = (0..DRAWS).map(&mut draw).collect::<Option<Vec<f64>>>()?;
    drawn.sort_unstable_by(f64::total_cmp);
    Some((drawn[OUTSIDE], drawn[DRAWS - 1 - OUTSIDE]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcomes(n_queries: usize, found_of_ten: usize) -> Vec<QueryOutcome> {
        let outcome = |query: usize| {
            let common = u64::from(query % 10 < found_of_ten);
            QueryOutcome { found: common, relevant: 1, common }
        };
        (0..n_queries).map(outcome).collect()
    }

    #[test]
    fn the_interval_holds_the_gain_and_narrows_with_the_number_of_groups() {
        let width = |n_queries: usize, groups: &[usize]| {
            let (before, after) = (outcomes(n_queries, 5), outcomes(n_queries, 6));
            let (low, high) = increase_interval(&before, &after, groups, 1).unwrap();
            assert!(low < 0.2 && 0.2 < high, "{low} {high}");
            high - low
        };
        let alone: Vec<usize> = (0..1600).collect();
        let (few, many) = (width(400, &alone[..400]), width(1600, &alone));
        assert!((few / many - 2.0).abs() < 0.4, "{few} {many}");
        // Of four queries that find alike, three say nothing new.
        let fours: Vec<usize> = (0..1600).map(|query| query % 400).collect();
        let (together, apart) = (width(1600, &fours), width(400, &alone[..400]));
        assert!((together / apart - 1.0).abs() < 0.2, "{together} {apart}");
    }

    #[test]
    fn where_nothing_was_found_there_is_no_gain_to_speak_of() {
        let (before, after) = (outcomes(20, 0), outcomes(20, 5));
        let groups: Vec<usize> = (0..20).collect();
        assert_eq!(increase_interval(&before, &after, &groups, 1), None);
        assert_eq!(increase_interval(&[], &[], &[], 1), None);
    }
}
