//! The verdict on what a command changed in its view, or an MCP server in a call: path by path, by the steps that a write
//! of the path by a tool goes through, and together.
//!
//! That a line was allowed to run says nothing here. Its changes land unseen only by a rule with `"effects": "allow"`, by
//! a rule about the path, by the mode of the run within its bounds, or where git ignores the path. What is sensitive asks,
//! whatever else was granted; what a rule denies never lands.

use crate::checks::{CheckInput, Hit, first_hit, hit};
use crate::landing_rules::landing_rules;
use crate::rules::COMMAND_TOOL;
use crate::{CommandLine, Impact, PolicyQuestion, PolicyRule, PolicySettings, Subject, TouchedPath, risk};
use arki_domain::{ApprovalMode, Category, Decision, PolicyCheck, Reason, ReasonCode, Risk};

/// Under `edits` more changed files are reviewed.
const MAX_UNSEEN_FILES: usize = 50;
/// Under `edits` more removed files are reviewed.
const MAX_UNSEEN_REMOVALS: usize = 5;
/// More removed files that git ignores are asked about.
const MAX_IGNORED_REMOVALS: usize = 20;
/// The reasons that are told together.
const MAX_REASONS: usize = 3;

const IGNORED_RULE: &str = "builtin:ignored-file";
const BEYOND_EDITS_RULE: &str = "builtin:beyond-edits";

/// The changes of one call, and what matters for the decision on them.
#[derive(Debug, Clone, Copy)]
pub struct EffectsQuestion<'a> {
    pub changes: &'a [ChangedPath],
    /// The tool that was called.
    pub tool: &'a str,
    /// The subject of that call.
    pub subject: &'a Subject,
    /// True if a command had the network.
    pub network: bool,
    pub trusted: bool,
    pub approve: ApprovalMode,
    /// Lines added plus lines removed, as far as there are lines.
    pub lines: usize,
}

/// A path that a command changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedPath {
    pub touched: TouchedPath,
    pub change: PathChange,
    pub traits: Vec<PathTrait>,
    /// True if git ignored it before the command began; of a moved one, if it ignored both paths.
    pub ignored: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathChange {
    Added,
    Changed,
    Removed,
    Moved { from: TouchedPath },
}

/// A property of a changed path besides being a text of the project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathTrait {
    /// Its permissions changed, or it is new and can be executed.
    Mode,
    /// It is or was a link within the project.
    Link,
    /// It is a link that leaves the project.
    LinkOutside,
    /// It has other names, which change with it.
    HardLink,
    Binary,
    /// It is a submodule, or something by which git finds a repository or runs a program.
    Repository,
}

/// The decision on all changes of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EffectsVerdict {
    /// The strictest of those on the paths that may land: `allow` if they land at once, `preview` if the user reviews
    /// them, `approval` if sensitive ones are among them. `deny` if none may land.
    pub decision: Decision,
    pub rule: String,
    pub reason: Reason,
    pub risk: Risk,
    /// The decision on each path, in the order of the question.
    pub paths: Vec<PathVerdict>,
}

/// The decision on one changed path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathVerdict {
    pub decision: Decision,
    pub rule: String,
    pub reason: Reason,
}

/// Judges what a command changed. Executes nothing, reads nothing.
#[must_use]
pub fn decide_effects(question: &EffectsQuestion<'_>, settings: &PolicySettings) -> EffectsVerdict {
    let policies = PathPolicies::of(question, settings);
    let mut paths: Vec<PathVerdict> =
        question.changes.iter().map(|change| policies.verdict(question, change)).collect();
    ask_for_many_removals(question, &mut paths);
    review_beyond_edits(question, &mut paths);
    summed_up(question, paths)
}

impl EffectsQuestion<'_> {
    fn who(&self) -> ReasonCode {
        if self.tool == COMMAND_TOOL { ReasonCode::THE_COMMAND } else { ReasonCode::MCP_SERVER }
    }
}

/// The settings as they speak of changed files, and of removed ones.
struct PathPolicies {
    changed: PolicySettings,
    removed: PolicySettings,
}

impl PathPolicies {
    fn of(question: &EffectsQuestion<'_>, settings: &PolicySettings) -> Self {
        let text = question.subject.command.as_deref().unwrap_or_default();
        let line = CommandLine::parse(text);
        // Rules let the changes of commands land, not those of servers.
        let landing = match question.tool {
            COMMAND_TOOL => landing_rules(question.subject, question.network, settings, &line),
            _ => Vec::new(),
        };
        let with = |removes| {
            let adapted = |rules: &[PolicyRule]| -> Vec<PolicyRule> {
                let lands = |rule: &PolicyRule| landing.iter().any(|landing| std::ptr::eq(*landing, rule));
                rules.iter().filter_map(|rule| rule.of_effects(&line, removes, lands(rule))).collect()
            };
            let (rules, grants) = (adapted(&settings.rules), adapted(&settings.grants));
            // The tool may be switched off by now; its command has run.
            PolicySettings { rules, grants, tools: None, disabled_tools: Vec::new(), ..settings.clone() }
        };
        Self { changed: with(false), removed: with(true) }
    }

