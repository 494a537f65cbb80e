//! What the service counts, as Prometheus reads it.

use std::sync::atomic::AtomicU64;

use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::{Registry, Unit};

/// Names and values of labels; never ids, texts or tokens.
type Labels = Vec<(&'static str, String)>;

/// The counters of a service.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    requests: Family<Labels, Counter>,
    seconds: Family<Labels, Histogram>,
    /// Requests that are worked on.
    pub in_flight: Gauge,
    /// Connections that are open.
    pub connections: Gauge,
    /// Documents that were checked or added.
    pub documents: Family<Labels, Counter>,
    /// Batches that became durable.
    pub commits: Counter,
    /// Additions that became durable together.
    pub additions_together: Histogram,
    /// Runs over the whole index.
    pub runs: Counter,
    living: Gauge<u64, AtomicU64>,
    memory: Gauge<u64, AtomicU64>,
}

impl Metrics {
    /// All at zero.
    pub fn new() -> Self {
        let seconds = || Histogram::new(exponential_buckets(0.0005, 2.0, 18));
        let metrics = Self {
            registry: Registry::default(),
            requests: Family::default(),
            seconds: Family::new_with_constructor(seconds),
            in_flight: Gauge::default(),
            connections: Gauge::default(),
            documents: Family::default(),
            commits: Counter::default(),
            additions_together: Histogram::new(exponential_buckets(1.0, 2.0, 9)),
            runs: Counter::default(),
            living: Gauge::default(),
            memory: Gauge::default(),
        };
        let mut registry = Registry::with_prefix("lookalike");
        registry.register("requests", "Requests answered", metrics.requests.clone());
        registry.register_with_unit(
            "request_duration",
            "Time to the head of the answer",
            Unit::Seconds,
            metrics.seconds.clone(),
        );
        registry.register("requests_in_flight", "Requests worked on", metrics.in_flight.clone());
        registry.register("connections", "Connections open", metrics.connections.clone());
        registry.register(
            "documents",
            "Documents checked or added, by what came of them",
            metrics.documents.clone(),
        );
        registry.register("commits", "Batches made durable", metrics.commits.clone());
        registry.register(
            "additions_together",
            "Additions that became durable together",
            metrics.additions_together.clone(),
        );
        registry.register("runs", "Runs over the whole index", metrics.runs.clone());
        registry.register("index_documents", "Documents in the index", metrics.living.clone());
        registry.register_with_unit(
            "resident_memory",
            "Memory of the process",
            Unit::Bytes,
            metrics.memory.clone(),
        );
        Self { registry, ..metrics }
    }

    /// Counts an answered request.
    pub fn answered(&self, method: &str, route: &str, status: u16, seconds: f64) {
        let labels = || vec![("method", method.to_owned()), ("route", route.to_owned())];
        let mut with_status = labels();
        with_status.push(("status", status.to_string()));
        self.requests.get_or_create(&with_status).inc();
        self.seconds.get_or_create(&labels()).observe(seconds);
    }

    /// Counts documents.
    pub fn documents(&self, action: &str, status: &str, count: u64) {
        let labels = vec![("action", action.to_owned()), ("status", status.to_owned())];
        self.documents.get_or_create(&labels).inc_by(count);
    }

    /// Everything as text.
    pub fn text(&self, living: u64) -> String {
        self.living.set(living);
        self.memory.set(lookalike::resident_memory_bytes().unwrap_or(0));
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}
