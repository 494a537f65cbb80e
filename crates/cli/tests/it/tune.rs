//! `tune`: the best method for labelled documents, as a configuration.

use crate::program::{Workplace, read};

#[test]
fn the_configuration_is_taken_by_every_command_wherever_it_runs() {
    let place = Workplace::new();
    let input = place.stories("in.jsonl", 12);
    std::fs::create_dir(place.path("tuned")).unwrap();
    let run = place.succeed(&[
        "tune",
        &input,
        "--out",
        "tuned/config.toml",
        "--methods",
        "minhash,andd",
        "--halvings",
        "3",
    ]);
    assert!(run.stdout.contains("use it with --config tuned/config.toml"), "{}", run.stdout);
    let config = ["--config", "tuned/config.toml"];
    for command in [
        vec!["find", &*input],
        vec!["plan", &*input],
        vec!["dedup", &*input, "--out", "clean"],
        vec!["explain", "0-0", "0-1", "--in", &*input],
    ] {
        place.succeed(&command.into_iter().chain(config).collect::<Vec<_>>());
    }
    place.succeed_with_input(
        &[&["label", &*input, "--out", "pairs.jsonl"][..], &config[..]].concat(),
        "y",
    );
    let from_elsewhere = place
        .command(&["find", &input, "--config", "config.toml"])
        .current_dir(place.path("tuned"))
        .status();
    assert!(from_elsewhere.unwrap().success());
}

#[test]
fn a_learned_winner_has_its_model_beside_it() {
    let place = Workplace::new();
    let input = place.stories("in.jsonl", 12);
    place.succeed(&["tune", &input, "--out", "c.toml", "--methods", "andd", "--halvings", "2"]);
    assert!(read(&place.path("c.toml")).contains("model = \"c.model\""));
    let run = place.succeed(&["find", &input, "--config", "c.toml"]);
    assert!(run.stdout.contains("12 clusters"), "{}", run.stdout);
}

#[test]
fn a_precision_is_sought_and_little_data_is_said() {
    let place = Workplace::new();
    let input = place.stories("in.jsonl", 4);
    let run = place.succeed(&[
        "tune",
        &input,
        "--out",
        "c.toml",
        "--methods",
        "minhash",
        "--precision",
        "0.99",
    ]);
    assert!(run.stdout.contains("too little data"), "{}", run.stdout);
    let again = place.run(&["tune", &input, "--out", "c.toml", "--methods", "minhash"]);
    assert_eq!(again.status, 2);
    assert!(again.stderr.contains("--force"), "{}", again.stderr);
}

#[test]
fn a_budget_of_nothing_says_what_was_not_tried() {
    let place = Workplace::new();
    let input = place.stories("in.jsonl", 4);
    let run = place.run(&["tune", &input, "--out", "c.toml", "--budget", "0s"]);
    assert_eq!(run.status, 1);
    assert!(run.stderr.contains("--budget"), "{}", run.stderr);
    assert!(!place.path("c.toml").exists());
}

#[test]
fn wrong_wishes_are_named_before_any_work() {
    let place = Workplace::new();
    let input = place.stories("in.jsonl", 4);
    let plain = place.rows("plain.jsonl", &[("a", "one"), ("b", "two")]);
    for (rest, status, word) in [
        (vec![&*input, "--methods", "psychic"], 2, "psychic"),
        (vec![&*input, "--budget", "soon"], 2, "soon"),
        (vec![&*input, "--precision", "99"], 2, "99"),
        (vec![&*plain], 1, "--label-key"),
    ] {
        let whole: Vec<&str> = ["tune", "--out", "c.toml"].into_iter().chain(rest).collect();
        let run = place.run(&whole);
        assert_eq!(run.status, status, "{whole:?}: {}", run.stderr);
        assert!(run.stderr.contains(word), "{whole:?}: {}", run.stderr);
    }
    let run = place.run(&["tune", &input, "--out", "no/such.toml"]);
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains("no folder"), "{}", run.stderr);
}
