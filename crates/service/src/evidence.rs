//! Why two documents match, as JSON.

use std::ops::Range;
use std::time::Duration;

use lookalike::{
    Explanation, IndexSnapshot, OwnedDocument, beginning, evidence_within, word_difference_within,
};
use serde_json::{Value, json};
use similar::ChangeTag;

use crate::problem::Problem;

/// Matches of a document that get their evidence, and those that get their difference too.
const EXPLAINED: usize = 10;
const COMPARED: usize = 3;
/// Features and paragraphs that are shown of each.
const SHOWN: usize = 20;

/// Characters of each text whose difference and features are shown, and how long the shortest
/// difference is looked for.
const COMPARED_CHARACTERS: usize = 200_000;
const COMPARING: Duration = Duration::from_secs(2);

/// Puts the evidence to the matches of a row, with the differences of the first where they are wanted.
pub fn with_evidence(
    snapshot: &IndexSnapshot,
    document: &OwnedDocument,
    row: &mut Value,
    with_difference: bool,
) -> Result<(), Problem> {
    let Some(matches) = row.get_mut("matches").and_then(Value::as_array_mut) else {
        return Ok(());
    };
    for (place, found) in matches.iter_mut().take(EXPLAINED).enumerate() {
        let id = found["id"].as_str().unwrap_or_default().to_owned();
        let other = snapshot.document(&id)?.filter(|stored| stored.has_text);
        found["evidence"] = match &other {
            Some(other) => evidence(snapshot, document, &other.document),
            None => Value::Null,
        };
        if let Some(other) = other.filter(|_| with_difference && place < COMPARED) {
            put_difference(&mut found["evidence"], &document.text, &other.document.text);
        }
    }
    Ok(())
}

fn evidence(snapshot: &IndexSnapshot, a: &OwnedDocument, b: &OwnedDocument) -> Value {
    let explanation = explanation(snapshot, a, b);
    let shared = explanation.shared.iter().take(SHOWN);
    let shared: Vec<Value> = shared
        .map(|feature| json!({"text": feature.text, "weight": feature.left_weight}))
        .collect();
    let mut evidence = measures(&explanation);
    evidence["duplicate"] = explanation.verdict.duplicate.into();
    evidence["score"] = explanation.verdict.score.into();
    evidence["judged"] = snapshot.judgment(&a.id, &b.id).into();
    evidence["shared"] = shared.into();
    evidence["matches"] = paragraphs(&explanation, &a.text, &b.text, SHOWN).into();
    evidence
}

/// What the index's method says of two documents, and why, in memory that long texts do not decide.
pub fn explanation(snapshot: &IndexSnapshot, a: &OwnedDocument, b: &OwnedDocument) -> Explanation {
    let detector = snapshot.method().detector();
    evidence_within(detector, &a.document(), &b.document(), COMPARED_CHARACTERS)
}

/// The measures behind a verdict.
pub fn measures(explanation: &Explanation) -> Value {
    let (a, b, shared) = explanation.keys;
    let comparison = explanation.comparison.as_ref();
    json!({
        "keys": {"a": a, "b": b, "shared": shared},
        "resemblance": comparison.map(|comparison| comparison.resemblance),
        "containment": comparison.and_then(|comparison| comparison.containment),
    })
}

/// The paragraphs that match, with their places in both texts in UTF-16 units.
pub fn paragraphs(explanation: &Explanation, a: &str, b: &str, most: usize) -> Vec<Value> {
    let place = |text: &str, range: &Range<usize>| {
        let units = |text: &str| text.encode_utf16().count();
        let start = text.get(..range.start).map_or(0, units);
        let part = text.get(range.clone()).unwrap_or_default();
        json!({"start": start, "end": start + units(part), "text": part})
    };
    let matches = explanation.matches.iter().take(most);
    matches.map(|found| json!({"a": place(a, &found.left), "b": place(b, &found.right)})).collect()
}

/// Puts in the words of both texts, in order: those of both, those of one, those of the other.
pub fn put_difference(told: &mut Value, a: &str, b: &str) {
    let (of_a, of_b) = (beginning(a, COMPARED_CHARACTERS), beginning(b, COMPARED_CHARACTERS));
    let difference = word_difference_within(of_a, of_b, COMPARING);
    let pieces = difference.into_iter().map(|(tag, text)| {
        let op = match tag {
            ChangeTag::Equal => "same",
            ChangeTag::Delete => "a",
            ChangeTag::Insert => "b",
        };
        json!({"op": op, "text": text})
    });
    told["difference"] = pieces.collect();
    told["difference_truncated"] = (of_a.len() < a.len() || of_b.len() < b.len()).into();
}
