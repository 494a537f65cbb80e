//! What every request passes: names and origins, tokens, limits, and the headers of every answer.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Instant;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{MatchedPath, Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use hyper::body::{Frame, SizeHint};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::timeout;

use crate::app::App;
use crate::body::with_body;
use crate::metrics::Metrics;
use crate::problem::Problem;
use crate::tokens::{Client, Role};

/// A request's place among those that are worked on.
#[derive(Clone, Debug)]
pub struct Admitted(#[expect(dead_code, reason = "held, not looked at")] Arc<TakenPlace>);

#[derive(Debug)]
struct TakenPlace {
    metrics: Arc<Metrics>,
    _permit: OwnedSemaphorePermit,
}

impl Drop for TakenPlace {
    fn drop(&mut self) {
        self.metrics.in_flight.dec();
    }
}

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
     connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; \
     frame-ancestors 'none'";

/// Headers of every answer.
const HEADERS: [(HeaderName, &str); 6] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// The outermost: names and origins are checked, answers get their headers, are counted and logged.
/// Neither addresses nor headers nor bodies are logged, since they hold ids, tokens and texts.
pub async fn watch(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let start = Instant::now();
    // Others are words of the client's choice.
    let known = [Method::GET, Method::POST, Method::DELETE, Method::HEAD, Method::OPTIONS];
    let method = known.into_iter().find(|known| known == request.method());
    let method = method.as_ref().map_or("other", Method::as_str).to_owned();
    let route = request.extensions().get::<MatchedPath>();
    let route = route.map_or("none", MatchedPath::as_str).to_owned();
    let mut response = match called_properly(&app, &request) {
        Ok(()) => next.run(request).await,
        Err(problem) => problem.into_response(),
    };
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.entry(header::CACHE_CONTROL).or_insert(const { HeaderValue::from_static("no-store") });
    // Who keeps a connection is told to go elsewhere while it is still read: what is sent on one that
    // closes would have no answer.
    if *app.ending.borrow() {
        headers.insert(header::CONNECTION, const { HeaderValue::from_static("close") });
    }
    let (seconds, status) = (start.elapsed().as_secs_f64(), response.status().as_u16());
    app.metrics.answered(&method, &route, status, seconds);
    let milliseconds = (seconds * 1e6).round() / 1e3;
    tracing::info!(method, route, status, milliseconds, "answered");
    response
}

/// What the framework refuses by itself, such as a broken address, becomes a problem document too.
pub async fn as_problem(request: Request, next: Next) -> Response {
    let response = next.run(request).await;
    let status = response.status();
    let kind = response.headers().get(header::CONTENT_TYPE);
    let is_plain = kind.is_none_or(|kind| kind.as_bytes().starts_with(b"text/plain"));
    if (status.is_client_error() || status.is_server_error()) && is_plain {
        let told = "the request cannot be understood";
        return Problem::new(status, told).into_response();
    }
    response
}

/// Whether a request is meant for this service: by its name, and not from a page of elsewhere.
fn called_properly(app: &App, request: &Request) -> Result<(), Problem> {
    let mut hosts = request.headers().get_all(header::HOST).iter();
    let named = hosts.next().and_then(|host| host.to_str().ok());
    if hosts.next().is_some() {
        return Err(Problem::broken("the request has more than one Host header"));
    }
    let host = request.uri().authority().map(Authority::as_str).or(named);
    let host = host.ok_or_else(|| Problem::broken("the request has no Host header"))?;
    if let Some(known) = &app.hosts {
        let name = host.rsplit_once(':').filter(|(_, port)| port.parse::<u16>().is_ok());
        let name = name.map_or(host, |(name, _)| name).to_ascii_lowercase();
        if !known.contains(&name) {
            return Err(Problem::new(
                StatusCode::MISDIRECTED_REQUEST,
                "the service is not known by the name in the Host header; start it with --host NAME",
            ));
        }
    }
    let header = |name: &str| Some(request.headers().get(name)?.to_str().unwrap_or_default());
    let is_own_origin = header("origin").is_none_or(|origin| {
        let own = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        own.is_some_and(|own| own.eq_ignore_ascii_case(host))
    });
    // Browsers say where a request comes from; a link that leads to the page may stand anywhere.
    let is_own_site =
        header("sec-fetch-site").is_none_or(|site| ["same-origin", "none"].contains(&site));
    let is_link = request.uri().path() == "/" && header("sec-fetch-mode") == Some("navigate");
    if is_own_origin && (is_own_site || is_link) {
        return Ok(());
    }
    Err(Problem::new(StatusCode::FORBIDDEN, "a page of another origin may not call this service"))
}

/// Who sent a request; `None` without a token that is known.
pub fn client(app: &App, headers: &HeaderMap) -> Option<Client> {
    let token = || {
        let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
        let (scheme, token) = value.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
    };
    app.client(token())
}

/// Lets through who has a role, as long as there is room, and no longer than a request may take.
///
/// A body that is on its way has no place: who sends one slowly would keep out all others.
pub async fn admit(
    State((app, role)): State<(Arc<App>, Role)>,
    mut request: Request,
    next: Next,
) -> Response {
    let admitted = client(&app, request.headers())
        .ok_or_else(|| {
            let told = "send Authorization: Bearer TOKEN with a token of this service";
            Problem::new(StatusCode::UNAUTHORIZED, told)
        })
        .and_then(|client| {
            let told = format!("the token has not the role `{}`", role.name());
            let is_allowed = client.roles.has(role);
            is_allowed.then_some(client).ok_or_else(|| Problem::new(StatusCode::FORBIDDEN, told))
        })
        // A body need not be read where it would be in vain.
        .and_then(|client| place(&app).map(|_| client));
    let client = match admitted {
        Ok(client) => client,
        Err(problem) => return problem.into_response(),
    };
    request.extensions_mut().insert(client);
    let longest = app.limits.request;
    let answer = async {
        let mut request = with_body(&app, request).await?;
        let place = place(&app)?;
        request.extensions_mut().insert(place.clone());
        let response = next.run(request).await;
        drop(place);
        Ok(response)
    };
    let response = timeout(longest, answer).await.unwrap_or_else(|_| {
        let told = format!("the request took longer than {longest:?}");
        Err(Problem::not_ready(told))
    });
    response.map_or_else(Problem::into_response, |response| within_room(&app, role, response))
}

/// A place among those that are worked on.
fn place(app: &App) -> Result<Admitted, Problem> {
    let permit = Arc::clone(&app.requests).try_acquire_owned();
    let permit = permit.map_err(|_| Problem::busy("too many requests at once; try again"))?;
    app.metrics.in_flight.inc();
    Ok(Admitted(Arc::new(TakenPlace { metrics: Arc::clone(&app.metrics), _permit: permit })))
}

/// Smaller answers are not counted.
const COUNTED_BYTES: u64 = 256 << 10;

/// A large answer takes up room until it is read, like the body of a request. What was changed is
/// answered all the same: who is told to come again would change it twice.
fn within_room(app: &App, role: Role, response: Response) -> Response {
    match response.body().size_hint().exact() {
        Some(bytes @ COUNTED_BYTES..) => match app.room(bytes as usize) {
            Ok(room) => response.map(|body| Body::new(Roomy { body, _room: room })),
            Err(problem) if role == Role::Read => problem.into_response(),
            Err(_) => response,
        },
        _ => response,
    }
}

/// A body that holds room.
struct Roomy {
    body: Body,
    _room: OwnedSemaphorePermit,
}

impl hyper::body::Body for Roomy {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
