//! The messages of OTLP that are sent, by hand: of <https://github.com/open-telemetry/opentelemetry-proto>, version
//! 1.10, the fields that are used, with their numbers. A receiver skips what a message lacks.
//!
//! As JSON they follow OTLP/JSON: field names in camel case, ids in hexadecimal, 64-bit integers as text, enumerations
//! as numbers.

use prost::{Message, Oneof};
use serde::{Serialize, Serializer};

/// Declares the three layers around the items of a signal: all that is sent, a resource's, and a scope's.
macro_rules! layers {
    ($($data:ident { $resources:ident: $resource:ident { $scopes:ident: $scope:ident { $items:ident: $item:ident } } })*) => {$(
        #[derive(Clone, PartialEq, Message, Serialize)]
        #[serde(rename_all = "camelCase")]
        pub(crate) struct $data {
            #[prost(message, repeated, tag = "1")]
            pub(crate) $resources: Vec<$resource>,
        }

        #[derive(Clone, PartialEq, Message, Serialize)]
        #[serde(rename_all = "camelCase")]
        pub(crate) struct $resource {
            #[prost(message, optional, tag = "1")]
            pub resource: Option<ResourceMessage>,
            #[prost(message, repeated, tag = "2")]
            pub(crate) $scopes: Vec<$scope>,
            #[prost(string, tag = "3")]
            pub schema_url: String,
        }

        #[derive(Clone, PartialEq, Message, Serialize)]
        #[serde(rename_all = "camelCase")]
        pub(crate) struct $scope {
            #[prost(message, optional, tag = "1")]
            pub scope: Option<InstrumentationScope>,
            #[prost(message, repeated, tag = "2")]
            pub(crate) $items: Vec<$item>,
            #[prost(string, tag = "3")]
            pub schema_url: String,
        }
    )*};
}

layers! {
    TracesData { resource_spans: ResourceSpans { scope_spans: ScopeSpans { spans: Span } } }
    MetricsData { resource_metrics: ResourceMetrics { scope_metrics: ScopeMetrics { metrics: Metric } } }
    LogsData { resource_logs: ResourceLogs { scope_logs: ScopeLogs { log_records: LogRecord } } }
}

#[derive(Clone, PartialEq, Message, Serialize)]
pub(crate) struct ResourceMessage {
    #[prost(message, repeated, tag = "1")]
    pub(crate) attributes: Vec<KeyValue>,
}

#[derive(Clone, PartialEq, Message, Serialize)]
pub(crate) struct InstrumentationScope {
    #[prost(string, tag = "1")]
    pub(crate) name: String,
    #[prost(string, tag = "2")]
    pub(crate) version: String,
}

#[derive(Clone, PartialEq, Message, Serialize)]
pub(crate) struct KeyValue {
    #[prost(string, tag = "1")]
    pub(crate) key: String,
    #[prost(message, optional, tag = "2")]
    pub(crate) value: Option<AnyValue>,
}

#[derive(Clone, PartialEq, Message, Serialize)]
pub(crate) struct AnyValue {
    #[prost(oneof = "Value", tags = "1, 2, 3, 4, 5")]
    #[serde(flatten)]
    pub(crate) value: Option<Value>,
}

#[derive(Clone, PartialEq, Oneof, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::enum_variant_names, reason = "they are OTLP's names of the fields")]
pub(crate) enum Value {
    #[prost(string, tag = "1")]
    StringValue(String),
    #[prost(bool, tag = "2")]
    BoolValue(bool),
    #[prost(int64, tag = "3")]
    IntValue(#[serde(serialize_with = "as_text")] i64),
    #[prost(double, tag = "4")]
    DoubleValue(f64),
    #[prost(message, tag = "5")]
    ArrayValue(ArrayValue),
}

#[derive(Clone, PartialEq, Message, Serialize)]
pub(crate) struct ArrayValue {
    #[prost(message, repeated, tag = "1")]
    pub(crate) values: Vec<AnyValue>,
}

#[derive(Clone, PartialEq, Message, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Span {
    #[prost(bytes = "vec", tag = "1")]
    #[serde(serialize_with = "as_hex")]
    pub(crate) trace_id: Vec<u8>,
    #[prost(bytes = "vec", tag = "2")]
    #[serde(serialize_with = "as_hex")]
    pub(crate) span_id: Vec<u8>,
    #[prost(bytes = "vec", tag = "4")]
    #[serde(serialize_with = "as_hex", skip_serializing_if = "Vec::is_empty")]
    pub(crate) parent_span_id: Vec<u8>,
    #[prost(string, tag = "5")]
    pub(crate) name: String,
    #[prost(int32, tag = "6")]
    pub(crate) kind: i32,
    #[prost(fixed64, tag = "7")]
    #[serde(serialize_with = "as_text")]
    pub(crate) start_time_unix_nano: u64,
    /// 0 while it is open.
    #[prost(fixed64, tag = "8")]
    #[serde(serialize_with = "as_text")]
    pub(crate) end_time_unix_nano: u64,
    #[prost(message, repeated, tag = "9")]
    pub(crate) attributes: Vec<KeyValue>,
    #[prost(message, repeated, tag = "11")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) events: Vec<SpanEvent>,
    #[prost(message, optional, tag = "15")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<Status>,
}

/// The kinds of a span that there are here.
pub(crate) const INTERNAL: i32 = 1;
pub(crate) const CLIENT: i32 = 3;

#[derive(Clone, PartialEq, Message, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SpanEvent {
    #[prost(fixed64, tag = "1")]
    #[serde(serialize_with = "as_text")]
    pub(crate) time_unix_nano: u64,
    #[prost(string, tag = "2")]
    pub(crate) name: String,
    #[prost(message, repeated, tag = "3")]
    pub(crate) attributes: Vec<KeyValue>,
}

