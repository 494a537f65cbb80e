//! `--write-artifacts`, and handing what it wrote to another run.

use crate::program::{OTHER, STORY, Workplace, read};

/// Pages of one template, each with a story of its own, and edited copies of a few.
fn pages(place: &Workplace) -> String {
    let page = |number: usize| {
        let words = (0..60).map(|place| format!("word{} ", (number / 2 * 31 + place * 7) % 997));
        let story = words.collect::<String>();
        // A word of its own, so that the rule leaves it out.
        let edit = if number % 2 == 1 { format!("edited{number}") } else { String::new() };
        (format!("p{number}"), format!("Home, news and sport of {OTHER}\n\n{story}{edit}"))
    };
    let mut rows: Vec<(String, String)> = (0..40).map(page).collect();
    rows.push(("alone".into(), STORY.into()));
    let rows: Vec<(&str, &str)> = rows.iter().map(|(id, text)| (&**id, &**text)).collect();
    place.rows("pages.jsonl", &rows)
}

#[test]
fn a_second_run_with_the_artefacts_of_the_first_gives_its_results() {
    let place = Workplace::new();
    let input = pages(&place);
    let find = ["find", &input, "--method", "imatch", "--set", "rule=IDF-L-40"];
    let first = ["--ignore-boilerplate", "5", "--out", "first", "--write-artifacts", "kept"];
    place.succeed(&[&find[..], &first].concat());
    let second = ["--stats", "kept/statistics.stats", "--boilerplate", "kept/boilerplate.set"];
    place.succeed(&[&find[..], &second, &["--out", "second"]].concat());
    for name in ["clusters.jsonl", "pairs.jsonl"] {
        let result = |folder: &str| read(&place.path(folder).join(name));
        assert!(!result("first").is_empty());
        assert_eq!(result("first"), result("second"), "{name}");
    }
    // The statistics alone are those of the one reading that counts and signs.
    place.succeed(&[&find[..], &["--out", "third", "--write-artifacts", "counted"]].concat());
    let counted = std::fs::read(place.path("counted").join("statistics.stats")).unwrap();
    assert_eq!(counted, std::fs::read(place.path("kept").join("statistics.stats")).unwrap());
    assert!(!place.path("counted").join("boilerplate.set").exists());
}

#[test]
fn an_index_leaves_the_artefacts_it_was_created_with_for_a_rebuild() {
    let place = Workplace::new();
    let input = pages(&place);
    let method = ["--method", "imatch", "--set", "rule=IDF-L-40", "--pairs", "all"];
    let create = ["index", "create", "i", "--stats-from", &input, "--ignore-boilerplate", "5"];
    place.succeed(&[&create[..], &method, &["--write-artifacts", "kept"]].concat());
    // What was counted at creation stays, whatever else is added.
    let twice = STORY.repeat(2);
    let other = place.rows("other.jsonl", &[("other", STORY), ("more", twice.as_str())]);
    place.succeed(&["index", "add", "i", &input, &other, "--quiet"]);
    place.succeed(&["index", "find", "i", "--out", "indexed"]);
    let kept = ["--stats", "kept/statistics.stats", "--boilerplate", "kept/boilerplate.set"];
    let find = ["find", &input, &other, "--out", "rebuilt"];
    place.succeed(&[&find[..], &method, &kept].concat());
    for name in ["clusters.jsonl", "pairs.jsonl"] {
        let result = |folder: &str| read(&place.path(folder).join(name));
        assert!(!result("indexed").is_empty());
        assert_eq!(result("indexed"), result("rebuilt"), "{name}");
    }
}

#[test]
fn boilerplate_that_is_no_file_of_ours_is_refused_with_a_sentence() {
    let place = Workplace::new();
    let input = pages(&place);
    place.file("other.set", "nothing of the kind");
    let run = place.run(&["find", &input, "--boilerplate", "other.set"]);
    assert_eq!(run.status, 1);
    assert!(run.stderr.contains("other.set is no boilerplate file"), "{}", run.stderr);
    let both = ["find", &input, "--boilerplate", "other.set", "--ignore-boilerplate", "3"];
    let run = place.run(&both);
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains("give one of the two"), "{}", run.stderr);
}
