//! Changes to files: planned, shown, and written only as they were shown.

mod in_editor;
mod reconciling;

use super::call_log::file_changed;
use super::checking::Checking;
use super::judging::{Judge, denied, permitted};
use super::path::{CallDecision, CallWork, JudgedCall};
use super::question::UserQuestions;
use super::record::{Record, stale};
use super::subject::SubjectOf;
use super::unsaved::EditorPart;
use super::{ExecutorSettings, question, stopped_by_user};
use crate::outcome::{Output, ToolError};
use crate::tool::{Action, WriteAction};
use arki_domain::projection::ResolvedApproval;
use arki_domain::{
    ApprovalMode, ApprovalRequested, ApprovalResolved, CallOutcome, Code, Content, ContentKind, Decision, Error,
    EventBody, FileChanged, FileEffect, Permissions, REPEATED_RULE, ReasonCode, ToolCall, ToolResult, sha256_hex,
};
use arki_files::{
    AppliedChange, CarriedSelection, ChangeSet, FileChange, FileContent, FilesError, Hunk, HunkSelection, Preview,
    Project, carry_selection,
};
use arki_policy::{Impact, Verdict};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::Arc;

/// The model is told of more hunks than this by ranges of one fate.
const MAX_TOLD_HUNKS: usize = 200;

/// A change together with what the user keeps of it.
pub(super) struct AcceptedChange {
    change: ChangeSet,
    /// The preview of the whole change, as it was shown.
    preview: Preview,
    selection: HunkSelection,
    /// The hunks that were shown before its own, of other edits in the same review.
    hunks_before: usize,
    note: Option<String>,
    /// True if the user has looked at it.
    reviewed: bool,
    pub(super) in_editor: Option<EditorPart>,
}

impl AcceptedChange {
    /// The whole change, which nobody had to look at.
    fn all(change: ChangeSet, preview: Preview) -> Self {
        let selection = all_hunks(&preview);
        Self { change, preview, selection, hunks_before: 0, note: None, reviewed: false, in_editor: None }
    }
}

/// A change that nobody has been asked about yet.
pub(super) struct PlannedChange {
    plan: WriteAction,
    pub(super) change: ChangeSet,
    pub(super) preview: Preview,
    /// The names of the secrets that it would put where they are not yet.
    pub(super) secrets: Vec<String>,
    needs_no_review: bool,
}

impl PlannedChange {
    /// Returns whether there is something to review, and nothing that has to be said of it alone.
    pub(super) fn can_be_grouped(&self) -> bool {
        !self.change.is_empty() && !self.needs_no_review && self.secrets.is_empty()
    }

    pub(super) fn decided(self, call: &ToolCall, verdict: Verdict) -> CallDecision<'static> {
        if verdict.decision != Decision::Allow && !self.needs_no_review {
            return CallDecision::ask(question::of_change(call, &verdict, self.preview));
        }
        CallDecision::Perform(
            verdict,
            CallWork::Write(self.plan, Box::new(AcceptedChange::all(self.change, self.preview))),
        )
    }
}

impl Judge {
    /// `project`: the one in which the change is planned.
    pub(super) fn judge_write(
        &self,
        (project, plan): (&Project, &WriteAction),
        call: &ToolCall,
        mut subject: SubjectOf,
        approve: ApprovalMode,
    ) -> JudgedCall {
        let change = match planned(project, plan, call) {
            Ok(change) => change,
            Err(fault) => {
                let verdict = self.decide(&call.tool_id, &subject, approve, Impact::default());
                let asked = Some(verdict).filter(|verdict| verdict.rule == REPEATED_RULE);
                let asked = asked.or_else(|| self.asked_to_read(&subject, approve));
                return asked.map_or(JudgedCall::Failed(fault), JudgedCall::Plain);
            }
        };
        let names = subject.subject.secrets.into_iter().chain(self.secrets.carried_secrets(&change));
        subject.subject.secrets = BTreeSet::from_iter(names).into_iter().collect();
        self.add_other_names(&change, &mut subject);
        let preview = change.preview();
        let impact = Impact { files: preview.files_affected.len(), lines: preview.lines_changed };
        let verdict = self.decide(&call.tool_id, &subject, approve, impact);
        if verdict.decision == Decision::Deny {
            return JudgedCall::Refused(verdict.clone(), denied(&verdict));
        }
        let needs_no_review =
            change.is_empty() && verdict.rule != REPEATED_RULE && self.asked_to_read(&subject, approve).is_none();
        let secrets = subject.subject.secrets;
        let planned = PlannedChange { plan: plan.clone(), change, preview, secrets, needs_no_review };
        JudgedCall::Change(verdict, Box::new(planned))
    }

