//! The chain of checks, in the order of the contract: the first one that has something to say decides.
//!
//! Each is a plain function over the question and the settings. A decision is recorded under the name of its rule, and
//! that name tells which check it was (`trace`): so no two checks share a rule with the same decision. A new check or rule
//! needs its line in `trace::check_of`.

use crate::judged_line::{JudgedLine, may_run_git};
use crate::landing_rules::lands_unseen;
use crate::question::ChangedGit;
use crate::{PolicyQuestion, PolicySettings, Subject, TouchedPath, git_line, risk};
use arki_domain::{
    ApprovalMode, Category, Decision, PolicyCheck, REPEATED_RULE, Reason, ReasonCode, TranslatableText, UNTRUSTED_RULE,
};

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

pub(crate) type Hit = (Decision, String, Reason);

pub(crate) fn hit(decision: Decision, rule: &str, reason: impl Into<Reason>) -> Hit {
    (decision, rule.to_owned(), reason.into())
}

fn denied_by_hook(question: &PolicyQuestion<'_>) -> Option<Hit> {
    let objection = question.subject.objection.as_ref().filter(|objection| objection.denies)?;
    Some(hit(Decision::Deny, &rule_of_hook(&objection.hook), objection.reason.as_str()))
}

/// Refuses git lines that would fail whatever the answer, so nobody is asked.
fn refused_git(question: &PolicyQuestion<'_>) -> Option<Hit> {
    let why = git_line::refused_git(question.subject.command.as_deref()?)?;
    Some(hit(Decision::Deny, REFUSED_GIT_RULE, why))
}

/// Asks if a hook objected, whatever was granted in advance: nobody knew then that the hook would object.
fn asked_by_hook(question: &PolicyQuestion<'_>) -> Option<Hit> {
    let objection = question.subject.objection.as_ref()?;
    Some(hit(Decision::Approval, &rule_of_hook(&objection.hook), objection.reason.as_str()))
}

fn rule_of_hook(name: &str) -> String {
    format!("hook:{name}")
}

fn untrusted(question: &PolicyQuestion<'_>) -> Option<Hit> {
    let reason = match question.category {
        None => ReasonCode::FOLDER_UNTRUSTED,
        Some(Category::Read) => return None,
        Some(_) => ReasonCode::FOLDER_UNTRUSTED_READS_ONLY,
    };
    (!question.trusted).then(|| hit(Decision::Deny, UNTRUSTED_RULE, reason))
}

fn unknown_tool() -> Hit {
    hit(Decision::Deny, "builtin:unknown-tool", ReasonCode::UNKNOWN_TOOL)
}

fn not_of_agent(question: &PolicyQuestion<'_>, settings: &PolicySettings) -> Option<Hit> {
    let lacks = !settings.has_tool(question.tool);
    lacks.then(|| hit(Decision::Deny, "builtin:agent-tools", ReasonCode::AGENT_LACKS_TOOL))
}

fn switched_off(question: &PolicyQuestion<'_>, settings: &PolicySettings) -> Option<Hit> {
    let is_off = settings.is_disabled(question.tool);
    is_off.then(|| hit(Decision::Deny, "builtin:disabled-tool", ReasonCode::TOOL_SWITCHED_OFF))
}

/// Denies all but reading. In a view, commands that are known to only read are reading too.
fn only_plans(settings: &PolicySettings, category: Category, command: Option<&JudgedLine<'_>>) -> Option<Hit> {
    let reads = category == Category::Read || command.is_some_and(|command| command.in_view && command.may_only_read);
    let denied = settings.plan && !reads;
    denied.then(|| hit(Decision::Deny, "builtin:plan", ReasonCode::ONLY_PLANS))
}

/// Denies calls of a read-only agent that may do more than read. The files that a known command reads without naming
/// them are checked later, as for every agent.
fn of_read_only_agent(settings: &PolicySettings, category: Category, command: Option<&JudgedLine<'_>>) -> Option<Hit> {
    let may_read = match category {
        Category::Read => true,
        Category::Exec => command.is_some_and(|command| command.may_only_read),
        Category::Write | Category::Network => false,
    };
    let denied = settings.read_only && !may_read;
    denied.then(|| hit(Decision::Deny, "builtin:read-only-agent", ReasonCode::AGENT_ONLY_READS))
}

fn sensitive(question: &PolicyQuestion<'_>, category: Category, command: Option<&JudgedLine<'_>>) -> Option<Hit> {
    let in_view = command.is_some_and(|command| command.in_view);
    let opens = |path: &&TouchedPath| path.secret && !command.is_some_and(|command| command.only_looks_for(&path.path));
    if let Some(path) = question.subject.paths.iter().find(opens) {
        let reason = ReasonCode::SECRET_FILE.with("path", path.path.as_str());
        return Some(hit(Decision::Approval, "builtin:secret-file", reason));
    }
    if !question.subject.secrets.is_empty() {
        return Some(hit(Decision::Approval, "builtin:secret", uses_secrets(question.subject, category)));
    }
    // In a view no secret file can be opened, and a change to a protected path is asked about when it is there.
    if category == Category::Read || in_view || command.is_some_and(|command| command.only_reads) {
        return None;
    }
    if question.subject.secrets_in_reach {
        return Some(hit(Decision::Approval, "builtin:secret-file", ReasonCode::SECRETS_IN_REACH));
    }
    let path = question.subject.paths.iter().find(|path| path.protected)?;
    let reason = ReasonCode::PROTECTED_PATH.with("path", path.path.as_str());
    Some(hit(Decision::Approval, "builtin:protected-path", reason))
}

