//! Models: trained twice the same, survive their file, and are refused where they do not fit.

use std::sync::Arc;

use lookalike_detect::decide::{Kernel, SupportVectors};
use lookalike_detect::detectors::{AnddConfig, AnddCosineConfig, AnddJaccardConfig, SvmConfig};
use lookalike_detect::measure::Similarity;
use lookalike_detect::model::Learned;
use lookalike_detect::represent::PairViews;
use lookalike_detect::represent::learned::KgramFrequencies;
use lookalike_detect::sign::MinimaOf;
use lookalike_detect::train::{
    self, AnddOptions, KernelChoice, LabelledDocument, SvmOptions, TrainError, TrainingPairs,
};
use lookalike_detect::{Artifacts, Features, Frequencies, Model, ModelError, Recipe, Scratch};
use lookalike_statistics::StatisticsBuilder;
use lookalike_testkit::labelled_stories;
use lookalike_text::{Analyzer, AnalyzerConfig, Document};

fn andd(similarity: Similarity) -> Model {
    let options = AnddOptions { similarity, ..AnddOptions::default() };
    train::andd(&labelled_stories(), &options).unwrap()
}

fn with_model(model: Model) -> Artifacts {
    Artifacts { model: Some(Arc::new(model)), ..Artifacts::default() }
}

