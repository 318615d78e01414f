//! Returns how long a provider asks to wait, from the headers of its refusal.

use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;
use reqwest::header::{HeaderMap, RETRY_AFTER};

/// Returns the wait in milliseconds, from `retry-after-ms` (OpenAI) or `x-ms-retry-after-ms` (Azure), or `Retry-After`:
/// seconds, or an HTTP date (<https://www.rfc-editor.org/rfc/rfc9110#field.retry-after>). A date that has passed asks
/// for nothing.
pub(crate) fn retry_after_ms(headers: &HeaderMap, now: Timestamp) -> Option<u64> {
    let text = |value: Option<&reqwest::header::HeaderValue>| value?.to_str().ok().map(|text| text.trim().to_owned());
    let exact = ["retry-after-ms", "x-ms-retry-after-ms"].into_iter().find_map(|name| text(headers.get(name)));
    if let Some(exact) = exact.and_then(|text| milliseconds(&text, 1.0)) {
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

/// The words before a time to wait, in lower case.
const BEFORE_A_WAIT: &[&str] = &[
    "try again in",
    "try again after",
    "retry in",
    "retry after",
    "retry_after",
    "retry-after",
    "retryafter",
    "retrydelay",
    "wait for",
    "please wait",
    "available in",
    "reset in",
    "resets in",
    "reset after",
];
/// The distance behind such words at which the time may begin, in characters: “try again in about 5 minutes”.
const MAX_DISTANCE: usize = 12;

/// Returns the wait in milliseconds from a sentence: “try again in 12.2s”, “in 1m30s”, “after 20 seconds”.
pub(crate) fn wait_in_words(text: &str) -> Option<u64> {
    let text = text.to_lowercase();
    let after = BEFORE_A_WAIT.iter().find_map(|words| text.split_once(words)).map(|(_, after)| after)?;
    let start = after.char_indices().take(MAX_DISTANCE).find(|(_, c)| c.is_ascii_digit())?.0;
    let (mut rest, mut sum) = (&after[start..], None);
    loop {
        let number = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let (number, behind) = rest.split_at(number);
        let behind = behind.trim_start();
        let unit = behind.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(behind.len());
        let factor = match &behind[..unit] {
            "ms" | "millisecond" | "milliseconds" => 1.0,
            "m" | "min" | "mins" | "minute" | "minutes" => 60_000.0,
            "h" | "hr" | "hour" | "hours" => 3_600_000.0,
            "d" | "day" | "days" => 86_400_000.0,
            "s" | "sec" | "secs" | "second" | "seconds" => 1000.0,
            _ if sum.is_none() => 1000.0,
            _ => return sum,
        };
        let Some(part) = milliseconds(number.trim_end_matches('.'), factor) else { return sum };
        sum = Some(sum.unwrap_or(0u64).saturating_add(part));
        rest = behind[unit..].trim_start_matches([' ', ',']).trim_start_matches("and ");
    }
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
    fn a_wait_is_read_off_sentences() {
        for (sentence, wait) in [
            ("Rate limit reached for m. Please try again in 12.2s. Visit https://x.example/1.", Some(12_200)),
            ("Please try again in 350ms.", Some(350)),
            ("Try again in 1m30s", Some(90_000)),
            ("try again in 1h2m3.5s.", Some(3_723_500)),
            ("Please retry after 20 seconds.", Some(20_000)),
            ("Please retry in 34.074824224s.", Some(34_075)),
            ("Please wait 2 minutes and 5 seconds", Some(125_000)),
            ("try again in about 5 minutes, 3 of 4 used", Some(300_000)),
            (r#"{"retryDelay": "17s"}"#, Some(17_000)),
            (r#"{"retry_after": 3}"#, Some(3000)),
            ("You sent 20 requests in 1m. Try again later.", None),
            ("Please try again in a while, there are 30 others", None),
            ("try again in 1e", Some(1000)),
            ("", None),
        ] {
            assert_eq!(wait_in_words(sentence), wait, "{sentence}");
        }
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
