//! The files that a shell text runs: read by the policy's reader of shell lines, followed by whoever has the files.

use std::collections::BTreeSet;

/// A shell text and the circumstances in which it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShellText<'a> {
    pub text: &'a str,
    /// The script's absolute path; `None` for a line.
    pub place: Option<&'a str>,
    /// The project.
    pub root: &'a str,
    /// The folders it may be started in.
    pub folders: &'a BTreeSet<String>,
}

/// The files that a text runs, and what can't be told.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ShellRuns {
    pub files: BTreeSet<RunFile>,
    pub unknown: BTreeSet<UnknownRun>,
    /// The folders it may be in when it runs these.
    pub folders: BTreeSet<String>,
}

/// A file of the project that is run, if it is there. There may be several for one word: then it is one of them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct RunFile {
    /// Relative to the project.
    pub path: String,
    /// The path is a pattern, whose stars match no slash.
    pub is_pattern: bool,
    pub language: RunLanguage,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RunLanguage {
    /// A program that is started as it is: its first line says what reads it.
    Program,
    Shell,
    Python,
    JavaScript,
    Other,
}

/// The reason why it can't be told what is run; goes on with "Arki can't pin what this runs: ".
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnknownRun {
    pub why: String,
    /// It is what a build tool reads off the project.
    pub is_build: bool,
}
