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
use crate::judgments::{disagree, verdicts};
use crate::parameters::{Parameters, cursor};
use crate::problem::Problem;
use crate::view::Cluster;

/// How long a request waits for a run, unless it says otherwise.
pub const PATIENCE: f64 = 5.0;
/// Members that a list of clusters names.
const NAMED: usize = 5;

/// What orders clusters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sort {
    /// The largest first.
    Size,
    /// The least certain first.
    Score,
    /// Those with pairs that nobody has judged before all others, the largest first.
    Open,
}

/// How far people have judged the pairs of a cluster with its keeper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Judged {
    Open,
    Answered,
    Disagreed,
}

/// `GET /v1/clusters`.
pub async fn list(State(app): State<Arc<App>>, request: Request) -> Result<Json<Value>, Problem> {
    let mut parameters = Parameters::of(request.uri())?;
    let longest = parameters.wait(PATIENCE)?;
    let limit = parameters.limit()?;
    let sizes = (parameters.value("min_size")?, parameters.value("max_size")?);
    let sizes = sizes.0.unwrap_or(0_usize)..=sizes.1.unwrap_or(usize::MAX);
    let scores = (parameters.score("min_score")?, parameters.score("max_score")?);
    let sort = [("size", Sort::Size), ("score", Sort::Score), ("open", Sort::Open)];
    let sort = parameters.choice("sort", &sort)?.unwrap_or(Sort::Size);
    let judged =
        [("open", Judged::Open), ("answered", Judged::Answered), ("disagreed", Judged::Disagreed)];
    let judged = parameters.choice("judged", &judged)?;
    let mut filter = DocumentFilter::of(&mut parameters)?;
    let after_id = parameters.text("after");
    let after: Option<(u64, String)> = parameters.cursor()?;
    parameters.finish()?;
    let seen = app.findings.view(&app, longest).await?;
    app.compute(move |app| {
        let (view, snapshot) = (&seen.view, app.snapshot());
        let is_open = |cluster: &&Cluster| Progress::of(&snapshot, cluster).open > 0;
        let all = view.clusters.iter();
        let clusters: Box<dyn Iterator<Item = &Cluster>> = match sort {
            Sort::Size => Box::new(all),
            Sort::Score => Box::new(view.by_score.iter().map(|at| &view.clusters[*at as usize])),
            Sort::Open => {
                Box::new(all.clone().filter(is_open).chain(all.filter(|one| !is_open(one))))
            }
        };
        // What orders them, ascending, so that a cursor holds in the next run as well.
        let key = |cluster: &Cluster| {
            let by_size = (u64::MAX >> 1) - cluster.size() as u64;
            let order = match sort {
                Sort::Score => ordered(cluster.certainty()),
                Sort::Size => by_size,
                Sort::Open => by_size | u64::from(!is_open(&cluster)) << 63,
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
            let is_judged = || {
                judged.is_none_or(|wanted| {
                    let Progress { open, disagreed } = Progress::of(&snapshot, cluster);
                    match wanted {
                        Judged::Open => open > 0,
                        Judged::Answered => open == 0,
                        Judged::Disagreed => disagreed > 0,
                    }
                })
            };
            sizes.contains(&cluster.size()) && in_scores && is_judged()
        };
        let of_id = || after_id.as_deref().and_then(|id| view.cluster(id)).map(key);
        let after = after.or_else(of_id);
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
                let keeper = short(&cluster.keeper, keeper.as_ref());
                rows.push(row(cluster, &keeper, Progress::of(&snapshot, cluster)));
            }
        }
        let total = view.clusters.len();
        let findings = seen.told();
        Ok(Json(json!({"findings": findings, "total": total, "clusters": rows, "next": next})))
    })
    .await
}

/// How many pairs of a cluster nobody has judged, and on how many people contradict each other.
#[derive(Clone, Copy, Debug)]
struct Progress {
    open: usize,
    disagreed: usize,
}

impl Progress {
    fn of(snapshot: &IndexSnapshot, cluster: &Cluster) -> Self {
        let mut progress = Self { open: cluster.members.len(), disagreed: 0 };
        for (other, said) in snapshot.said_of(&cluster.keeper) {
            if cluster.members.binary_search_by(|(id, _)| (**id).cmp(other)).is_ok() {
                progress.open -= 1;
                progress.disagreed += usize::from(disagree(said));
            }
        }
        progress
    }
}

/// A score as a number that is ordered as it is.
pub fn ordered(score: f64) -> u64 {
    let bits = score.to_bits();
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

fn row(cluster: &Cluster, keeper: &Value, Progress { open, disagreed }: Progress) -> Value {
    let named = cluster.members.iter().take(NAMED);
    let members: Vec<Value> = named.map(|(id, score)| json!({"id": id, "score": score})).collect();
    json!({
        "id": cluster.keeper,
        "size": cluster.size(),
        "lowest_score": cluster.lowest_score,
        "open": open,
        "disagreed": disagreed,
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
            app.snapshot().outline(&id)?.ok_or_else(|| Problem::no_document(&id))?;
            let told = "nothing in the index is a near-duplicate of this document";
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
    let said = snapshot.said(&measured.keeper, id);
    let judged = said.last().map(|said| said.duplicate);
    // A pair that somebody has judged has no score but that of the method.
    let by_method = stored.as_ref().filter(|_| judged.is_some());
    row["score"] = by_method.and_then(|stored| measured.score(stored)).or(score).into();
    row["keeper"] = is_keeper.into();
    row["judged"] = judged.into();
    row["judgments"] = verdicts(said).into();
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
