//! Bodies, read within limits.

use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, Method, StatusCode, header};
use http_body_util::BodyExt;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::timeout;

use crate::app::App;
use crate::problem::Problem;

/// What kind of body a request has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `application/json`.
    Json,
    /// `application/x-ndjson`.
    Lines,
}

/// The kind of a body, by its content type. A page of another origin cannot send either without
/// asking first, and is not allowed to.
pub fn kind(headers: &HeaderMap) -> Result<Kind, Problem> {
    if headers.get(header::CONTENT_ENCODING).is_some_and(|coding| coding != "identity") {
        let told = "bodies are taken as they are: send it without Content-Encoding";
        return Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, told));
    }
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let kind = kind.unwrap_or_default().split(';').next().unwrap_or_default().trim();
    match kind.to_ascii_lowercase().as_str() {
        "application/json" => Ok(Kind::Json),
        "application/x-ndjson" | "application/jsonl" | "application/x-jsonlines" => Ok(Kind::Lines),
        _ => Err(Problem::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "send Content-Type: application/json or application/x-ndjson",
        )),
    }
}

/// Bytes of a body, and the room they take up.
pub struct Held {
    pub bytes: Vec<u8>,
    _room: Option<OwnedSemaphorePermit>,
}

/// A request whose body, if it is JSON, was read and is held: see [`held`].
pub async fn with_body(app: &Arc<App>, request: Request) -> Result<Request, Problem> {
    if request.method() != Method::POST || !matches!(kind(request.headers()), Ok(Kind::Json)) {
        return Ok(request);
    }
    let (head, body) = request.into_parts();
    let held = read(app, &head.headers, body).await?;
    let mut request = Request::from_parts(head, Body::empty());
    request.extensions_mut().insert(Arc::new(held));
    Ok(request)
}

/// The JSON that a request came with.
pub fn held(request: &Request) -> Result<Arc<Held>, Problem> {
    let held = request.extensions().get::<Arc<Held>>();
    held.cloned().ok_or_else(|| {
        let told = "send Content-Type: application/json";
        Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, told)
    })
}

async fn read(app: &Arc<App>, headers: &HeaderMap, body: Body) -> Result<Held, Problem> {
    let most = app.limits.body_bytes;
    let refuse = || Problem::too_large(format!("the body has more than {most} bytes"));
    let announced = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok());
    if announced
        .and_then(|length| length.parse().ok())
        .is_some_and(|length: u64| length > most as u64)
    {
        return Err(refuse());
    }
    let mut frames = Frames { body, idle: app.limits.idle };
    let mut bytes = Vec::new();
    let mut room: Option<OwnedSemaphorePermit> = None;
    while let Some(chunk) = frames.next().await? {
        if bytes.len() + chunk.len() > most {
            return Err(refuse());
        }
        let more = app.room(chunk.len())?;
        match &mut room {
            Some(room) => room.merge(more),
            None => room = Some(more),
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(Held { bytes, _room: room })
}

/// The pieces of a body as they come.
pub struct Frames {
    pub body: Body,
    pub idle: std::time::Duration,
}

impl Frames {
    /// The next piece; `None` at the end.
    pub async fn next(&mut self) -> Result<Option<Bytes>, Problem> {
        loop {
            let Ok(frame) = timeout(self.idle, self.body.frame()).await else {
                let told = format!("the body paused for more than {:?}", self.idle);
                return Err(Problem::new(StatusCode::REQUEST_TIMEOUT, told));
            };
            match frame {
                None => return Ok(None),
                Some(Ok(frame)) => {
                    // Trailers say nothing that is wanted.
                    if let Ok(data) = frame.into_data() {
                        return Ok(Some(data));
                    }
                }
                Some(Err(error)) => {
                    return Err(Problem::broken(format!("the body breaks off: {error}")));
                }
            }
        }
    }
}
