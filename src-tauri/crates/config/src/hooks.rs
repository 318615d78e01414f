//! Hooks as they are configured: in Arki's own form, and in the one that other agents use.
//!
//! `{"condition": {"toolName": ["edit_file"]}, "command": "cargo fmt"}` is one hook; `{"matcher": "Edit|Write", "hooks":
//! [{"type": "command", "command": "…"}]}` is as many as its list has. A hook that can't do what it says is an error:
//! somebody may rely on it.

use super::ConfigFile;
use super::invalid::invalid;
use arki_domain::{Error, HookEvent};
use arki_tools::{
    DEFAULT_HOOK_TIME, Hook, HookAction, HookCommand, HookCondition, HookOrigin, MAX_HOOK_NAME_CHARS, MAX_HOOK_TIME,
    MAX_HOOKS, hook_name_of,
};
use schemars::JsonSchema;
use serde::Deserialize;
use std::path::Path;
use std::time::Duration;

/// A hook, or several behind one matcher.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[schemars(extend("examples" = [{ "command": "cargo fmt" }]))]
pub struct HookConfig {
    /// The name in the log and in rules (`hook:NAME`); if absent, the command.
    pub name: Option<String>,
    pub condition: Option<HookConditionConfig>,
    /// The action; `command` if a command is given.
    pub action: Option<HookActionWord>,
    /// A shell line, run in the project's folder.
    pub command: Option<String>,
    /// The text for `inject`, `log` and `remind`.
    pub text: Option<String>,
    /// Another word for `text`.
    pub message: Option<String>,
    /// Another word for `text`.
    pub content: Option<String>,
    /// The time limit of the command; 60 if absent.
    #[schemars(range(min = 1, max = 600))]
    pub timeout_seconds: Option<u64>,
    /// Let the command use the network. Only the user can set it.
    pub network: Option<bool>,
    /// A regular expression for the names of tools, or for the kind of an event without one.
    pub matcher: Option<String>,
    pub hooks: Option<Vec<MatchedHookConfig>>,
    /// A note for people; it has no effect.
    pub description: Option<String>,
}

/// All of its parts have to hold.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct HookConditionConfig {
    /// Names of tools, Arki's or other agents'; `*` stands for anything.
    pub tool_name: Vec<String>,
    /// Globs of paths, relative to the project.
    pub path: Vec<String>,
    /// Globs of commands, matched against every command of a line.
    pub command: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum HookActionWord {
    Command,
    Inject,
    Log,
    Remind,
}

/// A hook behind a matcher.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct MatchedHookConfig {
    /// `command`; other agents have kinds that Arki doesn't.
    pub r#type: Option<String>,
    pub command: Option<String>,
    /// The time limit in seconds.
    #[schemars(range(min = 1, max = 600))]
    pub timeout: Option<u64>,
    /// A note for people; it has no effect.
    pub description: Option<String>,
    /// A note for people; it has no effect.
    pub status_message: Option<String>,
}

pub(crate) fn event_names() -> Vec<&'static str> {
    HookEvent::ALL.iter().map(|event| event.name()).collect()
}

/// The hooks of a configuration file, by event and in the order in which they stand there.
///
/// # Errors
/// `CONFIG_INVALID` with the hook's place.
pub fn of_file(file: &ConfigFile, origin: HookOrigin, path: &Path) -> Result<Vec<Hook>, Error> {
    Ok(placed(file, origin, path)?.into_iter().map(|(hook, _)| hook).collect())
}

/// The same, each with the key of its entry, such as `hooks.Stop[0]`.
///
/// # Errors
/// `CONFIG_INVALID` with the hook's place.
pub fn placed(file: &ConfigFile, origin: HookOrigin, path: &Path) -> Result<Vec<(Hook, String)>, Error> {
    let mut hooks = Vec::new();
    for (name, entries) in &file.hooks {
        let (event, kind) = event_of(name).map_err(|what| invalid(path, &what))?;
        for (index, entry) in entries.iter().enumerate() {
            let key = format!("hooks.{name}[{index}]");
            let entry_hooks = of_entry(entry, event, kind, origin);
            let entry_hooks = entry_hooks.map_err(|what| invalid(path, &format!("\"{key}\" {what}")))?;
            hooks.extend(entry_hooks.into_iter().map(|hook| (hook, key.clone())));
        }
    }
    if hooks.len() > MAX_HOOKS {
        return Err(invalid(path, &format!("it has {} hooks; the limit is {MAX_HOOKS}", hooks.len())));
    }
    Ok(hooks)
}

