//! Every method, every way of running it: the same pairs and the same scores.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use lookalike::{
    ByteSize, Config, Corpus, KeepCandidate, KeptTerms, Method, OwnedDocument, PairsWritten,
    PreparedDocument, Profile, artifacts, count_statistics, find_prepared, input_options,
    open_corpus,
};
use lookalike_detect::DetectorConfig;
use lookalike_detect::train::LabelledDocument;
use lookalike_testkit::artifacts_from;
use serde_json::json;

use crate::collection::{Scored, config, families, find, pairs, with_context};

/// Blocks of a few documents, so that there are many.
const BLOCK_BYTES: usize = 8 << 10;

/// A configuration whose artefacts are files, so that nothing depends on what a run reads first.
fn configuration(method: &str, documents: &[OwnedDocument], folder: &Path) -> Config {
    let mut config =
        config(&format!("method = \"{method}\"\nkeep = \"longest then id\"\npairs = \"all\""));
    if config.detector.needs_statistics() || config.detector.needs_model() {
        let corpus = Corpus::from_documents(documents.to_vec());
        let analyzer = config.detector.analyzer();
        let statistics = with_context(folder, |context| {
            count_statistics(&corpus, analyzer, KeptTerms::Hashes, context)
        });
        let path = folder.join("counted.stats");
        std::fs::write(&path, statistics.to_bytes()).unwrap();
        config.run.stats = Some(path);
    }
    if config.detector.needs_model() {
        let labelled: Vec<LabelledDocument<'_>> = documents[..60]
            .iter()
            .enumerate()
            .map(|(n, owned)| LabelledDocument {
                document: owned.document(),
                cluster: n as u32 / 4,
            })
            .collect();
        let model = artifacts_from(&config.detector, &labelled).model.unwrap();
        let path = folder.join("trained.model");
        std::fs::write(&path, model.to_bytes()).unwrap();
        config.run.model = Some(path);
    }
    config
}

fn file_corpus(documents: &[OwnedDocument], config: &Config, folder: &Path) -> Corpus {
    let path = folder.join("rows.jsonl");
    let mut file = File::create(&path).unwrap();
    for document in documents {
        writeln!(file, "{}", json!({ "id": document.id, "text": document.text })).unwrap();
    }
    open_corpus(&[path.display().to_string()], config, folder).unwrap()
}

fn batch_corpus(documents: &[OwnedDocument], config: &Config) -> Corpus {
    let column = |value: fn(&OwnedDocument) -> &str| -> ArrayRef {
        Arc::new(StringArray::from_iter_values(documents.iter().map(value)))
    };
    let batch = RecordBatch::try_from_iter([
        ("id", column(|document| &document.id)),
        ("text", column(|document| &document.text)),
    ]);
    Corpus::from_batches([batch.unwrap()], input_options(config)).unwrap()
}

/// Each document prepared by itself, stored as bytes and read back.
fn prepared(
    documents: &[OwnedDocument],
    method: &Method,
    config: &Config,
) -> Vec<PreparedDocument> {
    let prepare = |owned: &OwnedDocument| PreparedDocument {
        id: owned.id.clone(),
        keep: config.effective_keep().value(&KeepCandidate::of_text(&owned.text)),
        identity: lookalike_detect::identity(&owned.document(), method.detector().reads_metadata()),
        content: method
            .prepare(&owned.document())
            .map(|prepared| method.read_prepared(&prepared.to_bytes()).unwrap()),
    };
    documents.iter().map(prepare).collect()
}

/// Pairs between the documents of two halves.
fn across(pairs: &Scored, is_new: impl Fn(&str) -> bool) -> Scored {
    pairs.iter().filter(|(a, b, _)| is_new(a) != is_new(b)).cloned().collect()
}

