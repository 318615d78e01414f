//! The trace of a decision in words: what Arki made of each command of the line, and the checks in their order.

use crate::output::visible;
use arki_domain::{CheckOutcome, CommandPart, CommandReading, PolicyCheck, PolicyTrace, TracedCheck, plural};

/// One line each, without line ends.
pub(super) fn lines(trace: &PolicyTrace) -> Vec<String> {
    let mut lines = Vec::new();
    if !trace.parts.is_empty() {
        lines.push("The command, part by part:".to_owned());
        lines.extend(trace.parts.iter().map(part_line));
    }
    lines.push("The checks, in order; the first one that applies decides:".to_owned());
    lines.extend(trace.checks.iter().map(check_line));
    lines
}

fn part_line(part: &CommandPart) -> String {
    let command = visible(&part.command).replace('\n', "\\n");
    let reading = match part.reading {
        CommandReading::OnlyReads => "only reads",
        CommandReading::BuildsOrTests => "builds or tests",
        CommandReading::NotKnown => "not known",
        CommandReading::Dangerous => "dangerous",
        CommandReading::NotUnderstood => "can't be understood",
    };
    match &part.why {
        Some(why) if part.reading == CommandReading::NotUnderstood => {
            format!("  {command}: {reading}: it contains {why}")
        }
        Some(why) => format!("  {command}: {reading}: {}", why.trim_end_matches('.')),
        None => format!("  {command}: {reading}"),
    }
}

fn check_line(traced: &TracedCheck) -> String {
    let outcome = match traced.outcome {
        CheckOutcome::Passed => "passed",
        CheckOutcome::Decided => "DECIDED",
        CheckOutcome::NotReached => "not asked",
    };
    let rules = match (traced.rules_before, traced.outcome) {
        (None, _) => String::new(),
        (Some(count), CheckOutcome::Decided) => format!(" ({} before it)", plural(count as u64, "rule")),
        (Some(count), _) => format!(" ({} looked at)", plural(count as u64, "rule")),
    };
    format!("  {outcome:<9} {}{rules}", about(traced.check))
}

fn about(check: PolicyCheck) -> &'static str {
    match check {
        PolicyCheck::Trust => "folder trust",
        PolicyCheck::UnknownTool => "unknown tools",
        PolicyCheck::AgentTools => "tools that the agent doesn't have",
        PolicyCheck::DisabledTools => "tools switched off for the session",
        PolicyCheck::PlanOnly => "runs that only plan",
        PolicyCheck::ReadOnlyAgent => "agents that only read",
        PolicyCheck::DenyRules => "rules and categories that deny",
        PolicyCheck::UnreadableConfiguration => "configuration that can't be read",
        PolicyCheck::HookDenial => "hooks that deny",
        PolicyCheck::Sensitive => "secrets and protected paths",
        PolicyCheck::HookQuestion => "hooks that ask",
        PolicyCheck::ChangedGit => "changes to git's configuration and hooks",
        PolicyCheck::RepeatedCall => "repeated calls",
        PolicyCheck::OnProject => "commands on the project itself",
        PolicyCheck::Rules => "rules that allow or ask",
        PolicyCheck::SessionGrants => "permissions for this session",
        PolicyCheck::EffectsReview => "commands whose changes are reviewed",
        PolicyCheck::ApprovedInAdvance => "approval in advance",
        PolicyCheck::ChangeRisk => "large changes and files that control tools",
        PolicyCheck::KnownCommand => "commands known to only read, build or test",
        PolicyCheck::NotUnderstood => "commands that can't be understood",
        PolicyCheck::TriedReadOnly => "commands that first run read-only",
        PolicyCheck::CategoryDefault => "the category's default",
    }
}
