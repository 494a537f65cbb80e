//! A whole collection in memory, with the labels that experiments need.

use std::sync::Arc;

use hashbrown::HashMap;
use lookalike::RunError;
use lookalike_corpus::{Corpus, IdKey, InputOptions};
use lookalike_detect::{Artifacts, Detector, DetectorConfig};
use lookalike_statistics::{Statistics, StatisticsBuilder};
use lookalike_text::{Analyzer, AnalyzerConfig, Document};
use serde_json::Value;

use crate::LearnError;

/// A document and what is known about it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LabelledText {
    /// Its id.
    pub id: String,
    /// Its visible text.
    pub text: String,
    /// Its title or subject.
    pub title: Option<String>,
    /// Its address.
    pub url: Option<String>,
    /// The value of the label field, as text.
    pub label: Option<String>,
}

impl LabelledText {
    /// The document as the methods see it.
    pub fn document(&self) -> Document<'_> {
        Document {
            text: &self.text,
            title: self.title.as_deref(),
            url: self.url.as_deref(),
            whole_text: None,
        }
    }
}

/// Documents in input order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Collection {
    /// The documents.
    pub documents: Vec<LabelledText>,
    /// Rows that held no document.
    pub n_unreadable: usize,
}

impl Collection {
    /// Reads files, folders or globs to their end; `label_field` names the field that holds the label.
    ///
    /// # Errors
    /// An input that cannot be opened, of which a part could not be read, or without a document: a
    /// figure stands for its collection, not for the part that was read.
    pub fn open(
        inputs: &[String],
        text_key: &str,
        id_key: &str,
        label_field: &str,
    ) -> Result<Self, LearnError> {
        let options = InputOptions {
            text_key: text_key.to_owned(),
            id_key: IdKey::Field(id_key.to_owned()),
            fields: vec![label_field.to_owned()],
            ..InputOptions::default()
        };
        let corpus =
            Corpus::open(inputs, options, &std::env::temp_dir()).map_err(RunError::from)?;
        let collection = Self::load(&corpus, label_field);
        let incomplete = corpus.incomplete();
        if let Some(first) = incomplete.first() {
            let others = match incomplete.len() - 1 {
                0 => String::new(),
                others => format!(" (and {others} more)"),
            };
            let message = format!("the input was not read completely: {first}{others}");
            return Err(LearnError::Collection(message));
        }
        if collection.is_empty() {
            lookalike::refuse_nothing_readable(&corpus)?;
            return Err(LearnError::Collection("the input holds no document".into()));
        }
        Ok(collection)
    }

    /// Reads a corpus; `label_field` names the field that holds the label.
    pub fn load(corpus: &Corpus, label_field: &str) -> Self {
        let mut collection = Self::default();
        for block in corpus.blocks() {
            block.visit(|row| match row.content {
                Ok(document) => collection.documents.push(LabelledText {
                    label: document.field(label_field).map(|value| match value {
                        Value::String(text) => text,
                        other => other.to_string(),
                    }),
                    id: document.id.into_owned(),
                    text: document.text.into_owned(),
                    title: document.title.map(std::borrow::Cow::into_owned),
                    url: document.url.map(std::borrow::Cow::into_owned),
                }),
                Err(_) => collection.n_unreadable += 1,
            });
        }
        collection
    }

    /// Puts each title in front of its text: mail is subject and body (the 2008 paper).
    pub fn with_titles_in_text(mut self) -> Self {
        for document in &mut self.documents {
            if let Some(title) = &document.title {
                document.text.insert(0, '\n');
                document.text.insert_str(0, title);
            }
        }
        self
    }

    /// How many documents there are.
    pub fn len(&self) -> usize {
        self.documents.len()
    }

    /// Whether there is no document.
    pub fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    /// The cluster of each document: equal labels are one cluster, a document without a label is
    /// one of its own. Numbers follow the order in which clusters first appear.
    pub fn clusters(&self) -> Vec<u32> {
        let mut numbers: HashMap<&str, u32> = HashMap::new();
        let mut n_clusters = 0;
        let mut clusters = Vec::with_capacity(self.len());
        for document in &self.documents {
            let known = document.label.as_deref().and_then(|label| numbers.get(label).copied());
            let cluster = known.unwrap_or(n_clusters);
            if cluster == n_clusters {
                n_clusters += 1;
                numbers.extend(document.label.as_deref().map(|label| (label, cluster)));
            }
            clusters.push(cluster);
        }
        clusters
    }

    /// The document frequencies of this collection.
    pub fn statistics(&self, analyzer: &AnalyzerConfig) -> Result<Statistics, LearnError> {
        let mut builder = StatisticsBuilder::new(analyzer.clone());
        let analyzer = Analyzer::new(analyzer)?;
        for document in &self.documents {
            builder.add_text(&analyzer, &document.text);
        }
        Ok(builder.finish())
    }

    /// Builds a detector, with this collection's own statistics where it needs any.
    pub fn detector(&self, config: &DetectorConfig) -> Result<Detector, LearnError> {
        let mut artifacts = Artifacts::default();
        if config.needs_statistics() {
            artifacts.statistics = Some(Arc::new(self.statistics(config.analyzer())?));
        }
        Ok(config.build(&artifacts)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_collection_knows_texts_titles_and_labels() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("mail.jsonl");
        let rows = concat!(
            r#"{"id":"a","text":"buy now","subject":"offer","label":"spam"}"#,
            "\n{broken\n",
            r#"{"id":"b","text":"see you","label":3}"#,
            "\n"
        );
        std::fs::write(&file, rows).unwrap();
        let inputs = [file.display().to_string()];
        let options = lookalike_corpus::InputOptions {
            fields: vec!["label".to_owned()],
            ..Default::default()
        };
        let corpus = Corpus::open(&inputs, options, folder.path()).unwrap();
        let collection = Collection::load(&corpus, "label").with_titles_in_text();
        assert_eq!((collection.len(), collection.n_unreadable), (2, 1));
        assert_eq!(collection.documents[0].text, "offer\nbuy now");
        assert_eq!(collection.documents[0].label.as_deref(), Some("spam"));
        assert_eq!(collection.documents[1].label.as_deref(), Some("3"));
        assert_eq!(collection.clusters(), [0, 1]);
    }
}
