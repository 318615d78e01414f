//! Consecutive edits of one answer that are each to be reviewed: the user is asked once, and shown all of them. An edit
//! of a file that one before it changes is planned, and shown, on top of that one.
//!
//! Each keeps its own decision of the policy and, carried out in its turn with its part of the answer, its own result.

use super::path::JudgedCall;
use super::question;
use super::record::Record;
use super::unsaved::EditorPart;
use super::{ToolExecutor, is_too_much};
use crate::outcome::ToolError;
use arki_domain::projection::{CallProgress, PendingCall};
use arki_domain::{
    ApprovalMode, ApprovalRequested, CallContext, CallOutcome, Decision, Error, Executed, GroupedEdit, Hunk,
    REPEATED_RULE, ToolCall, sha256_hex,
};
use arki_files::{Preview, Project};
use arki_policy::{Impact, Verdict};
use std::collections::BTreeSet;

const HOOK_RULES: &str = "hook:";
const FILE_START: &str = "diff --git ";

/// Edits that are reviewed together, each planned on top of those before it.
struct EditGroup {
    project: Project,
    edits: Vec<ReviewedEdit>,
}

struct ReviewedEdit {
    call: ToolCall,
    verdict: Verdict,
    preview: Preview,
}

impl ToolExecutor {
    /// Asks about several edits at once. A call that asks for another reason, needs no question or can't be made ends
    /// the group, and comes after the decision. Where fewer than two are left, the first is carried out as ever.
    pub(super) async fn review_together(
        &self,
        calls: &[PendingCall],
        context: &CallContext,
    ) -> Result<Executed, Error> {
        let first = calls.first().ok_or_else(|| Error::internal("no call to execute"))?;
        let mut record = self.call_log.record(context);
        let wanted = calls.iter().take_while(|pending| self.asks_for_review(pending, &record)).count();
        if wanted < 2 || record.approve() == ApprovalMode::Never {
            return self.execute_in(first, None, record).await;
        }
        let mut group = self.no_edits()?;
        let mut before_first = None;
        for pending in &calls[..wanted] {
            let before = self.hooks.before_call(pending, &mut record).await?;
            let is_first = before_first.is_none();
            let is_stopped = before.is_cancelled || record.objection().is_some();
            let changed = before.changed.as_ref().unwrap_or(pending);
            // It comes alone, in its turn, on top of the editor's text.
            let is_unsaved = !is_stopped && self.is_apart(changed, &record).await;
            let is_in = !is_stopped && !is_unsaved && self.add_edit(&mut group, changed, &record);
            if is_first {
                before_first = Some(before);
            } else if !is_in {
                // Its hooks are asked again, in its turn.
                record.forget_objection();
            }
            if !is_in {
                break;
            }
        }
        if group.edits.len() < 2 {
            return self.execute_in(first, before_first, record).await;
        }
        match self.ask_about(group, &mut record).await {
            Ok(Some(outcome)) => Ok(Executed { outcome, events: record.into_events() }),
            // Too much to review or to store at once.
            Ok(None) => self.execute_in(first, before_first, record).await,
            Err(fault) if is_too_much(&fault) => self.execute_in(first, before_first, record).await,
            Err(fault) => Err(fault),
        }
    }

    /// Returns whether the editor writes the file, or nobody can.
    async fn is_apart(&self, pending: &PendingCall, record: &Record<'_>) -> bool {
        !matches!(self.editors_part(&pending.call, record).await, Ok(None | Some(EditorPart::Silent(_))))
    }

    fn no_edits(&self) -> Result<EditGroup, Error> {
        let project = self.settings.project.for_drafts().map_err(ToolError::from)?;
        Ok(EditGroup { project, edits: Vec::new() })
    }

    /// Returns whether an edit that begins is likely one of a group: what is allowed or asked for another reason needs no
    /// preview to tell.
    fn asks_for_review(&self, pending: &PendingCall, record: &Record<'_>) -> bool {
        let call = &pending.call;
        if pending.progress != CallProgress::New || !self.call_log.redactor.placeholders(&call.args).is_empty() {
            return false;
        }
        let subject = self.prepare(pending, None, record).subject;
        let verdict = self.judge.decide(&call.tool_id, &subject, record.approve(), Impact::default());
        verdict.decision == Decision::Preview
    }

    /// Adds a call to the group unless it ends it. Nothing has happened when it returns.
    fn add_edit(&self, group: &mut EditGroup, pending: &PendingCall, record: &Record<'_>) -> bool {
        if !self.asks_for_review(pending, record) {
            return false;
        }
        let call = &pending.call;
        let subject = self.prepare(pending, None, record).subject;
        match self.judge.judge_call_in((&group.project, None), call, subject, record.approve()) {
            JudgedCall::Change(verdict, planned) if is_only_reviewed(&verdict) && planned.can_be_grouped() => {
                planned.change.draft_in(&mut group.project);
                group.edits.push(ReviewedEdit { call: call.clone(), verdict, preview: planned.preview });
                true
            }
            _ => false,
        }
    }

    /// `None` where nobody could review so much at once; nothing is asked then.
    async fn ask_about(&self, group: EditGroup, record: &mut Record<'_>) -> Result<Option<CallOutcome>, Error> {
        let edits = group.edits;
        let first = edits.first().ok_or_else(|| Error::internal("a group without calls"))?;
        let (_, requested) = question::of_change(&first.call, &first.verdict, together(&edits));
        let requested = ApprovalRequested { calls: edits.iter().map(grouped).collect(), ..requested };
        let verdicts = edits.iter().map(|edit| (edit.call.call_id.clone(), edit.verdict.clone())).collect();
        self.asking.put_group_to_user((verdicts, requested), record).await
    }
}

/// Returns whether the user is asked only to see the change first.
fn is_only_reviewed(verdict: &Verdict) -> bool {
    verdict.decision == Decision::Preview && verdict.rule != REPEATED_RULE && !verdict.rule.contains(HOOK_RULES)
}

fn grouped(edit: &ReviewedEdit) -> GroupedEdit {
    GroupedEdit {
        call_id: edit.call.call_id.clone(),
        tool_id: edit.call.tool_id.clone(),
        args: edit.call.args.clone(),
        risk: edit.verdict.risk,
        files: edit.preview.diff.lines().filter(|line| line.starts_with(FILE_START)).count(),
        lines_changed: edit.preview.lines_changed,
        preview_hash: edit.preview.preview_hash.clone(),
    }
}

/// Returns all edits in one preview, in their order.
fn together(edits: &[ReviewedEdit]) -> Preview {
    let previews = || edits.iter().map(|edit| &edit.preview);
    let mut known = BTreeSet::new();
    let paths = previews().flat_map(|preview| &preview.files_affected);
    let hunks = edits.iter().flat_map(|edit| edit.preview.hunks.iter().map(|hunk| (hunk, &edit.call.call_id)));
    let hashes: String = previews().map(|preview| format!("{}\n", preview.preview_hash)).collect();
    Preview {
        files_affected: paths.filter(|path| known.insert(path.as_str())).cloned().collect(),
        lines_changed: previews().map(|preview| preview.lines_changed).sum(),
        diff: previews().map(|preview| preview.diff.as_str()).collect(),
        hunks: (1..)
            .zip(hunks)
            .map(|(index, (hunk, call_id))| Hunk { index, call_id: Some(call_id.clone()), ..hunk.clone() })
            .collect(),
        preview_hash: sha256_hex(hashes.as_bytes()),
    }
}
