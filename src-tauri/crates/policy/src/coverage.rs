//! Decides which rules allow a shell line: each of its simple commands needs one of them, or has to be known as
//! harmless.
//!
//! Rules add up to the permission to run, and to nothing else. A command that a rule allows gets no input unless the
//! rule says so, runs in the project's folder or in one of the same repository that git doesn't ignore, and the
//! network is its rule's alone. What only reads keeps the conditions that it has by itself: what it would read without
//! naming it has to be looked at.

use crate::command_line::{Shell, SimpleCommand};
use crate::plain_shell::Joint;
use crate::read_only::{each_command, hands_on, is_lost};
use crate::rules::PolicyRule;
use crate::wrappers::{self, Inside};
use crate::{CommandLine, WideRead, build, powershell, read_only};
use std::collections::HashSet;

/// The grounds on which a line's commands may be allowed.
pub(crate) struct AllowingSources<'a> {
    pub(crate) shell: Shell,
    /// The rules that allow commands and concern this call.
    pub(crate) rules: Vec<&'a PolicyRule>,
    pub(crate) grants: Vec<&'a PolicyRule>,
    /// True where commands may be allowed for what they are known to do.
    pub(crate) known: AllowedByEffect,
}

/// The commands that are allowed for what they do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AllowedByEffect {
    /// No command is known as harmless: with the network, a command that reads may tell others what it reads.
    None,
    Reading,
    /// Inside a sandbox that holds them.
    ReadingAndBuilding,
}

/// The commands that are preferred to be allowed by what they do or by rules, where both would.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Preference {
    Rules,
    Known,
}

/// A line of which each command is allowed, by one rule at least.
#[derive(Debug, Default)]
pub(crate) struct Coverage<'a> {
    /// The rules in the order of the commands.
    pub(crate) rules: Vec<&'a PolicyRule>,
    pub(crate) grants: Vec<&'a PolicyRule>,
    /// A command is allowed because it builds or tests.
    pub(crate) builds: bool,
    /// The reads that have to be harmless.
    pub(crate) reads: Vec<WideRead>,
}

/// The rules that together allow a line; `None` where one of its commands is allowed by none, or no rule is needed.
pub(crate) fn covered<'a>(line: &CommandLine, sources: &AllowingSources<'a>) -> Option<Coverage<'a>> {
    cover(line, sources, Preference::Rules)
}

/// All that such a line reads without naming it, also where a rule allows the command that reads.
pub(crate) fn reads(line: &CommandLine, sources: &AllowingSources<'_>) -> Option<Vec<WideRead>> {
    let needed = covered(line, sources)?.reads;
    let of_known = cover(line, sources, Preference::Known).map(|coverage| coverage.reads).unwrap_or_default();
    let further: Vec<WideRead> = of_known.into_iter().filter(|read| !needed.contains(read)).collect();
    Some([needed, further].concat())
}

/// The commands of a line that are still asked about, and whether each is fed; `None` for what can't be followed.
pub(crate) fn uncovered<'a>(
    line: &'a CommandLine,
    sources: &AllowingSources<'_>,
) -> Option<Vec<(&'a SimpleCommand, bool)>> {
    let commands = line.commands()?;
    let fed = fed(commands);
    let (mut coverage, is_lost) = (Coverage::default(), is_lost(line));
    let mut cover = Cover { sources, fed: &fed, first: Preference::Rules, is_lost, coverage: &mut coverage };
    let mut asking = HashSet::new();
    let mut note = |command: &SimpleCommand, wide: &mut Vec<WideRead>| {
        if !cover.allows(command, wide) {
            asking.insert(std::ptr::from_ref(command));
        }
        true
    };
    reads_of_each(sources.shell, commands, &mut note)?;
    let asks = line.simple()?.into_iter().filter(|command| asking.contains(&std::ptr::from_ref(*command)));
    Some(asks.map(|command| (command, fed.contains(&std::ptr::from_ref(command)))).collect())
}

fn cover<'a>(line: &CommandLine, sources: &AllowingSources<'a>, first: Preference) -> Option<Coverage<'a>> {
    if sources.rules.is_empty() && sources.grants.is_empty() {
        return None;
    }
    let commands = line.commands()?;
    let is_lost = is_lost(line);
    let fed = fed(commands);
    let mut coverage = Coverage::default();
    let mut walk = Cover { sources, fed: &fed, first, is_lost, coverage: &mut coverage };
    let reads = reads_of_each(sources.shell, commands, &mut |command, wide| walk.allows(command, wide))?;
    coverage.reads = reads;
    // Nobody knows here to where it goes.
    if is_lost && !coverage.reads.is_empty() {
        return None;
    }
    let is_by_rule = !coverage.rules.is_empty() || !coverage.grants.is_empty();
    is_by_rule.then_some(coverage)
}

