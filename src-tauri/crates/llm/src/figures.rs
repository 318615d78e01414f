//! The figures of an answer, read leniently. They are there to be counted: a server that writes them wrongly has still
//! answered, so that a figure that makes no sense is an unknown one, and never a reason to throw the answer away.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// More than any count of tokens; the largest number that JSON carries everywhere.
const MAX_FIGURE: f64 = 9_007_199_254_740_991.0;

/// A count: also one that is written as `12.0` or as `"12"`. `None` for everything else, such as `-1`.
pub(crate) fn count<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    let figure = amount(&Value::deserialize(deserializer)?);
    // The cast is exact: the bound was looked at.
    Ok(figure.map(f64::round).filter(|figure| *figure <= MAX_FIGURE).map(|figure| figure as u64))
}

/// A group of figures; `None` where it is no group at all.
pub(crate) fn group<'de, D: Deserializer<'de>, T: DeserializeOwned>(deserializer: D) -> Result<Option<T>, D::Error> {
    let value = Value::deserialize(deserializer)?;
    Ok(if value.is_object() { serde_json::from_value(value).ok() } else { None })
}

/// The parts that a vendor tells of a count, each under the name that one of them has for it.
#[derive(Deserialize, Clone, Copy, Default)]
pub(crate) struct TokenDetails {
    #[serde(default, deserialize_with = "count")]
    pub(crate) cached_tokens: Option<u64>,
    #[serde(default, deserialize_with = "count")]
    pub(crate) cache_write_tokens: Option<u64>,
    #[serde(default, deserialize_with = "count")]
    pub(crate) reasoning_tokens: Option<u64>,
    #[serde(default, deserialize_with = "count")]
    pub(crate) thinking_tokens: Option<u64>,
}

/// A number that is not negative, written as one or as text.
pub(crate) fn amount(value: &Value) -> Option<f64> {
    let number = value.as_f64().or_else(|| value.as_str()?.trim().parse().ok());
    number.filter(|number| number.is_finite() && *number >= 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[derive(Deserialize, Debug, PartialEq)]
    struct Figures {
        #[serde(default, deserialize_with = "count")]
        tokens: Option<u64>,
        #[serde(default, deserialize_with = "group")]
        more: Option<Box<Figures>>,
    }

    fn read(value: Value) -> Figures {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn a_count_is_read_however_it_is_written() {
        let cases = [(json!(7), 7), (json!(7.0), 7), (json!(6.6), 7), (json!("7"), 7), (json!(" 7.0 "), 7)];
        for (written, tokens) in cases {
            assert_eq!(read(json!({"tokens": written})).tokens, Some(tokens), "{written}");
        }
    }

    #[test]
    fn what_is_no_count_is_unknown() {
        for written in [json!(-1), json!(-0.5), json!("many"), json!(null), json!([1]), json!({}), json!(1e300)] {
            assert_eq!(read(json!({"tokens": written})).tokens, None, "{written}");
        }
        assert_eq!(read(json!({})).tokens, None);
    }

    #[test]
    fn what_is_no_group_is_unknown() {
        for written in [json!(7), json!("none"), json!(null), json!([[]]), json!(true)] {
            assert_eq!(read(json!({"more": written})).more, None, "{written}");
        }
        let inner = read(json!({"more": {"tokens": "7", "more": false}})).more.unwrap();
        assert_eq!(*inner, Figures { tokens: Some(7), more: None });
    }
}
