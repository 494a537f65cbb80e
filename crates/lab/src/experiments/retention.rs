//! Table IX of the 2002 paper: the 52 retention rules and the syntactic baseline.
//!
//! The text is read once. What all rules share, the distinct terms of each document and how many
//! documents contain them, stays in memory as one number a term.

use std::sync::Arc;
use std::time::Instant;

use hashbrown::HashMap;
use lookalike_detect::represent::{DocumentTerm, Lexicon, RetentionRule};
use lookalike_detect::sign::sha1_of_terms;
use lookalike_learn::{Cell, Collection, Outcome, Plot, Table};
use lookalike_statistics::{Statistics, StatisticsBuilder};
use lookalike_text::{Analyzer, AnalyzerConfig, SyntacticFilters, term_hash};

use super::syntactic::{digest_all, filtered_by};
use super::{Groups, group_by_digest};
use crate::LabError;

const COLUMNS: [&str; 14] = [
    "experiment",
    "documents_left",
    "filtered",
    "distinct_terms_before",
    "distinct_terms_after",
    "length_before",
    "length_after",
    "retained_terms",
    "duplicates_by_hash",
    "duplicates_by_title",
    "duplicates",
    "clusters",
    "largest_cluster",
    "seconds",
];

/// Runs the baseline and all rules; statistics are the collection's own unless given.
pub fn run(
    collection: &Collection,
    analyzer: &AnalyzerConfig,
    statistics: Option<Arc<Statistics>>,
) -> Result<Outcome, LabError> {
    let started = Instant::now();
    let (read, own_statistics) = ReadCollection::read(collection, analyzer)?;
    let statistics = statistics.unwrap_or_else(|| Arc::new(own_statistics));
    let reading_seconds = started.elapsed().as_secs_f64();
    let mut table = Table::new("I-Match retention rules (Table IX, 2002)", &COLUMNS);
    let filters = SyntacticFilters { no_special: true, stem: true, ..Default::default() };
    let started = Instant::now();
    let (baseline, _) = digest_all(collection, &filtered_by(filters))?;
    let baseline = Measured { retained: None, seconds: started.elapsed().as_secs_f64() }
        .row("baseline", &read, &baseline, collection);
    table.push(baseline);
    for rule in RetentionRule::of_the_paper() {
        let started = Instant::now();
        let (digests, retained) = read.digests(rule, &statistics);
        let seconds = started.elapsed().as_secs_f64();
        let measured = Measured { retained: Some(retained), seconds };
        table.push(measured.row(&rule.to_string(), &read, &digests, collection));
    }
    table.note(format!(
        "One pass over {} documents served all rules; reading and counting took {reading_seconds:.1} s. \
         \"After\" averages are over the documents left, as in the paper.",
        collection.len()
    ));
    let plot = Some(plot(&table));
    Ok(Outcome { table, plot, ..Outcome::default() })
}

/// A collection as the rules need it.
struct ReadCollection {
    /// The terms of all documents in ascending order, so that numbers order as texts do.
    terms: Vec<String>,
    hashes: Vec<u64>,
    /// Each document's distinct terms, as places in `terms`.
    documents: Vec<Vec<u32>>,
    /// Each document's length in terms.
    lengths: Vec<usize>,
}

impl ReadCollection {
    fn read(
        collection: &Collection,
        analyzer: &AnalyzerConfig,
    ) -> Result<(Self, Statistics), LabError> {
        let mut builder = StatisticsBuilder::new(analyzer.clone());
        let analyzer = Analyzer::new(analyzer)?;
        let mut read = Self { terms: vec![], hashes: vec![], documents: vec![], lengths: vec![] };
        let mut numbers: HashMap<u64, u32> = HashMap::new();
        for document in &collection.documents {
            let (mut distinct, mut length) = (Vec::new(), 0);
            analyzer.visit(&document.text, |term, _| {
                length += 1;
                let hash = term_hash(term);
                let number = *numbers.entry(hash).or_insert_with(|| {
                    read.terms.push(term.to_owned());
                    read.hashes.push(hash);
                    read.terms.len() as u32 - 1
                });
                distinct.push(number);
            });
            distinct.sort_unstable();
            distinct.dedup();
            let hashes: Vec<u64> = distinct.iter().map(|n| read.hashes[*n as usize]).collect();
            builder.add_distinct(&hashes, length as u64);
            read.documents.push(distinct);
            read.lengths.push(length);
        }
        read.number_by_text();
        Ok((read, builder.finish()))
    }

