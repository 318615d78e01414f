//! Derives the observations of a run from its events alone: the files it changed, the commands that worked or failed,
//! the other tools that failed, what the user decided, and that it completed.

use super::short_text::cut;
use super::working_memory::MAX_REMEMBERED_SOURCES;
use crate::{
    ApprovalDecision, ApprovalId, ApprovalRequested, ApprovalResolved, CallId, Event, EventBody, EventId,
    MemoryObserved, ObservedKind, PolicyDecided, QuestionId, Remembered, RunId, SeqRange, ToolResult, plural,
};
use std::collections::{HashMap, HashSet};

const COMMAND_TOOL: &str = "run_command";
/// The rule of commands that only look: what they showed is no news.
const READ_ONLY_RULE: &str = "builtin:read-only";
/// Files that one observation names.
const MAX_FILES: usize = 10;
/// Commands, the newest; failures and decisions, the oldest.
const MAX_COMMANDS: usize = 10;
const MAX_FAILURES: usize = 10;
const MAX_DECISIONS: usize = 10;
/// Bytes of a command, an answer or a note.
const MAX_QUOTED_BYTES: usize = 200;

/// A fold over a session's events: of the run that was begun last.
#[derive(Debug, Clone, Default)]
pub struct RunObserver {
    run_id: Option<RunId>,
    started: Option<EventId>,
    /// The events that are not told yet.
    seqs: Option<SeqRange>,
    /// Calls that may do what they ask for.
    allowed: HashSet<CallId>,
    /// The failures, by tool.
    failures: Vec<(String, String, EventId)>,
    /// The changed files with the first event that changed each, in the order of these events.
    files: Vec<(String, EventId)>,
    /// Commands that are at work, or wait.
    lines: HashMap<CallId, String>,
    begun: HashMap<CallId, String>,
    commands: Vec<ObservedCommand>,
    asked: HashMap<ApprovalId, String>,
    questions: HashMap<QuestionId, String>,
    decisions: Vec<(String, EventId)>,
}

#[derive(Debug, Clone)]
struct ObservedCommand {
    line: String,
    has_failed: bool,
    sources: Vec<EventId>,
}

impl RunObserver {
    pub fn apply(&mut self, event: &Event, body: &EventBody) {
        if let EventBody::RunStarted(_) = body {
            *self = Self { run_id: event.run_id.clone(), started: Some(event.event_id.clone()), ..Self::default() };
        }
        if event.run_id.is_none() || event.run_id != self.run_id {
            return;
        }
        self.seqs.get_or_insert(SeqRange { start: event.seq, end: event.seq }).end = event.seq;
        match body {
            EventBody::FileChanged(changed) if self.files.iter().all(|(path, _)| *path != changed.path) => {
                self.files.push((changed.path.clone(), event.event_id.clone()));
            }
            EventBody::ToolCall(call) if call.tool_id == COMMAND_TOOL => {
                if let Some(line) = call.args.get("command").and_then(|line| line.as_str()) {
                    self.lines.insert(call.call_id.clone(), quoted(line));
                }
            }
            EventBody::PolicyDecided(decided) => self.decide(decided),
            EventBody::ToolResult(result) => self.end(event, result),
            EventBody::ApprovalRequested(asked) => {
                self.asked.insert(asked.approval_id.clone(), subject(asked));
            }
            EventBody::ApprovalResolved(resolved) => self.resolve(event, resolved),
            EventBody::QuestionAsked(asked) => {
                self.questions.insert(asked.question_id.clone(), quoted(&asked.text));
            }
            EventBody::QuestionAnswered(answered) => {
                if let Some(question) = self.questions.remove(&answered.question_id) {
                    let answer = quoted(&answered.text);
                    self.decided(event, format!("Asked \"{question}\", the user answered \"{answer}\"."));
                }
            }
            // What was said is not said again when the run goes on after it has failed.
            EventBody::MemoryObserved(_) => {
                self.files.clear();
                self.commands.clear();
                self.failures.clear();
                self.decisions.clear();
                self.seqs = None;
            }
            _ => {}
        }
    }

