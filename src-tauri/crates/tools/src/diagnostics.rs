//! Diagnostics after edits: which checkers there are, what their output says, and what of that is new.
//!
//! A [`Checker`] is data, read off the configuration by the engine. `executor::checking` runs it before a run's first edit
//! and after each one. Here its output is read (`reading`), in whatever form it is, and held against the output before
//! (`comparing`). Nothing here runs anything.

pub(crate) mod comparing;
pub(crate) mod language_server;
mod lines;
pub(crate) mod place;
pub(crate) mod reading;

use crate::hooks::HookOrigin;
use arki_domain::one_plain_line;
use globset::{Glob, GlobSet, GlobSetBuilder};
use std::time::Duration;

/// The default time limit of a checker.
pub(crate) const DEFAULT_CHECK_TIME: Duration = Duration::from_secs(60);
pub(crate) const MAX_CHECK_TIME: Duration = Duration::from_secs(600);
/// The limit for checkers in one configuration file.
pub const MAX_CHECKERS: usize = 10;
/// The limit for one run of a checker; the first ones are kept.
pub(crate) const MAX_DIAGNOSTICS: usize = 2000;
/// The limit for a message, in characters.
pub(crate) const MAX_MESSAGE_CHARS: usize = 300;
/// The characters of a diagnostic's code.
const MAX_CODE_CHARS: usize = 60;

/// The files that a known program is about, where the configuration doesn't say.
const LANGUAGES: &[(&[&str], &[&str])] = &[
    (&["cargo", "clippy-driver", "rust-analyzer", "rustc"], &["*.rs", "Cargo.toml", "Cargo.lock"]),
    (&["tsc", "vue-tsc"], &["*.ts", "*.tsx", "*.mts", "*.cts", "*.vue", "tsconfig*.json"]),
    (&["eslint", "biome"], &["*.ts", "*.tsx", "*.mts", "*.cts", "*.js", "*.jsx", "*.mjs", "*.cjs", "*.vue"]),
    (&["typescript-language-server", "vtsls"], &["*.ts", "*.tsx", "*.mts", "*.cts", "*.js", "*.jsx", "*.mjs", "*.cjs"]),
    (&["flake8", "mypy", "pylint", "pylsp", "pyright", "pyright-langserver", "ruff"], &["*.py", "*.pyi"]),
    (&["clangd"], &["*.c", "*.cc", "*.cpp", "*.h", "*.hpp"]),
    (&["go", "golangci-lint", "gopls", "staticcheck"], &["*.go", "go.mod"]),
];

/// A command that looks for mistakes in the project, run after a change.
#[derive(Debug, Clone)]
pub struct Checker {
    /// A shell line, run in the project's folder.
    pub command: String,
    pub time_limit: Duration,
    pub origin: HookOrigin,
    /// It speaks the Language Server Protocol, and stays until the run has ended.
    pub is_server: bool,
    /// Every file where `None`.
    files: Option<GlobSet>,
}

impl Checker {
    /// `glob` names the files that it is about; where it is `None`, a known program is about those of its language, any
    /// other about all.
    ///
    /// # Errors
    /// In words, for a command or a glob that is none, or a time limit beyond [`MAX_CHECK_TIME`].
    pub fn new(command: &str, glob: Option<&str>, seconds: Option<u64>, origin: HookOrigin) -> Result<Self, String> {
        if command.trim().is_empty() || command.contains('\0') {
            return Err("has an empty \"command\"".to_owned());
        }
        let time_limit = seconds.map_or(DEFAULT_CHECK_TIME, Duration::from_secs);
        if time_limit.is_zero() || time_limit > MAX_CHECK_TIME {
            return Err(format!("has a time limit that is not from 1 to {} seconds", MAX_CHECK_TIME.as_secs()));
        }
        let files = match glob {
            Some(glob) => Some(globs(&[glob])?),
            None => globs_of_program(command).map(globs).transpose()?,
        };
        Ok(Self { command: command.to_owned(), time_limit, origin, is_server: false, files })
    }

    /// The same as a language server.
    #[must_use]
    pub fn as_server(self) -> Self {
        Self { is_server: true, ..self }
    }

    /// Returns whether it is about the file at `path`, seen from the project.
    pub(crate) fn is_about(&self, path: &str) -> bool {
        self.files.as_ref().is_none_or(|files| files.is_match(path))
    }
}

