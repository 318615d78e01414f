//! The run's own span, its usage, and the steps of a pipeline.

use super::RunRecorder;
use super::contents::{assistant_message, user_message};
use crate::attributes::{AttributeList, word};
use crate::messages::{INTERNAL, KeyValue};
use crate::names;
use crate::spans::{call_span_id, span_id};
use arki_domain::{Event, FinishReason, RunCompleted, RunPaused, RunStarted, StepStarted, Usage};

/// The sum of a run's own requests; those of its sub-agents are their runs'.
#[derive(Default)]
pub(super) struct SummedUsage {
    total: Usage,
    cost_usd: Option<f64>,
}

impl SummedUsage {
    pub(super) fn add(&mut self, usage: &Usage) {
        self.total.prompt_tokens += usage.prompt_tokens;
        self.total.completion_tokens += usage.completion_tokens;
        self.total.cached_tokens += usage.cached_tokens;
        self.total.cache_write_tokens += usage.cache_write_tokens;
        self.total.reasoning_tokens += usage.reasoning_tokens;
        if let Some(cost) = usage.cost_usd {
            *self.cost_usd.get_or_insert(0.0) += cost;
        }
    }

    fn total(&self) -> Usage {
        Usage { cost_usd: self.cost_usd, ..self.total }
    }
}

/// Says what was used: figures that are nothing only where the conventions ask for them.
pub(super) fn tell_usage(attributes: &mut Vec<KeyValue>, usage: &Usage) {
    attributes.set(names::INPUT_TOKENS, usage.prompt_tokens);
    attributes.set(names::OUTPUT_TOKENS, usage.completion_tokens);
    let where_any = [
        (names::CACHE_READ_TOKENS, usage.cached_tokens),
        (names::CACHE_WRITE_TOKENS, usage.cache_write_tokens),
        (names::REASONING_TOKENS, usage.reasoning_tokens),
    ];
    for (name, count) in where_any.into_iter().filter(|(_, count)| *count > 0) {
        attributes.set(name, count);
    }
    attributes.set_some(names::COST_USD, usage.cost_usd);
}

impl RunRecorder {
    pub(super) fn run_started(&mut self, event: &Event, started: &RunStarted, at: u64) {
        let parent = started.parent.as_ref().map(|parent| call_span_id(&parent.session_id, &parent.call_id));
        let named = (format!("{} {}", names::INVOKE_AGENT, started.agent), INTERNAL);
        let Some(place) = self.spans.begin(span_id(event.event_id.as_str()), parent, named, at) else { return };
        let prompt = self.contents.told(|| user_message(&started.prompt));
        let ids = [(names::CONVERSATION_ID, self.session.to_string()), (names::RUN_ID, self.run.to_string())];
        let attributes = &mut self.span(place).attributes;
        attributes.set(names::OPERATION_NAME, names::INVOKE_AGENT);
        attributes.set(names::AGENT_NAME, &started.agent);
        ids.into_iter().for_each(|(name, id)| attributes.set(name, id));
        attributes.set(names::RUN_CORE, &started.core);
        if let Some((provider, model)) = started.model.split_once('/') {
            attributes.set(names::PROVIDER_NAME, names::provider(provider));
            attributes.set(names::REQUEST_MODEL, model);
        }
        attributes.set_some(names::REASONING_LEVEL, started.options.reasoning_effort.as_ref());
        attributes.set_some(names::INPUT_MESSAGES, prompt);
        self.open.run = Some(place);
    }

    pub(super) fn run_paused(&mut self, paused: &RunPaused, at: u64) {
        let Some(place) = self.open.run else { return };
        let told = self.span(place).tell(at, "run.paused");
        told.attributes.set(names::PAUSE_REASON, word(paused.reason));
    }

    /// A run that had ended goes on after all: its span does too.
    pub(super) fn run_resumed(&mut self, at: u64) {
        let Some(place) = self.open.run else { return };
        let span = self.span(place);
        span.tell(at, "run.resumed");
        span.end_time_unix_nano = 0;
        span.status = None;
        span.attributes.retain(|said| said.key != names::ERROR_TYPE && said.key != names::RUN_OUTCOME);
    }

    pub(super) fn run_completed(&mut self, completed: &RunCompleted, at: u64) {
        let answer = self.contents.told(|| assistant_message(None, &completed.response, FinishReason::Stop));
        if let (Some(place), Some(answer)) = (self.open.run, answer) {
            self.span(place).attributes.set(names::OUTPUT_MESSAGES, answer);
        }
        self.end_run("completed", None, at);
    }

    pub(super) fn run_failed(&mut self, code: &str, at: u64) {
        self.end_run("failed", Some(code), at);
        if let Some(place) = self.open.run {
            self.span(place).fail(code);
        }
    }

    /// Somebody wanted it so: the code is told, but it is no error.
    pub(super) fn run_cancelled(&mut self, code: &str, at: u64) {
        self.end_run("cancelled", Some(code), at);
        if let Some(place) = self.open.run {
            self.span(place).attributes.set(names::ERROR_TYPE, code);
        }
    }

    fn end_run(&mut self, outcome: &str, code: Option<&str>, at: u64) {
        self.end_requests(code, at);
        if let Some((_, turn)) = self.open.turn.take() {
            self.span(turn).end(at);
        }
        let Some(place) = self.open.run else { return };
        let span = self.span(place);
        span.attributes.set(names::RUN_OUTCOME, outcome);
        span.end(at);
    }

    /// Says on the run's span what is known at the end alone.
    pub(super) fn conclude_run(&mut self) {
        let Some(place) = self.open.run else { return };
        let (usage, left_out) = (self.usage.total(), self.left_out());
        let attributes = &mut self.span(place).attributes;
        tell_usage(attributes, &usage);
        attributes.set_some(names::LEFT_OUT, (left_out > 0).then_some(left_out));
    }

    pub(super) fn step_started(&mut self, event: &Event, step: &StepStarted, at: u64) {
        let parent = self.innermost();
        let named = (format!("step {}", step.step), INTERNAL);
        let Some(place) = self.spans.begin(span_id(event.event_id.as_str()), parent, named, at) else { return };
        let attributes = &mut self.span(place).attributes;
        attributes.set(names::STEP_NAME, &step.step);
        attributes.set(names::STEP_ATTEMPT, step.attempt);
        self.open.steps.insert(step.step.clone(), place);
    }

    pub(super) fn step_ended(&mut self, step: &str, code: Option<&str>, at: u64) {
        let Some(place) = self.open.steps.remove(step) else { return };
        let span = self.span(place);
        if let Some(code) = code {
            span.fail(code);
        }
        span.end(at);
    }
}
