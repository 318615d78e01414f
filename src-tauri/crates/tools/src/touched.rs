//! The paths and hosts that a call touches, in its arguments' own words. The executor turns it into the policy's subject.

use serde_json::Value;

/// Longer strings are texts, not names of files.
const MAX_MENTION_BYTES: usize = 4096;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Touched {
    /// Files of the project, as the model wrote them. One that leads out of the project fails the call.
    pub paths: Vec<String>,
    /// A shell line, verbatim.
    pub command: Option<String>,
    /// Hosts that are spoken to, in lower case and without a port.
    pub hosts: Vec<String>,
    /// Words that may be names of files: secret and protected ones are asked about, others mean nothing.
    pub mentions: Vec<String>,
}

impl Touched {
    /// The argument `path`, and the argument `command`: where most built-in tools have them.
    pub(crate) fn by_name(args: &Value) -> Self {
        let named = |name: &str| args.get(name).and_then(Value::as_str).map(str::to_owned);
        Self { paths: named("path").into_iter().collect(), command: named("command"), ..Self::default() }
    }

    /// Every string that could be a file's name, however deep: for tools whose arguments nobody here knows.
    #[must_use]
    pub fn mentioned_in(args: &Value) -> Self {
        let mut mentions = Vec::new();
        collect(args, &mut mentions);
        Self { mentions, ..Self::default() }
    }
}

fn collect(value: &Value, mentions: &mut Vec<String>) {
    match value {
        Value::String(text) if text.len() <= MAX_MENTION_BYTES && !text.contains('\n') => mentions.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| collect(item, mentions)),
        Value::Object(fields) => fields.values().for_each(|field| collect(field, mentions)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_named_path_or_command_is_touched() {
        let touched = Touched::by_name(&json!({"path": "a", "command": "ls", "glob": "*"}));
        assert_eq!((touched.paths, touched.command), (vec!["a".to_owned()], Some("ls".to_owned())));
        assert_eq!(Touched::by_name(&json!("no object")), Touched::default());
    }

    #[test]
    fn every_line_of_unknown_arguments_may_be_a_file() {
        let args = json!({"a": [{"b": ".env"}, 7], "c": "a text\nof lines", "d": "x".repeat(MAX_MENTION_BYTES + 1)});
        assert_eq!(Touched::mentioned_in(&args).mentions, [".env"]);
    }
}