fn globs(patterns: &[&str]) -> Result<GlobSet, String> {
    let mut globs = GlobSetBuilder::new();
    for pattern in patterns {
        // As a name alone is found in every folder.
        let anywhere = if pattern.contains('/') { (*pattern).to_owned() } else { format!("**/{pattern}") };
        globs.add(Glob::new(&anywhere).map_err(|error| format!("has an invalid glob: {error}"))?);
    }
    globs.build().map_err(|error| format!("has an invalid glob: {error}"))
}

/// Returns the globs of the first known program in the line: `npx tsc --noEmit` is `tsc`.
fn globs_of_program(command: &str) -> Option<&'static [&'static str]> {
    let of_word = |word: &str| {
        let name = word.rsplit('/').next().unwrap_or(word);
        LANGUAGES.iter().find(|(programs, _)| programs.contains(&name)).map(|(_, globs)| *globs)
    };
    command.split_whitespace().find_map(of_word)
}

/// The severity that the checker gives. Notes and hints are left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Severity {
    Error,
    Warning,
    /// The checker doesn't say.
    Unsaid,
}

/// A problem that a checker finds in a file.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Diagnostic {
    /// The path from the project's folder, with `/`.
    pub(crate) path: String,
    /// The line, from 1; 0 if it is about the whole file.
    pub(crate) line: u64,
    /// The column, from 1; 0 if it is not given.
    pub(crate) column: u64,
    pub(crate) severity: Severity,
    pub(crate) code: Option<String>,
    /// The message on one line.
    pub(crate) message: String,
}

impl Diagnostic {
    /// Returns it in the form that models know from compilers.
    pub(crate) fn words(&self) -> String {
        let mut words = self.path.clone();
        if self.line > 0 {
            words.push_str(&format!(":{}", self.line));
        }
        if self.column > 0 {
            words.push_str(&format!(":{}", self.column));
        }
        let code = self.code.as_deref();
        let what = match (self.severity, code) {
            (Severity::Error, Some(code)) => format!("error[{code}]: "),
            (Severity::Error, None) => "error: ".to_owned(),
            (Severity::Warning, Some(code)) => format!("warning[{code}]: "),
            (Severity::Warning, None) => "warning: ".to_owned(),
            (Severity::Unsaid, Some(code)) => format!("[{code}] "),
            (Severity::Unsaid, None) => String::new(),
        };
        format!("{words}: {what}{}", self.message)
    }
}

/// Returns a message in its bounds: on one line, without characters that hide or reorder what follows.
pub(crate) fn one_line(message: &str) -> String {
    one_plain_line(message, MAX_MESSAGE_CHARS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_program_is_about_the_files_of_its_language_and_another_about_all() {
        let is_about = |command: &str, glob: Option<&str>, path: &str| {
            Checker::new(command, glob, None, HookOrigin::User).unwrap().is_about(path)
        };
        assert!(is_about("cargo check", None, "crates/a/src/lib.rs") && !is_about("cargo check", None, "README.md"));
        assert!(is_about("npx tsc --noEmit", None, "a.ts") && !is_about("npx tsc --noEmit", None, "a.rs"));
        assert!(is_about("node_modules/.bin/eslint -f json .", None, "src/a.jsx"));
        assert!(is_about("./check.sh", None, "README.md"));
        assert!(is_about("./check.sh", Some("src/**/*.c"), "src/x/a.c"));
        assert!(!is_about("cargo check", Some("*.toml"), "src/lib.rs"));
    }

    #[test]
    fn what_can_not_be_run_is_refused() {
        let refused = |command: &str, glob: Option<&str>, seconds: Option<u64>| {
            Checker::new(command, glob, seconds, HookOrigin::User).unwrap_err()
        };
        assert!(refused(" ", None, None).contains("empty"));
        assert!(refused("make", Some("a{"), None).contains("glob"));
        assert!(
            refused("make", None, Some(0)).contains("1 to 600") && refused("make", None, Some(601)).contains("600")
        );
    }

    #[test]
    fn a_message_is_one_bounded_line() {
        assert_eq!(one_line("a\n  b\u{7}\tc"), "a b c");
        assert_eq!(one_line(&"x".repeat(MAX_MESSAGE_CHARS + 1)).chars().count(), MAX_MESSAGE_CHARS);
    }
}
