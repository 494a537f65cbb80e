//! What can be typed: statuses, contradictions, help, completions, manual pages.

use serde_json::Value;

use crate::program::{OTHER, STORY, Workplace, read};

#[test]
fn wrong_values_and_contradictions_are_wrong_usage() {
    let place = Workplace::new();
    let input = place.rows("in.jsonl", &[("a", STORY), ("b", OTHER)]);
    for (flags, word) in [
        (&["--threshold", "70"][..], "threshold"),
        (&["--ngram", "0"], "ngram"),
        (&["--method", "simhash", "--set", "bits=0"], "bits"),
        (&["--method", "vectors", "--ngram", "0"], "ngram"),
        (&["--memory", "8"], "at least 4K"),
        (
            &["--set", "bands=20", "--set", "rows=10", "--set", "permutations=128"],
            "200 permutations",
        ),
        (&["--model", "some.model"], "minhash uses no model"),
        (&["--method", "andd"], "model"),
        (&["--quiet", "--verbose"], "--verbose"),
        (&["--ignore-boilerplate", "1"], "at least 2"),
        (&["--threads", "100000"], "between 0 and 1024"),
        (&["--threshold", "-0.1"], "threshold = -0.1: a number between 0 and 1"),
        (&["--threshold", "0.01"], "raise threshold to 0.036, or permutations to 459"),
        (&["--method", "spotsigs", "--set", "length=4294967296"], "length"),
    ] {
        let run = place.run(&[&["find", &input], flags].concat());
        assert_eq!(run.status, 2, "{flags:?}: {}", run.stderr);
        assert!(run.stderr.contains(word), "{flags:?}: {}", run.stderr);
    }
    let fitting = ["--set", "bands=20", "--set", "rows=5", "--set", "permutations=128"];
    place.succeed(&[&["find", &input][..], &fitting].concat());
    let run = place.run(&["dedup", &input, "--relation", "overlaps", "--out", "out"]);
    assert_eq!(run.status, 2, "{}", run.stderr);
    assert!(run.stderr.contains("no ground for removal"), "{}", run.stderr);
}

#[test]
fn a_stored_configuration_finds_its_model_from_any_folder() {
    let place = Workplace::new();
    let input = place.stories("in.jsonl", 6);
    place.file("models/readme", "");
    place.succeed(&["train", "svm", &input, "--out", "models/news.model"]);
    place.succeed(&[
        "find",
        &input,
        "--method",
        "svm",
        "--model",
        "models/news.model",
        "-o",
        "one",
    ]);
    place.file("elsewhere/readme", "");
    let mut again = place.command(&["find", &input, "--config", "../one/config.toml", "-o", "two"]);
    let output = again.current_dir(place.path("elsewhere")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let pairs = |folder: &str| read(&place.path(folder).join("pairs.jsonl"));
    assert_eq!(pairs("one"), pairs("elsewhere/two"));
}

#[cfg(unix)]
#[test]
fn result_files_can_be_read_as_the_mask_allows() {
    use std::os::unix::fs::PermissionsExt;
    let place = Workplace::new();
    let input = place.stories("in.jsonl", 6);
    place.succeed(&["stats", &input, "--out", "words.stats"]);
    place.succeed(&["train", "svm", &input, "--out", "a.model"]);
    place.succeed(&["boilerplate", &input, "--out", "menus.jsonl"]);
    let tune = ["tune", &input, "--out", "best.toml", "--methods", "minhash", "--halvings", "1"];
    place.succeed(&tune);
    let mode =
        |name: &str| std::fs::metadata(place.path(name)).unwrap().permissions().mode() & 0o777;
    // A plain file tells what the mask of whoever runs the tests allows.
    let plain = mode("in.jsonl");
    for name in ["words.stats", "a.model", "menus.jsonl", "best.toml"] {
        assert_eq!(mode(name), plain, "{name}");
    }
}

#[test]
fn more_unreadable_rows_than_are_shown_are_counted() {
    let place = Workplace::new();
    let good = format!("{}\n", serde_json::json!({"id": "a", "text": STORY}));
    let input = place.file("in.jsonl", good + &"broken\n".repeat(5));
    let run = place.succeed(&["find", &input]);
    assert_eq!(run.stdout.matches("in.jsonl:").count(), 3, "{}", run.stdout);
    assert!(run.stdout.contains("and 2 more"), "{}", run.stdout);
}

#[test]
fn help_shows_what_the_command_takes_and_no_more() {
    let place = Workplace::new();
    let help = |command: &[&str]| place.succeed(&[command, &["-h"]].concat()).stdout;
    for command in [&["stats"][..], &["boilerplate"], &["train", "andd"], &["train", "svm"]] {
        let text = help(command);
        for flag in ["--threshold", "--keep", "--cluster ", "--pairs", "--relation"] {
            assert!(!text.contains(flag), "{command:?} {flag}");
        }
        assert!(text.lines().count() < 55, "{command:?}: {}", text.lines().count());
    }
    assert!(!help(&["explain"]).contains("--keep"));
    assert!(!help(&["label"]).contains("--cluster "));
    assert!(!help(&["plan"]).contains("--force"));
    assert!(!help(&["tune"]).contains("--threshold"));
    let find = place.succeed(&["find", "--help"]).stdout;
    let on_one_line = find.split_whitespace().collect::<Vec<_>>().join(" ");
    for default in [
        "minhash 0.7,",
        "spotsigs 0.44",
        "minhash 5,",
        "[default: 0.99]",
        "simhash 64",
        "[default: simhash 3, hybrid",
        "[default: 10; 0 with",
        "[default: 1]",
        "[default: text]",
    ] {
        assert!(on_one_line.contains(default), "{default}: {on_one_line}");
    }
    for flag in ["--keep", "--threshold", "-o,", "-v,", "-q,"] {
        assert!(find.contains(flag), "{flag}: {find}");
    }
}

#[test]
fn every_command_can_be_quiet_or_speak_json() {
    let place = Workplace::new();
    let input = place.stories("in.jsonl", 6);
    place.succeed(&["stats", &input, "--out", "words.stats"]);
    let compare = ["compare", &input, "--methods", "exact", "--halvings", "0"];
    let tune =
        ["tune", &input, "--out", "t.toml", "--force", "--methods", "minhash", "--halvings", "1"];
    let commands: [&[&str]; 11] = [
        &["find", &input],
        &["dedup", &input, "--out", "out", "--force"],
        &["explain", "0-0", "0-1", "--in", &input],
        &["boilerplate", &input],
        &["plan", &input],
        &["stats", &input, "--out", "w.stats", "--force"],
        &["stats", "--show", "words.stats"],
        &compare,
        &tune,
        &["train", "svm", &input, "--out", "m", "--force"],
        &["label", &input, "--out", "pairs.jsonl"],
    ];
    for command in commands {
        let run = place.succeed(&[command, &["--format", "json"]].concat());
        let values = serde_json::Deserializer::from_str(&run.stdout).into_iter::<Value>();
        let values: Result<Vec<Value>, _> = values.collect();
        assert!(!values.unwrap().is_empty(), "{command:?}: {}", run.stdout);
        if command[0] == "label" || command[1] == "--show" {
            continue;
        }
        let run = place.succeed(&[command, &["--quiet"]].concat());
        assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("", ""), "{command:?}");
    }
    place.succeed(&["demo", "--quiet"]);
    let run = place.succeed(&["find", &input, "--verbose"]);
    assert!(run.stderr.contains("reading: "), "{}", run.stderr);
}

