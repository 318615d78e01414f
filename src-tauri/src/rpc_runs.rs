//! The window's commands about sessions, runs and approvals: thin delegates to the engine.

use crate::desktop_state::Desktop;
use crate::rpc::{Answer, reading};
use arki_api::{
    ApprovalSummary, ExplainedDecision, MentionEntry, MentionSize, QuestionSummary, ReviewContext, ReviewFile,
    ReviewPage, RunningCommand, SendOptions, Sent, SessionPage, SessionSummary, Shown, SlashCommandEntry,
};
use arki_domain::{ApprovalId, CallId, QuestionId, QueueMode, SessionId};
use arki_engine::{Resolution, rule_text};

/// The list shows this many; older sessions are found by search.
const LISTED_SESSIONS: usize = 10_000;
const LARGEST_PAGE: usize = 1000;

#[tauri::command]
pub(crate) async fn list_sessions(desktop: Desktop) -> Answer<Vec<SessionSummary>> {
    reading(&desktop, |engine| engine.runs().listed_sessions(LISTED_SESSIONS)).await
}

#[tauri::command]
pub(crate) async fn session_page(
    session_id: String,
    before_seq: Option<u64>,
    limit: usize,
    desktop: Desktop,
) -> Answer<SessionPage> {
    let limit = limit.min(LARGEST_PAGE);
    reading(&desktop, move |engine| engine.sessions().session_page(&SessionId::from(session_id), before_seq, limit))
        .await
}

#[tauri::command]
pub(crate) async fn list_commands(desktop: Desktop) -> Answer<Vec<SlashCommandEntry>> {
    let folder = desktop.window.client.folder();
    reading(&desktop, move |engine| engine.projects().slash_commands(folder.as_deref())).await
}

#[tauri::command]
pub(crate) async fn list_mentions(typed: String, desktop: Desktop) -> Answer<Vec<MentionEntry>> {
    let Some(folder) = desktop.window.client.folder() else { return Ok(Vec::new()) };
    reading(&desktop, move |engine| engine.projects().mentionable(&folder, &typed)).await
}

#[tauri::command]
pub(crate) async fn mentions_in(text: String, desktop: Desktop) -> Answer<Vec<MentionSize>> {
    let Some(folder) = desktop.window.client.folder() else { return Ok(Vec::new()) };
    Ok(desktop.engine.runs().mentions_in(folder, text).await?)
}

#[tauri::command]
pub(crate) async fn send_message(
    to: Shown,
    text: String,
    pictures: Option<Vec<String>>,
    options: SendOptions,
    mode: Option<QueueMode>,
    desktop: Desktop,
) -> Answer<Sent> {
    Ok(desktop.window.client.say(to, text, pictures.unwrap_or_default(), options, mode).await?)
}

#[tauri::command]
pub(crate) async fn stop_run(session_id: String, desktop: Desktop) -> Answer<()> {
    Ok(desktop.window.client.stop_session(&SessionId::from(session_id)).await?)
}

#[tauri::command]
pub(crate) async fn retry_now(session_id: String, desktop: Desktop) -> Answer<()> {
    desktop.engine.runs().retry_now(&SessionId::from(session_id));
    Ok(())
}

#[tauri::command]
pub(crate) async fn list_processes(desktop: Desktop) -> Answer<Vec<RunningCommand>> {
    reading(&desktop, |engine| Ok(engine.runs().running_commands())).await
}

#[tauri::command]
pub(crate) async fn stop_process(id: u64, desktop: Desktop) -> Answer<()> {
    desktop.engine.runs().stop_command(id);
    Ok(())
}

#[tauri::command]
pub(crate) async fn resume_run(of: Shown, desktop: Desktop) -> Answer<()> {
    let session = reading(&desktop, move |engine| engine.sessions().session_shown(of)).await?;
    desktop.window.client.resume_run(&session, None).await?;
    Ok(())
}

#[tauri::command]
pub(crate) async fn list_approvals(desktop: Desktop) -> Answer<Vec<ApprovalSummary>> {
    reading(&desktop, |engine| engine.approvals().inbox()).await
}

/// The files of a change whose diff is too large to be sent at once.
#[tauri::command]
pub(crate) async fn review_files(approval_id: String, desktop: Desktop) -> Answer<Vec<ReviewFile>> {
    reading(&desktop, move |engine| engine.approvals().review_files(&ApprovalId::from(approval_id))).await
}

/// A page of the diff of one of these files, by its place among them.
#[tauri::command]
pub(crate) async fn review_page(approval_id: String, file: usize, from: usize, desktop: Desktop) -> Answer<ReviewPage> {
    reading(&desktop, move |engine| engine.approvals().review_page(&ApprovalId::from(approval_id), file, from)).await
}

/// Lines of a file of the change as they stand in it now.
#[tauri::command]
pub(crate) async fn review_context(
    approval_id: String,
    path: String,
    from: usize,
    lines: usize,
    desktop: Desktop,
) -> Answer<ReviewContext> {
    let approval_id = ApprovalId::from(approval_id);
    reading(&desktop, move |engine| engine.approvals().review_context(&approval_id, &path, from, lines)).await
}

/// Returns the rules that "for this session" and "always" would store, as JSON, one rule a line; null if no lasting
/// permission is offered.
#[tauri::command]
pub(crate) async fn proposed_rule(approval_id: String, desktop: Desktop) -> Answer<Option<String>> {
    let approval_id = ApprovalId::from(approval_id);
    let rules = reading(&desktop, move |engine| engine.approvals().proposed_rules(&approval_id)).await?;
    Ok((!rules.is_empty()).then(|| rule_text(&rules)))
}

/// Explains how the policy came to a decision; null if none of its checks made it.
#[tauri::command]
pub(crate) async fn explain_decision(
    session_id: String,
    call_id: String,
    seq: Option<u64>,
    desktop: Desktop,
) -> Answer<Option<ExplainedDecision>> {
    let (session_id, call_id) = (SessionId::from(session_id), CallId::from(call_id));
    reading(&desktop, move |engine| engine.approvals().explain_decision(&session_id, &call_id, seq)).await
}

/// Records the decision; the run goes on by itself, here or in the process that works on the session.
#[tauri::command]
pub(crate) async fn resolve_approval(
    approval_id: String,
    resolution: arki_api::Resolution,
    desktop: Desktop,
) -> Answer<()> {
    let resolution = Resolution {
        decision: resolution.decision,
        hunks: resolution.hunks,
        edited: resolution.edited.unwrap_or_default(),
        command: resolution.command,
        plan: resolution.plan,
        note: resolution.note,
        preview_hash: Some(resolution.preview_hash),
        keep: resolution.keep.into(),
    };
    let decision = desktop.window.client.decide(&ApprovalId::from(approval_id), resolution).await?;
    decision.rule_not_kept.map_or(Ok(()), |fault| Err(fault.into()))
}

#[tauri::command]
pub(crate) async fn list_questions(desktop: Desktop) -> Answer<Vec<QuestionSummary>> {
    let open = reading(&desktop, |engine| engine.sessions().open_questions()).await?;
    Ok(open.into_iter().map(QuestionSummary::from).collect())
}

/// Records the answer, and goes on with the run.
#[tauri::command]
pub(crate) async fn answer_question(
    session_id: String,
    question_id: String,
    text: String,
    desktop: Desktop,
) -> Answer<()> {
    let (session_id, question_id) = (SessionId::from(session_id), QuestionId::from(question_id));
    desktop.window.client.answer_question(&session_id, &question_id, &text).await?;
    Ok(())
}