fn uses_secrets(subject: &Subject, category: Category) -> TranslatableText {
    let used = match (category, subject.hosts.as_slice()) {
        (Category::Network, []) => ReasonCode::SECRET_OVER_NETWORK.into(),
        (Category::Network, hosts) => ReasonCode::SECRET_TO_HOSTS.with("hosts", hosts.join(", ")),
        (Category::Exec, _) => ReasonCode::SECRET_TO_COMMAND.into(),
        (Category::Read | Category::Write, _) => ReasonCode::SECRET_WRITTEN.into(),
    };
    used.with("secrets", subject.secrets.join(", "))
}

fn repeated(question: &PolicyQuestion<'_>) -> Option<Hit> {
    let times = question.subject.times_in_a_row;
    let reason = ReasonCode::REPEATED_CALL.with("times", times.to_string());
    (times >= REPEATS_TO_ASK).then(|| hit(Decision::Approval, REPEATED_RULE, reason))
}

/// Asks about a command that is to work on the project itself: only rules by which its changes land unseen speak of that.
fn on_project(asked: &CheckInput<'_>) -> Option<Hit> {
    let (question, command) = (asked.question, asked.command?);
    let is_granted = question.approve == ApprovalMode::All;
    let asks = question.has_view && question.subject.on_project && !command.only_reads && !is_granted;
    let is_seen = asks && !lands_unseen(question, asked.settings);
    is_seen.then(|| hit(Decision::Approval, ON_PROJECT_RULE, ReasonCode::ON_PROJECT))
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
    let is_reviewed = runs && question.approve != ApprovalMode::Never;
    is_reviewed.then(|| hit(Decision::Review, REVIEW_RULE, ReasonCode::REVIEWED_EFFECTS))
}

/// Returns what the user granted beforehand. A command is covered only where a sandbox holds it.
fn granted(question: &PolicyQuestion<'_>, category: Category) -> Option<Hit> {
    match (question.approve, category) {
        (ApprovalMode::Edits | ApprovalMode::All, Category::Write) => {
            Some(hit(Decision::Allow, "approve:edits", ReasonCode::EDITS_GRANTED))
        }
        (ApprovalMode::All, Category::Exec) if !question.sandboxed => None,
        (ApprovalMode::All, _) => Some(hit(Decision::Allow, ALL_GRANTED_RULE, ReasonCode::ALL_GRANTED)),
        (ApprovalMode::Ask | ApprovalMode::Edits | ApprovalMode::Never, _) => None,
    }
}

/// Returns the hit for a changed git: it does not run unasked, inside a command either, whatever rule allows the
/// command, since the rule was made for another git. What only reads runs no hook.
fn changed_git(command: Option<&JudgedLine<'_>>, changed: ChangedGit) -> Option<Hit> {
    let command = command?;
    let reason = if changed.foreign {
        ReasonCode::GIT_FOREIGN
    } else if changed.programs {
        ReasonCode::GIT_CONFIGURATION_CHANGED
    } else if changed.unclear && command.only_reads {
        ReasonCode::GIT_UNCLEAR
    } else if changed.hooks && !command.only_reads {
        ReasonCode::GIT_HOOK_CHANGED
    } else {
        return None;
    };
    may_run_git(&command.line).then(|| hit(Decision::Approval, "builtin:changed-git", reason))
}

/// Allows known commands, but not with the network: a command that reads may then tell others what it reads.
fn known_command(command: Option<&JudgedLine<'_>>, category: Category) -> Option<Hit> {
    let command = command.filter(|_| category == Category::Exec)?;
    if command.only_reads {
        return Some(hit(Decision::Allow, READ_ONLY_RULE, ReasonCode::ONLY_READS));
    }
    command.builds.then(|| hit(Decision::Allow, BUILD_RULE, ReasonCode::BUILDS))
}

/// Returns the hit for a command that is not understood: where all commands are allowed, those are that can be looked
/// into.
fn not_understood(asked: &CheckInput<'_>) -> Option<Hit> {
    let unclear = asked.line()?.not_followed()?;
    let reason = if asked.may_be_restricted() {
        ReasonCode::UNCLEAR_FOR_RULES
    } else if asked.settings.allows_all_commands(asked.question, asked.category()?) {
        ReasonCode::UNCLEAR_EFFECT
    } else {
        return None;
    };
    Some(hit(Decision::Approval, NOT_UNDERSTOOD_RULE, reason.with("unclear", unclear)))
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
    runs.then(|| hit(Decision::Review, TRIED_RULE, ReasonCode::TRIED_READ_ONLY))
}
