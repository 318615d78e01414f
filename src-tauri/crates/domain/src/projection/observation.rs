//! Events as observations (seed 004): what a run intended, thought, did and answered, each with a short title.
//!
//! A view for people and subscribers, made from the events as they pass and stored nowhere. Beyond the event itself an
//! observer knows only what the last few calls were and which model was asked, so it may start anywhere in a session;
//! the titles of results whose call it did not see are then more general.

mod draft;
mod filter;
mod observation_type;
mod state_update;
mod tool_phrase;

use self::draft::{Draft, duration, line};
use self::tool_phrase::Phrase;
use crate::plural;
use crate::{
    CallId, Code, EngineRequest, EngineResponse, EngineRetry, Event, EventBody, EventId, FinishReason, HookRan,
    OutputMessage, PlanStep, PlanStepState, RunCompleted, RunFailed, RunId, RunStarted, SessionId, Stage, StepFailed,
    ToolAsyncResult, ToolCall, ToolResult,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::VecDeque;
use ts_rs::TS;

pub use self::draft::MAX_OBSERVATION_TITLE_BYTES;
pub use self::filter::ObservationFilter;
pub use self::observation_type::ObservationType;

/// Calls whose words are known when their results come, the newest.
pub const MAX_OBSERVED_CALLS: usize = 200;

/// The core whose runs begin with a plan.
pub const PLANNING_CORE: &str = "pes";

/// One thing that was intended, planned, done or answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Observation {
    /// The event's id and the type: the same whenever the event is observed again.
    pub id: String,
    pub thread_id: SessionId,
    /// `None` outside a run.
    pub trace_id: Option<RunId>,
    /// Milliseconds since 1970.
    pub timestamp: i64,
    #[serde(rename = "type")]
    pub kind: ObservationType,
    /// One line for people, at most [`MAX_OBSERVATION_TITLE_BYTES`].
    pub title: String,
    /// A text where there is one to read, else an object; null where the title says all.
    #[ts(type = "unknown")]
    pub content: Value,
    /// Details of the event: at least `eventType` and `seq`, and in a run `agent`.
    #[ts(type = "{ eventType: string; seq: number; [key: string]: unknown }")]
    pub metadata: Value,
}

/// A call in words, as an instruction: "Read src/app.rs".
#[must_use]
pub fn call_words(tool_id: &str, args: &Value) -> String {
    Phrase::of(tool_id, args).to_do
}

/// Makes observations of one session's events, oldest first.
#[derive(Debug, Clone, Default)]
pub struct Observer {
    calls: VecDeque<(CallId, Phrase)>,
    /// The run's agent.
    agent: Option<String>,
    /// `provider/model` of the last request.
    asked: Option<String>,
    finish_reason: Option<FinishReason>,
    /// The stage of the last request.
    stage: Option<Stage>,
    /// Since the prompt.
    results: usize,
}

impl Observer {
    /// None for what is not worth a line, at most one of each type.
    pub fn observe(&mut self, event: &Event) -> Vec<Observation> {
        let body = event.body();
        if let EventBody::RunStarted(started) = &body {
            self.agent = Some(started.agent.clone());
        }
        let mut observations: Vec<Observation> = self.drafts(&body).into_iter().map(|draft| draft.of(event)).collect();
        for seen in observations.iter_mut().filter(|_| event.run_id.is_some()) {
            seen.metadata["agent"] = json!(self.agent);
        }
        observations
    }

    fn drafts(&mut self, body: &EventBody) -> Vec<Draft> {
        match body {
            EventBody::RunStarted(started) => self.begin(started).into_iter().collect(),
            EventBody::EngineRequest(request) => vec![self.ask(request)],
            EventBody::EngineResponse(response) => self.take_response(response),
            EventBody::EngineRetry(retry) => vec![retried(retry)],
            EventBody::OutputMessage(message) => self.take_message(message),
            EventBody::RunCompleted(completed) => vec![answered(completed)],
            EventBody::RunFailed(failed) => failures(failed),
            EventBody::ToolCall(call) => vec![self.take_call(call)],
            EventBody::ToolResult(result) => vec![self.take_result(result)],
            EventBody::ToolAsyncResult(result) => vec![self.take_late_result(result)],
            EventBody::PlanProposed(plan) => proposed(&plan.intent, &plan.steps),
            EventBody::PlanUpdated(plan) => vec![planned(ObservationType::StateUpdate, &plan.intent, &plan.steps)],
            EventBody::StepFailed(failed) => vec![step_failed(failed)],
            EventBody::HookRan(hook) if !hook.has_worked() => vec![hook_failed(hook)],
            other => state_update::draft(other, |call_id| self.phrase(call_id)).into_iter().collect(),
        }
    }

