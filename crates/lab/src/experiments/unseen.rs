//! What methods reach at their own decision on documents that nothing was learned from: other
//! clusters, and other groups.
//!
//! Documents are divided so that no cluster (story) and no group (template, site, sender) stands on
//! both sides. Methods that learn do so on one side; on the other everything runs as `find` runs it.

use std::sync::Arc;

use lookalike::tune::{LearnedKind, Taught, halve_apart};
use lookalike::{Config, LabelledCorpus, OwnedDocument, document_statistics};
use lookalike_detect::random::SplitMix64;
use lookalike_detect::train::{LabelledDocument, count_clusters};
use lookalike_detect::{Frequencies, Model};
use lookalike_learn::evaluate::PairCounts;
use lookalike_learn::{Cell, Outcome, Table};
use lookalike_text::Document;

use crate::LabError;
use crate::found::{count_pairs, found_pairs};

/// What is asked, and how often.
#[derive(Clone, Debug)]
pub struct UnseenOptions {
    /// Methods and presets, by the name their row gets.
    pub methods: Vec<(String, Config)>,
    /// Random divisions.
    pub seeds: usize,
    /// Where they start.
    pub seed: u64,
}

/// Whose document frequencies a learned method was trained and asked with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// Each side's own.
    EachSide,
    /// Those of the side that was learned from, on both.
    Training,
    /// Those of the clusters that were learned from, each counted once, on both: how models were
    /// trained before they counted the collection.
    TrainingClusters,
}

impl Source {
    fn name(self) -> &'static str {
        match self {
            Self::EachSide => "of the collection asked",
            Self::Training => "of the model",
            Self::TrainingClusters => "of the model, each cluster once",
        }
    }
}

/// Runs the experiment.
///
/// # Errors
/// A method that cannot be trained or run.
pub fn run(corpus: &LabelledCorpus, options: &UnseenOptions) -> Result<Outcome, LabError> {
    let mut table = Table::new(
        "At their own decision, on clusters and groups that nothing was learned from",
        &["method", "frequencies", "precision", "recall", "f1", "lowest_f1"],
    );
    let mut generator = SplitMix64::new(options.seed);
    let (clusters, groups) = (&corpus.clusters, &corpus.groups.of_document);
    let divisions: Vec<[Vec<usize>; 2]> =
        (0..options.seeds).map(|_| halve_apart(clusters, groups, &mut generator)).collect();
    for (name, config) in &options.methods {
        let sources: &[Option<Source>] = if config.detector.needs_model() {
            &[Some(Source::EachSide), Some(Source::Training), Some(Source::TrainingClusters)]
        } else {
            &[None]
        };
        for source in sources {
            let reach = |sides: &[Vec<usize>; 2]| reached(corpus, sides, config, *source);
            let counts = divisions.iter().map(reach).collect::<Result<Vec<_>, _>>()?;
            table.push(row(name, *source, &counts));
        }
    }
    let sizes: Vec<String> =
        divisions.iter().map(|[train, test]| format!("{}+{}", train.len(), test.len())).collect();
    table.note(format!(
        "{} documents, {}. Documents learned from and asked: {}; seed {}.",
        corpus.documents.len(),
        corpus.groups,
        sizes.join(", "),
        options.seed
    ));
    Ok(table.into())
}

fn row(name: &str, source: Option<Source>, counts: &[PairCounts]) -> Vec<Cell> {
    let mean = |of: fn(&PairCounts) -> f64| {
        counts.iter().map(of).sum::<f64>() / counts.len().max(1) as f64
    };
    let lowest = counts.iter().map(PairCounts::f1).fold(1.0, f64::min);
    vec![
        name.into(),
        source.map_or(Cell::Missing, |source| source.name().into()),
        mean(PairCounts::precision).into(),
        mean(PairCounts::recall).into(),
        mean(PairCounts::f1).into(),
        lowest.into(),
    ]
}

