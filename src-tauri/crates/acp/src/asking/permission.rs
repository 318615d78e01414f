//! A request for permission: one choice among a few, for a call as a whole or for a file of a change.

use crate::asking::approval::{EditorAsker, ShownApproval};
use crate::messages::{
    PermissionAnswer, PermissionKind, PermissionOption, RequestPermission, ToolCallContent, ToolCallStatus,
    ToolCallUpdate,
};
use crate::rpc::AskFailure;
use crate::telling::{fenced, shown_change, tool_facts};
use arki_api::{Keep, KeepScope, Resolution};
use arki_domain::{ApprovalDecision, ApprovalKind, ApprovalRequested, ChangePreview, ReasonCode, TranslatableText};
use arki_engine::{RuleDefinition, denying_rule, rule_text};
use serde_json::Value;

const ALLOW: &str = "allow";
const SESSION: &str = "allow_session";
const ALWAYS: &str = "allow_always";
const REJECT: &str = "reject";
const NEVER: &str = "reject_always";
const REVIEW: &str = "review";

/// Asks about the whole.
pub(super) async fn ask(asker: &EditorAsker, shown: &ShownApproval) -> Result<Option<Resolution>, AskFailure> {
    let requested = &shown.requested;
    let mut options = vec![option(ALLOW, "Allow", PermissionKind::AllowOnce)];
    if !shown.rules.is_empty() {
        let what = rules_in_words(shown);
        options.push(option(SESSION, format!("Allow for this session: {what}"), PermissionKind::AllowAlways));
        options.push(option(ALWAYS, format!("Always allow in this folder: {what}"), PermissionKind::AllowAlways));
    }
    options.push(option(REJECT, "Reject", PermissionKind::RejectOnce));
    let denial = denying_rule(&shown.rules);
    if let Some(rule) = &denial {
        let what = denial_in_words(rule);
        options.push(option(NEVER, format!("Never in this folder: {what}"), PermissionKind::RejectAlways));
    }
    if requested.preview.is_some() {
        options.push(option(REVIEW, "Review in Arki", PermissionKind::RejectOnce));
    }
    let answer = request(asker, call(asker, shown), &options).await?;
    let keep = |scope| Some(Keep { scope, rule: shown.rule() });
    let (decision, keep) = match answer.chosen() {
        Some(ALLOW) => (ApprovalDecision::Approve, None),
        Some(SESSION) if !shown.rules.is_empty() => (ApprovalDecision::Approve, keep(KeepScope::Session)),
        Some(ALWAYS) if !shown.rules.is_empty() => (ApprovalDecision::Approve, keep(KeepScope::Always)),
        Some(REJECT) => (ApprovalDecision::Reject, None),
        Some(NEVER) if denial.is_some() => {
            let rule = rule_text(denial.as_slice());
            (ApprovalDecision::Reject, Some(Keep { scope: KeepScope::Always, rule }))
        }
        _ => return Ok(None),
    };
    let preview_hash = Some(requested.shown_hash().to_owned());
    Ok(Some(Resolution { preview_hash, keep, ..Resolution::of(decision) }))
}

/// Asks about each file of a change; what is taken of them is one decision.
pub(super) async fn ask_by_file(asker: &EditorAsker, shown: &ShownApproval) -> Result<Option<Resolution>, AskFailure> {
    let Some(preview) = &shown.requested.preview else { return Ok(None) };
    let options = [
        option(ALLOW, "Accept this file", PermissionKind::AllowOnce),
        option(REJECT, "Reject this file", PermissionKind::RejectOnce),
        option(REVIEW, "Review in Arki", PermissionKind::RejectOnce),
    ];
    let mut accepted = Vec::new();
    for path in &preview.files_affected {
        let hunks: Vec<usize> = preview.hunks.iter().filter(|hunk| hunk.path == *path).map(|hunk| hunk.index).collect();
        let answer = request(asker, file_call(asker, shown, preview, path), &options).await?;
        match answer.chosen() {
            Some(ALLOW) => accepted.extend(hunks),
            Some(REJECT) => {}
            _ => return Ok(None),
        }
    }
    Ok(Some(taken(&shown.requested, preview, accepted, None)))
}

/// The decision that takes these hunks.
pub(super) fn taken(
    requested: &ApprovalRequested,
    preview: &ChangePreview,
    accepted: Vec<usize>,
    note: Option<String>,
) -> Resolution {
    let decision = if accepted.is_empty() { ApprovalDecision::Reject } else { ApprovalDecision::Approve };
    let is_part = !accepted.is_empty() && accepted.len() < preview.hunks.len();
    Resolution {
        hunks: is_part.then_some(accepted),
        note,
        preview_hash: Some(requested.shown_hash().to_owned()),
        ..Resolution::of(decision)
    }
}

