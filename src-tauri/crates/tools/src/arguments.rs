//! Arguments against a tool's schema, with words that help the model to mend them.

use arki_domain::{Code, Error};
use serde_json::Value;

/// More problems than this are not listed.
const MAX_PROBLEMS: usize = 4;

/// Checks `args` against the schema of `tool`.
pub(crate) fn validate(tool: &str, validator: &jsonschema::Validator, args: &Value) -> Result<(), Error> {
    if let Value::String(raw) = args {
        let shown: String = raw.chars().take(120).collect();
        let message = format!("The arguments of {tool} are not a JSON object: {shown}");
        return Err(Error::new(Code::ARGUMENTS_INVALID, message, "Send the arguments as one complete JSON object."));
    }
    let problems: Vec<String> = validator.iter_errors(args).take(MAX_PROBLEMS).map(|error| describe(&error)).collect();
    if problems.is_empty() {
        return Ok(());
    }
    let message = format!("The arguments of {tool} don't fit: {}.", problems.join("; "));
    let hint = "Send the call again with arguments that follow the tool's schema.";
    Err(Error::new(Code::ARGUMENTS_INVALID, message, hint))
}

fn describe(error: &jsonschema::ValidationError<'_>) -> String {
    let place = error.instance_path().to_string();
    if place.is_empty() { error.to_string() } else { format!("at {place}: {error}") }
}
