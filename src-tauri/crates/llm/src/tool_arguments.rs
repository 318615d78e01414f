//! The arguments of a call as a server takes them back.

use serde_json::value::RawValue;
use std::borrow::Cow;

/// Returns the arguments as JSON text of an object: servers parse the arguments they are sent back, and some answer 400
/// for ever after to what is not an object.
pub(crate) fn object_text(arguments: &str) -> Cow<'_, str> {
    if arguments.trim().is_empty() {
        return Cow::Borrowed("{}");
    }
    match serde_json::from_str::<&RawValue>(arguments) {
        Ok(value) if value.get().starts_with('{') => Cow::Borrowed(arguments),
        _ => Cow::Owned(serde_json::json!({ "invalid_arguments": arguments }).to_string()),
    }
}
