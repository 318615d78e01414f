//! Calls of tools: their states, approvals, sub-agents, files and hooks.

use super::*;

fn edit(call_id: &str) -> Value {
    json!({"callId": call_id, "toolId": "edit_file", "category": "write"})
}

fn read(call_id: &str, tool: &str) -> Value {
    json!({"callId": call_id, "toolId": tool, "category": "read"})
}

fn turn_of(calls: &[Value]) -> Log {
    let mut log = Log::default();
    log.add("run.started", json!({"prompt": "x"}));
    log.add("engine.request", json!({"turn": 1}));
    for call in calls {
        log.add("tool.call", call.clone());
    }
    log
}

#[test]
fn a_rejected_call_waits_first_and_stays_rejected_when_its_result_comes() {
    let mut log = Log::default();
    log.add("tool.call", edit("c"));
    let sentences = json!([{"code": "ASKS"}]);
    let asked = json!({"approvalId": "a", "callId": "c", "toolId": "edit_file", "reason": "writes ask", "sentences": sentences});
    log.add("approval.requested", asked);
    folded("asked", &log)
        .has(0, &json!({"state": "waiting", "approvalId": "a", "reason": "writes ask", "sentences": sentences}));
    log.add("approval.resolved", json!({"approvalId": "a", "decision": "reject"}));
    log.add("tool.result", json!({"callId": "c", "result": "rejected by the user", "isError": true}));
    folded("rejected", &log).has(0, &json!({"state": "rejected", "result": "rejected by the user"}));
}

#[test]
fn an_approval_has_its_preview_and_what_became_of_each_hunk() {
    let mut log = Log::default();
    log.add("tool.call", edit("c"));
    let hunk = |index: usize| {
        json!({"index": index, "path": "src/a.rs", "oldStart": 1, "oldLines": 1, "newStart": 1,
        "newLines": 1})
    };
    let preview = json!({"filesAffected": ["src/a.rs"], "linesChanged": 3, "diff": "+x", "previewHash": "h",
        "hunks": [hunk(1), hunk(2), hunk(3)]});
    log.add("approval.requested", json!({"approvalId": "a", "callId": "c", "preview": preview}));
    log.add("approval.resolved", json!({"approvalId": "a", "hunks": [1, 2], "edited": {"2": "y"}}));
    log.add("policy.decided", json!({"callId": "c", "rule": "approval:a"}));
    log.add("file.changed", json!({"path": "src/a.rs", "callId": "c", "hunks": [1, 2]}));
    let told = folded("hunks", &log);
    let fates = json!([{"index": 1, "fate": "applied"}, {"index": 2, "fate": "edited", "edited": "y"},
        {"index": 3, "fate": "rejected"}]);
    told.has(0, &json!({"state": "running", "files": ["src/a.rs"], "approval": {"hunks": fates}}));
}

#[test]
fn a_call_waits_its_turn_behind_one_that_waits_for_the_user_and_behind_one_at_work() {
    let mut log = turn_of(&[edit("a"), edit("b"), read("c", "read_file")]);
    assert_eq!(folded("turns_1", &log).states(), ["running", "queued", "queued"]);
    log.add("policy.decided", json!({"callId": "a", "decision": "approval"}));
    log.add("approval.requested", json!({"approvalId": "p", "callId": "a", "toolId": "edit_file"}));
    log.add("run.paused", json!({"reason": "approval", "approvalId": "p"}));
    assert_eq!(folded("turns_2", &log).states(), ["waiting", "queued", "queued"]);
    log.add("approval.resolved", json!({"approvalId": "p"}));
    log.add("run.resumed", json!({"reason": "approval", "approvalId": "p"}));
    assert_eq!(folded("turns_3", &log).states(), ["running", "queued", "queued"]);
    log.add("tool.result", json!({"callId": "a", "toolId": "edit_file"}));
    assert_eq!(folded("turns_4", &log).states(), ["done", "running", "queued"]);
    log.add("run.cancelled", json!({}));
    assert_eq!(folded("turns_5", &log).states(), ["done", "interrupted", "interrupted"]);
}

