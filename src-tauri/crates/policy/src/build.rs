//! Known build and test commands, and what tells something in the way that the project says. They run its own code, so
//! they are allowed unasked only inside a working sandbox, and only with options that name no other program, and no file
//! or folder to write but what a build makes.

mod compilers;
mod programs;
mod runners;
mod values;

use super::flags::{self, Flag};
use super::plain_shell::Word;
use super::read_only::{each_command, is_lost, is_named, is_read_only, says_so_itself, tells_as_the_project_says};
use super::wide_read::WideRead;
use super::wrappers::{self, Inside};
use super::{CommandLine, SimpleCommand};
use programs::{BUILDS, Build, BuildOperands, TestArguments};

/// The first part of a target's or a script's name, up to a colon, a dash or a dot, has to be one of these.
const TARGETS: &[&str] = &[
    "all",
    "assemble",
    "bench",
    "benchmark",
    "build",
    "check",
    "checks",
    "ci",
    "classes",
    "compile",
    "coverage",
    "default",
    "detekt",
    "doc",
    "docs",
    "e2e",
    "help",
    "html",
    "integration",
    "jacoco",
    "lint",
    "package",
    "py",
    "spec",
    "test",
    "tests",
    "tsc",
    "type",
    "typecheck",
    "types",
    "unit",
    "validate",
    "verify",
    "vet",
];
/// Or the last part one of these.
const CHECKS: &[&str] = &["check", "checks", "lint", "spec", "test", "tests", "typecheck", "verify"];
/// And none of the parts one of these.
const NOT_TARGETS: &[&str] = &[
    "accept", "apply", "bless", "deploy", "fix", "gen", "generate", "install", "publish", "push", "record", "regen",
    "release", "serve", "start", "update", "upload", "watch", "write",
];

/// The wide reads of a line in which every command builds, tests or only reads; `None` for any other line.
pub(super) fn wide_reads(line: &CommandLine) -> Option<Vec<WideRead>> {
    if is_lost(line) {
        return None;
    }
    let mut builds = false;
    let wide = each_command(line.commands()?, &mut |command, wide| is_known(command, &mut builds, wide))?;
    builds.then_some(wide)
}

/// Returns whether it builds, tests or only reads; sets `builds` where it does not only read.
pub(super) fn is_known(command: &SimpleCommand, builds: &mut bool, wide: &mut Vec<WideRead>) -> bool {
    let mut reads = vec![WideRead::Inside(".".to_owned())];
    if builds_or_tests(command, &mut reads) {
        *builds = true;
        wide.extend(reads);
        return true;
    }
    match &command.inside {
        Inside::Commands(wrapped) if wrapped.is_transparent && wrappers::is_shell(command.name()) => {
            let found = each_command(&wrapped.commands, &mut |inner, wide| is_known(inner, builds, wide));
            wide.extend(found.iter().flatten().cloned());
            // What runs in the folder where the shell was started.
            wide.extend(builds.then(|| WideRead::Inside(".".to_owned())));
            found.is_some() && command.inputs.is_empty()
        }
        Inside::Commands(_) | Inside::Compound(_) | Inside::Nothing | Inside::Unknown => is_read_only(command, wide),
    }
}

fn builds_or_tests(command: &SimpleCommand, wide: &mut Vec<WideRead>) -> bool {
    let fed = command.inputs.iter().map(|word| WideRead::Place { path: word.text.clone(), is_pattern: false });
    wide.extend(fed);
    match &command.inside {
        Inside::Nothing => is_build(command, wide) || tells_as_the_project_says(command),
        Inside::Compound(_) | Inside::Unknown => false,
        Inside::Commands(wrapped) => {
            let hands_on = matches!(command.name(), "find" | "xargs") || wrappers::is_shell(command.name());
            wrapped.is_transparent && !hands_on && wrapped.commands.iter().all(|inner| builds_or_tests(inner, wide))
        }
    }
}

/// Returns whether the command builds, by itself or by what runs a project's tools (`npx`, `poetry run`), in the
/// current folder or in one that is named.
fn is_build(command: &SimpleCommand, wide: &mut Vec<WideRead>) -> bool {
    if command.open_ended {
        return false;
    }
    let (words, folder) = runners::in_folder(&command.words);
    let mut reads = Vec::new();
    let mut is_one = |words: &[Word]| {
        BUILDS.iter().any(|build| {
            let mut of_this = Vec::new();
            let is = build.is(words, &mut of_this);
            reads.extend(of_this.into_iter().filter(|_| is));
            is
        }) || compilers::compiles(words, &mut reads)
            || says_its_usage(words, &mut reads)
    };
    let is_known = is_one(&words)
        || (says_its_version(&words) && !says_so_itself(command.name()))
        || runners::of_tool(&words).is_some_and(|tool| is_one(&tool) || says_its_version(&tool));
    wide.extend(folder.iter().cloned().map(WideRead::Inside));
    wide.extend(reads.into_iter().map(|read| read.from(folder.as_deref().unwrap_or("."))));
    is_known
}

