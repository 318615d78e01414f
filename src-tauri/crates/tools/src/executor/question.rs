//! Questions to the user, built and put: about effects, before there are any, where what a question shows is stored before
//! it is asked; and the model's own. Where somebody can answer those, one is appended and the run waits for the answer, as
//! it waits for an approval; elsewhere the model is told at once that nobody will.

use super::ExecutorSettings;
use super::background_subagents::BackgroundSubagents;
use super::record::Record;
use crate::builtin::ask_user;
use arki_domain::projection::ResolvedApproval;
use arki_domain::{
    ApprovalId, ApprovalKind, ApprovalRequested, CallId, CallOutcome, ChangePreview, Code, CommandPreview, Content,
    ContentKind, Decision, Error, QuestionAsked, QuestionId, ReasonCode, ToolCall, canonical_json, sha256_hex,
};
use arki_files::Preview;
use arki_policy::Verdict;
use arki_redaction::Redactor;
use serde_json::json;
use std::sync::Arc;

/// A longer diff lies beside the log, by its hash.
const LARGE_DIFF_BYTES: usize = 256 << 10;
/// Placeholders may be longer than what they stand for, and the content has to be one that can be stored.
const MAX_DIFF_BYTES: usize = 60 << 20;
/// The limit for the hunks as the event lists them. Together with the longest arguments it's below what an event may
/// have.
const MAX_LISTED_BYTES: usize = 24 << 20;
/// An upper bound for a hunk's numbers with their names, and for one byte of its path, in JSON.
const LISTED_HUNK_BYTES: usize = 150;

/// A call without anything to show but its arguments.
pub(super) fn plain(call: &ToolCall, verdict: &Verdict) -> (Verdict, ApprovalRequested) {
    let requested = ApprovalRequested {
        approval_id: ApprovalId::new(),
        kind: ApprovalKind::Tool,
        call_id: Some(call.call_id.clone()),
        tool_id: call.tool_id.clone(),
        args: call.args.clone(),
        risk: verdict.risk,
        rule: verdict.rule.clone(),
        reason: verdict.reason.to_string(),
        sentences: verdict.reason.sentences.clone(),
        preview: None,
        calls: Vec::new(),
        command: None,
        supersedes: None,
        timeout_seconds: None,
    };
    (verdict.clone(), requested)
}

pub(super) fn of_change(call: &ToolCall, verdict: &Verdict, preview: Preview) -> (Verdict, ApprovalRequested) {
    let (verdict, requested) = plain(call, verdict);
    (verdict, ApprovalRequested { preview: Some(shown(preview)), ..requested })
}

pub(super) fn of_effects(call: &ToolCall, verdict: &Verdict, preview: Preview) -> (Verdict, ApprovalRequested) {
    let (verdict, requested) = of_change(call, verdict, preview);
    (verdict, ApprovalRequested { kind: ApprovalKind::Effects, ..requested })
}

pub(super) fn of_command(call: &ToolCall, verdict: &Verdict, command: CommandPreview) -> (Verdict, ApprovalRequested) {
    let (verdict, requested) = plain(call, verdict);
    (verdict, ApprovalRequested { command: Some(command), ..requested })
}

/// Asks once more about what is not as it was shown, for `reason`.
pub(super) fn anew(
    approval: &ResolvedApproval,
    (decision, reason): (Decision, ReasonCode),
    ask: impl FnOnce(&Verdict) -> (Verdict, ApprovalRequested),
) -> (Verdict, ApprovalRequested) {
    let (rule, risk) = ("builtin:stale-preview".to_owned(), approval.requested.risk);
    let (verdict, requested) = ask(&Verdict { decision, rule, reason: reason.into(), risk });
    (verdict, ApprovalRequested { supersedes: Some(approval.requested.approval_id.clone()), ..requested })
}

/// Variables that say how to speak to people. A terminal has others than the window, and either may approve.
fn is_of_language(name: &str) -> bool {
    matches!(name, "COLORTERM" | "HOSTNAME" | "LANG" | "LANGUAGE" | "TZ") || name.starts_with("LC_")
}

/// The hash binds the decision to what was shown: the line, the folder, what confines it, and the names of the variables
/// that steer what it does.
pub(super) fn command_hash(command: &str, directory: &str, sandbox: &str, environment: &[String]) -> String {
    let environment: Vec<&String> = environment.iter().filter(|name| !is_of_language(name)).collect();
    let shown = json!({"command": command, "directory": directory, "sandbox": sandbox, "environment": environment});
    sha256_hex(canonical_json(&shown).unwrap_or_default().as_bytes())
}

/// The preview that a question has shown.
pub(super) fn preview_of(shown: &ChangePreview) -> Preview {
    let ChangePreview { files_affected, lines_changed, diff, hunks, preview_hash, .. } = shown.clone();
    Preview { files_affected, lines_changed, diff, hunks, preview_hash }
}

