//! Figures 3 and 4 of the 2008 paper: recall, precision and pure clusters over the number of
//! randomized lexicons, with a native and a foreign lexicon.

use std::sync::Arc;

use lookalike_detect::Artifacts;
use lookalike_statistics::Statistics;

use super::imatch::with_bags;
use super::query_set::{QueryOptions, QuerySet};
use crate::evaluate::{QueryAverages, QueryOutcome};
use crate::join::describe_rejections;
use crate::{Collection, LabError, Outcome, Plot, Table, join};

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
        &["lexicon", "bags", "recall", "precision", "pure", "unlike", "null_signatures"],
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
            let answers = set.ask(&signed);
            // As in the paper, only queries with a true duplicate take part.
            let outcomes: Vec<QueryOutcome> =
                answers.iter().map(|(_, outcome)| *outcome).filter(|o| o.relevant > 0).collect();
            let averages = QueryAverages::of(&outcomes);
            rejections = describe_rejections(&signed);
            recall.push((*n_bags as f64, averages.recall));
            pure.push((*n_bags as f64, averages.pure));
            table.push(vec![
                name.into(),
                (*n_bags).into(),
                averages.recall.into(),
                averages.precision.into(),
                averages.pure.into(),
                set.n_unlike(&answers).into(),
                signed.n_rejected().into(),
            ]);
        }
        table.note(format!("No signature with the {name} lexicon: {rejections}."));
        plot.push(format!("recall, {name} lexicon"), recall);
        plot.push(format!("pure clusters, {name} lexicon"), pure);
    }
    table.note(set.describe());
    table.note("Unlike: found documents with a binary cosine below 0.5, over all queries.");
    Ok(Outcome { table, plot: Some(plot), ..Outcome::default() })
}
