//! Queries against a collection, with exact cosine as the truth (section 6.4 of the 2008 paper).

use lookalike::PreparedCollection;
use lookalike_detect::random::SplitMix64;
use lookalike_detect::train::components;
use lookalike_learn::Collection;
use lookalike_text::AnalyzerConfig;

use crate::LabError;
use crate::evaluate::QueryOutcome;
use crate::sampling::sample;
use crate::truth::{SetMeasure, query_pairs, sets_of_terms};

/// How queries are drawn and what counts as a true duplicate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QueryOptions {
    /// The share of documents that become queries.
    pub share: f64,
    /// The binary cosine from which two documents are duplicates.
    pub cosine: f64,
    /// Documents of fewer distinct terms are left out.
    pub min_distinct: usize,
    /// Whether a document with the same set of terms as an earlier one is left out.
    pub drop_trivial: bool,
    /// Seed of the sample.
    pub seed: u64,
}

impl Default for QueryOptions {
    fn default() -> Self {
        Self { share: 0.1, cosine: 0.9, min_distinct: 1, drop_trivial: false, seed: 1 }
    }
}

impl QueryOptions {
    /// Section 6 of the 2008 paper on mail: 10 % of the messages, cosine 0.9; messages of under
    /// five unique words and trivial duplicates are left out, which it does for mail only.
    pub fn of_mail() -> Self {
        Self { min_distinct: 5, drop_trivial: true, ..Self::default() }
    }
}

/// What of a collection is searched, and queries with their true duplicates.
#[derive(Clone, Debug)]
pub struct QuerySet {
    /// What is searched.
    pub collection: Collection,
    /// The queries, as numbers in the collection.
    pub queries: Vec<usize>,
    /// For each query its true duplicates, ascending, without itself.
    pub relevant: Vec<Vec<usize>>,
    /// The distinct terms of each document of the collection.
    pub terms: Vec<Vec<u64>>,
    /// Documents left out as trivial duplicates: the same set of terms as an earlier one.
    pub n_trivial: usize,
    /// Documents left out as too short.
    pub n_short: usize,
}

impl QuerySet {
    /// Removes short documents and, where asked to, trivial duplicates, draws queries among the documents that
    /// `is_query` allows, and finds their true duplicates.
    pub fn new(
        collection: Collection,
        analyzer: &AnalyzerConfig,
        options: &QueryOptions,
        is_query: impl Fn(&str) -> bool,
    ) -> Result<Self, LabError> {
        let sets = sets_of_terms(&collection, analyzer)?;
        let n_unreadable = collection.n_unreadable;
        let (mut kept, mut kept_sets) = (Vec::new(), Vec::new());
        let mut seen = hashbrown::HashSet::new();
        let (mut n_trivial, mut n_short) = (0, 0);
        for (document, set) in collection.documents.into_iter().zip(sets) {
            if set.len() < options.min_distinct {
                n_short += 1;
            } else if !options.drop_trivial || seen.insert(set.clone()) {
                kept.push(document);
                kept_sets.push(set);
            } else {
                n_trivial += 1;
            }
        }
        let allowed = |number: &usize| is_query(kept[*number].label.as_deref().unwrap_or(""));
        let possible: Vec<usize> = (0..kept.len()).filter(allowed).collect();
        let size = (possible.len() as f64 * options.share).round() as usize;
        let chosen = sample(possible.len(), size, &mut SplitMix64::new(options.seed));
        let queries: Vec<usize> = chosen.into_iter().map(|place| possible[place]).collect();
        let query_sets: Vec<&[u64]> = queries.iter().map(|n| kept_sets[*n].as_slice()).collect();
        let mut relevant = vec![Vec::new(); queries.len()];
        for pair in query_pairs(&query_sets, &kept_sets, SetMeasure::BinaryCosine, options.cosine) {
            if pair.right != queries[pair.left] {
                relevant[pair.left].push(pair.right);
            }
        }
        let collection = Collection { documents: kept, n_unreadable };
        Ok(Self { collection, queries, relevant, terms: kept_sets, n_trivial, n_short })
    }

