//! The verdict on one call: the hit of the first check that has something to say, and what the user should know besides.

use crate::checks::{
    BUILD_RULE, CheckInput, READ_ONLY_RULE, REFUSED_GIT_RULE, REVIEW_RULE, RULE_SEPARATOR, TRIED_RULE, first_hit,
};
use crate::command_line::SimpleCommand;
use crate::coverage;
use crate::judged_line::{JudgedLine, builds, fed, may_run_git, only_reads};
use crate::wide_read::WideRead;
use crate::{CommandLine, PolicyQuestion, PolicySettings, Shell, Verdict};
use crate::{danger, risk};
use arki_domain::{Decision, PolicyCheck, Reason, ReasonCode};

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
    let (check, (decision, rule, said)) = first_hit(&CheckInput { question, settings, command: command.as_ref() });
    let risk = risk::of(question, command.as_ref());
    // What is refused says all itself.
    let warning =
        command.as_ref().filter(|_| rule != REFUSED_GIT_RULE).and_then(|command| command.warning(check, decision));
    let outside = question.subject.outside.as_deref().filter(|_| !decision.is_unasked());
    let outside = outside.map(|path| ReasonCode::OUTSIDE_PROJECT.with("path", path));
    let is_partly_held = decision != Decision::Deny && is_partly_held(question, command.as_ref());
    let partly_seen = is_partly_held.then(|| ReasonCode::GIT_PARTLY_SEEN.into());
    let sentences = warning.into_iter().chain(outside).chain(said.sentences).chain(partly_seen).collect();
    (check, Verdict { decision, rule, reason: Reason { sentences }, risk })
}

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
    !verdict
        .rule
        .split(RULE_SEPARATOR)
        .any(|rule| [READ_ONLY_RULE, BUILD_RULE, REVIEW_RULE, TRIED_RULE].contains(&rule))
}

/// Returns whether a line says by itself which programs it runs, none of which runs what it is given: rather no once too
/// often.
#[must_use]
pub fn is_understood(command: &str) -> bool {
    let line = CommandLine::parse(command);
    line.unclear().is_none() && danger::of_line(&line).is_none()
}

/// Returns whether a shell line is known to change nothing, in a sandbox.
#[must_use]
pub fn is_read_only(command: &str) -> bool {
    only_reads(Shell::native(), &CommandLine::parse(command), true).is_some()
}

/// Returns what a line that may be allowed, in a sandbox, for what it does reads, and of which the line alone does not tell whether
/// anyone should be asked; `None` for any other line.
#[must_use]
pub fn wide_reads(command: &str) -> Option<Vec<WideRead>> {
    reads_of_line(command, true)
}

/// The same of a line that would run without a sandbox.
#[must_use]
pub fn wide_reads_unconfined(command: &str) -> Option<Vec<WideRead>> {
    reads_of_line(command, false)
}

/// The same of a line in a view, where it can open no secret file: what is left is what git shows of those that it keeps,
/// and what a known line names.
#[must_use]
pub fn wide_reads_in_view(command: &str) -> Vec<WideRead> {
    let mut reads = wide_reads(command).unwrap_or_default();
    reads.retain(|read| !read.opens_files());
    // Beside it may run what reads more than git itself is known to.
    if runs_git(command) && !is_read_only(command) && !reads.contains(&WideRead::Kept) {
        reads.push(WideRead::Kept);
    }
    reads
}

fn reads_of_line(command: &str, sandboxed: bool) -> Option<Vec<WideRead>> {
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

/// Returns whether a sandbox does not keep all of git from a command.
fn is_partly_held(question: &PolicyQuestion<'_>, command: Option<&JudgedLine<'_>>) -> bool {
    question.subject.git_partly_seen
        && question.sandboxed
        && command.is_some_and(|command| !command.only_reads && !command.in_view)
}
