//! Hooks, in the words of the log: when they run, and how that ended.

use crate::{HookRan, MessageId, plural};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use ts_rs::TS;

/// The part of a request that a hook added, as `context.added` names it. Its origin is the hook's name.
pub const HOOK_PART: &str = "hook";

/// A `Stop` hook may make the agent go on so many times in a run.
pub const MAX_STOP_HOLDS: u32 = 3;

named! {
    /// The moment at which a hook runs.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, TS, JsonSchema)]
    HookEvent {
        /// The point before a session's first request, the first one of another program, and the first one after a
        /// compaction.
        SessionStart = "SessionStart",
        /// The point before the model gets the user's message.
        UserPromptSubmit = "UserPromptSubmit",
        /// The point before a call is decided on.
        PreToolUse = "PreToolUse",
        /// The point after a call was carried out.
        PostToolUse = "PostToolUse",
        /// The point before a run completes.
        Stop = "Stop",
        /// The point before a command of the agent's that commits.
        PreCommit = "PreCommit",
        /// When the run has ended or waits for the user.
        Notification = "Notification",
    }
    /// The event's name in configurations, in the log and on a hook's standard input.
    name
}

impl HookEvent {
    /// The event of that name.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|event| event.name() == name)
    }

    /// Returns whether the event is about one call of a tool.
    #[must_use]
    pub fn is_of_call(self) -> bool {
        matches!(self, Self::PreToolUse | Self::PostToolUse | Self::PreCommit)
    }
}

impl fmt::Display for HookEvent {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// An event other than a call at which hooks run, with what they are told of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookMoment {
    SessionStart(SessionSource),
    /// The user's words, on their way to the model.
    Prompt {
        text: String,
        /// The prompt's ID in the queue if it waited there while the run worked.
        message_id: Option<MessageId>,
    },
    /// The model has answered and wants nothing more.
    Stop {
        last_text: String,
        /// The number of times that hooks made the agent go on before in this run.
        times_held: u32,
    },
    Notification {
        kind: NotificationKind,
        message: String,
    },
}

impl HookMoment {
    #[must_use]
    pub fn event(&self) -> HookEvent {
        match self {
            Self::SessionStart(_) => HookEvent::SessionStart,
            Self::Prompt { .. } => HookEvent::UserPromptSubmit,
            Self::Stop { .. } => HookEvent::Stop,
            Self::Notification { .. } => HookEvent::Notification,
        }
    }

    /// Returns the queued message that it is about.
    #[must_use]
    pub fn message_id(&self) -> Option<&MessageId> {
        match self {
            Self::Prompt { message_id, .. } => message_id.as_ref(),
            Self::SessionStart(_) | Self::Stop { .. } | Self::Notification { .. } => None,
        }
    }
}

/// The reason why hooks of `SessionStart` run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SessionSource {
    /// The session is new.
    Startup,
    /// Another program worked on it before, or it is a fork.
    Resume,
    /// A compaction left something out.
    Compact,
}

impl SessionSource {
    pub const ALL: &[Self] = &[Self::Startup, Self::Resume, Self::Compact];

    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Startup => "startup",
            Self::Resume => "resume",
            Self::Compact => "compact",
        }
    }
}

/// The kind of a notification, in the words of other agents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotificationKind {
    /// A call waits for the user's approval.
    Permission,
    /// The model asks the user.
    Question,
    /// The run has ended, or its budget is used up.
    Idle,
}

impl NotificationKind {
    pub const ALL: &[Self] = &[Self::Permission, Self::Question, Self::Idle];

    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Permission => "permission_prompt",
            Self::Question => "elicitation_dialog",
            Self::Idle => "idle_prompt",
        }
    }
}

/// The outcome of a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HookOutcome {
    /// It has nothing against what happens.
    Passed,
    /// It forbids what was about to happen, or objects to what did.
    Blocked,
    /// It wants the user to be asked.
    Asked,
    /// It wants the run to end.
    Stopped,
    /// It could not be started, ended with an exit code that says nothing, or said what nobody understands.
    Failed,
    /// It took longer than its time limit and was ended.
    TimedOut,
    /// It took more than a limit allows and was ended.
    OverLimit,
    /// The user stopped the run, and the hook with it.
    Cancelled,
    /// Arki ended while it ran.
    Interrupted,
    /// It didn't run, for the user hasn't agreed to what can't be pinned.
    Off,
}

