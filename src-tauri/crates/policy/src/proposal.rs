//! "Always allow": the narrowest rule that is of use for a call, to be shown before it is stored.
//!
//! None for what no lasting permission should cover: lines that are not fully understood, wrappers, interpreters and
//! whatever else runs what it is told, what destroys or publishes, or would with a word more, programs by their path (the
//! project's own scripts change), secret files and protected paths.

use super::coverage::{AllowedByEffect, AllowingSources, uncovered};
use super::danger;
use super::line_parts::shown;
use super::plain_shell::Word;
use super::question::PolicyQuestion;
use super::rules::{EffectsPermission, PolicyRule, RuleDefinition};
use super::settings::PolicySettings;
use super::word_list::is_in;
use super::wrappers::{self, Inside};
use super::{CommandLine, Shell, SimpleCommand, decide};
use arki_domain::{Category, Decision};

/// Programs whose first words say what they do, and after how many of these the prefix ends.
const SUBCOMMANDS: &[(usize, &str)] = &[
    (
        2,
        "apt, brew, bun, bundle, cargo, composer, deno, docker, dotnet, flutter, gem, git, go, gradle, helm, just, \
         kubectl, make, mix, mvn, ninja, npm, pip, pip3, pnpm, poetry, rake, rustup, swift, terraform, yarn, zig",
    ),
    (3, "cargo nextest, docker compose, gh, git stash, git remote, git worktree, go mod, npm run, pnpm run, yarn run"),
];

/// Programs that run code from their arguments or from files that the model writes.
const INTERPRETERS: &str = "R Rscript awk bun cmd deno ed emacs ex gawk gdb julia lua mawk nawk node nvim osascript \
    perl php powershell psql mysql pwsh python python2 python3 ruby sqlite3 swift tclsh ts-node tsx vi vim";

/// Programs that run whatever is named with one more option.
const RUN_BY_OPTION: &str = "c++, cc, clang, clang++, g++, gcc, git archive, git bisect, git clone, git difftool, \
    git fetch, git grep, git ls-remote, git mergetool, git pull, git rebase, git submodule, rg, rsync, scp, sftp, \
    sort, split, tar, zip";

/// The rules that would allow this very call together, if there are such: of a shell line, one for each command that is
/// still asked about. To be checked with [`would_allow`].
#[must_use]
pub fn proposed_rules(question: &PolicyQuestion<'_>, settings: &PolicySettings) -> Vec<RuleDefinition> {
    let subject = question.subject;
    if subject.paths.iter().any(|path| path.secret || path.protected) {
        return Vec::new();
    }
    let empty = RuleDefinition::allowing(question.tool);
    let rule = match (question.category, &subject.command) {
        (None, _) | (Some(Category::Read | Category::Exec), None) => None,
        (Some(_), Some(line)) => {
            if question.has_view && subject.on_project {
                return proposed_effects_rules(question, settings);
            }
            let sources = settings.sources(Shell::native(), question);
            return for_line(line, question.tool, &sources).unwrap_or_default();
        }
        (Some(Category::Write), None) => {
            let paths: Vec<&str> = subject.paths.iter().map(|path| path.path.as_str()).collect();
            let matches = paths.iter().map(|path| (*path).to_owned()).collect();
            for_paths(&paths).map(|glob| RuleDefinition { path: Some(glob), matches, ..empty })
        }
        (Some(Category::Network), None) => match subject.hosts.as_slice() {
            [] => Some(empty),
            [host] => Some(RuleDefinition { host: Some(host.clone()), ..empty }),
            _ => None,
        },
    };
    rule.into_iter().collect()
}

/// Returns whether the call is allowed by these rules beside those that there are, and not without them: another rule may
/// be stricter, and rules that change nothing are none to offer. The question is put with what `with_rules` reads.
#[must_use]
pub fn would_allow(question: &PolicyQuestion<'_>, settings: &PolicySettings, with_rules: &PolicySettings) -> bool {
    decide(question, settings).decision != Decision::Allow && decide(question, with_rules).decision == Decision::Allow
}

