//! NDJSON in, NDJSON out: lines are answered as they come, in batches that are durable together.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use hyper::body::Frame;
use lookalike::OwnedDocument;
use serde_json::{Value, json};
use tokio::sync::{OwnedSemaphorePermit, mpsc, watch};
use tokio::time::timeout;

use crate::app::App;
use crate::body::Frames;
use crate::documents::Wanted;
use crate::guard::Admitted;
use crate::listen::{GRACE, ended};
use crate::problem::Problem;

/// Documents and bytes of a batch.
const BATCH_DOCUMENTS: usize = 256;
const BATCH_BYTES: usize = 4 << 20;
/// How long a batch waits for further lines.
const GATHERING: Duration = Duration::from_millis(2);
/// Batches of answers that wait to be sent before no more is read.
const WAITING_ANSWERS: usize = 64;

/// Answers line by line; a problem with the first batch is the answer's status, later ones are its last
/// line.
pub async fn stream(app: Arc<App>, request: Request, wanted: Wanted) -> Result<Response, Problem> {
    let place = app.stream_place()?;
    let admitted = request.extensions().get::<Admitted>().cloned();
    let mut lines = Lines {
        frames: Frames { body: request.into_body(), idle: app.limits.idle },
        buffer: Vec::new(),
        batch_bytes: 0,
        room: None,
        number: 0,
        documents: 0,
        ended: false,
        ending: app.ending.clone(),
        waiting: Instant::now(),
        since_ending: None,
    };
    let first = lines.answer_batch(&app, wanted).await?;
    let (sender, receiver) = mpsc::channel(WAITING_ANSWERS);
    tokio::spawn(async move {
        // A place among the requests and the streams is held as long as the stream lasts.
        let _places = (admitted, place);
        let mut next = Ok(first);
        loop {
            let (bytes, ended) = match next {
                Ok(Some(bytes)) => (bytes, false),
                Ok(None) => return,
                Err(problem) => {
                    let row =
                        json!({"status": "refused", "line": lines.number, "problem": problem});
                    (Bytes::from(format!("{row}\n")), true)
                }
            };
            // Whoever does not read the answers gets no further ones.
            let sent = timeout(app.limits.write, sender.send(bytes)).await;
            if ended || !matches!(sent, Ok(Ok(()))) {
                return;
            }
            next = lines.answer_batch(&app, wanted).await;
        }
    });
    let kind = [(header::CONTENT_TYPE, "application/x-ndjson")];
    Ok((kind, Body::new(Answers(receiver))).into_response())
}

/// The answers as a body.
struct Answers(mpsc::Receiver<Bytes>);

impl hyper::body::Body for Answers {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.poll_recv(context).map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes))))
    }
}

/// The lines of a body.
struct Lines {
    frames: Frames,
    /// What has come and is not a line yet.
    buffer: Vec<u8>,
    /// Bytes of the lines that are being answered.
    batch_bytes: usize,
    room: Option<OwnedSemaphorePermit>,
    /// The number of the last line, from 1.
    number: u64,
    documents: usize,
    ended: bool,
    ending: watch::Receiver<bool>,
    /// Since when a line is waited for.
    waiting: Instant,
    /// When lines were first read after the service was told to end.
    since_ending: Option<Instant>,
}

/// A batch of lines: what could be read of each.
type Batch = Vec<Result<OwnedDocument, Value>>;

impl Lines {
    /// Reads a batch and answers it; `None` at the end.
    async fn answer_batch(
        &mut self,
        app: &Arc<App>,
        wanted: Wanted,
    ) -> Result<Option<Bytes>, Problem> {
        let Some(batch) = self.batch(app, wanted.adding.is_some()).await? else {
            return Ok(None);
        };
        let mut documents = Vec::with_capacity(batch.len());
        let mut rows: Vec<Option<Value>> = Vec::with_capacity(batch.len());
        for line in batch {
            match line {
                Ok(document) => {
                    documents.push(document);
                    rows.push(None);
                }
                Err(row) => rows.push(Some(row)),
            }
        }
        let mut answers = wanted.run(app, documents).await?.into_iter();
        self.batch_bytes = 0;
        self.fit_room(app)?;
        let mut bytes = Vec::new();
        for row in rows {
            let Some(row) = row.or_else(|| answers.next()) else { continue };
            // Writing JSON into memory does not fail.
            let _ = serde_json::to_writer(&mut bytes, &row);
            bytes.push(b'\n');
        }
        Ok(Some(bytes.into()))
    }

