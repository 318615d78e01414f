//! The risk of a call, and what follows from it alone: seed 002's analysis, within the order of the contract.

use super::checks::{Hit, LARGE_FILES, LARGE_LINES, hit};
use super::judged_line::JudgedLine;
use super::question::{Impact, PolicyQuestion};
use super::word_list::is_in;
use arki_domain::{Category, Decision, ReasonCode, Risk};

/// More files than this at once are worth a second look.
const SEVERAL_FILES: usize = 3;

/// Files that decide what is run, by whom, or how code is checked, wherever they are.
const CONFIGURATION: &str = ".babelrc .dockerignore .editorconfig .envrc .eslintrc .gitattributes .gitlab-ci.yml \
    .gitmodules .pre-commit-config.yaml .prettierrc .travis.yml biome.json biome.jsonc build.gradle \
    build.gradle.kts build.rs cargo.toml cmakelists.txt compose.yaml compose.yml composer.json conftest.py \
    deno.json deno.jsonc docker-compose.yaml docker-compose.yml dockerfile gemfile go.mod jenkinsfile justfile \
    makefile mix.exs noxfile.py package.json pom.xml pyproject.toml pytest.ini rakefile requirements.txt \
    rust-toolchain.toml setup.cfg setup.py tox.ini tsconfig.json turbo.json vite.config.ts webpack.config.js";
/// Folders whose content does.
const CONFIGURATION_FOLDERS: &[&str] = &[".cargo", ".circleci", ".devcontainer", ".github", ".husky", ".vscode"];
/// Folders of build output, made anew by the next build: a change there is lost or hidden.
const BUILT_FOLDERS: &[&str] = &["build", "dist", "node_modules", "target", "vendor"];

/// A large change is shown first, and so is one of what steers tools.
pub(super) fn hit_of_change(question: &PolicyQuestion<'_>, category: Category) -> Option<Hit> {
    if category != Category::Write {
        return None;
    }
    if is_large(question.impact) {
        return Some(hit(Decision::Preview, "builtin:large-change", ReasonCode::LARGE_CHANGE));
    }
    let path = paths(question).find(|path| touches_configuration(path))?;
    Some(hit(Decision::Approval, "builtin:configuration", ReasonCode::CONFIGURATION.with("path", path)))
}

pub(super) fn of(question: &PolicyQuestion<'_>, command: Option<&JudgedLine<'_>>) -> Risk {
    let sensitive = question.subject.paths.iter().any(|path| path.secret) || !question.subject.secrets.is_empty();
    match (question.category, command) {
        _ if sensitive => Risk::High,
        (_, Some(command)) => of_command(command),
        (Some(Category::Read), None) => Risk::Low,
        (Some(Category::Write), None) => of_change(question),
        (Some(Category::Exec | Category::Network), None) => Risk::Medium,
        (None, None) => Risk::High,
    }
}

fn of_command(command: &JudgedLine<'_>) -> Risk {
    if command.only_reads {
        Risk::Low
    } else if !command.in_view && (command.danger.is_some() || command.line.unclear().is_some()) {
        Risk::High
    } else {
        Risk::Medium
    }
}

fn of_change(question: &PolicyQuestion<'_>) -> Risk {
    let protected = question.subject.paths.iter().any(|path| path.protected);
    let steers = || paths(question).any(|path| touches_configuration(path) || touches_built(path));
    if is_large(question.impact) || protected {
        Risk::High
    } else if question.impact.files > SEVERAL_FILES || steers() {
        Risk::Medium
    } else {
        Risk::Low
    }
}

fn is_large(impact: Impact) -> bool {
    impact.lines > LARGE_LINES || impact.files > LARGE_FILES
}

fn paths<'a>(question: &'a PolicyQuestion<'_>) -> impl Iterator<Item = &'a str> {
    question.subject.paths.iter().map(|path| path.path.as_str())
}

pub(super) fn touches_configuration(path: &str) -> bool {
    let path = path.to_lowercase();
    let name = path.rsplit('/').next().unwrap_or_default();
    let is_tsconfig = name.starts_with("tsconfig.") && name.ends_with(".json");
    is_tsconfig || is_in(CONFIGURATION, name) || path.split('/').any(|part| CONFIGURATION_FOLDERS.contains(&part))
}

fn touches_built(path: &str) -> bool {
    path.ends_with(".tsbuildinfo") || path.split('/').any(|part| BUILT_FOLDERS.contains(&part))
}
