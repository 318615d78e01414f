//! Known build and test commands, and what tells something in the way that the project says. They run its own code, so
//! they are allowed unasked only inside a working sandbox, and only with options that name no other program, file or
//! folder to write.

mod ecosystems;
mod runners;

use super::flags::{self, Flag};
use super::plain_shell::Word;
use super::read_only::{WideRead, each_command, is_lost, is_named, is_read_only, tells_as_the_project_says};
use super::wrappers::{self, Inside};
use super::{CommandLine, SimpleCommand};

struct Build {
    name: &'static str,
    short: &'static str,
    long: &'static str,
    operands: Operands,
    /// What stands after `--` goes to the project's own tests.
    passes_on: bool,
}

#[derive(Clone, Copy)]
enum Operands {
    /// Tests, packages or files, named without an option.
    Any,
    None,
    /// At most the folder that is built: what stands after `--` goes to the tool that builds.
    Folder,
    /// Each is a name that says building or testing.
    Targets,
}

const CARGO: &str = "all all-features all-targets benches bin= bins color= doc example= examples exclude= features= frozen ignore-rust-version \
    jobs= keep-going lib locked manifest-path= message-format= no-default-features no-deps no-fail-fast no-run offline package= profile= quiet \
    release target= test= tests bench= verbose workspace document-private-items";
const CARGO_SHORT: &str = "p:F:j:rqv";

const fn cargo(name: &'static str) -> Build {
    Build { name, short: CARGO_SHORT, long: CARGO, operands: Operands::Any, passes_on: true }
}

const fn builds(name: &'static str, short: &'static str, long: &'static str, operands: Operands) -> Build {
    Build { name, short, long, operands, passes_on: false }
}

const fn runs_script(name: &'static str) -> Build {
    Build {
        name,
        short: "sw:",
        long: "if-present prefix= silent workspace= workspaces",
        operands: Operands::Targets,
        passes_on: true,
    }
}

const GO_TEST: &str = "bench= benchmem benchtime= count= cover covermode= cpu= failfast json list= p= parallel= race run= short shuffle= \
    skip= tags= timeout= v vet= x trimpath buildvcs?";
const PYTEST: &str = "assert= capture= collect-only color= cov? cov-report= disable-warnings doctest-modules durations= exitfirst failed-first ff \
    last-failed lf maxfail= new-first nf no-cov no-header no-summary numprocesses= quiet randomly-seed= run-slow runxfail \
    showlocals stepwise strict-markers sw tb= timeout= verbose";
const JEST: &str = "bail? ci color colors coverage detectOpenHandles forceExit maxWorkers= no-coverage onlyChanged passWithNoTests run \
    runInBand silent testNamePattern= testPathPattern= verbose reporter=";
const GRADLE: &str = "build-cache continue daemon info no-build-cache no-daemon offline parallel quiet rerun-tasks stacktrace tests= debug";

