//! The sample documents: what kind of copy each is, and what it is a copy of.

use lookalike_detect::random::SplitMix64;
use serde_json::Value;

use super::stories::{Story, stories};
use super::{editing, mail, templates};

/// A document of the sample with the truth about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SampleDocument {
    /// A name that says where the document comes from.
    pub id: String,
    /// The headline, the title of the page or the subject.
    pub title: String,
    /// What is compared.
    pub text: String,
    /// The story that this is a version of; `None` where there is one version only.
    pub cluster: Option<String>,
    /// How the versions differ: `edited`, `reordered`, `templated`, `mail`, `boilerplate`,
    /// `german`, `chinese`, or `unique`.
    pub kind: &'static str,
}

/// The whole sample, the same on every machine.
pub fn documents() -> Vec<SampleDocument> {
    let mut random = SplitMix64::new(2002);
    stories().iter().flat_map(|story| versions(story, &mut random)).collect()
}

/// The sample as JSON Lines: `id`, `title`, `text`, `kind` and, where there is one, `cluster`.
pub fn json_lines() -> String {
    documents().iter().map(|document| json_line(document) + "\n").collect()
}

fn json_line(document: &SampleDocument) -> String {
    let string = |text: &str| Value::from(text).to_string();
    let cluster = match &document.cluster {
        Some(cluster) => format!(",\"cluster\":{}", string(cluster)),
        None => String::new(),
    };
    format!(
        "{{\"id\":{},\"title\":{},\"text\":{},\"kind\":{}{cluster}}}",
        string(&document.id),
        string(&document.title),
        string(&document.text),
        string(document.kind),
    )
}

fn versions(story: &Story, random: &mut SplitMix64) -> Vec<SampleDocument> {
    let title = story.title.to_owned();
    let pages: Vec<(String, String)> = match story.kind {
        "edited" => edited(story, 8, random),
        "german" | "chinese" => edited(story, 6, random),
        "reordered" => (0..6)
            .map(|version| match version {
                0 => (title.clone(), story.text.to_owned()),
                _ => (title.clone(), editing::reordered(story.text, version, random)),
            })
            .collect(),
        "templated" => templates::SITES
            .iter()
            .map(|site| (format!("{title} - {}", site.site), site.page(&title, story.text)))
            .collect(),
        "mail" => (0..mail::N_FORMS)
            .map(|form| {
                let prefix = ["", "Re: ", "Fwd: ", "Re: Re: ", "", "Re: "][form];
                (format!("{prefix}{title}"), mail::message(story, form))
            })
            .collect(),
        "boilerplate" => {
            let mut pages = vec![(title.clone(), story.text.to_owned())];
            pages.extend(templates::LETTERHEADS.iter().map(|letterhead| {
                (format!("{}: {title}", letterhead.site), letterhead.page(&title, story.text))
            }));
            pages
        }
        _ => vec![(title.clone(), story.text.to_owned())],
    };
    let cluster = (pages.len() > 1).then(|| story.id.to_owned());
    pages
        .into_iter()
        .enumerate()
        .map(|(version, (title, text))| SampleDocument {
            id: format!("{}-{}", story.id, version + 1),
            title,
            text,
            cluster: cluster.clone(),
            kind: story.kind,
        })
        .collect()
}

fn edited(story: &Story, n_versions: u64, random: &mut SplitMix64) -> Vec<(String, String)> {
    (0..n_versions)
        .map(|version| {
            let text = editing::edited(story.text, story.language, version, random);
            (story.title.to_owned(), text)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;

    #[test]
    fn the_committed_sample_is_the_generated_one() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/sample.jsonl");
        if std::env::var_os("LOOKALIKE_BLESS").is_some() {
            std::fs::write(&path, json_lines()).unwrap();
        }
        let committed = std::fs::read_to_string(&path).unwrap();
        assert!(committed == json_lines(), "run again with LOOKALIKE_BLESS=1 to renew the file");
    }

    #[test]
    fn every_kind_of_copy_is_there_and_no_two_documents_are_the_same() {
        let documents = documents();
        assert!(documents.len() > 200, "{}", documents.len());
        let ids: BTreeSet<&str> = documents.iter().map(|document| document.id.as_str()).collect();
        assert_eq!(ids.len(), documents.len());
        let texts: BTreeSet<&str> =
            documents.iter().map(|document| document.text.as_str()).collect();
        assert_eq!(texts.len(), documents.len());
        let kinds: BTreeSet<&str> = documents.iter().map(|document| document.kind).collect();
        let expected = "boilerplate chinese edited german mail reordered templated unique";
        assert_eq!(kinds.into_iter().collect::<Vec<_>>().join(" "), expected);
        for document in &documents {
            assert_eq!(document.cluster.is_none(), document.kind == "unique", "{}", document.id);
        }
    }
}
