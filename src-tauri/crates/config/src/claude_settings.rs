//! `.claude/settings.json` and `.claude/settings.local.json`, in which other agents keep a project's hooks and permissions.
//!
//! Arki takes the hooks, and of the permissions those that deny or ask: a project can't allow itself anything. An entry
//! that no rule of ours means exactly becomes the stricter one. That, and what is passed over, is told in [`notes`].
//!
//! [`notes`]: ClaudeSettings::notes

use super::file::ConfigFile;
use super::hooks::{self, HookConfig};
use super::invalid::invalid;
use arki_domain::{Decision, Error};
use arki_policy::{PolicyRule, RuleDefinition};
use arki_tools::{Hook, HookOrigin, tools_named};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The part of such a file that holds in Arki.
#[derive(Debug, Default)]
pub struct ClaudeSettings {
    pub hooks: Vec<Hook>,
    /// They deny or ask.
    pub rules: Vec<PolicyRule>,
    /// A sentence for each setting that is ignored, or applied more strictly than it's written.
    pub notes: Vec<String>,
}

impl ClaudeSettings {
    /// # Errors
    /// `CONFIG_INVALID` where what it denies can't be read.
    pub fn parse(text: &str, name: &'static str, path: &Path) -> Result<Self, Error> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let value: Value = jsonc_parser::parse_to_serde_value(text, &jsonc_parser::ParseOptions::default())
            .map_err(|error| invalid(path, &error.to_string()))?;
        let mut file = object(&value, "the file").map_err(|what| invalid(path, &what))?;
        let permissions = file.remove("permissions").unwrap_or(json!({}));
        let mut permissions = object(&permissions, "\"permissions\"").map_err(|what| invalid(path, &what))?;
        let mut settings = Self::default();
        for (key, decision) in [("deny", Decision::Deny), ("ask", Decision::Approval)] {
            let entries = permissions.remove(key).unwrap_or(json!([]));
            let entries =
                entries.as_array().ok_or_else(|| invalid(path, &format!("\"permissions.{key}\" is not a list")));
            for entry in entries? {
                settings.add_rules(entry, decision, name).map_err(|what| invalid(path, &what))?;
            }
        }
        let hooks = file.remove("hooks");
        if file.remove("disableAllHooks") != Some(Value::Bool(true)) {
            settings.add_hooks(&hooks.unwrap_or_default(), name, path);
        }
        file.remove("$schema");
        let ignored = file.into_iter().map(|(key, _)| key);
        let ignored: BTreeSet<String> =
            ignored.chain(permissions.into_iter().map(|(key, _)| format!("permissions.{key}"))).collect();
        if !ignored.is_empty() {
            let ignored: Vec<String> = ignored.into_iter().collect();
            settings.notes.insert(0, format!("Arki ignores {} of {name}.", ignored.join(", ")));
        }
        Ok(settings)
    }

    fn add_hooks(&mut self, hooks: &Value, name: &'static str, path: &Path) {
        for (event, entries) in hooks.as_object().into_iter().flatten() {
            for entry in entries.as_array().into_iter().flatten().flat_map(one_by_one) {
                match hooks_of(event, entry, name, path) {
                    Ok(hooks) => self.hooks.extend(hooks),
                    Err(what) => self.notes.push(format!("A hook for {event:?} in {name} is left out: {what}")),
                }
            }
        }
    }

    fn add_rules(&mut self, entry: &Value, decision: Decision, name: &str) -> Result<(), String> {
        let (written, meant) = match (entry.as_str(), entry.as_object()) {
            (Some(text), _) => (text.to_owned(), meant_by(text)),
            (None, Some(parts)) => (entry.to_string(), meant_by_object(parts)?),
            (None, None) => return Err(format!("{entry} is not a permission")),
        };
        let does = if decision == Decision::Deny { "denies" } else { "asks about" };
        for mut rule in meant.rules {
            rule["decision"] = json!(decision);
            rule["reason"] = json!(format!("{name} {does} {written}."));
            let rule: RuleDefinition = serde_json::from_value(rule).map_err(|error| error.to_string())?;
            let rule = PolicyRule::new(rule, name, self.rules.len() + 1);
            self.rules.push(rule.map_err(|error| format!("{written}: {error}"))?);
        }
        self.notes.extend(meant.note.map(|note| format!("{name}: {written} {}.", note.replace("{does}", does))));
        Ok(())
    }
}

fn object(value: &Value, what: &str) -> Result<Map<String, Value>, String> {
    value.as_object().cloned().ok_or_else(|| format!("{what} is not an object in braces"))
}

/// An entry with several hooks behind one matcher, as one entry each: what Arki can't do takes no other along.
fn one_by_one(entry: &Value) -> Vec<Value> {
    let Some(hooks) = entry.get("hooks").and_then(Value::as_array) else { return vec![entry.clone()] };
    let with = |hook: &Value| {
        let mut entry = entry.clone();
        entry["hooks"] = json!([hook]);
        entry
    };
    hooks.iter().map(with).collect()
}

fn hooks_of(event: &str, entry: Value, name: &'static str, path: &Path) -> Result<Vec<Hook>, String> {
    let entry: HookConfig = serde_json::from_value(entry).map_err(|error| format!("{error}."))?;
    let file = ConfigFile { hooks: BTreeMap::from([(event.to_owned(), vec![entry])]), ..ConfigFile::default() };
    hooks::of_file(&file, HookOrigin::Project(name), path).map_err(|fault| fault.message)
}