    /// Returns what is worth remembering, if anything; `completed_turns` is set if the run has just completed.
    #[must_use]
    pub fn observed(&self, completed_turns: Option<u32>) -> Option<MemoryObserved> {
        let mut observations = self.observations();
        let success = self.started.as_ref().zip(completed_turns).and_then(|(started, turns)| {
            let text = format!("The run completed in {}.", plural(u64::from(turns), "turn"));
            let context = [("turns", turns.to_string())];
            Self::remembered((ObservedKind::Success, text), std::slice::from_ref(started), context)
        });
        let is_worth = !observations.is_empty();
        observations.extend(success.filter(|_| is_worth));
        is_worth.then_some(MemoryObserved { observations, processed_seq_range: self.seqs.clone() })
    }

    /// Each with the events that it comes from; none where nothing happened.
    fn observations(&self) -> Vec<Remembered> {
        let newest = &self.commands[self.commands.len().saturating_sub(MAX_COMMANDS)..];
        let files =
            self.files_changed().and_then(|(text, sources)| Self::remembered((ObservedKind::Fact, text), &sources, []));
        let commands = newest.iter().filter_map(|command| {
            let (kind, end) = match command.has_failed {
                true => (ObservedKind::Error, "failed"),
                false => (ObservedKind::Success, "worked"),
            };
            let context = [("toolId", COMMAND_TOOL.to_owned())];
            Self::remembered((kind, format!("The command `{}` {end}.", command.line)), &command.sources, context)
        });
        let failures = self.failures.iter().filter_map(|(tool, words, source)| {
            let text = format!("The tool {tool} failed: {words}");
            Self::remembered((ObservedKind::Error, text), std::slice::from_ref(source), [("toolId", tool.clone())])
        });
        let decisions = self.decisions.iter().filter_map(|(text, source)| {
            Self::remembered((ObservedKind::Fact, text.clone()), std::slice::from_ref(source), [])
        });
        files.into_iter().chain(commands).chain(failures).chain(decisions).collect()
    }

    fn remembered<const N: usize>(
        (kind, text): (ObservedKind, String),
        sources: &[EventId],
        context: [(&str, String); N],
    ) -> Option<Remembered> {
        Some(Remembered {
            id: sources.first()?.to_string(),
            kind: Some(kind),
            text,
            based_on: sources.iter().take(MAX_REMEMBERED_SOURCES).map(ToString::to_string).collect(),
            context: context.map(|(key, value)| (key.to_owned(), value)).into(),
            ..Remembered::default()
        })
    }

    fn files_changed(&self) -> Option<(String, Vec<EventId>)> {
        let named: Vec<&str> = self.files.iter().take(MAX_FILES).map(|(path, _)| path.as_str()).collect();
        let more = match self.files.len().saturating_sub(MAX_FILES) {
            0 => String::new(),
            more => format!(" and {}", plural(more as u64, "more file")),
        };
        let sources = self.files.iter().map(|(_, source)| source.clone()).collect();
        (!named.is_empty()).then(|| (format!("Changed {}{more}.", named.join(", ")), sources))
    }

    fn decide(&mut self, decided: &PolicyDecided) {
        if !decided.decision.is_unasked() {
            return;
        }
        self.allowed.insert(decided.call_id.clone());
        if let Some(line) = self.lines.remove(&decided.call_id)
            && decided.rule != READ_ONLY_RULE
        {
            self.begun.insert(decided.call_id.clone(), line);
        }
    }

    fn end(&mut self, event: &Event, result: &ToolResult) {
        let was_allowed = self.allowed.remove(&result.call_id);
        let Some(line) = self.begun.remove(&result.call_id) else {
            let is_news = was_allowed && result.is_error && result.tool_id != COMMAND_TOOL;
            if is_news && self.failures.len() < MAX_FAILURES {
                self.failures.push((result.tool_id.clone(), quoted(&result.result), event.event_id.clone()));
            }
            return;
        };
        // It goes on in the background: nobody knows yet.
        if result.async_call_id.is_some() {
            return;
        }
        let (has_failed, source) = (result.is_error, event.event_id.clone());
        match self.commands.iter().position(|command| command.line == line) {
            Some(place) => {
                let mut command = self.commands.remove(place);
                command.has_failed = has_failed;
                command.sources.insert(0, source);
                self.commands.push(command);
            }
            None => self.commands.push(ObservedCommand { line, has_failed, sources: vec![source] }),
        }
    }

