//! The experiments as commands: what they print and the files they leave.

use serde_json::{Value, json};

use crate::program::Workplace;

fn table(workplace: &Workplace, folder: &str) -> Value {
    let text = std::fs::read_to_string(workplace.path(folder).join("table.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn the_planner_says_how_many_lexicons_survive_the_edits() {
    let workplace = Workplace::new();
    let run = workplace.succeed(&["stability", "--plan", "n=5,stability=0.9"]);
    assert!(run.stdout.contains("341"), "{}", run.stdout);
    let wrong = workplace.run(&["stability", "--plan", "n=5"]);
    assert_eq!(wrong.status, 2, "{}", wrong.stderr);
    assert!(wrong.stderr.contains("n=5,stability=0.9"), "{}", wrong.stderr);
}

#[test]
fn contradicting_judgments_are_listed_from_a_clusters_file() {
    let workplace = Workplace::new();
    let member = |id: &str| format!("{}\n", json!({"id": id, "cluster": "a", "size": 2}));
    let clusters = workplace.file("clusters.jsonl", member("a") + &member("b"));
    let qrels = workplace.file("qrels", "301 0 a 1\n301 0 b 0\n302 0 a 1\n302 0 b 1\n");
    workplace.succeed(&["judgments", &clusters, "--qrels", &qrels, "--out", "results"]);
    let expected = json!([{"topic": "301", "cluster": "a", "relevant": "a", "not_relevant": "b"}]);
    assert_eq!(table(&workplace, "results"), expected);
}

#[test]
fn statistics_that_an_experiment_would_not_look_at_are_refused() {
    let workplace = Workplace::new();
    let rows = workplace.file("rows.jsonl", format!("{}\n", json!({"id": "a", "text": "a text"})));
    for experiment in ["syntactic", "contrived", "shortdocs", "timing", "andd", "campaigns", "svm"]
    {
        let run = workplace.run(&[experiment, &rows, "--stats", "elsewhere.stats"]);
        assert_eq!(run.status, 2, "{experiment}: {}", run.stderr);
        assert!(run.stderr.contains("--stats"), "{experiment}: {}", run.stderr);
    }
}

#[test]
fn mail_rows_have_the_columns_that_were_promised_and_a_plot() {
    let workplace = Workplace::new();
    let words = |from: usize| {
        let word = |n: usize| {
            format!("{}word", char::from(b'a' + (n % 26) as u8).to_string().repeat(3 + n / 26))
        };
        (from..from + 24).map(word).collect::<Vec<_>>().join(" ")
    };
    let row = |n: usize| {
        let label = if n < 8 { "spam" } else { "ham" };
        // Every second message adds a word of its own to the one before.
        let text = format!("{} {}", words(n / 2 * 5), if n % 2 == 1 { "novel" } else { "" });
        format!("{}\n", json!({"id": n.to_string(), "text": text, "label": label}))
    };
    let rows = workplace.file("mail.jsonl", (0..16).map(row).collect::<String>());
    let arguments = ["mail", &rows, "--nidf", "0-1", "--share", "1", "--out", "results"];
    workplace.succeed(&arguments);
    let table = table(&workplace, "results");
    let bags: Vec<u64> =
        table.as_array().unwrap().iter().map(|row| row["bags"].as_u64().unwrap()).collect();
    assert_eq!(bags, [0, 1, 2, 5, 10]);
    for column in ["recall", "precision", "pure", "ham_matched", "utility", "null_signatures"] {
        assert!(table[4][column].is_number(), "{column}: {table}");
    }
    assert!(table[4]["recall"].as_f64() > table[0]["recall"].as_f64(), "{table}");
    // Nothing was found without bags, so that there is no gain to speak of.
    assert!(table[0]["recall"] == 0.0 && table[4]["increase_low"].is_null(), "{table}");
    assert!(workplace.path("results").join("plot.svg").exists());
}

#[test]
fn a_collection_that_cannot_be_read_is_a_failure_that_names_the_row() {
    let workplace = Workplace::new();
    let rows = workplace.file("in.jsonl", "not json\nneither\n");
    let run = workplace.run(&["boilerplate", &rows]);
    assert_eq!(run.status, 1, "{}", run.stdout);
    assert!(run.stderr.contains("in.jsonl:1"), "{}", run.stderr);
}

#[test]
fn what_is_printed_is_quiet_json_or_safe_to_look_at() {
    let workplace = Workplace::new();
    let plan = ["stability", "--plan", "n=5,stability=0.9"];
    let run = workplace.succeed(&[&plan[..], &["--format", "json"]].concat());
    assert!(serde_json::from_str::<Value>(&run.stdout).unwrap().is_array(), "{}", run.stdout);
    let run = workplace.succeed(&[&plan[..], &["--quiet"]].concat());
    assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("", ""));
    let row = |n: usize| json!({"id": n.to_string(), "text": "some words"}).to_string() + "\n";
    let rows = workplace.file("rows.jsonl", (0..20).map(row).collect::<String>());
    let hostile = "gpj\u{202e}\u{1b}[2J";
    for arguments in [&["contrived", &rows, "--method", hostile][..], &["bags", hostile]] {
        let run = workplace.run(arguments);
        assert_ne!(run.status, 0, "{}", run.stdout);
        assert!(run.stderr.contains("gpj") && !run.stderr.contains('\u{1b}'), "{}", run.stderr);
        assert!(!run.stderr.contains('\u{202e}'), "{}", run.stderr);
    }
}
