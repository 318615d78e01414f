//! The rules by which what a command changes lands unseen.

use crate::coverage::{self, AllowedByEffect, AllowingSources};
use crate::judged_line::{fed, is_looked_at};
use crate::rules::EffectsPermission;
use crate::{CommandLine, PolicyQuestion, PolicyRule, PolicySettings, Shell, Subject};

/// Returns whether what a line changes would land unseen by rules or grants.
pub(crate) fn lands_unseen(question: &PolicyQuestion<'_>, settings: &PolicySettings) -> bool {
    let text = question.subject.command.as_deref().unwrap_or_default();
    !landing_rules(question.subject, false, settings, &CommandLine::parse(text)).is_empty()
}

/// The rules and grants by which the changes of the line land: each of its commands needs one, or only reads.
pub(crate) fn landing_rules<'a>(
    subject: &Subject,
    network: bool,
    settings: &'a PolicySettings,
    line: &CommandLine,
) -> Vec<&'a PolicyRule> {
    let text = subject.command.as_deref().unwrap_or_default();
    let lands = |rule: &&PolicyRule| {
        let definition = rule.definition();
        definition.effects == Some(EffectsPermission::Allow) && (!network || definition.network)
    };
    let is_followed = line.not_followed().is_none();
    let all = || settings.rules.iter().chain(&settings.grants).filter(lands);
    let whole = all().filter(|rule| !rule.is_for_commands() && is_followed);
    let for_commands =
        |rules: &'a [PolicyRule]| rules.iter().filter(lands).filter(|rule| rule.is_for_commands()).collect();
    let (rules, grants) = (for_commands(&settings.rules), for_commands(&settings.grants));
    let shell = Shell::native();
    let sources = AllowingSources { shell, rules, grants, known: AllowedByEffect::Reading };
    let fed = fed(shell, text, line);
    let covered = coverage::covered(fed.as_ref().unwrap_or(line), &sources);
    let covered = covered.filter(|covered| covered.reads.iter().all(|read| is_looked_at(subject, true, read)));
    whole.chain(covered.into_iter().flat_map(|covered| covered.rules.into_iter().chain(covered.grants))).collect()
}
