//! Additions of several callers, made durable at once, are those of one caller after the other.

use lookalike::{
    AddStatus, Addition, Artifacts, Index, IndexOptions, OnDuplicate, OnMatch, OwnedDocument,
};
use proptest::prelude::*;

use crate::collection::{config, text};

fn index(folder: &std::path::Path, name: &str) -> Index {
    let config = config("method = \"minhash\"\nthreshold = 0.5");
    Index::create(&folder.join(name), &config, Artifacts::default(), IndexOptions::default())
        .unwrap()
}

fn exported(index: &Index) -> String {
    let mut bytes = Vec::new();
    index.snapshot(9).export(&mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

/// A caller's documents by the numbers of their ids and texts, and the numbers of the terms.
type Caller = (Vec<(usize, usize)>, usize, usize);

/// Callers with documents of few ids and texts, on any terms.
fn callers() -> impl Strategy<Value = Vec<Caller>> {
    let documents = prop::collection::vec((0..6_usize, 0..6_usize), 0..4);
    prop::collection::vec((documents, 0..3_usize, 0..3_usize), 0..6)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    #[test]
    fn together_is_one_after_the_other(callers in callers()) {
        let folder = tempfile::tempdir().unwrap();
        let (together, apart) = (index(folder.path(), "together"), index(folder.path(), "apart"));
        let documents: Vec<Vec<OwnedDocument>> = callers
            .iter()
            .map(|(documents, ..)| {
                let made = |(id, family): &(usize, usize)| {
                    // Two families of texts that are alike, and some of the same text.
                    let sentences = 10 + family % 3;
                    OwnedDocument::new(id.to_string(), text(family / 3, sentences))
                };
                documents.iter().map(made).collect()
            })
            .collect();
        let additions: Vec<Addition<'_>> = callers
            .iter()
            .zip(&documents)
            .map(|((_, on_id, on_match), documents)| Addition {
                documents,
                added: &[],
                on_id: [OnDuplicate::Refuse, OnDuplicate::Skip, OnDuplicate::Replace][*on_id],
                on_match: [OnMatch::Keep, OnMatch::Skip, OnMatch::Replace][*on_match],
            })
            .collect();
        let at_once = together.add_together(&additions, 5).unwrap();
        for (addition, answer) in additions.iter().zip(at_once) {
            let alone = apart.add_together(&[*addition], 5).unwrap().pop().unwrap();
            match (answer, alone) {
                (Ok(answer), Ok(alone)) => prop_assert_eq!(answer, alone),
                (Err(answer), Err(alone)) => {
                    prop_assert_eq!(answer.to_string(), alone.to_string());
                }
                (answer, alone) => prop_assert!(false, "{:?} and {:?}", answer, alone),
            }
        }
        prop_assert_eq!(exported(&together), exported(&apart));
    }
}

#[test]
fn a_caller_who_is_refused_leaves_the_others_alone() {
    let folder = tempfile::tempdir().unwrap();
    let index = index(folder.path(), "index");
    let first = [OwnedDocument::new("a", text(1, 10))];
    let again = [OwnedDocument::new("b", text(2, 10)), OwnedDocument::new("a", text(3, 10))];
    let other = [OwnedDocument::new("c", text(1, 11))];
    let addition = |documents, on_match| Addition {
        documents,
        added: &[],
        on_id: OnDuplicate::Refuse,
        on_match,
    };
    let answers = index
        .add_together(
            &[
                addition(&first, OnMatch::Keep),
                addition(&again, OnMatch::Keep),
                addition(&other, OnMatch::Skip),
            ],
            1,
        )
        .unwrap();
    assert!(answers[1].as_ref().unwrap_err().to_string().contains("\"a\""));
    assert_eq!(answers[2].as_ref().unwrap()[0].added, AddStatus::LeftOut);
    assert_eq!(exported(&index).lines().count(), 1);
}
