//! The model's question, as a form.

use crate::asking::approval::EditorAsker;
use crate::messages::{CreateElicitation, Elicited, FormSchema, choice_field, text_field};
use crate::rpc::AskFailure;
use arki_domain::QuestionAsked;
use serde_json::Value;

const CHOICE: &str = "choice";
const ANSWER: &str = "answer";
const MAX_ANSWER_CHARS: u64 = 10_000;

/// Returns the user's answer: their own words or, where there are none, the option that they chose.
pub(super) async fn ask(asker: &EditorAsker, asked: &QuestionAsked) -> Result<Option<String>, AskFailure> {
    let description = if asked.options.is_empty() { "Your answer" } else { "Or answer in your own words" };
    let mut form = FormSchema::default().with(ANSWER, text_field("Your words", description, Some(MAX_ANSWER_CHARS)));
    if !asked.options.is_empty() {
        let options = asked.options.iter().map(|option| (option.as_str(), option.as_str()));
        form = form.with(CHOICE, choice_field("Answer", options));
    }
    let form = CreateElicitation::new(asker.session.as_str(), asked.text.clone(), form);
    let form = form.of_call(asked.call_id.to_string());
    let answer: Elicited = asker.connection.ask("elicitation/create", &form).await?;
    let values = answer.values().unwrap_or_default();
    let said = |name: &str| {
        let text = values.get(name).and_then(Value::as_str).unwrap_or_default().trim();
        (!text.is_empty()).then(|| text.to_owned())
    };
    Ok(said(ANSWER).or_else(|| said(CHOICE)))
}
