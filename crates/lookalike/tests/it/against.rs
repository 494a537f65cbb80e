//! New documents against known ones, and crowds of them.

use lookalike::{Config, Corpus, Findings, OwnedDocument, Side};

use crate::collection::{config, text, with_context, words};

fn against(new: Vec<OwnedDocument>, known: Vec<OwnedDocument>, config: &Config) -> Findings {
    let folder = tempfile::tempdir().unwrap();
    let (new, known) = (Corpus::from_documents(new), Corpus::from_documents(known));
    with_context(folder.path(), |context| {
        lookalike::find_against(&new, &known, false, config, context)
    })
}

/// What the documents of a crowd have of their own.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Own {
    Nothing,
    AWord,
    /// A word more in a page of 1,200, which `simhash` sees through: its 64 sums are far from
    /// zero there. In a page of 120 words one word in five takes it beyond its 3 bits.
    AWordOfMany,
    /// Other spaces between the words.
    Spaces,
    /// More of the words that every document has, of which `imatch` takes no note.
    CommonWords,
}

impl Own {
    /// The words of each page.
    fn length(self) -> usize {
        if self == Own::AWordOfMany { 1_200 } else { 120 }
    }
}

fn page(family: usize, length: usize, separator: impl Fn(usize) -> char) -> String {
    let mut text = String::new();
    for (number, word) in words(family, length).into_iter().enumerate() {
        text += &word;
        text.push(separator(number));
    }
    text + "the and"
}

/// So many documents of one text.
fn crowd(size: usize, own: Own) -> Vec<OwnedDocument> {
    let document = |n: usize| {
        let is_other = |place: usize| own == Own::Spaces && place < 16 && n >> place & 1 == 1;
        let text = page(3, own.length(), |place| if is_other(place) { '\t' } else { ' ' });
        let text = match own {
            Own::Nothing | Own::Spaces => text,
            Own::AWord | Own::AWordOfMany => format!("{text} number{n}"),
            Own::CommonWords => {
                format!("{text}{}{}", " the".repeat(n % 100), " and".repeat(n / 100))
            }
        };
        OwnedDocument::new(format!("n{n:05}"), text)
    };
    (0..size).map(document).collect()
}

#[test]
fn every_one_of_ten_thousand_new_documents_names_the_known_copy() {
    let size = 10_000;
    for (method, own) in [
        ("exact", Own::Nothing),
        ("minhash", Own::Nothing),
        ("minhash", Own::AWord),
        ("simhash", Own::Nothing),
        ("simhash", Own::Spaces),
        ("simhash", Own::AWordOfMany),
        ("imatch", Own::Nothing),
        ("imatch", Own::CommonWords),
    ] {
        let id = |family: usize| if family == 3 { "copy".to_owned() } else { family.to_string() };
        let known = |family| OwnedDocument::new(id(family), page(family, own.length(), |_| ' '));
        let known = (0..40).map(known);
        let config = config(&format!("method = \"{method}\""));
        let findings = against(crowd(size, own), known.collect(), &config);
        let summary = &findings.summary;
        assert_eq!(summary.removed, size as u64, "{method} {own:?}");
        assert_eq!(findings.pairs.len(), size as u64, "{method} {own:?}");
        assert_eq!(summary.skipped_comparisons, 0, "{method} {own:?}");
        // Work grows with the documents, not with their square.
        assert!(summary.candidate_pairs <= 3 * size as u64, "{method} {own:?}: {summary:?}");
        let clusters: Vec<_> = findings.clusters().collect();
        assert_eq!((clusters.len(), clusters[0].keeper.id), (1, "copy"), "{method} {own:?}");
    }
}

#[test]
fn equal_ids_on_both_sides_are_told_apart() {
    let document = |id: &str| OwnedDocument::new(id, text(5, 12));
    let findings =
        against(vec![document("x")], vec![document("x")], &config("method = \"minhash\""));
    let pair = findings.pairs().next().unwrap().unwrap();
    assert_eq!((pair.a.id, pair.a.side), ("x", Some(Side::New)));
    assert_eq!((pair.b.id, pair.b.side), ("x", Some(Side::Known)));
    let cluster = findings.clusters().next().unwrap();
    assert_eq!(cluster.keeper.side, Some(Side::Known));
    assert_eq!(cluster.members[0].side, Some(Side::New));
}

#[test]
fn documents_without_telling_words_are_not_passed_over_in_silence() {
    let imatch = config("method = \"imatch\"");
    let numbered = |n: usize| OwnedDocument::new(n.to_string(), page(n, 120, |_| ' '));
    // Words that were never counted are in no lexicon.
    let foreign = against(crowd(5, Own::Nothing), vec![numbered(7)], &imatch);
    assert_eq!(foreign.summary.too_short, 5);
    let [note] = foreign.summary.notes.as_slice() else { panic!("{:?}", foreign.summary.notes) };
    assert!(note.starts_with("of 5 documents 5 were not compared"), "{note}");

    let told_apart = against(crowd(5, Own::Nothing), (0..40).map(numbered).collect(), &imatch);
    assert_eq!(told_apart.summary.notes, Vec::<String>::new());
}
