//! Records the outcome of attempts: outputs are checked, redacted and stored; failures are retried or end the run.

use super::attempts::{EndedAttempt, backoff};
use super::outputs::EndedOutput;
use super::{BegunAttempt, PipelineRun, StepUnit, millis};
use crate::adapter::{AttemptResult, StepFault, too_long};
use crate::definition::{Foreach, OutputForm, Step};
use arki_domain::{
    ApprovalDecision, ApprovalId, ApprovalKind, ApprovalMode, ApprovalRequested, ApprovalResolved, ArtifactEmitted,
    Code, Content, ContentKind, Error, ReasonCode, Risk, StepCompleted, StepFailed,
};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// The longest part of a gate's input that is shown with the question, in bytes.
const MAX_SHOWN_BYTES: usize = 16 << 10;

impl PipelineRun {
    pub(super) async fn take_in(&mut self, ended: EndedAttempt) -> Result<(), Error> {
        let (begun, duration_ms, result) = match ended {
            EndedAttempt::Attempt { begun, duration_ms, result } => (begun, duration_ms, result),
            EndedAttempt::Pause(unit) => {
                self.queue.push_front(unit);
                return Ok(());
            }
        };
        let unit = begun.unit;
        match result {
            Ok(AttemptResult::Output { output, .. }) => match self.usable(unit, &output) {
                Ok(output) => return self.complete(&begun, duration_ms, &output).await,
                Err(fault) => self.fail(&begun, duration_ms, fault),
            },
            Ok(AttemptResult::Ask { message }) => self.ask(unit, &message),
            Ok(AttemptResult::Waiting(approval)) => self.waiting.push((unit, approval)),
            Ok(AttemptResult::Paused) => self.is_paused_beneath = true,
            Err(fault) => self.fail(&begun, duration_ms, fault),
        }
        Ok(())
    }

    /// Returns the output as it is kept.
    fn usable(&self, unit: StepUnit, output: &str) -> Result<String, StepFault> {
        let spec = &self.definition.steps[unit.step];
        let output = match spec.output {
            OutputForm::Text => output,
            OutputForm::Json => checked_json(spec, output)?,
        };
        if output.len() as u64 > self.definition.limits.max_output_bytes {
            return Err(StepFault::final_(too_long(self.definition.limits.max_output_bytes)));
        }
        Ok(self.parts.redactor.redact(output).into_owned())
    }

    pub(super) async fn complete(&mut self, begun: &BegunAttempt, duration_ms: u64, text: &str) -> Result<(), Error> {
        let output = self.tell_completed(begun, duration_ms, text);
        match begun.unit.item {
            Some(_) => self.end_item(begun.unit, output).await,
            None => {
                self.end_step(begun.unit.step, output);
                Ok(())
            }
        }
    }

    fn tell_completed(&mut self, begun: &BegunAttempt, duration_ms: u64, text: &str) -> EndedOutput {
        let output = EndedOutput::new(text);
        self.log.kept.extend(output.content(text));
        let unit = begun.unit;
        self.log.tell(StepCompleted {
            step: self.steps.name(unit),
            idempotency_key: begun.idempotency_key.clone(),
            attempt: begun.attempt,
            duration_ms,
            output: output.told.text.clone(),
            output_hash: output.told.hash.clone(),
            output_bytes: output.told.bytes,
        });
        if unit.item.is_none() {
            self.emit_artifact(unit.step, text, &output);
        }
        output
    }

    fn emit_artifact(&mut self, step: usize, text: &str, output: &EndedOutput) {
        let Some(artifact) = &self.definition.steps[step].artifact else { return };
        let content_hash = output.told.hash.clone();
        let bytes = text.as_bytes().to_vec();
        self.log.kept.push(Content { hash: content_hash.clone(), bytes, kind: ContentKind::Plain });
        let artifact_id = content_hash.chars().take(ARTIFACT_ID_CHARS).collect();
        let (name, media_type) = (artifact.name.clone(), artifact.media_type.clone());
        self.log
            .told
            .push(ArtifactEmitted { artifact_id, name, media_type, bytes: output.told.bytes, content_hash }.into());
    }

    pub(super) fn end_step(&mut self, step: usize, output: EndedOutput) {
        self.steps.outputs[step] = Some(output);
        if self.asking.take_if(|asking| *asking == step).is_some() {
            self.graph.ready.append(&mut self.held_gates);
        }
        self.steps.work.remove(&step);
        self.graph.end(step);
    }