    /// The lines that are there, or the next one that comes.
    async fn batch(&mut self, app: &Arc<App>, needs_id: bool) -> Result<Option<Batch>, Problem> {
        let mut batch: Batch = Vec::new();
        let mut bytes = 0;
        self.waiting = Instant::now();
        loop {
            let mut taken = 0;
            while batch.len() < BATCH_DOCUMENTS
                && bytes < BATCH_BYTES
                && let Some(end) = self.line_end(taken)
            {
                let line = &self.buffer[taken..end.min(self.buffer.len())];
                self.number += 1;
                bytes += line.len();
                self.batch_bytes = bytes;
                if !line.trim_ascii().is_empty() {
                    self.documents += 1;
                    batch.push(read_line(app, line, needs_id, self.number));
                }
                taken = end + 1;
            }
            self.buffer.drain(..taken.min(self.buffer.len()));
            if self.documents > app.limits.stream_documents {
                let most = app.limits.stream_documents;
                return Err(Problem::too_large(format!("the stream has more than {most} lines")));
            }
            if batch.len() >= BATCH_DOCUMENTS || bytes >= BATCH_BYTES {
                break;
            }
            if self.ended {
                if batch.is_empty() {
                    return Ok(None);
                }
                break;
            }
            if !self.read_on(app, batch.is_empty()).await? {
                break;
            }
        }
        Ok(Some(batch))
    }

    /// The end of the line that begins at a place of the buffer.
    fn line_end(&self, from: usize) -> Option<usize> {
        let rest = self.buffer.get(from..)?;
        match memchr::memchr(b'\n', rest) {
            Some(end) => Some(from + end),
            None if self.ended && !rest.is_empty() => Some(self.buffer.len()),
            None => None,
        }
    }

    /// Takes what comes next into the buffer; false where nothing came in time for this batch.
    async fn read_on(&mut self, app: &Arc<App>, is_patient: bool) -> Result<bool, Problem> {
        let next = if is_patient {
            let refuse = || {
                let told = "the service is ending; this line and those after it were not taken";
                Problem::not_ready(told)
            };
            if *self.ending.borrow()
                && self.since_ending.get_or_insert_with(Instant::now).elapsed() > GRACE
            {
                return Err(refuse());
            }
            let slowest = self.frames.idle + Duration::from_secs((self.buffer.len() >> 14) as u64);
            let left = slowest.saturating_sub(self.waiting.elapsed());
            tokio::select! {
                biased;
                next = timeout(left, self.frames.next()) => next.map_err(|_| {
                    let told = "lines come at less than 16 kilobytes a second";
                    Problem::new(StatusCode::REQUEST_TIMEOUT, told)
                })??,
                () = ended(&mut self.ending) => return Err(refuse()),
            }
        } else {
            match timeout(GATHERING, self.frames.next()).await {
                Ok(next) => next?,
                Err(_) => return Ok(false),
            }
        };
        match next {
            None => self.ended = true,
            Some(chunk) => {
                self.buffer.extend_from_slice(&chunk);
                let most = app.limits.body_bytes;
                if self.buffer.len() > most && self.line_end(0).is_none() {
                    let told = format!("a line has more than {most} bytes");
                    return Err(Problem::too_large(told));
                }
                self.fit_room(app)?;
            }
        }
        Ok(true)
    }

    /// Holds as much room as the buffer and the batch at hand take up.
    fn fit_room(&mut self, app: &App) -> Result<(), Problem> {
        let wanted = (self.buffer.len() + self.batch_bytes).div_ceil(1 << 10);
        let held = self.room.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
        if wanted > held {
            let more = app.room((wanted - held) << 10)?;
            match &mut self.room {
                Some(room) => room.merge(more),
                None => self.room = Some(more),
            }
        } else if wanted < held / 2 {
            drop(self.room.as_mut().and_then(|room| room.split(held - wanted)));
            self.buffer.shrink_to(wanted << 10);
        }
        Ok(())
    }
}

fn read_line(app: &App, line: &[u8], needs_id: bool, number: u64) -> Result<OwnedDocument, Value> {
    app.rows.row(line, needs_id).map_err(|problem| {
        let (reason, field) = (&problem.detail, &problem.field);
        json!({"line": number, "status": "unreadable", "reason": reason, "field": field})
    })
}
