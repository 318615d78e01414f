//! Tool calls, with the hooks around them and the questions for approval, each from the moment it is asked to its decision.

use super::contents::bounded;
use super::{RunRecorder, seconds};
use crate::attributes::{AttributeList, word};
use crate::measures::Labels;
use crate::messages::INTERNAL;
use crate::names;
use crate::spans::{SpanId, SpanPlace, call_span_id, span_id};
use arki_domain::{
    ApprovalRequested, ApprovalResolved, Event, HookRan, PolicyDecided, SubagentStarted, ToolCall, ToolResult,
};

/// The `error.type` of a call whose result has no code.
const TOOL_ERROR: &str = "TOOL_ERROR";

impl RunRecorder {
    pub(super) fn called(&mut self, call: &ToolCall, at: u64) {
        let (id, parent) = (call_span_id(&self.session, &call.call_id), self.innermost());
        let named = (format!("{} {}", names::EXECUTE_TOOL, call.tool_id), INTERNAL);
        let Some(place) = self.spans.begin(id, parent, named, at) else { return };
        let arguments = self.contents.told(|| bounded(&call.args.to_string()).to_owned());
        let attributes = &mut self.span(place).attributes;
        attributes.set(names::OPERATION_NAME, names::EXECUTE_TOOL);
        attributes.set(names::TOOL_NAME, &call.tool_id);
        attributes.set(names::TOOL_TYPE, "function");
        attributes.set(names::TOOL_CALL_ID, call.call_id.as_str());
        attributes.set_some(names::TOOL_CATEGORY, call.category.map(word));
        attributes.set_some(names::TOOL_IN_BACKGROUND, call.async_call_id.is_some().then_some(true));
        attributes.set_some(names::TOOL_CALL_ARGUMENTS, arguments);
        self.open.calls.insert(call.call_id.to_string(), place);
    }

    fn place_of(&self, call: &str) -> Option<SpanPlace> {
        self.open.calls.get(call).copied()
    }

    /// The policy's own verdict counts: what follows an approval is always `allow`.
    pub(super) fn decided(&mut self, decided: &PolicyDecided) {
        let Some(place) = self.place_of(decided.call_id.as_str()) else { return };
        let attributes = &mut self.span(place).attributes;
        if attributes.iter().any(|said| said.key == names::POLICY_DECISION) {
            return;
        }
        attributes.set(names::POLICY_DECISION, word(decided.decision));
        attributes.set(names::RISK, word(decided.risk));
    }

    pub(super) fn handed_on(&mut self, started: &SubagentStarted) {
        let Some(place) = self.place_of(started.call_id.as_str()) else { return };
        let attributes = &mut self.span(place).attributes;
        attributes.set(names::SUBAGENT_NAME, &started.agent);
        attributes.set(names::SUBAGENT_SESSION, started.session_id.as_str());
        attributes.set(names::SUBAGENT_RUN, started.run_id.as_str());
    }

    /// The span covers the wait for a decision too; `durationMs` is the tool's own time.
    pub(super) fn returned(&mut self, result: &ToolResult, at: u64) {
        let Some(place) = self.place_of(result.call_id.as_str()) else { return };
        let told = self.contents.told(|| bounded(&result.result).to_owned());
        let code = result.is_error.then(|| result.code.as_deref().unwrap_or(TOOL_ERROR));
        let span = self.span(place);
        span.attributes.set(names::TOOL_DURATION_MS, result.duration_ms);
        span.attributes.set_some(names::TOOL_IN_BACKGROUND, result.async_call_id.is_some().then_some(true));
        span.attributes.set_some(names::TOOL_CALL_RESULT, told);
        if let Some(code) = code {
            span.fail(code);
        }
        span.end(at);
        let mut labels = Labels::from([(names::TOOL_NAME, result.tool_id.clone())]);
        labels.extend(code.map(|code| (names::ERROR_TYPE, code.to_owned())));
        self.measures.tool(labels, seconds(result.duration_ms));
    }

