//! Checkers as they are configured: a command alone, or one with the files that it is about and its time limit.

use super::ConfigFile;
use super::invalid::invalid;
use arki_domain::Error;
use arki_tools::{Checker, HookOrigin, MAX_CHECKERS};
use schemars::JsonSchema;
use serde::Deserialize;
use std::path::Path;

/// Checkers that run after a change.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct DiagnosticsConfig {
    /// The checkers: each is a command, or an object with more about it.
    pub commands: Vec<CheckerConfig>,
}

/// A checker: its command, or more about it.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "a checker is a command, or an object with \"command\", \"glob\", \"timeoutSeconds\" and \"languageServer\""
)]
#[schemars(extend("examples" = ["cargo check"]))]
pub enum CheckerConfig {
    /// A shell line, run in the project's folder.
    Line(String),
    Detailed(DetailedChecker),
}

#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DetailedChecker {
    /// A shell line, run in the project's folder.
    pub command: String,
    /// The files whose changes it checks. If absent, a known program checks those of its language, any other all files.
    pub glob: Option<String>,
    /// The time limit in seconds; 60 if absent.
    #[schemars(range(min = 1, max = 600))]
    pub timeout_seconds: Option<u64>,
    /// The command is a language server: it speaks the Language Server Protocol over its standard input and output.
    #[serde(default)]
    pub language_server: bool,
}

/// The checkers of a configuration file, in the order in which they stand there.
///
/// # Errors
/// `CONFIG_INVALID` with the checker's place.
pub(crate) fn of_file(file: &ConfigFile, origin: HookOrigin, path: &Path) -> Result<Vec<Checker>, Error> {
    let commands = &file.diagnostics.commands;
    if commands.len() > MAX_CHECKERS {
        let what = format!("\"diagnostics.commands\" has {} entries; the limit is {MAX_CHECKERS}", commands.len());
        return Err(invalid(path, &what));
    }
    let checker = |(index, entry): (usize, &CheckerConfig)| {
        let made = match entry {
            CheckerConfig::Line(command) => Checker::new(command, None, None, origin),
            CheckerConfig::Detailed(DetailedChecker { command, glob, timeout_seconds, language_server }) => {
                let checker = Checker::new(command, glob.as_deref(), *timeout_seconds, origin);
                if *language_server { checker.map(Checker::as_server) } else { checker }
            }
        };
        made.map_err(|what| invalid(path, &format!("\"diagnostics.commands[{index}]\" {what}")))
    };
    commands.iter().enumerate().map(checker).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    fn checkers(commands: &str) -> Result<Vec<Checker>, Error> {
        let path = Path::new("config.json");
        let file = parse(&format!(r#"{{"diagnostics": {{"commands": {commands}}}}}"#), path)?;
        of_file(&file, HookOrigin::User, path)
    }

    #[test]
    fn a_checker_is_a_command_or_says_more() {
        let read = checkers(r#"["cargo check", {"command": "tsc", "glob": "**/*.ts", "timeoutSeconds": 5}]"#).unwrap();
        let told: Vec<_> = read.iter().map(|one| (one.command.as_str(), one.time_limit.as_secs())).collect();
        assert_eq!(told, [("cargo check", 60), ("tsc", 5)]);
        let read = checkers(r#"[{"command": "gopls", "languageServer": true}, {"command": "a"}]"#).unwrap();
        assert_eq!(read.iter().map(|one| one.is_server).collect::<Vec<_>>(), [true, false]);
    }

    #[test]
    fn one_that_can_not_be_run_is_named_by_its_place() {
        let refused = |commands: &str| checkers(commands).unwrap_err().message;
        assert!(refused(r#"["a", " "]"#).contains("diagnostics.commands[1]"));
        assert!(refused(r#"[{"command": "a", "timeoutSeconds": 601}]"#).contains("1 to 600"));
        assert!(refused(r#"[{"command": "a", "glob": "["}]"#).contains("glob"));
        assert!(refused(r#"[{"comand": "a"}]"#).contains("a checker is a command"));
        let many = serde_json::to_string(&vec!["a"; MAX_CHECKERS + 1]).unwrap();
        assert!(refused(&many).contains("the limit is 10"));
    }
}
