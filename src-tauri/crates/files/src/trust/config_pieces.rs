//! Pins for the parts of the project configuration that start processes. Pure.

use jsonc_parser::ParseOptions;
use serde_json::Value;

use super::{PIECE_OF_HOOKS, Pin, PinKind};
use crate::change_set::content_hash;

/// Nothing for a configuration that can't be parsed: it enables nothing, and as a whole it is pinned anyway.
pub(super) fn pins(path: &str, bytes: &[u8]) -> Vec<Pin> {
    let Some(config) = parse(bytes) else { return Vec::new() };
    let hooks = config.get("hooks").filter(|hooks| !is_empty(hooks));
    let hooks = hooks.map(|hooks| pin(PinKind::Hook, format!("{path}{PIECE_OF_HOOKS}"), hooks));
    let checkers = config.pointer("/diagnostics/commands").filter(|checkers| !is_empty(checkers));
    let checkers = checkers.map(|checkers| pin(PinKind::Hook, format!("{path}#diagnostics"), checkers));
    let servers = config.get("mcpServers").and_then(Value::as_object);
    let servers = servers.into_iter().flatten().map(|(name, server)| Pin {
        note: Some(words(server)),
        ..pin(PinKind::McpServer, format!("{path}#mcpServers.{name}"), server)
    });
    hooks.into_iter().chain(checkers).chain(servers).collect()
}

/// The limit for the shown part of a server's command line and address.
const MAX_SHOWN_CHARS: usize = 160;

/// Returns what a server does, as far as its configuration says: what it runs or where it is, whether it has the
/// network, and what it is told of the user's.
fn words(server: &Value) -> String {
    let text = |key: &str| server.get(key).and_then(Value::as_str);
    let what = match (text("command"), text("url")) {
        (Some(command), _) => {
            let args = server.get("args").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
            let line: Vec<&str> = std::iter::once(command).chain(args).collect();
            let network = match server.get("network") {
                Some(Value::Bool(true)) => "It may use the network.",
                _ => "It has no network.",
            };
            format!("Runs {}. {network}", shown(&line.join(" ")))
        }
        (None, Some(url)) => {
            format!("Sends its tools' arguments over the network, to {}.", shown(&bare(url)))
        }
        (None, None) => "Names neither a program nor an address.".to_owned(),
    };
    let mut variables = variables(&server.to_string());
    variables.dedup();
    match variables.is_empty() {
        true => what,
        false => format!("{what} It is given your environment's {}.", shown(&variables.join(", "))),
    }
}

fn shown(text: &str) -> String {
    let cut: String = text.chars().take(MAX_SHOWN_CHARS).collect();
    if cut.len() < text.len() { format!("{cut}…") } else { cut }
}

/// Returns the URL without a name and password.
fn bare(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    format!("{scheme}://{}{path}", authority.rsplit('@').next().unwrap_or(authority))
}

/// Returns the names in `${NAME}` and `${NAME:-otherwise}`, in order.
fn variables(text: &str) -> Vec<String> {
    let pieces = text.split("${").skip(1).filter_map(|piece| piece.split_once('}'));
    let mut names: Vec<String> =
        pieces.map(|(named, _)| named.split(":-").next().unwrap_or(named).to_owned()).collect();
    names.sort();
    names
}

/// Arguments with these endings are programs that an interpreter runs.
const SCRIPTS: &[&str] = &[
    "bat", "cjs", "cmd", "exe", "jar", "js", "lua", "mjs", "mts", "php", "pl", "ps1", "py", "pyz", "rb", "sh", "ts",
    "wasm",
];

/// Returns what the servers' command lines name that may be a program of the project's own, by path.
pub(super) fn programs(bytes: &[u8]) -> Vec<String> {
    let config = parse(bytes).unwrap_or_default();
    let servers = config.get("mcpServers").and_then(Value::as_object);
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let line = |server: &Value| {
        let args = server.get("args").and_then(Value::as_array).into_iter().flatten();
        let args: Vec<String> = args.filter_map(text).collect();
        server.get("command").and_then(text).map(|command| command_programs(&command, &args))
    };
    servers.into_iter().flatten().filter_map(|(_, server)| line(server)).flatten().collect()
}

