//! The hosts that a command may reach from its view, by the user's rules.
//!
//! A host is granted to a command (`"command"` and `"host"` in one rule), never to every line: a line has a host only if
//! each of its commands has it, or plainly only reads. Such a rule says nothing about running the command, and a rule
//! that denies a host wins over whatever allows it.

use crate::coverage::{self, AllowedByEffect, AllowingSources};
use crate::judged_line::fed;
use crate::proposal::for_line;
use crate::rules::COMMAND_TOOL;
use crate::{CommandLine, PolicyRule, PolicySettings, RuleDefinition, Shell, Subject, WideRead};
use arki_domain::{Category, Decision};

/// The rules' word on one line and one host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HostVerdict {
    Granted,
    /// Nobody spoke of it, or a rule wants the user to be asked.
    NotGranted,
    /// By this rule, whoever else agrees.
    Denied(String),
}

/// Tells of what a line reads without naming it whether it was looked at and is harmless: such as a folder in which a
/// rule's command runs.
pub type IsHarmless<'a> = &'a dyn Fn(&WideRead) -> bool;

impl PolicySettings {
    /// Returns whether a shell line may reach a host, which is a name in lower case.
    #[must_use]
    pub fn host_verdict(&self, command: &str, host: &str, is_harmless: IsHarmless<'_>) -> HostVerdict {
        if let Some((_, rule, _)) = self.refuses() {
            return HostVerdict::Denied(rule);
        }
        let (decision, rule, _) = self.category_default(Category::Network);
        if decision == Decision::Deny {
            return HostVerdict::Denied(rule);
        }
        let line = CommandLine::parse(command);
        let subject = Subject { hosts: vec![host.to_owned()], ..Subject::default() };
        let about = |rule: &&PolicyRule| {
            let is_of_host = rule.definition().host.is_some() && !rule.allows();
            is_of_host && rule.matches(COMMAND_TOOL, &subject, Some(&line))
        };
        match self.rules.iter().filter(about).max_by_key(|rule| rule.definition().decision) {
            Some(rule) if rule.definition().decision == Decision::Deny => HostVerdict::Denied(rule.name().to_owned()),
            None if self.grants_host(&line, command, host, is_harmless) => HostVerdict::Granted,
            _ => HostVerdict::NotGranted,
        }
    }

    fn grants_host(&self, line: &CommandLine, text: &str, host: &str, is_harmless: IsHarmless<'_>) -> bool {
        let shell = Shell::native();
        let fed = fed(shell, text, line);
        let covered = coverage::covered(fed.as_ref().unwrap_or(line), &self.host_sources(host));
        // It works in a view, where no secret file can be opened.
        covered.is_some_and(|covered| covered.reads.iter().all(|read| read.opens_files() || is_harmless(read)))
    }

    fn host_sources(&self, host: &str) -> AllowingSources<'_> {
        let grants = |rule: &&PolicyRule| rule.grants_host(host);
        AllowingSources {
            shell: Shell::native(),
            rules: self.rules.iter().filter(grants).collect(),
            grants: self.grants.iter().filter(grants).collect(),
            known: AllowedByEffect::Reading,
        }
    }

    /// The narrowest rules by which a line would have these hosts from now on, if there are such: one for each host and
    /// each command that doesn't have it yet.
    #[must_use]
    pub fn proposed_host_rules(
        &self,
        command: &str,
        hosts: &[String],
        is_harmless: IsHarmless<'_>,
    ) -> Vec<RuleDefinition> {
        let has =
            |settings: &Self, host: &str| settings.host_verdict(command, host, is_harmless) == HostVerdict::Granted;
        let of_host = |host: &String| {
            let rules = for_line(command, COMMAND_TOOL, &self.host_sources(host))?;
            let named = |rule: RuleDefinition| RuleDefinition { host: Some(host.clone()), ..rule };
            Some(rules.into_iter().map(named).collect::<Vec<_>>())
        };
        let rules: Option<Vec<_>> = hosts.iter().filter(|host| !has(self, host)).map(of_host).collect();
        let rules: Vec<RuleDefinition> = rules.into_iter().flatten().flatten().collect();
        let grants_all = |with_rules: Self| hosts.iter().all(|host| has(&with_rules, host));
        if self.with_rules(&rules).is_some_and(grants_all) { rules } else { Vec::new() }
    }
}
