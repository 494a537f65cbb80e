//! Nothing that stands in the input can steer the terminal.

use serde_json::json;

use crate::program::{OTHER, Run, STORY, Workplace};

/// Clears the screen, sets the title, moves up, in two ways to write it; reverses the direction,
/// hides, fakes a line.
const HOSTILE: &str = "x\u{1b}[2J\u{1b}]0;owned\u{7}\u{9b}1A\r\u{202e}gpj\u{2066}\u{200b}\u{7f}y";

/// What must never be printed.
fn is_steering(character: char) -> bool {
    (character.is_control() && !matches!(character, '\n' | '\t'))
        || matches!(character, '\u{200b}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn check(arguments: &[&str], run: &Run) {
    for (stream, text) in [("standard output", &run.stdout), ("standard error", &run.stderr)] {
        let place = text.find(is_steering);
        assert_eq!(place, None, "{arguments:?}: {stream}: {text:?}");
    }
}

/// Rows that are hostile in every part, some of them unreadable.
fn hostile_rows() -> String {
    let row = |number: usize, text: &str| {
        let noisy = format!("{text} {HOSTILE}{} ending", number % 3);
        json!({
            "id": format!("{HOSTILE}\nerror: fake{number:02}"),
            "title": format!("Title {HOSTILE}"),
            "url": format!("https://example.org/{HOSTILE}"),
            "text": format!("Menu {HOSTILE} home about\n\n{noisy}\n\nImprint {HOSTILE} contact"),
            "cluster": format!("{HOSTILE}{}", number / 4),
            HOSTILE: HOSTILE,
            "date": if number == 0 { "2024".to_owned() } else { HOSTILE.to_owned() },
        })
        .to_string()
    };
    let texts: Vec<String> = (0..24)
        .map(|number| match number % 8 {
            0..4 => format!("{STORY} {}", "salt ".repeat(number / 4)),
            _ => format!("{OTHER} {}", "apple ".repeat(number / 4)),
        })
        .collect();
    let mut rows: Vec<String> =
        texts.iter().enumerate().map(|(number, text)| row(number, text)).collect();
    rows.push(format!("no json {HOSTILE}"));
    rows.push(json!({"id": HOSTILE, HOSTILE: 1}).to_string());
    rows.join("\n") + "\n"
}

#[test]
fn no_command_prints_what_would_steer_a_terminal() {
    let place = Workplace::new();
    // A slash or a zero byte cannot stand in a name; all else can.
    let name = format!("in{HOSTILE}.jsonl");
    let input = place.file(&name, hostile_rows());
    let first = format!("{HOSTILE}\nerror: fake00");
    let second = format!("{HOSTILE}\nerror: fake01");
    let hostile_keep = format!("max:{HOSTILE}");
    let hostile_config = place.file("hostile.toml", format!("\"k{HOSTILE}\" = 1\n"));
    let broken_config = place.file("broken.toml", format!("method = {HOSTILE}\n"));
    let hostile_set = format!("{HOSTILE}=1");
    let commands: Vec<Vec<&str>> = vec![
        vec!["find", &input],
        vec!["find", &input, "--format", "json"],
        vec!["find", &input, "--method", "paragraph", "--pairs", "all"],
        vec!["find", &input, "--against", &input],
        vec!["find", &input, "--keep", "newest:date"],
        vec!["find", &input, "--keep", &hostile_keep],
        vec!["find", &input, "--id-key", HOSTILE],
        vec!["find", &input, "--text-key", HOSTILE],
        vec!["find", &input, "--method", HOSTILE],
        vec!["find", &input, "--set", &hostile_set],
        vec!["find", &input, "--config", &hostile_config],
        vec!["find", &input, "--config", &broken_config],
        vec!["find", &input, "--temp-dir", HOSTILE],
        vec!["find", HOSTILE],
        vec!["find", &input, "--model", HOSTILE, "--method", "svm"],
        vec!["find", &input, "--stats", &input, "--method", "imatch"],
        vec!["dedup", &input, "--out", HOSTILE],
        vec!["dedup", &input, "--out", HOSTILE],
        vec!["explain", &first, &second, "--in", &input],
        vec!["explain", &first, &second, "--in", &input, "--method", "paragraph"],
        vec!["explain", &first, &second, "--in", &input, "--format", "json"],
        vec!["explain", &first, &second, "--in", &input, "--format", "html"],
        vec!["explain", &first, HOSTILE, "--in", &input],
        vec!["boilerplate", &input, "--min-documents", "2"],
        vec!["boilerplate", &input, "--min-documents", "2", "--format", "json"],
        vec!["plan", &input],
        vec!["stats", &input, "--method", "imatch", "--out", HOSTILE],
        vec!["stats", "--show", &input],
        vec!["stats", "--merge", &input, "--out", "merged"],
        vec!["compare", &input, "--methods", "exact,minhash", "--halvings", "0"],
        vec!["compare", &input, "--methods", HOSTILE],
        vec!["label", &input, "--out", &input],
        vec!["tune", &input, "--out", "tuned.toml", "--methods", "minhash", "--halvings", "1"],
        vec!["tune", &input, "--out", "t.toml", "--label-key", HOSTILE],
        vec!["train", "svm", &input, "--out", "model"],
        vec!["train", "svm", &input, "--out", "m", "--judged", &input],
        vec![HOSTILE],
        vec!["find", &input, "--no-such\u{1b}[2J"],
    ];
    let mut succeeded = 0;
    for arguments in &commands {
        let run = place.run(arguments);
        succeeded += usize::from(run.status == 0);
        check(arguments, &run);
    }
    // Most of them get as far as printing what is in the rows.
    assert!(succeeded >= 15, "{succeeded}");
    let label = ["label", &input, "--out", "pairs.jsonl"];
    let run = place.succeed_with_input(&label, "myx\u{1b}nsbq");
    assert!(run.stdout.contains("gpj"), "{}", run.stdout);
    check(&label, &run);
}

#[test]
fn a_text_cannot_pretend_to_be_a_line_of_the_report() {
    let place = Workplace::new();
    let fake = "a\n3 documents: 3 kept, 0 removed";
    let input = place.rows("in.jsonl", &[(fake, STORY), ("b", STORY), ("c", OTHER)]);
    let run = place.succeed(&["find", &input, "--method", "exact"]);
    assert!(
        !run.stdout.lines().any(|line| line.starts_with("3 documents: 3 kept")),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("a␊3 documents"), "{}", run.stdout);
}