/// A known tool, asked for its version or how it is used.
fn says_its_version(tool: &[Word]) -> bool {
    let is_known =
        |name: &str| BUILDS.iter().any(|build| build.names.iter().any(|known| known.split(' ').next() == Some(name)));
    let asks = |word: &Word| matches!(word.text.as_str(), "--version" | "-V" | "--help");
    matches!(tool, [name, last] if asks(last) && is_known(&name.text))
}

impl Build {
    fn is(&self, words: &[Word], wide: &mut Vec<WideRead>) -> bool {
        self.names.iter().any(|name| is_named(name, words) && self.takes(name, words, wide))
    }

    fn takes(&self, name: &str, words: &[Word], wide: &mut Vec<WideRead>) -> bool {
        let (own, passed_on) = self.parted(&words[name.split(' ').count()..]);
        // What is passed on must not become an option of the program before it.
        if !passed_on.is_empty() && own.iter().any(|word| word.expands) {
            return false;
        }
        let is_java = ["gradle", "mvn"].iter().any(|tool| name.trim_start_matches("./").starts_with(tool));
        let own: Vec<Word> = match name.split(' ').next() {
            Some("go") => own.iter().map(with_two_dashes).collect(),
            _ if is_java => own.iter().map(values::in_full).collect(),
            _ => own.to_vec(),
        };
        let Some(given) = flags::given(self.short, self.long, &own) else { return false };
        let mut flags = given.flags.iter();
        let is_needed = |need: &&str| {
            let is_it = |flag: &Flag<'_>| match flag {
                Flag::Short(letter, _) => need.len() == 1 && need.starts_with(*letter),
                Flag::Long(name, _) => name == need,
            };
            given.flags.iter().any(is_it) || passed_on.iter().any(|word| word.text.strip_prefix("--") == Some(*need))
        };
        (self.needs.is_empty() || self.needs.iter().any(is_needed))
            && flags.all(|flag| self.is_harmless(name, flag, wide))
            && match name {
                "cargo clippy" => values::sets_lint_levels(passed_on),
                _ => values::is_harmless_to_tests(passed_on, wide),
            }
            && self.takes_operands(name, &given.operands, wide)
    }

    /// Returns what is the program's own, and what goes on to others.
    fn parted<'a>(&self, arguments: &'a [Word]) -> (&'a [Word], &'a [Word]) {
        let is_dashes = |word: &Word| word.text == "--";
        let place = match self.behind {
            None => None,
            Some(TestArguments::Dashes) => arguments.iter().position(is_dashes),
            Some(TestArguments::Target) => {
                arguments.iter().position(|word| !word.text.starts_with('-')).map(|place| place + 1)
            }
            Some(TestArguments::Name) => Some(0),
        };
        let (own, passed_on) = arguments.split_at(place.unwrap_or(arguments.len()));
        (own, passed_on.strip_prefix(&[Word::literal("--")]).unwrap_or(passed_on))
    }

    fn is_harmless(&self, name: &str, flag: &Flag<'_>, wide: &mut Vec<WideRead>) -> bool {
        let value = match flag {
            Flag::Short(_, value) | Flag::Long(_, value) => value.as_deref(),
        };
        match (flags::kind_of_value(self.short, self.long, flag), value) {
            (Some('>'), Some(path)) => values::writes(path, wide),
            (Some('@'), Some(targets)) => values::are_targets(targets),
            _ => values::names_nothing_outside(name, flag, self.long, wide),
        }
    }

    fn takes_operands(&self, name: &str, operands: &[&Word], wide: &mut Vec<WideRead>) -> bool {
        let is_of_bazel = |word: &Word| name.starts_with("bazel ") && word.text.starts_with("//");
        let is_of_make = name.ends_with("make");
        // What was built before goes first, where something is built anew.
        let last = operands.iter().rposition(|word| is_target(&word.text));
        let built_later = |word: &Word| operands.iter().position(|other| other.text == word.text) < last;
        let is_cleaned = |word: &Word| word.text == "clean" && last.is_some() && built_later(word);
        let mut takes = |word: &Word| match self.operands {
            BuildOperands::None => is_number(&word.text),
            BuildOperands::Any => is_of_bazel(word) || names_inside(word, wide),
            // Of several that a pattern stands for one could be written.
            BuildOperands::Folder => (!word.expands || word.is_each) && names_inside(word, wide),
            BuildOperands::Targets => {
                !word.expands
                    && (is_target(&word.text) || is_cleaned(word) || (is_of_make && values::is_make_variable(word)))
            }
        };
        let folders = operands.iter().filter(|word| !is_number(&word.text)).count();
        operands.iter().all(|word| takes(word))
            && (self.operands != BuildOperands::Folder || folders <= 1)
            && (self.operands != BuildOperands::Targets || !operands.is_empty() || !needs_target(name))
    }
}

