//! The values that options of builds may have: no other program, and no file to write but what a build makes.

use super::super::flags::Flag;
use super::super::plain_shell::{NULL_DEVICE, Word};
use super::super::wide_read::WideRead;
use super::{is_target, names_inside, words_of};

/// Parts of the names of options that have tests or linters write what is not theirs, or run something else. What the
/// project's own tools call theirs is not known, but it is called so.
const WRITING: &[&str] = &[
    "accept",
    "autofix",
    "bless",
    "config",
    "directory",
    "dump",
    "fix",
    "generate",
    "logfile",
    "out",
    "outdir",
    "outfile",
    "output",
    "overwrite",
    "record",
    "regen",
    "shell",
    "snapshot",
    "snapshots",
    "update",
    "write",
];
/// The same, where no part of the name tells.
const WRITING_WHOLE: &[&str] = &["-C", "-o", "-u", "--globalSetup", "--rootDir", "--reporters"];
/// Files that say how a project's tools work, whatever the tool.
const CONFIGURATIONS: &[&str] = &["package.json", "pyproject.toml", "setup.cfg", "tox.ini"];
/// The values allowed in `make NAME=VALUE`, whatever the name: none of them is a program.
const MAKE_VALUES: &[&str] = &[
    "",
    "Debug",
    "RELEASE",
    "Release",
    "all",
    "debug",
    "n",
    "no",
    "none",
    "off",
    "on",
    "prod",
    "production",
    "release",
    "true",
    "verbose",
    "y",
    "yes",
    "false",
    "test",
    "dev",
];
/// Variables of make that name tests, packages or a kind of build.
const MAKE_NAMES: &[&str] = &[
    "ARCH",
    "BUILD_TYPE",
    "CMAKE_BUILD_TYPE",
    "CONFIG",
    "FILTER",
    "LOG_LEVEL",
    "MODE",
    "PKG",
    "PKGS",
    "PROFILE",
    "SUITE",
    "TAGS",
    "TEST",
    "TESTS",
    "TEST_NAME",
];

/// A value may be a path; a target of cargo's may be a file that names a linker.
pub(super) fn names_nothing_outside(tool: &str, flag: &Flag<'_>, long: &str, wide: &mut Vec<WideRead>) -> bool {
    let has_configuration = long.split_ascii_whitespace().any(|entry| matches!(entry, "config=" | "configuration="));
    match flag {
        // A plugin is code, unless it is one to do without.
        Flag::Short('p', Some(plugin)) if tool == "pytest" || tool == "py.test" => plugin.starts_with("no:"),
        Flag::Long("cov-report", Some(report)) => match report.split_once(':') {
            Some((_, path)) => writes(path, wide),
            None => names_inside(&Word::literal(report), wide),
        },
        // A path to a reporter is code that is run.
        Flag::Short('f', Some(value)) | Flag::Long("format" | "reporter" | "logger" | "out-format", Some(value)) => {
            !value.contains(['/', '.', ':'])
        }
        Flag::Long("target", Some(value)) => !value.contains(['/', '.']) && !super::is_no_target(value),
        Flag::Long("ldflags" | "gcflags", Some(value)) => {
            value.split(' ').all(|flag| matches!(flag.trim_start_matches("all="), "-s" | "-w" | "-N" | "-l" | "-m"))
        }
        Flag::Long("mod", Some(value)) => matches!(value.as_str(), "readonly" | "vendor"),
        Flag::Short('c', Some(value)) | Flag::Long("config" | "configuration", Some(value)) if has_configuration => {
            is_configuration(tool, value) && names_inside(&Word::literal(value), wide)
        }
        Flag::Short('D', Some(definition)) => defines_nothing_that_runs(definition),
        Flag::Short(_, Some(value)) | Flag::Long(_, Some(value)) => names_inside(&Word::literal(value), wide),
        Flag::Short(_, None) | Flag::Long(_, None) => true,
    }
}

/// Notes that the path is written. Whoever has access to the files checks whether a build made them.
pub(super) fn writes(path: &str, wide: &mut Vec<WideRead>) -> bool {
    if path == NULL_DEVICE {
        return true;
    }
    wide.push(WideRead::Output(path.to_owned()));
    !path.is_empty() && names_inside(&Word::literal(path), wide)
}