    /// The span that something about a call belongs to.
    pub(super) fn parent_of_call(&self, call: Option<&str>) -> Option<SpanId> {
        let place = call.and_then(|call| self.place_of(call));
        place.map(|place| self.spans.id(place)).or_else(|| self.innermost())
    }

    /// A hook's name may be its command line, so it is told only with contents.
    pub(super) fn hook_ran(&mut self, event: &Event, ran: &HookRan, at: u64) {
        let parent = self.parent_of_call(ran.call_id.as_ref().map(|call| call.as_str()));
        let moment = ran.event.map(word).unwrap_or_default();
        let name = self.contents.told(|| format!("hook {}", ran.hook)).unwrap_or_else(|| format!("hook {moment}"));
        let began = at.saturating_sub(ran.duration_ms.saturating_mul(1_000_000));
        let name = (name.trim_end().to_owned(), INTERNAL);
        let Some(place) = self.spans.begin(span_id(event.event_id.as_str()), parent, name, began) else { return };
        let span = self.span(place);
        span.attributes.set(names::HOOK_EVENT, moment);
        span.attributes.set_some(names::HOOK_EXIT_CODE, ran.exit_code);
        span.end(at);
    }
}

/// The decision on a question that another one replaces.
const SUPERSEDED: &str = "superseded";

pub(super) struct OpenApproval {
    place: SpanPlace,
    kind: String,
    tool: String,
}

impl RunRecorder {
    pub(super) fn asked(&mut self, event: &Event, requested: &ApprovalRequested, at: u64) {
        if let Some(before) = requested.supersedes.as_ref()
            && let Some(open) = self.open.approvals.remove(before.as_str())
        {
            self.end_approval(&open, SUPERSEDED, at);
        }
        let parent = self.parent_of_call(requested.call_id.as_ref().map(|call| call.as_str()));
        let named = (format!("approval {}", requested.tool_id), INTERNAL);
        let Some(place) = self.spans.begin(span_id(event.event_id.as_str()), parent, named, at) else { return };
        let kind = word(requested.kind);
        let attributes = &mut self.span(place).attributes;
        attributes.set(names::APPROVAL_ID, requested.approval_id.as_str());
        attributes.set(names::APPROVAL_KIND, &kind);
        attributes.set(names::TOOL_NAME, &requested.tool_id);
        attributes.set(names::RISK, word(requested.risk));
        attributes.set_some(names::APPROVAL_HUNKS, requested.preview.as_ref().map(|preview| preview.hunks.len()));
        let open = OpenApproval { place, kind, tool: requested.tool_id.clone() };
        self.open.approvals.insert(requested.approval_id.to_string(), open);
    }

    pub(super) fn resolved(&mut self, resolved: &ApprovalResolved, at: u64) {
        let Some(open) = self.open.approvals.remove(resolved.approval_id.as_str()) else { return };
        let decision = word(resolved.decision);
        let resolver = resolver(resolved);
        let attributes = &mut self.span(open.place).attributes;
        attributes.set(names::APPROVAL_RESOLVER, resolver);
        attributes.set_some(names::APPROVAL_HUNKS_ACCEPTED, resolved.hunks.as_ref().map(Vec::len));
        self.end_approval(&open, &decision, at);
        self.measures.approval(Labels::from([
            (names::APPROVAL_DECISION, decision),
            (names::APPROVAL_KIND, open.kind),
            (names::TOOL_NAME, open.tool),
        ]));
    }

    fn end_approval(&mut self, open: &OpenApproval, decision: &str, at: u64) {
        let span = self.span(open.place);
        span.attributes.set(names::APPROVAL_DECISION, decision);
        span.end(at);
    }
}

/// Who decided, as a word: `resolvedBy` may name a person or a device.
fn resolver(resolved: &ApprovalResolved) -> &'static str {
    match resolved {
        by if by.is_by_timeout() => "timeout",
        by if by.is_by_mode() => "mode",
        _ => "user",
    }
}
