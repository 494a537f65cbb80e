//! `--method paragraph` end to end: relations, what pairs share, pages, boilerplate.

use std::collections::BTreeMap;
use std::path::Path;

use lookalike_corpus::{Corpus, InputOptions};
use serde_json::{Value, json};

use crate::program::{OTHER, STORY, Workplace};

/// A third paragraph, long enough for a fingerprint.
const THIRD: &str = "A carpenter from the old quarter has built a clock that needs no winding, \
    because a bowl of water in its foot rises and falls with the temperature of the room. \
    It has lost four minutes since spring, which he blames on a week of rain.";

/// The markup and addresses that a page must not take for its own.
const HOSTILE: &str = "A page wrote <script>alert('here')</script> & <img src=x onerror=alert(1)> \
    into its own text, with \"quotes\" and </div></td></table> at the end of the same sentence.";

/// Whether two texts have at least half of their characters' bigrams in common.
fn alike(left: &str, right: &str) -> bool {
    let bigrams = |text: &str| {
        let letters: Vec<char> =
            text.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect();
        let mut pairs: Vec<[char; 2]> = letters.windows(2).map(|w| [w[0], w[1]]).collect();
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    };
    let (left, right) = (bigrams(left), bigrams(right));
    let shared = left.iter().filter(|pair| right.binary_search(pair).is_ok()).count();
    shared > 0 && 2 * shared >= left.len().min(right.len())
}

/// Checks every match of every pair on the two original texts; how many there were.
fn check_matches(pairs: &[Value], text_of: &dyn Fn(&str) -> String) -> usize {
    let mut n_matches = 0;
    for pair in pairs {
        let texts = [&pair["a"], &pair["b"]].map(|id| text_of(id.as_str().unwrap()));
        let matches = pair["matches"].as_array().unwrap();
        for matched in matches {
            let [left, right] = [("a", &texts[0]), ("b", &texts[1])].map(|(side, text)| {
                let place = |end: usize| matched[side][end].as_u64().unwrap() as usize;
                &text[place(0)..place(1)]
            });
            assert!(alike(left, right), "{left:?} against {right:?}");
            n_matches += 1;
        }
        let share = |side: usize| pair["containment"][side].as_f64().unwrap();
        assert!(share(0).max(share(1)) >= pair["resemblance"].as_f64().unwrap() - 1e-6, "{pair}");
    }
    n_matches
}