/// Returns what each of the commands reads; `None` where one is not `known`.
fn reads_of_each(
    shell: Shell,
    commands: &[SimpleCommand],
    known: &mut dyn FnMut(&SimpleCommand, &mut Vec<WideRead>) -> bool,
) -> Option<Vec<WideRead>> {
    if shell == Shell::Bash {
        return each_command(commands, known);
    }
    let mut wide = Vec::new();
    commands.iter().all(|command| known(command, &mut wide)).then_some(())?;
    wide.retain(|read| !matches!(read, WideRead::OwnFolder(_)));
    Some(wide)
}

struct Cover<'a, 'b> {
    sources: &'b AllowingSources<'a>,
    fed: &'b HashSet<*const SimpleCommand>,
    first: Preference,
    is_lost: bool,
    coverage: &'b mut Coverage<'a>,
}

impl Cover<'_, '_> {
    fn allows(&mut self, command: &SimpleCommand, wide: &mut Vec<WideRead>) -> bool {
        match self.first {
            Preference::Rules => self.by_rule(command, wide) || self.by_known(command, wide),
            Preference::Known => self.by_known(command, wide) || self.by_rule(command, wide),
        }
    }

    fn by_known(&mut self, command: &SimpleCommand, wide: &mut Vec<WideRead>) -> bool {
        let (mut builds, mut reads) = (false, Vec::new());
        let is_plain = !self.is_lost && !hands_on(command);
        let is_known = is_plain && self.sources.knows(command, &mut builds, &mut reads);
        if is_known {
            self.coverage.builds |= builds;
            wide.extend(reads);
        }
        is_known
    }

    /// Returns whether a rule allows the command, or what a wrapper runs that adds nothing.
    fn by_rule(&mut self, command: &SimpleCommand, wide: &mut Vec<WideRead>) -> bool {
        if command.steered || command.inside == Inside::Unknown {
            return false;
        }
        let is_fed = self.fed.contains(&std::ptr::from_ref(command));
        let covers = |rule: &&&PolicyRule| rule.covers(command) && (!is_fed || rule.definition().stdin);
        // Of several, the last one is named, as where it stands alone.
        let rule = self.sources.rules.iter().rev().find(covers);
        let grant = self.sources.grants.iter().find(covers).filter(|_| rule.is_none());
        add(&mut self.coverage.rules, rule);
        add(&mut self.coverage.grants, grant);
        if rule.is_some() || grant.is_some() {
            wide.push(WideRead::OwnFolder(".".to_owned()));
            return true;
        }
        let Inside::Commands(wrapped) = &command.inside else { return false };
        wrapped.is_transparent && self.allows_inside(command, &wrapped.commands, wide)
    }

    fn allows_inside(&mut self, wrapper: &SimpleCommand, inside: &[SimpleCommand], wide: &mut Vec<WideRead>) -> bool {
        if self.sources.shell == Shell::Bash && wrappers::is_shell(wrapper.name()) {
            let reads = each_command(inside, &mut |command, wide| self.allows(command, wide));
            wide.extend(reads.iter().flatten().cloned());
            // What runs in the folder where the shell was started.
            wide.push(WideRead::OwnFolder(".".to_owned()));
            return reads.is_some();
        }
        // What else it runs has to be allowed by a rule: what is handed on to it is not in the line.
        inside.iter().all(|command| command.name() != "cd" && self.by_rule(command, wide))
    }
}

impl AllowingSources<'_> {
    fn knows(&self, command: &SimpleCommand, builds: &mut bool, wide: &mut Vec<WideRead>) -> bool {
        match (self.shell, self.known) {
            (_, AllowedByEffect::None) => false,
            (Shell::Bash, AllowedByEffect::Reading) => read_only::reads_without_sandbox(command, wide),
            (Shell::Bash, AllowedByEffect::ReadingAndBuilding) => build::is_known(command, builds, wide),
            (Shell::PowerShell, _) => powershell::is_known(command, wide),
        }
    }
}

fn add<'a>(rules: &mut Vec<&'a PolicyRule>, rule: Option<&&'a PolicyRule>) {
    if let Some(rule) = rule.filter(|rule| !rules.iter().any(|known| std::ptr::eq(*known, **rule))) {
        rules.push(rule);
    }
}

/// Every command that gets what another one says, or a file: by itself, or because what it stands in does.
fn fed(commands: &[SimpleCommand]) -> HashSet<*const SimpleCommand> {
    let mut fed = HashSet::new();
    mark_fed(commands, false, &mut fed);
    fed
}

fn mark_fed(commands: &[SimpleCommand], around: bool, fed: &mut HashSet<*const SimpleCommand>) {
    for command in commands {
        let is_fed = around || command.joint == Joint::Pipe || !command.inputs.is_empty();
        if is_fed {
            fed.insert(std::ptr::from_ref(command));
        }
        match &command.inside {
            // `xargs` hands on what it is fed, whoever feeds it.
            Inside::Commands(wrapped) => mark_fed(&wrapped.commands, is_fed || command.program() == "xargs", fed),
            Inside::Compound(inner) => mark_fed(&inner.commands, is_fed, fed),
            Inside::Nothing | Inside::Unknown => {}
        }
    }
}