#[test]
fn reads_go_together_but_for_one_that_reads_another_calls_result() {
    let mut log = turn_of(&[read("a", "read_file"), read("b", "read_file"), edit("c"), read("d", "read_file")]);
    assert_eq!(folded("reads_1", &log).states(), ["running", "running", "queued", "queued"]);
    for call_id in ["a", "b", "c"] {
        log.add("tool.result", json!({"callId": call_id}));
    }
    assert_eq!(folded("reads_2", &log).states(), ["done", "done", "done", "running"]);
    let reading = turn_of(&[read("a", "read_file"), read("b", "read_result")]);
    assert_eq!(folded("reads_result", &reading).states(), ["running", "queued"]);
}

#[test]
fn sub_agents_that_have_begun_work_beside_each_other() {
    let mut log = turn_of(&[read("a", "delegate"), read("b", "delegate"), read("c", "delegate")]);
    for call_id in ["a", "b"] {
        log.add("subagent.started", json!({"callId": call_id, "agent": "explorer", "sessionId": call_id}));
    }
    assert_eq!(folded("subagents", &log).states(), ["running", "running", "queued"]);
}

#[test]
fn no_call_begins_while_the_user_has_paused_the_run() {
    let mut log = turn_of(&[edit("a"), edit("b")]);
    log.add("tool.result", json!({"callId": "a"}));
    log.add("run.paused", json!({"reason": "user"}));
    assert_eq!(folded("paused", &log).states(), ["done", "queued"]);
    log.add("run.resumed", json!({"reason": "user"}));
    assert_eq!(folded("resumed", &log).states(), ["done", "running"]);
    log.add("run.paused", json!({"reason": "budget"}));
    assert_eq!(folded("budget", &log).standing["pausedFor"], "budget");
}

#[test]
fn a_sub_agent_in_the_background_is_at_work_until_its_result_comes() {
    let mut log = Log::default();
    log.add("tool.call", json!({"callId": "d", "toolId": "delegate", "asyncCallId": "d"}));
    log.add("subagent.started", json!({"callId": "d", "agent": "explorer", "sessionId": "e", "runId": "r"}));
    log.add("tool.result", json!({"callId": "d", "toolId": "delegate", "result": "Working.", "asyncCallId": "d"}));
    let told = folded("background", &log);
    told.has(0, &json!({"state": "running", "result": null, "placeholder": {"result": "Working."}}));
    log.add("tool.async_result", json!({"asyncCallId": "d", "toolId": "delegate", "result": "Found."}));
    log.add("tool.async_result", json!({"asyncCallId": "x", "toolId": "run_command", "result": "Built."}));
    let told = folded("background_done", &log);
    told.has(0, &json!({"state": "done", "result": "Found."}));
    assert_eq!(told.other_kinds(), ["other"]);
}

#[test]
fn hooks_of_a_call_that_failed_or_objected_are_part_of_it() {
    let mut log = Log::default();
    log.add("tool.call", edit("c"));
    log.add("tool.result", json!({"callId": "c"}));
    for (hook, exit_code, outcome) in [("fmt", 0, "passed"), ("lint", 1, "failed"), ("guard", 2, "blocked")] {
        let ran = json!({"callId": "c", "event": "PostToolUse", "hook": hook, "exitCode": exit_code,
            "outcome": outcome});
        log.add("hook.ran", ran);
    }
    let told = folded("hooks_of_call", &log);
    told.has(0, &json!({"hooks": [{"hook": "lint"}, {"hook": "guard"}]}));
    assert_eq!((told.kinds().len(), told.other_kinds().len()), (1, 1));
}