/// Two that share a paragraph of two, a copy of one with its words in capitals, one apart.
fn collection(place: &Workplace) -> (String, Vec<(&'static str, String)>) {
    let rows = vec![
        ("whole", format!("{STORY}\n\n{OTHER}")),
        ("copy", format!("Read this first.\n\n{}\n\n{OTHER}", STORY.to_uppercase())),
        ("part", format!("{STORY}\n\n{THIRD}")),
        ("apart", HOSTILE.to_owned()),
    ];
    let borrowed: Vec<(&str, &str)> = rows.iter().map(|(id, text)| (*id, &**text)).collect();
    (place.rows("in.jsonl", &borrowed), rows)
}

#[test]
fn relations_decide_what_a_pair_is_and_pairs_say_what_they_share() {
    let place = Workplace::new();
    let (input, rows) = collection(&place);
    let text_of = |id: &str| rows.iter().find(|row| row.0 == id).unwrap().1.clone();
    let pairs = |relation: &str, more: &[&str]| {
        let mut arguments = vec!["find", &input, "--method", "paragraph", "--relation", relation];
        arguments.extend(["--pairs", "all", "--out", relation, "--force"]);
        arguments.extend(more);
        place.succeed(&arguments);
        place.result(&format!("{relation}/pairs.jsonl"))
    };
    let duplicate = pairs("duplicate", &[]);
    assert_eq!(duplicate.len(), 1);
    assert_eq!((&duplicate[0]["a"], &duplicate[0]["b"]), (&json!("copy"), &json!("whole")));
    // Three words more than a text of eighty-seven.
    assert_eq!(duplicate[0]["resemblance"], 0.983192);
    assert_eq!(check_matches(&duplicate, &text_of), 2);

    assert_eq!(pairs("contains", &[]).len(), 1);
    let contains = pairs("contains", &["--threshold", "0.4"]);
    assert_eq!(contains.len(), 3);
    assert_eq!((&contains[0]["a"], &contains[0]["b"]), (&json!("copy"), &json!("part")));
    let share = |side: usize| contains[0]["containment"][side].as_f64().unwrap();
    assert!((0.45..0.55).contains(&share(0)) && (0.45..0.55).contains(&share(1)), "{contains:?}");
    assert_eq!(check_matches(&contains, &text_of), 4);

    assert_eq!(check_matches(&pairs("overlaps", &[]), &text_of), 4);
    assert_eq!(pairs("overlaps", &["--set", "min-matches=5"]).len(), 1);
    // A further check confirms the pair; what it shares is still said.
    let verified = pairs("duplicate", &["--verify", "jaccard:0.9"]);
    assert_eq!(check_matches(&verified, &text_of), 2);
    let wrong = place.run(&["find", &input, "--method", "paragraph", "--relation", "similar"]);
    assert_eq!(wrong.status, 2);
    assert!(wrong.stderr.contains("overlaps"), "{}", wrong.stderr);
}

#[test]
fn matches_against_a_known_collection_have_places_too() {
    let place = Workplace::new();
    let known = place.rows("known.jsonl", &[("k", &format!("{OTHER}\n\n{THIRD}"))]);
    let new = format!("Forwarded by a friend.\n\n{THIRD}");
    let input = place.rows("new.jsonl", &[("n", &new)]);
    let mut arguments = vec!["find", &input, "--against", &known, "--out", "out"];
    arguments.extend(["--method", "paragraph", "--relation", "contains"]);
    place.succeed(&arguments);
    let pairs = place.result("out/pairs.jsonl");
    assert_eq!((&pairs[0]["a"], &pairs[0]["b"]), (&json!("n"), &json!("k")));
    assert_eq!(pairs[0]["containment"], json!([0.92, 0.528736]));
    let text_of = |id: &str| if id == "n" { new.clone() } else { format!("{OTHER}\n\n{THIRD}") };
    assert_eq!(check_matches(&pairs, &text_of), 1);
}

#[test]
fn explain_shows_matching_paragraphs_side_by_side() {
    let place = Workplace::new();
    let (input, _) = collection(&place);
    let run = place.succeed(&["explain", "copy", "part", "--in", &input, "--method", "paragraph"]);
    assert!(run.stdout.contains("not duplicates, score 0.505"), "{}", run.stdout);
    assert!(run.stdout.contains("1 matching paragraphs in copy"), "{}", run.stdout);
    let beside = |line: &str| line.contains("THE HARBOR OFFICE") && line.contains("The harbor");
    assert!(run.stdout.lines().any(beside), "{}", run.stdout);
}

#[test]
fn a_page_shows_markup_as_text_and_loads_nothing() {
    let place = Workplace::new();
    let left = place.file("<b>.txt", format!("{HOSTILE}\n\n{STORY}"));
    let right = place.file("right.txt", format!("{STORY}\n\n{HOSTILE}"));
    let explain = ["explain", &left, &right, "--method", "paragraph", "--format", "html"];
    let page = place.succeed(&explain).stdout;
    assert!(page.starts_with("<!doctype html>") && page.trim_end().ends_with("</html>"));
    for markup in ["<script", "<img", "<b>", "<link", "@import", "url("] {
        assert!(!page.contains(markup), "{markup}");
    }
    assert!(page.contains("default-src 'none'"));
    assert!(page.contains("&lt;script&gt;alert(&#39;here&#39;)&lt;/script&gt; &amp; &lt;img"));
    assert_eq!(page.matches("<mark>").count(), 4, "two paragraphs on each side");
    for (tag, end) in [("<table", "</table>"), ("<del>", "</del>"), ("<div", "</div>")] {
        assert_eq!(page.matches(tag).count(), page.matches(end).count(), "{tag}");
    }
    let input = place.rows("in.jsonl", &[("a", STORY)]);
    for command in ["find", "plan", "boilerplate", "compare"] {
        let run = place.run(&[command, &input, "--format", "html"]);
        assert_eq!(run.status, 2, "{command}");
        assert!(run.stderr.contains("explain"), "{}", run.stderr);
    }
    let run = place.run(&["explain", &left, "nowhere.txt", "--format", "html"]);
    assert_eq!((run.status, run.stdout.as_str()), (1, ""));
    assert!(run.stderr.contains("nowhere.txt"), "{}", run.stderr);
}

/// Pages of two sites: menu and footer around stories of their own.
fn templated(place: &Workplace) -> String {
    let sentence = |page: usize, number: usize| {
        let word = |n: usize| format!("w{}", (page * 997 + number * 31 + n) * 7919 % 99_991);
        format!("{}.", (0..16).map(word).collect::<Vec<_>>().join(" "))
    };
    let page = |number: usize| {
        let site = number % 2;
        let story: Vec<String> = (0..2).map(|s| sentence(number, s)).collect();
        format!(
            "Site {site} menu: home, news, sports\n\n{}\n\nSite {site} is not liable for \
                 anything that other people write into its pages, now or later",
            story.join("\n\n")
        )
    };
    let texts: Vec<(String, String)> = (0..12).map(|n| (format!("p{n}"), page(n))).collect();
    let rows: Vec<(&str, &str)> = texts.iter().map(|(id, text)| (&**id, &**text)).collect();
    place.rows("pages.jsonl", &rows)
}

#[test]
fn templates_are_named_and_can_be_left_out() {
    let place = Workplace::new();
    let input = templated(&place);
    let arguments = ["boilerplate", &input, "--min-documents", "4", "--out", "report.jsonl"];
    let run = place.succeed(&arguments);
    assert!(run.stdout.contains("12 documents: 4 paragraphs of 2 templates"), "{}", run.stdout);
    let report = place.result("report.jsonl");
    assert_eq!(report.len(), 4);
    assert_eq!((&report[0]["documents"], &report[0]["at_place"]), (&json!(6), &json!(1.0)));
    assert!(report.iter().any(|row| row["example"] == "Site 0 menu: home, news, sports"));
    assert_eq!(place.run(&arguments).status, 2, "the file is there");

    let clusters = |more: &[&str]| {
        let mut arguments = vec!["find", &input, "--threshold", "0.2", "--set", "ngram=1"];
        arguments.extend(["--out", "out", "--force", "--quiet"]);
        arguments.extend(more);
        place.succeed(&arguments);
        place.summary("out")["clusters"].as_u64().unwrap()
    };
    let of_templates = clusters(&[]);
    assert!(of_templates > 0);
    assert_eq!(clusters(&["--ignore-boilerplate", "4"]), 0);
    assert_eq!(clusters(&["--ignore-boilerplate", "7"]), of_templates);
    let run = place.run(&["find", &input, "--ignore-boilerplate", "1"]);
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains("ignore-boilerplate"), "{}", run.stderr);
}

