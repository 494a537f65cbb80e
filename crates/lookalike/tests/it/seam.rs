//! Whoever asks gets the same answer: a batch over a file, and documents prepared, stored, read back
//! and judged one by one.

use std::collections::BTreeMap;
use std::path::Path;

use lookalike::{
    Config, Context, Document, Interrupt, Method, PairsWritten, Prepared, PreparedCollection,
    PreparedError, Scratch, Silent, Verify,
};
use lookalike_detect::DetectorConfig;
use lookalike_detect::random::SplitMix64;
use lookalike_testkit::languages::LIGHTHOUSE;
use lookalike_testkit::{artifacts_for, corpus};

/// Pairs by the numbers of their documents, with the bits of their scores.
type Pairs = BTreeMap<(usize, usize), u64>;

/// The stories, whole and in parts, as they are, copied, and edited more and more.
fn texts() -> Vec<String> {
    let mut generator = SplitMix64::new(7);
    let mut texts = vec![String::new(), "two words".into(), "two words".into()];
    let words: Vec<&str> = corpus::STORIES.iter().flat_map(|story| story.split(' ')).collect();
    for story in corpus::STORIES {
        texts.extend([(*story).to_owned(), (*story).to_owned(), format!("{story}\n")]);
        for edits in [1, 2, 4, 8, 16, 32] {
            let mut edited: Vec<&str> = story.split(' ').collect();
            for _ in 0..edits {
                let place = generator.next_u64() as usize % edited.len();
                edited[place] = words[generator.next_u64() as usize % words.len()];
            }
            texts.push(edited.join(" "));
        }
        let (first, second) = story.split_once("\n\n").unwrap();
        texts.extend([first.to_owned(), format!("{second}\n\n{first}")]);
    }
    for (_, [first, second, third]) in LIGHTHOUSE {
        texts.extend([format!("{first}\n\n{second}"), format!("{first}\n\n{second}\n\n{third}")]);
    }
    texts
}

fn configurations(folder: &Path) -> Vec<Config> {
    let named = |(name, _): &(&str, &str)| {
        let mut config = Config::for_method(name).unwrap();
        config.run.pairs = PairsWritten::All;
        config.run.max_comparisons = usize::MAX;
        if config.detector.needs_model() {
            let path = folder.join(format!("{name}.model"));
            let model = artifacts_for(&config.detector).model.unwrap();
            std::fs::write(&path, model.to_bytes()).unwrap();
            config.run.model = Some(path);
        }
        config
    };
    let mut configs: Vec<Config> = DetectorConfig::METHODS.iter().map(named).collect();
    for method in ["exact", "simhash", "minhash", "svm"] {
        let mut config = configs.iter().find(|c| c.detector.name() == method).unwrap().clone();
        config.run.verify = Verify::Jaccard(0.9);
        configs.push(config);
    }
    configs
}

#[test]
fn judging_prepared_documents_gives_the_pairs_of_a_batch_for_every_method() {
    let folder = tempfile::tempdir().unwrap();
    let texts = texts();
    let row = |(number, text): (usize, &String)| {
        serde_json::json!({"id": number.to_string(), "text": text}).to_string()
    };
    let rows = texts.iter().enumerate().map(row).collect::<Vec<_>>().join("\n");
    let input = folder.path().join("rows.jsonl");
    std::fs::write(&input, rows).unwrap();
    let interrupt = Interrupt::new();
    let context = Context { progress: &Silent, interrupt: &interrupt, temp_dir: folder.path() };
    let mut n_pairs = BTreeMap::new();
    for config in configurations(folder.path()) {
        let name = format!("{} {}", config.detector.name(), config.run.verify);
        let inputs = [input.to_str().unwrap().to_owned()];
        let corpus = lookalike::open_corpus(&inputs, &config, folder.path()).unwrap();
        let findings = lookalike::find(&corpus, &config, &context).unwrap();
        let mut batch = Pairs::new();
        for pair in findings.pairs().map(Result::unwrap) {
            let [left, right] = [pair.a.id, pair.b.id].map(|id| id.parse::<usize>().unwrap());
            batch.insert((left.min(right), left.max(right)), pair.score.to_bits());
        }
        let artifacts = lookalike::artifacts(&corpus, &config, &context).unwrap();
        let method = Method::new(&config, artifacts).unwrap();
        // A batch folds equal texts before the method may call them too short.
        let is_short = |at: &usize| method.prepare(&Document::from_text(&texts[*at])).is_err();
        batch.retain(|(left, _), _| !is_short(left));
        assert_eq!(one_by_one(&method, &texts), batch, "{name}");
        let joined = PreparedCollection::prepare(method.detector(), &texts, |text| {
            Document::from_text(text)
        });
        let joined = joined.bucketed().scored_pairs().into_iter();
        let joined: Pairs =
            joined.map(|(left, right, score)| ((left, right), score.to_bits())).collect();
        assert_eq!(joined, batch, "{name}, joined in memory");
        n_pairs.insert(name, batch.len());
    }
    // A method that finds nothing here would pass whatever it did: copies alone are 14 pairs.
    assert!(n_pairs.values().all(|&pairs| pairs >= 14), "{n_pairs:?}");
    let beyond_copies = n_pairs.values().filter(|&&pairs| pairs > 30).count();
    assert!(beyond_copies >= 15, "{n_pairs:?}");
}

