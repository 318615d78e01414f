//! `ask_user`: one question to the user. Only what it says is read here; asking, and waiting, is the executor's.

use crate::outcome::ToolError;
use crate::tool::{Action, Tool, arguments};
use arki_domain::{Code, Error};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// The longest question, in bytes.
const MAX_QUESTION_BYTES: usize = 4_000;
/// More answers than this nobody chooses from.
const MAX_OPTIONS: usize = 8;
/// The longest answer to choose, in bytes.
const MAX_OPTION_BYTES: usize = 200;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Arguments {
    pub(crate) question: String,
    #[serde(default)]
    pub(crate) options: Vec<String>,
}

pub(crate) fn tool() -> Tool {
    Tool::new::<Arguments>("ask_user", include_str!("ask_user/manual.md"), Action::Ask)
}

/// The question without blanks around it, and its options without those and without doubles.
pub(crate) fn parse(args: &Value) -> Result<Arguments, ToolError> {
    let Arguments { question, options } = arguments(args)?;
    let question = question.trim().to_owned();
    let mut different: Vec<String> = Vec::new();
    for option in options.iter().map(|option| option.trim()) {
        if !different.iter().any(|known| known == option) {
            different.push(option.to_owned());
        }
    }
    let is_too_long = different.iter().any(|option| option.len() > MAX_OPTION_BYTES);
    if question.is_empty() || question.len() > MAX_QUESTION_BYTES {
        return Err(invalid(format!("The question must have 1 to {MAX_QUESTION_BYTES} bytes.")));
    }
    if different.len() > MAX_OPTIONS || is_too_long || different.iter().any(String::is_empty) {
        return Err(invalid(format!(
            "There can be up to {MAX_OPTIONS} options of 1 to {MAX_OPTION_BYTES} bytes each."
        )));
    }
    Ok(Arguments { question, options: different })
}

fn invalid(what: String) -> ToolError {
    let hint = "Ask a shorter question, and put the details in your text before \
        it.";
    Error::new(Code::ARGUMENTS_INVALID, what, hint).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn code(args: &Value) -> String {
        Error::from(parse(args).unwrap_err()).code
    }

    #[test]
    fn a_question_is_read_without_blanks_and_doubles() {
        let asked = parse(&json!({"question": " Which? \n", "options": ["a", " b", "a "]})).unwrap();
        assert_eq!((asked.question.as_str(), asked.options), ("Which?", vec!["a".to_owned(), "b".to_owned()]));
        assert_eq!(parse(&json!({"question": "Why?"})).unwrap().options, Vec::<String>::new());
    }

    #[test]
    fn questions_and_options_are_bounded() {
        let letters = |count: usize| "x".repeat(count);
        let numbers = |count: usize| (0..count).map(|number| number.to_string()).collect::<Vec<_>>();
        assert!(parse(&json!({"question": letters(MAX_QUESTION_BYTES), "options": numbers(MAX_OPTIONS)})).is_ok());
        for args in [
            json!({"question": " "}),
            json!({"question": letters(MAX_QUESTION_BYTES + 1)}),
            json!({"question": "?", "options": numbers(MAX_OPTIONS + 1)}),
            json!({"question": "?", "options": [letters(MAX_OPTION_BYTES + 1)]}),
            json!({"question": "?", "options": [""]}),
        ] {
            assert_eq!(code(&args), "ARGUMENTS_INVALID", "{args}");
        }
    }
}
