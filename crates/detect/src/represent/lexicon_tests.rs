//! Retention against a naive reading of the papers: words, logarithms, full sorts.

use lookalike_statistics::StatisticsBuilder;
use lookalike_text::{AnalyzerConfig, term_hash};
use proptest::prelude::*;

use super::*;

/// Term `w<n>` stands in n of 40 documents, for a few n each with several terms.
pub(crate) fn statistics() -> Arc<Statistics> {
    let mut builder = StatisticsBuilder::new(AnalyzerConfig::default());
    for document in 0..40 {
        let terms = vocabulary().filter(|(_, frequency)| document < *frequency);
        builder.add_hashes(terms.map(|(term, _)| term_hash(&term)));
    }
    Arc::new(builder.finish())
}

/// Every word with its document frequency; frequency 0 stands for words nobody counted.
pub(crate) fn vocabulary() -> impl Iterator<Item = (String, u32)> {
    (0..120).map(|n| (format!("w{n}"), [0, 1, 1, 2, 3, 5, 8, 12, 20, 33, 40][n % 11]))
}

/// The rules word for word: logarithms, and a full sort by idf and term.
fn naive(statistics: &Statistics, rule: RetentionRule, words: &[String]) -> Vec<String> {
    let nidf = |word: &String| statistics.nidf(term_hash(word));
    let is_known = |word: &&String| statistics.document_frequency(term_hash(word)) > 0;
    let by_nidf = |keeps: &dyn Fn(f64) -> bool| -> Vec<String> {
        words.iter().filter(is_known).filter(|word| keeps(nidf(word))).cloned().collect()
    };
    let mut ranked = words.to_vec();
    ranked.sort_by(|a, b| nidf(a).total_cmp(&nidf(b)).then_with(|| a.cmp(b)));
    let by_rank = |from: f64, to: f64, inside: bool| -> Vec<String> {
        let n = words.len() as f64;
        let is_inside =
            |rank: usize| rank as f64 >= from * n - 1e-9 && (rank + 1) as f64 <= to * n + 1e-9;
        let ranked = ranked.iter().enumerate();
        ranked.filter(|(rank, _)| is_inside(*rank) == inside).map(|(_, w)| w.clone()).collect()
    };
    let or = |kept: Vec<String>, one: Option<&String>| {
        if kept.is_empty() { one.cloned().into_iter().collect() } else { kept }
    };
    match rule {
        RetentionRule::DocL(f) => or(by_rank(f, 1.0, true), ranked.last()),
        RetentionRule::DocH(f) => or(by_rank(0.0, 1.0 - f, true), ranked.first()),
        RetentionRule::DocRI(a, b) => by_rank(a, b, true),
        RetentionRule::DocRO(a, b) => by_rank(a, b, false),
        RetentionRule::IdfL(x) => by_nidf(&|nidf| nidf >= x),
        RetentionRule::IdfH(x) => by_nidf(&|nidf| nidf <= x),
        RetentionRule::IdfRI(a, b) => by_nidf(&|nidf| (a..=b).contains(&nidf)),
        RetentionRule::IdfRO(a, b) => by_nidf(&|nidf| !(a..=b).contains(&nidf)),
    }
}

/// What [`Lexicon::retain`] keeps, as words.
fn fast(lexicon: &Lexicon, words: &[String]) -> Vec<String> {
    let term = |(number, word): (u32, &String)| DocumentTerm {
        hash: term_hash(word),
        frequency: 0,
        number,
    };
    let mut terms: Vec<_> = (0..).zip(words).map(term).collect();
    let kept = lexicon.retain(&mut terms, |number| &words[number as usize]);
    terms[..kept.n_signed].iter().map(|term| words[term.number as usize].clone()).collect()
}

fn sorted(mut words: Vec<String>) -> Vec<String> {
    words.sort();
    words
}

fn document() -> impl Strategy<Value = Vec<String>> {
    let words: Vec<String> = vocabulary().map(|(word, _)| word).collect();
    proptest::sample::subsequence(words, 0..=60).prop_shuffle()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn every_rule_keeps_what_the_paper_says(words in document()) {
        let statistics = statistics();
        for rule in RetentionRule::of_the_paper() {
            let lexicon = Lexicon::new(statistics.clone(), rule, 0.0, 0);
            let expected = sorted(naive(&statistics, rule, &words));
            prop_assert_eq!(sorted(fast(&lexicon, &words)), expected, "{}", rule);
        }
    }

    #[test]
    fn the_secondary_lexicon_adds_the_fewest_commonest_terms(
        words in document(), size in 0u64..60
    ) {
        let statistics = statistics();
        let rule = RetentionRule::IdfRI(0.1, 0.4);
        let primary = naive(&statistics, rule, &words);
        let share = 0.5;

        let rank = |hash: u64| (std::cmp::Reverse(statistics.document_frequency(hash)), hash);
        let is_rarer = |hash: u64| statistics.nidf(hash) > 0.4;
        let known = statistics.iter().map(|(hash, _)| hash);
        let mut secondary: Vec<u64> = known.filter(|&hash| is_rarer(hash)).collect();
        secondary.sort_by_key(|&hash| rank(hash));
        secondary.truncate(size as usize);
        let mut expected = primary.clone();
        for hash in secondary {
            if let Some(word) = words.iter().find(|word| term_hash(word) == hash)
                && (expected.len() as f64) < share * words.len() as f64
            {
                expected.push(word.clone());
            }
        }
        let lexicon = Lexicon::new(statistics.clone(), rule, share, size);
        prop_assert_eq!(sorted(fast(&lexicon, &words)), sorted(expected));
    }
}

#[test]
fn a_document_too_small_for_its_fraction_keeps_one_term_or_by_the_other_reading_none() {
    let statistics = statistics();
    let words: Vec<String> = vocabulary().skip(7).take(3).map(|(word, _)| word).collect();
    for (rule, kept) in [(RetentionRule::DocL(0.75), "w7"), (RetentionRule::DocH(0.75), "w9")] {
        let lexicon = Lexicon::new(statistics.clone(), rule, 0.0, 0);
        assert_eq!(fast(&lexicon, &words), [kept], "Table IX: at least one");
        let lexicon = lexicon.rounding_down();
        assert!(fast(&lexicon, &words).is_empty(), "section 4.1: a quarter of three is none");
    }
    let middle = Lexicon::new(statistics, RetentionRule::DocRI(0.4, 0.6), 0.0, 0);
    assert!(fast(&middle, &words).is_empty(), "Table IX: 1,751 documents lost by DocR-I-40-60");
}

#[test]
fn unknown_terms_are_the_rarest_by_rank_and_outside_by_frequency() {
    let statistics = statistics();
    let words: Vec<String> = ["w10", "unheard"].map(String::from).to_vec();
    let retained = |rule| fast(&Lexicon::new(statistics.clone(), rule, 0.0, 0), &words);
    assert_eq!(retained(RetentionRule::DocL(0.5)), ["unheard"]);
    assert_eq!(retained(RetentionRule::IdfRO(0.1, 0.9)), ["w10"]);
    assert!(retained(RetentionRule::IdfL(0.5)).is_empty());
}