/// The rules that an entry stands for, without their decision, and what the user is told where they aren't just that.
struct Meant {
    rules: Vec<Value>,
    note: Option<String>,
}

impl Meant {
    fn exactly(rules: Vec<Value>) -> Self {
        Self { rules, note: None }
    }

    fn wider(rules: Vec<Value>, also: &str) -> Self {
        Self { rules, note: Some(format!("also {{does}} {also}")) }
    }

    fn nothing(why: &str) -> Self {
        Self { rules: Vec::new(), note: Some(format!("has no effect in Arki: {why}")) }
    }
}

/// The form with the parts apart: a file, or a command with its first arguments.
fn meant_by_object(parts: &Map<String, Value>) -> Result<Meant, String> {
    let text = |key: &str| parts.get(key).and_then(Value::as_str);
    let args = parts.get("args").and_then(Value::as_array).into_iter().flatten();
    let args: Option<Vec<&str>> = args.map(Value::as_str).collect();
    match (text("path"), text("command"), args) {
        (Some(path), None, _) => Ok(files(&[], path)),
        (None, Some(command), Some(args)) => {
            let command: Vec<&str> = [command].into_iter().chain(args).collect();
            Ok(Meant::exactly(vec![json!({ "tool": "run_command", "command": command })]))
        }
        _ => Err(format!("{} names neither a \"path\" nor a \"command\"", Value::Object(parts.clone()))),
    }
}

/// `Tool` or `Tool(what)`.
fn meant_by(entry: &str) -> Meant {
    let entry = entry.trim();
    let (tool, what) = entry.split_once('(').map_or((entry, ""), |(tool, what)| (tool.trim(), what));
    let what = what.strip_suffix(')').unwrap_or(what).trim();
    let (is_read, is_edit) =
        (matches!(tool, "Read" | "NotebookRead"), matches!(tool, "Edit" | "MultiEdit" | "NotebookEdit" | "Write"));
    let theirs = match tool {
        _ if is_read => vec!["Read", "Grep", "Glob", "LS"],
        _ if is_edit => vec!["Edit", "Write"],
        _ => vec![tool],
    };
    let mut named: Vec<&str> = theirs.into_iter().flat_map(tools_named).collect();
    named.extend(is_edit.then_some("take_changes"));
    named.sort_unstable();
    named.dedup();
    let all = || named.iter().map(|tool| json!({ "tool": tool })).collect();
    match (tool, what) {
        (remote, _) if remote.starts_with("mcp__") => remote_tool(remote),
        _ if named.is_empty() => Meant::nothing(&format!("it has no tool {tool}")),
        (_, "" | "*") => Meant::exactly(all()),
        ("Bash", line) => commands(line),
        ("WebFetch", host) if host.starts_with("domain:") => {
            let host = host.trim_start_matches("domain:").trim().to_lowercase();
            Meant::exactly(vec![json!({ "tool": "fetch_url", "host": host })])
        }
        (_, path) if is_read => files(&[], path),
        (_, path) if is_edit || matches!(tool, "Glob" | "Grep" | "LS") => files(&named, path),
        _ => Meant::wider(all(), &format!("every other call of {}", named.join(", "))),
    }
}

/// A server's name alone is all of its tools.
fn remote_tool(name: &str) -> Meant {
    let is_server = !name["mcp__".len()..].contains("__");
    Meant::exactly(vec![json!({ "tool": if is_server { format!("{name}__*") } else { name.to_owned() } })])
}

/// A command line of theirs is a pattern of the whole line, one of ours the beginning of its words. The words before the
/// first that is not plain stand for more than was written.
fn commands(line: &str) -> Meant {
    let is_plain = |word: &&str| !word.chars().any(|c| "*?[]{}\"'\\|;&$<>()`!~#".contains(c));
    let start = line.strip_suffix(":*").or_else(|| line.strip_suffix(" *"));
    let words: Vec<&str> = start.unwrap_or(line).split_whitespace().collect();
    let plain: Vec<&str> = words.iter().copied().take_while(is_plain).collect();
    if plain.is_empty() {
        return Meant::wider(vec![json!({ "tool": "run_command" })], "every other command");
    }
    let rules = vec![json!({ "tool": "run_command", "command": plain })];
    match start.is_some() && plain.len() == words.len() {
        true => Meant::exactly(rules),
        false => Meant::wider(rules, &format!("every other command that begins with {}", plain.join(" "))),
    }
}

/// A path as `.gitignore` has it, for some tools or for all; a folder is all that is in it.
fn files(tools: &[&str], path: &str) -> Meant {
    let is_outside = path.starts_with("//") || path.starts_with('~') || path.split('/').any(|part| part == "..");
    let inner = path.trim_start_matches("./").trim_start_matches('/');
    if is_outside || inner.is_empty() {
        return Meant::nothing("it lies outside the project, where file tools don't reach and commands ask");
    }
    let is_name = !path.starts_with("./") && !path.trim_end_matches('/').contains('/');
    let glob = if is_name { format!("**/{inner}") } else { inner.to_owned() };
    let within = (!glob.ends_with(['*', '/'])).then(|| format!("{glob}/**"));
    let rules = [glob].into_iter().chain(within).flat_map(|glob| match tools {
        [] => vec![json!({ "path": glob })],
        tools => tools.iter().map(|tool| json!({ "tool": tool, "path": glob })).collect(),
    });
    Meant::exactly(rules.collect())
}

#[cfg(test)]
mod tests;
