//! Makes the events of an answer of the model: its response, its words, its calls.

use crate::answer::AnswerSoFar;
use crate::answer::ask::AnswerContext;
use crate::{bounds, call_arguments};
use arki_domain::{CallId, Code, EngineResponse, Error, EventBody, FinishReason, OutputMessage, Role, ToolCall, Usage};

/// The continuation after an answer that was cut off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cut {
    /// Nothing: it stays what the model has said.
    Last,
    /// Another answer, which takes its place.
    Retried,
}

/// Makes the events of a whole answer, its calls included, with what a core has read in it.
pub(crate) fn whole(
    answer: &mut AnswerSoFar,
    known: &AnswerContext<'_>,
    read: Vec<EventBody>,
    is_taken: impl Fn(&CallId) -> bool,
) -> Vec<EventBody> {
    let definitions = known.definitions;
    for call in &mut answer.calls {
        if let Some(name) = call_arguments::tool_name(definitions, &call.tool_id) {
            call.tool_id = name;
        }
    }
    answer.make_call_ids_unique(is_taken);
    let mut bodies: Vec<EventBody> = vec![response(answer).into()];
    if !answer.text.is_empty() || !answer.thoughts.is_empty() || answer.reasoning.is_some() {
        bodies.push(message(answer, None).into());
    }
    bodies.extend(read);
    let mut refused = Vec::new();
    bodies.extend(answer.calls.iter().map(|call| {
        let definition = definitions.iter().find(|definition| *definition.name == *call.tool_id);
        let (args, fault) = bounds::arguments(call, answer.finish_reason);
        refused.extend(fault.as_ref().map(|fault| EventBody::from(bounds::not_done(call, fault))));
        let args = match (definition, &fault) {
            (Some(definition), None) => call_arguments::understood(&definition.parameters, args),
            _ => args,
        };
        let category = definition.map(|definition| definition.category);
        let is_async =
            category.is_some_and(|category| arki_domain::goes_on_in_background(&call.tool_id, category, &args));
        EventBody::from(ToolCall {
            async_call_id: is_async.then(|| call.call_id.clone()),
            turn: answer.turn,
            call_id: call.call_id.clone(),
            tool_id: call.tool_id.clone(),
            args,
            category,
        })
    }));
    bodies.extend(refused);
    bodies
}

/// Makes the events of the part of an answer that arrived before it was cut off, marked as such. Its request is counted:
/// with its known cost, or as one whose cost is not known.
pub(crate) fn partial(mut answer: AnswerSoFar, cut: Cut, is_free: bool) -> Vec<EventBody> {
    answer.calls.clear();
    answer.reasoning = None;
    let mut bodies: Vec<EventBody> = Vec::new();
    if answer.has_begun() && answer.usage == Usage::unknown() && is_free {
        answer.usage.cost_usd = Some(0.0);
    }
    if answer.has_begun() || answer.usage != Usage::unknown() {
        bodies.push(response(&answer).into());
    }
    if !answer.text.is_empty() || !answer.thoughts.is_empty() {
        bodies.push(message(&answer, Some(cut)).into());
    }
    bodies
}

/// Why an answer is empty, as far as the model has said.
pub(crate) fn nothing_said(provider: &str, why: FinishReason) -> Error {
    match why {
        FinishReason::ContentFilter => Error::new(
            Code::CONTENT_REFUSED,
            format!("{provider} refused to answer this."),
            "Rephrase your request, or choose another model.",
        ),
        FinishReason::Length => Error::new(
            Code::PROVIDER_BAD_ANSWER,
            format!("{provider} reached its output limit before it answered."),
            "Raise maxCompletionTokens, ask for less reasoning, or choose another model.",
        ),
        FinishReason::Stop | FinishReason::ToolCalls | FinishReason::Other => Error::new(
            Code::PROVIDER_BAD_ANSWER,
            format!("{provider} sent an empty answer."),
            "Try again, or choose another model.",
        ),
    }
}

fn response(answer: &AnswerSoFar) -> EngineResponse {
    EngineResponse {
        turn: answer.turn,
        finish_reason: answer.finish_reason,
        usage: answer.usage,
        ttft_ms: answer.first_token_after_ms,
        duration_ms: answer.elapsed_ms(),
        purpose: None,
    }
}

fn message(answer: &AnswerSoFar, cut: Option<Cut>) -> OutputMessage {
    OutputMessage {
        turn: answer.turn,
        role: Role::Assistant,
        content: answer.text.clone(),
        thoughts: Some(answer.thoughts.clone()).filter(|thoughts| !thoughts.is_empty()),
        reasoning: answer.reasoning.clone(),
        interrupted: cut.is_some(),
        retried: cut == Some(Cut::Retried),
    }
}