/// Learns on one side, where the method learns, and counts what is found on the other.
fn reached(
    corpus: &LabelledCorpus,
    [train, test]: &[Vec<usize>; 2],
    config: &Config,
    source: Option<Source>,
) -> Result<PairCounts, LabError> {
    let folder = tempfile::tempdir().map_err(|error| LabError::Collection(error.to_string()))?;
    let mut config = config.clone();
    if let Some(source) = source {
        let model = learn(corpus, train, &config, source)?;
        let path = folder.path().join("model");
        std::fs::write(&path, model.to_bytes())
            .map_err(|source| LabError::Write { folder: folder.path().to_owned(), source })?;
        config.run.model = Some(path);
        config.run.model_stats = source != Source::EachSide;
    }
    let documents: Vec<&OwnedDocument> = test.iter().map(|&d| &corpus.documents[d]).collect();
    let clusters: Vec<u32> = test.iter().map(|&d| corpus.clusters[d]).collect();
    Ok(count_pairs(&found_pairs(&documents, &config, folder.path())?, &clusters))
}

fn learn(
    corpus: &LabelledCorpus,
    train: &[usize],
    config: &Config,
    source: Source,
) -> Result<Model, LabError> {
    let detector = &config.detector;
    let no_kind = || LabError::Collection(format!("{} learns nothing", detector.name()));
    let kind = LearnedKind::of(detector).ok_or_else(no_kind)?;
    let owned: Vec<OwnedDocument> = train.iter().map(|&d| corpus.documents[d].clone()).collect();
    let documents: Vec<Document<'_>> = owned.iter().map(OwnedDocument::document).collect();
    let clusters: Vec<u32> = train.iter().map(|&d| corpus.clusters[d]).collect();
    let statistics = if source == Source::TrainingClusters {
        let both = documents.iter().zip(&clusters);
        let labelled: Vec<LabelledDocument<'_>> =
            both.map(|(&document, &cluster)| LabelledDocument { document, cluster }).collect();
        count_clusters(detector.analyzer(), &labelled)?
    } else {
        document_statistics(&owned, detector.analyzer())
            .map_err(|error| LabError::Collection(error.to_string()))?
    };
    let taught = Taught::Clusters(&clusters);
    let mut model = kind.learn(detector.analyzer(), &documents, taught, Arc::new(statistics))?;
    if source == Source::TrainingClusters {
        model.frequencies = Frequencies::Model;
    }
    Ok(model)
}

#[cfg(test)]
mod tests {
    use lookalike::Groups;

    use super::*;

    /// Stories in templates: each page has the menu and the imprint of its site around a story that
    /// other sites print as well.
    fn pages(n_stories: usize, n_sites: usize) -> LabelledCorpus {
        let line = |kind: &str, number: usize, words: usize| {
            let word = |n: usize| format!("{kind}{}", number * 97 + n * 7);
            (0..words).map(word).collect::<Vec<_>>().join(" ")
        };
        let mut corpus = LabelledCorpus::default();
        let mut sites = Vec::new();
        for story in 0..n_stories {
            for site in 0..n_sites {
                let menu: Vec<String> = (0..12).map(|n| line("menu", site * 50 + n, 2)).collect();
                let told: Vec<String> = (0..4)
                    .map(|n| {
                        format!(
                            "the {} is in the {}",
                            line("tale", story * 8 + n, 9),
                            line("place", story * 8 + n, 6)
                        )
                    })
                    .collect();
                corpus.documents.push(OwnedDocument {
                    id: format!("{story}-{site}"),
                    text: format!(
                        "{}\n\n{}\n\n{}",
                        menu.join("\n\n"),
                        told.join("\n\n"),
                        line("imprint", site, 3)
                    ),
                    ..OwnedDocument::default()
                });
                corpus.clusters.push(story as u32);
                sites.push(Some(site.to_string()));
            }
        }
        corpus.groups = Groups::of_field("site", &sites);
        corpus
    }

    fn method(text: &str) -> (String, Config) {
        (text.to_owned(), Config::from_table(text.parse().unwrap()).unwrap())
    }

    #[test]
    fn what_was_learned_holds_on_other_stories_in_other_templates() {
        let corpus = pages(20, 14);
        let options = UnseenOptions {
            methods: vec![
                method("method = 'andd'"),
                method("method = 'minhash'"),
                method("preset = 'pages'"),
            ],
            seeds: 2,
            seed: 1,
        };
        let outcome = run(&corpus, &options).unwrap();
        let f1 = outcome.table.numbers("f1");
        let [counted, _own, _clusters, minhash, pages] = f1[..] else { panic!("{f1:?}") };
        assert!(counted > Some(0.98), "{f1:?}");
        assert!(pages > Some(0.97), "{f1:?}");
        assert!(minhash < Some(0.9), "{f1:?}");
    }
}
