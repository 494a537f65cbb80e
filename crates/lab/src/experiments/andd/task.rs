//! A labelled collection with its halvings, and what can be trained and scored on them.

use std::sync::Arc;

use lookalike_detect::detectors::{AnddConfig, AnddJaccardConfig, DetectorConfig};
use lookalike_detect::measure::{AllPairs, Similarity};
use lookalike_detect::model::Learned;
use lookalike_detect::random::SplitMix64;
use lookalike_detect::represent::PairViews;
use lookalike_detect::represent::learned::FeatureChoice;
use lookalike_detect::sign::{
    Hyperplanes, WeightedMinwise, WeightedScheme, estimated_cosine, squared,
};
use lookalike_detect::train::{self, AnddOptions, LabelledDocument, PairSampling, SvmOptions};
use lookalike_detect::{
    Artifacts, Detector, Features, Measure, Model, Recipe, Scratch, WeightedFeature,
};
use lookalike_statistics::Statistics;
use lookalike_text::AnalyzerConfig;
use rayon::prelude::*;

use super::scoring::{TestHalf, as_vector, max_f1_of_all};
use crate::evaluate::{Halving, MaxF1, halve_clusters};
use crate::join::prepare;
use crate::{Collection, LabError};

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

/// What is learned, and from how much.
#[derive(Clone, Debug)]
pub(super) struct Learner {
    pub(super) k: usize,
    pub(super) blocks: bool,
    pub(super) similarity: Similarity,
    pub(super) source: StatisticsSource,
    /// At most so many documents of the training half are labelled.
    pub(super) labelled: Option<usize>,
}

impl Default for Learner {
    fn default() -> Self {
        Self {
            k: 1,
            blocks: true,
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
        let usual = AnddOptions {
            features: FeatureChoice { k: learner.k, blocks: learner.blocks, queries: false },
            similarity: learner.similarity,
            pairs: PairSampling { seed: self.seed, ..PairSampling::default() },
            ..AnddOptions::default()
        };
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
        views: &PairViews,
        source: StatisticsSource,
    ) -> Result<Vec<Arc<Model>>, LabError> {
        let train = |halving: &Halving| {
            let labelled = self.labelled(halving, None);
            let statistics = Some(self.frequencies(source, &labelled)?);
            let options = SvmOptions { views: views.clone(), statistics, ..SvmOptions::default() };
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

    /// Binary or tf-idf vectors of terms.
    pub(super) fn term_vectors(
        &self,
        tf_idf: bool,
        similarity: Similarity,
    ) -> Result<Vec<MaxF1>, LabError> {
        let analyzer = lookalike_text::Analyzer::new(&AnalyzerConfig::default())?;
        let vector = |document: usize| -> Vec<WeightedFeature> {
            let tokens = analyzer.tokenize(&self.collection.documents[document].text);
            let mut terms: Vec<u64> = tokens.tokens().iter().map(|token| token.hash).collect();
            terms.sort_unstable();
            let weight = |group: &[u64]| {
                let tf_idf_weight = group.len() as f64 * self.statistics.idf(group[0]);
                if tf_idf { tf_idf_weight as f32 } else { 1.0 }
            };
            let groups = terms.chunk_by(|left, right| left == right);
            let entry =
                |group: &[u64]| WeightedFeature { feature: group[0], weight: weight(group) };
            groups.map(entry).filter(|entry| entry.weight > 0.0).collect()
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

    /// Signatures of random hyperplanes.
    pub(super) fn hyperplanes(
        &self,
        models: &[Arc<Model>],
        bits: usize,
    ) -> Result<Vec<MaxF1>, LabError> {
        let detectors = detectors(models, None)?;
        let planes = Hyperplanes::new(bits, self.seed);
        let score = |(half, detector): (usize, &Detector)| {
            let vectors = self.features(detector, &self.halvings[half].test);
            let signatures: Vec<Vec<u64>> = vectors.par_iter().map(|v| planes.bits(v)).collect();
            max_f1_of_all(&self.test_clusters[half], |left, right| {
                estimated_cosine(&signatures[left], &signatures[right])
            })
        };
        Ok(detectors.iter().enumerate().filter_map(score).collect())
    }

    /// Signatures of weighted minima.
    pub(super) fn minima(
        &self,
        models: &[Arc<Model>],
        scheme: WeightedScheme,
        samples: usize,
    ) -> Result<Vec<MaxF1>, LabError> {
        let detectors = detectors(models, None)?;
        let score = |(half, detector): (usize, &Detector)| {
            let typical = match &models[half].learned {
                Learned::Andd(weights) => weights.typical_square,
                _ => 1.0,
            };
            let levels = (AnddJaccardConfig::LEVELS / typical) as f32;
            let minwise = WeightedMinwise::new(scheme, samples, levels, self.seed);
            let vectors = self.features(detector, &self.halvings[half].test);
            let signatures: Vec<Vec<u64>> =
                vectors.par_iter().map(|v| minwise.samples(&squared(v))).collect();
            max_f1_of_all(&self.test_clusters[half], |left, right| {
                let (left, right) = (&signatures[left], &signatures[right]);
                left.iter().zip(right).filter(|(l, r)| l == r).count() as f64
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
