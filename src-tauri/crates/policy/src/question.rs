//! The question to the policy, and its answer.

use crate::WideRead;
use arki_domain::{ApprovalMode, Category, Decision, FileEffect, PolicyDecided, Reason, Risk, ToolCall};

/// One call, reduced to what matters for the decision.
#[derive(Debug, Clone)]
pub struct PolicyQuestion<'a> {
    pub tool: &'a str,
    /// `None` for a tool that does not exist.
    pub category: Option<Category>,
    pub subject: &'a Subject,
    pub trusted: bool,
    pub approve: ApprovalMode,
    /// True if a command would run in a working sandbox.
    pub sandboxed: bool,
    /// True if commands work on a view of the project here, whose changes are judged by themselves before they land. A
    /// command in the background, and git that writes, work on the project itself all the same.
    pub has_view: bool,
    /// Zero while it is not known.
    pub impact: Impact,
}

/// The subject of a call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Subject {
    /// The paths that it touches; for a command in a view only those that its line names, since it can't open the secret
    /// ones among the others.
    pub paths: Vec<TouchedPath>,
    /// Further paths that may be meant, relative to the project; `FOLDER/.` is whatever is below. For rules that
    /// tighten.
    pub mentioned: Vec<String>,
    /// The shell line, verbatim.
    pub command: Option<String>,
    /// True if the command works on the project itself, in no view: in the background, or as a step of a pipeline.
    pub background: bool,
    /// True if the model asked for a command to work on the project itself, though it could work in a view.
    pub on_project: bool,
    /// True if there is no view for a command, but a sandbox that keeps secret files from it, so that it can first run
    /// with the project read-only.
    pub tried_first: bool,
    /// The hosts that it speaks to, in lower case and without a port.
    pub hosts: Vec<String>,
    /// True if the files that the command reads without naming them ([`super::wide_reads`]) were checked, and `paths`
    /// has the secrets among them. Otherwise such a command needs approval.
    pub wide_reads_checked: bool,
    /// The reads among them that were checked and are harmless, if not all of them are.
    pub harmless_reads: Vec<WideRead>,
    /// A path that the command names and that lies neither in the project nor where anyone may read.
    pub outside: Option<String>,
    /// The project has more than is looked through for git directories: a sandbox does not protect those that lie deepest.
    pub git_partly_seen: bool,
    /// No sandbox hides the project's secret files from a command that isn't known to leave them alone.
    pub secrets_in_reach: bool,
    /// The changes to git's configuration and hooks, for a command that may run git.
    pub changed_git: ChangedGit,
    /// The names of secrets that it would put where they are not yet.
    pub secrets: Vec<String>,
    /// The number of times this very call was made in a row, it included; 0 where nobody counts.
    pub times_in_a_row: u32,
    /// A hook's objection, if one has any.
    pub objection: Option<Objection>,
}

/// A hook's words against a call. They only tighten: a hook that would allow a call says nothing here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Objection {
    /// The hook's name.
    pub hook: String,
    /// The call is denied; otherwise the user is asked.
    pub denies: bool,
    pub reason: String,
}

/// The programs that git would run in a folder and that nobody has agreed to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ChangedGit {
    /// True if git's configuration names such programs.
    pub programs: bool,
    pub hooks: bool,
    /// Git would read a repository outside the project that doesn't link back.
    pub foreign: bool,
    /// It can't be told which ones, so that they can't be switched off for git that only reads.
    pub unclear: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TouchedPath {
    /// Relative to the project.
    pub path: String,
    /// The path in the project that its links lead to, if that is elsewhere.
    pub real: Option<String>,
    pub protected: bool,
    pub secret: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Impact {
    pub files: usize,
    /// Lines added plus lines removed.
    pub lines: usize,
}

/// The decision, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    pub decision: Decision,
    /// The name of the rule: `builtin:…`, `config:…`, `category:…` or `approve:…`.
    pub rule: String,
    pub reason: Reason,
    pub risk: Risk,
}

impl Verdict {
    /// Returns the decision as it is appended.
    #[must_use]
    pub fn decided(&self, call: &ToolCall, files: Vec<FileEffect>) -> PolicyDecided {
        PolicyDecided {
            call_id: call.call_id.clone(),
            decision: self.decision,
            rule: self.rule.clone(),
            reason: self.reason.to_string(),
            sentences: self.reason.sentences.clone(),
            risk: self.risk,
            files,
            landing: None,
        }
    }
}
