//! Figures 3 and 4 of the 2008 paper: recall, precision and pure clusters over the number of
//! randomized lexicons, with a native and a foreign lexicon.

use std::sync::Arc;

use lookalike::PreparedCollection;
use lookalike_detect::Artifacts;
use lookalike_learn::compare::ComparedMethod;
use lookalike_learn::{Cell, Collection, Outcome, Plot, Table, join};
use lookalike_statistics::Statistics;

use super::imatch::with_bags;
use super::query_set::describe_rejections;
use super::query_set::{QueryOptions, QuerySet};
use crate::LabError;
use crate::evaluate::{QueryAverages, QueryOutcome};

/// What the experiment varies.
#[derive(Clone, Debug)]
pub struct BagsOptions {
    /// The numbers of randomized lexicons.
    pub bags: Vec<usize>,
    /// I-Match's other parameters.
    pub parameters: toml::Table,
    /// How queries are drawn.
    pub queries: QueryOptions,
}

impl Default for BagsOptions {
    fn default() -> Self {
        Self {
            bags: vec![0, 1, 2, 3, 4, 5, 6, 8, 10],
            parameters: toml::toml! {
                preset = "web"
                min-terms = 5
                min-share = 0.1
            },
            queries: QueryOptions::default(),
        }
    }
}

/// The only numbers that the paper prints for its web pages; the rest is in its Figures 3 and 4.
const FOOTNOTE_4: &str = "The paper's footnote 4: megashingles had recall 0.668 and precision 0.758 \
     on its web pages, about what I-Match had with the foreign lexicon and 5 bags.";

/// What a method answered to the queries that have a true duplicate.
struct Asked {
    averages: QueryAverages,
    n_unlike: usize,
    n_rejected: usize,
}

impl Asked {
    fn of(set: &QuerySet, signed: &PreparedCollection<'_>) -> Self {
        let answers = set.ask(signed);
        let outcomes: Vec<QueryOutcome> =
            answers.iter().map(|(_, outcome)| *outcome).filter(|o| o.relevant > 0).collect();
        Self {
            averages: QueryAverages::of(&outcomes),
            n_unlike: set.n_unlike(&answers),
            n_rejected: signed.n_rejected(),
        }
    }

    fn row(&self, lexicon: &str, bags: Cell) -> Vec<Cell> {
        vec![
            lexicon.into(),
            bags,
            self.averages.recall.into(),
            self.averages.precision.into(),
            self.averages.pure.into(),
            self.n_unlike.into(),
            self.n_rejected.into(),
            self.averages.recall_with_query.into(),
        ]
    }
}

/// Asks a sample of a collection against all of it, with its own lexicon and a foreign one.
pub fn run(
    collection: Collection,
    foreign: Option<Arc<Statistics>>,
    options: &BagsOptions,
) -> Result<Outcome, LabError> {
    let analyzer = with_bags(&options.parameters, 0)?.analyzer().clone();
    let native = Arc::new(collection.statistics(&analyzer)?);
    let set = QuerySet::new(collection, &analyzer, &options.queries, |_| true)?;
    let mut table = Table::new(
        "Recall and precision over randomized lexicons (Figures 3 and 4, 2008)",
        &[
            "lexicon",
            "bags",
            "recall",
            "precision",
            "pure",
            "unlike",
            "null_signatures",
            "recall_with_query",
        ],
    );
    let mut plot = Plot::new("Near-duplicates found", "randomized lexicons", "share");
    let lexicons = [("native", Some(native)), ("foreign", foreign)];
    for (name, statistics) in lexicons {
        let Some(statistics) = statistics else { continue };
        let artifacts = Artifacts::with_statistics(statistics);
        let (mut recall, mut pure) = (Vec::new(), Vec::new());
        let mut rejections = String::new();
        for n_bags in &options.bags {
            let detector = with_bags(&options.parameters, *n_bags)?.build(&artifacts)?;
            let signed = join(&detector, &set.collection.documents);
            let asked = Asked::of(&set, &signed);
            rejections = describe_rejections(&signed);
            recall.push((*n_bags as f64, asked.averages.recall));
            pure.push((*n_bags as f64, asked.averages.pure));
            table.push(asked.row(name, (*n_bags).into()));
        }
        table.note(format!("No signature with the {name} lexicon: {rejections}."));
        plot.push(format!("recall, {name} lexicon"), recall);
        plot.push(format!("pure clusters, {name} lexicon"), pure);
    }
    let megashingles = ComparedMethod::parse("megashingles")?.config.build(&Artifacts::default())?;
    let signed = join(&megashingles, &set.collection.documents);
    table.push(Asked::of(&set, &signed).row("megashingles", Cell::Missing));
    table.note(FOOTNOTE_4);
    table.note(set.describe());
    table.note(
        "As in the paper, only queries with a true duplicate take part; recall_with_query counts the \
         query among its own duplicates, as the paper does.",
    );
    table.note("Unlike: found documents with a binary cosine below 0.5, over all queries.");
    Ok(Outcome { table, plot: Some(plot), ..Outcome::default() })
}