impl HookRan {
    /// A hook with this name and command, of which nothing is known yet.
    #[must_use]
    pub fn new(event: HookEvent, hook: &str, command: &str) -> Self {
        Self { hook: hook.to_owned(), command: command.to_owned(), event: Some(event), ..Self::default() }
    }

    /// Returns whether the hook ran as it should, whatever it had to say. Events of earlier versions only have an exit
    /// code.
    #[must_use]
    pub fn has_worked(&self) -> bool {
        match self.outcome {
            Some(outcome) => matches!(
                outcome,
                HookOutcome::Passed
                    | HookOutcome::Blocked
                    | HookOutcome::Asked
                    | HookOutcome::Stopped
                    | HookOutcome::Off
            ),
            None => self.exit_code == Some(0),
        }
    }

    /// Returns whether it didn't run as it should. One that was stopped with the run has not failed.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        !self.has_worked() && self.outcome != Some(HookOutcome::Cancelled)
    }

    /// Returns whether the user is told of it on its call: one that did its work stays unseen.
    #[must_use]
    pub fn is_told_of_call(&self) -> bool {
        self.has_failed()
            || matches!(
                self.outcome,
                Some(HookOutcome::Blocked | HookOutcome::Asked | HookOutcome::Stopped | HookOutcome::Off)
            )
    }

    /// Returns whether the user is told of it in a line of its own. One that blocks a run's prompt or stops the run is
    /// told by the run's failure; one that holds the run, or keeps a queued message back, by nothing else.
    #[must_use]
    pub fn is_told_alone(&self) -> bool {
        let holds = self.event == Some(HookEvent::Stop) || self.message_id.is_some();
        let blocks = self.outcome == Some(HookOutcome::Blocked) && holds;
        self.has_failed() || self.outcome == Some(HookOutcome::Off) || blocks
    }

    /// Returns whether it keeps the prompt of its run from the model. One that was stopped has not let it pass.
    #[must_use]
    pub fn blocks_prompt(&self) -> bool {
        let has_not_let_pass = self.blocks() || self.outcome == Some(HookOutcome::Cancelled);
        self.event == Some(HookEvent::UserPromptSubmit) && self.message_id.is_none() && has_not_let_pass
    }

    /// Returns whether it makes the agent go on.
    #[must_use]
    pub fn holds_run(&self) -> bool {
        self.event == Some(HookEvent::Stop) && self.outcome == Some(HookOutcome::Blocked)
    }

    /// Returns whether it forbids what it was asked about.
    #[must_use]
    pub fn blocks(&self) -> bool {
        matches!(self.outcome, Some(HookOutcome::Blocked | HookOutcome::Stopped))
    }

    /// Returns whether there is more to tell than that it ran.
    #[must_use]
    pub fn is_news(&self) -> bool {
        let files = self.changed.len() + self.restored.len() + self.not_restored.len();
        self.outcome != Some(HookOutcome::Passed) || self.said.is_some() || self.args.is_some() || files > 0
    }

    /// Returns one line for people, without a full stop: `Hook cargo fmt changed 1 file`.
    #[must_use]
    pub fn words(&self) -> String {
        let said = self.said.as_deref().unwrap_or("it gave no reason");
        let did = match self.outcome {
            None => match self.exit_code {
                Some(code) => format!("ended with exit code {code}"),
                None => "did not end by itself".to_owned(),
            },
            Some(HookOutcome::Blocked) if self.event.is_some_and(|event| event == HookEvent::PostToolUse) => {
                format!("objected: {said}")
            }
            Some(HookOutcome::Blocked) if self.event == Some(HookEvent::UserPromptSubmit) => {
                format!("blocked your message: {said}")
            }
            Some(HookOutcome::Blocked) if self.event == Some(HookEvent::Stop) => {
                format!("kept the agent going: {said}")
            }
            Some(HookOutcome::Blocked) => format!("blocked this: {said}"),
            Some(HookOutcome::Asked) => format!("wants you to decide: {said}"),
            Some(HookOutcome::Stopped) => format!("stopped the run: {said}"),
            Some(HookOutcome::Failed | HookOutcome::TimedOut | HookOutcome::OverLimit) => format!("failed: {said}"),
            Some(HookOutcome::Off) => format!("is off: {said}"),
            Some(HookOutcome::Cancelled) => "was stopped with the run".to_owned(),
            Some(HookOutcome::Interrupted) => match &self.said {
                Some(effect) => {
                    return format!("Hook {} was interrupted: Arki ended while it ran. {effect}", self.hook);
                }
                None => "was interrupted: Arki ended while it ran".to_owned(),
            },
            Some(HookOutcome::Passed) => return format!("Hook {}{}", self.hook, self.passed()),
        };
        format!("Hook {} {did}{}", self.hook, self.others())
    }

    fn passed(&self) -> String {
        let changed = match self.changed.len() {
            0 => None,
            count => Some(format!(" changed {}", plural(count as u64, "file"))),
        };
        let args = self.args.as_ref().map(|_| " changed the call's arguments".to_owned());
        let said = self.said.as_ref().map(|said| format!(": {said}"));
        let others = self.others();
        let nothing = if others.is_empty() { " ran".to_owned() } else { String::new() };
        changed.or(args).or(said).unwrap_or(nothing) + &others
    }

    fn others(&self) -> String {
        let mut others = String::new();
        if !self.changed.is_empty() && self.outcome != Some(HookOutcome::Passed) {
            others.push_str(&format!("; it had changed {}", paths(self.changed.iter().map(String::as_str))));
        }
        if !self.restored.is_empty() {
            others.push_str(&format!(
                "; its other changes were undone: {}",
                paths(self.restored.iter().map(|file| file.path.as_str()))
            ));
        }
        if !self.not_restored.is_empty() {
            others.push_str(&format!(
                "; it also changed, and this can't be undone: {}",
                paths(self.not_restored.iter().map(String::as_str))
            ));
        }
        others
    }
}

