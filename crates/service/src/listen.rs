//! Connections: accepted within limits, served, and ended without losing an answer.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, Sleep, sleep, timeout, timeout_at};

use crate::app::App;
use crate::settings::Limits;
use crate::tls::Tls;

/// The longest head of a request.
const HEAD_BYTES: usize = 64 << 10;
/// How long requests that are on their way when the service ends are waited for.
pub const GRACE: Duration = Duration::from_millis(300);
/// What is still read of a request that was refused, so that its sender sees the answer.
const LINGER: Duration = Duration::from_secs(1);
const LINGER_BYTES: usize = 8 << 20;

/// Serves until the service is to end and every accepted request is answered.
pub async fn serve(
    listener: TcpListener,
    tls: Option<Tls>,
    router: Router,
    app: Arc<App>,
    mut ending: watch::Receiver<bool>,
) {
    let places = Arc::new(Semaphore::new(app.limits.connections.max(1)));
    let mut connections = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            biased;
            _ = ending.wait_for(|ending| *ending) => break,
            accepted = async {
                let place = Arc::clone(&places).acquire_owned().await;
                (place, listener.accept().await)
            } => accepted,
        };
        let (Ok(place), Ok((stream, _))) = accepted else {
            // No more files, or a connection that was gone before it was accepted.
            sleep(Duration::from_millis(20)).await;
            continue;
        };
        while connections.try_join_next().is_some() {}
        let (app, router, ending) = (Arc::clone(&app), router.clone(), ending.clone());
        let tls = tls.clone();
        connections.spawn(async move {
            let _place = place;
            app.metrics.connections.inc();
            greet(stream, tls, router, &app.limits, ending).await;
            app.metrics.connections.dec();
        });
    }
    // Who is connected already is served; who comes now is refused.
    let last = Instant::now() + GRACE;
    while let Ok(Ok((stream, _))) = timeout_at(last, listener.accept()).await {
        let (app, router, ending) = (Arc::clone(&app), router.clone(), ending.clone());
        let tls = tls.clone();
        if connections.len() >= app.limits.connections {
            break;
        }
        connections.spawn(async move { greet(stream, tls, router, &app.limits, ending).await });
    }
    drop(listener);
    let longest = app.limits.shutdown;
    let all = async { while connections.join_next().await.is_some() {} };
    if timeout(longest, all).await.is_err() {
        tracing::warn!("connections were cut that had not ended in time");
    }
}

/// Serves a connection, with TLS where it is wanted.
async fn greet(
    stream: TcpStream,
    tls: Option<Tls>,
    router: Router,
    limits: &Limits,
    ending: watch::Receiver<bool>,
) {
    // Answers are small and should not wait for more.
    let _ = stream.set_nodelay(true);
    match tls {
        None => converse(stream, router, limits, ending).await,
        Some(tls) => {
            if let Ok(Some(stream)) = timeout(limits.header, tls.accept(stream)).await {
                converse(stream, router, limits, ending).await;
            }
        }
    }
}

async fn converse<S: AsyncRead + AsyncWrite + Send + Unpin + 'static>(
    stream: S,
    router: Router,
    limits: &Limits,
    mut ending: watch::Receiver<bool>,
) {
    let stream = Impatient { stream, longest: limits.write, waiting: None };
    let mut connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.header)
        .max_buf_size(HEAD_BYTES)
        .half_close(true)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
    let mut is_ending = false;
    let served = loop {
        let serving = std::future::poll_fn(|context| connection.poll_without_shutdown(context));
        tokio::select! {
            served = serving => break served,
            () = ended(&mut ending), if !is_ending => {
                is_ending = true;
                Pin::new(&mut connection).graceful_shutdown();
            }
        }
    };
    let mut stream = connection.into_parts().io.into_inner();
    // What was refused may still be on its way; to close at once would take the answer with it.
    if served.is_ok() && stream.shutdown().await.is_ok() {
        let mut scratch = vec![0; 16 << 10];
        let mut left = LINGER_BYTES;
        let _ = timeout(LINGER, async {
            while let Ok(read @ 1..) = stream.stream.read(&mut scratch).await {
                left = left.saturating_sub(read);
                if left == 0 {
                    break;
                }
            }
        })
        .await;
    }
}

/// Waits for the end, and a moment longer: what was sent before it is still read.
pub async fn ended(ending: &mut watch::Receiver<bool>) {
    let _ = ending.wait_for(|ending| *ending).await;
    sleep(GRACE).await;
}

/// A stream that fails where the other side does not read what is written to it.
struct Impatient<S> {
    stream: S,
    longest: Duration,
    waiting: Option<Pin<Box<Sleep>>>,
}

impl<S> Impatient<S> {
    /// Counts the time since a write had to wait.
    fn watch<T>(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<std::io::Result<T>>,
    ) -> Poll<std::io::Result<T>> {
        if written.is_ready() {
            self.waiting = None;
            return written;
        }
        let longest = self.longest;
        let waiting = self
            .waiting
            .get_or_insert_with(|| Box::pin(tokio::time::sleep_until(Instant::now() + longest)));
        match waiting.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(Err(std::io::ErrorKind::TimedOut.into())),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Impatient<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Impatient<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<std::io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.watch(context, written)
    }

    fn poll_flush(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<std::io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        self.watch(context, flushed)
    }

    fn poll_shutdown(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<std::io::Result<()>> {
        let shut = Pin::new(&mut self.stream).poll_shutdown(context);
        self.watch(context, shut)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[std::io::IoSlice<'_>],
    ) -> Poll<std::io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, pieces);
        self.watch(context, written)
    }
}
