//! The trace of a decision, made from what the log says of it: the decision, its rule and its reason.
//!
//! The rule's name and the decision tell which check it was, and the chain is the same for every call; so the trace of a
//! past decision needs nothing but its record, and can't say that anything else was decided. What it says of the line's
//! commands is today's reading. Where that contradicts the record, which an earlier version or another system may have
//! made, it is left out.

use crate::checks::{
    BUILD_RULE, CHAIN, NOT_UNDERSTOOD_RULE, ON_PROJECT_RULE, READ_ONLY_RULE, REFUSED_GIT_RULE, REVIEW_RULE,
    RULE_SEPARATOR, TRIED_RULE,
};
use crate::judged_line::{builds, only_reads};
use crate::line_parts::{Dangers, line_parts};
use crate::{CommandLine, PolicySettings, Shell, danger};
use arki_domain::{
    CheckOutcome, CommandPart, CommandReading, Decision, PolicyCheck, PolicyTrace, REPEATED_RULE, TracedCheck,
    UNTRUSTED_RULE,
};

/// The trace of a decision as it was recorded; `line` is the shell line that it was about. `None` where no check made
/// it: the user's own answer, or a preview that is shown again.
#[must_use]
pub fn trace(decision: Decision, rule: &str, reason: &str, line: Option<&str>) -> Option<PolicyTrace> {
    trace_in(Shell::native(), decision, rule, reason, line)
}

pub(crate) fn trace_in(
    shell: Shell,
    decision: Decision,
    rule: &str,
    reason: &str,
    line: Option<&str>,
) -> Option<PolicyTrace> {
    let decided = check_of(decision, rule)?;
    let traced = |check: PolicyCheck| {
        let outcome = match check.cmp(&decided) {
            std::cmp::Ordering::Less => CheckOutcome::Passed,
            std::cmp::Ordering::Equal => CheckOutcome::Decided,
            std::cmp::Ordering::Greater => CheckOutcome::NotReached,
        };
        TracedCheck { check, outcome, rules_before: None }
    };
    Some(PolicyTrace {
        decision,
        rule: rule.to_owned(),
        reason: reason.to_owned(),
        checks: CHAIN.iter().map(|(check, _)| traced(*check)).collect(),
        parts: line.map(|line| parts(shell, line, decision, rule, reason)).unwrap_or_default(),
    })
}

impl PolicySettings {
    /// Adds how many of these rules were looked at, to the trace of a decision that was made by them.
    pub fn count_rules(&self, trace: &mut PolicyTrace) {
        let first = trace.rule.split(RULE_SEPARATOR).next();
        let place = self.rules.iter().position(|known| Some(known.name()) == first);
        for traced in &mut trace.checks {
            let goes_through_rules = matches!(traced.check, PolicyCheck::DenyRules | PolicyCheck::Rules);
            traced.rules_before = match traced.outcome {
                CheckOutcome::Passed if goes_through_rules => Some(self.rules.len()),
                // Where it was the category that denies, no rule did.
                CheckOutcome::Decided if goes_through_rules => Some(place.unwrap_or(self.rules.len())),
                CheckOutcome::Passed | CheckOutcome::Decided | CheckOutcome::NotReached => None,
            };
        }
    }
}

