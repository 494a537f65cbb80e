//! Table II of the 2002 paper: hashing the distinct terms that five syntactic filters leave.
//!
//! The paper had a collection in which every document was thought to be duplicated; elsewhere the
//! numbers are smaller and only their order can be compared.

use hashbrown::HashSet;
use lookalike_learn::{Cell, Collection, Outcome, Table};
use lookalike_text::{Analyzer, AnalyzerConfig, SyntacticFilters, WordRule};
use xxhash_rust::xxh3::xxh3_128;

use super::group_by_digest;
use crate::LabError;

/// All 32 combinations of the five filters, in the order of Table II.
pub fn combinations() -> Vec<SyntacticFilters> {
    let filters = |bits: u32| SyntacticFilters {
        stem: bits & 16 != 0,
        no_special: bits & 8 != 0,
        at_most_25: bits & 4 != 0,
        at_least_5: bits & 2 != 0,
        stop_words: bits & 1 != 0,
    };
    (0..32).map(filters).collect()
}

/// The combination as the paper writes it.
pub fn name(filters: SyntacticFilters) -> String {
    let parts = [
        (filters.stem, "stem"),
        (filters.no_special, "nosc"),
        (filters.at_most_25, "tl25"),
        (filters.at_least_5, "tg5"),
        (filters.stop_words, "sw"),
    ];
    let parts: Vec<&str> = parts.into_iter().filter(|part| part.0).map(|part| part.1).collect();
    if parts.is_empty() { "nothing".to_owned() } else { parts.join(",") }
}

/// Runs the 32 combinations.
pub fn run(collection: &Collection) -> Result<Outcome, LabError> {
    let mut table = Table::new(
        "Syntactic filters (Table II, 2002)",
        &[
            "filters",
            "lexicon_share",
            "found_share",
            "duplicate_documents",
            "unique_documents",
            "filtered",
            "clusters",
            "largest_cluster",
        ],
    );
    let mut lexicon = None;
    for filters in combinations() {
        let (digests, n_terms) = digest_all(collection, &filtered_by(filters))?;
        let all = *lexicon.get_or_insert(n_terms);
        let groups = group_by_digest(&digests, |_, _| false);
        let share = |part: usize, whole: usize| {
            Cell::Real(if whole == 0 { 0.0 } else { part as f64 / whole as f64 }, 4)
        };
        table.push(vec![
            name(filters).into(),
            share(n_terms, all),
            share(groups.n_duplicates(), collection.len()),
            groups.n_duplicates().into(),
            groups.n_unique.into(),
            (collection.len() - groups.n_documents).into(),
            groups.n_clusters.into(),
            groups.largest.into(),
        ]);
    }
    Ok(table.into())
}

/// The analyzer of the syntactic experiments: words between white space, then the filters.
pub fn filtered_by(filters: SyntacticFilters) -> AnalyzerConfig {
    AnalyzerConfig { words: WordRule::Whitespace, filters, ..AnalyzerConfig::default() }
}

/// Each document's digest of its distinct terms, and how many different terms there are in all.
pub(super) fn digest_all(
    collection: &Collection,
    analyzer: &AnalyzerConfig,
) -> Result<(Vec<Option<u128>>, usize), LabError> {
    let analyzer = Analyzer::new(analyzer)?;
    let mut lexicon: HashSet<u64> = HashSet::new();
    let mut terms = Vec::new();
    let mut digests = Vec::with_capacity(collection.len());
    for document in &collection.documents {
        terms.clear();
        analyzer.visit(&document.text, |term, _| terms.push(lookalike_text::term_hash(term)));
        lexicon.extend(terms.iter().copied());
        digests.push(digest(&mut terms));
    }
    Ok((digests, lexicon.len()))
}

/// A digest of the distinct terms; `None` if there are none. Sorts and shortens `terms`.
fn digest(terms: &mut Vec<u64>) -> Option<u128> {
    terms.sort_unstable();
    terms.dedup();
    let bytes: Vec<u8> = terms.iter().flat_map(|term| term.to_le_bytes()).collect();
    (!terms.is_empty()).then(|| xxh3_128(&bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lookalike_learn::LabelledText;

    fn collection(texts: &[&str]) -> Collection {
        let document = |text: &&str| LabelledText { text: (*text).into(), ..Default::default() };
        Collection { documents: texts.iter().map(document).collect(), n_unreadable: 0 }
    }

    #[test]
    fn there_are_32_combinations_and_the_first_filters_nothing() {
        let mut names: Vec<String> = combinations().into_iter().map(name).collect();
        assert_eq!(names[0], "nothing");
        assert_eq!(names[31], "stem,nosc,tl25,tg5,sw");
        names.sort();
        names.dedup();
        assert_eq!(names.len(), 32);
    }

    #[test]
    fn the_order_and_number_of_terms_do_not_matter_and_empty_documents_never_match() {
        let texts = ["grain prices rose", "rose rose prices grain", "grain fell", "", "..."];
        let table = run(&collection(&texts)).unwrap().table;
        assert_eq!(table.rows().len(), 32);
        let first = &table.to_json()[0];
        assert_eq!(first["filters"], "nothing");
        assert_eq!(first["unique_documents"], 2);
        assert_eq!(first["duplicate_documents"], 1);
        assert_eq!(first["filtered"], 2);
    }
}
