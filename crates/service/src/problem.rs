//! Errors as problem documents (RFC 9457) that name what is at fault.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use lookalike::IndexError;
use serde::Serialize;

/// What went wrong, for whoever asked.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub struct Problem(Box<Told>);

/// What a problem says.
#[derive(Clone, Debug, Serialize)]
pub struct Told {
    #[serde(rename = "type")]
    kind: &'static str,
    title: &'static str,
    pub status: u16,
    pub detail: String,
    /// The field of the JSON or the parameter at fault.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// Which document of an array, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<usize>,
    /// The document concerned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    #[serde(skip)]
    retry_after: Option<u64>,
}

impl Problem {
    /// A problem of this status.
    pub fn new(status: StatusCode, detail: impl Into<String>) -> Self {
        let title = status.canonical_reason().unwrap_or("Error");
        let status = status.as_u16();
        let detail = detail.into();
        Self(Box::new(Told {
            kind: "about:blank",
            title,
            status,
            detail,
            field: None,
            index: None,
            id: None,
            retry_after: None,
        }))
    }

    /// A field or parameter with a value that cannot be used.
    pub fn field(name: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, detail).of_field(name)
    }

    /// JSON or text that cannot be read.
    pub fn broken(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, detail)
    }

    /// More than is allowed.
    pub fn too_large(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, detail)
    }

    /// No such document.
    pub fn no_document(id: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, "there is no document with this id").of_id(id)
    }

    /// Too much at once; to be tried again.
    pub fn busy(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::TOO_MANY_REQUESTS, detail).again_after(1)
    }

    /// Not yet, or not any more.
    pub fn not_ready(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, detail).again_after(2)
    }

    /// Something that the service should not have met; the reason is in the log.
    pub fn internal(reason: &dyn std::fmt::Display) -> Self {
        tracing::error!(%reason, "failed");
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, format!("the service failed: {reason}"))
    }

    /// The same of a field.
    pub fn of_field(mut self, name: impl Into<String>) -> Self {
        self.0.field = Some(name.into());
        self
    }

    /// The same of a document.
    pub fn of_id(mut self, id: impl Into<String>) -> Self {
        self.0.id = Some(id.into());
        self
    }

    /// The same of one document of an array.
    pub fn at(mut self, index: usize) -> Self {
        self.0.index = Some(index);
        self
    }

    fn again_after(mut self, seconds: u64) -> Self {
        self.0.retry_after = Some(seconds);
        self
    }
}

impl std::ops::Deref for Problem {
    type Target = Told;

    fn deref(&self) -> &Told {
        &self.0
    }
}

/// An error with what it comes from, as far as it does not say so itself.
pub fn with_reasons(error: &dyn std::error::Error) -> String {
    let mut told = error.to_string();
    let mut next = error.source();
    while let Some(reason) = next {
        let words = reason.to_string();
        if !told.contains(&words) {
            told.push_str(": ");
            told.push_str(&words);
        }
        next = reason.source();
    }
    told
}

impl From<IndexError> for Problem {
    fn from(error: IndexError) -> Self {
        use lookalike::{RunError, StoreError};
        let detail = with_reasons(&error);
        match error {
            IndexError::Store(StoreError::DuplicateId(id)) => {
                let detail = "the id is there already: send on_id=replace or on_id=skip";
                Self::new(StatusCode::CONFLICT, detail).of_field("id").of_id(id)
            }
            IndexError::Store(StoreError::TooLarge { .. }) => Self::too_large(detail),
            IndexError::SameId(_) => Self::field("b", detail),
            IndexError::NoId(_) => Self::field("id", detail),
            // Nobody waits for the answer any more.
            IndexError::Run(RunError::Interrupted) => Self::not_ready(detail),
            IndexError::NoTexts(_) | IndexError::NoFields { .. } | IndexError::NoFiles(_) => {
                Self::new(StatusCode::CONFLICT, detail)
            }
            IndexError::Store(StoreError::Failed(_)) => {
                tracing::error!(reason = %detail, "the index cannot be written");
                Self::not_ready(detail)
            }
            error if is_out_of_space(&error) => {
                tracing::error!(reason = %detail, "no space is left");
                Self::new(StatusCode::INSUFFICIENT_STORAGE, detail)
            }
            _ => Self::internal(&detail),
        }
    }
}

/// Whether a disk is full, a quota used up, or a file as large as files may become.
fn is_out_of_space(error: &IndexError) -> bool {
    use std::io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    let causes = std::iter::successors(Some(error as &dyn std::error::Error), |e| e.source());
    causes
        .filter_map(|cause| cause.downcast_ref::<std::io::Error>())
        .any(|cause| matches!(cause.kind(), StorageFull | QuotaExceeded | FileTooLarge))
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::BAD_REQUEST);
        let body = serde_json::to_vec(&self).unwrap_or_default();
        let mut response = (status, body).into_response();
        let headers = response.headers_mut();
        let kind = HeaderValue::from_static("application/problem+json");
        headers.insert(header::CONTENT_TYPE, kind);
        if let Some(seconds) = self.retry_after {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if self.status == StatusCode::UNAUTHORIZED.as_u16() {
            let challenge = HeaderValue::from_static("Bearer realm=\"lookalike\"");
            headers.insert(header::WWW_AUTHENTICATE, challenge);
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Error, ErrorKind};

    use super::*;

    #[test]
    fn a_full_disk_is_no_failure_of_the_service() {
        let status = |kind: ErrorKind| {
            let (action, file) = ("write", "log-1".into());
            let store = lookalike::StoreError::Io { action, file, source: Error::from(kind) };
            Problem::from(IndexError::Store(store)).status
        };
        assert_eq!(status(ErrorKind::StorageFull), 507);
        assert_eq!(status(ErrorKind::FileTooLarge), 507);
        assert_eq!(status(ErrorKind::PermissionDenied), 500);
        let run = lookalike::RunError::File {
            action: "write",
            path: "/tmp/x".into(),
            source: Error::from(ErrorKind::QuotaExceeded),
        };
        assert_eq!(Problem::from(IndexError::Run(run)).status, 507);
    }
}