    fn verdict(&self, question: &EffectsQuestion<'_>, change: &ChangedPath) -> PathVerdict {
        let (settings, from) = match &change.change {
            PathChange::Added | PathChange::Changed => (&self.changed, None),
            PathChange::Removed => (&self.removed, None),
            PathChange::Moved { from } => (&self.removed, Some(from.clone())),
        };
        let paths = [change.touched.clone()].into_iter().chain(from).collect();
        let subject = Subject { paths, ..Subject::default() };
        let write = question_of(question, &subject);
        let (check, hit) = first_hit(&CheckInput { question: &write, settings, command: None });
        let (decision, rule, reason) = match check {
            _ if check < PolicyCheck::Sensitive => hit,
            _ if question.approve == ApprovalMode::Never => nothing_lands(),
            PolicyCheck::Sensitive => hit,
            _ => asked_for_trait(change).unwrap_or_else(|| unless_ignored(change, check, settings, hit)),
        };
        PathVerdict { decision, rule, reason }
    }
}

fn question_of<'a>(question: &EffectsQuestion<'_>, subject: &'a Subject) -> PolicyQuestion<'a> {
    PolicyQuestion {
        tool: COMMAND_TOOL,
        category: Some(Category::Write),
        subject,
        trusted: question.trusted,
        approve: question.approve,
        sandboxed: true,
        has_view: false,
        impact: Impact { files: question.changes.len(), lines: question.lines },
    }
}

fn nothing_lands() -> Hit {
    hit(Decision::Deny, "approve:never", ReasonCode::NEVER_LANDS)
}

/// Asks about what could make others act, whatever was granted.
fn asked_for_trait(change: &ChangedPath) -> Option<Hit> {
    let (rule, why) = if change.traits.contains(&PathTrait::LinkOutside) {
        ("builtin:link-outside", ReasonCode::LINK_OUTSIDE)
    } else if change.traits.contains(&PathTrait::Repository) {
        ("builtin:git-directory", ReasonCode::GIT_DIRECTORY)
    } else {
        return None;
    };
    Some(hit(Decision::Approval, rule, why.with("path", change.touched.path.as_str())))
}

/// Lets files land that git ignores, where no rule speaks of them and writing isn't asked about as such.
fn unless_ignored(change: &ChangedPath, check: PolicyCheck, settings: &PolicySettings, otherwise: Hit) -> Hit {
    let by_mode = check == PolicyCheck::ApprovedInAdvance;
    let by_default = matches!(check, PolicyCheck::ChangeRisk | PolicyCheck::CategoryDefault)
        && settings.category_default(Category::Write).0 <= Decision::Preview;
    if change.ignored && (by_mode || by_default) {
        return hit(Decision::Allow, IGNORED_RULE, ReasonCode::GIT_IGNORES);
    }
    otherwise
}

fn ask_for_many_removals(question: &EffectsQuestion<'_>, paths: &mut [PathVerdict]) {
    let removals = |(change, verdict): &(&ChangedPath, &mut PathVerdict)| {
        change.change == PathChange::Removed && verdict.rule == IGNORED_RULE
    };
    let count = question.changes.iter().zip(paths.iter_mut()).filter(removals).count();
    if count <= MAX_IGNORED_REMOVALS || question.approve == ApprovalMode::All {
        return;
    }
    for (_, verdict) in question.changes.iter().zip(paths).filter(removals) {
        verdict.decision = Decision::Approval;
        verdict.rule = "builtin:many-removals".to_owned();
        verdict.reason = ReasonCode::IGNORED_REMOVALS.with("count", count.to_string()).into();
    }
}

/// Has everything reviewed that `edits` would let land, where it is more than one would expect of an edit.
fn review_beyond_edits(question: &EffectsQuestion<'_>, paths: &mut [PathVerdict]) {
    let is_granted = |verdict: &PathVerdict| verdict.rule == "approve:edits";
    if question.approve != ApprovalMode::Edits {
        return;
    }
    let counts = |(change, verdict): &(&ChangedPath, &PathVerdict)| {
        let is_open = is_granted(verdict) || matches!(verdict.decision, Decision::Preview | Decision::Approval);
        is_open && !change.ignored
    };
    let open: Vec<_> = question.changes.iter().zip(paths.iter()).filter(counts).collect();
    let Some(reason) = beyond_edits(question.who(), &open) else { return };
    for verdict in paths.iter_mut().filter(|verdict| is_granted(verdict)) {
        verdict.decision = Decision::Preview;
        verdict.rule = BEYOND_EDITS_RULE.to_owned();
        verdict.reason.clone_from(&reason);
    }
}

