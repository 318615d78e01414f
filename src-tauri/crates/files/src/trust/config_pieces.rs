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

/// Returns what the command lines of hooks and checkers name that may be a program of the project's own, and the files
/// with hooks' texts, by path.
pub(super) fn hook_programs(bytes: &[u8]) -> Vec<String> {
    let config = parse(bytes).unwrap_or_default();
    let events = config.get("hooks").and_then(Value::as_object);
    let entries = events.into_iter().flatten().filter_map(|(_, entries)| entries.as_array()).flatten();
    let behind = |entry: &Value| entry.get("hooks").and_then(Value::as_array).cloned().unwrap_or_default();
    let hooks = entries.flat_map(|entry| [vec![entry.clone()], behind(entry)].concat());
    let command = |of: &Value| of.get("command").and_then(Value::as_str).map(line_programs);
    let text = |of: &Value, key: &str| of.get(key)?.as_str()?.trim().strip_prefix("file:///").map(str::to_owned);
    let texts = |of: &Value| ["content", "message", "text"].iter().filter_map(|key| text(of, key)).collect::<Vec<_>>();
    let checkers = config.pointer("/diagnostics/commands").and_then(Value::as_array).into_iter().flatten();
    let checkers = checkers.filter_map(|checker| checker.as_str().map(line_programs).or_else(|| command(checker)));
    hooks
        .flat_map(|hook| [command(&hook).unwrap_or_default(), texts(&hook)].concat())
        .chain(checkers.flatten())
        .collect()
}

/// The placeholders for the project's folder in a hook's command line.
const PROJECT_DIRS: &[&str] =
    &["${CLAUDE_PROJECT_DIR}", "$CLAUDE_PROJECT_DIR", "${ARKI_PROJECT_DIR}", "$ARKI_PROJECT_DIR"];

/// The first file that is no option after one of these is a program that it runs.
const INTERPRETERS: &[&str] = &[
    ".", "ash", "bash", "bun", "dash", "deno", "fish", "ksh", "lua", "node", "perl", "php", "pwsh", "python",
    "python3", "ruby", "sh", "source", "zsh",
];

/// The words of a shell line that may be programs of the project's own: those that lie in a folder and have no ending,
/// those that look like a script, and those that an interpreter is given; also in a folder that the line changes to.
/// Rather one too many: it is only pinned.
pub fn line_programs(line: &str) -> Vec<String> {
    let plain: String = line.chars().filter(|c| !"'\"\\".contains(*c)).collect();
    let plain = PROJECT_DIRS.iter().fold(plain, |plain, variable| plain.replace(variable, "."));
    let words: Vec<&str> =
        plain.split(|c: char| c.is_whitespace() || ";|&()<>`".contains(c)).filter(|word| !word.is_empty()).collect();
    let is_program = |word: &&str| word.starts_with("./") || is_script(word) || is_in_folder(word);
    let first = words.first().filter(|word| word.contains('/')).copied();
    let given = words.iter().enumerate().filter(|(_, word)| is_interpreter(word)).filter_map(|(at, _)| {
        let mut after = words[at + 1..].iter().copied();
        after.find(|word| !word.starts_with('-'))
    });
    let named: Vec<&str> = first.into_iter().chain(given).chain(words.iter().copied().filter(is_program)).collect();
    let folders: Vec<&str> = words.windows(2).filter(|pair| pair[0] == "cd").map(|pair| pair[1]).collect();
    let plain = |word: &str| word.strip_prefix("./").unwrap_or(word).to_owned();
    let inside = folders.iter().flat_map(|folder| named.iter().map(move |word| format!("{folder}/{}", plain(word))));
    let inside = inside.map(|path| plain(&path));
    let mut programs: Vec<String> = named.iter().map(|word| plain(word)).chain(inside).collect();
    programs.sort();
    programs.dedup();
    programs
}

/// The program itself, and those of its arguments that look like one. Data that it works on may change.
pub fn command_programs(command: &str, args: &[String]) -> Vec<String> {
    [command.to_owned()].into_iter().chain(args.iter().filter(|arg| is_script(arg)).cloned()).collect()
}

fn is_interpreter(word: &str) -> bool {
    INTERPRETERS.contains(&word.rsplit('/').next().unwrap_or(word))
}

/// Returns whether it is a relative path whose file has no ending.
fn is_in_folder(word: &str) -> bool {
    let is_relative = !word.starts_with(['/', '-', '~', '$']) && !word.contains("://");
    let name = word.rsplit_once('/').map(|(_, name)| name);
    is_relative && name.is_some_and(|name| !name.is_empty() && !name.contains('.'))
}

fn is_script(word: &str) -> bool {
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
    fn a_hooks_line_names_its_scripts_in_each_form() {
        let check = |line: &str, expected: &[&str]| assert_eq!(line_programs(line), expected, "{line}");
        check("./check.sh --fast", &["check.sh"]);
        check("\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/guard.py", &[".claude/hooks/guard.py"]);
        check("python3 ${CLAUDE_PROJECT_DIR}/tools/guard", &["tools/guard"]);
        check("jq -r .x | node tools/fmt.mjs", &["tools/fmt.mjs"]);
        check("cargo fmt", &[]);
        check("bash -e scripts/guard", &["scripts/guard"]);
        check("sh guard", &["guard"]);
        check("env X=1 scripts/b --all", &["scripts/b"]);
        check("cd scripts && ./c", &["c", "scripts/c"]);
        check("ruff check src/main.pyi web/tsconfig.json /usr/lib/x", &[]);
        let config = br#"{"hooks": {"Stop": [{"action": "inject", "content": "file:///docs/start.md"}]}}"#;
        assert_eq!(hook_programs(config), ["docs/start.md"]);
        let config = br#"{"hooks": {"Stop": [{"command": "./a"}, {"hooks": [{"command": "sh b.sh"}]}]}}"#;
        assert_eq!(hook_programs(config), ["a", "b.sh"]);
        let config = br#"{"diagnostics": {"commands": ["./c -x", "cargo check", {"command": "sh d.sh"}]}}"#;
        assert_eq!(hook_programs(config), ["c", "d.sh"]);
    }
}
