//! Pairs: a list of those that a run confirmed, and all there is to say of one.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, Request, State};
use lookalike::{IndexSnapshot, StoredDocument};
use serde_json::{Value, json};

use crate::app::App;
use crate::clusters::{PATIENCE, ordered};
use crate::documents::stored;
use crate::evidence::{explanation, measures, paragraphs, put_difference};
use crate::filter::DocumentFilter;
use crate::judgments::{disagree, verdicts};
use crate::parameters::{Parameters, cursor};
use crate::problem::Problem;
use crate::view::{Pair, View};

/// Features of each kind and paragraphs that are shown.
const SHOWN: usize = 200;

/// What a person must have said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Judged {
    Yes,
    No,
    None,
    /// People contradict each other.
    Disagreed,
}

/// `GET /v1/pairs`.
pub async fn list(State(app): State<Arc<App>>, request: Request) -> Result<Json<Value>, Problem> {
    let mut parameters = Parameters::of(request.uri())?;
    let longest = parameters.wait(PATIENCE)?;
    let limit = parameters.limit()?;
    let low = parameters.score("min_score")?.unwrap_or(f64::NEG_INFINITY);
    let high = parameters.score("max_score")?.unwrap_or(f64::INFINITY);
    let id = parameters.text("id");
    let cluster = parameters.text("cluster");
    let judged = [
        ("yes", Judged::Yes),
        ("no", Judged::No),
        ("none", Judged::None),
        ("disagreed", Judged::Disagreed),
    ];
    let judged = parameters.choice("judged", &judged)?;
    let descending = parameters.choice("sort", &[("score", false), ("-score", true)])?;
    let descending = descending.unwrap_or(false);
    let mut filter = DocumentFilter::of(&mut parameters)?;
    let after: Option<(u64, String, String)> = parameters.cursor()?;
    parameters.finish()?;
    let seen = app.findings.view(&app, longest).await?;
    app.compute(move |app| {
        let (view, snapshot) = (&seen.view, app.snapshot());
        let is_in = |id: &str| {
            cluster.as_deref().is_none_or(|cluster| {
                view.cluster(id).is_some_and(|found| *found.keeper == *cluster)
            })
        };
        let is_wanted = |pair: &Pair| {
            let (a, b) = view.pair_ids(pair);
            pair.score >= low
                && pair.score <= high
                && id.as_deref().is_none_or(|id| id == a || id == b)
                && is_in(a)
                && is_in(b)
                && judged.is_none_or(|wanted| match (wanted, snapshot.judgment(a, b)) {
                    (Judged::Disagreed, _) => disagree(snapshot.said(a, b)),
                    (Judged::Yes, judged) => judged == Some(true),
                    (Judged::No, judged) => judged == Some(false),
                    (Judged::None, judged) => judged.is_none(),
                })
        };
        let begun = from(view, descending, after.as_ref()).filter(|pair| is_wanted(pair));
        let mut rows = Vec::new();
        let mut next = None;
        let mut last = None;
        for pair in begun {
            if rows.len() >= limit || filter.is_exhausted() {
                next = last.as_ref().map(cursor);
                break;
            }
            let (a, b) = view.pair_ids(pair);
            last = Some((ordered(pair.score), a.to_owned(), b.to_owned()));
            let passes = !filter.is_needed()
                || filter.passes(snapshot.document(a)?.as_ref())
                || filter.passes(snapshot.document(b)?.as_ref());
            if passes {
                let judged = snapshot.judgment(a, b);
                rows.push(json!({"a": a, "b": b, "score": pair.score, "judged": judged}));
            }
        }
        let (findings, total) = (seen.told(), view.n_pairs);
        Ok(Json(json!({"findings": findings, "total": total, "pairs": rows, "next": next})))
    })
    .await
}