    fn begin(&mut self, started: &RunStarted) -> Option<Draft> {
        self.results = 0;
        self.stage = None;
        // Its plan says what it intends.
        if started.core == PLANNING_CORE {
            return None;
        }
        let draft = Draft::new(ObservationType::Intent, format!("Asked: {}", line(&started.prompt)));
        let metadata = json!({"agent": started.agent, "model": started.model, "core": started.core});
        Some(draft.content(started.prompt.clone()).metadata(metadata))
    }

    fn ask(&mut self, request: &EngineRequest) -> Draft {
        let model = format!("{}/{}", request.provider, request.model);
        let title = format!("Asked {model} (turn {})", request.turn);
        self.finish_reason = None;
        self.stage = request.stage;
        self.asked = Some(model);
        Draft::new(ObservationType::LlmStreamStart, title).metadata(json!(request))
    }

    fn take_response(&mut self, response: &EngineResponse) -> Vec<Draft> {
        self.finish_reason = Some(response.finish_reason);
        let usage = response.usage;
        let model = self.asked.as_deref().unwrap_or("The model");
        let metadata = json!({
            "turn": response.turn,
            "finishReason": response.finish_reason,
            "ttftMs": response.ttft_ms,
            "durationMs": response.duration_ms,
        });
        let tokens = match (usage.unknown.prompt, usage.unknown.completion) {
            (true, true) => "tokens unknown".to_owned(),
            (true, false) => format!("{} out", plural(usage.completion_tokens, "token")),
            (false, true) => format!("{} in", plural(usage.prompt_tokens, "token")),
            (false, false) => format!("{} in, {} out", plural(usage.prompt_tokens, "token"), usage.completion_tokens),
        };
        let ended = format!("{model} answered in {}", duration(response.duration_ms));
        vec![
            Draft::new(ObservationType::LlmStreamMetadata, tokens).content(json!(usage)).metadata(metadata.clone()),
            Draft::new(ObservationType::LlmStreamEnd, ended).metadata(metadata),
        ]
    }

    fn take_message(&mut self, message: &OutputMessage) -> Vec<Draft> {
        let metadata = json!({"turn": message.turn, "interrupted": message.interrupted});
        let mut drafts = Vec::new();
        if let Some(thoughts) = message.thoughts.as_ref().filter(|thoughts| !thoughts.is_empty()) {
            let title = format!("Thought: {}", line(thoughts));
            let draft = Draft::new(ObservationType::Thoughts, title).content(thoughts.clone());
            drafts.push(draft.metadata(metadata.clone()));
        }
        // What is said before a call is not the answer yet.
        let is_last = self.finish_reason != Some(FinishReason::ToolCalls);
        if message.interrupted {
            let draft = Draft::new(ObservationType::LlmStreamError, "The answer was cut off");
            drafts.push(draft.content(message.content.clone()).metadata(metadata));
        } else if is_last && self.is_synthesis() && !message.content.is_empty() {
            let title = match self.results {
                0 => "Answered".to_owned(),
                results => format!("Answered from {}", plural(results as u64, "result")),
            };
            let draft = Draft::new(ObservationType::Synthesis, title);
            drafts.push(draft.content(message.content.clone()).metadata(metadata));
        }
        drafts
    }

    /// Returns whether the last request was for an answer to the user.
    fn is_synthesis(&self) -> bool {
        match self.stage {
            Some(stage) => stage == Stage::Synthesize,
            None => self.results > 0,
        }
    }

    fn take_call(&mut self, call: &ToolCall) -> Draft {
        let phrase = Phrase::of(&call.tool_id, &call.args);
        let title = phrase.to_do.clone();
        if self.calls.len() == MAX_OBSERVED_CALLS {
            self.calls.pop_front();
        }
        self.calls.push_back((call.call_id.clone(), phrase));
        Draft::new(ObservationType::ToolCall, title)
            .content(json!({"toolId": call.tool_id, "args": call.args}))
            .metadata(
                json!({"turn": call.turn, "callId": call.call_id, "toolId": call.tool_id, "category": call.category}),
            )
    }

    fn take_result(&mut self, result: &ToolResult) -> Draft {
        self.results += 1;
        let phrase = self.phrase(&result.call_id).cloned().unwrap_or_else(|| Phrase::general(&result.tool_id));
        Draft::new(ObservationType::ToolExecution, phrase.with_result(result)).content(result.result.clone()).metadata(
            json!({
                "callId": result.call_id,
                "toolId": result.tool_id,
                "isError": result.is_error,
                "durationMs": result.duration_ms,
                "truncated": result.truncated,
                "code": result.code,
            }),
        )
    }