/// Named one by one; of more only their number is told.
const MAX_PATHS: usize = 5;

fn paths<'a>(paths: impl Iterator<Item = &'a str>) -> String {
    let all: Vec<&str> = paths.collect();
    let named = all[..all.len().min(MAX_PATHS)].join(", ");
    match all.len().saturating_sub(MAX_PATHS) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hook_is_told_in_a_line() {
        let ran = HookRan::new(HookEvent::PostToolUse, "cargo fmt", "cargo fmt");
        let passed = HookRan { outcome: Some(HookOutcome::Passed), ..ran };
        let check = |hook: &HookRan, words: &str, is_news: bool| {
            assert_eq!((hook.words().as_str(), hook.is_news()), (words, is_news));
        };
        check(&passed, "Hook cargo fmt ran", false);
        let formatted = HookRan { changed: vec!["a.rs".into()], ..passed.clone() };
        check(&formatted, "Hook cargo fmt changed 1 file", true);
        let file = crate::RestoredFile {
            path: "b.rs".into(),
            action: crate::RestoreAction::Restore,
            before_hash: None,
            after_hash: None,
            before_permissions: crate::Permissions::default(),
            before_link: false,
            after_link: false,
        };
        let restored = HookRan { restored: vec![file], ..formatted };
        check(&restored, "Hook cargo fmt changed 1 file; its other changes were undone: b.rs", true);
        check(&HookRan { said: Some("hi".into()), ..passed.clone() }, "Hook cargo fmt: hi", true);
        let blocked = HookRan { outcome: Some(HookOutcome::Blocked), said: Some("no".into()), ..passed.clone() };
        check(&blocked, "Hook cargo fmt objected: no", true);
        check(&HookRan { event: Some(HookEvent::PreToolUse), ..blocked }, "Hook cargo fmt blocked this: no", true);
        let old = HookRan { outcome: None, exit_code: Some(1), ..passed };
        check(&old, "Hook cargo fmt ended with exit code 1", true);
    }
}
