//! Which files a shell text runs, for whoever pins them: scripts, what they source, what interpreters are given.
//!
//! Bash's grammar reads the text, and unlike for a verdict all of it may be data: only the names of what runs count. Where
//! one isn't certain, it is told why. Where the text may be in one of several folders, the files of all are told: one too
//! many is only pinned. Programs without a slash are the system's. What other languages load, whoever has the files finds.

mod programs;
mod words;

use crate::bash_grammar::{self, in_ascii};
use crate::command_line::HARMLESS_VARIABLES;
use crate::word_list::is_in;
use arki_domain::{RunFile, RunLanguage, ShellRuns, ShellText, UnknownRun, steers_programs};
use std::collections::BTreeSet;
use tree_sitter::Node;
use words::{GLOBS, Known};

/// A longer text isn't read.
const MAX_TEXT_BYTES: usize = 256 * 1024;
/// The folders that a text may change to.
const MAX_FOLDERS: usize = 16;
/// Absolute paths below these are anybody's, or lead anywhere.
const ANYBODYS: &[&str] = &["/dev/", "/proc/", "/tmp/", "/var/tmp/"];
/// Variables that scripts set for themselves, though they steer programs.
const QUIET: &[&str] = &["IFS", "TEMP", "TMP", "TMPDIR"];
const UNREADABLE: &str = "Arki can't read all of it as a shell text";

/// Returns what a text runs.
#[must_use]
pub fn shell_runs(text: &ShellText<'_>) -> ShellRuns {
    let runs = ShellRuns { folders: text.folders.clone(), ..ShellRuns::default() };
    let (characters, here) = (text.text.chars().collect(), text.folders.clone());
    let mut reader = ShellRunReader { text, characters, here, repeats: false, runs };
    let is_plain = !text.text.contains(|next: char| next.is_control() && !matches!(next, '\n' | '\t'));
    match bash_grammar::tree(&in_ascii(text.text)).filter(|_| is_plain && text.text.len() <= MAX_TEXT_BYTES) {
        Some(tree) => reader.walk(tree.root_node()),
        None => reader.unknown(UNREADABLE),
    }
    reader.runs
}

struct ShellRunReader<'t> {
    text: &'t ShellText<'t>,
    characters: Vec<char>,
    /// The folders that the text may be in now.
    here: BTreeSet<String>,
    /// True where a command may run more than once.
    repeats: bool,
    runs: ShellRuns,
}

impl ShellRunReader<'_> {
    fn unknown(&mut self, why: impl Into<String>) {
        self.runs.unknown.insert(UnknownRun { why: why.into(), is_build: false });
    }

    /// To the grammar each character is a byte.
    fn between(&self, start: usize, end: usize) -> String {
        self.characters.get(start..end).unwrap_or_default().iter().collect()
    }

    fn source(&self, node: Node<'_>) -> String {
        self.between(node.start_byte(), node.end_byte())
    }

    fn walk(&mut self, node: Node<'_>) {
        if node.is_error() || node.is_missing() {
            return self.unknown(UNREADABLE);
        }
        match node.kind() {
            "command" => self.command(node),
            "variable_assignment" | "for_statement" | "declaration_command" => self.assignment(node),
            _ => {}
        }
        let here = matches!(node.kind(), "command_substitution" | "subshell").then(|| self.here.clone());
        let mut cursor = node.walk();
        node.children(&mut cursor).for_each(|child| self.walk(child));
        if let Some(here) = here {
            self.here = here;
        }
    }

    fn assignment(&mut self, node: Node<'_>) {
        let source = self.source(node);
        let mut names = source.split(|next: char| !next.is_ascii_alphanumeric() && next != '_');
        let first = if node.kind() == "variable_assignment" { 1 } else { 4 };
        if let Some(name) = names.by_ref().take(first).find(|name| is_steering(name)) {
            self.unknown(format!("it sets {name}"));
        }
    }

    fn command(&mut self, node: Node<'_>) {
        let mut cursor = node.walk();
        let is_word = |child: &Node<'_>| {
            let is_aside = matches!(child.kind(), "variable_assignment" | "subshell");
            child.is_named() && !is_aside && !child.kind().ends_with("_redirect")
        };
        let words: Vec<_> = node.children(&mut cursor).filter(is_word).map(|child| self.word(child)).collect();
        self.repeats = std::iter::successors(node.parent(), Node::parent).any(|around| {
            around.kind().contains("for_") || matches!(around.kind(), "while_statement" | "function_definition")
        });
        self.run(&words, false);
    }

    /// Adds a file that is run, wherever it may be.
    fn file(&mut self, path: Known, language: RunLanguage) {
        let path = match path {
            Ok(path) => path,
            Err(why) => return self.unknown(why),
        };
        for path in self.absolute(&path) {
            let inside = path.strip_prefix(self.text.root).filter(|rest| rest.is_empty() || rest.starts_with('/'));
            let Some(inside) = inside.map(|inside| inside.trim_start_matches('/')) else {
                if ANYBODYS.iter().any(|folder| path.starts_with(folder)) {
                    self.unknown(format!("it runs {path}, outside the folder"));
                }
                continue;
            };
            let is_pattern = inside.contains(GLOBS.map(|glob| glob.1));
            let sign = |next: char| match GLOBS.iter().find(|glob| glob.1 == next) {
                Some(glob) => glob.0.to_string(),
                None if is_pattern => globset::escape(&next.to_string()),
                None => next.to_string(),
            };
            let path: String = inside.chars().map(sign).collect();
            if path.contains(char::is_control) {
                return self.unknown(UNREADABLE);
            }
            self.runs.files.insert(RunFile { path, is_pattern, language });
        }
    }

    /// The places that a path leads to from each folder, by its text alone.
    fn absolute(&self, path: &str) -> Vec<String> {
        let whole = |folder: &String| {
            let mut parts = Vec::new();
            let base = if path.starts_with('/') { "" } else { folder };
            for part in base.split('/').chain(path.split('/')) {
                match part {
                    "" | "." => {}
                    ".." => drop(parts.pop()),
                    part => parts.push(part),
                }
            }
            format!("/{}", parts.join("/"))
        };
        let mut paths: Vec<String> = self.here.iter().map(whole).collect();
        paths.dedup();
        paths
    }
}

/// Returns whether a variable of this name says what other programs run, or where Arki takes the text to be.
fn is_steering(name: &str) -> bool {
    let is_quiet = is_in(HARMLESS_VARIABLES, name) || QUIET.contains(&name);
    name == "CLAUDE_PROJECT_DIR" || (steers_programs(name) && !is_quiet)
}

#[cfg(test)]
mod tests;