const BUILDS: &[Build] = &[
    cargo("cargo bench"),
    cargo("cargo b"),
    cargo("cargo build"),
    cargo("cargo c"),
    cargo("cargo check"),
    cargo("cargo clippy"),
    cargo("cargo doc"),
    cargo("cargo t"),
    cargo("cargo test"),
    builds(
        "cargo nextest run",
        "p:F:j:rE:",
        "all-features all-targets exclude= failure-output= features= filter-expr= lib locked no-capture no-default-features \
         no-fail-fast offline package= release retries= test= test-threads= tests workspace",
        Operands::Any,
    ),
    builds("cargo fmt --check", "p:qv", "all check package= quiet verbose", Operands::None),
    builds("cargo fmt --all --check", "qv", "quiet verbose", Operands::None),
    builds("cargo fmt --all -- --check", "", "", Operands::None),
    builds("cargo fmt -- --check", "", "", Operands::None),
    runs_script("npm run"),
    runs_script("npm run-script"),
    runs_script("pnpm run"),
    runs_script("yarn run"),
    runs_script("bun run"),
    Build { operands: Operands::None, ..runs_script("npm test") },
    Build { operands: Operands::None, ..runs_script("npm t") },
    Build { short: "rs", long: "recursive silent", operands: Operands::Any, ..runs_script("pnpm test") },
    Build { operands: Operands::Any, ..runs_script("yarn test") },
    runs_script("pnpm"),
    builds("bun test", "t:", "bail? coverage only test-name-pattern= timeout= todo", Operands::Any),
    runs_script("yarn"),
    builds("deno check", "", "all quiet", Operands::Any),
    builds("deno lint", "", "compact json quiet", Operands::Any),
    builds("jest", "bio?t:w:", JEST, Operands::Any),
    builds("vitest", "t:", JEST, Operands::Any),
    builds("npx jest", "bio?t:w:", JEST, Operands::Any),
    builds("npx vitest run", "t:", JEST, Operands::Any),
    builds("tsc --noEmit", "p:", "noEmit pretty? project= skipLibCheck strict", Operands::None),
    builds("npx tsc --noEmit", "p:", "noEmit pretty? project= skipLibCheck strict", Operands::None),
    builds(
        "eslint",
        "f:",
        "color ext= format= max-warnings= no-color no-error-on-unmatched-pattern quiet",
        Operands::Any,
    ),
    builds(
        "npx eslint",
        "f:",
        "color ext= format= max-warnings= no-color no-error-on-unmatched-pattern quiet",
        Operands::Any,
    ),
    builds("prettier --check", "", "log-level= check", Operands::Any),
    builds("npx prettier --check", "", "log-level= check", Operands::Any),
    builds("pytest", "k:lm:n:qr:svxW:", PYTEST, Operands::Any),
    builds("py.test", "k:lm:n:qr:svx", PYTEST, Operands::Any),
    builds("python -m pytest", "k:lm:n:qr:svxW:", PYTEST, Operands::Any),
    builds("python3 -m pytest", "k:lm:n:qr:svxW:", PYTEST, Operands::Any),
    builds("uv run pytest", "k:lm:n:qr:svxW:", PYTEST, Operands::Any),
    builds("poetry run pytest", "k:lm:n:qr:svxW:", PYTEST, Operands::Any),
    builds("python -m unittest", "bcfk:qv", "buffer catch failfast locals quiet verbose", Operands::Any),
    builds("python3 -m unittest", "bcfk:qv", "buffer catch failfast locals quiet verbose", Operands::Any),
    builds(
        "mypy",
        "p:m:",
        "ignore-missing-imports module= no-error-summary package= pretty show-error-codes strict",
        Operands::Any,
    ),
    builds("pyright", "p:", "outputjson project= stats warnings", Operands::Any),
    builds(
        "ruff check",
        "q",
        "exit-zero ignore= no-cache no-fix output-format= quiet select= statistics verbose",
        Operands::Any,
    ),
    builds("ruff format --check", "q", "diff quiet", Operands::Any),
    builds("black --check", "l:q", "diff line-length= quiet", Operands::Any),
    builds(
        "flake8",
        "v",
        "count ignore= max-complexity= max-line-length= select= show-source statistics",
        Operands::Any,
    ),
    builds("tox", "qrv", "recreate", Operands::None),
    builds("go build", "", "p= race tags= v x trimpath buildvcs?", Operands::Any),
    builds("go test", "", GO_TEST, Operands::Any),
    builds("go vet", "", "json tags= v", Operands::Any),
    builds("golangci-lint run", "v", "build-tags= concurrency= timeout= verbose", Operands::Any),
    builds("staticcheck", "", "checks= tags= tests?", Operands::Any),
    builds("make", "Bj?ksi", "always-make jobs? keep-going no-print-directory silent", Operands::Targets),
    builds("gmake", "Bj?ks", "always-make jobs? keep-going no-print-directory silent", Operands::Targets),
    builds("ninja", "j:k:v", "verbose quiet", Operands::Targets),
    builds("just", "", "no-highlight verbose quiet", Operands::Targets),
    builds("cmake --build", "j?v", "clean-first config= parallel? verbose", Operands::Folder),
    builds(
        "ctest",
        "j:R:E:L:V",
        "extra-verbose label-regex= output-on-failure parallel= rerun-failed test-dir= tests-regex= verbose",
        Operands::None,
    ),
    builds("meson compile", "C:j:v", "jobs= verbose", Operands::None),
    builds("meson test", "C:v", "no-rebuild print-errorlogs verbose", Operands::Any),
    builds("bazel build", "k", "keep_going config=", Operands::Any),
    builds("bazel test", "k", "keep_going config= test_output=", Operands::Any),
    builds("mvn", "BoqT:U", "batch-mode no-transfer-progress offline quiet", Operands::Targets),
    builds("./mvnw", "BoqT:U", "batch-mode no-transfer-progress offline quiet", Operands::Targets),
    builds("gradle", "iqs", GRADLE, Operands::Targets),
    builds("./gradlew", "iqs", GRADLE, Operands::Targets),
    builds("dotnet build", "c:v:", "configuration= no-restore nologo verbosity=", Operands::Any),
    builds("dotnet test", "c:v:", "configuration= filter= no-build no-restore nologo verbosity=", Operands::Any),
    builds("swift build", "c:v", "configuration= verbose", Operands::None),
    builds("swift test", "c:v", "configuration= filter= parallel verbose", Operands::None),
    builds("zig build", "", "summary=", Operands::Targets),
    builds("zig test", "", "", Operands::Any),
    builds("mix compile", "", "force warnings-as-errors", Operands::None),
    builds("mix test", "", "cover failed only= seed= stale trace", Operands::Any),
    builds("rspec", "fe:", "fail-fast format= order= seed=", Operands::Any),
    builds("bundle exec rspec", "e:f:", "fail-fast format= order= seed=", Operands::Any),
    builds("rake", "", "quiet silent trace", Operands::Targets),
    builds("bundle exec rake", "", "quiet silent trace", Operands::Targets),
    builds("rubocop", "", "display-cop-names format= parallel", Operands::Any),
    builds("phpunit", "", "filter= stop-on-failure testdox testsuite=", Operands::Any),
    builds("./vendor/bin/phpunit", "", "filter= stop-on-failure testdox testsuite=", Operands::Any),
    builds("vendor/bin/phpunit", "", "filter= stop-on-failure testdox testsuite=", Operands::Any),
    builds("stack build", "", "fast pedantic test", Operands::None),
    builds("stack test", "", "fast", Operands::None),
    builds("cabal build", "", "", Operands::Any),
    builds("cabal test", "", "", Operands::Any),
    builds("sbt", "", "", Operands::Targets),
    builds("shellcheck", "f:s:xS:", "format= severity= shell=", Operands::Any),
];

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
    "compileJava",
    "coverage",
    "default",
    "doc",
    "docs",
    "help",
    "lint",
    "package",
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
/// And none of the parts one of these.
const NOT_TARGETS: &[&str] =
    &["deploy", "fix", "install", "publish", "push", "release", "serve", "update", "upload", "watch", "write"];

