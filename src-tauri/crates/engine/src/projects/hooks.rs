//! The hooks of a folder, those included that don't run there, and why they don't; and whether all that a project's hook or
//! checker runs is what the user agreed to: each file that its line leads to, and where not everything can be pinned, the
//! line itself.

use crate::projects::config_in_force::ProjectConfig;
use crate::projects::open::kind_word;
use crate::{OpenProject, Projects};
use arki_api::{HookActionKind, HookEntries, HookEntry, HookOffReason};
use arki_config::{PROJECT_CONFIG, hooks_of_file, placed_hooks_of_file};
use arki_context::imports_of;
use arki_domain::Error;
use arki_files::{CLAUDE_SETTINGS, PinKind, Project, Readers, follow, unpinned_pin};
use arki_policy::shell_runs;
use arki_redaction::Redactor;
use arki_store::TrustRecord;
use arki_tools::{Hook, HookAction, HookCommand, HookOrigin};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

/// The hooks of the user and of a folder, or of the user alone where there is none, in the order in which they run.
///
/// # Errors
/// When the folder can't be opened, or the user's own configuration has an error.
pub fn list_hooks(projects: &Projects, folder: Option<&Path>) -> Result<HookEntries, Error> {
    let redactor = projects.records.redactor();
    let path = projects.records.directories().config_file();
    let of_user = placed_hooks_of_file(&projects.accounts.user_file()?, HookOrigin::User, &path)?;
    let origin = path.display().to_string();
    let written = projects.accounts.user_values()?;
    let own = |(hook, key): &(Hook, String), off: Option<Off>| HookEntry {
        entry: entry_at(&written, key).map(|value| redactor.redact_json(value)),
        key: Some(key.clone()),
        ..entry(hook, &origin, off, redactor)
    };
    let Some(folder) = folder else {
        let hooks = of_user.iter().map(|hook| own(hook, None)).collect();
        return Ok(HookEntries { hooks, refused: None });
    };
    let open = projects.load_project(folder)?;
    let entry = |hook: &Hook, origin: &str| entry(hook, origin, off(hook, &open), redactor);
    let mut hooks: Vec<HookEntry> = of_user.iter().map(|placed| own(placed, off(&placed.0, &open))).collect();
    let of_project = of_project(&open);
    let refused = of_project.as_ref().err().cloned().map(Into::into);
    hooks.extend(of_project.iter().flatten().map(|hook| match hook.origin {
        HookOrigin::Project(file) => entry(hook, file),
        HookOrigin::User => entry(hook, &origin),
    }));
    Ok(HookEntries { hooks, refused })
}

/// The value at a key such as `hooks.Stop[0]`.
fn entry_at(written: &Value, key: &str) -> Option<Value> {
    let (list, index) = key.strip_prefix("hooks.")?.strip_suffix(']')?.rsplit_once('[')?;
    written["hooks"].get(list)?.get(index.parse::<usize>().ok()?).cloned()
}

fn of_project(open: &OpenProject) -> Result<Vec<Hook>, Error> {
    let project = ProjectConfig::of(open);
    let mut hooks = match project.text_and_file()? {
        Some((text, file)) => {
            hooks_of_file(&arki_config::parse(text, file)?, HookOrigin::Project(PROJECT_CONFIG), file)?
        }
        None => Vec::new(),
    };
    for name in CLAUDE_SETTINGS {
        hooks.extend(ProjectConfig::read(&open.project, open.trust.as_ref(), name).claude_settings()?.hooks);
    }
    Ok(hooks)
}

/// Why a hook is off, and of one that can't be pinned, why it can't.
type Off = (HookOffReason, Option<String>);

fn off(hook: &Hook, open: &OpenProject) -> Option<Off> {
    if !open.is_trusted() {
        return Some((HookOffReason::Untrusted, None));
    }
    let HookOrigin::Project(file) = hook.origin else { return None };
    if ProjectConfig::read(&open.project, open.trust.as_ref(), file).agreed_text().is_none() {
        return Some((HookOffReason::ConfigurationChanged, None));
    }
    if hook.action.file().is_some_and(|path| open.agreed_hook_text(path).is_none()) {
        return Some((HookOffReason::ScriptChanged, None));
    }
    match open.line_standing(hook.origin, hook.action.line()?, false) {
        LineAgreement::Agreed => None,
        LineAgreement::Changed => Some((HookOffReason::ScriptChanged, None)),
        LineAgreement::Unpinned(why) => Some((HookOffReason::Unpinned, Some(why))),
    }
}

fn entry(hook: &Hook, origin: &str, off: Option<Off>, redactor: &Redactor) -> HookEntry {
    let redacted = |text: &str| redactor.redact(text).into_owned();
    let (action, does) = match &hook.action {
        HookAction::Command(HookCommand { line, .. }) | HookAction::Off { line, .. } => (HookActionKind::Command, line),
        HookAction::Inject(text) => (HookActionKind::Inject, text),
        HookAction::Log(text) => (HookActionKind::Log, text),
        HookAction::Remind(text) => (HookActionKind::Remind, text),
    };
    let command = match &hook.action {
        HookAction::Command(command) => Some(command),
        HookAction::Inject(_) | HookAction::Log(_) | HookAction::Remind(_) | HookAction::Off { .. } => None,
    };
    let (off, unpinned) = off.map_or((None, None), |(off, why)| (Some(off), why));
    HookEntry {
        name: redacted(&hook.name),
        event: hook.event,
        condition: redacted(hook.condition.words()),
        action,
        does: redacted(does),
        timeout_seconds: command.map(|command| command.time_limit.as_secs()),
        network: command.is_some_and(|command| command.network),
        origin: origin.to_owned(),
        enabled: off.is_none(),
        off,
        unpinned: unpinned.map(|why| redacted(&why)),
        key: None,
        entry: None,
    }
}

pub(crate) const READERS: Readers = Readers { imports: imports_of, runs: shell_runs };

/// How a line stands to what the user agreed to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum LineAgreement {
    Agreed,
    /// A file that it leads to is new, another one or gone, or can't be read.
    Changed,
    /// Why not everything that it runs can be pinned, to which nobody agreed.
    Unpinned(String),
}

/// `file` is the configuration in which the line stands. Blocking: it reads all that the line leads to.
pub(crate) fn line_standing(
    trust: Option<&TrustRecord>,
    project: &Project,
    (file, line): (&str, &str),
    is_checker: bool,
) -> LineAgreement {
    let Ok(followed) = follow(project, line, READERS.runs) else { return LineAgreement::Changed };
    let word = kind_word(PinKind::Hook);
    let records = || trust.iter().filter(|trust| trust.trusted).flat_map(|trust| &trust.pins).map(|record| &record.pin);
    let agreed = records().filter(|pin| pin.kind == word && followed.covers(&pin.path));
    let agreed: BTreeSet<(&str, &str)> = agreed.map(|pin| (&*pin.path, &*pin.hash)).collect();
    let current = followed.pins();
    if agreed != current.iter().map(|pin| (&*pin.path, &*pin.hash)).collect() {
        return LineAgreement::Changed;
    }
    let Some(why) = followed.unpinned(is_checker) else { return LineAgreement::Agreed };
    let (asked, word) = (unpinned_pin(file, line, &why), kind_word(PinKind::UnpinnedHook));
    let is_asked = |pin: &arki_domain::TrustPin| (&pin.kind, &pin.path, &pin.hash) == (&word, &asked.path, &asked.hash);
    if records().any(is_asked) { LineAgreement::Agreed } else { LineAgreement::Unpinned(why) }
}