    pub(super) async fn end_item(&mut self, unit: StepUnit, output: EndedOutput) -> Result<(), Error> {
        let items = self.steps.work.get_mut(&unit.step).and_then(|work| work.items.as_mut());
        let (Some(items), Some(item)) = (items, unit.item) else { return Ok(()) };
        items.outputs[item] = Some(output);
        items.left -= 1;
        if items.left == 0 {
            self.join_items(unit.step).await?;
        }
        Ok(())
    }

    /// The step has ended with its last item.
    pub(super) async fn join_items(&mut self, step: usize) -> Result<(), Error> {
        let Some(items) = self.steps.work.get_mut(&step).and_then(|work| work.items.take()) else { return Ok(()) };
        let mut texts = Vec::with_capacity(items.outputs.len());
        for output in items.outputs.iter().flatten() {
            texts.push(self.log.text_of(output).await?);
        }
        let joined = match self.definition.steps[step].foreach {
            Some(Foreach::Json) => as_array(&texts),
            Some(Foreach::Lines) | None => {
                texts.iter().map(|text| text.trim_end_matches('\n')).collect::<Vec<_>>().join("\n")
            }
        };
        let duration_ms = millis(items.began.elapsed());
        if joined.len() as u64 > self.definition.limits.max_output_bytes {
            let fault = StepFault::final_(too_long(self.definition.limits.max_output_bytes));
            self.fail(&items.begun, duration_ms, fault);
            return Ok(());
        }
        let output = self.tell_completed(&items.begun, duration_ms, &joined);
        self.end_step(step, output);
        Ok(())
    }

    pub(super) fn fail(&mut self, begun: &BegunAttempt, duration_ms: u64, failed: StepFault) {
        let unit = begun.unit;
        let spec = &self.definition.steps[unit.step];
        let name = self.steps.name(unit);
        let failures = self.log.state.steps.get(&name).map_or(0, |step| step.failures) + 1;
        let fault = self.parts.redactor.redact_error(failed.fault);
        let is_again = failed.is_retryable && failures < spec.retry.max_attempts && self.takes_up();
        let pause = is_again.then(|| backoff(spec.retry.backoff_ms, failures));
        self.tell_failed(begun, duration_ms, fault.clone(), pause);
        match pause {
            Some(pause) => self.pause_before(unit, pause),
            None => {
                if unit.item.is_some() {
                    self.fail_of_item(unit.step, &fault);
                }
                let message = format!("The step {name:?} failed: {}", fault.message);
                self.failure.get_or_insert(Error { message, ..fault });
            }
        }
    }

    /// A step fails with its item.
    fn fail_of_item(&mut self, step: usize, fault: &Error) {
        let Some(items) = self.steps.work.get_mut(&step).and_then(|work| work.items.take()) else { return };
        let fault = Error { message: "One of its items failed.".to_owned(), hint: String::new(), ..fault.clone() };
        self.tell_failed(&items.begun, millis(items.began.elapsed()), fault, None);
    }

    fn tell_failed(&mut self, begun: &BegunAttempt, duration_ms: u64, fault: Error, pause: Option<Duration>) {
        self.log.tell(StepFailed {
            step: self.steps.name(begun.unit),
            idempotency_key: begun.idempotency_key.clone(),
            attempt: begun.attempt,
            duration_ms,
            code: fault.code,
            message: fault.message,
            hint: fault.hint,
            retry_in_ms: pause.map(millis),
        });
    }

    fn ask(&mut self, unit: StepUnit, message: &str) {
        let spec = &self.definition.steps[unit.step];
        let input = self.steps.input_of_unit(unit);
        let shown = &input[..input.floor_char_boundary(MAX_SHOWN_BYTES)];
        let args = json!({
            "step": spec.name,
            "pipeline": self.definition.name,
            "message": message,
            "input": shown,
            "inputBytes": input.len(),
        });
        let requested = ApprovalRequested {
            approval_id: ApprovalId::new(),
            kind: ApprovalKind::Gate,
            call_id: None,
            tool_id: spec.adapter.name().to_owned(),
            args,
            risk: Risk::Low,
            rule: format!("pipeline:{}", self.definition.name),
            reason: ReasonCode::GATE.english.to_owned(),
            sentences: vec![ReasonCode::GATE.into()],
            preview: None,
            calls: Vec::new(),
            command: None,
            supersedes: None,
            timeout_seconds: spec.timeout_seconds,
        };
        let rejected = (self.approve == ApprovalMode::Never).then(|| rejected_unasked(&requested));
        self.log.tell(requested);
        self.log.told.extend(rejected.map(Into::into));
        self.gate = Some(unit);
    }

