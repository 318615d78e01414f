//! Lifts payloads of earlier versions to today's form, one version at a time. Serves projections only: what is stored,
//! printed and exported stays as it was written.

use serde_json::{Map, Value};
use std::borrow::Cow;

/// A migration from version `from` of a kind's payload to the next.
struct Upcast {
    kind: &'static str,
    from: u64,
    lift: fn(&mut Map<String, Value>),
}

/// Forward only, in order. The last one of a kind leads to the version that is written today; a kind without one is at
/// version 1.
const UPCASTS: &[Upcast] = &[];

/// The payload in today's form; `None` for a version from the future.
pub(crate) fn to_current<'a>(kind: &str, payload: &'a str) -> Option<Cow<'a, str>> {
    lifted(UPCASTS, kind, payload)
}

fn lifted<'a>(upcasts: &[Upcast], kind: &str, payload: &'a str) -> Option<Cow<'a, str>> {
    let of_kind = || upcasts.iter().filter(|upcast| upcast.kind == kind);
    // Almost always: a kind that never changed, and no version in sight.
    if of_kind().next().is_none() && !payload.contains("\"v\":") {
        return Some(Cow::Borrowed(payload));
    }
    let Ok(Value::Object(mut fields)) = serde_json::from_str(payload) else { return Some(Cow::Borrowed(payload)) };
    let stored = fields.get("v").map_or(Some(1), Value::as_u64)?;
    let current = of_kind().map(|upcast| upcast.from + 1).max().unwrap_or(1);
    if stored > current {
        return None;
    }
    if stored == current {
        return Some(Cow::Borrowed(payload));
    }
    for upcast in of_kind().filter(|upcast| upcast.from >= stored) {
        (upcast.lift)(&mut fields);
    }
    Some(Cow::Owned(Value::Object(fields).to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXAMPLE: &[Upcast] = &[
        Upcast {
            kind: "a.b",
            from: 1,
            lift: |fields| {
                let name = fields.remove("nmae").unwrap_or_default();
                fields.insert("name".to_owned(), name);
            },
        },
        Upcast {
            kind: "a.b",
            from: 2,
            lift: |fields| {
                fields.insert("since".to_owned(), 3.into());
            },
        },
    ];

    #[test]
    fn each_earlier_version_is_lifted_step_by_step() {
        assert_eq!(lifted(EXAMPLE, "a.b", r#"{"nmae":"x"}"#).unwrap(), r#"{"name":"x","since":3}"#);
        assert_eq!(lifted(EXAMPLE, "a.b", r#"{"name":"x","v":2}"#).unwrap(), r#"{"name":"x","since":3,"v":2}"#);
    }

    #[test]
    fn todays_version_and_other_kinds_are_left_alone() {
        let (today, other) = (r#"{"name":"x","since":4,"v":3}"#, r#"{"nmae":"x"}"#);
        assert_eq!(lifted(EXAMPLE, "a.b", today).unwrap(), today);
        assert_eq!(lifted(EXAMPLE, "c.d", other).unwrap(), other);
    }

    #[test]
    fn a_field_of_the_payload_that_only_looks_like_a_version_does_no_harm() {
        let payload = r#"{"args":{"v":7}}"#;
        assert_eq!(lifted(EXAMPLE, "c.d", payload).unwrap(), payload);
    }

    #[test]
    fn a_version_from_the_future_is_not_read() {
        assert_eq!(lifted(EXAMPLE, "a.b", r#"{"v":4}"#), None);
        assert_eq!(lifted(EXAMPLE, "c.d", r#"{"v":2}"#), None);
    }
}
