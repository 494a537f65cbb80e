//! Which address leads where, and who may go there.

use std::sync::Arc;

use axum::Router;
use axum::http::StatusCode;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::{delete, get, post};

use crate::app::App;
use crate::problem::Problem;
use crate::tokens::Role;
use crate::{
    clusters, documents, guard, judgments, maintenance, page, pairs, questions, stat, tune,
};

/// All addresses.
pub fn router(app: &Arc<App>) -> Router {
    let for_role = |routes: Router<Arc<App>>, role: Role| {
        routes.route_layer(from_fn_with_state((Arc::clone(app), role), guard::admit))
    };
    let read = Router::new()
        .route("/v1/check", post(documents::check))
        .route("/v1/documents/{id}", get(documents::get))
        .route("/v1/clusters", get(clusters::list))
        .route("/v1/clusters/{id}", get(clusters::get))
        .route("/v1/pairs", get(pairs::list))
        .route("/v1/pairs/{a}/{b}", get(pairs::get))
        .route("/v1/judgments", get(judgments::list))
        .route("/v1/questions", get(questions::list))
        .route("/v1/tune", get(tune::get))
        .route("/v1/maintenance", get(maintenance::get))
        .route("/v1/stat", get(stat::get))
        .route("/metrics", get(stat::metrics));
    let write = Router::new()
        .route("/v1/documents", post(documents::add))
        .route("/v1/documents/{id}", delete(documents::remove))
        .route("/v1/remove", post(maintenance::remove))
        .route("/v1/maintenance", post(maintenance::start));
    let judge = Router::new()
        .route("/v1/judgments", post(judgments::say))
        .route("/v1/keep", post(judgments::keep))
        .route("/v1/tune", post(tune::start));
    let open = Router::new()
        .route("/", get(page::index))
        .route("/page/{*name}", get(page::file))
        .route("/v1/session", get(stat::session))
        .route("/healthz", get(stat::health))
        .route("/readyz", get(stat::ready))
        .route("/openapi.json", get(stat::openapi));
    open.merge(for_role(read, Role::Read))
        .merge(for_role(write, Role::Write))
        .merge(for_role(judge, Role::Judge))
        .fallback(|| async { Problem::new(StatusCode::NOT_FOUND, "there is nothing here") })
        .method_not_allowed_fallback(|| async {
            Problem::new(StatusCode::METHOD_NOT_ALLOWED, "this address has other methods")
        })
        .layer(from_fn(guard::as_problem))
        .layer(from_fn_with_state(Arc::clone(app), guard::watch))
        .with_state(Arc::clone(app))
}