    fn number_by_text(&mut self) {
        let mut order: Vec<u32> = (0..self.terms.len() as u32).collect();
        order.sort_unstable_by_key(|number| &self.terms[*number as usize]);
        let mut new_number = vec![0; order.len()];
        for (new, old) in (0u32..).zip(&order) {
            new_number[*old as usize] = new;
        }
        self.hashes = order.iter().map(|old| self.hashes[*old as usize]).collect();
        self.terms =
            order.iter().map(|old| std::mem::take(&mut self.terms[*old as usize])).collect();
        for document in &mut self.documents {
            for number in &mut *document {
                *number = new_number[*number as usize];
            }
            document.sort_unstable();
        }
    }

    /// Each document's digest under a rule, SHA-1 as in the paper, and the mean number of terms it rests on.
    fn digests(
        &self,
        rule: RetentionRule,
        statistics: &Arc<Statistics>,
    ) -> (Vec<Option<u128>>, f64) {
        let lexicon = Lexicon::new(Arc::clone(statistics), rule, 0.0, 0);
        let (mut terms, mut kept, mut n_kept) = (Vec::new(), Vec::new(), 0);
        let mut sign = |document: &Vec<u32>| {
            terms.clear();
            terms.extend(document.iter().map(|number| DocumentTerm {
                hash: self.hashes[*number as usize],
                frequency: 0,
                number: *number,
            }));
            lexicon.retain(&mut terms, |number| self.terms[number as usize].as_str());
            kept.clear();
            kept.extend(terms.iter().map(|term| term.number));
            kept.sort_unstable();
            n_kept += kept.len();
            (!kept.is_empty()).then(|| {
                let texts = kept.iter().map(|number| self.terms[*number as usize].as_str());
                let [high, low] = sha1_of_terms(texts);
                u128::from(high) << 64 | u128::from(low)
            })
        };
        let digests: Vec<Option<u128>> = self.documents.iter().map(&mut sign).collect();
        let n_left = digests.iter().flatten().count().max(1);
        (digests, n_kept as f64 / n_left as f64)
    }
}

struct Measured {
    retained: Option<f64>,
    seconds: f64,
}

impl Measured {
    fn row(
        &self,
        experiment: &str,
        read: &ReadCollection,
        digests: &[Option<u128>],
        collection: &Collection,
    ) -> Vec<Cell> {
        let groups: Groups = group_by_digest(digests, |left, right| {
            let (left, right) = (&collection.documents[left], &collection.documents[right]);
            (left.title.is_some() && left.title == right.title)
                || (left.url.is_some() && left.url == right.url)
        });
        let left = |number: &usize| digests[*number].is_some();
        let all = |_: &usize| true;
        let mean = |chosen: &dyn Fn(&usize) -> bool, value: &dyn Fn(usize) -> usize| {
            let chosen: Vec<usize> = (0..digests.len()).filter(|number| chosen(number)).collect();
            let sum: usize = chosen.iter().map(|number| value(*number)).sum();
            Cell::Real(sum as f64 / chosen.len().max(1) as f64, 1)
        };
        let distinct = |number: usize| read.documents[number].len();
        let length = |number: usize| read.lengths[number];
        vec![
            experiment.into(),
            groups.n_documents.into(),
            (digests.len() - groups.n_documents).into(),
            mean(&all, &distinct),
            mean(&left, &distinct),
            mean(&all, &length),
            mean(&left, &length),
            self.retained.map_or(Cell::Missing, |retained| Cell::Real(retained, 1)),
            (groups.n_duplicates() - groups.n_same_title).into(),
            groups.n_same_title.into(),
            groups.n_duplicates().into(),
            groups.n_clusters.into(),
            groups.largest.into(),
            Cell::Real(self.seconds, 2),
        ]
    }
}