#[test]
fn a_dry_run_says_what_would_go_and_writes_nothing() {
    let place = Workplace::new();
    let input = place.rows("in.jsonl", &[("a", STORY), ("b", STORY), ("c", OTHER)]);
    for flags in [&["--dry-run"][..], &["--dry-run", "--out", "out"]] {
        let run = place.succeed(&[&["dedup", &input, "--method", "exact"], flags].concat());
        assert!(run.stdout.contains("2 would stay, 1 copies"), "{}", run.stdout);
        assert!(!place.path("out").exists());
    }
    assert_eq!(place.run(&["dedup", &input]).status, 2);
}

#[test]
fn completions_and_manual_pages_come_from_the_program() {
    let place = Workplace::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = place.succeed(&["completions", shell]).stdout;
        assert!(script.contains("boilerplate") && script.contains("threshold"), "{shell}");
    }
    assert!(place.succeed(&["man"]).stdout.contains(".TH lookalike"));
    place.succeed(&["man", "--out", "man1"]);
    for name in ["lookalike.1", "lookalike-find.1", "lookalike-train-svm.1"] {
        assert!(read(&place.path("man1").join(name)).contains(".SH NAME"), "{name}");
    }
    assert!(read(&place.path("man1/lookalike-find.1")).contains("min:FIELD"));
}

#[test]
fn a_plan_tells_pairs_results_and_what_boilerplate_costs() {
    let place = Workplace::new();
    let input = place.stories("in.jsonl", 60);
    for method in ["minhash", "vectors", "imatch", "paragraph", "exact"] {
        let run = place.succeed(&["plan", &input, "--method", method, "--format", "json"]);
        let plan: Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(plan["documents"], 300, "{method}");
        assert_eq!(plan["sampled_documents"], 300, "a small input is run whole");
        assert!(
            plan["dedup_result_bytes"].as_u64() >= Some(std::fs::metadata(&input).unwrap().len())
        );
        assert!(plan["seconds"].as_f64() > Some(0.0));
    }
    let run = place.succeed(&["plan", &input, "--format", "json"]);
    let plan: Value = serde_json::from_str(&run.stdout).unwrap();
    place.succeed(&["find", &input, "--out", "out"]);
    let summary = place.summary("out");
    assert_eq!(plan["candidate_pairs"], summary["candidate_pairs"]);
    assert_eq!(plan["decision"]["documents"], 300, "{plan}");
    let shown = place.succeed(&["plan", &input]).stdout;
    let reason = plan["decision"]["reason"].as_str().unwrap();
    assert!(shown.contains("decision   ") && shown.contains(reason), "{shown}");
    place.succeed(&["plan", &input, "--ignore-boilerplate", "3"]);
}

#[test]
fn names_of_other_tools_for_flags_are_understood() {
    let place = Workplace::new();
    let input = place.stories("in.jsonl", 6);
    place.succeed(&[
        "find",
        &input,
        "--jaccard-threshold",
        "0.8",
        "--num-perm",
        "64",
        "--out",
        "out",
    ]);
    let config = place.path("out").join("config.toml");
    let config = std::fs::read_to_string(config).unwrap();
    assert!(config.contains("threshold = 0.8") && config.contains("permutations = 64"), "{config}");
    let run = place.run(&["find", &input, "--method", "minhsh"]);
    assert!(run.status == 2 && run.stderr.contains("did you mean `minhash`?"), "{}", run.stderr);
}
