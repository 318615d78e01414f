//! Answers in a form that the user prescribes (`--output-schema`).

use arki_domain::{Code, Error};
use serde_json::Value;

/// Checks that the schema can be asked for at all.
///
/// # Errors
/// `USAGE` when it is not a JSON Schema of an object.
pub fn ensure_usable(schema: &Value) -> Result<(), Error> {
    let unusable = |what: String| {
        Error::new(Code::USAGE, what, "Give a JSON Schema like {\"type\":\"object\",\"properties\":{…}}.")
    };
    if schema.get("type").and_then(Value::as_str) != Some("object") {
        return Err(unusable("The output schema does not describe an object.".to_owned()));
    }
    jsonschema::draft202012::new(schema)
        .map(drop)
        .map_err(|error| unusable(format!("The output schema is not a JSON Schema: {error}.")))
}

/// Checks that an answer follows the schema. Vendors promise that; servers often ignore what they were asked.
///
/// # Errors
/// `PROVIDER_BAD_ANSWER` when it does not, `USAGE` when the schema itself is none.
pub fn check(schema: &Value, answer: &str) -> Result<(), Error> {
    ensure_usable(schema)?;
    let off = |what: String| {
        let message = format!("The answer does not follow the output schema: {what}.");
        Error::new(Code::PROVIDER_BAD_ANSWER, message, "Try again, or choose a model that supports structured output.")
    };
    let answer: Value = serde_json::from_str(answer.trim()).map_err(|_| off("it is not JSON".to_owned()))?;
    let validator = jsonschema::draft202012::new(schema).map_err(Error::internal)?;
    validator.validate(&answer).map_err(|error| off(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_answer_is_held_against_its_schema() {
        let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
        assert_eq!(check(&schema, " {\"n\": 1}\n"), Ok(()));
        assert!(check(&schema, "{\"n\": \"one\"}").unwrap_err().message.contains("one"));
        assert!(check(&schema, "certainly!").unwrap_err().is(Code::PROVIDER_BAD_ANSWER));
    }

    #[test]
    fn what_is_no_schema_of_an_object_is_refused() {
        assert!(ensure_usable(&json!([])).unwrap_err().is(Code::USAGE));
        assert!(ensure_usable(&json!({"type": "object", "properties": 3})).unwrap_err().is(Code::USAGE));
    }
}
