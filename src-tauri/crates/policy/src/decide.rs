//! The verdict on one call, in the order of the contract: the first hit wins.

use crate::question::ChangedGit;
use crate::wide_read::WideRead;
use crate::{CommandLine, PolicySettings, Question, Shell, Subject, Verdict};
use crate::{build, danger, powershell, read_only, risk};
use arki_domain::{ApprovalMode, Category, Decision, REPEATED_RULE, UNTRUSTED_RULE};

/// A change of more lines than this, or of more files than [`LARGE_FILES`], is always shown first.
pub(crate) const LARGE_LINES: usize = 400;
pub(crate) const LARGE_FILES: usize = 10;

/// The same call with the same arguments, made so often in a row, raises a question: a model that goes round in circles
/// does not notice.
pub(crate) const REPEATS_TO_ASK: u32 = 3;

/// Judges one call. Executes nothing, reads nothing.
#[must_use]
pub fn decide(question: &Question<'_>, settings: &PolicySettings) -> Verdict {
    decide_in(Shell::native(), question, settings)
}

pub(crate) fn decide_in(shell: Shell, question: &Question<'_>, settings: &PolicySettings) -> Verdict {
    let command = question.subject.command.as_deref().map(|line| Judged::new(shell, line, question));
    let (decision, rule, reason) = first_hit(question, settings, command.as_ref());
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
    let reason = match command.as_ref().and_then(|command| command.warning(decision)) {
        Some(warning) => format!("{warning} {reason}"),
        None => reason,
    };
    Verdict { decision, rule, reason, risk }
}

const READ_ONLY_RULE: &str = "builtin:read-only";
/// Said of each command that may write.
const PARTLY_SEEN: &str = "The folder is too large to find every git directory, so the deepest ones aren't protected.";
const BUILD_RULE: &str = "builtin:build";
const ALL_GRANTED_RULE: &str = "approve:all";

/// Returns whether a command that was allowed only reads, and nobody has agreed to this one, nor to such ones by a
/// rule.
#[must_use]
pub fn reads_unasked(verdict: &Verdict, command: &str, sandboxed: bool) -> bool {
    [READ_ONLY_RULE, ALL_GRANTED_RULE].contains(&verdict.rule.as_str()) && is_read_only(command, sandboxed)
}

/// Returns whether git may be what a shell line runs, as far as can be told: rather once too often.
#[must_use]
pub fn runs_git(command: &str) -> bool {
    may_run_git(&CommandLine::parse(command))
}

