//! The chain of checks, in the order of the contract: the first one that has something to say decides.
//!
//! Each is a plain function over the question and the settings. A decision is recorded under the name of its rule, and
//! that name tells which check it was (`trace`): so no two checks share a rule with the same decision. A new check or rule
//! needs its line in `trace::check_of`.

use crate::judged_line::{JudgedLine, may_run_git};
use crate::landing_rules::lands_unseen;
use crate::question::ChangedGit;
use crate::{PolicyQuestion, PolicySettings, Subject, TouchedPath, git_line, risk};
use arki_domain::{ApprovalMode, Category, Decision, PolicyCheck, REPEATED_RULE, UNTRUSTED_RULE};

/// A change of more lines than this, or of more files than [`LARGE_FILES`], is always shown first.
pub(crate) const LARGE_LINES: usize = 400;
pub(crate) const LARGE_FILES: usize = 10;

/// The same call with the same arguments, made so often in a row, raises a question: a model that goes round in circles
/// does not notice.
pub(crate) const REPEATS_TO_ASK: u32 = 3;

pub(crate) const READ_ONLY_RULE: &str = "builtin:read-only";
pub(crate) const BUILD_RULE: &str = "builtin:build";
/// The rule of a line that runs in a view, whatever it is, because its changes are reviewed.
pub(crate) const REVIEW_RULE: &str = "builtin:review";
/// The separator between the names of rules that allow a line together.
pub(crate) const RULE_SEPARATOR: &str = ", ";
/// The rule of a line that would work on the project itself although there are views.
pub(crate) const ON_PROJECT_RULE: &str = "builtin:on-project";
/// The rule of a git that writes with what could have it run something else.
pub const REFUSED_GIT_RULE: &str = "builtin:git-program";
/// The rule of a line that first runs with the project read-only, because there are no views here.
pub const TRIED_RULE: &str = "builtin:tried-read-only";
pub(crate) const NOT_UNDERSTOOD_RULE: &str = "builtin:not-understood";
pub(crate) const ALL_GRANTED_RULE: &str = "approve:all";

/// All that checks look at.
pub(crate) struct CheckInput<'a> {
    pub(crate) question: &'a PolicyQuestion<'a>,
    pub(crate) settings: &'a PolicySettings,
    pub(crate) command: Option<&'a JudgedLine<'a>>,
}

type CheckFunction = fn(&CheckInput<'_>) -> Option<Hit>;

/// Every check, in the order in which they are asked.
pub(crate) const CHAIN: [(PolicyCheck, CheckFunction); 23] = [
    (PolicyCheck::Trust, |asked| untrusted(asked.question)),
    (PolicyCheck::UnknownTool, |asked| asked.question.category.is_none().then(unknown_tool)),
    (PolicyCheck::AgentTools, |asked| not_of_agent(asked.question, asked.settings)),
    (PolicyCheck::DisabledTools, |asked| switched_off(asked.question, asked.settings)),
    (PolicyCheck::PlanOnly, |asked| only_plans(asked.settings, asked.category()?, asked.command)),
    (PolicyCheck::ReadOnlyAgent, |asked| of_read_only_agent(asked.settings, asked.category()?, asked.command)),
    (PolicyCheck::DenyRules, |asked| {
        let denied = asked.settings.denies(asked.question, asked.category()?, asked.line());
        denied.or_else(|| refused_git(asked.question))
    }),
    (PolicyCheck::UnreadableConfiguration, |asked| asked.settings.refuses()),
    (PolicyCheck::HookDenial, |asked| denied_by_hook(asked.question)),
    (PolicyCheck::Sensitive, |asked| sensitive(asked.question, asked.category()?, asked.command)),
    (PolicyCheck::HookQuestion, |asked| asked_by_hook(asked.question)),
    (PolicyCheck::ChangedGit, |asked| changed_git(asked.command, asked.question.subject.changed_git)),
    (PolicyCheck::RepeatedCall, |asked| repeated(asked.question)),
    (PolicyCheck::OnProject, on_project),
    (PolicyCheck::Rules, |asked| asked.settings.explicit(asked.question, asked.command)),
    (PolicyCheck::SessionGrants, |asked| asked.settings.granted_for_session(asked.question, asked.command)),
    (PolicyCheck::EffectsReview, reviewed_effects),
    (PolicyCheck::ApprovedInAdvance, |asked| granted(asked.question, asked.category()?)),
    (PolicyCheck::ChangeRisk, |asked| risk::hit_of_change(asked.question, asked.category()?)),
    (PolicyCheck::KnownCommand, |asked| known_command(asked.command, asked.category()?)),
    (PolicyCheck::NotUnderstood, |asked| not_understood(asked)),
    (PolicyCheck::TriedReadOnly, tried_read_only),
    (PolicyCheck::CategoryDefault, |asked| Some(asked.settings.category_default(asked.category()?))),
];

impl CheckInput<'_> {
    fn category(&self) -> Option<Category> {
        self.question.category
    }

    /// Returns whether one of the rules that forbid or ask may be about a line in a view, though it doesn't match.
    fn may_be_restricted(&self) -> bool {
        let text = self.question.subject.command.as_deref().unwrap_or_default();
        let restricts = |line: &JudgedLine<'_>| self.settings.may_restrict(self.question.tool, &line.line, text);
        self.command.is_some_and(|command| command.in_view && restricts(command))
    }

    fn line(&self) -> Option<&crate::CommandLine> {
        self.command.map(|command| &command.line)
    }
}