/// `npm run` alone lists; `yarn` and `pnpm` alone install.
fn needs_target(name: &str) -> bool {
    const ALONE: &[&str] = &["./mvnw", "just", "mvn", "mvnw", "pnpm", "sbt", "task", "yarn"];
    ALONE.contains(&name) || name.ends_with(" run") || name.ends_with(" run-script") || name.ends_with(" task")
}

/// Textually inside the project, or to be looked at.
fn names_inside(word: &Word, wide: &mut Vec<WideRead>) -> bool {
    if word.text.contains("://") || word.text.starts_with('-') || (word.expands && word.text.starts_with('{')) {
        return false;
    }
    if word.expands {
        wide.push(WideRead::Place { path: word.text.clone(), is_pattern: true });
        return !word.variable && stays_inside(&word.text);
    }
    if stays_inside(&word.text) {
        // A link may lead out. `tests/a.py::name` names a test in a file, `./...` all below a folder.
        let place = word.text.split("::").next().unwrap_or_default().trim_end_matches("/...");
        wide.push(WideRead::Place { path: place.to_owned(), is_pattern: false });
    } else {
        wide.push(WideRead::Inside(word.text.clone()));
    }
    true
}

/// Go's options; a name with a blank in it is the value of one.
pub(super) fn with_two_dashes(word: &Word) -> Word {
    let name = word.text.split('=').next().unwrap_or_default();
    let is_single = name.starts_with('-') && !name.starts_with("--") && !name.contains(' ');
    if is_single { Word { text: format!("-{}", word.text), ..word.clone() } } else { word.clone() }
}

fn stays_inside(text: &str) -> bool {
    !text.starts_with(['/', '~']) && text.split('/').all(|part| part != "..") && !text.contains("://")
}

/// `make -j 4`
fn is_number(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_target(name: &str) -> bool {
    if is_number(name) {
        return true;
    }
    // Gradle's `:app:testDebugUnitTest`.
    let name = name.strip_prefix(':').and_then(|path| path.rsplit(':').next()).unwrap_or(name);
    let parts: Vec<String> = name.split([':', '-', '_', '.', '/']).flat_map(words_of).collect();
    let [first, rest @ ..] = parts.as_slice() else { return false };
    let first = first.trim_end_matches(|next: char| next.is_ascii_digit());
    let is_kind = ["assemble", "build", "bundle", "compile"].contains(&first);
    let is_allowed = |part: &String| !NOT_TARGETS.contains(&part.as_str()) || (is_kind && part == "release");
    let says_checking = rest.last().is_some_and(|last| CHECKS.contains(&last.as_str()));
    let is_plain = name.chars().all(|next| next.is_ascii_alphanumeric() || ":-_./".contains(next));
    is_plain
        && (TARGETS.contains(&first) || (says_checking && !NOT_TARGETS.contains(&first)))
        && rest.iter().all(is_allowed)
}

/// Returns whether a name that the project chose says something other than building.
fn is_no_target(name: &str) -> bool {
    let mut parts = name.split([':', '-', '_', '.', '/']).flat_map(words_of);
    parts.any(|part| NOT_TARGETS.contains(&part.as_str()) || matches!(part.as_str(), "fmt" | "format"))
}

/// `DebugUnitTest` as `debug`, `unit`, `test`.
fn words_of(camel: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for character in camel.chars() {
        match words.last_mut() {
            Some(word) if !character.is_ascii_uppercase() => word.push(character),
            _ => words.push(character.to_ascii_lowercase().to_string()),
        }
    }
    words
}

/// `cargo run … -- --help`, or `target/debug/x --help`: the project's own program, asked how it is used.
fn says_its_usage(words: &[Word], wide: &mut Vec<WideRead>) -> bool {
    let is_name = |word: &Word| !word.expands && is_name(&word.text);
    let asks = |given: &[Word]| match given {
        [_, subcommands @ .., last] => {
            matches!(last.text.as_str(), "--help" | "-h" | "--version" | "-V" | "help")
                && subcommands.iter().all(|word| is_name(word) && !word.text.starts_with('-'))
        }
        _ => false,
    };
    if words.first().is_some_and(|name| is_cargos_program(&name.text)) {
        return asks(words);
    }
    let Some(end) = words.iter().position(|word| word.text == "--") else { return false };
    let (run, given) = words.split_at(end);
    let mut plain = run.to_vec();
    if let Some(subcommand) = plain.get_mut(1).filter(|word| word.text == "run") {
        subcommand.text = "build".to_owned();
    }
    asks(given) && is_named("cargo run", words) && BUILDS.iter().any(|build| build.is(&plain, wide))
}

/// `./target/release/x`
fn is_cargos_program(path: &str) -> bool {
    let plain = path.strip_prefix("./").unwrap_or(path);
    let name = ["target/debug/", "target/release/"].iter().find_map(|folder| plain.strip_prefix(folder));
    name.is_some_and(|name| !name.is_empty() && is_name(name))
}

fn is_name(text: &str) -> bool {
    text.chars().all(|next| next.is_ascii_alphanumeric() || next == '-' || next == '_')
}
