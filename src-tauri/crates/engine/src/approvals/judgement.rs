//! `policy check` and `hooks test`: a decision without its deed, and hooks without anything that they are for. And "Why was
//! this asked?": a recorded decision of the policy, explained by what the log says of it.
//!
//! For that nothing is judged again: the configuration, the files and the sandbox may be others by now. Only the text of a
//! rule is looked up, and told only where today's rule would still say the same of the call.

use crate::{ExecutorFactory, Records, SessionReader, rule_text};
use arki_api::{ExplainedDecision, MadeUpEvent, TriedHookEntry};
use arki_domain::{
    ApprovalId, CallId, Code, Error, Event, EventBody, Executor, HookEvent, HookMoment, NotificationKind, PolicyCheck,
    PolicyDecided, PolicyTrace, SessionId, SessionSource, ToolCall,
};
use arki_tools::{HookTrial, TriedHook};
use serde::Serialize;
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;

/// The policy's judgement of one call.
#[derive(Debug, Clone, Serialize)]
pub struct Judgement {
    pub decision: arki_domain::Decision,
    pub rule: String,
    pub reason: String,
    pub risk: arki_domain::Risk,
    /// The trace of the decision; absent if nobody asked for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<arki_domain::PolicyTrace>,
}

/// Asks the policy and tries hooks without anything happening, and explains what was decided.
pub struct PolicyTrials {
    pub(super) records: Arc<Records>,
    pub(super) executors: Arc<ExecutorFactory>,
    pub(super) reader: Arc<SessionReader>,
}

impl PolicyTrials {
    /// Runs the hooks that are for something in a folder, without anything happening.
    ///
    /// # Errors
    /// When the folder or the configuration cannot be used.
    pub async fn try_hooks(&self, folder: &std::path::Path, trial: &HookTrial) -> Result<Vec<TriedHook>, Error> {
        Ok(self.executors.judging_executor(folder)?.try_hooks(trial).await)
    }

    /// Tries the hooks as [`Self::try_hooks`] does, with an event that was typed.
    ///
    /// # Errors
    /// As of [`Self::try_hooks`], and `USAGE` where the arguments are no JSON object.
    pub async fn try_hooks_with(
        &self,
        folder: &std::path::Path,
        happens: MadeUpEvent,
    ) -> Result<Vec<TriedHookEntry>, Error> {
        let tried = self.try_hooks(folder, &trial(happens)?).await?;
        let entry = |TriedHook { ran, context }: TriedHook| TriedHookEntry {
            words: ran.words(),
            outcome: ran.outcome,
            duration_ms: ran.duration_ms,
            args: ran.args.as_ref().map(ToString::to_string),
            name: ran.hook,
            context,
        };
        Ok(tried.into_iter().map(entry).collect())
    }

    /// Returns what the policy says of a call in a folder and how it came to that, without carrying it out.
    ///
    /// # Errors
    /// When the folder or the configuration cannot be used.
    pub fn judge(&self, folder: &std::path::Path, tool_id: &str, args: &serde_json::Value) -> Result<Judgement, Error> {
        let executor = self.executors.executor_judging(folder, tool_id)?;
        // As a run takes them from a model.
        let definition = executor.definitions().iter().find(|definition| *definition.name == *tool_id).cloned();
        let args = match definition {
            Some(definition) => arki_agent::understood_arguments(&definition.parameters, args.clone()),
            None => args.clone(),
        };
        let verdict = executor.judge().verdict(tool_id, &args, arki_domain::ApprovalMode::Ask);
        let trace = executor.judge().trace(tool_id, &args, &verdict);
        let arki_policy::Verdict { decision, rule, reason, risk } = verdict;
        Ok(Judgement { decision, rule, reason: reason.to_string(), risk, trace })
    }
}

fn trial(MadeUpEvent { event, tool, args, text }: MadeUpEvent) -> Result<HookTrial, Error> {
    Ok(HookTrial::Moment(match event {
        HookEvent::PreToolUse | HookEvent::PostToolUse | HookEvent::PreCommit => {
            let args = match args.trim() {
                "" => Ok(serde_json::json!({})),
                args => serde_json::from_str(args),
            };
            let Ok(args @ serde_json::Value::Object(_)) = args else {
                let hint = "Write them as the tool gets them, such as {\"path\": \"README.md\"}.";
                return Err(Error::new(Code::USAGE, "The arguments are not a JSON object.", hint));
            };
            return Ok(HookTrial::Call { event, tool, args, result: text });
        }
        HookEvent::SessionStart => HookMoment::SessionStart(SessionSource::Startup),
        HookEvent::UserPromptSubmit => HookMoment::Prompt { text, message_id: None },
        HookEvent::Stop => HookMoment::Stop { last_text: text, times_held: 0 },
        HookEvent::Notification => HookMoment::Notification { kind: NotificationKind::Permission, message: text },
    }))
}