/// The first check that has something to say, and what it says.
pub(crate) fn first_hit(asked: &CheckInput<'_>) -> (PolicyCheck, Hit) {
    let decided = CHAIN.iter().find_map(|(check, look)| Some((*check, look(asked)?)));
    // Every tool that exists has a category, whose default ends the chain.
    decided.unwrap_or_else(|| (PolicyCheck::UnknownTool, unknown_tool()))
}

pub(crate) type Hit = (Decision, String, String);

pub(crate) fn hit(decision: Decision, rule: &str, reason: &str) -> Hit {
    (decision, rule.to_owned(), reason.to_owned())
}

fn denied_by_hook(question: &PolicyQuestion<'_>) -> Option<Hit> {
    let objection = question.subject.objection.as_ref().filter(|objection| objection.denies)?;
    Some((Decision::Deny, rule_of_hook(&objection.hook), objection.reason.clone()))
}

/// Refuses git lines that would fail whatever the answer, so nobody is asked.
fn refused_git(question: &PolicyQuestion<'_>) -> Option<Hit> {
    let why = git_line::refused_git(question.subject.command.as_deref()?)?;
    Some((Decision::Deny, REFUSED_GIT_RULE.to_owned(), why))
}

/// Asks if a hook objected, whatever was granted in advance: nobody knew then that the hook would object.
fn asked_by_hook(question: &PolicyQuestion<'_>) -> Option<Hit> {
    let objection = question.subject.objection.as_ref()?;
    Some((Decision::Approval, rule_of_hook(&objection.hook), objection.reason.clone()))
}

fn rule_of_hook(name: &str) -> String {
    format!("hook:{name}")
}

fn untrusted(question: &PolicyQuestion<'_>) -> Option<Hit> {
    let reason = match question.category {
        None => "The folder is not trusted.",
        Some(Category::Read) => return None,
        Some(_) => "The folder is not trusted, so only reading is allowed.",
    };
    (!question.trusted).then(|| hit(Decision::Deny, UNTRUSTED_RULE, reason))
}

fn unknown_tool() -> Hit {
    hit(Decision::Deny, "builtin:unknown-tool", "There is no tool with this name.")
}

fn not_of_agent(question: &PolicyQuestion<'_>, settings: &PolicySettings) -> Option<Hit> {
    let reason = "The current agent doesn't have this tool.";
    (!settings.has_tool(question.tool)).then(|| hit(Decision::Deny, "builtin:agent-tools", reason))
}

fn switched_off(question: &PolicyQuestion<'_>, settings: &PolicySettings) -> Option<Hit> {
    let reason = "The user has switched this tool off for the session.";
    settings.is_disabled(question.tool).then(|| hit(Decision::Deny, "builtin:disabled-tool", reason))
}

/// Denies all but reading. In a view, commands that are known to only read are reading too.
fn only_plans(settings: &PolicySettings, category: Category, command: Option<&JudgedLine<'_>>) -> Option<Hit> {
    let reads = category == Category::Read || command.is_some_and(|command| command.in_view && command.may_only_read);
    let denied = settings.plan && !reads;
    let reason = "This run only plans, so it can only read. Describe the change instead of making it.";
    denied.then(|| hit(Decision::Deny, "builtin:plan", reason))
}

/// Denies calls of a read-only agent that may do more than read. The files that a known command reads without naming
/// them are checked later, as for every agent.
fn of_read_only_agent(settings: &PolicySettings, category: Category, command: Option<&JudgedLine<'_>>) -> Option<Hit> {
    let may_read = match category {
        Category::Read => true,
        Category::Exec => command.is_some_and(|command| command.may_only_read),
        Category::Write | Category::Network => false,
    };
    let reason = "The current agent is read-only: it can use only tools that read, and commands known to only read.";
    (settings.read_only && !may_read).then(|| hit(Decision::Deny, "builtin:read-only-agent", reason))
}

