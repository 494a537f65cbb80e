//! Tables 2 and 3 of the 2008 paper: known spam asked against spam and legitimate mail.

use std::sync::Arc;

use lookalike_detect::Artifacts;
use lookalike_learn::{Cell, Collection, Outcome, Plot, Table, join};
use lookalike_statistics::Statistics;

use super::imatch::with_bags;
use super::query_set::describe_rejections;
use super::query_set::{QueryOptions, QuerySet};
use crate::LabError;
use crate::evaluate::{QueryAverages, QueryOutcome, increase_interval, utility};

/// What the experiment varies and how it counts.
#[derive(Clone, Debug)]
pub struct MailOptions {
    /// The numbers of randomized lexicons.
    pub bags: Vec<usize>,
    /// I-Match's other parameters.
    pub parameters: toml::Table,
    /// How queries are drawn.
    pub queries: QueryOptions,
    /// What one legitimate message taken for spam costs.
    pub cost: f64,
}

impl Default for MailOptions {
    fn default() -> Self {
        Self {
            bags: vec![0, 1, 2, 5, 10],
            parameters: recommended(),
            queries: QueryOptions::of_mail(),
            cost: 100.0,
        }
    }
}

/// The settings we recommend for mail.
pub fn recommended() -> toml::Table {
    toml::toml! { preset = "mail" }
}

/// Asks a sample of the spam against all mail; documents are labelled `spam` or `ham`.
///
/// The lexicon comes from `statistics` or, without them, from the mail itself.
pub fn run(
    collection: Collection,
    statistics: Option<Arc<Statistics>>,
    options: &MailOptions,
) -> Result<Outcome, LabError> {
    let analyzer = with_bags(&options.parameters, 0)?.analyzer().clone();
    let artifacts = Artifacts::with_statistics(match statistics {
        Some(statistics) => statistics,
        None => Arc::new(collection.statistics(&analyzer)?),
    });
    let set = QuerySet::new(collection, &analyzer, &options.queries, |label| label == "spam")?;
    if set.queries.is_empty() {
        let message = "no document is labelled spam; the field `label` must say spam or ham";
        return Err(LabError::Collection(message.to_owned()));
    }
    let mut table = Table::new(
        "Spam asked against spam and ham (Tables 2 and 3, 2008)",
        &[
            "bags",
            "recall",
            "precision",
            "pure",
            "ham_matched",
            "utility",
            "null_signatures",
            "relative_increase",
            "increase_low",
            "increase_high",
            "recall_with_query",
        ],
    );
    let groups = set.query_groups();
    let mut without_bags: Option<(f64, Vec<QueryOutcome>)> = None;
    let mut rejections = String::new();
    for n_bags in &options.bags {
        let detector = with_bags(&options.parameters, *n_bags)?.build(&artifacts)?;
        let signed = join(&detector, &set.collection.documents);
        let answers = set.ask(&signed);
        let outcomes: Vec<QueryOutcome> = answers.iter().map(|(_, outcome)| *outcome).collect();
        let averages = QueryAverages::of(&outcomes);
        let is_first = without_bags.is_none();
        let (first, before) =
            without_bags.get_or_insert_with(|| (averages.recall, outcomes.clone()));
        let interval = if is_first {
            None
        } else {
            increase_interval(before, &outcomes, &groups, options.queries.seed)
        };
        let end = |value: Option<f64>| value.map_or(Cell::Missing, Cell::from);
        rejections = describe_rejections(&signed);
        let (ham, worth) = count_ham(&set, &answers, options.cost);
        table.push(vec![
            (*n_bags).into(),
            averages.recall.into(),
            averages.precision.into(),
            averages.pure.into(),
            ham.into(),
            Cell::Real(worth, 2),
            signed.n_rejected().into(),
            if *first > 0.0 { (averages.recall / *first - 1.0).into() } else { Cell::Missing },
            end(interval.map(|(low, _)| low)),
            end(interval.map(|(_, high)| high)),
            averages.recall_with_query.into(),
        ]);
    }
    table.note(set.describe());
    table.note(
        "Recall is over queries with a true duplicate and counts what was found and is true; \
         recall_with_query is the paper's: over all queries, each among its own duplicates.",
    );
    table.note(
        "increase_low, increase_high: 95 % of a thousand bootstrap samples of the queries lie between \
         them; queries that are true duplicates of each other are drawn together.",
    );
    table.note(format!("No signature: {rejections}."));
    let mut plot = Plot::new("Recall of near-duplicate spam", "randomized lexicons", "recall");
    let recall = options.bags.iter().zip(table.numbers("recall"));
    let point = |(bags, recall): (&usize, Option<f64>)| recall.map(|r| (*bags as f64, r));
    plot.push("recall", recall.filter_map(point).collect());
    Ok(Outcome { table, plot: Some(plot), ..Outcome::default() })
}

/// How many legitimate messages were found by any query, and the mean utility of a query.
fn count_ham(set: &QuerySet, answers: &[(Vec<usize>, QueryOutcome)], cost: f64) -> (usize, f64) {
    let is_ham =
        |number: &&usize| set.collection.documents[**number].label.as_deref() != Some("spam");
    let mut ham: Vec<usize> = Vec::new();
    let mut worth = 0.0;
    for (found, _) in answers {
        let matched: Vec<usize> = found.iter().filter(is_ham).copied().collect();
        worth += utility((found.len() - matched.len()) as u64, matched.len() as u64, cost);
        ham.extend(matched);
    }
    ham.sort_unstable();
    ham.dedup();
    (ham.len(), worth / answers.len().max(1) as f64)
}
