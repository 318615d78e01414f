//! `arki sessions state`: what a session keeps across its runs, and changing it.

use crate::exit::{CommandExit, Exit, wrong_use};
use crate::json_fault::not_json;
use crate::output::Printer;
use arki_domain::{Error, StateChanged, is_hidden};
use arki_engine::Engine;
use clap::Args;
use serde_json::Value;

/// Print a session's state as JSON, or change it: what agent cores and tools keep across runs
#[derive(Debug, Args)]
pub(crate) struct StateArguments {
    /// The id of a session or run
    id: String,
    /// Set a key to a JSON value, such as 'count=3' or 'name="Ada"'; repeatable
    #[arg(long, value_name = "KEY=JSON")]
    set: Vec<String>,
    /// Remove a key; repeatable
    #[arg(long, value_name = "KEY")]
    unset: Vec<String>,
}

impl StateArguments {
    pub(crate) fn changes(&self) -> bool {
        !self.set.is_empty() || !self.unset.is_empty()
    }
}

pub(super) async fn run(engine: &Engine, arguments: &StateArguments, output: &Printer) -> CommandExit {
    let StateArguments { id, set, unset } = arguments;
    let set = set.iter().map(|assignment| parsed(assignment)).collect::<Result<_, _>>()?;
    let change = StateChanged { set, removed: unset.clone() };
    if let Some(both) = unset.iter().find(|key| change.set.contains_key(*key)) {
        let message = format!("{both:?} can't be set and removed at the same time.");
        return Err(wrong_use(message, "Name each key once."));
    }
    let session_id = engine.session_names().find_session(id)?.session_id;
    let state = match change.is_empty() {
        true => engine.sessions().agent_state(&session_id)?,
        false => engine.sessions().set_agent_state(&session_id, change).await?,
    };
    output.tell(state.values(), || escaped(&format!("{:#}", Value::from(state.values().clone()))));
    Ok(Exit::Done)
}

/// Returns the JSON with hidden characters as JSON writes them.
fn escaped(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    for character in json.chars() {
        match character {
            '\n' => escaped.push('\n'),
            hidden if is_hidden(hidden) => {
                hidden.encode_utf16(&mut [0; 2]).iter().for_each(|unit| escaped.push_str(&format!("\\u{unit:04x}")));
            }
            other => escaped.push(other),
        }
    }
    escaped
}

/// Reads `KEY=JSON`.
fn parsed(assignment: &str) -> Result<(String, Value), Error> {
    let Some((key, json)) = assignment.split_once('=').filter(|(key, _)| !key.is_empty()) else {
        let message = format!("{assignment:?} isn't a key with a value.");
        return Err(wrong_use(message, "Write --set 'KEY=JSON', such as --set 'count=3'."));
    };
    let value = serde_json::from_str(json).map_err(|error| {
        let hint = "Write a number, true, false, null, a list, an object, or a text in double quotes: \
            --set 'name=\"Ada\"'.";
        wrong_use(not_json(&format!("The value of {key:?}"), &error), hint)
    })?;
    Ok((key.to_owned(), value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use arki_domain::Code;
    use serde_json::json;

    #[test]
    fn a_key_ends_at_the_first_equals_sign_and_the_rest_is_json() {
        assert_eq!(parsed("a=1").unwrap(), ("a".to_owned(), json!(1)));
        assert_eq!(parsed(r#"a b="c=d""#).unwrap(), ("a b".to_owned(), json!("c=d")));
    }

    #[test]
    fn what_is_printed_is_json_and_hides_nothing() {
        let json = json!({"a\u{202e}\u{e0041}": "é\n"});
        let printed = escaped(&format!("{json:#}"));
        assert!(printed.contains(r"a\u202e\udb40\udc41") && printed.contains('é'), "{printed}");
        assert_eq!(serde_json::from_str::<Value>(&printed).unwrap(), json);
    }

    #[test]
    fn what_is_no_key_or_no_json_is_refused_with_a_way_to_write_it() {
        for wrong in ["a", "=1", ""] {
            let fault = parsed(wrong).unwrap_err();
            assert!(fault.is(Code::USAGE) && fault.hint.contains("KEY=JSON"), "{fault:?}");
        }
        let fault = parsed("name=Ada").unwrap_err();
        assert!(fault.message.contains("\"name\" is not JSON") && fault.hint.contains("double quotes"), "{fault:?}");
    }
}
