//! `train`: a model from labelled documents, used by the methods that need one.

use crate::program::{STORY, Workplace, read};

#[test]
fn a_model_is_trained_used_and_trained_again_with_the_same_bytes() {
    let place = Workplace::new();
    let input = place.stories("in.jsonl", 6);
    for (kind, method) in [("andd", "andd"), ("andd", "andd-cosine"), ("svm", "svm")] {
        let run = place.succeed(&["train", kind, &input, "--out", "one", "--force"]);
        assert!(run.stdout.contains("learned from 30 documents"), "{}", run.stdout);
        // A line break within a line of the report is shown as a sign.
        assert!(!run.stdout.contains('␊'), "{}", run.stdout);
        place.succeed(&["train", kind, &input, "--out", "two", "--force", "--threads", "1"]);
        let bytes = |name: &str| std::fs::read(place.path(name)).unwrap();
        assert!(bytes("one") == bytes("two"), "{kind}: not the same bytes");
        let run = place.succeed(&["find", &input, "--method", method, "--model", "one"]);
        assert!(run.stdout.contains("6 clusters"), "{method}: {}", run.stdout);
    }
}

#[test]
fn an_svm_compares_the_shingles_it_is_told_to() {
    let place = Workplace::new();
    let input = place.stories("in.jsonl", 6);
    let bytes = |options: &[&str]| {
        let whole = ["train", "svm", &*input, "--out", "m", "--force"];
        place.succeed(&[&whole, options].concat());
        let run = place.succeed(&["find", &input, "--method", "svm", "--model", "m"]);
        assert!(run.stdout.contains("6 clusters"), "{options:?}: {}", run.stdout);
        std::fs::read(place.path("m")).unwrap()
    };
    assert!(bytes(&[]) == bytes(&["--shingles", "1,2,3,5,8"]));
    assert!(bytes(&[]) != bytes(&["--no-shingles"]));
    let run = place.run(&["train", "svm", &input, "--out", "n", "--shingles", "2,0"]);
    assert!(run.stderr.contains("a shingle has from 1 to 64 words"), "{}", run.stderr);
    assert!(!place.path("n").exists());
}

#[test]
fn what_cannot_be_learned_from_is_named() {
    let place = Workplace::new();
    let input = place.stories("in.jsonl", 3);
    let plain = place.rows("plain.jsonl", &[("a", STORY), ("b", STORY)]);
    let empty = place.file("empty.jsonl", "");
    let broken = place.file("broken.jsonl", "neither this\nnor that\n");
    let alone = place.stories("alone.jsonl", 1);
    let ids = place.file("ids.jsonl", "{\"a\":\"0-0\",\"b\":\"nobody\",\"duplicate\":true}\n");
    let only = place.file("only.jsonl", "{\"a\":\"0-0\",\"b\":\"0-1\",\"duplicate\":true}\n");
    for (arguments, status, word) in [
        (vec![&*plain, "--out", "m"], 1, "--label-key"),
        (vec![&*empty, "--out", "m"], 1, "empty"),
        (vec![&*broken, "--out", "m"], 1, "broken.jsonl:1"),
        (vec![&*alone, "--out", "m"], 1, "all of the 5 labelled documents"),
        (vec!["nowhere.jsonl", "--out", "m"], 1, "nowhere.jsonl"),
        (vec![&*input, "--out", "no/such/m"], 2, "no folder no/such"),
        (vec![&*input, "--out", "."], 2, "is a folder"),
        (vec![&*input, "--out", &*plain], 2, "--force"),
        (vec![&*input, "--out", "m", "--label-key", "story"], 1, "`story`"),
        (vec![&*input, "--out", "m", "--judged", "none.jsonl"], 1, "none.jsonl"),
        (vec![&*input, "--out", "m", "--judged", &*ids], 1, "id nobody"),
        (vec![&*input, "--out", "m", "--judged", &*only], 1, "label some that are not"),
    ] {
        for kind in ["andd", "svm"] {
            let whole: Vec<&str> = ["train", kind].into_iter().chain(arguments.clone()).collect();
            let run = place.run(&whole);
            assert_eq!(run.status, status, "{whole:?}: {} {}", run.stdout, run.stderr);
            assert!(run.stderr.contains(word), "{whole:?}: {}", run.stderr);
            assert!(!place.path("m").exists());
        }
    }
}