    fn take_late_result(&mut self, result: &ToolAsyncResult) -> Draft {
        self.results += 1;
        let phrase = self.phrase(&result.async_call_id).cloned().unwrap_or_else(|| Phrase::general(&result.tool_id));
        let title = if result.is_error { phrase.failed() } else { phrase.done.clone() };
        let metadata =
            json!({"asyncCallId": result.async_call_id, "toolId": result.tool_id, "isError": result.is_error});
        Draft::new(ObservationType::ToolExecution, title).content(result.result.clone()).metadata(metadata)
    }

    fn phrase(&self, call_id: &CallId) -> Option<&Phrase> {
        self.calls.iter().rev().find(|(known, _)| known == call_id).map(|(_, phrase)| phrase)
    }
}

fn retried(retry: &EngineRetry) -> Draft {
    let title = format!("{}; retrying in {} (attempt {})", retry.code, duration(retry.delay_ms), retry.attempt);
    Draft::new(ObservationType::LlmStreamError, title).metadata(json!(retry))
}

fn answered(completed: &RunCompleted) -> Draft {
    Draft::new(ObservationType::FinalResponse, format!("Done in {}", plural(u64::from(completed.turns), "turn")))
        .content(completed.response.clone())
        .metadata(json!({"turns": completed.turns, "usage": completed.usage}))
}

fn failures(failed: &RunFailed) -> Vec<Draft> {
    let of_type = |kind, title: String| {
        Draft::new(kind, title)
            .content(failed.message.clone())
            .metadata(json!({"code": failed.code, "hint": failed.hint, "retryable": failed.retryable}))
    };
    let is_the_providers = failed.code.starts_with("PROVIDER_")
        || [Code::CONTEXT_TOO_LONG, Code::KEY_REFUSED, Code::MODEL_NOT_FOUND].iter().any(|code| code.0 == failed.code);
    let mut drafts = Vec::new();
    if is_the_providers {
        drafts.push(of_type(ObservationType::LlmStreamError, format!("No answer ({})", failed.code)));
    }
    drafts.push(of_type(ObservationType::Error, format!("The run failed: {}", line(&failed.message))));
    drafts
}

fn proposed(intent: &str, steps: &[PlanStep]) -> Vec<Draft> {
    let intent_of_its_own = (!intent.is_empty())
        .then(|| Draft::new(ObservationType::Intent, format!("Intends: {}", line(intent))).content(intent.to_owned()));
    intent_of_its_own.into_iter().chain([planned(ObservationType::Plan, intent, steps)]).collect()
}

fn planned(kind: ObservationType, intent: &str, steps: &[PlanStep]) -> Draft {
    let ended = steps.iter().filter(|step| matches!(step.state, PlanStepState::Done | PlanStepState::Skipped)).count();
    let title = match ended {
        0 => format!("Planned {}", plural(steps.len() as u64, "step")),
        _ => format!("{ended} of {} done", plural(steps.len() as u64, "step")),
    };
    Draft::new(kind, title).content(json!({"intent": intent, "steps": steps}))
}

fn step_failed(failed: &StepFailed) -> Draft {
    let title = format!("Step {} failed: {}", failed.step, line(&failed.message));
    Draft::new(ObservationType::Error, title).content(failed.message.clone()).metadata(json!(failed))
}

fn hook_failed(hook: &HookRan) -> Draft {
    let ending = hook.exit_code.map_or_else(|| "did not finish".to_owned(), |code| format!("exit {code}"));
    let title = format!("Hook `{}` failed ({ending})", line(&hook.command));
    Draft::new(ObservationType::Error, title).metadata(json!(hook))
}

impl Draft {
    fn of(self, event: &Event) -> Observation {
        let (kind, title, content, mut metadata) = self.into_parts();
        metadata.insert("eventType".to_owned(), event.kind.clone().into());
        metadata.insert("seq".to_owned(), event.seq.into());
        Observation {
            id: observation_id(&event.event_id, kind),
            thread_id: event.session_id.clone(),
            trace_id: event.run_id.clone(),
            timestamp: event.ts,
            kind,
            title,
            content,
            metadata: Value::Object(metadata),
        }
    }
}

fn observation_id(event_id: &EventId, kind: ObservationType) -> String {
    format!("{event_id}:{}", kind.as_str())
}

#[cfg(test)]
mod tests;