/// `vitest.config.ts` for `vitest`; what is no file is a kind of build.
fn is_configuration(tool: &str, value: &str) -> bool {
    let name = value.rsplit('/').next().unwrap_or_default();
    let plain = name.trim_start_matches('.');
    let program = tool.split(' ').next().unwrap_or_default();
    !value.contains(['/', '.']) || CONFIGURATIONS.contains(&name) || plain.starts_with(program)
}

/// Returns whether the argument for the test program or the linter is harmless.
pub(super) fn is_harmless_to_tests(words: &[Word], wide: &mut Vec<WideRead>) -> bool {
    words.iter().all(|word| {
        let (name, value) = word.text.split_once('=').unwrap_or((&word.text, ""));
        let is_option = name.starts_with('-');
        let value = if is_option { value } else { word.text.as_str() };
        let writes = is_option && says_writing(name);
        !word.expands && !writes && (value.is_empty() || names_inside(&Word::literal(value), wide))
    })
}

/// `-D warnings -A clippy::all`: whatever else stands there goes to the compiler, which can be told to write anywhere.
pub(super) fn sets_lint_levels(words: &[Word]) -> bool {
    const LEVELS: &[&str] = &["-A", "-D", "-F", "-W", "--allow", "--deny", "--forbid", "--warn", "--no-deps"];
    let is_lint =
        |text: &str| !text.is_empty() && text.chars().all(|next| next.is_ascii_alphanumeric() || "_-:".contains(next));
    words.iter().all(|word| {
        let text = word.text.as_str();
        let attached = text.strip_prefix(['-']).is_some_and(|rest| rest.starts_with(['A', 'D', 'F', 'W']));
        let is_level = LEVELS.contains(&text) || (attached && is_lint(&text[2..]));
        !word.expands && (is_level || (!text.starts_with('-') && is_lint(text)))
    })
}

fn says_writing(option: &str) -> bool {
    let is_short = !option.starts_with("--");
    let parts = option.split(['-', '.', '_', ':']).flat_map(words_of);
    WRITING_WHOLE.contains(&option)
        || (is_short && option.ends_with('u') && option.len() <= 3)
        || parts.into_iter().any(|part| WRITING.contains(&part.as_str()))
}

/// `tox -e py311,lint`
pub(super) fn are_targets(value: &str) -> bool {
    value.split(',').all(is_target)
}

/// `make V=1 TESTS=foo`: recipes are shell lines, so nothing in it may be more than a word.
pub(super) fn is_make_variable(word: &Word) -> bool {
    let Some((name, value)) = word.text.split_once('=') else { return false };
    let is_name =
        |text: &str| text.chars().all(|next| next.is_ascii_uppercase() || next.is_ascii_digit() || next == '_');
    let is_number = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
    let is_word = value.chars().all(|next| next.is_ascii_alphanumeric() || "_.,-".contains(next));
    let is_known = is_number || MAKE_VALUES.contains(&value) || (MAKE_NAMES.contains(&name) && is_word);
    !word.expands && !name.is_empty() && is_name(name) && is_known
}

/// Maven's options of several letters.
pub(super) fn in_full(word: &Word) -> Word {
    let text = match word.text.as_str() {
        "-pl" => "--projects",
        "-am" => "--also-make",
        "-fae" => "--fail-at-end",
        "-ntp" => "--no-transfer-progress",
        other => other,
    };
    Word { text: text.to_owned(), ..word.clone() }
}

/// `-DskipTests`, `-Dtest=NAME`, `-DCMAKE_BUILD_TYPE=Debug`: what says which tests or which kind of build.
fn defines_nothing_that_runs(definition: &str) -> bool {
    const TESTS: &[&str] = &[
        "failIfNoTests",
        "it.test",
        "maven.test.skip",
        "skipITs",
        "skipTests",
        "style.color",
        "surefire.failIfNoSpecifiedTests",
        "surefire.useFile",
        "test",
    ];
    const RUN: &[&str] =
        &["COMMAND", "COMPILER", "EXECUTABLE", "LAUNCHER", "LINKER", "PROGRAM", "PROJECT", "TOOLCHAIN"];
    let (name, value) = definition.split_once('=').unwrap_or((definition, ""));
    let name = name.split(':').next().unwrap_or_default();
    let is_plain = value.chars().all(|next| next.is_ascii_alphanumeric() || "_.,#*+-".contains(next));
    let is_build_kind = name.chars().all(|next| next.is_ascii_uppercase() || next.is_ascii_digit() || next == '_')
        && !RUN.iter().any(|word| name.contains(word));
    is_plain && (TESTS.contains(&name) || is_build_kind)
}