/// The check that makes such a decision under such a rule.
fn check_of(decision: Decision, rule: &str) -> Option<PolicyCheck> {
    if let (Some((first, others)), Decision::Allow) = (rule.split_once(RULE_SEPARATOR), decision) {
        let is_one = |rule: &str| rule == BUILD_RULE || named_check(decision, rule).is_some();
        // The user's own rules are named before what was allowed for the session.
        return named_check(decision, first).filter(|_| others.split(RULE_SEPARATOR).all(is_one));
    }
    let check = match (rule, decision) {
        (UNTRUSTED_RULE, Decision::Deny) => PolicyCheck::Trust,
        ("builtin:unknown-tool", Decision::Deny) => PolicyCheck::UnknownTool,
        ("builtin:agent-tools", Decision::Deny) => PolicyCheck::AgentTools,
        ("builtin:disabled-tool", Decision::Deny) => PolicyCheck::DisabledTools,
        ("builtin:plan", Decision::Deny) => PolicyCheck::PlanOnly,
        ("builtin:read-only-agent", Decision::Deny) => PolicyCheck::ReadOnlyAgent,
        ("builtin:unreadable-configuration", Decision::Deny) => PolicyCheck::UnreadableConfiguration,
        (REFUSED_GIT_RULE, Decision::Deny) => PolicyCheck::DenyRules,
        ("builtin:secret-file" | "builtin:secret" | "builtin:protected-path", Decision::Approval) => {
            PolicyCheck::Sensitive
        }
        ("builtin:changed-git", Decision::Approval) => PolicyCheck::ChangedGit,
        (REPEATED_RULE, Decision::Approval) => PolicyCheck::RepeatedCall,
        (ON_PROJECT_RULE, Decision::Approval) => PolicyCheck::OnProject,
        ("approve:edits" | "approve:all", Decision::Allow) => PolicyCheck::ApprovedInAdvance,
        ("builtin:large-change", Decision::Preview) | ("builtin:configuration", Decision::Approval) => {
            PolicyCheck::ChangeRisk
        }
        (READ_ONLY_RULE | BUILD_RULE, Decision::Allow) => PolicyCheck::KnownCommand,
        (REVIEW_RULE, Decision::Review) => PolicyCheck::EffectsReview,
        (NOT_UNDERSTOOD_RULE, Decision::Approval) => PolicyCheck::NotUnderstood,
        (TRIED_RULE, Decision::Review) => PolicyCheck::TriedReadOnly,
        _ => return named_check(decision, rule),
    };
    Some(check)
}

/// Returns the check of a rule with a generated name: `hook:NAME`, `category:exec`, `config:rules[1]`,
/// `session:rules[1]`, `denylist_patterns[1]`.
fn named_check(decision: Decision, rule: &str) -> Option<PolicyCheck> {
    let check = match (rule.split_once(':').map(|(origin, _)| origin), decision) {
        (Some("hook"), Decision::Deny) => PolicyCheck::HookDenial,
        (Some("hook"), Decision::Approval) => PolicyCheck::HookQuestion,
        (Some("category"), Decision::Deny) => PolicyCheck::DenyRules,
        (Some("category"), _) => PolicyCheck::CategoryDefault,
        (Some("hook" | "builtin" | "approve" | "approval"), _) => return None,
        _ if !is_numbered(rule) => return None,
        (_, Decision::Deny) => PolicyCheck::DenyRules,
        (Some("session"), Decision::Allow) => PolicyCheck::SessionGrants,
        (Some(_), _) => PolicyCheck::Rules,
        (None, _) => return None,
    };
    Some(check)
}

fn is_numbered(rule: &str) -> bool {
    let number = rule.strip_suffix(']').and_then(|rule| rule.rsplit_once('[')).map(|(_, number)| number);
    number.is_some_and(|number| number.parse::<usize>().is_ok())
}

fn parts(shell: Shell, text: &str, decision: Decision, rule: &str, reason: &str) -> Vec<CommandPart> {
    let line = CommandLine::parse_as(shell, text);
    let is_warned = danger::of_line(&line).is_some_and(|danger| match decision {
        // Nobody is warned of what is allowed, and what is known as a whole isn't looked at for dangers.
        Decision::Allow | Decision::Review => {
            only_reads(shell, &line, true).is_none() && builds(shell, &line).is_none()
        }
        Decision::Preview | Decision::Approval | Decision::Deny => reason.starts_with(&danger.to_string()),
    });
    let parts = line_parts(shell, &line, text, if is_warned { Dangers::Told } else { Dangers::LeftOut });
    let all_are = |readings: &[CommandReading]| parts.iter().all(|part| readings.contains(&part.reading));
    let fits = match rule {
        READ_ONLY_RULE => all_are(&[CommandReading::OnlyReads]),
        BUILD_RULE => all_are(&[CommandReading::OnlyReads, CommandReading::BuildsOrTests]),
        NOT_UNDERSTOOD_RULE => line.not_followed().is_some(),
        _ => true,
    };
    if fits { parts } else { Vec::new() }
}
