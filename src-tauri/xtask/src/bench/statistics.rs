//! The arithmetic of a measurement: medians, because one slow run on a busy
//! machine says nothing.

use std::time::Duration;

pub(crate) fn median(samples: &[Duration]) -> Duration {
    let mut sorted = samples.to_vec();
    sorted.sort();
    match sorted.len() {
        0 => Duration::ZERO,
        odd if odd % 2 == 1 => sorted[odd / 2],
        even => (sorted[even / 2 - 1] + sorted[even / 2]) / 2,
    }
}

pub(crate) fn ratio(measured: Duration, baseline: Duration) -> f64 {
    measured.as_secs_f64() / baseline.as_secs_f64().max(f64::MIN_POSITIVE)
}

pub(crate) fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_even_count_lies_between_the_middle_two() {
        let samples = [9, 1, 4, 2].map(Duration::from_millis);
        assert_eq!(median(&samples), Duration::from_millis(3));
        assert_eq!(median(&samples[..3]), Duration::from_millis(4));
    }
}
