//! Labelled documents, judged pairs and models, read from files.

mod groups;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

use lookalike_corpus::{Corpus, InputOptions, Unreadable};
use lookalike_detect::train::{LabelledDocument, TrainingPairs};
use lookalike_detect::{DetectError, Model};
use lookalike_statistics::boilerplate::{BoilerplateOptions, find_boilerplate};
use lookalike_statistics::{Statistics, StatisticsBuilder};
use lookalike_text::{Analyzer, AnalyzerConfig};
use serde_json::Value;

pub use groups::{Grouping, Groups};

use crate::error::file_error;
use crate::{OwnedDocument, RunConfig, RunError, read_judgments};

/// Documents and the cluster that each belongs to.
#[derive(Clone, Debug, Default)]
pub struct LabelledCorpus {
    /// The documents, in input order.
    pub documents: Vec<OwnedDocument>,
    /// The cluster of each; a document without a label is a cluster of its own.
    pub clusters: Vec<u32>,
    /// Where each comes from.
    pub groups: Groups,
    /// How many documents had no label.
    pub n_unlabelled: usize,
    /// How many rows could not be read.
    pub n_unreadable: usize,
    /// The files that could not be read to their end.
    pub incomplete: Vec<Unreadable>,
}

impl LabelledCorpus {
    /// Refuses documents of which none is labelled, as where the field has another name.
    ///
    /// # Errors
    /// No document has the field.
    pub fn require_labels(&self, label_key: &str) -> Result<(), RunError> {
        if self.n_unlabelled == self.documents.len() {
            return Err(RunError::NoLabels(label_key.to_owned()));
        }
        Ok(())
    }

    /// Leaves out the paragraphs that at least so many otherwise different documents repeat; places in
    /// the texts stay.
    pub fn leave_out_boilerplate(&mut self, min_documents: usize) {
        let options = BoilerplateOptions { min_documents, ..BoilerplateOptions::default() };
        let texts = || self.documents.iter().map(|document| document.text.as_str());
        let set = find_boilerplate(options, texts).set();
        for document in &mut self.documents {
            document.text = set.mask(&document.text).into_owned();
        }
    }

    /// The documents as training takes them.
    pub fn labelled(&self) -> Vec<LabelledDocument<'_>> {
        let documents = self.documents.iter().map(OwnedDocument::document);
        documents
            .zip(&self.clusters)
            .map(|(document, &cluster)| LabelledDocument { document, cluster })
            .collect()
    }
}

/// The fields that say something of a document's kind.
#[derive(Clone, Copy, Debug)]
pub struct LabelFields<'a> {
    /// Names its cluster.
    pub label: &'a str,
    /// Names where it comes from; guessed without it.
    pub group: Option<&'a str>,
}

/// Reads documents whose field `fields.label` names their cluster.
///
/// # Errors
/// The input cannot be opened, no document can be read, or none has the group's field.
pub fn labelled_corpus(
    inputs: &[impl AsRef<OsStr>],
    run: &RunConfig,
    fields: LabelFields<'_>,
    temp_dir: &Path,
) -> Result<LabelledCorpus, RunError> {
    let wanted = [fields.label].into_iter().chain(fields.group).map(str::to_owned);
    let options = InputOptions { fields: wanted.collect(), ..run.input_options() };
    read_labelled(&Corpus::open(inputs, options, temp_dir)?, fields)
}

/// The documents of any corpus, whose field `fields.label` names their cluster.
///
/// # Errors
/// No document can be read, or none has the group's field.
pub fn read_labelled(corpus: &Corpus, fields: LabelFields<'_>) -> Result<LabelledCorpus, RunError> {
    let label_key = fields.label;
    let mut labelled = LabelledCorpus::default();
    let mut numbers: BTreeMap<String, u32> = BTreeMap::new();
    let mut n_clusters = 0;
    let mut group_names = Vec::new();
    let mut first_reason = None;
    for block in corpus.blocks() {
        block.visit(|row| {
            let document = match &row.content {
                Ok(document) => document,
                Err(reason) => {
                    labelled.n_unreadable += 1;
                    first_reason.get_or_insert_with(|| reason.to_string());
                    return;
                }
            };
            let label = document.field(label_key).and_then(label_text);
            labelled.n_unlabelled += usize::from(label.is_none());
            let known = label.as_ref().and_then(|label| numbers.get(label).copied());
            let cluster = known.unwrap_or(n_clusters);
            if cluster == n_clusters {
                n_clusters += 1;
                numbers.extend(label.map(|label| (label, cluster)));
            }
            group_names.push(fields.group.and_then(|key| document.field(key)).and_then(label_text));
            labelled.documents.push(OwnedDocument::from(document));
            labelled.clusters.push(cluster);
        });
    }
    if labelled.documents.is_empty() {
        let reason = first_reason.unwrap_or_else(|| "the input is empty".into());
        return Err(RunError::NothingReadable(reason));
    }
    labelled.groups = match fields.group {
        Some(key) if group_names.iter().all(Option::is_none) => {
            return Err(RunError::NoGroups(key.to_owned()));
        }
        Some(key) => Groups::of_field(key, &group_names),
        None => Groups::guess(&labelled.documents),
    };
    labelled.incomplete = corpus.incomplete();
    Ok(labelled)
}