/// The pairs after a cursor.
fn from<'a>(
    view: &'a View,
    descending: bool,
    after: Option<&(u64, String, String)>,
) -> Box<dyn Iterator<Item = &'a Pair> + 'a> {
    let before = |pair: &Pair, or_at: bool| {
        let Some((score, a, b)) = after else { return !or_at };
        let (left, right) = view.pair_ids(pair);
        let key = (ordered(pair.score), left, right);
        let after = (*score, a.as_str(), b.as_str());
        key < after || (or_at && key == after)
    };
    if descending {
        let end = match after {
            Some(_) => view.pairs.partition_point(|pair| before(pair, false)),
            None => view.pairs.len(),
        };
        return Box::new(view.pairs[..end].iter().rev());
    }
    let start = match after {
        Some(_) => view.pairs.partition_point(|pair| before(pair, true)),
        None => 0,
    };
    Box::new(view.pairs[start..].iter())
}

/// `GET /v1/pairs/{a}/{b}`.
pub async fn get(
    State(app): State<Arc<App>>,
    Path((a, b)): Path<(String, String)>,
    request: Request,
) -> Result<Json<Value>, Problem> {
    let mut parameters = Parameters::of(request.uri())?;
    let longest = parameters.wanted_wait()?;
    let with_text = parameters.switch("text", true)?;
    parameters.finish()?;
    if a == b {
        return Err(Problem::field("b", "a pair is of two documents; one was named twice"));
    }
    // The pair itself does not need a run; it only names the clusters of one that there is.
    let seen = app.findings.if_wanted(&app, longest).await;
    app.compute(move |app| {
        let snapshot = app.snapshot();
        let document = |id: &str| -> Result<StoredDocument, Problem> {
            let found = snapshot.document(id)?.ok_or_else(|| Problem::no_document(id))?;
            if !found.has_text {
                return Err(lookalike::IndexError::NoTexts(app.index.options().store).into());
            }
            Ok(found)
        };
        let (left, right) = (document(&a)?, document(&b)?);
        let mut told = told(&snapshot, &left, &right, with_text);
        let keeper = |id: &str| {
            let cluster = seen.as_ref().and_then(|seen| seen.view.cluster(id));
            cluster.map(|cluster| cluster.keeper.to_string())
        };
        told["cluster"] = json!({"a": keeper(&a), "b": keeper(&b)});
        Ok(Json(told))
    })
    .await
}

fn told(
    snapshot: &IndexSnapshot,
    left: &StoredDocument,
    right: &StoredDocument,
    with_text: bool,
) -> Value {
    let (a, b) = (&left.document, &right.document);
    let explanation = explanation(snapshot, a, b);
    let verdict = explanation.verdict;
    let method = json!({"duplicate": verdict.duplicate, "score": verdict.score});
    let said = snapshot.judgment(&a.id, &b.id);
    let verdicts = verdicts(snapshot.said(&a.id, &b.id));
    let mut told = measures(&explanation);
    told["a"] = stored(left, with_text);
    told["b"] = stored(right, with_text);
    told["verdict"] = json!({
        "duplicate": said.unwrap_or(verdict.duplicate),
        "score": verdict.score,
        "by": if said.is_some() { "person" } else { "method" },
    });
    told["method"] = method;
    told["judgment"] = verdicts.last().cloned().unwrap_or_default();
    told["judgments"] = verdicts.into();
    told["matches"] = paragraphs(&explanation, &a.text, &b.text, SHOWN).into();
    let shared = explanation.shared.iter().take(SHOWN).map(|feature| {
        let (a, b) = (feature.left_weight, feature.right_weight);
        json!({"text": feature.text, "a_weight": a, "b_weight": b})
    });
    told["shared"] = shared.collect();
    let only = |features: &[lookalike_detect::DescribedFeature]| -> Value {
        let shown = features.iter().take(SHOWN);
        shown.map(|feature| json!({"text": feature.text, "weight": feature.weight})).collect()
    };
    told["only_a"] = only(&explanation.only_left);
    told["only_b"] = only(&explanation.only_right);
    put_difference(&mut told, &a.text, &b.text);
    told
}
