//! The hooks of a folder, those included that don't run there, and why they don't.

use crate::config::{self, hooks_of_file};
use crate::projects::Projects;
use crate::projects::config_in_force::{PROJECT_CONFIG, ProjectConfig};
use crate::projects::open::OpenProject;
use arki_domain::{Fault, HookEvent};
use arki_tools::{Hook, HookAction, HookOrigin};
use serde::Serialize;
use std::path::Path;

/// The hooks of the user's configuration and of the project's, in the order in which they run.
#[derive(Debug, Clone)]
pub struct HookList {
    pub hooks: Vec<ListedHook>,
    /// Why the project's configuration, and so its hooks, can't be used.
    pub refused: Option<Fault>,
}

/// A hook as people see it.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListedHook {
    pub name: String,
    pub event: HookEvent,
    /// As it was written; empty for all.
    pub condition: String,
    /// `command`, `inject`, `log` or `remind`.
    pub action: &'static str,
    /// The shell line or the text.
    pub does: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_seconds: Option<u64>,
    pub network: bool,
    /// The configuration file.
    pub origin: String,
    pub enabled: bool,
    /// Why it isn't.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub off: Option<HookOff>,
}

/// The reason why a hook doesn't run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HookOff {
    Untrusted,
    ConfigurationChanged,
    ScriptChanged,
}

impl HookOff {
    /// A clause for people.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Untrusted => "this folder isn't trusted",
            Self::ConfigurationChanged => "the project's configuration changed since you approved it",
            Self::ScriptChanged => "a script that it names changed since you approved it",
        }
    }
}

impl Projects {
    /// Returns the hooks of a folder.
    ///
    /// # Errors
    /// When the folder can't be opened, or the user's own configuration has an error.
    pub fn hooks(&self, folder: &Path) -> Result<HookList, Fault> {
        let open = self.load_project(folder)?;
        let path = self.records.directories().config_file();
        let of_user = hooks_of_file(&self.accounts.user_file()?, HookOrigin::User, &path)?;
        let mut list = HookList { hooks: Vec::new(), refused: None };
        list.hooks.extend(of_user.iter().map(|hook| listed(hook, &path.display().to_string(), off(hook, &open))));
        match of_project(&open) {
            Ok(hooks) => list.hooks.extend(hooks.iter().map(|hook| listed(hook, PROJECT_CONFIG, off(hook, &open)))),
            Err(fault) => list.refused = Some(fault),
        }
        Ok(list)
    }
}

fn of_project(open: &OpenProject) -> Result<Vec<Hook>, Fault> {
    let project = ProjectConfig::of(open);
    let Some((text, file)) = project.text_and_file()? else { return Ok(Vec::new()) };
    hooks_of_file(&config::parse(text, file)?, HookOrigin::Project, file)
}

fn off(hook: &Hook, open: &OpenProject) -> Option<HookOff> {
    if !open.is_trusted() {
        return Some(HookOff::Untrusted);
    }
    if hook.origin == HookOrigin::User {
        return None;
    }
    if ProjectConfig::of(open).agreed_text().is_none() {
        return Some(HookOff::ConfigurationChanged);
    }
    match &hook.action {
        HookAction::Command(command) if !open.has_agreed_hook_programs(&command.line) => Some(HookOff::ScriptChanged),
        _ => None,
    }
}

fn listed(hook: &Hook, origin: &str, off: Option<HookOff>) -> ListedHook {
    let (does, timeout_seconds, network) = match &hook.action {
        HookAction::Command(command) => (&command.line, Some(command.time_limit.as_secs()), command.network),
        HookAction::Inject(text) | HookAction::Log(text) | HookAction::Remind(text) => (text, None, false),
    };
    ListedHook {
        name: hook.name.clone(),
        event: hook.event,
        condition: hook.condition.words().to_owned(),
        action: hook.action.word(),
        does: does.clone(),
        timeout_seconds,
        network,
        origin: origin.to_owned(),
        enabled: off.is_none(),
        off,
    }
}
