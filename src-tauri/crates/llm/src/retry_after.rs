//! Returns how long a provider asks to wait, from the headers of its refusal.

use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;
use reqwest::header::{HeaderMap, RETRY_AFTER};

/// In milliseconds, from `retry-after-ms` (OpenAI, Azure) or `Retry-After`: seconds, or an HTTP date
/// (<https://www.rfc-editor.org/rfc/rfc9110#field.retry-after>). A date that has passed asks for nothing.
pub(crate) fn retry_after_ms(headers: &HeaderMap, now: Timestamp) -> Option<u64> {
    let text = |value: Option<&reqwest::header::HeaderValue>| value?.to_str().ok().map(|text| text.trim().to_owned());
    if let Some(exact) = text(headers.get("retry-after-ms")).and_then(|text| milliseconds(&text, 1.0)) {
        return Some(exact);
    }
    let asked = text(headers.get(RETRY_AFTER))?;
    milliseconds(&asked, 1000.0).or_else(|| until(&asked, now))
}

/// Fractions are no standard, and sent all the same.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cast of a float saturates")]
fn milliseconds(text: &str, unit: f64) -> Option<u64> {
    let number: f64 = text.parse().ok()?;
    (number.is_finite() && number >= 0.0).then(|| (number * unit).ceil() as u64)
}

fn until(date: &str, now: Timestamp) -> Option<u64> {
    const PARSER: DateTimeParser = DateTimeParser::new();
    let then = PARSER.parse_timestamp(date).ok()?;
    Some(u64::try_from(then.as_millisecond().saturating_sub(now.as_millisecond())).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::header::{HeaderName, HeaderValue};

    fn asked(headers: &[(&'static str, &str)]) -> Option<u64> {
        let header = |(name, value): &(&'static str, &str)| {
            (HeaderName::from_static(name), HeaderValue::from_str(value).unwrap())
        };
        let now = "2015-10-21T07:28:00Z".parse().unwrap();
        retry_after_ms(&headers.iter().map(header).collect(), now)
    }

    #[test]
    fn seconds_milliseconds_and_dates_are_understood() {
        assert_eq!(asked(&[("retry-after", "2")]), Some(2000));
        assert_eq!(asked(&[("retry-after", " 0.5 ")]), Some(500));
        assert_eq!(asked(&[("retry-after-ms", "120")]), Some(120));
        assert_eq!(asked(&[("retry-after", "7"), ("retry-after-ms", "6500.2")]), Some(6501));
        assert_eq!(asked(&[("retry-after", "Wed, 21 Oct 2015 07:28:30 GMT")]), Some(30_000));
        assert_eq!(asked(&[("retry-after", "Wed, 21 Oct 2015 07:00:00 GMT")]), Some(0));
    }

    #[test]
    fn what_makes_no_sense_counts_as_nothing_asked() {
        for text in ["", "soon", "-1", "NaN", "inf", "21 Oct"] {
            assert_eq!(asked(&[("retry-after", text)]), None, "{text}");
        }
        assert_eq!(asked(&[("retry-after", "1"), ("retry-after-ms", "x")]), Some(1000));
        assert_eq!(asked(&[]), None);
        assert_eq!(asked(&[("retry-after", "1e300")]), Some(u64::MAX));
    }
}