    fn resolve(&mut self, event: &Event, resolved: &ApprovalResolved) {
        let Some(subject) = self.asked.remove(&resolved.approval_id) else { return };
        if resolved.is_by_mode() || resolved.is_by_timeout() {
            return;
        }
        let note = resolved.reason.as_deref().map(|note| format!(": \"{}\"", quoted(note))).unwrap_or_default();
        let text = match (resolved.decision, &resolved.command) {
            (ApprovalDecision::Reject, _) => format!("The user rejected {subject}{note}."),
            (ApprovalDecision::Approve, Some(own)) => {
                format!("Instead of {subject} the user ran `{}`{note}.", quoted(own))
            }
            _ if resolved.hunks.is_some() => format!("The user accepted only a part of {subject}{note}."),
            _ if !resolved.edited.is_empty() => format!("The user edited {subject}{note}."),
            _ if !note.is_empty() => format!("The user approved {subject}{note}."),
            _ => return,
        };
        self.decided(event, text);
    }

    fn decided(&mut self, event: &Event, text: String) {
        if self.decisions.len() < MAX_DECISIONS {
            self.decisions.push((text, event.event_id.clone()));
        }
    }
}

fn subject(asked: &ApprovalRequested) -> String {
    match (&asked.command, &asked.preview) {
        (Some(command), _) => format!("the command `{}`", quoted(&command.command)),
        (None, Some(preview)) => format!("the change to {}", quoted(&preview.files_affected.join(", "))),
        (None, None) => format!("a call of {}", quoted(&asked.tool_id)),
    }
}