/// Document frequencies of these documents, labelled or not.
///
/// # Errors
/// The analyzer cannot be built.
pub fn document_statistics(
    documents: &[OwnedDocument],
    analyzer: &AnalyzerConfig,
) -> Result<Statistics, RunError> {
    let mut builder = StatisticsBuilder::new(analyzer.clone());
    let analyzer = Analyzer::new(analyzer).map_err(DetectError::from)?;
    for document in documents {
        builder.add_text(&analyzer, &document.text);
    }
    Ok(builder.finish())
}

fn label_text(value: Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text),
        other => Some(other.to_string()),
    }
}

/// Reads judged pairs of these documents; see [`read_judgments`] for the file.
///
/// # Errors
/// A line that is no judged pair, or an id that no document has.
pub fn judged_pairs(path: &Path, documents: &[OwnedDocument]) -> Result<TrainingPairs, RunError> {
    let numbers: BTreeMap<&str, u32> =
        documents.iter().map(|document| document.id.as_str()).zip(0..).collect();
    let mut pairs = TrainingPairs::default();
    for judged in read_judgments(path)? {
        let number = |id: &str| {
            numbers.get(id).copied().ok_or_else(|| RunError::JudgedPair {
                path: path.to_owned(),
                line: judged.line,
                reason: format!("no document has the id {id}"),
            })
        };
        let (left, right) = (number(&judged.left)?, number(&judged.right)?);
        let side = if judged.duplicate { &mut pairs.positive } else { &mut pairs.negative };
        side.push((left.min(right), left.max(right)));
    }
    Ok(pairs)
}

/// Reads a model that `lookalike train` wrote.
///
/// # Errors
/// The file cannot be read, or holds no model that this program can use.
pub fn read_model(path: &Path) -> Result<Arc<Model>, RunError> {
    let bytes = std::fs::read(path).map_err(file_error("read", path))?;
    Model::from_bytes(&bytes)
        .map(Arc::new)
        .map_err(|source| RunError::Model { path: path.to_owned(), source })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(group: Option<&str>) -> LabelFields<'_> {
        LabelFields { label: "cluster", group }
    }

    fn document(id: &str) -> OwnedDocument {
        OwnedDocument { id: id.into(), ..OwnedDocument::default() }
    }

    #[test]
    fn judged_pairs_are_read_and_bad_lines_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pairs.jsonl");
        let documents = ["x", "y", "z"].map(document);
        std::fs::write(
            &file,
            "{\"a\":\"y\",\"b\":\"x\",\"duplicate\":true}\n\n{\"a\":\"y\",\"b\":\"z\",\"near_duplicate\":0}\n",
        )
        .unwrap();
        let pairs = judged_pairs(&file, &documents).unwrap();
        assert_eq!((pairs.positive, pairs.negative), (vec![(0, 1)], vec![(1, 2)]));
        std::fs::write(&file, "{\"a\":\"y\",\"b\":\"q\",\"duplicate\":true}\n").unwrap();
        let message = judged_pairs(&file, &documents).unwrap_err().to_string();
        assert!(message.contains("line 1") && message.contains("id q"), "{message}");
    }

    #[test]
    fn documents_in_memory_are_labelled_by_their_fields() {
        let document = |id: &str, cluster: &str| {
            let mut document = OwnedDocument::new(id, "a text");
            document.fields.insert("cluster".into(), cluster.into());
            document
        };
        let corpus =
            Corpus::from_documents([document("1", "k"), document("2", "m"), document("3", "k")]);
        assert_eq!(read_labelled(&corpus, fields(None)).unwrap().clusters, [0, 1, 0]);
    }

    #[test]
    fn labels_become_clusters_and_unlabelled_documents_stand_alone() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("labelled.jsonl");
        let rows = "{\"id\":\"1\",\"text\":\"a\",\"cluster\":\"k\"}\n{\"id\":\"2\",\"text\":\"b\"}\n\
                    {\"id\":\"3\",\"text\":\"c\",\"cluster\":\"k\"}\n{\"id\":\"4\",\"text\":\"d\",\"cluster\":7}\n";
        std::fs::write(&file, rows).unwrap();
        let inputs = [file.display().to_string()];
        let labelled =
            labelled_corpus(&inputs, &RunConfig::default(), fields(None), folder.path()).unwrap();
        assert_eq!(labelled.clusters, [0, 1, 0, 2]);
        assert_eq!(labelled.n_unlabelled, 1);
        assert_eq!(labelled.groups.grouping, Grouping::None);
        let grouped =
            |key| labelled_corpus(&inputs, &RunConfig::default(), fields(Some(key)), folder.path());
        assert_eq!(grouped("cluster").unwrap().groups.of_document, [0, 1, 0, 2]);
        assert!(grouped("site").unwrap_err().to_string().contains("`site`"));
    }
}