/// The wide reads of a line in which every command builds, tests or only reads; `None` for any other line.
pub(super) fn wide_reads(line: &CommandLine) -> Option<Vec<WideRead>> {
    if is_lost(line) {
        return None;
    }
    let mut builds = false;
    let wide = each_command(line.commands()?, &mut |command, wide| is_known(command, &mut builds, wide))?;
    builds.then_some(wide)
}

fn is_known(command: &SimpleCommand, builds: &mut bool, wide: &mut Vec<WideRead>) -> bool {
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
            found.is_some() && command.inputs.is_empty()
        }
        Inside::Commands(_) | Inside::Nothing | Inside::Unknown => is_read_only(command, wide),
    }
}

fn builds_or_tests(command: &SimpleCommand, wide: &mut Vec<WideRead>) -> bool {
    let fed = command.inputs.iter().map(|word| WideRead::Place { path: word.text.clone(), is_pattern: false });
    wide.extend(fed);
    match &command.inside {
        Inside::Nothing => is_build(command, wide) || tells_as_the_project_says(command),
        Inside::Unknown => false,
        Inside::Commands(wrapped) => {
            let hands_on = matches!(command.name(), "find" | "xargs") || wrappers::is_shell(command.name());
            wrapped.is_transparent && !hands_on && wrapped.commands.iter().all(|inner| builds_or_tests(inner, wide))
        }
    }
}

