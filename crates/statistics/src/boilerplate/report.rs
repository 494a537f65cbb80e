//! What was found to be boilerplate.

use std::collections::BTreeMap;

use serde::Serialize;

use super::BoilerplateSet;

/// Where a paragraph stands in most of its documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ParagraphPlace {
    /// So many paragraphs stand before it.
    FromStart(u32),
    /// So many paragraphs stand after it.
    FromEnd(u32),
}

/// One paragraph that a template repeats.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BoilerplateParagraph {
    /// [`super::paragraph_hash`] of the paragraph.
    pub hash: u64,
    /// How many documents have it.
    pub n_documents: u32,
    /// About how many of them are otherwise different.
    pub n_different: u32,
    /// The share of its documents that have it at its place.
    pub fixed_share: f64,
    /// Its place.
    pub place: ParagraphPlace,
    /// The same for paragraphs that stand in the same documents.
    pub template: u64,
    /// Its beginning, as one document has it.
    pub example: String,
}

/// All boilerplate of a collection, the most frequent first.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct BoilerplateReport {
    /// How many documents were read.
    pub n_documents: u64,
    /// The paragraphs.
    pub paragraphs: Vec<BoilerplateParagraph>,
}

impl BoilerplateReport {
    /// The paragraphs as a set to leave out.
    pub fn set(&self) -> BoilerplateSet {
        self.paragraphs.iter().map(|paragraph| paragraph.hash).collect()
    }

    /// The paragraphs by template, the template with most paragraphs first.
    pub fn templates(&self) -> Vec<Vec<&BoilerplateParagraph>> {
        let mut templates: BTreeMap<u64, Vec<&BoilerplateParagraph>> = BTreeMap::new();
        for paragraph in &self.paragraphs {
            templates.entry(paragraph.template).or_default().push(paragraph);
        }
        let mut templates: Vec<_> = templates.into_values().collect();
        templates.sort_by_key(|template| std::cmp::Reverse(template.len()));
        templates
    }
}
