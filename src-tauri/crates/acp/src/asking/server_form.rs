//! The form of an MCP server, handed on to the client. A client without forms can't answer: the server hears that at once.

use crate::asking::approval::EditorAsker;
use crate::messages::{CreateElicitation, Elicited, FormSchema, choice_field, choices_field, text_field};
use arki_api::{
    ElicitationAction, ElicitationChoice, ElicitationField, ElicitationFieldKind, ElicitationReply, ElicitationSummary,
};
use serde_json::{Map, Value, json};

impl EditorAsker {
    /// Asks what a server wants to know, and tells it.
    pub(crate) async fn ask_for_server(self, question: ElicitationSummary) {
        let values = match self.capabilities.forms && question.page.is_none() {
            true => self.filled_in(&question).await,
            false => None,
        };
        let mcp = self.client.engine().mcp();
        let told = match values {
            Some(values) => mcp.answer_elicitation(question.id, reply(ElicitationAction::Accept, values)),
            None => mcp.answer_elicitation(question.id, reply(ElicitationAction::Decline, Map::new())),
        };
        // Values that don't fit the form: it isn't asked again.
        if told.is_ok_and(|faults| !faults.is_empty()) {
            let _ = mcp.answer_elicitation(question.id, reply(ElicitationAction::Cancel, Map::new()));
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
        let form = CreateElicitation::new(self.session.as_str(), message, form);
        let answer: Elicited = self.connection.ask("elicitation/create", &form).await.ok()?;
        answer.values()
    }
}

fn reply(action: ElicitationAction, values: Map<String, Value>) -> ElicitationReply {
    ElicitationReply { action, values }
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