/// Read at once.
const EVENTS_A_PAGE: usize = 200;

impl PolicyTrials {
    /// Explains the policy's decision on a call: the decision in the event `seq`, or the newest one that a check made.
    /// `None` if no check made one, such as when the user answered, and if there is no such call. Blocking.
    ///
    /// # Errors
    /// `SESSION_NOT_FOUND`, or when the database can't be read.
    pub fn explain_decision(
        &self,
        session_id: &SessionId,
        call_id: &CallId,
        seq: Option<u64>,
    ) -> Result<Option<ExplainedDecision>, Error> {
        let project = self.reader.session(session_id)?.project;
        let Some(found) = self.story_of_call(session_id, call_id, seq)?.newest_decision(seq) else { return Ok(None) };
        let is_by_rule = matches!(found.trace.decided_by(), Some(PolicyCheck::DenyRules | PolicyCheck::Rules));
        let rule = is_by_rule.then(|| {
            let executor = self.executors.judging_executor(Path::new(&project)).ok()?;
            executor.judge().rule_behind(&found.decided, &found.call.tool_id, &found.call.args)
        });
        let shown = |text: String| match serde_json::from_str(&text) {
            Ok(value) => self.records.redactor().redact_json(value).to_string(),
            Err(_) => text,
        };
        let rule = rule.flatten().map(|rule| shown(rule_text(&[rule])));
        Ok(Some(ExplainedDecision { trace: found.trace, rule }))
    }

    /// The call and what followed, up to `seq`. Read backwards: what is asked about is mostly near the end.
    fn story_of_call(&self, session_id: &SessionId, call_id: &CallId, seq: Option<u64>) -> Result<StoryOfCall, Error> {
        let mut story = StoryOfCall::default();
        let mut before = seq.map(|seq| seq.saturating_add(1));
        loop {
            let page = self.records.reader().log().page(session_id, before, EVENTS_A_PAGE)?;
            for event in page.events.iter().rev() {
                if story.begins_with(event, call_id) {
                    return Ok(story);
                }
            }
            match page.events.first() {
                Some(first) if page.has_more => before = Some(first.seq),
                _ => return Ok(story),
            }
        }
    }
}

#[derive(Default)]
struct StoryOfCall {
    call: Option<ToolCall>,
    /// The later events that may concern the call, the newest first.
    later: Vec<(u64, EventBody)>,
}

struct FoundDecision {
    decided: PolicyDecided,
    trace: PolicyTrace,
    /// The call with the arguments that were judged.
    call: ToolCall,
}

impl StoryOfCall {
    /// Takes the event before those it has; returns whether that is the call itself.
    fn begins_with(&mut self, event: &Event, call_id: &CallId) -> bool {
        let body = event.body();
        let concerns = match &body {
            EventBody::ToolCall(call) if call.call_id == *call_id => {
                self.call = Some(call.clone());
                return true;
            }
            EventBody::PolicyDecided(decided) => decided.call_id == *call_id,
            EventBody::HookRan(ran) => ran.call_id.as_ref() == Some(call_id),
            EventBody::ApprovalRequested(requested) => requested.call_id.as_ref() == Some(call_id),
            EventBody::ApprovalResolved(_) => true,
            _ => false,
        };
        if concerns {
            self.later.push((event.seq, body));
        }
        false
    }

    /// The decision of the event `seq`, or the newest that a check made, on the arguments that hooks and the user had
    /// made of the model's by then.
    fn newest_decision(self, seq: Option<u64>) -> Option<FoundDecision> {
        let mut call = self.call?;
        let mut asked: Vec<ApprovalId> = Vec::new();
        let mut found = None;
        for (at, body) in self.later.into_iter().rev() {
            match body {
                EventBody::HookRan(ran) => call.args = ran.args.unwrap_or(call.args),
                EventBody::ApprovalRequested(requested) => asked.push(requested.approval_id),
                EventBody::ApprovalResolved(resolved) if asked.contains(&resolved.approval_id) => {
                    if let (Some(own), Some(command)) = (resolved.command, call.args.get_mut("command")) {
                        *command = Value::String(own);
                    }
                }
                EventBody::PolicyDecided(decided) if seq.is_none_or(|seq| seq == at) => {
                    let line = (call.tool_id == "run_command").then(|| call.args.get("command")?.as_str()).flatten();
                    if let Some(trace) = arki_policy::trace(decided.decision, &decided.rule, &decided.reason, line) {
                        found = Some(FoundDecision { decided, trace, call: call.clone() });
                    }
                }
                _ => {}
            }
        }
        found
    }
}
