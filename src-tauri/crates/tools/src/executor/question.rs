//! Builds the question to the user before an effect.

use arki_domain::projection::ResolvedApproval;
use arki_domain::{
    ApprovalId, ApprovalKind, ApprovalRequested, ChangePreview, CommandPreview, Decision, ReasonCode, ToolCall,
    canonical_json, sha256_hex,
};
use arki_files::Preview;
use arki_policy::Verdict;
use serde_json::json;

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