/// Every pair of documents, each of them stored as bytes and read back.
fn one_by_one(method: &Method, texts: &[String]) -> Pairs {
    let mut scratch = Scratch::default();
    let mut prepare = |text: &String| {
        let prepared = method.prepare_with(&Document::from_text(text), &mut scratch).ok()?;
        assert_eq!(prepared, method.prepare(&Document::from_text(text)).unwrap());
        Some(method.read_prepared(&prepared.to_bytes()).unwrap())
    };
    let prepared: Vec<Option<Prepared>> = texts.iter().map(&mut prepare).collect();
    let mut pairs = Pairs::new();
    for (right, second) in prepared.iter().enumerate() {
        for (left, first) in prepared[..right].iter().enumerate() {
            let (Some(first), Some(second)) = (first, second) else { continue };
            let verdict = method.judge(first, second).unwrap();
            assert_eq!(verdict, method.judge(second, first).unwrap());
            if verdict.duplicate {
                assert_eq!(verdict.score.to_bits(), method.score(first, second).unwrap().to_bits());
                pairs.insert((left, right), verdict.score.to_bits());
            }
        }
    }
    pairs
}

#[test]
fn bytes_of_another_method_are_refused_and_its_documents_never_match() {
    let method = |threshold: f64| {
        let mut config = Config::for_method("minhash").unwrap();
        config.detector.set_threshold(threshold);
        Method::new(&config, lookalike::Artifacts::default()).unwrap()
    };
    let (first, second) = (method(0.7), method(0.8));
    assert_ne!(first.fingerprint(), second.fingerprint());
    assert_eq!(first.fingerprint(), method(0.7).fingerprint());
    let prepared = first.prepare(&Document::from_text(corpus::STORIES[0])).unwrap();
    let refused = second.read_prepared(&prepared.to_bytes()).unwrap_err();
    assert!(matches!(refused, PreparedError::Method { .. }), "{refused}");
    assert!(first.judge(&prepared, &prepared).unwrap().duplicate);
    let foreign =
        Err(PreparedError::Method { found: first.fingerprint(), expected: second.fingerprint() });
    assert_eq!(second.judge(&prepared, &prepared), foreign);
    assert_eq!(
        second.score(&prepared, &prepared).map(f64::to_bits),
        foreign.map(|v| v.score.to_bits())
    );
}

#[test]
fn a_method_is_told_apart_by_whatever_decides_its_verdicts() {
    let mut config = Config::for_method("imatch").unwrap();
    let artifacts = artifacts_for(&config.detector);
    let fingerprint = |config: &Config, artifacts: &lookalike::Artifacts| {
        Method::new(config, artifacts.clone()).unwrap().fingerprint()
    };
    let before = fingerprint(&config, &artifacts);
    let mut hiding = artifacts.clone();
    hiding.boilerplate = Some(std::sync::Arc::new([1, 2].into_iter().collect()));
    assert_ne!(fingerprint(&config, &hiding), before);
    config.run.threads = 7;
    assert_eq!(fingerprint(&config, &artifacts), before);
    config.run.verify = Verify::Cosine(0.5);
    assert_ne!(fingerprint(&config, &artifacts), before);
}