    /// Goes on with a gate that was decided.
    pub(super) async fn settle_gate(&mut self) -> Result<(), Error> {
        let Some(unit) = self.gate else { return Ok(()) };
        let name = self.steps.name(unit);
        let Some(step) = self.log.state.steps.get(&name) else { return Ok(()) };
        let resolved = step.gate.as_ref().and_then(|gate| gate.resolved.clone());
        let Some(resolved) = resolved else { return Ok(()) };
        let begun = BegunAttempt { unit, idempotency_key: step.idempotency_key.clone(), attempt: step.attempt };
        let waited = self.log.state.updated_ms.saturating_sub(step.started_ms);
        let duration_ms = u64::try_from(waited).unwrap_or(0);
        self.gate = None;
        match resolved.decision {
            ApprovalDecision::Approve => {
                let input = self.steps.input_of_unit(unit);
                self.complete(&begun, duration_ms, &input).await
            }
            ApprovalDecision::Reject => {
                let note = resolved.reason.map(|note| format!(" Note: {note}")).unwrap_or_default();
                let hint = match resolved.resolved_by == ApprovalMode::Never.resolver() {
                    true => format!("`arki resume {} --approve ask` asks you.", self.log.state.run_id),
                    false => format!("`arki resume {}` asks again.", self.log.state.run_id),
                };
                let fault = Error::new(Code::STEP_REJECTED, format!("It was rejected.{note}"), hint);
                self.fail(&begun, duration_ms, StepFault::final_(fault));
                Ok(())
            }
        }
    }

    /// Looks whether what units wait for was decided meanwhile.
    pub(super) async fn look_for_decisions(&mut self) -> Result<(), Error> {
        self.log.catch_up().await?;
        self.settle_gate().await?;
        let mut still = Vec::new();
        for (unit, approval) in std::mem::take(&mut self.waiting) {
            match self.parts.world.is_settled(&approval).await? {
                true => self.queue.push_front(unit),
                false => still.push((unit, approval)),
            }
        }
        self.waiting = still;
        Ok(())
    }
}

/// The answer to a gate of a run in which nothing may be approved.
fn rejected_unasked(requested: &ApprovalRequested) -> ApprovalResolved {
    let reason = Some("Nothing may be approved in this run (--approve never).".to_owned());
    let by = ApprovalMode::Never.resolver();
    ApprovalResolved { reason, ..ApprovalResolved::of(requested, ApprovalDecision::Reject, by) }
}

const ARTIFACT_ID_CHARS: usize = 12;

/// Joins texts into a JSON array. A text that is JSON stands for itself; any other becomes a string.
fn as_array(texts: &[Arc<str>]) -> String {
    let element = |text: &Arc<str>| serde_json::from_str(text.trim()).unwrap_or_else(|_| Value::from(&**text));
    Value::Array(texts.iter().map(element).collect()).to_string()
}

fn checked_json<'a>(spec: &Step, output: &'a str) -> Result<&'a str, StepFault> {
    let text = without_fence(output.trim());
    let value: Value = serde_json::from_str(text).map_err(|error| {
        let message = format!("The step's output isn't JSON: {error}.");
        StepFault::retryable(invalid(message, "Let it print one JSON value and nothing else."))
    })?;
    let Some(schema) = &spec.output_schema else { return Ok(text) };
    match jsonschema::validate(schema, &value) {
        Ok(()) => Ok(text),
        Err(error) => {
            let place = match error.instance_path().to_string() {
                root if root.is_empty() => String::new(),
                place => format!(" at {place}"),
            };
            let message = format!("The step's output doesn't follow its schema{place}: {error}.");
            Err(StepFault::retryable(invalid(message, "See `output_schema` of the step.")))
        }
    }
}

/// A model likes to put JSON into a code fence.
fn without_fence(text: &str) -> &str {
    let inner = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
    inner.and_then(|inner| inner.split_once('\n')).map_or(text, |(_, body)| body.trim())
}

fn invalid(message: String, hint: &str) -> Error {
    Error::new(Code::STEP_OUTPUT_INVALID, message, hint)
}