    pub(super) fn project(&self) -> &Project {
        &self.subjects.settings.project
    }

    /// The other names of a file are judged like the one that the call names.
    fn add_other_names(&self, change: &ChangeSet, subject: &mut SubjectOf) {
        let others = change.other_names().iter().filter_map(|path| self.subjects.touched_by_tool(path.as_str()).ok());
        subject.subject.paths.extend(others);
    }

    /// The verdict by which the user is asked before files are read. That a change can't be made, and why, or that it
    /// changes nothing tells what is in them.
    fn asked_to_read(&self, subject: &SubjectOf, approve: ApprovalMode) -> Option<Verdict> {
        let verdict = self.decide("read_file", subject, approve, Impact::default());
        matches!(verdict.decision, Decision::Approval | Decision::Preview).then_some(verdict)
    }

    /// Returns whether a change, with the secrets in their places, would no longer be the one that was shown. What
    /// shows no change to files is never stale.
    #[must_use]
    pub fn is_stale(&self, requested: &ApprovalRequested) -> bool {
        let plan = match self.toolbox.tool(&requested.tool_id).map(|tool| &tool.action) {
            Some(Action::Write(plan)) if requested.preview.is_some() => plan,
            _ => return false,
        };
        // Its text is compared with what was shown once the editor is asked.
        if requested.is_on_unsaved_text() && self.subjects.settings.buffers.is_some() {
            return false;
        }
        let project = self.project();
        let now = plan(project, &requested.args).map(|change| change.placed_in(project).preview().preview_hash);
        now.map_or(true, |hash| hash != requested.shown_hash())
    }

    pub(super) fn write_approved<'a>(
        &self,
        plan: WriteAction,
        call: &ToolCall,
        approval: &'a ResolvedApproval,
        mut subject: SubjectOf,
        approve: ApprovalMode,
    ) -> CallDecision<'a> {
        let change = match planned(self.project(), &plan, call) {
            Ok(change) => change,
            Err(fault) if approval.requested.preview.is_none() => return CallDecision::Fail(fault),
            Err(fault) if approval.rests_on_unaccepted => return CallDecision::Fail(fallen(&path_of(call), &fault)),
            Err(fault) => return CallDecision::Fail(stale(&path_of(call), &fault.message)),
        };
        self.add_other_names(&change, &mut subject);
        let verdict = self.decide(&call.tool_id, &subject, approve, Impact::default());
        if verdict.decision == Decision::Deny {
            return CallDecision::deny(verdict);
        }
        let preview = change.preview();
        let work =
            |accepted| CallDecision::Perform(permitted(&approval.requested), CallWork::Write(plan, Box::new(accepted)));
        if change.is_empty() {
            return work(AcceptedChange::all(change, preview));
        }
        let resolved = match preview.preview_hash == approval.requested.shown_hash() {
            true => Some(approval.resolved.clone()),
            false => approval.rests_on_unaccepted.then(|| carried(approval, &preview)).flatten(),
        };
        let Some(resolved) = resolved else { return CallDecision::ask(shown_anew(call, approval, preview)) };
        match accepted(&change, preview, (approval, &resolved)) {
            Ok(accepted) if accepted.change.is_empty() => CallDecision::Reject(approval),
            Ok(accepted) => work(accepted),
            Err(fault) => CallDecision::Fail(fault),
        }
    }
}

