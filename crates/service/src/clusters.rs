//! Clusters, page by page.

use std::cell::OnceCell;
use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, Request, State};
use axum::http::StatusCode;
use lookalike::{IndexSnapshot, Method, StoredDocument};
use lookalike_detect::Prepared;
use serde_json::{Value, json};

use crate::app::App;
use crate::documents::short;
use crate::filter::DocumentFilter;
use crate::parameters::{Parameters, cursor};
use crate::problem::Problem;
use crate::view::Cluster;

/// How long a request waits for a run, unless it says otherwise.
pub const PATIENCE: f64 = 5.0;
/// Members that a list of clusters names.
const NAMED: usize = 5;

/// `GET /v1/clusters`.
pub async fn list(State(app): State<Arc<App>>, request: Request) -> Result<Json<Value>, Problem> {
    let mut parameters = Parameters::of(request.uri())?;
    let longest = parameters.wait(PATIENCE)?;
    let limit = parameters.limit()?;
    let sizes = (parameters.value("min_size")?, parameters.value("max_size")?);
    let sizes = sizes.0.unwrap_or(0_usize)..=sizes.1.unwrap_or(usize::MAX);
    let scores = (parameters.score("min_score")?, parameters.score("max_score")?);
    let by_score = [("size", false), ("score", true)];
    let by_score = parameters.choice("sort", &by_score)?.unwrap_or(false);
    let mut filter = DocumentFilter::of(&mut parameters)?;
    let after: Option<(u64, String)> = parameters.cursor()?;
    parameters.finish()?;
    let seen = app.findings.view(&app, longest).await?;
    app.compute(move |app| {
        let (view, snapshot) = (&seen.view, app.snapshot());
        let clusters: Box<dyn Iterator<Item = &Cluster>> = if by_score {
            Box::new(view.by_score.iter().map(|at| &view.clusters[*at as usize]))
        } else {
            Box::new(view.clusters.iter())
        };
        // What orders them, ascending, so that a cursor holds in the next run as well.
        let key = |cluster: &Cluster| {
            let order = if by_score {
                ordered(cluster.certainty())
            } else {
                u64::MAX - cluster.size() as u64
            };
            (order, cluster.keeper.to_string())
        };
        let is_wanted = |cluster: &Cluster| {
            let in_scores = match (cluster.lowest_score, scores) {
                (_, (None, None)) => true,
                (None, _) => false,
                (Some(score), (low, high)) => {
                    low.is_none_or(|low| score >= low) && high.is_none_or(|high| score <= high)
                }
            };
            sizes.contains(&cluster.size()) && in_scores
        };
        let begun = clusters
            .skip_while(|cluster| after.as_ref().is_some_and(|after| key(cluster) <= *after));
        let mut rows = Vec::new();
        let mut next = None;
        for cluster in begun.filter(|cluster| is_wanted(cluster)) {
            if rows.len() >= limit || filter.is_exhausted() {
                next = filter.last.as_ref().map(cursor);
                break;
            }
            let keeper = snapshot.document(&cluster.keeper)?;
            let passes = filter.passes(keeper.as_ref());
            filter.last = Some(key(cluster));
            if passes {
                rows.push(row(cluster, &short(&cluster.keeper, keeper.as_ref())));
            }
        }
        let total = view.clusters.len();
        let findings = seen.told();
        Ok(Json(json!({"findings": findings, "total": total, "clusters": rows, "next": next})))
    })
    .await
}

/// A score as a number that is ordered as it is.
pub fn ordered(score: f64) -> u64 {
    let bits = score.to_bits();
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

fn row(cluster: &Cluster, keeper: &Value) -> Value {
    let named = cluster.members.iter().take(NAMED);
    let members: Vec<Value> = named.map(|(id, score)| json!({"id": id, "score": score})).collect();
    json!({
        "id": cluster.keeper,
        "size": cluster.size(),
        "lowest_score": cluster.lowest_score,
        "keeper": keeper,
        "members": members,
    })
}

/// `GET /v1/clusters/{id}`.
pub async fn get(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    request: Request,
) -> Result<Json<Value>, Problem> {
    let mut parameters = Parameters::of(request.uri())?;
    let longest = parameters.wait(PATIENCE)?;
    let limit = parameters.limit()?;
    let after: Option<(bool, String)> = parameters.cursor()?;
    parameters.finish()?;
    let seen = app.findings.view(&app, longest).await?;
    app.compute(move |app| {
        let Some(cluster) = seen.view.cluster(&id) else {
            let told = "the document is in no cluster";
            return Err(Problem::new(StatusCode::NOT_FOUND, told).of_id(id));
        };
        let snapshot = app.snapshot();
        let measured = Measured::of(&snapshot, &cluster.keeper)?;
        let keeper = std::iter::once((&cluster.keeper, Some(1.0), true));
        let others = cluster.members.iter().map(|(id, score)| (id, *score, false));
        let key = |id: &str, is_keeper: bool| (!is_keeper, id.to_owned());
        let begun = keeper.chain(others).skip_while(|(id, _, is_keeper)| {
            after.as_ref().is_some_and(|after| key(id, *is_keeper) <= *after)
        });
        let mut members = Vec::new();
        let mut last = None;
        let mut next = None;
        for (id, score, is_keeper) in begun {
            if members.len() >= limit {
                next = last.as_ref().map(cursor);
                break;
            }
            last = Some(key(id, is_keeper));
            members.push(member(&snapshot, &measured, (id, score, is_keeper))?);
        }
        Ok(Json(json!({
            "findings": seen.told(),
            "id": cluster.keeper,
            "size": cluster.size(),
            "lowest_score": cluster.lowest_score,
            "members": members,
            "next": next,
        })))
    })
    .await
}

fn member(
    snapshot: &IndexSnapshot,
    measured: &Measured<'_>,
    (id, score, is_keeper): (&str, Option<f64>, bool),
) -> Result<Value, Problem> {
    let stored = snapshot.document(id)?;
    let mut row = short(id, stored.as_ref());
    let judged = snapshot.judgment(&measured.keeper, id);
    // A pair that somebody has judged has no score but that of the method.
    let by_method = stored.as_ref().filter(|_| judged.is_some());
    row["score"] = by_method.and_then(|stored| measured.score(stored)).or(score).into();
    row["keeper"] = is_keeper.into();
    row["judged"] = judged.into();
    Ok(row)
}

/// What the method says of documents beside the keeper of a cluster.
struct Measured<'a> {
    keeper: String,
    method: &'a Method,
    /// Made where it is wanted.
    prepared: OnceCell<Option<Prepared>>,
    stored: Option<StoredDocument>,
}

impl<'a> Measured<'a> {
    fn of(snapshot: &'a IndexSnapshot, keeper: &str) -> Result<Self, Problem> {
        let stored = snapshot.document(keeper)?;
        let (keeper, method) = (keeper.to_owned(), snapshot.method());
        Ok(Self { keeper, method, prepared: OnceCell::new(), stored })
    }

    fn score(&self, other: &StoredDocument) -> Option<f64> {
        let prepare = |stored: &StoredDocument| {
            let document = stored.has_text.then(|| stored.document.document())?;
            self.method.prepare(&document).ok()
        };
        let keeper = self.prepared.get_or_init(|| prepare(self.stored.as_ref()?));
        self.method.score(keeper.as_ref()?, &prepare(other)?).ok()
    }
}
