//! The verdict on one call: the hit of the first check that has something to say, and what the user should know besides.

use crate::checks::{BUILD_RULE, CheckInput, READ_ONLY_RULE, REFUSED_GIT_RULE, RULE_SEPARATOR, first_hit};
use crate::command_line::SimpleCommand;
use crate::coverage::{self, Coverage};
use crate::wide_read::WideRead;
use crate::{CommandLine, PolicyQuestion, PolicySettings, Shell, Verdict};
use crate::{build, danger, powershell, read_only, risk};
use arki_domain::{Decision, PolicyCheck};

/// Judges one call. Executes nothing, reads nothing.
#[must_use]
pub fn decide(question: &PolicyQuestion<'_>, settings: &PolicySettings) -> Verdict {
    decide_in(Shell::native(), question, settings)
}

pub(crate) fn decide_in(shell: Shell, question: &PolicyQuestion<'_>, settings: &PolicySettings) -> Verdict {
    decided_by(shell, question, settings).1
}

/// The verdict, and the check that made it.
pub(crate) fn decided_by(
    shell: Shell,
    question: &PolicyQuestion<'_>,
    settings: &PolicySettings,
) -> (PolicyCheck, Verdict) {
    let command = question.subject.command.as_deref().map(|line| JudgedLine::new(shell, line, question, settings));
    let (check, (decision, rule, reason)) = first_hit(&CheckInput { question, settings, command: command.as_ref() });
    let risk = risk::of(question, command.as_ref());
    let reason = if decision != Decision::Deny && is_partly_held(question, command.as_ref()) {
        format!("{reason} {PARTLY_SEEN}")
    } else {
        reason
    };
    let reason = match &question.subject.outside {
        Some(path) if decision != Decision::Allow => format!("{path} is outside the project. {reason}"),
        Some(_) | None => reason,
    };
    // What is refused says all itself.
    let warning = command.as_ref().filter(|_| rule != REFUSED_GIT_RULE).and_then(|command| command.warning(decision));
    let reason = match warning {
        Some(warning) => format!("{warning} {reason}"),
        None => reason,
    };
    (check, Verdict { decision, rule, reason, risk })
}

/// Said of each command that may write, behind the reason.
pub const PARTLY_SEEN: &str =
    "The folder is too large to find every git directory, so the deepest ones aren't protected.";

/// Returns whether git may be what a shell line runs, as far as can be told: rather once too often.
#[must_use]
pub fn runs_git(command: &str) -> bool {
    may_run_git(&CommandLine::parse(command))
}

/// Returns whether git may run a program that a configuration names, as far as can be told. Git that only tells its
/// configuration runs none.
#[must_use]
pub fn needs_unasked_git(command: &str) -> bool {
    let line = CommandLine::parse(command);
    let tells_configuration =
        |command: &&SimpleCommand| command.arguments().first().is_some_and(|word| word.text == "config");
    let gits: Vec<_> = line.all().into_iter().filter(|command| command.name() == "git").collect();
    may_run_git(&line) && (gits.is_empty() || !gits.iter().all(tells_configuration))
}

/// Returns whether somebody has agreed to a command, or to such ones by a rule; not where it is only known what it, or
/// what stands beside it, does.
#[must_use]
pub fn is_agreed(verdict: &Verdict) -> bool {
    !verdict.rule.split(RULE_SEPARATOR).any(|rule| [READ_ONLY_RULE, BUILD_RULE].contains(&rule))
}

/// Returns whether a line says by itself which programs it runs, none of which runs what it is given: rather no once too
/// often.
#[must_use]
pub fn is_understood(command: &str) -> bool {
    let line = CommandLine::parse(command);
    line.unclear().is_none() && danger::of_line(&line).is_none()
}

/// Returns whether a shell line is known to change nothing.
#[must_use]
pub fn is_read_only(command: &str, sandboxed: bool) -> bool {
    only_reads(Shell::native(), &CommandLine::parse(command), sandboxed).is_some()
}