/// By itself, or by what runs a project's tools (`npx`, `poetry run`), in the folder at hand or in one that is named.
fn is_build(command: &SimpleCommand, wide: &mut Vec<WideRead>) -> bool {
    if command.open_ended {
        return false;
    }
    let (words, folder) = runners::in_folder(&command.words);
    let mut reads = Vec::new();
    let mut is_one = |words: &[Word]| {
        [BUILDS, ecosystems::BUILDS].into_iter().flatten().any(|build| {
            let mut of_this = Vec::new();
            let is = build.is(words, &mut of_this);
            reads.extend(of_this.into_iter().filter(|_| is));
            is
        }) || ecosystems::compiles(words, &mut reads)
            || ecosystems::says_its_usage(words, &mut reads)
    };
    let is_known =
        is_one(&words) || runners::of_tool(&words).is_some_and(|tool| is_one(&tool) || says_its_version(&tool));
    wide.extend(folder.iter().cloned().map(WideRead::Inside));
    wide.extend(reads.into_iter().map(|read| read.from(folder.as_deref().unwrap_or("."))));
    is_known
}

/// A known tool that a runner is to ask.
fn says_its_version(tool: &[Word]) -> bool {
    let is_known = |name: &str| {
        [BUILDS, ecosystems::BUILDS].into_iter().flatten().any(|build| build.name.split(' ').next() == Some(name))
    };
    matches!(tool, [name, asks] if matches!(asks.text.as_str(), "--version" | "-V") && is_known(&name.text))
}

impl Build {
    fn is(&self, words: &[Word], wide: &mut Vec<WideRead>) -> bool {
        if !is_named(self.name, words) {
            return false;
        }
        let mut arguments = &words[self.name.split(' ').count()..];
        if self.passes_on
            && let Some(end) = arguments.iter().position(|word| word.text == "--")
        {
            // What is passed on must not become an option of the program before it.
            if arguments[..end].iter().any(|word| word.expands) {
                return false;
            }
            if !is_harmless_to_tests(&arguments[end + 1..], wide) {
                return false;
            }
            arguments = &arguments[..end];
        }
        let single_dashes = self.name.starts_with("go ");
        let doubled: Vec<Word>;
        let full: Vec<Word>;
        if single_dashes {
            doubled = arguments.iter().map(with_two_dashes).collect();
            arguments = &doubled;
        }
        let is_java = ["mvn", "./mvnw", "gradle", "./gradlew"].contains(&self.name);
        if is_java {
            full = arguments.iter().map(ecosystems::in_full).collect();
            arguments = &full;
        }
        let Some(given) = flags::given(self.short, self.long, arguments) else { return false };
        // A plugin is code, unless it is one to do without.
        let is_plugin = |flag: &Flag<'_>| matches!(flag, Flag::Short('p', Some(value)) if !value.starts_with("no:"));
        if self.name == "pytest" && given.flags.iter().any(is_plugin) {
            return false;
        }
        // What was built before goes as well, where something is built anew.
        let is_cleaned = is_java && given.operands.iter().any(|operand| is_target(&operand.text));
        if !given.flags.iter().all(|flag| names_nothing_outside(flag, wide)) {
            return false;
        }
        let mut operands = given.operands.iter();
        operands.all(|operand| match self.operands {
            Operands::Any | Operands::Folder if self.name.starts_with("bazel ") && operand.text.starts_with("//") => {
                true
            }
            Operands::Any | Operands::Folder => names_inside(operand, wide),
            Operands::None => false,
            Operands::Targets => {
                !operand.expands && (is_target(&operand.text) || (is_cleaned && operand.text == "clean"))
            }
        }) && (!matches!(self.operands, Operands::Folder)
            || given.operands.iter().filter(|word| !is_number(&word.text)).count() <= 1)
            && self.is_whole(given.operands.len())
    }

