//! Known build and test commands, and what tells something in the way that the project says (`programs.txt`). They run
//! its own code, so they are allowed unasked only inside a working sandbox, and only without words that say that
//! something else is written than what a build makes.

mod runners;

use super::plain_shell::Word;
use super::read_only::{asks_for_version, each_command, is_lost, is_named, is_read_only};
use super::wide_read::WideRead;
use super::word_list::is_in;
use super::wrappers::{self, Inside};
use super::{CommandLine, SimpleCommand};
use std::sync::LazyLock;

/// The first part of a target's or a script's name, up to a colon, a dash or a dot, has to be one of these.
const TARGETS: &str = "all assemble bench benchmark build check checks ci classes compile coverage default detekt \
    doc docs e2e help html integration jacoco lint package py spec test tests tsc type typecheck types unit \
    validate verify vet";
/// Or the last part one of these.
const CHECKS: &[&str] = &["check", "checks", "lint", "spec", "test", "tests", "typecheck", "verify"];
/// And none of the parts one of these.
const NOT_TARGETS: &str = "accept apply bless deploy fix gen generate install publish push record regen release \
    serve start update upload watch write";

/// Parts of the names of options with which tests or linters write what is not theirs. What the project's own tools call
/// theirs is not known, but it is called so.
const WRITING: &str = "accept autofix basetemp bless config directory dir dump emit eval executable fix generate \
    junit junitxml logfile mod modfile out outdir outfile output override overwrite print record regen report \
    reporter reporters shell snapshot snapshots update watch write";
/// The same, where no part of the name tells.
const WRITING_WHOLE: &str = "--build-and-test --globalSetup --rootDir -A -a -c -d -exec -o -toolexec -u -vettool -w";
/// Options whose value is what is built.
const NAMING_TARGETS: &[&str] = &["--target", "--targets", "-e", "-t"];
/// The values allowed in `make NAME=VALUE`: none of them is a program.
const MAKE_VALUES: &[&str] =
    &["0", "1", "debug", "dev", "no", "off", "on", "prod", "release", "test", "true", "false", "yes"];

struct Build {
    name: &'static str,
    has_targets: bool,
}

static BUILDS: LazyLock<Vec<Build>> = LazyLock::new(|| {
    let lines = include_str!("build/programs.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let builds = |line: &'static str| {
        let targets = line.strip_prefix("targets: ");
        targets.unwrap_or(line).split(", ").map(move |name| Build { name, has_targets: targets.is_some() })
    };
    lines.flat_map(builds).collect()
});

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
        Inside::Nothing => is_build(command, wide),
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
        let entries = BUILDS.iter().filter(|build| is_named(build.name, words));
        entries.max_by_key(|build| build.name.len()).is_some_and(|build| build.takes(words, &mut reads))
    };
    let says_version = |tool: &[Word]| matches!(tool, [name, last] if last.text == "--version" && has(&name.text));
    let is_known = (!command.steered && asks_for_version(command) && has(command.name()))
        || is_one(&words)
        || runners::of_tool(&words).is_some_and(|tool| is_one(&tool) || says_version(&tool));
    wide.extend(folder.iter().cloned().map(WideRead::Inside));
    wide.extend(reads.into_iter().map(|read| read.from(folder.as_deref().unwrap_or("."))));
    is_known
}

impl Build {
    fn takes(&self, words: &[Word], wide: &mut Vec<WideRead>) -> bool {
        let arguments = &words[self.name.split(' ').count()..];
        let operands: Vec<&Word> = arguments.iter().filter(|word| !word.text.starts_with('-')).collect();
        let are_named = || self.are_targets(words, &operands);
        let names_other = |words: &[Word]| {
            let is_named = NAMING_TARGETS.contains(&words[0].text.as_str())
                || (self.name.starts_with("cmake") && words[0].text == "--");
            is_named && is_no_target(&words[1].text)
        };
        (!self.has_targets || are_named())
            && !arguments.windows(2).any(names_other)
            && arguments.iter().all(|word| match word.text.strip_prefix('-') {
                Some(_) if says_writing(&word.text) => false,
                Some(option) => {
                    option.split_once('=').is_none_or(|(_, value)| names_inside(&Word::literal(value), wide))
                }
                None => names_inside(word, wide),
            })
    }

    /// Returns whether all operands say building or testing; `clean` may come first, where something is built anew.
    fn are_targets(&self, words: &[Word], operands: &[&Word]) -> bool {
        let is_of_make = self.name.ends_with("make");
        let last = operands.iter().rposition(|word| is_target(&word.text));
        let is_cleaned = |place: usize| operands[place].text == "clean" && Some(place) < last;
        let is_set =
            |word: &Word| is_of_make && word.text.split_once('=').is_some_and(|(_, value)| is_plain_value(value));
        let is_one = |(place, word): (usize, &&Word)| {
            !word.expands && (is_target(&word.text) || is_cleaned(place) || is_set(word))
        };
        // What stands behind `--` goes to the tests.
        let own = words.iter().take_while(|word| word.text != "--").filter(|word| !word.text.starts_with('-')).count();
        let own = own.saturating_sub(self.name.split(' ').count());
        operands.iter().take(own).enumerate().all(is_one) && (!operands.is_empty() || !needs_target(self.name))
    }
}

fn is_plain_value(value: &str) -> bool {
    MAKE_VALUES.contains(&value.to_ascii_lowercase().as_str()) || is_number(value)
}

fn says_writing(option: &str) -> bool {
    let name = option.split('=').next().unwrap_or_default();
    let is_short = !name.starts_with("--");
    let parts = name.split(['-', '.', '_', ':']).flat_map(words_of);
    let is_of_compiler = name.starts_with("-C") || name.starts_with("-Z");
    is_in(WRITING_WHOLE, name)
        || is_of_compiler
        || (name.ends_with("profile") && !name.ends_with("-profile"))
        || (is_short && name.ends_with('u') && name.len() <= 3)
        || parts.into_iter().any(|part| is_in(WRITING, &part))
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
    let is_allowed = |part: &String| !is_in(NOT_TARGETS, part) || (is_kind && part == "release");
    let says_checking = rest.last().is_some_and(|last| CHECKS.contains(&last.as_str()));
    let is_plain = name.chars().all(|next| next.is_ascii_alphanumeric() || ":-_./".contains(next));
    is_plain && (is_in(TARGETS, first) || (says_checking && !is_in(NOT_TARGETS, first))) && rest.iter().all(is_allowed)
}

/// Returns whether a name that the project chose says something other than building.
fn is_no_target(name: &str) -> bool {
    let mut parts = name.split([':', '-', '_', '.', '/', ',']).flat_map(words_of);
    parts.any(|part| is_in(NOT_TARGETS, &part) || matches!(part.as_str(), "fmt" | "format"))
}

/// Returns whether a program is there, whatever it is given.
pub(super) fn has(name: &str) -> bool {
    BUILDS.iter().any(|build| build.name.split(' ').next() == Some(name))
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