fn only_reads(shell: Shell, line: &CommandLine, sandboxed: bool) -> Option<Vec<WideRead>> {
    match shell {
        Shell::Bash => read_only::wide_reads(line, sandboxed),
        Shell::PowerShell => powershell::wide_reads(line),
    }
}

fn builds(shell: Shell, line: &CommandLine) -> Option<Vec<WideRead>> {
    match shell {
        Shell::Bash => build::wide_reads(line),
        // There is no sandbox that would hold it.
        Shell::PowerShell => None,
    }
}

/// Returns what a line that may be allowed for what it does reads, and of which the line alone does not tell whether
/// anyone should be asked; `None` for any other line.
#[must_use]
pub fn wide_reads(command: &str, sandboxed: bool) -> Option<Vec<WideRead>> {
    let line = CommandLine::parse(command);
    let shell = Shell::native();
    only_reads(shell, &line, sandboxed).or_else(|| builds(shell, &line))
}

/// The same of a line that rules would allow if what it reads is harmless.
#[must_use]
pub fn reads_under_rules(question: &PolicyQuestion<'_>, settings: &PolicySettings) -> Option<Vec<WideRead>> {
    let command = question.subject.command.as_deref()?;
    let line = CommandLine::parse(command);
    let fed = fed(Shell::native(), command, &line);
    coverage::reads(fed.as_ref().unwrap_or(&line), &settings.sources(Shell::native(), question))
}

/// The line with here-documents for any command, where it isn't understood without; a rule says who may be fed.
fn fed(shell: Shell, command: &str, line: &CommandLine) -> Option<CommandLine> {
    (shell == Shell::Bash && line.commands().is_none() && command.contains("<<"))
        .then(|| CommandLine::parse_fed(command))
}

/// A shell line, and what is known of it.
pub(crate) struct JudgedLine<'a> {
    pub(crate) line: CommandLine,
    pub(crate) only_reads: bool,
    /// It only reads, as far as the line tells.
    pub(crate) may_only_read: bool,
    pub(crate) builds: bool,
    pub(crate) danger: Option<String>,
    /// The rules that together allow it.
    pub(crate) covered: Option<Coverage<'a>>,
}

impl<'a> JudgedLine<'a> {
    fn new(shell: Shell, line: &str, question: &PolicyQuestion<'_>, settings: &'a PolicySettings) -> Self {
        let command = line;
        let line = CommandLine::parse_as(shell, command);
        let subject = question.subject;
        let is_looked_at = |read: &WideRead| subject.wide_reads_checked || subject.harmless_reads.contains(read);
        let looked_at = |wide: Vec<WideRead>| wide.iter().all(is_looked_at);
        let wide_reads = only_reads(shell, &line, question.sandboxed);
        let may_only_read = wide_reads.is_some();
        let only_reads = wide_reads.is_some_and(looked_at);
        let builds = question.sandboxed && !only_reads && builds(shell, &line).is_some_and(looked_at);
        let danger = if only_reads || builds { None } else { danger::of_line(&line) };
        let fed = fed(shell, command, &line);
        let covered = coverage::covered(fed.as_ref().unwrap_or(&line), &settings.sources(shell, question));
        let covered = covered.filter(|covered| covered.reads.iter().all(is_looked_at));
        Self { line, only_reads, may_only_read, builds, danger, covered }
    }

    /// Returns what the user should know before answering.
    fn warning(&self, decision: Decision) -> Option<String> {
        if decision == Decision::Allow {
            return None;
        }
        let unclear = || {
            self.line.unclear().map(|why| {
                format!(
                    "The command contains {why}, so Arki can't analyse \
            it."
                )
            })
        };
        self.danger.clone().or_else(unclear)
    }
}

pub(crate) fn may_run_git(line: &CommandLine) -> bool {
    line.may_run(&["git".to_owned()])
}

/// Returns whether a sandbox does not keep all of git from a command.
fn is_partly_held(question: &PolicyQuestion<'_>, command: Option<&JudgedLine<'_>>) -> bool {
    question.subject.git_partly_seen && question.sandboxed && command.is_some_and(|command| !command.only_reads)
}