/// Writes what was decided on, and keeps what a question shows.
pub(super) struct FileWriter {
    pub(super) settings: Arc<ExecutorSettings>,
    pub(super) asking: Arc<UserQuestions>,
    pub(super) checking: Checking,
}

impl FileWriter {
    /// Writes the file, unless it changed at the last moment. What the user had approved is shown anew then.
    pub(super) async fn write(
        &self,
        (plan, accepted): (WriteAction, AcceptedChange),
        call: &ToolCall,
        verdict: &Verdict,
        approval: Option<&ResolvedApproval>,
        record: &mut Record<'_>,
    ) -> Result<CallOutcome, Error> {
        if accepted.change.is_empty() {
            return record.conclude_read(call, verdict, Ok(nothing_to_change())).await;
        }
        if self.checking.check_before(&places(&accepted.change), record).await {
            return record.fail(call, &stopped_by_user()).await;
        }
        let stale = match self.write_unless_stale(call, accepted, verdict, record).await? {
            Ok(outcome) => return Ok(outcome),
            Err(stale) => stale,
        };
        let Some(approval) = approval else { return record.fail(call, &stale).await };
        match planned(&self.settings.project, &plan, call) {
            Ok(change) if !change.is_empty() => {
                self.asking.put_to_user(call, shown_anew(call, approval, change.preview()), record).await
            }
            _ => record.fail(call, &stale).await,
        }
    }

    /// The inner error: a file changed since the change was planned, so that nothing was written.
    async fn write_unless_stale(
        &self,
        call: &ToolCall,
        accepted: AcceptedChange,
        verdict: &Verdict,
        record: &mut Record<'_>,
    ) -> Result<Result<CallOutcome, Error>, Error> {
        // Both are on the disk before the file changes; together they cost one sync.
        let session_id = record.context.session_id.clone();
        let kept = self.settings.contents.put(&session_id, images(&accepted.change));
        let decided = record.begin(call, verdict, effects(&accepted.change), Vec::new());
        let (kept, decided) = tokio::join!(kept, decided);
        kept.and(decided)?;
        if let Some(EditorPart::Writes(file)) = &accepted.in_editor {
            return self.write_in_editor(file, call, &accepted, record).await.map(Ok);
        }
        match accepted.change.apply(&self.settings.project) {
            Ok(applied) => {
                let checked = self.checking.check_after(&places(&accepted.change), record).await;
                let bodies = written(call, &accepted, applied, [accepted.silence(), checked], record);
                record.settle(bodies).await.map(Ok)
            }
            Err(FilesError::Stale(error)) => Ok(Err(stale(&path_of(call), &error.to_string()))),
            Err(error) => record.fail(call, &ToolError::from(error).into()).await.map(Ok),
        }
    }
}

fn planned(project: &Project, plan: &WriteAction, call: &ToolCall) -> Result<ChangeSet, Error> {
    Ok(plan(project, &call.args)?.placed_in(project))
}

/// The file is not what it was: the user gets a fresh preview.
fn shown_anew(call: &ToolCall, approval: &ResolvedApproval, preview: Preview) -> (Verdict, ApprovalRequested) {
    let ask = |verdict: &Verdict| question::of_change(call, verdict, preview);
    question::anew(approval, (Decision::Preview, ReasonCode::STALE_CHANGE), ask)
}

/// The answer to an edit on top of one that the user has not accepted as shown, in the numbers of `now`; `None` unless all
/// that was accepted is still as it was shown.
fn carried(approval: &ResolvedApproval, now: &Preview) -> Option<ApprovalResolved> {
    let shown = question::preview_of(approval.requested.preview.as_ref()?);
    let carried = carry_selection(&shown, now, &selected(&shown, &approval.resolved));
    let is_whole = carried.changed.is_empty() && !carried.shown.is_empty();
    let CarriedSelection { selection, .. } = carried;
    let hunks = Some(selection.accepted.into_iter().collect());
    is_whole.then(|| ApprovalResolved { hunks, edited: selection.edited, ..approval.resolved.clone() })
}

