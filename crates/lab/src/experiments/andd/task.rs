//! A labelled collection with its halvings, and what can be trained and scored on them.

use std::sync::Arc;

use lookalike_detect::detectors::{AnddConfig, AnddJaccardConfig, DetectorConfig};
use lookalike_detect::measure::{AllPairs, Similarity};
use lookalike_detect::model::Learned;
use lookalike_detect::random::SplitMix64;
use lookalike_detect::represent::learned::{
    FeatureChoice, KgramContext, KgramFrequencies, ProseWords, ScaledColumn, keep_heaviest,
    kgram_hash,
};
use lookalike_detect::sign::{Hyperplanes, PlaneEntries, estimated_cosine};
use lookalike_detect::train::{
    self, AnddOptions, LabelledDocument, PairSampling, Start, SvmOptions,
};
use lookalike_detect::{
    Artifacts, Detector, Features, Measure, Model, Recipe, Scratch, WeightedFeature,
};
use lookalike_learn::Collection;
use lookalike_learn::evaluate::{Halving, MaxF1, halve_clusters};
use lookalike_learn::prepare;
use lookalike_statistics::Statistics;
use lookalike_text::{Analyzer, AnalyzerConfig, TokenizedDocument};
use rayon::prelude::*;

use super::scoring::{TestHalf, as_vector, max_f1_of_all, weighs_something};
use crate::LabError;

/// Where document frequencies come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum StatisticsSource {
    /// All documents of the collection, without their labels.
    #[default]
    Collection,
    /// The labelled documents only, each cluster counted once.
    TrainingClusters,
}

impl StatisticsSource {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Collection => "collection",
            Self::TrainingClusters => "training clusters",
        }
    }
}

/// How weights are learned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Training {
    /// As the paper prints it, document frequencies of whole k-grams included.
    Printed,
    /// Where the paper's training starts: random weights, nothing learned.
    Untrained,
    /// Ours on the paper's features: from the binary vector, with sharpness and hard negatives.
    PaperFeatures,
    /// Ours with the features of blocks.
    #[default]
    Blocks,
}

impl Training {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Printed => "andd, the paper's",
            Self::Untrained => "andd, the paper's, random weights",
            Self::PaperFeatures => "andd, our training, paper's features",
            Self::Blocks => "andd, our training, block features",
        }
    }

    fn is_of_the_paper(self) -> bool {
        matches!(self, Self::Printed | Self::Untrained)
    }

    fn applied_to(self, options: AnddOptions) -> AnddOptions {
        let mut options = options;
        options.features.blocks = self == Self::Blocks;
        if self.is_of_the_paper() {
            options = options.as_printed();
        }
        if self == Self::Untrained {
            options.start = Start::Random;
            options.optimizer.max_iterations = 0;
        }
        options
    }
}

/// What is learned, and from how much.
#[derive(Clone, Debug)]
pub(super) struct Learner {
    pub(super) k: usize,
    pub(super) training: Training,
    pub(super) similarity: Similarity,
    pub(super) source: StatisticsSource,
    /// At most so many documents of the training half are labelled.
    pub(super) labelled: Option<usize>,
}

impl Default for Learner {
    fn default() -> Self {
        Self {
            k: 1,
            training: Training::Blocks,
            similarity: Similarity::Cosine,
            source: StatisticsSource::Collection,
            labelled: None,
        }
    }
}

pub(super) fn name(similarity: Similarity) -> &'static str {
    match similarity {
        Similarity::Cosine => "cosine",
        Similarity::ExtendedJaccard => "extended jaccard",
        Similarity::SquaredJaccard => "squared jaccard",
    }
}

/// The collection as the experiment sees it.
pub(super) struct Task<'a> {
    collection: &'a Collection,
    clusters: Vec<u32>,
    halvings: Vec<Halving>,
    test_clusters: Vec<Vec<u32>>,
    statistics: Arc<Statistics>,
    seed: u64,
}

impl<'a> Task<'a> {
    pub(super) fn new(
        collection: &'a Collection,
        halvings: usize,
        seed: u64,
    ) -> Result<Self, LabError> {
        let clusters = collection.clusters();
        let halvings = halve_clusters(&clusters, halvings, seed);
        let of_test = |halving: &Halving| halving.test.iter().map(|&d| clusters[d]).collect();
        let test_clusters = halvings.iter().map(of_test).collect();
        let statistics = Arc::new(collection.statistics(&AnalyzerConfig::default())?);
        Ok(Self { collection, clusters, halvings, test_clusters, statistics, seed })
    }

