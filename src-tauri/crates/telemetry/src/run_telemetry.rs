//! A run's telemetry, whole: as OTLP/JSON lines, and as the bodies of requests, each signal in pieces that receivers take.

use crate::attributes::AttributeList;
use crate::messages::{
    InstrumentationScope, KeyValue, LogRecord, LogsData, Metric, MetricsData, ResourceLogs, ResourceMessage,
    ResourceMetrics, ResourceSpans, ScopeLogs, ScopeMetrics, ScopeSpans, Span, TracesData,
};
use crate::names;
use prost::Message;
use std::io::{self, Write};

/// The origin of all of it: the service, with what the user adds to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Resource {
    attributes: Vec<KeyValue>,
}

impl Default for Resource {
    fn default() -> Self {
        let mut attributes = Vec::new();
        attributes.set(names::SERVICE_NAME, names::SCOPE);
        attributes.set(names::SERVICE_VERSION, env!("CARGO_PKG_VERSION"));
        Self { attributes }
    }
}

impl Resource {
    /// Adds attributes, in place of those that there are.
    #[must_use]
    pub fn with(mut self, attributes: impl IntoIterator<Item = (String, String)>) -> Self {
        attributes.into_iter().for_each(|(key, value)| self.attributes.set(&key, value));
        self
    }

    /// Gives the service another name.
    #[must_use]
    pub fn named(mut self, service: &str) -> Self {
        self.attributes.set(names::SERVICE_NAME, service);
        self
    }
}

/// A run as spans, metrics and log records.
#[derive(Debug, Clone, PartialEq)]
pub struct RunTelemetry {
    resource: Resource,
    pub(crate) spans: Vec<Span>,
    pub(crate) metrics: Vec<Metric>,
    pub(crate) records: Vec<LogRecord>,
}

/// A body's items together are at most this long, unless one alone is longer. Receivers take at least 4 MiB.
pub(crate) const MAX_BATCH_BYTES: usize = 2 << 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Signal {
    Traces,
    Metrics,
    Logs,
}

impl Signal {
    /// As it stands in paths and, in capitals, in variables.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Traces => "traces",
            Self::Metrics => "metrics",
            Self::Logs => "logs",
        }
    }
}

/// The body of one request.
#[derive(Debug)]
pub(crate) struct OtlpBatch {
    pub(crate) signal: Signal,
    pub(crate) body: Vec<u8>,
}

fn scope() -> Option<InstrumentationScope> {
    Some(InstrumentationScope { name: names::SCOPE.to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() })
}

/// Puts items into the layers around them.
macro_rules! wrapped {
    ($name:ident: $item:ident => $data:ident { $resources:ident: $resource:ident { $scopes:ident: $scope:ident { $items:ident } } }) => {
        pub(crate) fn $name(&self, $items: Vec<$item>) -> $data {
            let scope = $scope { scope: scope(), $items, schema_url: names::SCHEMA_URL.to_owned() };
            let resource = $resource {
                resource: Some(ResourceMessage { attributes: self.resource.attributes.clone() }),
                $scopes: vec![scope],
                schema_url: names::SCHEMA_URL.to_owned(),
            };
            $data { $resources: vec![resource] }
        }
    };
}

impl RunTelemetry {
    pub(crate) fn new(resource: &Resource, spans: Vec<Span>, metrics: Vec<Metric>, records: Vec<LogRecord>) -> Self {
        Self { resource: resource.clone(), spans, metrics, records }
    }

    wrapped!(traces: Span => TracesData { resource_spans: ResourceSpans { scope_spans: ScopeSpans { spans } } });
    wrapped!(measured: Metric => MetricsData { resource_metrics: ResourceMetrics { scope_metrics: ScopeMetrics { metrics } } });
    wrapped!(logs: LogRecord => LogsData { resource_logs: ResourceLogs { scope_logs: ScopeLogs { log_records } } });

    /// The bodies to send. Metrics come last: they are the only ones that a repetition would count twice.
    pub(crate) fn batches(&self) -> Vec<OtlpBatch> {
        let batch = |signal, body| OtlpBatch { signal, body };
        let spans = pieces::<Span>(&self.spans).map(|spans| batch(Signal::Traces, self.traces(spans).encode_to_vec()));
        let records =
            pieces::<LogRecord>(&self.records).map(|records| batch(Signal::Logs, self.logs(records).encode_to_vec()));
        let metrics = pieces::<Metric>(&self.metrics)
            .map(|metrics| batch(Signal::Metrics, self.measured(metrics).encode_to_vec()));
        spans.chain(records).chain(metrics).collect()
    }

    /// Writes a line of OTLP/JSON for the trace, one for the metrics, one for the logs, as OpenTelemetry's file
    /// exporter does; none for what there is none of.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write_json_lines(&self, out: &mut dyn Write) -> io::Result<()> {
        if !self.spans.is_empty() {
            line(out, &self.traces(self.spans.clone()))?;
        }
        if !self.metrics.is_empty() {
            line(out, &self.measured(self.metrics.clone()))?;
        }
        if !self.records.is_empty() {
            line(out, &self.logs(self.records.clone()))?;
        }
        Ok(())
    }
}

fn line(out: &mut dyn Write, data: &impl serde::Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, data).map_err(io::Error::from)?;
    out.write_all(b"\n")
}

fn pieces<T: Message + Clone>(items: &[T]) -> impl Iterator<Item = Vec<T>> + '_ {
    let mut rest = items;
    std::iter::from_fn(move || {
        let mut bytes = 0;
        let fits = |item: &&T| {
            bytes += item.encoded_len();
            bytes <= MAX_BATCH_BYTES
        };
        let count = rest.iter().take_while(fits).count().max(1);
        let (piece, after) = rest.split_at_checked(count)?;
        rest = after;
        Some(piece.to_vec())
    })
}