/// The event of a key, and the kind of it that a key such as `SessionStart:compact` names.
fn event_of(key: &str) -> Result<(HookEvent, Option<&str>), String> {
    let (name, kind) = key.split_once(':').map_or((key, None), |(name, kind)| (name, Some(kind)));
    let known = HookEvent::of_name(name);
    match (known, kind) {
        (Some(event), None) => Ok((event, None)),
        (Some(event), Some(kind)) if !event.is_of_call() => Ok((event, Some(kind))),
        _ => {
            let nearest = event_names().into_iter().min_by_key(|known| strsim::damerau_levenshtein(known, name));
            let nearest = nearest.map(|known| format!(" Did you mean \"{known}\"?")).unwrap_or_default();
            Err(format!("Unknown hook event \"{key}\".{nearest} The events are {}", event_names().join(", ")))
        }
    }
}

fn of_entry(entry: &HookConfig, event: HookEvent, kind: Option<&str>, origin: HookOrigin) -> Result<Vec<Hook>, String> {
    if entry.network == Some(true) && origin != HookOrigin::User {
        return Err("asks for network access, which only your own configuration can give".to_owned());
    }
    let Some(behind) = &entry.hooks else {
        let action = action_of(entry)?;
        match (action.file(), origin) {
            (Some(_), HookOrigin::User) => return Err("names a file, which only a project's hook may do".to_owned()),
            (Some(path), _) if path.is_empty() || path.split(['/', '\\']).any(|part| part == "..") => {
                return Err("names a file outside the project".to_owned());
            }
            _ => {}
        }
        let condition = condition_of(entry, event, kind)?;
        return Ok(vec![Hook { name: name_of(entry, &action)?, event, condition, action, origin }]);
    };
    if entry.action.is_some() || entry.command.is_some() || entry.condition.is_some() || text_of(entry)?.is_some() {
        return Err("has \"hooks\" of its own, which only go with a \"matcher\"".to_owned());
    }
    let hook = |(index, matched): (usize, &MatchedHookConfig)| {
        let action = action_of_matched(matched, entry).map_err(|what| format!("(\"hooks[{index}]\") {what}"))?;
        let condition = condition_of(entry, event, kind)?;
        Ok(Hook { name: name_of(entry, &action)?, event, condition, action, origin })
    };
    behind.iter().enumerate().map(hook).collect()
}

fn condition_of(entry: &HookConfig, event: HookEvent, kind: Option<&str>) -> Result<HookCondition, String> {
    let matcher = match (kind, &entry.matcher) {
        (Some(_), Some(_)) => return Err("has both a \"matcher\" and a kind after its event".to_owned()),
        (Some(kind), None) => Some(kind),
        (None, matcher) => matcher.as_deref(),
    };
    match (matcher, &entry.condition) {
        (Some(_), Some(_)) => Err("has both \"matcher\" and \"condition\"".to_owned()),
        (None, Some(_)) if !event.is_of_call() => {
            Err(format!("has a \"condition\", but {event} doesn't involve a tool"))
        }
        (None, Some(condition)) => HookCondition::new(&condition.tool_name, &condition.path, &condition.command),
        (Some(matcher), None) => HookCondition::of_matcher(matcher),
        (None, None) if entry.hooks.is_some() => HookCondition::of_matcher(""),
        (None, None) => Ok(HookCondition::default()),
    }
}

fn action_of(entry: &HookConfig) -> Result<HookAction, String> {
    let text = text_of(entry)?;
    let word = match (entry.action, &entry.command) {
        (Some(word), _) => word,
        (None, Some(_)) => HookActionWord::Command,
        (None, None) => return Err("has neither \"command\" nor \"action\"".to_owned()),
    };
    if word == HookActionWord::Command {
        let line = entry.command.as_deref().ok_or("has no \"command\"")?;
        return command_of(line, entry.timeout_seconds, entry).map(HookAction::Command);
    }
    if entry.command.is_some() || entry.timeout_seconds.is_some() {
        return Err("has a \"command\" or a time limit, which only go with the action \"command\"".to_owned());
    }
    let text = text.filter(|text| !text.trim().is_empty()).ok_or("has no \"text\"")?.to_owned();
    Ok(match word {
        HookActionWord::Inject => HookAction::Inject(text),
        HookActionWord::Log => HookAction::Log(text),
        HookActionWord::Remind | HookActionWord::Command => HookAction::Remind(text),
    })
}

fn action_of_matched(matched: &MatchedHookConfig, entry: &HookConfig) -> Result<HookAction, String> {
    if let Some(kind) = matched.r#type.as_deref().filter(|kind| *kind != "command") {
        return Err(format!("has the type {kind:?}, but Arki only runs commands"));
    }
    let line = matched.command.as_deref().ok_or("has no \"command\"")?;
    command_of(line, matched.timeout.or(entry.timeout_seconds), entry).map(HookAction::Command)
}

fn command_of(line: &str, seconds: Option<u64>, entry: &HookConfig) -> Result<HookCommand, String> {
    if line.trim().is_empty() || line.contains('\0') {
        return Err("has an empty \"command\"".to_owned());
    }
    let time_limit = seconds.map_or(DEFAULT_HOOK_TIME, Duration::from_secs);
    if time_limit.is_zero() || time_limit > MAX_HOOK_TIME {
        return Err(format!("has a time limit that is not from 1 to {} seconds", MAX_HOOK_TIME.as_secs()));
    }
    Ok(HookCommand { line: line.to_owned(), time_limit, network: entry.network.unwrap_or(false) })
}

