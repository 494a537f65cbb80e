//! `lookalike dedup`.

use serde_json::json;

use crate::program::{OTHER, STORY, Workplace, read};

#[test]
fn rows_come_out_as_they_came_in_and_removed_ones_say_of_what_they_are_a_copy() {
    let place = Workplace::new();
    let row = |id: &str, text: &str| {
        format!("{{ \"id\":\"{id}\", \"text\":{}, \"n\": 1.50}}\n", json!(text))
    };
    let (a, b, c) = (row("a", STORY), row("b", OTHER), row("c", STORY));
    let input = place.file("in.jsonl", [a.clone(), b.clone(), c].concat());
    place.succeed(&["dedup", &input, "--out", "out", "--method", "exact"]);
    assert_eq!(read(&place.path("out/kept.jsonl")), [a, b].concat());
    let removed = place.result("out/removed.jsonl");
    assert_eq!(removed.len(), 1);
    assert_eq!(removed[0]["id"], "c");
    assert_eq!(removed[0]["n"], 1.5);
    assert_eq!(removed[0]["duplicate_of"], "a");
    assert_eq!(removed[0]["score"], 1.0);
}

#[test]
fn the_keep_rule_decides_which_copy_stays() {
    let place = Workplace::new();
    let row = |id: &str, date: &str, source: &str| {
        format!("{}\n", json!({"id": id, "text": STORY, "date": date, "source": source}))
    };
    let rows = [row("a", "2020", "blog"), row("b", "2024", "mirror"), row("c", "2022", "agency")];
    let input = place.file("in.jsonl", rows.concat());
    for (rule, kept) in [
        ("first", "a"),
        ("newest:date", "b"),
        ("oldest:date", "a"),
        ("prefer:source=agency,blog", "c"),
    ] {
        place.succeed(&[
            "dedup", &input, "--out", "out", "--force", "--method", "exact", "--keep", rule,
        ]);
        assert_eq!(place.result("out/kept.jsonl")[0]["id"], kept, "{rule}");
        assert_eq!(place.summary("out")["removed"], 2);
    }
}

#[test]
fn a_folder_of_files_becomes_a_folder_of_files() {
    let place = Workplace::new();
    place.file("in/one.txt", STORY);
    place.file("in/deep/two.txt", OTHER);
    place.file("in/deep/three.txt", STORY);
    place.succeed(&["dedup", "in", "--out", "out", "--method", "exact"]);
    assert_eq!(read(&place.path("out/kept/deep/two.txt")), OTHER);
    let stories = [place.path("out/kept/one.txt"), place.path("out/kept/deep/three.txt")];
    assert_eq!(stories.iter().filter(|path| path.exists()).count(), 1);
    assert_eq!(place.result("out/removed.jsonl").len(), 1);
}
