//! An observation before it is known of which event, and the forms of words, numbers and durations in titles.

use super::ObservationType;
use crate::projection::short_text::cut;
use serde_json::{Map, Value};

/// Bytes of a title.
pub const MAX_OBSERVATION_TITLE_BYTES: usize = 160;
/// Bytes of what a title quotes, so that what follows it still has room.
const MAX_QUOTED_BYTES: usize = 100;

pub(super) struct Draft {
    kind: ObservationType,
    title: String,
    content: Value,
    metadata: Map<String, Value>,
}

impl Draft {
    pub(super) fn new(kind: ObservationType, title: impl AsRef<str>) -> Self {
        let title = cut(&one_line(title.as_ref()), MAX_OBSERVATION_TITLE_BYTES).into_owned();
        Self { kind, title, content: Value::Null, metadata: Map::new() }
    }

    pub(super) fn content(self, content: impl Into<Value>) -> Self {
        Self { content: content.into(), ..self }
    }

    /// Anything but an object is left out.
    pub(super) fn metadata(self, metadata: Value) -> Self {
        match metadata {
            Value::Object(metadata) => Self { metadata, ..self },
            _ => self,
        }
    }

    pub(super) fn into_parts(self) -> (ObservationType, String, Value, Map<String, Value>) {
        (self.kind, self.title, self.content, self.metadata)
    }
}

/// The first line that says something, short enough to be quoted in a title.
pub(super) fn line(text: &str) -> String {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    cut(&one_line(first), MAX_QUOTED_BYTES).into_owned()
}

fn one_line(text: &str) -> String {
    text.split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

pub(super) fn duration(milliseconds: u64) -> String {
    let seconds = milliseconds / 1000;
    match (seconds / 60, seconds) {
        (0, 0) => format!("{milliseconds} ms"),
        (0, seconds) => format!("{seconds} s"),
        (minutes, seconds) => format!("{minutes} min {} s", seconds % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_told_in_the_largest_unit_that_fits() {
        assert_eq!([0, 999, 1000, 59_999, 125_000].map(duration), ["0 ms", "999 ms", "1 s", "59 s", "2 min 5 s"]);
    }

    #[test]
    fn what_is_quoted_is_one_short_line() {
        assert_eq!(line("\n \n fix\tthe   bug\nand more"), "fix the bug");
        assert_eq!(line(&"ö".repeat(200)).len(), MAX_QUOTED_BYTES - 1);
    }
}
