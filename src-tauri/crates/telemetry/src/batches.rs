//! A run as the bodies of requests: each signal in pieces that receivers take.

use crate::messages::{LogRecord, Metric, Span};
use crate::run_telemetry::RunTelemetry;
use prost::Message;

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

impl RunTelemetry {
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