#[test]
fn hooks_of_other_moments_are_told_alone_where_nothing_else_tells_them() {
    let mut log = Log::default();
    log.add("run.started", json!({"prompt": "x"}));
    log.add("hook.ran", json!({"hook": "a", "event": "SessionStart", "exitCode": 0, "outcome": "passed"}));
    log.add("hook.ran", json!({"hook": "b", "event": "SessionStart", "outcome": "timed_out"}));
    // The run's failure tells this one.
    log.add("hook.ran", json!({"hook": "c", "event": "UserPromptSubmit", "exitCode": 2, "outcome": "blocked"}));
    log.add("hook.ran", json!({"hook": "d", "event": "Stop", "exitCode": 2, "outcome": "blocked"}));
    log.add("hook.ran", json!({"hook": "g", "event": "Stop", "outcome": "cancelled"}));
    log.add("hook.ran", json!({"hook": "h", "event": "Stop", "outcome": "off"}));
    // Of an earlier version.
    log.add("hook.ran", json!({"hook": "e", "exitCode": 0}));
    log.add("hook.ran", json!({"hook": "f", "exitCode": 3}));
    let told: Vec<Value> = folded("hooks_alone", &log).each("ran").iter().map(|ran| ran["hook"].clone()).collect();
    assert_eq!(told[1..], ["b", "d", "h", "f"]);
}

#[test]
fn what_lies_before_the_held_events_has_an_item_all_the_same() {
    let mut log = Log::default();
    log.add("tool.result", json!({"callId": "lost", "toolId": "read_file", "result": "x"}));
    log.add(
        "approval.requested",
        json!({"approvalId": "a", "callId": "b", "toolId": "edit_file", "args": {"path": "p"}}),
    );
    log.add("question.asked", json!({"callId": "q", "questionId": "q", "text": "?"}));
    log.add("subagent.started", json!({"callId": "d", "agent": "explorer", "sessionId": "e"}));
    log.add("approval.resolved", json!({"approvalId": "gone"}));
    log.add("question.answered", json!({"questionId": "gone"}));
    log.add("file.changed", json!({"callId": "gone", "path": "a"}));
    log.add("hook.ran", json!({"callId": "gone", "exitCode": 1}));
    log.add("policy.decided", json!({"callId": "gone"}));
    let told = folded("cut", &log);
    assert_eq!(told.kinds(), ["tool", "tool", "tool", "tool"]);
    assert_eq!(told.other_kinds(), vec!["other"; 4], "all but the decision, which says nothing without its call");
    told.has(0, &json!({"toolId": "read_file", "state": "done", "category": null}));
    told.has(1, &json!({"toolId": "edit_file", "state": "waiting", "args": {"path": "p"}}));
}

#[test]
fn no_call_runs_on_after_its_run_has_ended() {
    let mut log = Log::default();
    log.add("run.started", json!({"prompt": "x"}));
    log.add("tool.call", json!({"callId": "c", "toolId": "run_command"}));
    log.add("run.failed", json!({"code": "E", "message": "broke"}));
    let told = folded("failed_run", &log);
    assert_eq!((told.states(), told.kinds().last().unwrap().as_str()), (vec!["interrupted".to_owned()], "failure"));
}

#[test]
fn a_denial_says_why_and_whether_the_folder_lacks_trust() {
    let mut log = Log::default();
    log.add("tool.call", json!({"callId": "c", "toolId": "write_file"}));
    log.add("policy.decided", json!({"callId": "c", "decision": "deny", "rule": "untrusted"}));
    log.add("tool.call", json!({"callId": "d", "toolId": "write_file"}));
    log.add("policy.decided", json!({"callId": "d", "decision": "deny", "rule": "builtin:untrusted", "reason": "r"}));
    log.add("run.cancelled", json!({}));
    let told = folded("denied", &log);
    told.has(0, &json!({"state": "denied", "reason": "untrusted", "lacksTrust": false}));
    told.has(1, &json!({"state": "denied", "reason": "r", "lacksTrust": true}));
    told.has(2, &json!({"notice": {"what": "stopped"}}));
}
