//! `lookalike find --against`.

use serde_json::json;

use crate::program::{OTHER, STORY, Workplace};

#[test]
fn new_documents_name_the_known_one_they_match() {
    let place = Workplace::new();
    let edited = STORY.replace("Tuesday", "Monday");
    let known = place.rows("known.jsonl", &[("k1", STORY), ("k2", STORY), ("k3", OTHER)]);
    // An id may stand on both sides: the left one is always the new document.
    let new =
        place.rows("new.jsonl", &[("z", &edited), ("k1", &edited), ("y", "Something short.")]);
    let arguments = ["find", &new, "--against", &known, "--threshold", "0.5", "--out"];
    let run = |folder: &str, more: &[&str]| {
        let mut all = arguments.to_vec();
        all.push(folder);
        all.extend(more);
        place.succeed(&all);
        place
            .result(&format!("{folder}/pairs.jsonl"))
            .into_iter()
            .map(|pair| {
                (pair["a"].as_str().unwrap().to_owned(), pair["b"].as_str().unwrap().to_owned())
            })
            .collect::<Vec<_>>()
    };
    let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
    assert_eq!(run("best", &[]), [pair("k1", "k1"), pair("z", "k1")]);
    assert_eq!(
        run("all", &["--pairs", "all"]),
        [pair("k1", "k1"), pair("k1", "k2"), pair("z", "k1"), pair("z", "k2")]
    );
    assert!(run("among", &["--among-new"]).contains(&pair("z", "k1")));
    assert_eq!(run("among-all", &["--among-new", "--pairs", "all"]).len(), 5);
    let summary = place.summary("best");
    assert_eq!(summary["documents"], 3);
    assert_eq!(summary["removed"], 2);
    assert_eq!(place.result("best/clusters.jsonl").len(), 3);
    assert_eq!(place.result("best/clusters.jsonl")[0]["keeper"], json!(true));
}

#[test]
fn the_same_matches_with_keys_alone_and_with_any_number_of_threads() {
    let place = Workplace::new();
    let known = place.rows("known.jsonl", &[("k1", STORY), ("k2", OTHER)]);
    let new =
        place.rows("new.jsonl", &[("a", STORY), ("b", OTHER), ("c", "Nothing like it at all.")]);
    for method in ["exact", "imatch", "minhash"] {
        for threads in ["1", "2"] {
            place.succeed(&[
                "find",
                &new,
                "--against",
                &known,
                "--method",
                method,
                "--threads",
                threads,
                "--out",
                "out",
                "--force",
            ]);
            assert_eq!(place.summary("out")["removed"], 2, "{method}");
        }
    }
    assert_eq!(place.run(&["find", &new, "--among-new"]).status, 2);
}
