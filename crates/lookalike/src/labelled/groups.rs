//! Where documents come from: site, template, sender.
//!
//! Documents of one site look alike whatever they say, so that what was learned from some of them
//! is no surprise on the others. An estimate that is to hold on other sites is made on groups that
//! nothing was learned from.

use std::collections::BTreeMap;
use std::fmt;

use lookalike_statistics::boilerplate::{
    BoilerplateOptions, BoilerplateSet, find_boilerplate, paragraph_hash,
};
use lookalike_text::segment::paragraphs;

use crate::OwnedDocument;

/// How documents were put into groups.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Grouping {
    /// Nothing tells where documents come from: each is a group of its own.
    #[default]
    None,
    /// A field names the group.
    Field(String),
    /// Guessed: the host of the address.
    Hosts,
    /// Guessed: the paragraphs that templates repeat.
    Templates,
}

/// The group of each document, and how it was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Groups {
    /// The group of each document.
    pub of_document: Vec<u32>,
    /// How they were found.
    pub grouping: Grouping,
}

/// Documents that must share paragraphs before these are taken for a template's.
const TEMPLATE_DOCUMENTS: usize = 4;

/// The share of documents that a guess must reach.
const REACHED: f64 = 0.5;

impl Groups {
    /// Each document by itself.
    pub fn none(n_documents: usize) -> Self {
        Self { of_document: (0..n_documents as u32).collect(), grouping: Grouping::None }
    }

    /// By the values of a field; a document without one is a group of its own.
    pub fn of_field(field: &str, values: &[Option<String>]) -> Self {
        Self { of_document: numbered(values), grouping: Grouping::Field(field.to_owned()) }
    }

    /// By what the documents show: the hosts of their addresses, or else the templates they stand
    /// in, where either tells at least half of them apart.
    pub fn guess(documents: &[OwnedDocument]) -> Self {
        let hosts: Vec<Option<String>> =
            documents.iter().map(|document| host(document.url.as_deref())).collect();
        if tells_apart(&hosts) {
            return Self { of_document: numbered(&hosts), grouping: Grouping::Hosts };
        }
        let templates = template_of_each(documents);
        if tells_apart(&templates) {
            return Self { of_document: numbered(&templates), grouping: Grouping::Templates };
        }
        Self::none(documents.len())
    }

    /// How many groups have more than one document.
    pub fn n_shared(&self) -> usize {
        let mut sizes: BTreeMap<u32, usize> = BTreeMap::new();
        for group in &self.of_document {
            *sizes.entry(*group).or_insert(0) += 1;
        }
        sizes.values().filter(|size| **size > 1).count()
    }
}

impl fmt::Display for Groups {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let n_groups = self.n_shared();
        match &self.grouping {
            Grouping::None => {
                write!(formatter, "nothing tells where documents come from; a field may")
            }
            Grouping::Field(field) => write!(formatter, "{n_groups} groups by the field {field}"),
            Grouping::Hosts => {
                write!(formatter, "{n_groups} groups guessed from the hosts of addresses")
            }
            Grouping::Templates => {
                write!(formatter, "{n_groups} groups guessed from paragraphs that templates repeat")
            }
        }
    }
}

/// Equal values are one group, a document without a value is one of its own, numbered as they first
/// appear.
fn numbered(values: &[Option<String>]) -> Vec<u32> {
    let mut numbers: BTreeMap<&str, u32> = BTreeMap::new();
    let mut next = 0;
    let mut groups = Vec::with_capacity(values.len());
    for value in values {
        let known = value.as_deref().and_then(|value| numbers.get(value).copied());
        let group = known.unwrap_or(next);
        if group == next {
            next += 1;
            numbers.extend(value.as_deref().map(|value| (value, group)));
        }
        groups.push(group);
    }
    groups
}

/// Whether enough documents have a value, and not all the same one.
fn tells_apart(values: &[Option<String>]) -> bool {
    let known: Vec<&String> = values.iter().flatten().collect();
    let several = known.iter().any(|value| *value != known[0]);
    several && known.len() as f64 >= REACHED * values.len() as f64
}