/// Returns whether somebody has agreed to a command, or to such ones by a rule; not where it is only known what it
/// does.
#[must_use]
pub fn is_agreed(verdict: &Verdict) -> bool {
    ![READ_ONLY_RULE, BUILD_RULE].contains(&verdict.rule.as_str())
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

/// A shell line, and what is known of it.
pub(crate) struct Judged {
    pub(crate) line: CommandLine,
    pub(crate) only_reads: bool,
    /// It only reads, as far as the line tells.
    may_only_read: bool,
    pub(crate) builds: bool,
    pub(crate) danger: Option<String>,
}

impl Judged {
    fn new(shell: Shell, line: &str, question: &Question<'_>) -> Self {
        let line = CommandLine::parse_as(shell, line);
        let looked_at = |wide: Vec<WideRead>| wide.is_empty() || question.subject.wide_reads_checked;
        let wide_reads = only_reads(shell, &line, question.sandboxed);
        let may_only_read = wide_reads.is_some();
        let only_reads = wide_reads.is_some_and(looked_at);
        let builds = question.sandboxed && !only_reads && builds(shell, &line).is_some_and(looked_at);
        let danger = if only_reads || builds { None } else { danger::of_line(&line) };
        Self { line, only_reads, may_only_read, builds, danger }
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

fn first_hit(question: &Question<'_>, settings: &PolicySettings, command: Option<&Judged>) -> Hit {
    let Some(category) = question.category else {
        if !question.trusted {
            return hit(Decision::Deny, UNTRUSTED_RULE, "The folder is not trusted.");
        }
        return hit(Decision::Deny, "builtin:unknown-tool", "There is no tool with this name.");
    };
    let line = command.map(|command| &command.line);
    untrusted(question, category)
        .or_else(|| not_of_agent(question, settings))
        .or_else(|| switched_off(question, settings))
        .or_else(|| only_plans(settings, category))
        .or_else(|| of_read_only_agent(settings, category, command))
        .or_else(|| settings.denies(question, category, line))
        .or_else(|| settings.refuses())
        .or_else(|| denied_by_hook(question))
        .or_else(|| sensitive(question, category, command))
        .or_else(|| asked_by_hook(question))
        .or_else(|| changed_git(command, question.subject.changed_git))
        .or_else(|| repeated(question))
        .or_else(|| settings.explicit(question, line))
        .or_else(|| settings.granted_for_session(question, line))
        .or_else(|| granted(question, category))
        .or_else(|| risk::hit_of_change(question, category))
        .or_else(|| known_command(command, category))
        .or_else(|| not_understood(command, settings, category))
        .unwrap_or_else(|| settings.category_default(category))
}

pub(crate) type Hit = (Decision, String, String);

pub(crate) fn hit(decision: Decision, rule: &str, reason: &str) -> Hit {
    (decision, rule.to_owned(), reason.to_owned())
}

fn denied_by_hook(question: &Question<'_>) -> Option<Hit> {
    let objection = question.subject.objection.as_ref().filter(|objection| objection.denies)?;
    Some((Decision::Deny, rule_of_hook(&objection.hook), objection.reason.clone()))
}

/// Whatever was granted beforehand: nobody knew then that the hook would object.
fn asked_by_hook(question: &Question<'_>) -> Option<Hit> {
    let objection = question.subject.objection.as_ref()?;
    Some((Decision::Approval, rule_of_hook(&objection.hook), objection.reason.clone()))
}

fn rule_of_hook(name: &str) -> String {
    format!("hook:{name}")
}

fn untrusted(question: &Question<'_>, category: Category) -> Option<Hit> {
    let denied = !question.trusted && category != Category::Read;
    denied.then(|| hit(Decision::Deny, UNTRUSTED_RULE, "The folder is not trusted, so only reading is allowed."))
}

fn not_of_agent(question: &Question<'_>, settings: &PolicySettings) -> Option<Hit> {
    let reason = "The agent at work does not have this tool.";
    (!settings.has_tool(question.tool)).then(|| hit(Decision::Deny, "builtin:agent-tools", reason))
}

fn switched_off(question: &Question<'_>, settings: &PolicySettings) -> Option<Hit> {
    let reason = "The user has switched this tool off for the session.";
    settings.is_disabled(question.tool).then(|| hit(Decision::Deny, "builtin:disabled-tool", reason))
}

fn only_plans(settings: &PolicySettings, category: Category) -> Option<Hit> {
    let denied = settings.plan && category != Category::Read;
    let reason = "This run only plans, so it can only read. Describe the change instead of making it.";
    denied.then(|| hit(Decision::Deny, "builtin:plan", reason))
}

/// What a known command reads besides what it names is looked at later, as for every agent.
fn of_read_only_agent(settings: &PolicySettings, category: Category, command: Option<&Judged>) -> Option<Hit> {
    let may_read = match category {
        Category::Read => true,
        Category::Exec => command.is_some_and(|command| command.may_only_read),
        Category::Write | Category::Network => false,
    };
    let reason = "The agent at work only reads: no other tools, and no commands but those that are known to only read.";
    (settings.read_only && !may_read).then(|| hit(Decision::Deny, "builtin:read-only-agent", reason))
}

fn sensitive(question: &Question<'_>, category: Category, command: Option<&Judged>) -> Option<Hit> {
    if let Some(path) = question.subject.paths.iter().find(|path| path.secret) {
        let reason = format!("{} looks like a file with secrets.", path.path);
        return Some((Decision::Approval, "builtin:secret-file".to_owned(), reason));
    }
    if !question.subject.secrets.is_empty() {
        return Some((Decision::Approval, "builtin:secret".to_owned(), uses_secrets(question.subject, category)));
    }
    if category == Category::Read || command.is_some_and(|command| command.only_reads) {
        return None;
    }
    let path = question.subject.paths.iter().find(|path| path.protected)?;
    let reason = format!("{} is protected because tools or agents act on it.", path.path);
    Some((Decision::Approval, "builtin:protected-path".to_owned(), reason))
}

fn uses_secrets(subject: &Subject, category: Category) -> String {
    let secrets = subject.secrets.join(", ");
    match (category, subject.hosts.as_slice()) {
        (Category::Network, []) => format!("This would send a secret over the network: {secrets}."),
        (Category::Network, hosts) => format!("This would send a secret to {}: {secrets}.", hosts.join(", ")),
        (Category::Exec, _) => format!("The command would receive a secret: {secrets}."),
        (Category::Read | Category::Write, _) => format!("This would write a secret to a new place: {secrets}."),
    }
}

fn repeated(question: &Question<'_>) -> Option<Hit> {
    let times = question.subject.times_in_a_row;
    let reason = format!("The same call was made {times} times in a row.");
    (times >= REPEATS_TO_ASK).then(|| hit(Decision::Approval, REPEATED_RULE, &reason))
}

/// Returns what the user granted beforehand. A command is covered only where a sandbox holds it.
fn granted(question: &Question<'_>, category: Category) -> Option<Hit> {
    match (question.approve, category) {
        (ApprovalMode::Edits | ApprovalMode::All, Category::Write) => {
            Some(hit(Decision::Allow, "approve:edits", "You approved edits inside the project in advance."))
        }
        (ApprovalMode::All, Category::Exec) if !question.sandboxed => None,
        (ApprovalMode::All, _) => Some(hit(
            Decision::Allow,
            ALL_GRANTED_RULE,
            "You approved everything that isn't \
            denied in advance.",
        )),
        (ApprovalMode::Ask | ApprovalMode::Edits | ApprovalMode::Never, _) => None,
    }
}

/// Returns the hit for a changed git: it does not run unasked, inside a command either, whatever rule allows the
/// command, since the rule was made for another git. What only reads runs no hook.
fn changed_git(command: Option<&Judged>, changed: ChangedGit) -> Option<Hit> {
    let command = command?;
    let reason = if changed.programs {
        "Git's configuration changed since you trusted the folder, and it may run a program."
    } else if changed.hooks && !command.only_reads {
        "A git hook changed since you trusted the folder, and git may run it."
    } else {
        return None;
    };
    may_run_git(&command.line).then(|| hit(Decision::Approval, "builtin:changed-git", reason))
}

fn may_run_git(line: &CommandLine) -> bool {
    line.may_run(&["git".to_owned()])
}

/// Returns whether a sandbox does not keep all of git from a command.
fn is_partly_held(question: &Question<'_>, command: Option<&Judged>) -> bool {
    question.subject.git_partly_seen && question.sandboxed && command.is_some_and(|command| !command.only_reads)
}

/// With the network, what only reads may tell others what it reads.
fn known_command(command: Option<&Judged>, category: Category) -> Option<Hit> {
    let command = command.filter(|_| category == Category::Exec)?;
    if command.only_reads {
        return Some(hit(Decision::Allow, READ_ONLY_RULE, "The command only reads."));
    }
    let reason = "The command builds or tests, inside the sandbox.";
    command.builds.then(|| hit(Decision::Allow, BUILD_RULE, reason))
}

/// Returns the hit for a command that is not understood: where all commands are allowed, those are that can be looked
/// into.
fn not_understood(command: Option<&Judged>, settings: &PolicySettings, category: Category) -> Option<Hit> {
    let unclear = command?.line.unclear()?;
    let reason = format!("The command contains {unclear}, so Arki can't tell what it does.");
    let is_allowed = settings.category_default(category).0 == Decision::Allow;
    is_allowed.then(|| hit(Decision::Approval, "builtin:not-understood", &reason))
}