fn shown(preview: Preview) -> ChangePreview {
    let Preview { files_affected, lines_changed, diff, hunks, preview_hash } = preview;
    ChangePreview { files_affected, lines_changed, diff, diff_hash: None, hunks, preview_hash }
}

/// Returns whether this process was started by a tool: then it must not steer Arki. The environment says so, and the
/// sandbox to those from whom that was taken.
#[must_use]
pub fn stands_under_a_tool() -> bool {
    std::env::var_os("ARKI_TOOL").is_some() || arki_sandbox::runs_in_sandbox()
}

/// Puts questions, with what they show.
pub(super) struct UserQuestions {
    pub(super) settings: Arc<ExecutorSettings>,
    pub(super) redactor: Redactor,
}

impl UserQuestions {
    /// Puts a call to the user. A large diff is on the disk before the event that speaks of it; there, as in the log,
    /// placeholders stand for its secrets. A change that nobody could review goes back to the model.
    pub(super) async fn put_to_user(
        &self,
        call: &ToolCall,
        (verdict, mut requested): (Verdict, ApprovalRequested),
        record: &mut Record<'_>,
    ) -> Result<CallOutcome, Error> {
        match self.kept(&mut requested, record).await? {
            Some(fault) => record.fail(call, &fault).await,
            None => record.ask((verdict, requested)).await,
        }
    }

    /// Puts several edits to the user, with the policy's decision about each; `None` where nobody could review them
    /// together.
    pub(super) async fn put_group_to_user(
        &self,
        (verdicts, mut requested): (Vec<(CallId, Verdict)>, ApprovalRequested),
        record: &mut Record<'_>,
    ) -> Result<Option<CallOutcome>, Error> {
        match self.kept(&mut requested, record).await? {
            Some(_) => Ok(None),
            None => record.ask_group(verdicts, requested).await.map(Some),
        }
    }

    /// Stores a large diff. Returns why nobody could review it, if so.
    async fn kept(&self, requested: &mut ApprovalRequested, record: &Record<'_>) -> Result<Option<Error>, Error> {
        let Some(preview) = &mut requested.preview else { return Ok(None) };
        if listed_bytes(preview) > MAX_LISTED_BYTES || preview.diff.len() > MAX_DIFF_BYTES {
            return Ok(Some(not_reviewable(preview)));
        }
        if preview.diff.len() > LARGE_DIFF_BYTES {
            let bytes = self.redactor.redact(&std::mem::take(&mut preview.diff)).into_owned().into_bytes();
            let hash = sha256_hex(&bytes);
            preview.diff_hash = Some(hash.clone());
            let content = Content { hash, bytes, kind: ContentKind::Plain };
            self.settings.contents.put(&record.context.session_id, vec![content]).await?;
        }
        Ok(None)
    }
}

fn listed_bytes(preview: &ChangePreview) -> usize {
    preview.hunks.iter().map(|hunk| LISTED_HUNK_BYTES + 2 * hunk.path.len()).sum()
}

fn not_reviewable(preview: &ChangePreview) -> Error {
    let message = format!(
        "Nothing was written: {} hunks and a diff of {} MiB are too much to review at once (limit: about {} \
            hunks, {} MiB).",
        preview.hunks.len(),
        preview.diff.len() >> 20,
        MAX_LISTED_BYTES / LISTED_HUNK_BYTES,
        MAX_DIFF_BYTES >> 20
    );
    Error::new(Code::FILE_TOO_LARGE, message, "Change fewer files or lines at a time.")
}

/// Says whether somebody sees the model's question, and can answer it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    User,
    Nobody,
}

/// Puts the model's question to the user.
pub(super) async fn ask_user(
    audience: Audience,
    background: &BackgroundSubagents,
    call: &ToolCall,
    verdict: &Verdict,
    record: &mut Record<'_>,
) -> Result<CallOutcome, Error> {
    let question = match (ask_user::parse(&call.args), audience) {
        (Ok(question), Audience::User) => question,
        (Ok(_), Audience::Nobody) => return record.conclude_read(call, verdict, Err(nobody_to_ask())).await,
        (Err(error), _) => return record.conclude_read(call, verdict, Err(error.into())).await,
    };
    let asked = QuestionAsked {
        question_id: QuestionId::new(),
        call_id: call.call_id.clone(),
        text: question.question,
        options: question.options,
    };
    let question_id = asked.question_id.clone();
    // The answer is taken by whoever holds the session, and that is to be nobody by then.
    background.rest().await;
    record.begin(call, verdict, Vec::new(), vec![asked.into()]).await?;
    Ok(CallOutcome::AwaitingAnswer(question_id))
}

fn nobody_to_ask() -> Error {
    let hint = "Make the most likely choice and continue, or end with what you need to know.";
    Error::new(Code::NOBODY_TO_ASK, "Nobody is here to answer.", hint)
}
