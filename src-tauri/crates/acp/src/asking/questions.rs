//! Questions as forms: the model's, and those of MCP servers, which are handed on to the client. A client without forms
//! can't answer: the server hears that at once.

use crate::asking::approval::EditorAsker;
use crate::messages::{FormSchema, choice_field, choices_field, text_field};
use crate::rpc::AskFailure;
use arki_api::{
    ElicitationAction, ElicitationChoice, ElicitationField, ElicitationFieldKind, ElicitationReply, ElicitationSummary,
};
use arki_domain::QuestionAsked;
use serde_json::{Map, Value, json};

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
    let values = asker.fill_in(Some(asked.call_id.to_string()), asked.text.clone(), form).await?.unwrap_or_default();
    let said = |name: &str| {
        let text = values.get(name).and_then(Value::as_str).unwrap_or_default().trim();
        (!text.is_empty()).then(|| text.to_owned())
    };
    Ok(said(ANSWER).or_else(|| said(CHOICE)))
}

impl EditorAsker {
    /// Asks what a server wants to know, and tells it.
    pub(crate) async fn ask_for_server(self, question: ElicitationSummary) {
        let values = match self.capabilities.forms && question.page.is_none() {
            true => self.filled_in(&question).await,
            false => None,
        };
        let mcp = self.client.engine().mcp();
        let answered = match values {
            Some(values) => ElicitationReply { action: ElicitationAction::Accept, values },
            None => ElicitationReply { action: ElicitationAction::Decline, values: Map::new() },
        };
        let told = mcp.answer_elicitation(question.id, answered);
        // Values that don't fit the form: it isn't asked again.
        if told.is_ok_and(|faults| !faults.is_empty()) {
            let cancelled = ElicitationReply { action: ElicitationAction::Cancel, values: Map::new() };
            let _ = mcp.answer_elicitation(question.id, cancelled);
        }
    }

    async fn filled_in(&self, question: &ElicitationSummary) -> Option<Map<String, Value>> {
        let message = format!("{} asks: {}", question.server, question.message);
        let mut form = FormSchema::default();
        for field in &question.fields {
            form = form.with(&field.name, shown(field));
            if field.required {
                form = form.requiring(&field.name);
            }
        }
        self.fill_in(None, message, form).await.ok()?
    }
}

fn shown(field: &ElicitationField) -> Value {
    let ElicitationField { label, description, .. } = field;
    let mut shown = match &field.kind {
        ElicitationFieldKind::Text { max_length, .. } => text_field(label, description, *max_length),
        ElicitationFieldKind::Number { is_integer: true, .. } => json!({"type": "integer", "title": label}),
        ElicitationFieldKind::Number { .. } => json!({"type": "number", "title": label}),
        ElicitationFieldKind::Boolean => json!({"type": "boolean", "title": label}),
        ElicitationFieldKind::Choice { options } => choice_field(label, options.iter().map(value_and_title)),
        ElicitationFieldKind::Choices { options } => choices_field(label, options.iter().map(value_and_title)),
    };
    shown["description"] = json!(description);
    shown
}

fn value_and_title(option: &ElicitationChoice) -> (&str, &str) {
    (&option.value, &option.title)
}