/// The lines and files that hooks and checkers name in a configuration.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct HookPieces {
    /// Each with whether it is a checker's.
    pub(super) lines: Vec<(String, bool)>,
    /// The files with hooks' texts, by path.
    pub(super) texts: Vec<String>,
}

pub(super) fn hook_pieces(bytes: &[u8]) -> HookPieces {
    let config = parse(bytes).unwrap_or_default();
    let events = config.get("hooks").and_then(Value::as_object);
    let entries = events.into_iter().flatten().filter_map(|(_, entries)| entries.as_array()).flatten();
    let behind = |entry: &Value| entry.get("hooks").and_then(Value::as_array).cloned().unwrap_or_default();
    let mut pieces = HookPieces::default();
    let command = |of: &Value| of.get("command").and_then(Value::as_str).map(str::to_owned);
    for hook in entries.flat_map(|entry| [vec![entry.clone()], behind(entry)].concat()) {
        let text = |key: &str| hook.get(key)?.as_str()?.trim().strip_prefix("file:///").map(str::to_owned);
        pieces.lines.extend(command(&hook).map(|line| (line, false)));
        pieces.texts.extend(["content", "message", "text"].into_iter().filter_map(text));
    }
    let checkers = config.pointer("/diagnostics/commands").and_then(Value::as_array).into_iter().flatten();
    let checkers = checkers.filter_map(|checker| checker.as_str().map(str::to_owned).or_else(|| command(checker)));
    pieces.lines.extend(checkers.map(|line| (line, true)));
    pieces
}

/// The words of a line that end as scripts do, also in code of another language: rather one too many.
pub(super) fn scripts_in(line: &str) -> Vec<String> {
    let is_of_path = |next: char| next.is_alphanumeric() || "_-./+@".contains(next);
    line.split(|next| !is_of_path(next)).filter(|word| is_script(word)).map(str::to_owned).collect()
}

/// The program itself, and those of its arguments that look like one. Data that it works on may change.
pub fn command_programs(command: &str, args: &[String]) -> Vec<String> {
    [command.to_owned()].into_iter().chain(args.iter().filter(|arg| is_script(arg)).cloned()).collect()
}

pub(super) fn is_script(word: &str) -> bool {
    let ending = word.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    ending.is_some_and(|ending| SCRIPTS.contains(&ending.as_str()))
}

fn parse(bytes: &[u8]) -> Option<Value> {
    let text = std::str::from_utf8(bytes).ok()?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    jsonc_parser::parse_to_serde_value(text, &ParseOptions::default()).ok()
}

fn is_empty(value: &Value) -> bool {
    value.is_null() || value == &Value::Array(Vec::new()) || value.as_object().is_some_and(serde_json::Map::is_empty)
}

fn pin(kind: PinKind, path: String, value: &Value) -> Pin {
    Pin { kind, path, hash: content_hash(sorted(value).to_string().as_bytes()), note: None }
}

/// Returns the value with keys in byte order, whatever order the parser keeps.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let mut members: Vec<(&String, &Value)> = members.iter().collect();
            members.sort_by_key(|(key, _)| *key);
            members.into_iter().map(|(key, value)| (key.clone(), sorted(value))).collect()
        }
        Value::Array(items) => items.iter().map(sorted).collect(),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hooks_and_checkers_are_found_in_each_form() {
        let check = |config: &str, lines: &[(&str, bool)], texts: &[&str]| {
            let found = hook_pieces(config.as_bytes());
            let lines = lines.iter().map(|(line, is_checker)| ((*line).to_owned(), *is_checker)).collect();
            assert_eq!(found, HookPieces { lines, texts: texts.iter().map(|&text| text.to_owned()).collect() });
        };
        check(
            r#"{"hooks": {"Stop": [{"action": "inject", "content": "file:///docs/start.md"}]}}"#,
            &[],
            &["docs/start.md"],
        );
        let hooks = r#"{"hooks": {"Stop": [{"command": "./a"}, {"hooks": [{"command": "sh b.sh"}]}]}}"#;
        check(hooks, &[("./a", false), ("sh b.sh", false)], &[]);
        let checkers = r#"{"diagnostics": {"commands": ["./c -x", {"command": "sh d.sh"}]}}"#;
        check(checkers, &[("./c -x", true), ("sh d.sh", true)], &[]);
        assert_eq!(scripts_in("awk 'BEGIN { system(\"./x.sh\") }' a.txt"), ["./x.sh"]);
    }
}
