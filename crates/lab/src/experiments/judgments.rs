//! Relevance judgments that contradict each other inside a cluster (section 4.6 of the 2002 paper).
//!
//! Two copies of one document cannot be relevant and not relevant to the same topic; where a
//! test collection says so, its judges slipped.

use std::collections::{BTreeMap, BTreeSet};

use lookalike_learn::{Cell, Outcome, Table};

use crate::LabError;

/// Who shares a cluster: pairs of cluster and document.
pub type Members = Vec<(String, String)>;

/// Topic and cluster → the documents judged relevant, and those judged not relevant.
type Judged<'a> = BTreeMap<(&'a str, &'a str), (BTreeSet<&'a str>, BTreeSet<&'a str>)>;

/// Lists the topics for which documents of one cluster were judged differently.
///
/// `qrels` has a line `topic iteration document relevance` for each judgment, TREC's format; a
/// relevance above 0 means relevant.
pub fn run(qrels: &str, members: &Members) -> Result<Outcome, LabError> {
    let mut cluster_of: BTreeMap<&str, &str> = BTreeMap::new();
    for (cluster, document) in members {
        cluster_of.insert(document, cluster);
    }
    let mut judged: Judged<'_> = BTreeMap::new();
    let (mut topics, mut n_in_clusters) = (BTreeSet::new(), 0usize);
    for (number, line) in qrels.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let (topic, document, is_relevant) =
            parse(line).ok_or(LabError::Judgment { line: number + 1 })?;
        topics.insert(topic);
        let Some(cluster) = cluster_of.get(document) else { continue };
        n_in_clusters += 1;
        let (relevant, irrelevant) = judged.entry((topic, cluster)).or_default();
        if is_relevant {
            relevant.insert(document)
        } else {
            irrelevant.insert(document)
        };
    }
    judged.retain(|_, (relevant, irrelevant)| !relevant.is_empty() && !irrelevant.is_empty());
    let inconsistent: BTreeSet<&str> = judged.keys().map(|(topic, _)| *topic).collect();
    let mut table = Table::new(
        "Topics judged inconsistently inside a cluster",
        &["topic", "cluster", "relevant", "not_relevant"],
    );
    let listed = |documents: &BTreeSet<&str>| {
        Cell::Text(documents.iter().copied().collect::<Vec<_>>().join(" "))
    };
    for ((topic, cluster), (relevant, irrelevant)) in &judged {
        table.push(vec![(*topic).into(), (*cluster).into(), listed(relevant), listed(irrelevant)]);
    }
    table.note(format!(
        "{} inconsistent clusters in {} of {} topics; {n_in_clusters} judgments fall on documents in \
         clusters.",
        judged.len(),
        inconsistent.len(),
        topics.len()
    ));
    Ok(table.into())
}

fn parse(line: &str) -> Option<(&str, &str, bool)> {
    let mut fields = line.split_whitespace();
    let (topic, _, document) = (fields.next()?, fields.next()?, fields.next()?);
    let relevance: i64 = fields.next()?.parse().ok()?;
    Some((topic, document, relevance > 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn members() -> Members {
        let member = |cluster: &str, document: &str| (cluster.to_owned(), document.to_owned());
        vec![member("a", "a"), member("a", "b"), member("c", "c"), member("c", "d")]
    }

    #[test]
    fn only_contradictions_within_one_topic_and_cluster_are_listed() {
        let qrels = "301 0 a 1\n301 0 b 0\n301 0 x 1\n302 0 a 1\n302 0 c 0\n303 0 c 2\n303 0 d 1\n";
        let table = run(qrels, &members()).unwrap().table;
        assert_eq!(table.rows().len(), 1);
        let row = &table.to_json()[0];
        assert_eq!((&row["topic"], &row["cluster"]), (&"301".into(), &"a".into()));
        assert_eq!((&row["relevant"], &row["not_relevant"]), (&"a".into(), &"b".into()));
    }

    #[test]
    fn a_line_that_is_no_judgment_is_named() {
        let error = run("301 0 a 1\n\nrelevant!\n", &members()).unwrap_err();
        assert!(error.to_string().contains("line 3"), "{error}");
    }
}
