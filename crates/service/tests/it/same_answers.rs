//! HTTP gives the pairs and scores of the library's index and of a batch, for every method.

use std::path::{Path, PathBuf};

use lookalike::{
    Artifacts, Config, Context, Corpus, Index, IndexOptions, Interrupt, OwnedDocument, Silent,
};
use lookalike_detect::DetectorConfig;
use lookalike_detect::train::LabelledDocument;
use lookalike_service::Limits;
use lookalike_testkit::artifacts_from;
use serde_json::{Value, json};

use crate::client::Service;

fn documents() -> Vec<OwnedDocument> {
    let families = lookalike_testkit::families::families(15).into_iter();
    families.map(|(id, text)| OwnedDocument::new(id, text)).collect()
}

/// A model that was learned from these documents, in a file.
fn model(config: &Config, documents: &[OwnedDocument], folder: &Path) -> PathBuf {
    let labelled = documents[..60].iter().enumerate();
    let labelled: Vec<LabelledDocument<'_>> = labelled
        .map(|(n, owned)| LabelledDocument { document: owned.document(), cluster: n as u32 / 4 })
        .collect();
    let path = folder.join("trained.model");
    std::fs::write(&path, artifacts_from(&config.detector, &labelled).model.unwrap().to_bytes())
        .unwrap();
    path
}

/// A pair with the bits of its score.
type Scored = Vec<(String, String, u64)>;

fn pair(a: &str, b: &str, score: f64) -> (String, String, u64) {
    (a.min(b).to_owned(), a.max(b).to_owned(), score.to_bits())
}

#[test]
fn every_method_gives_the_same_pairs_over_http() {
    let documents = documents();
    for (method, _) in DetectorConfig::METHODS {
        let config = format!("method = \"{method}\"\npairs = \"all\"");
        let mut config = Config::from_table(config.parse().unwrap()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        if config.detector.needs_model() {
            config.run.model = Some(model(&config, &documents, folder.path()));
        }
        let interrupt = Interrupt::new();
        let context = Context { progress: &Silent, interrupt: &interrupt, temp_dir: folder.path() };
        let corpus = Corpus::from_documents(documents.clone());
        let artifacts = lookalike::artifacts(&corpus, &config, &context).unwrap();
        let expected: Scored = {
            let findings = lookalike::find(&corpus, &config, &context).unwrap();
            let mut pairs: Scored = findings
                .pairs()
                .map(|found| found.unwrap())
                .map(|found| pair(found.a.id, found.b.id, found.score))
                .collect();
            pairs.sort();
            pairs
        };
        assert!(expected.len() >= 15, "{method} finds copies at least");
        let path = folder.path().join("index");
        let made =
            Index::create(&path, &config, Artifacts::clone(&artifacts), IndexOptions::default());
        drop(made.unwrap());
        let twin = folder.path().join("twin");
        let twin = Index::create(&twin, &config, artifacts, IndexOptions::default()).unwrap();
        let service = Service::over(folder, &path, Limits::default(), |_| {});
        let mut client = service.client();
        let mut added: Scored = Vec::new();
        let note = |rows: &Value, pairs: &mut Scored| {
            for row in rows.as_array().unwrap() {
                for found in row["matches"].as_array().unwrap() {
                    let (a, b) = (row["id"].as_str().unwrap(), found["id"].as_str().unwrap());
                    pairs.push(pair(a, b, found["score"].as_f64().unwrap()));
                }
            }
        };
        for part in documents.chunks(7) {
            let rows: Vec<Value> = part
                .iter()
                .map(|document| json!({"id": document.id, "text": document.text}))
                .collect();
            let answer = client.post("/v1/documents", &json!(rows)).json();
            let same = twin.add(part, lookalike::OnDuplicate::Refuse, 1).unwrap();
            assert_eq!(answer, json!(same), "{method}: add");
            note(&answer, &mut added);
        }
        added.sort();
        assert_eq!(added, expected, "{method}: what additions say is what a batch finds");
        let rows: Vec<Value> = documents
            .iter()
            .map(|document| json!({"id": document.id, "text": document.text}))
            .collect();
        let checked = client.post("/v1/check", &json!(rows)).json();
        assert_eq!(checked, json!(twin.snapshot(2).check(&documents).unwrap()), "{method}: check");
        let mut listed: Scored = Vec::new();
        for found in client.all("/v1/pairs?", "pairs", 200) {
            let id = |name: &str| found[name].as_str().unwrap();
            listed.push(pair(id("a"), id("b"), found["score"].as_f64().unwrap()));
        }
        listed.sort();
        assert_eq!(listed, expected, "{method}: pairs");
    }
}
