//! Questions for approval: each from the moment it is asked to its decision.

use super::RunRecorder;
use crate::attributes::{AttributeList, word};
use crate::ids::span_id;
use crate::measures::Labels;
use crate::messages::INTERNAL;
use crate::names;
use crate::span_list::SpanPlace;
use arki_domain::{ApprovalRequested, ApprovalResolved, Event};

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