/// The error of an edit that fits only on top of one which the user has not accepted as it was shown.
fn fallen(path: &str, fault: &Error) -> Error {
    let message = format!(
        "Nothing was written: this edit of {path} came on top of another in the same review, which the user did \
            not accept as proposed. {}",
        fault.message
    );
    Error::new(Code::STALE_PREVIEW, message, "Read the file again, and propose the edit again if it is still wanted.")
}

fn nothing_to_change() -> Output {
    Output { text: "Nothing to change: the content is already the same.".to_owned(), truncated: false }
}

fn accepted(
    change: &ChangeSet,
    preview: Preview,
    (approval, resolved): (&ResolvedApproval, &ApprovalResolved),
) -> Result<AcceptedChange, Error> {
    let selection = selected(&preview, resolved);
    let change = change.select(&selection).map_err(|error| Error::from(ToolError::from(error)))?;
    Ok(AcceptedChange {
        change,
        preview,
        selection,
        hunks_before: approval.hunks_before,
        note: resolved.reason.clone(),
        reviewed: !resolved.is_by_mode(),
        in_editor: None,
    })
}

fn selected(preview: &Preview, resolved: &ApprovalResolved) -> HunkSelection {
    let mut selection = all_hunks(preview);
    if let Some(hunks) = &resolved.hunks {
        selection.accepted = hunks.iter().copied().collect();
    }
    selection.accepted.extend(resolved.edited.keys());
    selection.edited = resolved.edited.clone();
    selection
}

fn all_hunks(preview: &Preview) -> HunkSelection {
    let accepted: BTreeSet<usize> = preview.hunks.iter().map(|hunk| hunk.index).collect();
    HunkSelection { accepted, ..HunkSelection::default() }
}

/// The files before and after, so that the change can be taken back and told from later ones.
fn images(change: &ChangeSet) -> Vec<Content> {
    let contents = change.files().iter().flat_map(|file| [file.before.as_deref(), file.after.as_deref()]).flatten();
    contents.map(|bytes| Content { hash: sha256_hex(bytes), bytes: bytes.to_vec(), kind: ContentKind::Plain }).collect()
}

fn effects(change: &ChangeSet) -> Vec<FileEffect> {
    let hash = |content: &Option<FileContent>| content.as_deref().map(sha256_hex);
    change
        .files()
        .iter()
        .map(|file| FileEffect {
            path: change.place_of(file).to_string(),
            before_hash: hash(&file.before),
            after_hash: hash(&file.after),
            before_permissions: permissions(file),
            before_link: is_link(&file.before),
        })
        .collect()
}

fn is_link(content: &Option<FileContent>) -> bool {
    content.as_ref().is_some_and(FileContent::is_link)
}

/// Returns the permissions of a file that is removed; any other file keeps its own.
fn permissions(file: &FileChange) -> Permissions {
    if file.after.is_none() { file.permissions() } else { Permissions::default() }
}

/// The files of a change, by where the links of their paths lead.
fn places(change: &ChangeSet) -> Vec<String> {
    change.files().iter().map(|file| change.place_of(file).to_string()).collect()
}

/// The events that say what was written, the result for the model last, with what else is to be said of it.
fn written(
    call: &ToolCall,
    accepted: &AcceptedChange,
    applied: Vec<AppliedChange>,
    further: [Option<String>; 2],
    record: &Record<'_>,
) -> Vec<EventBody> {
    let hunks_of = |path: &str| -> Vec<usize> {
        let kept = |hunk: &&Hunk| hunk.path == path && accepted.selection.accepted.contains(&hunk.index);
        accepted.preview.hunks.iter().filter(kept).map(|hunk| accepted.hunks_before + hunk.index).collect()
    };
    let said = [summary(accepted, &applied)].into_iter().chain(further.into_iter().flatten());
    let text = said.collect::<Vec<_>>().join("\n\n");
    // All of them were applied, in this order.
    let files = accepted.change.files().iter();
    let mut bodies: Vec<EventBody> = applied
        .into_iter()
        .zip(files)
        .map(|(change, file)| {
            EventBody::from(FileChanged {
                hunks: hunks_of(&change.path),
                before_hash: change.before_hash,
                after_hash: change.after_hash,
                before_permissions: permissions(file),
                before_link: is_link(&file.before),
                after_link: is_link(&file.after),
                ..file_changed(accepted.change.place_of(file).to_string(), &call.call_id)
            })
        })
        .collect();
    bodies.push(ToolResult::into(record.text(call, text)));
    bodies
}