/// Joins the text into one line and cuts it to its limit.
fn quoted(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    cut(&line, MAX_QUOTED_BYTES).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn told(events: &[(&str, Value)]) -> Vec<String> {
        observed(events).observations().into_iter().map(|one| one.text).collect()
    }

    fn observed(events: &[(&str, Value)]) -> RunObserver {
        let mut observer = RunObserver::default();
        let started = json!({"prompt": "go", "agent": "arki", "model": "m/m", "core": "tool-loop",
            "systemPromptHash": "", "options": {}});
        let all = [("run.started", started)].into_iter().chain(events.iter().cloned());
        for (at, (kind, payload)) in all.enumerate() {
            let event: Event = serde_json::from_value(json!({
                "eventId": format!("e{at}"), "runId": "r", "sessionId": "s", "seq": at + 1, "ts": 0, "type": kind,
                "payload": payload, "prevHash": "", "hash": ""
            }))
            .unwrap();
            let body = event.body();
            assert_ne!(body, EventBody::Unknown, "{kind} {payload}");
            observer.apply(&event, &body);
        }
        observer
    }

    fn command(id: &str, line: &str, rule: &str, is_error: bool) -> [(&'static str, Value); 3] {
        [
            (
                "tool.call",
                json!({"turn": 1, "callId": id, "toolId": "run_command", "args": {"command": line},
                "category": "exec"}),
            ),
            ("policy.decided", json!({"callId": id, "decision": "allow", "rule": rule, "reason": "", "risk": "low"})),
            (
                "tool.result",
                json!({"callId": id, "toolId": "run_command", "result": "", "isError": is_error,
                "durationMs": 1, "truncated": false}),
            ),
        ]
    }

    fn changed(path: &str) -> (&'static str, Value) {
        ("file.changed", json!({"path": path, "beforeHash": null, "afterHash": "h", "callId": "c", "hunks": []}))
    }

    fn asked(id: &str) -> (&'static str, Value) {
        (
            "approval.requested",
            json!({"approvalId": id, "callId": "c", "toolId": "run_command", "args": {},
            "risk": "low", "rule": "", "reason": "", "command": {"command": "rm -r old", "directory": "/p",
            "environment": [], "sandbox": "none", "previewHash": ""}}),
        )
    }

    fn resolved(id: &str, decision: &str, by: &str, note: Option<&str>) -> (&'static str, Value) {
        (
            "approval.resolved",
            json!({"approvalId": id, "decision": decision, "resolvedBy": by, "reason": note,
            "previewHash": ""}),
        )
    }

    #[test]
    fn a_run_in_which_nothing_happened_leaves_nothing() {
        let looking = command("c", "ls", READ_ONLY_RULE, false);
        assert_eq!(told(&[]), Vec::<String>::new());
        assert_eq!(told(&looking), Vec::<String>::new());
        assert_eq!(told(&command("c", "x", "category:exec", false)[..2]), Vec::<String>::new(), "it has not ended");
    }

    #[test]
    fn files_commands_and_decisions_are_told_with_their_events() {
        let mut events = vec![changed("a.rs"), changed("b.rs"), changed("a.rs")];
        events.extend(command("c1", "cargo  test", "builtin:build", true));
        events.extend(command("c2", "cargo test", "builtin:build", false));
        events.extend([asked("p"), resolved("p", "reject", "window", Some("keep it"))]);
        let observer = observed(&events);
        let all = observer.observations();
        let texts: Vec<&str> = all.iter().map(|one| one.text.as_str()).collect();
        let rejected = "The user rejected the command `rm -r old`: \"keep it\".";
        assert_eq!(texts, ["Changed a.rs, b.rs.", "The command `cargo test` worked.", rejected]);
        let sources: Vec<&[String]> = all.iter().map(|one| one.based_on.as_slice()).collect();
        assert_eq!(sources, [&["e1", "e2"][..], &["e9", "e6"], &["e11"]]);
        assert!(all.iter().all(|one| one.id == one.based_on[0] && one.proposed_for.is_none()));
    }

    #[test]
    fn a_tool_that_failed_and_a_run_that_completed_are_told_with_their_kind_and_range() {
        let tool = |is_error: bool| {
            let result = json!({"callId": "c", "toolId": "edit_file", "result": "no such text", "isError": is_error,
                "durationMs": 1, "truncated": false});
            let call = json!({"turn": 1, "callId": "c", "toolId": "edit_file", "args": {}, "category": "write"});
            let allowed = json!({"callId": "c", "decision": "allow", "rule": "r", "reason": "", "risk": "low"});
            [("tool.call", call), ("policy.decided", allowed), ("tool.result", result)]
        };
        assert_eq!(observed(&tool(false)).observed(Some(1)), None);
        let told = observed(&tool(true)).observed(Some(2)).unwrap();
        let [failed, completed] = &told.observations[..] else { panic!("{told:?}") };
        assert_eq!(failed.text, "The tool edit_file failed: no such text");
        assert_eq!((failed.kind, failed.context["toolId"].as_str()), (Some(ObservedKind::Error), "edit_file"));
        assert_eq!(
            (completed.kind, completed.text.as_str()),
            (Some(ObservedKind::Success), "The run completed in 2 turns.")
        );
        assert_eq!(told.processed_seq_range, Some(SeqRange { start: 1, end: 4 }));
        let denied = [tool(true)[0].clone(), tool(true)[2].clone()];
        assert_eq!(observed(&denied).observed(None), None, "what was not allowed did not fail");
    }

    #[test]
    fn what_a_mode_or_nobody_decided_is_no_decision_of_the_user() {
        let events = [
            asked("p"),
            resolved("p", "reject", "approve:never", Some("no")),
            asked("q"),
            resolved("q", "reject", "timeout", Some("no")),
            asked("r"),
            resolved("r", "approve", "cli", None),
        ];
        assert_eq!(told(&events), Vec::<String>::new());
    }

    #[test]
    fn what_was_told_is_not_told_again_and_there_is_never_much_of_it() {
        let mut events: Vec<(&str, Value)> = (0..40).map(|at| changed(&format!("f{at}"))).collect();
        for at in 0..40 {
            events.extend(command(&format!("c{at}"), &format!("run {at} {}", "x".repeat(5000)), "r", false));
            events.extend([asked("p"), resolved("p", "reject", "cli", None)]);
        }
        let all = observed(&events).observations();
        assert_eq!(all.len(), 1 + MAX_COMMANDS + MAX_DECISIONS);
        assert!(all[0].text.ends_with("f9 and 30 more files."), "{}", all[0].text);
        assert!(serde_json::to_string(&all).unwrap().len() < 10_000);
        events.extend([("memory.observed", json!({"observations": []})), changed("new")]);
        assert_eq!(told(&events), ["Changed new."]);
    }
}
