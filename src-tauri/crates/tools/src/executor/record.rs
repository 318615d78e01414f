//! Appends what happens to a call, and keeps what was appended for the agent to fold.

use super::judging::denied;
use super::kept_whole::storable;
use crate::outcome::Output;
use arki_domain::projection::ResolvedApproval;
use arki_domain::{
    ApprovalDecision, ApprovalMode, ApprovalRequested, ApprovalResolved, CallContext, CallId, CallOutcome, Code,
    Elicitation, Error, Event, EventBody, EventDraft, EventLog, FileEffect, PolicyDecided, REPEATED_RULE, ToolCall,
    ToolResult,
};
use arki_policy::{Objection, Verdict};
use arki_redaction::{Redactor, possible_secrets};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

pub(super) struct Record<'a> {
    log: &'a dyn EventLog,
    pub(super) redactor: &'a Redactor,
    pub(super) context: &'a CallContext,
    started: Instant,
    events: Vec<Arc<Event>>,
    /// The names of the secrets that the call would put where they are not yet.
    secrets: Vec<String>,
    /// The questions asked in the middle of the call.
    elicitations: Vec<Elicitation>,
    /// The strictest of the hooks' objections, the first of those.
    objection: Option<Objection>,
}

impl<'a> Record<'a> {
    pub(super) fn new(log: &'a dyn EventLog, redactor: &'a Redactor, context: &'a CallContext) -> Self {
        let (events, secrets, elicitations) = (Vec::new(), Vec::new(), Vec::new());
        Self { log, redactor, context, started: Instant::now(), events, secrets, elicitations, objection: None }
    }

    /// Returns the record of a call that began before it is recorded.
    pub(super) fn since(self, started: Instant) -> Self {
        Self { started, ..self }
    }

    /// Returns how much of the run's time is left now.
    pub(super) fn time_left(&self) -> Option<Duration> {
        self.context.time_left.map(|left| left.saturating_sub(self.started.elapsed()))
    }

    pub(super) fn use_secrets(&mut self, names: Vec<String>) {
        self.secrets.extend(names);
        self.secrets.sort_unstable();
        self.secrets.dedup();
    }

    pub(super) fn note_elicitations(&mut self, elicitations: Vec<Elicitation>) {
        self.elicitations = elicitations;
    }

    pub(super) fn object(&mut self, objection: Objection) {
        if self.objection.as_ref().is_none_or(|known| objection.denies && !known.denies) {
            self.objection = Some(objection);
        }
    }

    /// Forgets the objection: it was to another call.
    pub(super) fn forget_objection(&mut self) {
        self.objection = None;
    }

    pub(super) fn objection(&self) -> Option<&Objection> {
        self.objection.as_ref()
    }

    pub(super) fn secrets(&self) -> &[String] {
        &self.secrets
    }

    pub(super) fn approve(&self) -> ApprovalMode {
        self.context.options.approve
    }

    pub(super) fn cancel(&self) -> &CancellationToken {
        &self.context.cancel
    }

    /// Returns the last number of the events appended here, or handed out before.
    pub(super) fn last_seq(&self) -> u64 {
        self.events.last().map_or(self.context.last_seq, |event| event.seq)
    }

    /// The events appended here.
    pub(super) fn events(&self) -> &[Arc<Event>] {
        &self.events
    }

    pub(super) fn into_events(self) -> Vec<Arc<Event>> {
        self.events
    }

    /// The call is permitted: on the disk before its effect, together with what has to be known of that.
    pub(super) async fn begin(
        &mut self,
        call: &ToolCall,
        verdict: &Verdict,
        files: Vec<FileEffect>,
        with: Vec<EventBody>,
    ) -> Result<(), Error> {
        let decided = verdict.decided(call, files).into();
        self.append(std::iter::once(decided).chain(with).collect()).await
    }

    /// The call has its result, which is among `bodies`.
    pub(super) async fn settle(&mut self, bodies: Vec<EventBody>) -> Result<CallOutcome, Error> {
        self.append(bodies).await?;
        Ok(CallOutcome::Finished)
    }

    /// Records a call without an effect on the world: it needs no decision before it, so both are one transaction.
    pub(super) async fn settle_decided(
        &mut self,
        call: &ToolCall,
        verdict: &Verdict,
        bodies: Vec<EventBody>,
    ) -> Result<CallOutcome, Error> {
        let decided = verdict.decided(call, Vec::new()).into();
        self.settle(std::iter::once(decided).chain(bodies).collect()).await
    }

    /// Records what happened around the call, before or after it.
    pub(super) async fn note(&mut self, bodies: Vec<EventBody>) -> Result<(), Error> {
        self.append(bodies).await
    }

    async fn append(&mut self, bodies: Vec<EventBody>) -> Result<(), Error> {
        let drafts = bodies.into_iter().map(|body| EventDraft::of_run(&self.context.run_id, body)).collect();
        self.events.extend(self.log.append(&self.context.session_id, drafts).await?);
        Ok(())
    }

    /// The policy says no: the model is told why.
    pub(super) async fn refuse(
        &mut self,
        call: &ToolCall,
        verdict: &Verdict,
        fault: Error,
    ) -> Result<CallOutcome, Error> {
        let result = self.error(call, &fault);
        self.settle_decided(call, verdict, vec![result.into()]).await
    }

    pub(super) async fn fail(&mut self, call: &ToolCall, fault: &Error) -> Result<CallOutcome, Error> {
        let result = self.error(call, fault);
        self.settle(vec![result.into()]).await
    }

    pub(super) async fn conclude_read(
        &mut self,
        call: &ToolCall,
        verdict: &Verdict,
        done: Result<Output, Error>,
    ) -> Result<CallOutcome, Error> {
        let result = self.result(call, done);
        self.settle_decided(call, verdict, vec![result.into()]).await
    }