fn refusal(built: Result<lookalike_detect::Detector, lookalike_detect::DetectError>) -> String {
    match built {
        Ok(_) => panic!("was accepted"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn training_twice_gives_the_same_bytes() {
    let stories = labelled_stories();
    assert_eq!(andd(Similarity::Cosine).to_bytes(), andd(Similarity::Cosine).to_bytes());
    let svm = || train::svm(&stories, &SvmOptions::default()).unwrap().to_bytes();
    assert_eq!(svm(), svm());
}

#[test]
fn models_survive_their_file() {
    let svm = train::svm(&labelled_stories(), &SvmOptions::default()).unwrap();
    for model in [andd(Similarity::Cosine), andd(Similarity::ExtendedJaccard), svm] {
        let read = Model::from_bytes(&model.to_bytes()).unwrap();
        assert_eq!(read.to_bytes(), model.to_bytes());
        assert_eq!((&read.learned, &read.report), (&model.learned, &model.report));
        assert_eq!(read.fingerprint(), model.fingerprint());
    }
}

#[test]
fn cut_and_changed_models_are_refused() {
    let bytes = andd(Similarity::Cosine).to_bytes();
    for length in (0..bytes.len()).step_by(7) {
        assert!(Model::from_bytes(&bytes[..length]).is_err(), "cut at {length}");
    }
    for position in (0..bytes.len()).step_by(5) {
        let mut changed = bytes.clone();
        changed[position] ^= 0x10;
        let accepted = Model::from_bytes(&changed).is_ok();
        // Bytes 12 to 15 are reserved, but the checksum covers them too.
        assert!(!accepted, "changed at {position}");
    }
    let mut newer = bytes;
    newer[8] = 9;
    let error = Model::from_bytes(&newer).unwrap_err();
    assert!(matches!(error, ModelError::Version { found: 9, .. }));
    assert!(error.to_string().contains("train it again"));
}

#[test]
fn a_method_without_its_model_says_how_to_get_one() {
    let nothing = Artifacts::default();
    assert!(refusal(AnddConfig::default().build(&nothing)).contains("lookalike train"));
    let svm = with_model(train::svm(&labelled_stories(), &SvmOptions::default()).unwrap());
    assert!(refusal(AnddConfig::default().build(&svm)).contains("lookalike train andd"));
    let andd = with_model(andd(Similarity::Cosine));
    assert!(refusal(SvmConfig::default().build(&andd)).contains("lookalike train svm"));
    assert!(refusal(AnddJaccardConfig::default().build(&andd)).contains("extended-jaccard"));
}

#[test]
fn a_model_with_a_foreign_analyzer_or_foreign_statistics_is_refused() {
    let mut artifacts = with_model(andd(Similarity::Cosine));
    let other = AnddConfig { analyzer: AnalyzerConfig::paper_2008(), ..AnddConfig::default() };
    let message = refusal(other.build(&artifacts));
    assert!(message.contains("analyzer") && message.contains("train it again"), "{message}");
    let counted = |analyzer: AnalyzerConfig| {
        let mut builder = StatisticsBuilder::new(analyzer);
        builder.add_hashes([1, 2, 3]);
        Some(Arc::new(builder.finish()))
    };
    artifacts.statistics = counted(AnalyzerConfig::paper_2008());
    let message = refusal(AnddConfig::default().build(&artifacts));
    assert!(message.contains("another analyzer"), "{message}");
    let empty = StatisticsBuilder::new(AnalyzerConfig::default()).finish();
    artifacts.statistics = Some(Arc::new(empty));
    let message = refusal(AnddConfig::default().build(&artifacts));
    assert!(message.contains("no document"), "{message}");
    artifacts.statistics = counted(AnalyzerConfig::default());
    assert!(AnddConfig::default().build(&artifacts).is_ok());
}

#[test]
fn a_model_made_for_its_own_frequencies_is_asked_with_no_others() {
    let options = AnddOptions { frequencies: Frequencies::Model, ..AnddOptions::default() };
    let mut artifacts = with_model(train::andd(&labelled_stories(), &options).unwrap());
    let mut builder = StatisticsBuilder::new(AnalyzerConfig::default());
    builder.add_hashes([1, 2, 3]);
    artifacts.statistics = Some(Arc::new(builder.finish()));
    let message = refusal(AnddConfig::default().build(&artifacts));
    assert!(message.contains("`stats`"), "{message}");
    artifacts.statistics = artifacts.model.as_ref().map(|model| model.statistics.clone());
    assert!(AnddConfig::default().build(&artifacts).is_ok());
}

#[test]
fn weights_follow_the_frequencies_of_the_collection_that_is_asked() {
    // Half of the stories' words stand in all documents of another collection: what is common there
    // says less there.
    let mut artifacts = with_model(andd(Similarity::Cosine));
    let story = labelled_stories()[0].document;
    let analyzer = Analyzer::new(&AnalyzerConfig::default()).unwrap();
    let tokens = analyzer.tokenize(story.text);
    let weights = |artifacts: &Artifacts| {
        let detector = AnddConfig::default().build(artifacts).unwrap();
        match detector.features(&story, &mut Scratch::default()) {
            Features::Weighted(weights) => weights,
            other => panic!("{other:?}"),
        }
    };
    let own = weights(&artifacts);
    let mut builder = StatisticsBuilder::new(AnalyzerConfig::default());
    for _ in 0..50 {
        builder.add_hashes(tokens.tokens().iter().step_by(2).map(|token| token.hash));
    }
    artifacts.statistics = Some(Arc::new(builder.finish()));
    assert_ne!(weights(&artifacts), own);
}

#[test]
fn documents_that_teach_nothing_are_refused() {
    let stories = labelled_stories();
    let options = AnddOptions::default();
    let unlike: Vec<LabelledDocument<'_>> = stories[..5].to_vec();
    assert!(matches!(train::andd(&unlike, &options), Err(TrainError::NoPositives(5))));
    let alike: Vec<_> =
        stories.iter().map(|story| LabelledDocument { cluster: 0, ..*story }).collect();
    assert!(matches!(train::andd(&alike, &options), Err(TrainError::NoNegatives(7))));
    assert!(matches!(train::andd(&[], &options), Err(TrainError::NoPositives(0))));
}

#[test]
fn judged_pairs_teach_as_clusters_do() {
    let documents: Vec<Document<'_>> = labelled_stories().iter().map(|s| s.document).collect();
    let pairs = TrainingPairs {
        positive: vec![(0, 5), (1, 6)],
        negative: vec![(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)],
    };
    let andd = train::andd_from_pairs(&documents, &pairs, &AnddOptions::default()).unwrap();
    assert_eq!((andd.report.precision, andd.report.recall), (1.0, 1.0));
    for kernel in [KernelChoice::Linear, KernelChoice::Rbf] {
        let options = SvmOptions { kernel, ..SvmOptions::default() };
        let svm = train::svm_from_pairs(&documents, &pairs, &options).unwrap();
        assert_eq!((svm.report.precision, svm.report.recall), (1.0, 1.0), "{kernel:?}");
    }
}

#[test]
fn equal_top_terms_are_judged_by_the_discriminant() {
    // Two documents whose top terms are the same two words, as often, among words that differ.
    let text = |other: &str| {
        let part = |n: usize| format!("zebra {other}{n} quokka {other}{}", n + 100);
        (0..20).map(part).collect::<Vec<_>>().join(" ")
    };
    let (left, right) = (text("left"), text("right"));
    let views = PairViews { terms: 2, shingles: vec![3], ..PairViews::default() };
    let options = SvmOptions { views, ..SvmOptions::default() };
    let mut model = train::svm(&labelled_stories(), &options).unwrap();
    let Learned::Svm(svm) = &mut model.learned else { panic!() };
    // Shingles alone decide, by a line at a half.
    let n_measures = svm.views.n_similarities();
    let mut shingles = vec![0.0; n_measures];
    shingles[n_measures - 1] = 1.0;
    svm.machine = SupportVectors {
        kernel: Kernel::Linear,
        scaling: vec![(0.0, 1.0); n_measures],
        vectors: vec![shingles],
        coefficients: vec![1.0],
        bias: -0.5,
        probability: (-4.0, 0.0),
    };
    let detector = SvmConfig::default().build(&with_model(model)).unwrap();
    let prepare =
        |text: &str| detector.prepare(&Document::from_text(text), &mut Scratch::default()).unwrap();
    let verdict = detector.judge(&prepare(&left), &prepare(&right));
    assert!(!verdict.duplicate && verdict.score < 0.5, "{verdict:?}");
    // The same words in the same order, and one more.
    let verdict = detector.judge(&prepare(&left), &prepare(&format!("{left} besides")));
    assert!(verdict.duplicate && verdict.score < 1.0, "{verdict:?}");
}

#[test]
fn pruning_keeps_the_highest_weights() {
    let artifacts = with_model(andd(Similarity::Cosine));
    let features = |active_terms| {
        let config = AnddCosineConfig { active_terms, ..AnddCosineConfig::default() };
        let detector = config.build(&artifacts).unwrap();
        let story = labelled_stories()[0].document;
        match detector.features(&story, &mut Scratch::default()) {
            Features::Weighted(entries) => entries,
            other => panic!("{other:?}"),
        }
    };
    let (all, few) = (features(usize::MAX), features(10));
    assert_eq!(few.len(), 10);
    let least = few.iter().map(|entry| entry.weight).fold(f32::MAX, f32::min);
    let dropped = all.iter().filter(|entry| !few.contains(entry));
    assert!(dropped.clone().count() > 20 && dropped.clone().all(|entry| entry.weight <= least));
}

/// The 2010 paper's training: no difference of cosines is above 2, so that its loss without sharpness cannot
/// fall below ln(1 + exp(-2)); its start is random and its negatives are.
#[test]
fn training_as_printed_is_selectable_and_learns() {
    let options = AnddOptions::default().as_printed();
    assert_eq!((options.sharpness, options.pairs.hard_share), (1.0, 0.0));
    let least = (1.0 + (-2f64).exp()).ln();
    let printed = train::andd(&labelled_stories(), &options).unwrap();
    assert!(printed.report.loss_after < printed.report.loss_before - 1e-3, "{:?}", printed.report);
    assert!(printed.report.loss_after > least, "{:?}", printed.report);
    assert!(andd(Similarity::Cosine).report.loss_after < least);
    let Learned::Andd(weights) = &printed.learned else { panic!() };
    assert!(weights.typical_weight > 0.0 && !weights.features.blocks);
    // Another seed is another start, and so another end.
    let mut other = options.clone();
    other.pairs.seed = 2;
    assert_ne!(train::andd(&labelled_stories(), &other).unwrap().learned, printed.learned);
    assert!(AnddConfig::default().build(&with_model(printed)).is_ok());
}

#[test]
fn minima_of_weights_decide_by_a_threshold_of_their_own() {
    let model = andd(Similarity::ExtendedJaccard);
    let config = AnddJaccardConfig {
        minima: MinimaOf::Weights,
        value_bits: 20,
        confirm: false,
        ..AnddJaccardConfig::default()
    };
    let detector = config.build(&with_model(model.clone())).unwrap();
    let prepare = |place: usize| {
        detector.prepare(&labelled_stories()[place].document, &mut Scratch::default()).unwrap()
    };
    assert!(detector.judge(&prepare(0), &prepare(0)).duplicate);
    let mut old = model;
    let Learned::Andd(weights) = &mut old.learned else { panic!() };
    assert!(weights.weighted_jaccard_threshold > weights.squared_jaccard_threshold);
    // A model of before has none: a threshold must then be given.
    weights.weighted_jaccard_threshold = 0.0;
    let read = Model::from_bytes(&old.to_bytes()).unwrap();
    assert!(refusal(config.build(&with_model(read.clone()))).contains("threshold"));
    let given = AnddJaccardConfig { threshold: Some(0.5), ..config };
    assert!(given.build(&with_model(read)).is_ok());
}

#[test]
fn a_model_brings_the_document_frequencies_of_its_kgrams() {
    let analyzer = Analyzer::new(&AnalyzerConfig::default()).unwrap();
    let stories = labelled_stories();
    let tokens: Vec<_> = stories.iter().map(|s| analyzer.tokenize(s.document.text)).collect();
    let mut options = AnddOptions::default();
    options.features.k = 3;
    let of_terms = train::andd(&stories, &options).unwrap();
    options.kgram_frequency = KgramFrequencies::count(3, tokens.iter());
    let of_kgrams = train::andd(&stories, &options).unwrap();
    assert_ne!(of_terms.learned, of_kgrams.learned);
    let read = Model::from_bytes(&of_kgrams.to_bytes()).unwrap();
    assert_eq!(read.learned, of_kgrams.learned);
    let Learned::Andd(weights) = &read.learned else { panic!() };
    assert_eq!(weights.document_frequency, options.kgram_frequency);
}