fn beyond_edits(who: ReasonCode, open: &[(&ChangedPath, &PathVerdict)]) -> Option<Reason> {
    let removals = open.iter().filter(|(change, _)| change.change == PathChange::Removed).count();
    let special = |(change, verdict): &&(&ChangedPath, &PathVerdict)| {
        let steers = risk::touches_configuration(&change.touched.path) || verdict.decision == Decision::Approval;
        !change.traits.is_empty() || steers
    };
    let many = |reason: ReasonCode, count: usize, most: usize| {
        reason.with("who", who).with("count", count.to_string()).with("most", most.to_string()).into()
    };
    if open.len() > MAX_UNSEEN_FILES {
        return Some(many(ReasonCode::MANY_CHANGES, open.len(), MAX_UNSEEN_FILES));
    }
    if removals > MAX_UNSEEN_REMOVALS {
        return Some(many(ReasonCode::MANY_REMOVALS, removals, MAX_UNSEEN_REMOVALS));
    }
    let (change, _) = open.iter().find(special)?;
    let reason = match change.traits.first() {
        Some(PathTrait::Mode) => ReasonCode::MODE_REVIEWED,
        Some(PathTrait::Link | PathTrait::LinkOutside) => ReasonCode::LINK_REVIEWED,
        Some(PathTrait::HardLink) => ReasonCode::HARD_LINK_REVIEWED,
        Some(PathTrait::Binary) => ReasonCode::BINARY_REVIEWED,
        Some(PathTrait::Repository) => ReasonCode::REPOSITORY_REVIEWED,
        None => ReasonCode::CONFIGURATION_REVIEWED,
    };
    Some(reason.with("path", change.touched.path.as_str()).into())
}

fn summed_up(question: &EffectsQuestion<'_>, paths: Vec<PathVerdict>) -> EffectsVerdict {
    let may_land = |verdict: &&PathVerdict| verdict.decision != Decision::Deny;
    let strictest = paths.iter().filter(may_land).map(|verdict| verdict.decision).max();
    let decision = strictest.unwrap_or(if paths.is_empty() { Decision::Allow } else { Decision::Deny });
    let decisive = |verdict: &&PathVerdict| verdict.decision == decision;
    let rule = paths.iter().find(decisive).map_or("builtin:no-change", |verdict| &verdict.rule).to_owned();
    let mut reasons: Vec<Reason> = Vec::new();
    for verdict in paths.iter().filter(decisive) {
        if !reasons.contains(&verdict.reason) {
            reasons.push(verdict.reason.clone());
        }
    }
    if paths.is_empty() {
        reasons.push(ReasonCode::NOTHING_CHANGED.into());
    }
    let more = reasons.len().saturating_sub(MAX_REASONS);
    reasons.truncate(MAX_REASONS);
    if more > 0 {
        reasons.push(ReasonCode::MORE_REASONS.with("more", more.to_string()).into());
    }
    reasons.extend(never_landing(question, &paths).filter(|_| decision != Decision::Deny));
    let reason = Reason { sentences: reasons.into_iter().flat_map(|reason| reason.sentences).collect() };
    EffectsVerdict { decision, rule, reason, risk: risk_of(question), paths }
}

/// Names what is denied, beside what isn't.
fn never_landing(question: &EffectsQuestion<'_>, paths: &[PathVerdict]) -> Option<Reason> {
    let mut denied = question.changes.iter().zip(paths).filter(|(_, verdict)| verdict.decision == Decision::Deny);
    let (change, verdict) = denied.next()?;
    let reason = match denied.count() {
        0 => ReasonCode::NOT_KEPT.into(),
        1 => ReasonCode::NOT_KEPT_WITH_ONE.into(),
        more => ReasonCode::NOT_KEPT_WITH_OTHERS.with("more", more.to_string()),
    };
    Some(reason.with("path", change.touched.path.as_str()).with("rule", verdict.rule.as_str()).into())
}

fn risk_of(question: &EffectsQuestion<'_>) -> Risk {
    if question.changes.iter().any(|change| asked_for_trait(change).is_some()) {
        return Risk::High;
    }
    let changes = question.changes.iter().filter(|change| !change.ignored || change.touched.secret);
    let paths = changes.map(|change| change.touched.clone()).collect();
    let subject = Subject { paths, ..Subject::default() };
    risk::of(&question_of(question, &subject), None)
}