#[test]
fn matches_of_a_large_collection_are_alike_in_the_originals() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/data/debian_install_guide.jsonl.zst");
    if !file.exists() {
        println!("skipped: {} is not there", file.display());
        return;
    }
    let place = Workplace::new();
    let input = file.to_str().unwrap().to_owned();
    let mut arguments = vec!["find", &input, "--text-key", "html", "--method", "paragraph"];
    arguments.extend(["--relation", "overlaps", "--out", "out"]);
    place.succeed(&arguments);
    let options = InputOptions { text_key: "html".to_owned(), ..InputOptions::default() };
    let corpus = Corpus::open(std::slice::from_ref(&input), options, &place.path("")).unwrap();
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    for block in corpus.blocks() {
        block.visit(|row| {
            let document = row.content.unwrap();
            texts.insert(document.id.into_owned(), document.text.into_owned());
        });
    }
    let n_matches = check_matches(&place.result("out/pairs.jsonl"), &|id| texts[id].clone());
    assert!(n_matches > 1000, "{n_matches}");
}

#[test]
fn asking_for_a_relation_is_asking_for_the_method_that_has_them() {
    let place = Workplace::new();
    let whole = format!("{STORY}\n\n{THIRD}\n\n{OTHER}");
    let input = place.rows("in.jsonl", &[("whole", &whole), ("part", THIRD)]);
    place.succeed(&["find", &input, "--relation", "contains", "--out", "out"]);
    let summary = place.summary("out");
    assert_eq!((&summary["method"], &summary["removed"]), (&"paragraph".into(), &1.into()));
    let wrong = place.run(&["find", &input, "--relation", "contains", "--method", "minhash"]);
    assert_eq!(wrong.status, 2, "{}", wrong.stderr);
    assert!(wrong.stderr.contains("relation"), "{}", wrong.stderr);
}