/// Duplicates over the fraction of each family of rules.
fn plot(table: &Table) -> Plot {
    let mut plot = Plot::new(
        "Duplicates found by retention rule",
        "first number of the rule (percent)",
        "duplicate documents",
    );
    let duplicates = table.numbers("duplicates");
    let mut families: Vec<(String, Vec<(f64, f64)>)> = Vec::new();
    for (row, duplicates) in table.rows().iter().zip(duplicates) {
        let Cell::Text(name) = &row[0] else { continue };
        let mut parts = name.splitn(3, '-');
        let (Some(kind), Some(side), Some(numbers)) = (parts.next(), parts.next(), parts.next())
        else {
            continue;
        };
        let percent = numbers.split('-').next().and_then(|number| number.parse().ok());
        let (Some(percent), Some(duplicates)) = (percent, duplicates) else { continue };
        let family = format!("{kind}-{side}");
        match families.iter_mut().find(|(name, _)| *name == family) {
            Some((_, points)) => points.push((percent, duplicates)),
            None => families.push((family, vec![(percent, duplicates)])),
        }
    }
    for (family, points) in families {
        plot.push(family, points);
    }
    plot
}

#[cfg(test)]
mod tests {
    use lookalike_detect::DetectorConfig;

    use super::*;
    use lookalike_learn::{LabelledText, join};

    fn collection() -> Collection {
        let texts = [
            "the grain ship left the port of call on monday",
            "the port of call on monday the grain ship left",
            "the grain ship left the port of call on tuesday",
            "of the and",
            "the of and the",
            "wheat and barley futures closed lower on the exchange",
            "",
        ];
        let document = |(number, text): (usize, &&str)| LabelledText {
            id: number.to_string(),
            text: (*text).into(),
            title: Some(if number < 2 { "ship" } else { "other" }.to_owned()),
            ..LabelledText::default()
        };
        let documents = texts.iter().enumerate().map(document).collect();
        Collection { documents, n_unreadable: 0 }
    }

    #[test]
    fn there_are_53_rows_with_all_columns_of_the_paper() {
        let outcome = run(&collection(), &AnalyzerConfig::default(), None).unwrap();
        assert_eq!(outcome.table.rows().len(), 53);
        let json = outcome.table.to_json();
        assert_eq!(json[0]["experiment"], "baseline");
        assert_eq!(json[0]["filtered"], 1);
        assert_eq!(json[0]["duplicates_by_title"], 2, "{json}");
        assert_eq!(outcome.plot.unwrap().series.len(), 8);
    }

    #[test]
    fn every_rule_groups_what_its_detector_groups() {
        let collection = collection();
        for rule in RetentionRule::of_the_paper() {
            let table = toml::toml! { method = "imatch" };
            let mut table = table;
            table.insert("rule".into(), rule.to_string().into());
            let config = DetectorConfig::from_table(table).unwrap();
            let detector = collection.detector(&config).unwrap();
            let signed = join(&detector, &collection.documents);
            let (read, statistics) = ReadCollection::read(&collection, config.analyzer()).unwrap();
            let (digests, _) = read.digests(rule, &Arc::new(statistics));
            for left in 0..collection.len() {
                let equal = |right: &usize| digests[*right] == digests[left];
                let partners: Vec<usize> = (0..collection.len())
                    .filter(|right| *right != left && digests[left].is_some())
                    .filter(equal)
                    .collect();
                assert_eq!(signed.partners(left), partners, "{rule}, document {left}");
            }
        }
    }
}