    pub(super) fn n_clusters(&self) -> usize {
        let mut names = self.clusters.clone();
        names.sort_unstable();
        names.dedup();
        names.len()
    }

    fn labelled(&self, halving: &Halving, limit: Option<usize>) -> Vec<LabelledDocument<'_>> {
        let mut chosen = halving.train.clone();
        if let Some(limit) = limit {
            SplitMix64::new(self.seed ^ 0x6c61).shuffle(&mut chosen);
            chosen.truncate(limit);
            chosen.sort_unstable();
        }
        let labelled = |&document: &usize| LabelledDocument {
            document: self.collection.documents[document].document(),
            cluster: self.clusters[document],
        };
        chosen.iter().map(labelled).collect()
    }

    /// One model a halving.
    pub(super) fn train(&self, learner: &Learner) -> Result<Vec<Arc<Model>>, LabError> {
        let usual = learner.training.applied_to(AnddOptions {
            features: FeatureChoice { k: learner.k, ..FeatureChoice::default() },
            similarity: learner.similarity,
            pairs: PairSampling { seed: self.seed, ..PairSampling::default() },
            kgram_frequency: if learner.k > 1 && learner.training.is_of_the_paper() {
                KgramFrequencies::count(learner.k, self.tokens()?.iter())
            } else {
                KgramFrequencies::default()
            },
            ..AnddOptions::default()
        });
        let train = |halving: &Halving| {
            let labelled = self.labelled(halving, learner.labelled);
            let statistics = Some(self.frequencies(learner.source, &labelled)?);
            let options = AnddOptions { statistics, ..usual.clone() };
            Ok(Arc::new(train::andd(&labelled, &options)?))
        };
        self.halvings.par_iter().map(train).collect()
    }

    pub(super) fn train_svm(
        &self,
        usual: &SvmOptions,
        source: StatisticsSource,
    ) -> Result<Vec<Arc<Model>>, LabError> {
        let train = |halving: &Halving| {
            let labelled = self.labelled(halving, None);
            let statistics = Some(self.frequencies(source, &labelled)?);
            let options = SvmOptions { statistics, ..usual.clone() };
            Ok(Arc::new(train::svm(&labelled, &options)?))
        };
        self.halvings.par_iter().map(train).collect()
    }

    fn frequencies(
        &self,
        source: StatisticsSource,
        labelled: &[LabelledDocument<'_>],
    ) -> Result<Arc<Statistics>, LabError> {
        match source {
            StatisticsSource::Collection => Ok(self.statistics.clone()),
            StatisticsSource::TrainingClusters => {
                Ok(Arc::new(train::count_clusters(&AnalyzerConfig::default(), labelled)?))
            }
        }
    }

    fn tokens(&self) -> Result<Vec<TokenizedDocument>, LabError> {
        let analyzer = Analyzer::new(&AnalyzerConfig::default())?;
        let documents = self.collection.documents.par_iter();
        Ok(documents.map(|document| analyzer.tokenize(&document.text)).collect())
    }

    /// Binary or tf-idf vectors of k-grams, cut to the active ones.
    pub(super) fn term_vectors(
        &self,
        k: usize,
        tf_idf: bool,
        active: Option<usize>,
        similarity: Similarity,
    ) -> Result<Vec<MaxF1>, LabError> {
        let tokens = self.tokens()?;
        let frequencies = KgramFrequencies::count(k, tokens.iter());
        let idf = |kgram: u64| {
            let frequency = frequencies.counts.get(&kgram).copied().unwrap_or(1);
            (frequencies.n_documents as f64 / f64::from(frequency)).ln()
        };
        let vector = |document: usize| -> Vec<WeightedFeature> {
            let all = tokens[document].tokens();
            let mut kgrams: Vec<u64> =
                all.windows(k.clamp(1, all.len().max(1))).map(kgram_hash).collect();
            kgrams.sort_unstable();
            let weight = |group: &[u64]| {
                if tf_idf { (group.len() as f64 * idf(group[0])) as f32 } else { 1.0 }
            };
            let groups = kgrams.chunk_by(|left, right| left == right);
            let entry =
                |group: &[u64]| WeightedFeature { feature: group[0], weight: weight(group) };
            let mut vector: Vec<_> = groups.map(entry).filter(|e| e.weight > 0.0).collect();
            keep_heaviest(&mut vector, active.unwrap_or(usize::MAX));
            vector.sort_unstable_by_key(|entry| entry.feature);
            vector
        };
        Ok(self.each_half(|_, test| test.par_iter().map(|&d| vector(d)).collect(), similarity))
    }

    /// The sets that a fixed method compares.
    pub(super) fn sets(
        &self,
        config: &DetectorConfig,
        similarity: Similarity,
    ) -> Result<Vec<MaxF1>, LabError> {
        let detector = self.collection.detector(config)?;
        let vectors = |_: usize, test: &[usize]| self.features(&detector, test);
        Ok(self.each_half(vectors, similarity))
    }

    /// The signatures of a fixed method, of the documents as `collection` has them; where they have
    /// none the two are unlike.
    pub(super) fn signatures(
        &self,
        collection: &Collection,
        config: &DetectorConfig,
    ) -> Result<Vec<MaxF1>, LabError> {
        let detector = collection.detector(config)?;
        let score = |(half, halving): (usize, &Halving)| {
            let documents = halving.test.iter().map(|&d| collection.documents[d].clone());
            let test = prepare(&detector, &documents.collect::<Vec<_>>());
            max_f1_of_all(&self.test_clusters[half], |left, right| {
                test.score(left, right).unwrap_or(0.0)
            })
        };
        Ok(self.halvings.iter().enumerate().filter_map(score).collect())
    }

    /// The labelled collection.
    pub(super) fn collection(&self) -> &'a Collection {
        self.collection
    }

    /// Its document frequencies.
    pub(super) fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// The learned vectors, cut to the active terms.
    pub(super) fn vectors(
        &self,
        models: &[Arc<Model>],
        active_terms: Option<usize>,
        similarity: Similarity,
    ) -> Result<Vec<MaxF1>, LabError> {
        let detectors = detectors(models, active_terms)?;
        let vectors = |half: usize, test: &[usize]| self.features(&detectors[half], test);
        Ok(self.each_half(vectors, similarity))
    }

    /// The learned vectors with their weights below 0, as the paper has them, cut to the active
    /// terms; a method counts weights below 0 as 0.
    pub(super) fn signed_vectors(
        &self,
        models: &[Arc<Model>],
        active_terms: Option<usize>,
        similarity: Similarity,
    ) -> Result<Vec<MaxF1>, LabError> {
        let mut scores = Vec::new();
        for (half, model) in models.iter().enumerate() {
            let mut vectors = self.signed(model, &self.halvings[half].test)?;
            if let Some(active_terms) = active_terms {
                for vector in &mut vectors {
                    keep_heaviest(vector, active_terms);
                    vector.sort_unstable_by_key(|entry| entry.feature);
                }
            }
            scores.extend(max_f1_of_all(&self.test_clusters[half], |left, right| {
                similarity.of(&vectors[left], &vectors[right])
            }));
        }
        Ok(scores)
    }

    fn signed(
        &self,
        model: &Model,
        documents: &[usize],
    ) -> Result<Vec<Vec<WeightedFeature>>, LabError> {
        let Learned::Andd(learned) = &model.learned else { return Ok(Vec::new()) };
        let analyzer = Analyzer::new(&model.analyzer)?;
        let context = KgramContext {
            k: learned.features.k,
            analyzer: &analyzer,
            statistics: &model.statistics,
            query_frequency: &learned.query_frequency,
            document_frequency: &learned.document_frequency,
            stop_words: &ProseWords::new(&analyzer),
        };
        let vector = |&document: &usize| {
            let document = self.collection.documents[document].document();
            let table = context.observe(&document, &analyzer.tokenize(document.text));
            let weigh = |(&feature, row)| {
                let share = |c: &ScaledColumn| {
                    c.weight * (f64::from(c.column.value(row)) - c.mean) / c.deviation
                };
                let weight = learned.columns.iter().map(share).sum::<f64>() as f32;
                WeightedFeature { feature, weight }
            };
            table.kgrams.iter().zip(&table.rows).map(weigh).collect()
        };
        Ok(documents.par_iter().map(vector).collect())
    }

    /// Signatures of random hyperplanes: Gaussian ones of signed vectors, both the paper's, or ours.
    pub(super) fn hyperplanes(
        &self,
        models: &[Arc<Model>],
        entries: PlaneEntries,
        bits: usize,
    ) -> Result<Vec<MaxF1>, LabError> {
        let detectors = detectors(models, None)?;
        let planes = Hyperplanes::new(bits, self.seed).with_entries(entries);
        let score = |(half, detector): (usize, &Detector)| {
            let test = &self.halvings[half].test;
            let vectors = match entries {
                PlaneEntries::Gaussian => self.signed(&models[half], test).ok()?,
                PlaneEntries::Signs => self.features(detector, test),
            };
            let signatures: Vec<Vec<u64>> = vectors.par_iter().map(|v| planes.bits(v)).collect();
            let is_signed: Vec<bool> = vectors.iter().map(|v| weighs_something(v)).collect();
            max_f1_of_all(&self.test_clusters[half], |left, right| {
                if is_signed[left] && is_signed[right] {
                    estimated_cosine(&signatures[left], &signatures[right])
                } else {
                    0.0
                }
            })
        };
        Ok(detectors.iter().enumerate().filter_map(score).collect())
    }

    /// Signatures of weighted minima.
    pub(super) fn minima(
        &self,
        models: &[Arc<Model>],
        config: &AnddJaccardConfig,
    ) -> Result<Vec<MaxF1>, LabError> {
        let detectors = detectors(models, None)?;
        let score = |(half, detector): (usize, &Detector)| {
            let Learned::Andd(weights) = &models[half].learned else { return None };
            let config = AnddJaccardConfig { seed: self.seed, ..config.clone() };
            let minima = config.stored_minima(weights);
            let vectors = self.features(detector, &self.halvings[half].test);
            let signatures: Vec<Vec<u64>> = vectors.par_iter().map(|v| minima.pack(v)).collect();
            let is_signed: Vec<bool> = vectors.iter().map(|v| weighs_something(v)).collect();
            max_f1_of_all(&self.test_clusters[half], |left, right| {
                if is_signed[left] && is_signed[right] {
                    minima.agreeing(&signatures[left], &signatures[right]) as f64
                } else {
                    0.0
                }
            })
        };
        Ok(detectors.iter().enumerate().filter_map(score).collect())
    }

    /// Decision values of support vector machines.
    pub(super) fn svm(&self, models: &[Arc<Model>]) -> Result<Vec<MaxF1>, LabError> {
        let mut scores = Vec::new();
        for (half, model) in models.iter().enumerate() {
            let Learned::Svm(svm) = &model.learned else { continue };
            let config = DetectorConfig::Svm(lookalike_detect::detectors::SvmConfig::default());
            let detector = config.build(&artifacts(model))?;
            let features = self.exact_features(&detector, &self.halvings[half].test);
            let measure = svm.views.measure();
            let top_terms = |features: &Features| match features.views() {
                [first, ..] => first.as_weighted().to_vec(),
                [] => Vec::new(),
            };
            let vectors = features.iter().map(top_terms).collect();
            let test = TestHalf { vectors, clusters: &self.test_clusters[half] };
            let all = AllPairs::new(&test.vectors);
            scores.extend(test.max_f1_by(&all, |left, right, _| {
                svm.machine.decision(&measure.measure(&features[left], &features[right]).measures)
            }));
        }
        Ok(scores)
    }

    fn features(&self, detector: &Detector, documents: &[usize]) -> Vec<Vec<WeightedFeature>> {
        self.exact_features(detector, documents).into_iter().map(as_vector).collect()
    }

    fn exact_features(&self, detector: &Detector, documents: &[usize]) -> Vec<Features> {
        documents
            .par_iter()
            .map_init(Scratch::default, |scratch, &document| {
                detector.features(&self.collection.documents[document].document(), scratch)
            })
            .collect()
    }

    fn each_half(
        &self,
        vectors: impl Fn(usize, &[usize]) -> Vec<Vec<WeightedFeature>>,
        similarity: Similarity,
    ) -> Vec<MaxF1> {
        let score = |(half, halving): (usize, &Halving)| {
            let vectors = vectors(half, &halving.test);
            TestHalf { vectors, clusters: &self.test_clusters[half] }.max_f1(similarity)
        };
        self.halvings.iter().enumerate().filter_map(score).collect()
    }
}

/// The detector of each model, with vectors cut to the active terms.
fn detectors(
    models: &[Arc<Model>],
    active_terms: Option<usize>,
) -> Result<Vec<Detector>, LabError> {
    let config = AnddConfig { active_terms, threshold: Some(0.5), ..AnddConfig::default() };
    models.iter().map(|model| Ok(config.build(&artifacts(model))?)).collect()
}

fn artifacts(model: &Arc<Model>) -> Artifacts {
    Artifacts { model: Some(model.clone()), ..Artifacts::default() }
}