fn sensitive(question: &PolicyQuestion<'_>, category: Category, command: Option<&JudgedLine<'_>>) -> Option<Hit> {
    let in_view = command.is_some_and(|command| command.in_view);
    let opens = |path: &&TouchedPath| path.secret && !command.is_some_and(|command| command.only_looks_for(&path.path));
    if let Some(path) = question.subject.paths.iter().find(opens) {
        let reason = format!("{} looks like a file with secrets.", path.path);
        return Some((Decision::Approval, "builtin:secret-file".to_owned(), reason));
    }
    if !question.subject.secrets.is_empty() {
        return Some((Decision::Approval, "builtin:secret".to_owned(), uses_secrets(question.subject, category)));
    }
    // In a view no secret file can be opened, and a change to a protected path is asked about when it is there.
    if category == Category::Read || in_view || command.is_some_and(|command| command.only_reads) {
        return None;
    }
    if question.subject.secrets_in_reach {
        let reason = "Nothing on this computer can hide the project's secret files from commands.";
        return Some(hit(Decision::Approval, "builtin:secret-file", reason));
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

fn repeated(question: &PolicyQuestion<'_>) -> Option<Hit> {
    let times = question.subject.times_in_a_row;
    let reason = format!("The same call was made {times} times in a row.");
    (times >= REPEATS_TO_ASK).then(|| hit(Decision::Approval, REPEATED_RULE, &reason))
}

/// Asks about a command that is to work on the project itself: only rules by which its changes land unseen speak of that.
fn on_project(asked: &CheckInput<'_>) -> Option<Hit> {
    let (question, command) = (asked.question, asked.command?);
    let is_granted = question.approve == ApprovalMode::All;
    let asks = question.has_view && question.subject.on_project && !command.only_reads && !is_granted;
    let reason = "It would work on the project itself: what it changes is there at once, before you see it.";
    (asks && !lands_unseen(question, asked.settings)).then(|| hit(Decision::Approval, ON_PROJECT_RULE, reason))
}

/// Lets a command run whose changes are reviewed before they land. A line that is known for what it does, or that a rule
/// allows, is not looked at here. Under `never` nobody reviews anything, so nothing else runs.
fn reviewed_effects(asked: &CheckInput<'_>) -> Option<Hit> {
    let (question, settings) = (asked.question, asked.settings);
    let command = asked.command.filter(|command| command.in_view && !command.only_reads && !command.builds)?;
    let by_default = settings.categories.get(&Category::Exec) == Some(&Decision::Review);
    // `all` is asked about nothing but what is denied.
    if question.approve != ApprovalMode::All && asked.may_be_restricted() {
        return None;
    }
    let runs =
        by_default || (command.line.not_followed().is_some() && settings.allows_all_commands(question, Category::Exec));
    let reason = "The command runs on a view of the project, and you review its changes before they land.";
    (runs && question.approve != ApprovalMode::Never).then(|| hit(Decision::Review, REVIEW_RULE, reason))
}

/// Returns what the user granted beforehand. A command is covered only where a sandbox holds it.
fn granted(question: &PolicyQuestion<'_>, category: Category) -> Option<Hit> {
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
fn changed_git(command: Option<&JudgedLine<'_>>, changed: ChangedGit) -> Option<Hit> {
    let command = command?;
    let reason = if changed.foreign {
        "Git would read a repository outside the project, which doesn't say that it belongs to this folder."
    } else if changed.programs {
        "Git's configuration changed since you trusted the folder, and it may run a program."
    } else if changed.unclear && command.only_reads {
        "Arki can't tell which programs git's configuration would run here, so it can't switch them off."
    } else if changed.hooks && !command.only_reads {
        "A git hook changed since you trusted the folder, and git may run it."
    } else {
        return None;
    };
    may_run_git(&command.line).then(|| hit(Decision::Approval, "builtin:changed-git", reason))
}

/// Allows known commands, but not with the network: a command that reads may then tell others what it reads.
fn known_command(command: Option<&JudgedLine<'_>>, category: Category) -> Option<Hit> {
    let command = command.filter(|_| category == Category::Exec)?;
    if command.only_reads {
        return Some(hit(Decision::Allow, READ_ONLY_RULE, "The command only reads."));
    }
    let reason = "The command builds or tests, inside the sandbox.";
    command.builds.then(|| hit(Decision::Allow, BUILD_RULE, reason))
}

/// Returns the hit for a command that is not understood: where all commands are allowed, those are that can be looked
/// into.
fn not_understood(asked: &CheckInput<'_>) -> Option<Hit> {
    let unclear = asked.line()?.not_followed()?;
    if asked.may_be_restricted() {
        let reason = format!("The command contains {unclear}, so Arki can't tell if one of your rules is about it.");
        return Some(hit(Decision::Approval, NOT_UNDERSTOOD_RULE, &reason));
    }
    let reason = format!("The command contains {unclear}, so Arki can't tell what it does.");
    let is_allowed = asked.settings.allows_all_commands(asked.question, asked.category()?);
    is_allowed.then(|| hit(Decision::Approval, NOT_UNDERSTOOD_RULE, &reason))
}

/// Lets a line run that would be asked about, with the project read-only: the question comes only if that fails. Not
/// under `never`, where nobody could answer it.
fn tried_read_only(asked: &CheckInput<'_>) -> Option<Hit> {
    let (question, command) = (asked.question, asked.command?);
    let by_default = asked.settings.categories.get(&Category::Exec).is_none_or(|set| *set == Decision::Review);
    let runs = question.category == Some(Category::Exec)
        && question.subject.tried_first
        && question.approve != ApprovalMode::Never
        && by_default
        && command.line.not_followed().is_none();
    let reason = "It first runs with the project read-only, and you are asked only if that fails.";
    runs.then(|| hit(Decision::Review, TRIED_RULE, reason))
}
