//! The bags' signatures against the paper's own words: a lexicon copied and thinned for each bag.

use std::sync::Arc;

use lookalike_text::{Analyzer, AnalyzerConfig, Document};
use proptest::prelude::*;

use super::*;
use crate::represent::lexicon_fixture::{statistics, vocabulary};
use crate::represent::{Lexicon, Retain, RetentionRule};
use crate::sign::{BagRule, FusedTerms};
use crate::{Observe, Represent, Scratch};

/// Steps 1 to 5 of section 3 with the lexicons that a bag has: S, or none where it is refused.
fn steps(
    primary: &[u64],
    secondary: &[u64],
    document: &[u64],
    (share, fewest): (f64, usize),
) -> Option<Vec<u64>> {
    let has = |term: &&u64| document.contains(term);
    let mut retained: Vec<u64> = primary.iter().filter(has).copied().collect();
    for term in secondary.iter().filter(has) {
        if retained.len() as f64 / (document.len() as f64) < share {
            retained.push(*term);
        }
    }
    let is_enough =
        retained.len() >= fewest.max(1) && retained.len() as f64 / document.len() as f64 >= share;
    is_enough.then_some(retained)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn every_bag_makes_its_own_terms_from_both_lexicons_it_has_drawn(
        words in proptest::sample::subsequence(vocabulary().collect::<Vec<_>>(), 1..=60),
        share in prop::sample::select(vec![0.0, 0.25, 0.5, 0.75]),
        fewest in 1usize..6,
        secondary_size in 0usize..60,
    ) {
        let (statistics, rule) = (statistics(), RetentionRule::IdfRI(0.1, 0.4));
        let bags = Bags::new(9, BagRule::Bootstrap, 3);
        let nidf = |term: u64| statistics.nidf(term);
        let known: Vec<u64> = statistics.iter().map(|(term, _)| term).collect();
        let primary: Vec<u64> =
            known.iter().copied().filter(|term| (0.1..=0.4).contains(&nidf(*term))).collect();
        let mut secondary: Vec<u64> =
            known.iter().copied().filter(|term| nidf(*term) > 0.4).collect();
        secondary.sort_by_key(|term| {
            (std::cmp::Reverse(statistics.document_frequency(*term)), *term)
        });
        secondary.truncate(secondary_size);
        let document: Vec<u64> = words.iter().map(|(word, _)| term_hash(word)).collect();

        let text = words.iter().map(|(word, _)| word.as_str()).collect::<Vec<_>>().join(" ");
        let lexicon =
            Arc::new(Lexicon::new(statistics.clone(), rule, share, secondary_size as u64));
        let limits = SignatureLimits {
            min_distinct: 1,
            min_terms: fewest,
            bag_min_terms: fewest,
            min_share: share,
        };
        let coordinates = Coordinates { digest: DigestRule::Sum, bags: bags.clone(), limits };
        let analyzer = || Analyzer::new(&AnalyzerConfig::default()).unwrap();
        let document_of_text = Document::from_text(&text);
        let features =
            Retain(lexicon.clone()).represent(&document_of_text, &analyzer().tokenize(&text));
        let plain = coordinates.sign(&features);
        let fused = FusedTerms::new(analyzer(), lexicon, coordinates);
        let (mut observed, mut scratch) = (Vec::new(), Scratch::default());
        fused.observe(&document_of_text, &mut scratch, &mut observed);
        let fused = fused.weigh(&observed, &mut scratch);
        prop_assert_eq!(plain.as_ref().ok(), fused.as_ref().ok().map(|signed| &signed.signature));

        let whole = steps(&primary, &secondary, &document, (share, fewest));
        prop_assert_eq!(plain.is_ok(), whole.is_some());
        let (Ok(signature), Some(whole)) = (plain, whole) else { return Ok(()) };
        let coordinates = signature.0.as_chunks::<2>().0;
        prop_assert_eq!(coordinates[0], sum_of_terms(whole.into_iter()));
        for bag in 0..bags.len() {
            let drawn = |terms: &[u64]| -> Vec<u64> {
                terms.iter().copied().filter(|term| bags.keeps(bag, *term)).collect()
            };
            let terms = steps(&drawn(&primary), &drawn(&secondary), &document, (share, fewest));
            let expected = terms.map_or([0, 0], |terms| sum_of_terms(terms.into_iter()));
            prop_assert_eq!(coordinates[bag + 1], expected, "bag {}", bag);
        }
    }
}
