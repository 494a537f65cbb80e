//! `--report`: one page that opens anywhere, whatever the documents say.

use serde_json::json;

use crate::program::{Workplace, read};

/// What would run if a page took it for markup.
const HOSTILE: [&str; 6] = [
    "<script>alert(1)</script>",
    "</details></table><img src=x onerror=alert(1)>",
    "\"><svg onload=alert(1)>",
    "' onmouseover='alert(1)",
    "javascript:alert(1)",
    "<!--<iframe src=http://example.com>",
];

fn rows() -> String {
    let words =
        |from: usize| (from..from + 60).map(|n| format!("word{n}")).collect::<Vec<_>>().join(" ");
    let mut rows = Vec::new();
    for (number, hostile) in HOSTILE.iter().enumerate() {
        for copy in 0..3 {
            let text = format!("{} {hostile} {}", words(number * 100), "more ".repeat(copy));
            let id = format!("{hostile}-{copy}");
            rows.push(json!({"id": id, "text": text, "title": hostile}).to_string());
        }
    }
    // Alike, but not alike enough for the threshold.
    let (left, right) =
        (words(5000), words(5000).replace("word5010", "a").replace("word5013", "b"));
    rows.push(json!({"id": "near", "text": left}).to_string());
    rows.push(json!({"id": "miss", "text": right}).to_string());
    rows.join("\n") + "\n"
}

#[test]
fn the_page_has_clusters_and_both_sides_of_the_threshold_and_nothing_that_runs() {
    let workplace = Workplace::new();
    let rows = workplace.file("rows.jsonl", rows());
    workplace.succeed(&["find", &rows, "--threshold", "0.8", "--report", "--out", "found"]);
    let page = read(&workplace.path("found").join("report.html"));
    for part in
        ["Largest clusters", "Duplicates by a small margin", "Not duplicates by", "Settings"]
    {
        assert!(page.contains(part), "{part}");
    }
    assert!(page.contains("near and miss") || page.contains("miss and near"), "a pair just below");
    let lower = page.to_lowercase();
    for forbidden in ["<script", "<img", "<iframe", "<svg onload", "<!--"] {
        assert!(!lower.contains(forbidden), "{forbidden}");
    }
    assert!(page.contains("default-src 'none'"), "no request leaves the machine");
    assert!(page.contains("&lt;script&gt;"), "what the documents say is shown");
    // The results folder knows the page as its own and replaces it.
    let force = ["dedup", &rows, "--report", "--force", "--out", "found"];
    workplace.succeed(&force);
    assert!(workplace.path("found").join("report.html").exists());
    workplace.succeed(&["dedup", &rows, "--force", "--out", "found"]);
    assert!(!workplace.path("found").join("report.html").exists(), "a stale page is gone");
}

#[test]
fn the_page_stays_small_and_needs_a_folder() {
    let workplace = Workplace::new();
    let text = |n: usize| {
        (0..40_000).map(|w| format!("w{}", w * (1 + n % 7))).collect::<Vec<_>>().join(" ")
    };
    let row = |n: usize| {
        format!("{}\n", json!({"id": format!("{n}{}", "x".repeat(100_000)), "text": text(n)}))
    };
    let rows = workplace.file("long.jsonl", (0..14).map(row).collect::<String>());
    workplace.succeed(&["find", &rows, "--threshold", "0.3", "--report", "--out", "found"]);
    let size = read(&workplace.path("found").join("report.html")).len();
    assert!(size < 3 << 20, "{size}");
    for arguments in
        [vec!["find", &rows, "--report"], vec!["dedup", &rows, "--report", "--out", "-"]]
    {
        let run = workplace.run(&arguments);
        assert_eq!(run.status, 2, "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.contains("--out"), "{}", run.stderr);
    }
}

#[test]
fn an_input_without_copies_has_a_page_too() {
    let workplace = Workplace::new();
    let rows = workplace
        .rows("few.jsonl", &[("a", "one text of few words"), ("b", "another of other ones")]);
    workplace.succeed(&["find", &rows, "--report", "--out", "found", "--against", &rows]);
    workplace.succeed(&["find", &rows, "--report", "--method", "exact", "--out", "exact"]);
    let page = read(&workplace.path("exact").join("report.html"));
    assert!(page.contains("2 documents, 0 of them copies"), "{page}");
}
