//! Why two documents match, as JSON.

use std::ops::Range;

use lookalike::{Explanation, IndexSnapshot, OwnedDocument};
use serde_json::{Value, json};

use crate::problem::Problem;

/// Matches of a document that get their evidence.
const EXPLAINED: usize = 10;
/// Features and paragraphs that are shown of each.
const SHOWN: usize = 20;

/// Puts the evidence to the matches of a row.
pub fn with_evidence(
    snapshot: &IndexSnapshot,
    document: &OwnedDocument,
    row: &mut Value,
) -> Result<(), Problem> {
    let Some(matches) = row.get_mut("matches").and_then(Value::as_array_mut) else {
        return Ok(());
    };
    for found in matches.iter_mut().take(EXPLAINED) {
        let id = found["id"].as_str().unwrap_or_default().to_owned();
        found["evidence"] = match snapshot.document(&id)?.filter(|stored| stored.has_text) {
            Some(other) => evidence(snapshot, document, &other.document),
            None => Value::Null,
        };
    }
    Ok(())
}

fn evidence(snapshot: &IndexSnapshot, a: &OwnedDocument, b: &OwnedDocument) -> Value {
    let explanation =
        lookalike::evidence(snapshot.method().detector(), &a.document(), &b.document());
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