/// Returns what the model is told: how its change was understood, each hunk's fate, what the user wrote instead, and
/// the note.
fn summary(accepted: &AcceptedChange, applied: &[AppliedChange]) -> String {
    let (written, deleted): (Vec<&AppliedChange>, Vec<&AppliedChange>) =
        applied.iter().partition(|change| change.after_hash.is_some());
    let named = |changes: &[&AppliedChange]| -> String {
        changes.iter().map(|change| change.path.as_str()).collect::<Vec<_>>().join(", ")
    };
    let what = match (written.is_empty(), deleted.is_empty()) {
        (_, true) => format!("Written: {}", named(&written)),
        (true, false) => format!("Deleted: {}", named(&deleted)),
        (false, false) => format!("Written: {}; deleted: {}", named(&written), named(&deleted)),
    };
    let total = accepted.preview.hunks.len();
    let kept = accepted.selection.accepted.len();
    let mut text = format!("{what} ({kept} of {total} hunks).");
    if !deleted.is_empty() {
        text.push_str(" Arki keeps a copy of what was deleted: `arki undo` or `arki rewind` restores it.");
    }
    for note in accepted.change.notes() {
        let _ = write!(text, " {note}");
    }
    for change in applied.iter().filter(|change| change.leaves_another_name) {
        let path = &change.path;
        let _ = write!(text, " {path} had another name (a hard link): that one keeps the old text.");
    }
    if !accepted.reviewed {
        return text;
    }
    text.push_str(" The user reviewed the change:");
    let fate = |hunk: &Hunk| match (
        accepted.selection.edited.get(&hunk.index),
        accepted.selection.accepted.contains(&hunk.index),
    ) {
        (Some(_), _) => "edited",
        (None, true) => "applied",
        (None, false) => "rejected",
    };
    let is_one = |one: &Hunk, next: &Hunk| {
        total > MAX_TOLD_HUNKS
            && one.path == next.path
            && one.what == next.what
            && fate(one) == fate(next)
            && fate(one) != "edited"
    };
    for alike in accepted.preview.hunks.chunk_by(is_one) {
        let [hunk, rest @ ..] = alike else { continue };
        let end = rest.last().unwrap_or(hunk);
        let numbers = if rest.is_empty() {
            format!("hunk {}", hunk.index)
        } else {
            format!("hunks {} to {}", hunk.index, end.index)
        };
        let (path, first, fate) = (&hunk.path, hunk.old_start, fate(hunk));
        if let Some(what) = hunk.what {
            let _ = write!(text, "\n- {numbers} ({path}, {}): {fate}", what.noun());
            continue;
        }
        let last = end.old_start + end.old_lines.saturating_sub(1);
        let _ = write!(text, "\n- {numbers} ({path}, lines {first} to {last} before): {fate}");
        if let Some(edited) = accepted.selection.edited.get(&hunk.index) {
            let _ = write!(text, "; the user wrote instead:\n{}", edited.trim_end_matches('\n'));
        }
    }
    if let Some(note) = &accepted.note {
        let _ = write!(text, "\nThe user's note: {note}");
    }
    text
}

fn path_of(call: &ToolCall) -> String {
    let named = call.args.get("path").and_then(serde_json::Value::as_str);
    named.map_or_else(|| "A file of the change".to_owned(), str::to_owned)
}