#[derive(Clone, PartialEq, Message, Serialize)]
pub(crate) struct Status {
    #[prost(string, tag = "2")]
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) message: String,
    #[prost(int32, tag = "3")]
    pub(crate) code: i32,
}

pub(crate) const STATUS_ERROR: i32 = 2;

#[derive(Clone, PartialEq, Message, Serialize)]
pub(crate) struct Metric {
    #[prost(string, tag = "1")]
    pub(crate) name: String,
    #[prost(string, tag = "2")]
    pub(crate) description: String,
    #[prost(string, tag = "3")]
    pub(crate) unit: String,
    #[prost(oneof = "MetricPoints", tags = "7, 9")]
    #[serde(flatten)]
    pub(crate) data: Option<MetricPoints>,
}

#[derive(Clone, PartialEq, Oneof, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum MetricPoints {
    #[prost(message, tag = "7")]
    Sum(Sum),
    #[prost(message, tag = "9")]
    Histogram(Histogram),
}

/// Each export has what was measured since the one before, which is one run.
pub(crate) const DELTA: i32 = 1;

#[derive(Clone, PartialEq, Message, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Sum {
    #[prost(message, repeated, tag = "1")]
    pub(crate) data_points: Vec<NumberDataPoint>,
    #[prost(int32, tag = "2")]
    pub(crate) aggregation_temporality: i32,
    #[prost(bool, tag = "3")]
    pub(crate) is_monotonic: bool,
}

#[derive(Clone, PartialEq, Message, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NumberDataPoint {
    #[prost(fixed64, tag = "2")]
    #[serde(serialize_with = "as_text")]
    pub(crate) start_time_unix_nano: u64,
    #[prost(fixed64, tag = "3")]
    #[serde(serialize_with = "as_text")]
    pub(crate) time_unix_nano: u64,
    #[prost(message, repeated, tag = "7")]
    pub(crate) attributes: Vec<KeyValue>,
    #[prost(oneof = "PointNumber", tags = "4, 6")]
    #[serde(flatten)]
    pub(crate) value: Option<PointNumber>,
}

#[derive(Clone, Copy, PartialEq, Oneof, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum PointNumber {
    #[prost(double, tag = "4")]
    AsDouble(f64),
    #[prost(sfixed64, tag = "6")]
    AsInt(#[serde(serialize_with = "as_text")] i64),
}

#[derive(Clone, PartialEq, Message, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Histogram {
    #[prost(message, repeated, tag = "1")]
    pub(crate) data_points: Vec<HistogramDataPoint>,
    #[prost(int32, tag = "2")]
    pub(crate) aggregation_temporality: i32,
}

#[derive(Clone, PartialEq, Message, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct HistogramDataPoint {
    #[prost(fixed64, tag = "2")]
    #[serde(serialize_with = "as_text")]
    pub(crate) start_time_unix_nano: u64,
    #[prost(fixed64, tag = "3")]
    #[serde(serialize_with = "as_text")]
    pub(crate) time_unix_nano: u64,
    #[prost(fixed64, tag = "4")]
    #[serde(serialize_with = "as_text")]
    pub(crate) count: u64,
    #[prost(double, optional, tag = "5")]
    pub(crate) sum: Option<f64>,
    #[prost(fixed64, repeated, tag = "6")]
    #[serde(serialize_with = "as_texts")]
    pub(crate) bucket_counts: Vec<u64>,
    #[prost(double, repeated, tag = "7")]
    pub(crate) explicit_bounds: Vec<f64>,
    #[prost(message, repeated, tag = "9")]
    pub(crate) attributes: Vec<KeyValue>,
    #[prost(double, optional, tag = "11")]
    pub(crate) min: Option<f64>,
    #[prost(double, optional, tag = "12")]
    pub(crate) max: Option<f64>,
}

#[derive(Clone, PartialEq, Message, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LogRecord {
    #[prost(fixed64, tag = "1")]
    #[serde(serialize_with = "as_text")]
    pub(crate) time_unix_nano: u64,
    #[prost(fixed64, tag = "11")]
    #[serde(serialize_with = "as_text")]
    pub(crate) observed_time_unix_nano: u64,
    #[prost(int32, tag = "2")]
    pub(crate) severity_number: i32,
    #[prost(string, tag = "3")]
    pub(crate) severity_text: String,
    #[prost(message, repeated, tag = "6")]
    pub(crate) attributes: Vec<KeyValue>,
    #[prost(bytes = "vec", tag = "9")]
    #[serde(serialize_with = "as_hex")]
    pub(crate) trace_id: Vec<u8>,
    #[prost(bytes = "vec", tag = "10")]
    #[serde(serialize_with = "as_hex", skip_serializing_if = "Vec::is_empty")]
    pub(crate) span_id: Vec<u8>,
    #[prost(string, tag = "12")]
    pub(crate) event_name: String,
}

/// The answer of a receiver, to each of the signals.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct ExportResponse {
    #[prost(message, optional, tag = "1")]
    pub(crate) partial_success: Option<PartialSuccess>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct PartialSuccess {
    #[prost(int64, tag = "1")]
    pub(crate) rejected: i64,
    #[prost(string, tag = "2")]
    pub(crate) error_message: String,
}

fn as_hex<S: Serializer>(id: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&hex::encode(id))
}

fn as_text<S: Serializer>(number: &impl ToString, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&number.to_string())
}

fn as_texts<S: Serializer>(numbers: &[u64], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(numbers.iter().map(u64::to_string))
}
