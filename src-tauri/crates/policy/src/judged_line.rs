//! A shell line as the checks judge it: what it is known to do, and which rules cover it.

use crate::coverage::{self, Coverage};
use crate::wide_read::WideRead;
use crate::{CommandLine, PolicyQuestion, PolicySettings, Shell, SimpleCommand, Subject};
use crate::{build, danger, git_line, powershell, read_only};
use arki_domain::{Category, Decision, PolicyCheck, ReasonCode, TranslatableText};

/// A shell line, and what is known of it.
pub(crate) struct JudgedLine<'a> {
    pub(crate) line: CommandLine,
    pub(crate) only_reads: bool,
    /// It only reads, as far as the line tells.
    pub(crate) may_only_read: bool,
    pub(crate) builds: bool,
    /// It works on a view of the project: what it opens is a list, and what it changes is judged when it has ended.
    pub(crate) in_view: bool,
    pub(crate) danger: Option<TranslatableText>,
    /// The rules that together allow it.
    pub(crate) covered: Option<Coverage<'a>>,
}

impl<'a> JudgedLine<'a> {
    pub(crate) fn new(shell: Shell, line: &str, question: &PolicyQuestion<'_>, settings: &'a PolicySettings) -> Self {
        let command = line;
        let line = CommandLine::parse_as(shell, command);
        let subject = question.subject;
        let in_view = question.has_view
            && question.category == Some(Category::Exec)
            && settings.categories.get(&Category::Exec) != Some(&Decision::Approval)
            && !subject.background
            && !subject.on_project
            && !git_line::writes_repository(command);
        let is_looked_at = |read: &WideRead| is_looked_at(subject, in_view, read);
        let looked_at = |wide: Vec<WideRead>| wide.iter().all(is_looked_at);
        let wide_reads = only_reads(shell, &line, question.sandboxed);
        let may_only_read = wide_reads.is_some();
        let only_reads = wide_reads.is_some_and(looked_at);
        let builds = question.sandboxed && !only_reads && builds(shell, &line).is_some_and(looked_at);
        let danger = if only_reads || builds { None } else { danger::of_line(&line) };
        let fed = fed(shell, command, &line);
        let covered = coverage::covered(fed.as_ref().unwrap_or(&line), &settings.sources(shell, question));
        let covered = covered.filter(|covered| covered.reads.iter().all(is_looked_at));
        Self { line, only_reads, may_only_read, builds, in_view, danger, covered }
    }

    /// Returns whether the line only reads, in a view, and asks no more of a file than whether it is there.
    pub(crate) fn only_looks_for(&self, path: &str) -> bool {
        const LOOKING: &[&str] = &["[", "ls", "stat", "test"];
        let name = path.rsplit('/').next().unwrap_or(path);
        let names =
            |command: &&SimpleCommand| command.words.iter().chain(&command.inputs).any(|word| word.text.contains(name));
        let commands = self.line.all();
        let mut naming = commands.iter().copied().filter(|command| names(command)).peekable();
        let looks = |command: &SimpleCommand| LOOKING.contains(&command.name()) && command.inputs.is_empty();
        self.in_view && self.may_only_read && naming.peek().is_some() && naming.all(looks)
    }

    /// Returns what the user should know before answering, as far as the check that decided doesn't say it.
    pub(crate) fn warning(&self, check: PolicyCheck, decision: Decision) -> Option<TranslatableText> {
        if decision.is_unasked() {
            return None;
        }
        let unclear = self.line.unclear().filter(|_| check != PolicyCheck::NotUnderstood);
        let unclear = || unclear.map(|why| ReasonCode::UNCLEAR_COMMAND.with("unclear", why));
        self.danger.clone().or_else(unclear)
    }
}

/// Returns whether a read is known to be harmless. In a view no secret file can be opened, but git still shows those that
/// it keeps.
pub(crate) fn is_looked_at(subject: &Subject, in_view: bool, read: &WideRead) -> bool {
    subject.wide_reads_checked || subject.harmless_reads.contains(read) || (in_view && read.opens_files())
}

pub(crate) fn only_reads(shell: Shell, line: &CommandLine, sandboxed: bool) -> Option<Vec<WideRead>> {
    match shell {
        Shell::Bash => read_only::wide_reads(line, sandboxed),
        Shell::PowerShell => powershell::wide_reads(line),
    }
}

pub(crate) fn builds(shell: Shell, line: &CommandLine) -> Option<Vec<WideRead>> {
    match shell {
        Shell::Bash => build::wide_reads(line),
        // There is no sandbox that would hold it.
        Shell::PowerShell => None,
    }
}

/// The line with here-documents for any command, where it isn't understood without; a rule says who may be fed.
pub(crate) fn fed(shell: Shell, command: &str, line: &CommandLine) -> Option<CommandLine> {
    (shell == Shell::Bash && line.commands().is_none() && command.contains("<<"))
        .then(|| CommandLine::parse_fed(command))
}

pub(crate) fn may_run_git(line: &CommandLine) -> bool {
    line.may_run(&["git".to_owned()])
}