#[test]
fn a_model_where_it_does_not_fit_is_refused_with_what_to_do() {
    let place = Workplace::new();
    let input = place.stories("in.jsonl", 4);
    place.succeed(&["train", "andd", &input, "--out", "m"]);
    let others = place.stories("others.jsonl", 5);
    place.succeed(&["stats", &others, "--out", "other.stats"]);
    place.succeed(&["stats", &input, "--out", "own.stats"]);
    place.succeed(&["train", "andd", &input, "--out", "own", "--stats", "own.stats"]);
    place.succeed(&["find", &input, "--method", "andd", "--model", "own"]);
    let mut newer = std::fs::read(place.path("m")).unwrap();
    newer[8] = 200;
    place.file("newer", newer);
    let find = ["find", &*input, "--method"];
    for (rest, word) in [
        (vec!["andd"], "lookalike train"),
        (vec!["svm", "--model", "m"], "lookalike train svm"),
        (vec!["andd-jaccard", "--model", "m"], "--similarity extended-jaccard"),
        (vec!["andd", "--model", "newer"], "train it again"),
        (vec!["andd", "--model", &*input], "is no model to use"),
        (vec!["andd", "--model", "own", "--stats", "other.stats"], "leave out --stats"),
        (vec!["andd", "--model", "m", "--stats", "own.stats", "--model-stats"], "model-stats"),
        (vec!["andd", "--model", "m", "--set", "analyzer.lowercase=false"], "train it again"),
    ] {
        let whole: Vec<&str> = find.into_iter().chain(rest).collect();
        let run = place.run(&whole);
        assert_ne!(run.status, 0, "{whole:?}");
        assert!(run.stderr.contains(word), "{whole:?}: {}", run.stderr);
    }
}

#[test]
fn a_model_counts_the_documents_it_is_asked_on_unless_told_to_use_its_own() {
    let place = Workplace::new();
    let input = place.stories("in.jsonl", 12);
    let others = place.stories("others.jsonl", 4);
    place.succeed(&["train", "andd", &others, "--out", "m", "--collection", &input]);
    for (rest, counts) in [(vec![], true), (vec!["--model-stats"], false)] {
        let find = ["find", &*input, "--method", "andd", "--model", "m", "--out", "o", "--force"];
        let run = place.succeed(&find.into_iter().chain(rest).collect::<Vec<_>>());
        assert!(run.stdout.contains("12 clusters"), "{}", run.stdout);
        let config = read(&place.path("o/config.toml"));
        assert_eq!(config.contains("model-stats = true"), !counts, "{config}");
        place.succeed(&["find", &input, "--config", "o/config.toml"]);
    }
    let run = place.run(&[
        "train",
        "andd",
        &others,
        "--out",
        "n",
        "--collection",
        &input,
        "--stats",
        "x.stats",
    ]);
    assert_eq!(run.status, 2, "{}", run.stderr);
    assert!(run.stderr.contains("--collection"), "{}", run.stderr);
}

#[test]
fn groups_are_named_by_a_field_that_must_be_there() {
    let place = Workplace::new();
    let input = place.stories("in.jsonl", 6);
    for command in [
        vec!["train", "andd", &*input, "--out", "m", "--group-key", "site"],
        vec!["tune", &*input, "--out", "c.toml", "--methods", "minhash", "--group-key", "site"],
    ] {
        let run = place.run(&command);
        assert_eq!(run.status, 1, "{}", run.stderr);
        assert!(run.stderr.contains("`site`"), "{}", run.stderr);
    }
}