async fn request(
    asker: &EditorAsker,
    tool_call: ToolCallUpdate,
    options: &[PermissionOption],
) -> Result<PermissionAnswer, AskFailure> {
    let request = RequestPermission { session_id: asker.session.id.as_str(), tool_call, options };
    asker.connection.ask("session/request_permission", &request).await
}

fn option(option_id: &'static str, name: impl Into<String>, kind: PermissionKind) -> PermissionOption {
    PermissionOption { option_id, name: name.into(), kind }
}

/// The call as it is asked about, whole: a title may be cut.
fn call(asker: &EditorAsker, shown: &ShownApproval) -> ToolCallUpdate {
    let requested = &shown.requested;
    let facts = tool_facts(&asker.session.folder, &requested.tool_id, &requested.args);
    let title = if requested.kind == ApprovalKind::Plan { "Carry out this plan".to_owned() } else { facts.title };
    let mut update = ToolCallUpdate {
        title: Some(title),
        kind: Some(facts.kind),
        status: Some(ToolCallStatus::Pending),
        ..shown.call()
    };
    update.content = Some(match &requested.preview {
        Some(preview) => {
            let shown = shown_change(&asker.session.folder, preview, &shown.diff, |_| true).content;
            shown.into_iter().chain(change_in_words(requested).map(ToolCallContent::text)).collect()
        }
        None => vec![ToolCallContent::text(in_words(requested))],
    });
    update
}

fn file_call(asker: &EditorAsker, shown: &ShownApproval, preview: &ChangePreview, path: &str) -> ToolCallUpdate {
    let is_of_file = |index: usize| preview.hunks.iter().any(|hunk| hunk.index == index && hunk.path == path);
    let change = shown_change(&asker.session.folder, preview, &shown.diff, is_of_file);
    let facts = tool_facts(&asker.session.folder, &shown.requested.tool_id, &shown.requested.args);
    ToolCallUpdate {
        title: Some(format!("Change {}", arki_engine::one_line(path))),
        kind: Some(facts.kind),
        status: Some(ToolCallStatus::Pending),
        content: Some(change.content),
        locations: Some(change.locations),
        ..shown.call()
    }
}

/// Says what a diff alone doesn't: that it is shown anew, or made to unsaved text.
pub(super) fn change_in_words(requested: &ApprovalRequested) -> Option<String> {
    let is_said = |text: &&TranslatableText| text.is(ReasonCode::STALE_CHANGE) || text.is(ReasonCode::UNSAVED_TEXT);
    let said: Vec<String> = requested.sentences.iter().filter(is_said).map(ToString::to_string).collect();
    (!said.is_empty()).then(|| said.join(" "))
}

fn in_words(requested: &ApprovalRequested) -> String {
    let mut parts = vec![requested.reason.clone()];
    if let Some(command) = &requested.command {
        parts.push(fenced("sh", &command.command));
        parts.extend(command.confinement.iter().map(|confinement| confinement.sentences().join(" ")));
        if command.confinement.is_none() {
            parts.push("Nothing confines the command: it can do all that you can.".to_owned());
        }
        if let Some(tried) = &command.tried {
            parts.push(format!("Tried with the project read-only, it failed ({}).", tried.ending));
            parts.push(fenced("", &tried.output));
        }
    } else if requested.kind == ApprovalKind::Plan {
        let steps = requested.args.get("steps").and_then(Value::as_array).into_iter().flatten();
        let steps = steps.filter_map(Value::as_str).zip(1..).map(|(step, number)| format!("{number}. {step}"));
        parts.push(steps.collect::<Vec<_>>().join("\n"));
    } else {
        let arguments = serde_json::to_string_pretty(&requested.args).unwrap_or_default();
        parts.push(fenced("json", &arguments));
    }
    parts.join("\n\n")
}

/// Says what the offered rules are about.
fn rules_in_words(shown: &ShownApproval) -> String {
    let about = shown.rules.iter().map(|rule| match (&rule.command, &rule.path, &rule.host) {
        (Some(command), _, host) => {
            let host = host.as_ref().map(|host| format!(" to {host}")).unwrap_or_default();
            format!("commands that begin with `{}`{host}", command.join(" "))
        }
        (None, Some(path), _) => format!("changes to {path}"),
        (None, None, Some(host)) => format!("requests to {host}"),
        (None, None, None) => rule.tool.clone().unwrap_or_default(),
    });
    arki_engine::one_line(&about.collect::<Vec<_>>().join(", "))
}

/// Says what a rule that denies is about. It denies the tool that it names, and no other.
fn denial_in_words(rule: &RuleDefinition) -> String {
    let tool = rule.tool.as_deref().unwrap_or("any tool");
    let words = match (&rule.command, &rule.path, &rule.host) {
        (Some(command), ..) => format!("commands that begin with `{}`", command.join(" ")),
        (None, Some(path), _) => format!("{tool} on {path}"),
        (None, None, Some(host)) => format!("{tool} on {host}"),
        (None, None, None) => tool.to_owned(),
    };
    arki_engine::one_line(&words)
}
