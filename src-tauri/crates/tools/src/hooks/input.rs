//! The JSON that a hook's command gets on its standard input, in the form that other agents use too.

use super::condition::ToolNaming;
use super::foreign;
use super::occasion::{HookOccasion, HookedCall};
use arki_domain::{ApprovalMode, HookEvent, HookMoment, RunId, SessionId, ToolResult};
use serde_json::{Value, json};
use std::path::Path;

/// The run that the hook runs in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HookedRun<'a> {
    pub(crate) session_id: &'a SessionId,
    pub(crate) run_id: &'a RunId,
    pub(crate) approve: ApprovalMode,
    /// Absolute.
    pub(crate) root: &'a Path,
}

/// Builds the input of a hook: `session_id`, `cwd`, `hook_event_name` and the details of the event.
pub(crate) fn input(event: HookEvent, occasion: &HookOccasion, spoken: &ToolNaming, run: HookedRun<'_>) -> Value {
    let mut input = json!({
        "session_id": run.session_id,
        "run_id": run.run_id,
        "cwd": run.root.display().to_string(),
        "hook_event_name": event.name(),
        "permission_mode": permission_mode(run.approve),
    });
    match occasion {
        HookOccasion::Before(call) => add_call(&mut input, call, spoken, run.root),
        HookOccasion::After(call, result) => {
            add_call(&mut input, call, spoken, run.root);
            input["tool_response"] = response(call, result, spoken, run.root);
        }
        HookOccasion::Moment(moment) => add_moment(&mut input, moment),
    }
    input
}

fn add_moment(input: &mut Value, moment: &HookMoment) {
    match moment {
        HookMoment::SessionStart(source) => input["source"] = source.word().into(),
        HookMoment::Prompt { text, .. } => input["prompt"] = text.as_str().into(),
        HookMoment::Stop { last_text, times_held } => {
            input["stop_hook_active"] = (*times_held > 0).into();
            input["last_assistant_message"] = last_text.as_str().into();
        }
        HookMoment::Notification { kind, message } => {
            input["notification_type"] = kind.word().into();
            input["message"] = message.as_str().into();
        }
    }
}

/// The call's arguments as the hook is told them.
pub(crate) fn sent_args(call: &HookedCall, spoken: &ToolNaming, root: &Path) -> Value {
    match spoken {
        ToolNaming::Ours => call.args.clone(),
        ToolNaming::Theirs(_) => foreign::args(call, root),
    }
}

fn add_call(input: &mut Value, call: &HookedCall, spoken: &ToolNaming, root: &Path) {
    input["tool_name"] = match spoken {
        ToolNaming::Ours => call.tool.as_str().into(),
        ToolNaming::Theirs(name) => name.as_str().into(),
    };
    input["tool_input"] = sent_args(call, spoken, root);
    input["tool_use_id"] = call.call_id.as_str().into();
    input["arki_tool_name"] = call.tool.as_str().into();
}

fn response(call: &HookedCall, result: &ToolResult, spoken: &ToolNaming, root: &Path) -> Value {
    let mut response = json!({"content": result.result, "is_error": result.is_error, "success": !result.is_error});
    if let ToolNaming::Theirs(name) = spoken {
        if name == "Bash" {
            response["stdout"] = result.result.as_str().into();
            response["stderr"] = "".into();
            response["interrupted"] = false.into();
        }
        if let Some(path) = call.paths.first() {
            response["filePath"] = root.join(path).display().to_string().into();
        }
    }
    response
}

fn permission_mode(approve: ApprovalMode) -> &'static str {
    match approve {
        ApprovalMode::Ask => "default",
        ApprovalMode::Edits => "acceptEdits",
        ApprovalMode::All => "bypassPermissions",
        ApprovalMode::Never => "dontAsk",
    }
}
