//! The metrics that a run adds up to: of its requests, tool calls and approvals.

use crate::attributes::AttributeList;
use crate::messages::{
    DELTA, Histogram, HistogramDataPoint, KeyValue, Metric, MetricPoints, NumberDataPoint, PointNumber, Sum,
};
use crate::names;
use arki_domain::Usage;
use std::collections::BTreeMap;

/// The bounds of durations in seconds, as the conventions advise.
const DURATION_BOUNDS: [f64; 14] =
    [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];

/// The attributes of a point: keys and their values, in order.
pub(crate) type Labels = BTreeMap<&'static str, String>;

/// A figure that only grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Counter {
    InputTokens,
    OutputTokens,
    CacheReadTokens,
    CacheWriteTokens,
    ReasoningTokens,
    Cost,
    Approvals,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Duration {
    Inference,
    Tool,
}

/// The time that a point covers, in nanoseconds since 1970.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Period {
    pub(crate) from: u64,
    pub(crate) to: u64,
}

#[derive(Default)]
pub(crate) struct Measures {
    counts: BTreeMap<(Counter, Labels), u64>,
    costs: BTreeMap<Labels, f64>,
    durations: BTreeMap<(Duration, Labels), Buckets>,
}

impl Measures {
    pub(crate) fn inference(&mut self, labels: Labels, seconds: f64) {
        self.durations.entry((Duration::Inference, labels)).or_default().add(seconds);
    }

    pub(crate) fn usage(&mut self, labels: &Labels, usage: &Usage) {
        let counts = [
            (Counter::InputTokens, usage.prompt_tokens),
            (Counter::OutputTokens, usage.completion_tokens),
            (Counter::CacheReadTokens, usage.cached_tokens),
            (Counter::CacheWriteTokens, usage.cache_write_tokens),
            (Counter::ReasoningTokens, usage.reasoning_tokens),
        ];
        for (counter, count) in counts.into_iter().filter(|(_, count)| *count > 0) {
            *self.counts.entry((counter, labels.clone())).or_default() += count;
        }
        if let Some(cost) = usage.cost_usd {
            *self.costs.entry(labels.clone()).or_default() += cost;
        }
    }

    pub(crate) fn tool(&mut self, labels: Labels, seconds: f64) {
        self.durations.entry((Duration::Tool, labels)).or_default().add(seconds);
    }

    pub(crate) fn approval(&mut self, labels: Labels) {
        *self.counts.entry((Counter::Approvals, labels)).or_default() += 1;
    }

    /// The metrics, each with its points, in one order.
    pub(crate) fn metrics(self, period: Period) -> Vec<Metric> {
        let mut sums: BTreeMap<Counter, Vec<NumberDataPoint>> = BTreeMap::new();
        for ((counter, labels), count) in self.counts {
            let count = PointNumber::AsInt(i64::try_from(count).unwrap_or(i64::MAX));
            sums.entry(counter).or_default().push(number_point(labels, count, period));
        }
        for (labels, cost) in self.costs {
            sums.entry(Counter::Cost).or_default().push(number_point(labels, PointNumber::AsDouble(cost), period));
        }
        let mut histograms: BTreeMap<Duration, Vec<HistogramDataPoint>> = BTreeMap::new();
        for ((duration, labels), buckets) in self.durations {
            histograms.entry(duration).or_default().push(buckets.point(labels, period));
        }
        let sums = sums.into_iter().map(|(counter, points)| sum(counter, points));
        sums.chain(histograms.into_iter().map(|(duration, points)| histogram(duration, points))).collect()
    }
}

fn sum(counter: Counter, data_points: Vec<NumberDataPoint>) -> Metric {
    let (name, unit, description) = match counter {
        Counter::InputTokens => (names::INFERENCE_INPUT_TOKENS, "{token}", "Tokens that models read"),
        Counter::OutputTokens => (names::INFERENCE_OUTPUT_TOKENS, "{token}", "Tokens that models wrote"),
        Counter::CacheReadTokens => (names::INFERENCE_CACHE_READ_TOKENS, "{token}", "Tokens read from a cache"),
        Counter::CacheWriteTokens => (names::INFERENCE_CACHE_WRITE_TOKENS, "{token}", "Tokens written to a cache"),
        Counter::ReasoningTokens => (names::INFERENCE_REASONING_TOKENS, "{token}", "Tokens of thoughts"),
        Counter::Cost => (names::COST, "USD", "The cost of requests to models, as far as prices are known"),
        Counter::Approvals => (names::APPROVALS, "{approval}", "Decisions on what needed approval"),
    };
    let points = Sum { data_points, aggregation_temporality: DELTA, is_monotonic: true };
    metric((name, unit, description), MetricPoints::Sum(points))
}

fn histogram(duration: Duration, data_points: Vec<HistogramDataPoint>) -> Metric {
    let (name, description) = match duration {
        Duration::Inference => (names::INFERENCE_DURATION, "The time of a request to a model, with its retries"),
        Duration::Tool => (names::TOOL_DURATION, "The time that a tool worked"),
    };
    let points = Histogram { data_points, aggregation_temporality: DELTA };
    metric((name, "s", description), MetricPoints::Histogram(points))
}

fn metric((name, unit, description): (&str, &str, &str), points: MetricPoints) -> Metric {
    Metric { name: name.into(), description: description.into(), unit: unit.into(), data: Some(points) }
}

fn attributes(labels: Labels) -> Vec<KeyValue> {
    let mut attributes = Vec::new();
    labels.into_iter().for_each(|(key, value)| attributes.set(key, value));
    attributes
}

fn number_point(labels: Labels, value: PointNumber, period: Period) -> NumberDataPoint {
    NumberDataPoint {
        start_time_unix_nano: period.from,
        time_unix_nano: period.to,
        attributes: attributes(labels),
        value: Some(value),
    }
}

/// Values by the bounds that they lie between.
#[derive(Default)]
struct Buckets {
    counts: [u64; DURATION_BOUNDS.len() + 1],
    sum: f64,
    range: Option<(f64, f64)>,
}

impl Buckets {
    fn add(&mut self, value: f64) {
        self.counts[DURATION_BOUNDS.partition_point(|bound| *bound < value)] += 1;
        self.sum += value;
        let (min, max) = self.range.unwrap_or((value, value));
        self.range = Some((min.min(value), max.max(value)));
    }

    fn point(self, labels: Labels, period: Period) -> HistogramDataPoint {
        HistogramDataPoint {
            start_time_unix_nano: period.from,
            time_unix_nano: period.to,
            count: self.counts.iter().sum(),
            sum: Some(self.sum),
            bucket_counts: self.counts.to_vec(),
            explicit_bounds: DURATION_BOUNDS.to_vec(),
            attributes: attributes(labels),
            min: self.range.map(|(min, _)| min),
            max: self.range.map(|(_, max)| max),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_is_counted_between_its_bounds() {
        let mut buckets = Buckets::default();
        [0.0, 0.01, 0.011, 100.0].into_iter().for_each(|value| buckets.add(value));
        assert_eq!((buckets.counts[0], buckets.counts[1], buckets.counts[14]), (2, 1, 1));
        assert_eq!((buckets.sum, buckets.range), (100.021, Some((0.0, 100.0))));
    }
}