    /// How many queries have a true duplicate; only these can be found.
    pub fn n_with_duplicates(&self) -> usize {
        self.relevant.iter().filter(|relevant| !relevant.is_empty()).count()
    }

    /// For each query the first query that chains of true duplicates lead to: those of one number stand
    /// or fall together.
    pub fn query_groups(&self) -> Vec<usize> {
        let pairs = self.queries.iter().zip(&self.relevant).flat_map(|(query, relevant)| {
            relevant.iter().map(move |found| (*query as u32, *found as u32))
        });
        let names = components(self.collection.len(), &pairs.collect::<Vec<_>>());
        let mut first = hashbrown::HashMap::new();
        let group = |(place, query): (usize, &usize)| *first.entry(names[*query]).or_insert(place);
        self.queries.iter().enumerate().map(group).collect()
    }

    /// What a method finds for each query: the documents, and their comparison with the truth.
    pub fn ask(&self, signed: &PreparedCollection<'_>) -> Vec<(Vec<usize>, QueryOutcome)> {
        let ask = |(query, relevant): (&usize, &Vec<usize>)| {
            let found = signed.partners(*query);
            let outcome = QueryOutcome::of(&found, relevant);
            (found, outcome)
        };
        self.queries.iter().zip(&self.relevant).map(ask).collect()
    }

    /// How many of the found documents have less than half of the terms in common with their query:
    /// no near-duplicates by any measure.
    pub fn n_unlike(&self, answers: &[(Vec<usize>, QueryOutcome)]) -> usize {
        let is_unlike = |query: usize, found: usize| {
            SetMeasure::BinaryCosine.of(&self.terms[query], &self.terms[found]) < 0.5
        };
        let of_query = |(query, (found, _)): (&usize, &(Vec<usize>, QueryOutcome))| {
            found.iter().filter(|found| is_unlike(*query, **found)).count()
        };
        self.queries.iter().zip(answers).map(of_query).sum()
    }

    /// What was left out and what was asked, as a sentence.
    pub fn describe(&self) -> String {
        format!(
            "{} documents after leaving out {} trivial duplicates and {} too short; {} queries, {} of \
             them with a true duplicate.",
            self.collection.len(),
            self.n_trivial,
            self.n_short,
            self.queries.len(),
            self.n_with_duplicates()
        )
    }
}

/// How many documents have no signature and why, in words.
pub(super) fn describe_rejections(collection: &PreparedCollection<'_>) -> String {
    let reasons = collection.rejections();
    if reasons.is_empty() {
        return "none".to_owned();
    }
    let reason = |(name, count): (&&str, &usize)| format!("{count} {}", name.replace('_', " "));
    reasons.iter().map(reason).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use lookalike_learn::LabelledText;

    #[test]
    fn trivial_duplicates_and_short_documents_are_left_out_and_counted() {
        let texts = [
            "alpha beta gamma delta epsilon zeta eta theta iota kappa",
            "kappa iota theta eta zeta epsilon delta gamma beta alpha alpha",
            "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda",
            "alpha beta",
        ];
        let document = |text: &&str| LabelledText { text: (*text).into(), ..Default::default() };
        let documents = texts.iter().map(document).collect();
        let collection = Collection { documents, n_unreadable: 0 };
        let analyzer = AnalyzerConfig::default();
        let ask = |options: QueryOptions| {
            let options = QueryOptions { share: 1.0, ..options };
            QuerySet::new(collection.clone(), &analyzer, &options, |_| true).unwrap()
        };
        let mail = ask(QueryOptions::of_mail());
        assert_eq!((mail.n_trivial, mail.n_short), (1, 1));
        assert_eq!(mail.relevant, [vec![1], vec![0]]);
        // The paper leaves them out of mail only.
        let pages = ask(QueryOptions::default());
        assert_eq!((pages.n_trivial, pages.n_short), (0, 0));
        assert_eq!(pages.relevant, [vec![1, 2], vec![0, 2], vec![0, 1], vec![]]);
        assert_eq!(pages.query_groups(), [0, 0, 0, 3]);
    }
}