    /// `npm run` alone lists; `yarn` and `pnpm` alone install.
    fn is_whole(&self, operands: usize) -> bool {
        let needs_target = matches!(self.name, "yarn" | "pnpm" | "mvn" | "./mvnw" | "sbt" | "just")
            || self.name.ends_with(" run")
            || self.name.ends_with(" run-script");
        !needs_target || operands > 0 || !matches!(self.operands, Operands::Targets)
    }
}

/// A value may be a path; a target of cargo's may be a file that names a linker.
fn names_nothing_outside(flag: &Flag<'_>, wide: &mut Vec<WideRead>) -> bool {
    match flag {
        // A path to a reporter is code that is run.
        Flag::Short('f', Some(value)) | Flag::Long("target" | "format" | "reporter" | "logger", Some(value)) => {
            !value.contains(['/', '.'])
        }
        Flag::Short('D', Some(definition)) => ecosystems::defines_nothing_that_runs(definition),
        Flag::Short(_, Some(value)) | Flag::Long(_, Some(value)) => names_inside(&Word::literal(value), wide),
        Flag::Short(_, None) | Flag::Long(_, None) => true,
    }
}

/// Textually inside the project, or to be looked at.
fn names_inside(word: &Word, wide: &mut Vec<WideRead>) -> bool {
    if word.text.contains("://") || word.text.starts_with('-') || (word.expands && word.text.starts_with('{')) {
        return false;
    }
    if word.expands {
        wide.push(WideRead::Names {
            pattern: word.text.clone(),
            splits: word.each.as_ref().is_some_and(|each| each.splits),
        });
        wide.extend(
            word.each.iter().map(|each| WideRead::Names { pattern: each.pattern.clone(), splits: each.splits }),
        );
        return !word.variable && stays_inside(&word.text);
    }
    if !stays_inside(&word.text) {
        wide.push(WideRead::Inside(word.text.clone()));
    }
    true
}

/// What is handed to the test program or the linter. Theirs are the options that write: `--logfile`.
fn is_harmless_to_tests(words: &[Word], wide: &mut Vec<WideRead>) -> bool {
    words.iter().all(|word| {
        let (name, value) = word.text.split_once('=').unwrap_or((&word.text, ""));
        let writes = matches!(
            name,
            "--logfile"
                | "--fix"
                | "--output"
                | "-o"
                | "--out"
                | "--config"
                | "-C"
                | "--write"
                | "--update"
                | "--globalSetup"
                | "--outputFile"
                | "--rootDir"
                | "--reporters"
        );
        let value = if name.starts_with('-') { value } else { word.text.as_str() };
        !word.expands && !writes && (value.is_empty() || names_inside(&Word::literal(value), wide))
    })
}

fn with_two_dashes(word: &Word) -> Word {
    let is_single = word.text.starts_with('-') && !word.text.starts_with("--");
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
    let mut parts = name.split([':', '-', '_', '.', '/']);
    let first = parts.next().unwrap_or_default();
    let end = first.find(|next: char| next.is_ascii_uppercase()).unwrap_or(first.len());
    let camel: Vec<String> = words_of(&first[end..]);
    let is_known = TARGETS.contains(&first) || (end > 0 && TARGETS.contains(&&first[..end]));
    is_known
        && parts.all(|part| !NOT_TARGETS.contains(&part))
        && !camel.iter().any(|part| NOT_TARGETS.contains(&part.as_str()))
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
