//! Folders that tools make anew at will, by their names, and the lines that may write them for real.
//!
//! A build works in such a folder at its own speed; what it writes there is no change that anybody reviews. So the table
//! has only names that no one gives to a folder of sources, and names that count where git ignores the folder.

use crate::checks::READ_ONLY_RULE;
use crate::coverage::{self, AllowedByEffect, AllowingSources};
use crate::judged_line::builds;
use crate::word_list::is_in;
use crate::{CommandLine, PolicyRule, RuleDefinition, Shell, Verdict};
use arki_domain::Decision;
use std::sync::LazyLock;

/// The certainty with which a folder's name says that its content is generated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GeneratedFolder {
    /// The name tells.
    ByName,
    /// The name tells only where git ignores the folder.
    IfIgnored,
}

const BY_NAME: &str = ".dart_tool .eggs .gradle .mypy_cache .next .nox .nuxt .parcel-cache .pytest_cache \
    .ruff_cache .svelte-kit .terraform .tox .turbo .venv __pycache__ node_modules target venv";
const IF_IGNORED: &str = ".angular .astro .build .output Pods _build bin build obj";

/// Returns what a folder's name, without its path, says of the folder. One that git keeps is none, whatever its name.
#[must_use]
pub fn generated_folder(name: &str) -> Option<GeneratedFolder> {
    if is_in(BY_NAME, name) {
        return Some(GeneratedFolder::ByName);
    }
    is_in(IF_IGNORED, name).then_some(GeneratedFolder::IfIgnored)
}

/// The lines that put what a project depends on into its generated folders.
const INSTALLING: &str = "bun install, bundle install, cargo fetch, composer install, dart pub get, dotnet restore, \
    flutter pub get, go mod download, mix deps.get, npm ci, npm i, npm install, pip install, pip3 install, pnpm i, \
    pnpm install, poetry install, python -m pip install, python -m venv, python3 -m pip install, python3 -m venv, \
    uv pip install, uv sync, uv venv, yarn install";

static INSTALL_RULES: LazyLock<Vec<PolicyRule>> = LazyLock::new(|| {
    let rule = |words: &str| {
        let command = Some(words.split(' ').map(str::to_owned).collect());
        PolicyRule::new(RuleDefinition { command, ..RuleDefinition::allowing("run_command") }, "builtin", 1).ok()
    };
    INSTALLING.split(", ").filter_map(rule).collect()
});

/// Returns whether a line may write generated folders for real: a known build, test or install, or one that the user, a
/// rule or a grant allowed.
#[must_use]
pub fn writes_generated_folders(command: &str, verdict: &Verdict) -> bool {
    let is_agreed = verdict.decision == Decision::Allow && verdict.rule != READ_ONLY_RULE;
    let line = CommandLine::parse(command);
    let shell = Shell::native();
    // Without arguments `yarn` installs; with others it does anything.
    is_agreed || command.trim() == "yarn" || builds(shell, &line).is_some() || installs(shell, &line)
}

/// Returns whether each command of the line installs, builds or reads, and one installs.
fn installs(shell: Shell, line: &CommandLine) -> bool {
    let rules = INSTALL_RULES.iter().collect();
    let known = AllowedByEffect::ReadingAndBuilding;
    coverage::covered(line, &AllowingSources { shell, rules, grants: Vec::new(), known }).is_some()
}