/// The host of an address, without `www.`.
fn host(url: Option<&str>) -> Option<String> {
    let rest = url?.split_once("://")?.1;
    let host = rest.split(['/', '?', '#', ':']).next()?.to_lowercase();
    let host = host.strip_prefix("www.").unwrap_or(&host);
    (!host.is_empty()).then(|| host.to_owned())
}

/// A name for the documents that have most of their boilerplate paragraphs in common with each other.
fn template_of_each(documents: &[OwnedDocument]) -> Vec<Option<String>> {
    let options =
        BoilerplateOptions { min_documents: TEMPLATE_DOCUMENTS, ..BoilerplateOptions::default() };
    let set =
        find_boilerplate(options, || documents.iter().map(|document| document.text.as_str())).set();
    let mut leaders: Vec<Vec<u64>> = Vec::new();
    let mut of_document = |document: &OwnedDocument| {
        let own = boilerplate_of(&document.text, &set);
        if own.is_empty() {
            return None;
        }
        let shared = |leader: &Vec<u64>| {
            let common = leader.iter().filter(|hash| own.binary_search(hash).is_ok()).count();
            2 * common >= leader.len().min(own.len())
        };
        let place = leaders.iter().position(shared).unwrap_or_else(|| {
            leaders.push(own.clone());
            leaders.len() - 1
        });
        Some(place.to_string())
    };
    documents.iter().map(&mut of_document).collect()
}

/// The boilerplate paragraphs of a text, by ascending hash.
fn boilerplate_of(text: &str, set: &BoilerplateSet) -> Vec<u64> {
    let mut hashes: Vec<u64> = paragraphs(text)
        .map(|range| &text[range])
        .filter(|paragraph| set.contains(paragraph))
        .filter_map(paragraph_hash)
        .collect();
    hashes.sort_unstable();
    hashes.dedup();
    hashes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn documents(of: impl Fn(usize) -> OwnedDocument, count: usize) -> Vec<OwnedDocument> {
        (0..count).map(of).collect()
    }

    #[test]
    fn hosts_are_groups_where_documents_have_addresses() {
        let page = |number: usize| OwnedDocument {
            url: Some(format!("https://www.site{}.example:80/{number}", number % 3)),
            ..OwnedDocument::default()
        };
        let groups = Groups::guess(&documents(page, 9));
        assert_eq!(groups.grouping, Grouping::Hosts);
        assert_eq!(groups.of_document, [0, 1, 2, 0, 1, 2, 0, 1, 2]);
        assert!(groups.to_string().contains("3 groups guessed"), "{groups}");
    }

    #[test]
    fn templates_are_groups_where_paragraphs_repeat() {
        let page = |number: usize| {
            let site = number % 2;
            let story: Vec<String> =
                (0..30).map(|word| format!("word{}", number * 31 + word)).collect();
            let text = format!(
                "Menu of site {site} with news\n\nMore of site {site} today\n\n{}\n\nImprint of site {site}",
                story.join(" ")
            );
            OwnedDocument { text, ..OwnedDocument::default() }
        };
        let groups = Groups::guess(&documents(page, 24));
        assert_eq!(groups.grouping, Grouping::Templates, "{groups}");
        let first = groups.of_document[0];
        let of_first = groups.of_document.iter().enumerate().filter(|(_, group)| **group == first);
        assert!(of_first.clone().all(|(document, _)| document % 2 == 0));
        assert_eq!(of_first.count(), 12);
    }

    #[test]
    fn documents_that_show_nothing_are_groups_of_their_own() {
        let page = |number: usize| OwnedDocument {
            text: format!("text {number}"),
            ..OwnedDocument::default()
        };
        let groups = Groups::guess(&documents(page, 4));
        assert_eq!((groups.grouping, groups.of_document), (Grouping::None, vec![0, 1, 2, 3]));
    }

    #[test]
    fn a_document_without_the_field_stands_alone() {
        let values = [Some("a"), None, Some("b"), Some("a"), None].map(|v| v.map(str::to_owned));
        let groups = Groups::of_field("site", &values);
        assert_eq!(groups.of_document, [0, 1, 2, 0, 3]);
        assert_eq!(groups.n_shared(), 1);
    }
}
