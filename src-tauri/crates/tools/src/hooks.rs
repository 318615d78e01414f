//! Hooks: what the user, or a project that the user trusts, has run, told or noted when something happens in a run.
//!
//! A [`Hook`] is data: its event, its condition and its action. The engine reads hooks off the configuration, and the
//! executor carries them out (`executor::hooking`). Between them lie, each in a file and without running anything: which
//! hooks are meant (`condition`), what a command is told (`input`), what its answer means (`answer`), and the names of
//! other agents, for hooks that were written for those (`foreign`).
//!
//! *Architecture invariant:* a hook only tightens. Nothing it says reaches the policy but an objection.

pub(crate) mod answer;
pub(crate) mod condition;
pub(crate) mod foreign;
pub(crate) mod input;
pub(crate) mod occasion;

pub use condition::HookCondition;
pub use foreign::tools_named;

use arki_domain::HookEvent;
use std::time::Duration;

/// The default time limit of a hook's command.
pub const DEFAULT_HOOK_TIME: Duration = Duration::from_secs(60);
pub const MAX_HOOK_TIME: Duration = Duration::from_secs(600);
/// The limit for each of a hook's two outputs, in bytes; the beginning is kept.
pub(crate) const MAX_HOOK_OUTPUT_BYTES: usize = 64 << 10;
/// A hook that prints more is ended, in bytes.
pub(crate) const MAX_HOOK_WRITTEN_BYTES: u64 = 16 << 20;
/// The limit for one hook's text for the model or the user, in characters.
pub(crate) const MAX_HOOK_TEXT_CHARS: usize = 10_000;
/// Begins a text that stands in a file of the project.
const FILE: &str = "file:///";
/// The limit for hooks in one configuration file.
pub const MAX_HOOKS: usize = 100;
/// The limit for a hook's name, in characters.
pub const MAX_HOOK_NAME_CHARS: usize = 60;

/// One hook.
#[derive(Debug, Clone)]
pub struct Hook {
    pub name: String,
    pub event: HookEvent,
    pub condition: HookCondition,
    pub action: HookAction,
    pub origin: HookOrigin,
}

/// The effect of a hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookAction {
    Command(HookCommand),
    /// Adds a text to what the model is told.
    Inject(String),
    /// Adds a text to the log, for the user.
    Log(String),
    /// Both.
    Remind(String),
    /// A command that doesn't run, for not all that it runs can be pinned, and why not.
    Off {
        line: String,
        why: String,
    },
}

impl HookAction {
    /// The word of the configuration.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Command(_) | Self::Off { .. } => "command",
            Self::Inject(_) => "inject",
            Self::Log(_) => "log",
            Self::Remind(_) => "remind",
        }
    }

    /// The shell line of a command.
    #[must_use]
    pub fn line(&self) -> Option<&str> {
        let Self::Command(command) = self else { return None };
        Some(&command.line)
    }

    /// The file of the project whose content is the text, relative to it: the text is `file:///` and the path.
    #[must_use]
    pub fn file(&self) -> Option<&str> {
        match self {
            Self::Inject(text) | Self::Log(text) | Self::Remind(text) => text.trim().strip_prefix(FILE),
            Self::Command(_) | Self::Off { .. } => None,
        }
    }

    /// Returns the same action with another text.
    #[must_use]
    pub fn with_text(&self, text: String) -> Self {
        match self {
            Self::Command(_) | Self::Off { .. } => self.clone(),
            Self::Inject(_) => Self::Inject(text),
            Self::Log(_) => Self::Log(text),
            Self::Remind(_) => Self::Remind(text),
        }
    }

    /// The shell line; of a hook without one the action's word.
    #[must_use]
    pub fn command(&self) -> &str {
        match self {
            Self::Off { line, .. } => line,
            _ => self.line().unwrap_or_else(|| self.word()),
        }
    }
}

/// A command that a hook runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookCommand {
    /// A shell line, run in the project's folder.
    pub line: String,
    pub time_limit: Duration,
    /// Only the user's own configuration may say so.
    pub network: bool,
}

/// The owner of the configuration in which a hook stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookOrigin {
    User,
    /// The file, relative to the project.
    Project(&'static str),
}

/// The name of a hook that was given none: its command, on one line and cut, or its action.
#[must_use]
pub fn name_of(action: &HookAction) -> String {
    let line = action.command().split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MAX_HOOK_NAME_CHARS - 1) {
        Some((end, _)) if line.chars().count() > MAX_HOOK_NAME_CHARS => format!("{}…", &line[..end]),
        _ => line,
    }
}

/// A text of at most [`MAX_HOOK_TEXT_CHARS`] characters.
pub(crate) fn bounded(text: &str) -> String {
    let text = text.trim();
    match text.char_indices().nth(MAX_HOOK_TEXT_CHARS) {
        Some((end, _)) => format!("{}\n[… cut after {MAX_HOOK_TEXT_CHARS} characters]", &text[..end]),
        None => text.to_owned(),
    }
}