#[test]
fn every_method_gives_one_answer_however_it_is_run() {
    let documents = families(60);
    let mut shuffled = documents.clone();
    shuffled.rotate_left(71);
    shuffled.reverse();
    for (method, _) in DetectorConfig::METHODS {
        let folder = tempfile::tempdir().unwrap();
        let config = configuration(method, &documents, folder.path());
        assert_eq!(config.run.pairs, PairsWritten::All);
        let with = |threads: usize, memory: u64| {
            let mut changed = config.clone();
            changed.run.threads = threads;
            changed.run.memory = ByteSize(memory);
            changed
        };
        let memory = Corpus::from_documents(documents.clone()).with_block_bytes(BLOCK_BYTES);
        let expected = pairs(&find(&memory, &with(1, 1 << 30)));
        assert!(expected.len() >= 60, "{method} finds copies at least: {}", expected.len());
        let same = |corpus: &Corpus, threads, memory, way: &str| {
            let found = pairs(&find(corpus, &with(threads, memory)));
            assert_eq!(found, expected, "{method}: {way}");
        };
        same(&memory, 2, 1 << 30, "two threads");
        same(&memory, 8, 1 << 30, "eight threads");
        same(&memory, 1, 4 << 10, "hardly any memory");
        same(&memory, 2, 4 << 10, "hardly any memory, two threads");
        let file = file_corpus(&documents, &config, folder.path());
        same(&file.with_block_bytes(BLOCK_BYTES), 2, 1 << 30, "a file");
        let batches = batch_corpus(&documents, &config);
        same(&batches.with_block_bytes(BLOCK_BYTES), 2, 1 << 30, "record batches");
        let shuffled = Corpus::from_documents(shuffled.clone()).with_block_bytes(BLOCK_BYTES);
        same(&shuffled, 2, 1 << 30, "another order");

        if config.run.stats.is_some() {
            for (threads, limit) in [(1, 1 << 30), (2, 1 << 30), (8, 4 << 10)] {
                let mut counting = with(threads, limit);
                counting.run.stats = None;
                let found = pairs(&find(&memory, &counting));
                assert_eq!(found, expected, "{method}: counted by the same run");
            }
        }

        let preparing = with_context(folder.path(), |context| {
            Method::new(&config, artifacts(&memory, &config, context)?)
        });
        for (threads, memory) in [(1, 1 << 30), (2, 4 << 10)] {
            let prepared = prepared(&documents, &preparing, &config);
            let found = with_context(folder.path(), |context| {
                let documents = prepared.into_iter().map(Ok);
                find_prepared(documents, &preparing, &with(threads, memory), context)
            });
            assert_eq!(pairs(&found), expected, "{method}: prepared documents");
        }

        let is_new = |id: &str| id.as_bytes().last().is_some_and(|digit| digit % 2 == 0);
        let (new, known): (Vec<_>, Vec<_>) =
            documents.iter().cloned().partition(|document| is_new(&document.id));
        let (new, known) = (Corpus::from_documents(new), Corpus::from_documents(known));
        for (threads, memory) in [(1, 1 << 30), (2, 4 << 10)] {
            let found = with_context(folder.path(), |context| {
                lookalike::find_against(&new, &known, false, &with(threads, memory), context)
            });
            assert_eq!(pairs(&found), across(&expected, is_new), "{method}: against");
        }
    }
}

/// A run that counts and signs from one reading sees on the way what its documents look like.
#[test]
fn documents_look_the_same_whenever_they_are_looked_at() {
    let documents = families(60);
    let folder = tempfile::tempdir().unwrap();
    let config = configuration("andd-cosine", &documents, folder.path());
    let memory = Corpus::from_documents(documents).with_block_bytes(BLOCK_BYTES);
    for figure in [
        "words a document",
        "words a line",
        "share of stop words",
        "share of distinct words",
        "share of words that the model does not know",
    ] {
        let nowhere = Profile { figures: [(figure.to_owned(), [-9.0; 3])].into() };
        let notes = |stats: Option<PathBuf>, threads| {
            let mut config = config.clone();
            (config.run.stats, config.run.threads) = (stats, threads);
            config.run.made_on = Some(nowhere.clone());
            find(&memory, &config).summary.notes
        };
        let expected = notes(config.run.stats.clone(), 1);
        assert!(expected.iter().any(|note| note.contains(figure)), "{expected:?}");
        assert_eq!(notes(None, 1), expected);
        assert_eq!(notes(None, 3), expected);
    }
}
