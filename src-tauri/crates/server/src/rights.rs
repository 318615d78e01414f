//! The rights that each command needs, and from where it can be asked: one table. A command that isn't in it needs the
//! user's own token and to be asked on this computer.

use arki_api::{ApprovalMode, TokenRights};
use arki_domain::QueueMode;
use serde_json::Value;

/// The distance from which something is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// From this computer.
    Loopback,
    /// From another one, or through a proxy.
    Beyond,
}

/// Commands that show, and change nothing.
const READING: &[&str] = &[
    "app_state",
    "begin_frames",
    "begin_observations",
    "end_observations",
    "explain_decision",
    "find_in_session",
    "get_state",
    "hold_conversation",
    "line_origins",
    "list_agents",
    "list_approvals",
    "list_commands",
    "list_elicitations",
    "list_hooks",
    "list_mcp_servers",
    "list_memory",
    "list_mentions",
    "list_models",
    "list_pipeline_runs",
    "list_pipelines",
    "list_processes",
    "list_questions",
    "list_schedules",
    "list_sessions",
    "list_skills",
    "list_worktrees",
    "mentions_in",
    "next_frame",
    "next_observations",
    "next_request",
    "open_conversation",
    "pipeline_run",
    "proposed_rule",
    "repository",
    "replay_file",
    "replay_files",
    "review_context",
    "review_files",
    "review_page",
    "rewind_preview",
    "search_sessions",
    "sent_json",
    "sent_parts",
    "sent_picture",
    "sent_request",
    "sent_text",
    "session_lines",
    "session_overview",
    "session_page",
    "session_result",
    "session_tools",
    "step_output",
    "storage_use",
    "take_back_preview",
    "usage_report",
];

/// Commands that answer what waits, steer and stop.
const DECIDING: &[&str] = &["answer_question", "pause_run", "resume_run", "retry_now", "stop_run"];

/// Commands that need the user's own token, and can be asked from other computers too: none that changes keys, trust,
/// configuration, rules or servers.
const FULL_FROM_BEYOND: &[&str] = &[
    "compact_session",
    "fork_session",
    "look_at_picture",
    "mark_session",
    "open_project",
    "rename_session",
    "rewind",
    "stop_process",
    "take_back",
];

/// The needs of a command: the rights, and the farthest distance from which it is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CommandNeeds {
    pub(crate) rights: TokenRights,
    pub(crate) farthest: Reach,
}

const READ: CommandNeeds = CommandNeeds { rights: TokenRights::Read, farthest: Reach::Beyond };
const DECIDE: CommandNeeds = CommandNeeds { rights: TokenRights::Decide, farthest: Reach::Beyond };
const FULL: CommandNeeds = CommandNeeds { rights: TokenRights::Full, farthest: Reach::Beyond };
const FULL_HERE: CommandNeeds = CommandNeeds { rights: TokenRights::Full, farthest: Reach::Loopback };

/// Returns what a command needs at least. Two need more for some of what they are asked; see [`of_call`].
pub(crate) fn of_command(name: &str) -> CommandNeeds {
    if READING.contains(&name) {
        READ
    } else if DECIDING.contains(&name) || name == "resolve_approval" {
        DECIDE
    } else if FULL_FROM_BEYOND.contains(&name) || name == "send_message" {
        FULL
    } else {
        FULL_HERE
    }
}

/// Returns what a command needs with these parameters.
pub(crate) fn of_call(name: &str, params: &Value) -> CommandNeeds {
    match name {
        "resolve_approval" => of_decision(&params["resolution"]),
        "send_message" => of_message(params),
        _ => of_command(name),
    }
}

/// Approving what was shown is deciding. One's own words in its place are not, and for longer it is a rule.
fn of_decision(resolution: &Value) -> CommandNeeds {
    if !resolution.is_object() || !resolution["keep"].is_null() {
        return FULL_HERE;
    }
    let is_own = ["edited", "command", "plan"].iter().any(|part| !resolution[*part].is_null());
    if is_own { FULL } else { DECIDE }
}

