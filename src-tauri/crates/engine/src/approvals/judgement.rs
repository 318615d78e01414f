//! `policy check` and `hooks test`: a decision without its deed, and hooks without anything that they are for.

use crate::executor_factory::ExecutorFactory;
use crate::records::Records;
use crate::session_reader::SessionReader;
use arki_api::{MadeUpEvent, TriedHookEntry};
use arki_domain::{Code, Error, Executor, HookEvent, HookMoment, NotificationKind, SessionSource};
use arki_tools::{HookTrial, TriedHook};
use serde::Serialize;
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