fn text_of(entry: &HookConfig) -> Result<Option<&str>, String> {
    let mut texts = [&entry.text, &entry.message, &entry.content].into_iter().flatten();
    match (texts.next(), texts.next()) {
        (Some(_), Some(_)) => Err("has its text twice".to_owned()),
        (text, _) => Ok(text.map(String::as_str)),
    }
}

fn name_of(entry: &HookConfig, action: &HookAction) -> Result<String, String> {
    let Some(name) = &entry.name else { return Ok(hook_name_of(action)) };
    let is_plain = !name.trim().is_empty() && !name.chars().any(char::is_control);
    if !is_plain || name.chars().count() > MAX_HOOK_NAME_CHARS {
        return Err(format!("has a name that is not one line of up to {MAX_HOOK_NAME_CHARS} characters"));
    }
    Ok(name.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    fn hooks_of(text: &str, origin: HookOrigin) -> Result<Vec<Hook>, Error> {
        let path = Path::new("config.json");
        of_file(&parse(text, path)?, origin, path)
    }

    fn of_user(text: &str) -> Result<Vec<Hook>, Error> {
        hooks_of(text, HookOrigin::User)
    }

    #[test]
    fn both_forms_are_understood() {
        let hooks = of_user(
            r#"{"hooks": {
                "PreToolUse": [{"condition": {"toolName": ["run_command"], "path": ["src/**"]}, "action": "command",
                                "command": "./check.sh", "timeoutSeconds": 10}],
                "PostToolUse": [
                    {"matcher": "Edit|Write", "hooks": [
                        {"type": "command", "command": "npx prettier --write x", "timeout": 5},
                        {"type": "command", "command": "echo done"}]},
                    {"name": "note", "action": "log", "message": "{{tool}}"}]}}"#,
        )
        .unwrap();
        let told: Vec<(&str, &str, u64)> = hooks
            .iter()
            .map(|hook| match &hook.action {
                HookAction::Command(command) => (hook.name.as_str(), hook.event.name(), command.time_limit.as_secs()),
                HookAction::Inject(_) | HookAction::Log(_) | HookAction::Remind(_) | HookAction::Off { .. } => {
                    (hook.name.as_str(), hook.event.name(), 0)
                }
            })
            .collect();
        let expected = [
            ("npx prettier --write x", "PostToolUse", 5),
            ("echo done", "PostToolUse", 60),
            ("note", "PostToolUse", 0),
            ("./check.sh", "PreToolUse", 10),
        ];
        assert_eq!(told, expected);
    }

    #[test]
    fn what_cannot_be_done_is_an_error_with_its_place() {
        let check = |hooks: &str, words: &str| {
            let fault = of_user(&format!(r#"{{"hooks": {hooks}}}"#)).unwrap_err();
            assert!(fault.message.contains(words) || fault.hint.contains(words), "{hooks}: {fault:?}");
        };
        check(r#"{"PreToolUze": []}"#, "Did you mean \"PreToolUse\"?");
        check(r#"{"PreToolUse": [{"comand": "x"}]}"#, "Did you mean \"command\"?");
        check(r#"{"PreToolUse": [{"matcher": "Edit(", "hooks": []}, {"matcher": "(", "command": "x"}]}"#, "[1]");
        check(r#"{"PreToolUse": [{}]}"#, "\"hooks.PreToolUse[0]\" has neither");
        check(r#"{"PreToolUse": [{"action": "log"}]}"#, "no \"text\"");
        check(r#"{"PreToolUse": [{"action": "log", "text": "a", "message": "b"}]}"#, "twice");
        check(r#"{"PreToolUse": [{"command": "x", "timeoutSeconds": 601}]}"#, "from 1 to 600");
        check(r#"{"PreToolUse": [{"command": " "}]}"#, "empty");
        check(r#"{"PreToolUse": [{"hooks": [{"type": "prompt", "command": "x"}]}]}"#, "only runs commands");
        check(r#"{"PreToolUse": [{"command": "x", "condition": {"path": ["["]}}]}"#, "not a glob");
        check(r#"{"PreToolUse:x": [{"command": "x"}]}"#, "Unknown hook event");
    }

    #[test]
    fn only_the_user_gives_a_hook_the_network() {
        let text = r#"{"hooks": {"PreToolUse": [{"command": "curl x", "network": true}]}}"#;
        let HookAction::Command(command) = &of_user(text).unwrap()[0].action else { panic!("a command") };
        assert!(command.network);
        assert!(
            hooks_of(text, HookOrigin::Project("config.json"))
                .unwrap_err()
                .message
                .contains("only your own configuration")
        );
    }
}