/// A run that has everything granted is begun on this computer alone; so is one that has what the run before it had.
fn of_message(params: &Value) -> CommandNeeds {
    let is_asked =
        |wanted: ApprovalMode| serde_json::from_value(params["options"]["approve"].clone()).ok() == Some(wanted);
    let is_bounded = [ApprovalMode::Ask, ApprovalMode::Edits, ApprovalMode::Plan].into_iter().any(is_asked);
    let follows = serde_json::from_value(params["mode"].clone()).ok() == Some(QueueMode::FollowUp);
    if is_bounded && !follows { FULL } else { FULL_HERE }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arki_api::COMMANDS;
    use serde_json::json;

    #[test]
    fn each_command_of_the_table_exists() {
        let unknown: Vec<_> = READING
            .iter()
            .chain(DECIDING)
            .chain(FULL_FROM_BEYOND)
            .filter(|name| !COMMANDS.iter().any(|(_, known)| known == *name))
            .collect();
        assert!(unknown.is_empty(), "{unknown:?}");
    }

    #[test]
    fn nothing_that_changes_keys_trust_rules_or_settings_is_for_less_than_the_users_own_token() {
        let changing = ["add", "agree", "change", "choose", "commit", "edit", "remove", "save", "send", "set", "trust"];
        let begins = |name: &str| changing.iter().any(|word| name.split('_').next() == Some(word));
        let open: Vec<_> =
            COMMANDS.iter().filter(|(_, name)| begins(name) && of_command(name).rights < TokenRights::Full).collect();
        assert!(open.is_empty(), "{open:?}");
        assert!(COMMANDS.iter().filter(|(_, name)| begins(name)).count() > 25);
    }

    #[test]
    fn nothing_that_changes_keys_trust_configuration_rules_or_servers_is_asked_from_beyond() {
        let about = ["key", "trust", "setting", "rule", "mcp", "provider", "model", "hook", "schedule", "pipeline"];
        let changing =
            |name: &str| of_command(name).rights == TokenRights::Full && about.iter().any(|word| name.contains(word));
        let is_far = |name: &str| of_command(name).farthest == Reach::Beyond;
        let open: Vec<_> = COMMANDS.iter().filter(|(_, name)| changing(name) && is_far(name)).collect();
        assert!(open.is_empty(), "{open:?}");
        assert!(COMMANDS.iter().filter(|(_, name)| changing(name)).count() > 20);
        assert!(!is_far("set_key") && is_far("list_sessions"));
    }

    #[test]
    fn what_is_approved_for_longer_or_granted_whole_is_asked_here_alone() {
        let decision = |more: Value| {
            let mut resolution = json!({"decision": "approved", "hunks": [0], "note": "Fine", "previewHash": "a"});
            resolution.as_object_mut().unwrap().append(&mut more.as_object().unwrap().clone());
            of_call("resolve_approval", &json!({"approvalId": "a", "resolution": resolution}))
        };
        assert_eq!(decision(json!({})), DECIDE);
        assert_eq!(decision(json!({"edited": null, "keep": null})), DECIDE);
        assert_eq!(decision(json!({"edited": {"0": "mine"}})), FULL);
        assert_eq!(decision(json!({"command": "rm -r /"})), FULL);
        assert_eq!(decision(json!({"keep": {"scope": "session", "rule": "{}"}})), FULL_HERE);
        let message = |approve: &str, mode: Value| {
            let options = json!({"model": null, "approve": approve});
            of_call("send_message", &json!({"text": "Go", "options": options, "mode": mode}))
        };
        assert_eq!(message("ask", Value::Null), FULL);
        assert_eq!(message("edits", json!("steer")), FULL);
        assert_eq!(message("all", Value::Null), FULL_HERE);
        assert_eq!(message("ask", json!("follow_up")), FULL_HERE);
        assert_eq!(of_call("send_message", &json!({})), FULL_HERE);
    }
}