    pub(super) async fn rejected(
        &mut self,
        call: &ToolCall,
        approval: &ResolvedApproval,
    ) -> Result<CallOutcome, Error> {
        let mut text = "The user rejected this. Nothing was done.".to_owned();
        if approval.requested.rule == REPEATED_RULE {
            text.push_str(&format!(" {} {GO_ON_OTHERWISE}", approval.requested.reason));
        }
        if approval.resolved.is_by_timeout() {
            let reason = approval.resolved.reason.as_deref().unwrap_or_default();
            let text = format!("Rejected: {reason} Nothing was done. Continue without it, or say what you need.");
            let result = ToolResult { is_error: true, ..self.text(call, text) };
            return self.settle(vec![result.into()]).await;
        }
        if let Some(note) = &approval.resolved.reason {
            text.push_str(&format!("\nThe user's note: {note}"));
        }
        let result = ToolResult { is_error: true, ..self.text(call, text) };
        self.settle(vec![result.into()]).await
    }

    /// Puts the question. With `--approve never` it is answered at once.
    pub(super) async fn ask(
        &mut self,
        (verdict, mut requested): (Verdict, ApprovalRequested),
    ) -> Result<CallOutcome, Error> {
        requested.timeout_seconds = self.context.options.approval_timeout_seconds;
        let approval_id = requested.approval_id.clone();
        let call_id = requested.call_id.clone().ok_or_else(|| Error::internal("an approval without its call"))?;
        let tool_id = requested.tool_id.clone();
        let rejected = ApprovalResolved::of(&requested, ApprovalDecision::Reject, ApprovalMode::Never.resolver());
        let mut bodies: Vec<EventBody> = vec![decided_to_ask(&call_id, &verdict), requested.into()];
        if self.approve() != ApprovalMode::Never {
            self.append(bodies).await?;
            return Ok(CallOutcome::AwaitingApproval(approval_id));
        }
        let mut reason = "Nothing may be approved in this run (--approve never).".to_owned();
        if verdict.rule == REPEATED_RULE {
            reason = format!("{} {GO_ON_OTHERWISE} {reason}", verdict.reason);
        }
        bodies.push(ApprovalResolved { reason: Some(reason.clone()), ..rejected }.into());
        let result = ToolResult {
            is_error: true,
            duration_ms: self.elapsed_ms(),
            code: Some(denied(&verdict).code),
            ..ToolResult::new(call_id, tool_id, format!("Rejected: {reason}"))
        };
        bodies.push(result.into());
        self.settle(bodies).await
    }

    /// Puts one question about several edits, with the policy's decision about each.
    pub(super) async fn ask_group(
        &mut self,
        verdicts: Vec<(CallId, Verdict)>,
        mut requested: ApprovalRequested,
    ) -> Result<CallOutcome, Error> {
        requested.timeout_seconds = self.context.options.approval_timeout_seconds;
        let approval_id = requested.approval_id.clone();
        let decided = verdicts.iter().map(|(call_id, verdict)| decided_to_ask(call_id, verdict));
        self.append(decided.chain([requested.into()]).collect()).await?;
        Ok(CallOutcome::AwaitingApproval(approval_id))
    }

    pub(super) fn result(&self, call: &ToolCall, done: Result<Output, Error>) -> ToolResult {
        match done {
            Ok(output) => {
                let result = self.text(call, output.text);
                ToolResult { truncated: output.truncated || result.truncated, ..result }
            }
            Err(fault) => self.error(call, &fault),
        }
    }

    pub(super) fn error(&self, call: &ToolCall, fault: &Error) -> ToolResult {
        let text =
            if fault.hint.is_empty() { fault.message.clone() } else { format!("{} {}", fault.message, fault.hint) };
        ToolResult { is_error: true, code: Some(fault.code.clone()), ..self.text(call, format!("Error: {text}")) }
    }

    /// Returns a result that the log can't refuse.
    pub(super) fn text(&self, call: &ToolCall, text: String) -> ToolResult {
        let Output { text, truncated } = storable(Output { text, truncated: false });
        let possible_secrets = possible_secrets(&self.redactor.redact(&text));
        ToolResult {
            duration_ms: self.elapsed_ms(),
            truncated,
            possible_secrets,
            elicitations: self.elicitations.clone(),
            ..ToolResult::new(call.call_id.clone(), call.tool_id.clone(), text)
        }
    }

    /// Returns the result of a call that goes on in the background.
    pub(super) fn placeholder(&self, call: &ToolCall, text: String) -> ToolResult {
        let (async_call_id, process_id) = (Some(call.call_id.clone()), Some(std::process::id()));
        ToolResult { async_call_id, process_id, ..self.text(call, text) }
    }

    fn elapsed_ms(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

fn decided_to_ask(call_id: &CallId, verdict: &Verdict) -> EventBody {
    PolicyDecided {
        call_id: call_id.clone(),
        decision: verdict.decision,
        rule: verdict.rule.clone(),
        reason: verdict.reason.to_string(),
        sentences: verdict.reason.sentences.clone(),
        risk: verdict.risk,
        files: Vec::new(),
        landing: None,
    }
    .into()
}

/// The advice for a model that goes round in circles.
const GO_ON_OTHERWISE: &str = "Repeating it won't help: try something else, or say what is stopping you.";

/// A fault for something shown that is no longer so.
pub(super) fn stale(path: &str, why: &str) -> Error {
    let message = format!("{path} changed after the preview was shown, so nothing was written. {why}");
    Error::new(Code::STALE_PREVIEW, message, "Read the file again and propose the change again.")
}