/// The rules by which what such a command changes would land without a review from now on, if there are such: one for
/// each command of the line that doesn't only read.
#[must_use]
pub fn proposed_effects_rules(question: &PolicyQuestion<'_>, settings: &PolicySettings) -> Vec<RuleDefinition> {
    let Some(line) = question.subject.command.as_deref() else { return Vec::new() };
    let lands = |rule: &&PolicyRule| rule.definition().effects.is_some();
    let mut sources = settings.sources(Shell::native(), question);
    sources.rules.retain(lands);
    sources.grants.retain(lands);
    sources.known = AllowedByEffect::Reading;
    let rules = for_line(line, question.tool, &sources).unwrap_or_default();
    rules.into_iter().map(|rule| RuleDefinition { effects: Some(EffectsPermission::Allow), ..rule }).collect()
}

/// One for each prefix of the commands that still ask.
pub(crate) fn for_line(line: &str, tool: &str, sources: &AllowingSources<'_>) -> Option<Vec<RuleDefinition>> {
    let parsed = CommandLine::parse(line);
    if danger::of_line(&parsed).is_some() {
        return None;
    }
    let mut rules: Vec<RuleDefinition> = Vec::new();
    for (command, is_fed) in uncovered(&parsed, sources)? {
        let (prefix, text) = (prefix(command)?, shown(command));
        match rules.iter_mut().find(|rule| rule.command.as_ref() == Some(&prefix)) {
            Some(rule) => {
                rule.stdin |= is_fed;
                rule.matches.push(text);
            }
            None => rules.push(RuleDefinition {
                command: Some(prefix),
                stdin: is_fed,
                matches: vec![text],
                ..RuleDefinition::allowing(tool)
            }),
        }
    }
    if let [rule] = rules.as_mut_slice() {
        let by_line = RuleDefinition { matches: vec![line.to_owned()], ..rule.clone() };
        if PolicyRule::new(by_line.clone(), "proposed", 1).is_ok() {
            *rule = by_line;
        }
    }
    Some(rules)
}

fn prefix(command: &SimpleCommand) -> Option<Vec<String>> {
    let name = command.name();
    let runs_others = command.inside != Inside::Nothing || wrappers::is_runner(command) || wrappers::is_shell(name);
    if runs_others || is_in(INTERPRETERS, name) || name.contains(['/', '\\']) {
        return None;
    }
    let words = &command.words;
    let is_named = |known: &str| {
        known.split(' ').count() <= words.len() && known.split(' ').zip(words).all(|(part, word)| part == word.text)
    };
    let fitting = SUBCOMMANDS.iter().filter(|(_, programs)| programs.split(", ").any(is_named));
    let length = fitting.map(|(length, _)| *length).max().unwrap_or(words.len());
    let prefix = words.get(..length.min(words.len()))?;
    // An option before the subcommand, or a pattern, is not what the prefix is about.
    let is_plain = |word: &Word| !word.expands && (length == words.len() || !word.text.starts_with(['-', '+']));
    (prefix.len() > 1 || words.len() == 1).then_some(())?;
    let prefix: Vec<String> =
        prefix.iter().all(is_plain).then(|| prefix.iter().map(|word| word.text.clone()).collect())?;
    let runs = RUN_BY_OPTION.split(", ").any(|known| danger::begins_with(&prefix, known));
    (!runs && !danger::may_follow(&prefix)).then_some(prefix)
}

/// The file itself, or the one folder that holds all of them.
fn for_paths(paths: &[&str]) -> Option<String> {
    match paths {
        [] => None,
        [path] => Some(globset::escape(path)),
        [first, rest @ ..] => {
            let (folder, _) = first.rsplit_once('/')?;
            let same = rest.iter().all(|path| path.rsplit_once('/').is_some_and(|(other, _)| other == folder));
            same.then(|| format!("{}/**", globset::escape(folder)))
        }
    }
}
