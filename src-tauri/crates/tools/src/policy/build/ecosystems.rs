//! More tools that build, test and check, by the languages they are for.

use super::super::plain_shell::Word;
use super::super::read_only::WideRead;
use super::{Build, Operands, builds, names_inside};

const TSC: &str = "alwaysStrict allowJs build checkJs declaration diagnostics emitDeclarationOnly extendedDiagnostics incremental jsx= \
    lib= listFiles module= moduleResolution= noEmit noEmitOnError noErrorTruncation noUnusedLocals noUnusedParameters pretty? \
    project= showConfig skipLibCheck strict target= traceResolution verbose esModuleInterop";
const VITEST: &str = "bail? changed color coverage? dir= no-color no-coverage no-watch passWithNoTests project= reporter= retry= run \
    silent? testNamePattern= testTimeout= typecheck pool= threads? no-file-parallelism";
const PLAYWRIGHT: &str = "grep= headed list project= reporter= retries= timeout= workers= max-failures= forbid-only";

pub(super) const BUILDS: &[Build] = &[
    // Rust
    builds("pnpm run", "rsw:", "if-present recursive silent", Operands::Targets),
    builds("yarn workspaces run", "", "", Operands::Targets),
    builds("yarn workspaces foreach -A run", "", "", Operands::Targets),
    Build { passes_on: true, ..builds("cargo xtask", "", "", Operands::Targets) },
    builds("cargo deny check", "", "", Operands::Any),
    builds("cargo fmt --all --check --", "", "", Operands::None),
    builds("cargo llvm-cov", "p:", "all-features html lcov package= summary-only text workspace", Operands::None),
    builds("cargo machete", "", "", Operands::Any),
    builds("cargo nextest list", "p:", "all-features package= workspace", Operands::Any),
    builds("rustfmt --check", "lq", "check edition= files-with-diff quiet", Operands::Any),
    // JavaScript
    builds("tsc", "bp:", TSC, Operands::Any),
    builds("vue-tsc", "bp:", TSC, Operands::Any),
    builds("vitest", "t:u?", VITEST, Operands::Any),
    builds("vitest run", "t:", VITEST, Operands::Any),
    builds("jest", "bio?t:w:", JEST_MORE, Operands::Any),
    builds("mocha", "bg:R:t:", "bail exit grep= recursive reporter= timeout=", Operands::Any),
    builds("ava", "svm:", "fail-fast match= serial tap verbose timeout=", Operands::Any),
    builds("playwright test", "g:", PLAYWRIGHT, Operands::Any),
    builds("cypress run", "b:s:q", "browser= e2e component headless quiet spec=", Operands::None),
    builds("node --test", "", "test-name-pattern= test-only test-reporter= test-concurrency=", Operands::Any),
    builds("node --check", "", "", Operands::Any),
    builds("node -c", "", "", Operands::Any),
    builds("eslint", "f:", ESLINT, Operands::Any),
    builds("stylelint", "f:q", "formatter= max-warnings= quiet", Operands::Any),
    builds("prettier -c", "", "log-level=", Operands::Any),
    builds("prettier --list-different", "", "log-level=", Operands::Any),
    builds("prettier -l", "", "log-level=", Operands::Any),
    builds("biome check", "", BIOME, Operands::Any),
    builds("biome ci", "", BIOME, Operands::Any),
    builds("biome lint", "", BIOME, Operands::Any),
    builds("biome format", "", BIOME, Operands::Any),
    builds("oxlint", "D:A:W:", "deny-warnings format= quiet max-warnings=", Operands::Any),
    builds("svelte-check", "", "fail-on-warnings output= threshold= tsconfig=", Operands::None),
    builds("svelte-kit sync", "", "", Operands::None),
    builds("astro check", "", "", Operands::None),
    builds("next build", "d", "debug no-lint profile turbo turbopack", Operands::Folder),
    builds("next lint", "", "quiet strict max-warnings=", Operands::None),
    builds("vite build", "m:", "mode= minify? sourcemap? logLevel=", Operands::Folder),
    builds("webpack", "", "mode= progress", Operands::None),
    builds("rollup -c", "", "", Operands::None),
    builds("turbo run", "F:", "concurrency= continue filter= force output-logs=", Operands::Targets),
    builds("turbo", "F:", "concurrency= continue filter= force output-logs=", Operands::Targets),
    builds("nx", "", "skip-nx-cache verbose parallel?", Operands::Targets),
    builds("lerna run", "", "scope= stream", Operands::Targets),
    builds("ng build", "c:", "configuration= progress?", Operands::Any),
    builds("ng lint", "", "", Operands::Any),
    builds("ng test", "", "browsers= code-coverage", Operands::Any),
    builds("knip", "", "no-progress production", Operands::None),
    builds("depcheck", "", "json", Operands::Folder),
    builds("madge --circular", "", "extensions=", Operands::Any),
    builds("publint", "", "strict", Operands::Folder),
    builds("size-limit", "", "json", Operands::None),
    builds("attw --pack", "", "", Operands::Folder),
    builds("bun test", "t:", "bail? coverage only test-name-pattern= timeout= todo", Operands::Any),
    builds("deno test", "A", "allow-read allow-env filter= parallel quiet no-check", Operands::Any),
    builds("deno fmt --check", "", "", Operands::Any),
    // Python
    builds("pytest", "k:lm:n:p:qr:svxW:", PYTEST_MORE, Operands::Any),
    builds("pip list", "elo", "editable format= local outdated user", Operands::None),
    builds("pip show", "f", "files", Operands::Any),
    builds("pip freeze", "l", "all local", Operands::None),
    builds("pip check", "", "", Operands::None),
    builds("unittest", "bcfk:qv", "buffer catch failfast locals quiet verbose", Operands::Any),
    builds(
        "unittest discover",
        "bcfk:qvs:p:t:",
        "buffer failfast locals quiet verbose start-directory= pattern= top-level-directory=",
        Operands::Any,
    ),
    builds("compileall", "qf", "", Operands::Any),
    builds("py_compile", "", "", Operands::Any),
    builds("doctest", "v", "", Operands::Any),
    builds("json.tool", "", "compact indent= json-lines no-ensure-ascii no-indent sort-keys tab", Operands::Folder),
    builds("tabnanny", "v", "", Operands::Any),
    builds(
        "mypy",
        "p:m:",
        "check-untyped-defs config-file= disallow-untyped-defs follow-imports= ignore-missing-imports \
        install-types module= namespace-packages no-color-output no-error-summary no-incremental non-interactive package= \
        pretty python-version= show-column-numbers show-error-codes show-error-context strict warn-unreachable",
        Operands::Any,
    ),
    builds("pyright", "p:", "level= outputjson project= pythonversion= stats verifytypes= warnings", Operands::Any),
    builds("basedpyright", "p:", "level= outputjson project= warnings", Operands::Any),
    builds(
        "pylint",
        "Ej:r:",
        "disable= enable= errors-only jobs= output-format= reports= score= rcfile=",
        Operands::Any,
    ),
    builds(
        "ruff check",
        "q",
        "diff exclude= exit-zero extend-select= ignore= line-length= no-cache no-fix output-format= quiet \
        select= show-files statistics target-version= unsafe-fixes verbose",
        Operands::Any,
    ),
    builds("ruff format --check", "q", "diff quiet", Operands::Any),
    builds("ruff format --diff", "q", "check quiet", Operands::Any),
    builds("black --check", "l:q", "diff exclude= line-length= quiet target-version=", Operands::Any),
    builds("black --diff", "l:q", "check exclude= line-length= quiet", Operands::Any),
    builds("isort --check-only", "q", "diff profile= quiet", Operands::Any),
    builds("isort --check", "q", "diff profile= quiet", Operands::Any),
    builds("isort -c", "q", "diff profile= quiet", Operands::Any),
    builds("bandit", "rqll:", "quiet recursive severity-level=", Operands::Any),
    builds("vulture", "", "min-confidence=", Operands::Any),
    builds("coverage run -m pytest", "k:m:qsvx", "tb=", Operands::Any),
    builds("coverage report", "mi", "fail-under= include= omit= show-missing skip-covered", Operands::None),
    builds("python manage.py check", "", "deploy fail-level=", Operands::Any),
    builds("python manage.py test", "kv:", "failfast keepdb noinput parallel? verbosity=", Operands::Any),
    builds("python manage.py showmigrations", "lp", "list plan", Operands::Any),
    builds("python3 manage.py test", "kv:", "failfast keepdb noinput parallel? verbosity=", Operands::Any),
    builds("poetry check", "", "", Operands::None),
    builds("uv lock --check", "", "", Operands::None),
    builds("hatch test", "", "", Operands::Any),
    builds("nox -l", "", "", Operands::None),
    // Go
    builds("go build -o /dev/null", "", "race tags= v x trimpath", Operands::Any),
    builds(
        "go test",
        "",
        "bench= benchmem benchtime= count= cover covermode= coverpkg= coverprofile= cpu= failfast json list= p= \
        parallel= race run= short shuffle= skip= tags= timeout= v vet= x trimpath",
        Operands::Any,
    ),
    builds("go tool cover", "", "func=", Operands::None),
    builds("go mod verify", "", "", Operands::None),
    builds("go list", "", "deps e f= find json test u versions m tags=", Operands::Any),
    builds("gotestsum", "f:", "format=", Operands::None),
    builds(
        "golangci-lint run",
        "v",
        "build-tags= concurrency= disable= enable= fast max-issues-per-linter= new-from-rev= timeout= verbose",
        Operands::Any,
    ),
    builds("govulncheck", "", "", Operands::Any),
    // Java and its like
    builds("mvn", "BD:eoqT:UX", MAVEN, Operands::Targets),
    builds("./mvnw", "BD:eoqT:UX", MAVEN, Operands::Targets),
    builds("mvn dependency:tree", "Boq", "", Operands::None),
    builds("./gradlew", "iqsx:", GRADLE_MORE, Operands::Targets),
    builds("gradle", "iqsx:", GRADLE_MORE, Operands::Targets),
    builds("./gradlew tasks", "q", "all", Operands::None),
    builds("./gradlew dependencies", "q", "configuration=", Operands::None),
    builds("./gradlew projects", "q", "", Operands::None),
    builds("sbt compile", "", "", Operands::None),
    // C and C++
    builds("cmake", "B:S:G:D:", "fresh preset=", Operands::Folder),
    builds("cmake --build", "j?t:v", "clean-first config= parallel? target= verbose", Operands::Folder),
    builds("cmake --preset", "", "", Operands::Any),
    builds(
        "ctest",
        "j?R:E:L:VQC:",
        "build-config= extra-verbose label-regex= output-on-failure parallel? preset= quiet rerun-failed test-dir= \
        tests-regex= timeout= verbose",
        Operands::None,
    ),
    builds("meson setup", "", "buildtype=", Operands::Any),
    builds("ninja -C", "j:k:v", "", Operands::Any),
    builds("clang-format --dry-run", "nW:", "", Operands::Any),
    builds("clang-tidy", "p:", "quiet checks=", Operands::Any),
    builds("cppcheck", "qj:", "enable= error-exitcode= inline-suppr quiet std= suppress=", Operands::Any),
    builds("make", "Bj?knsi", "always-make dry-run jobs? keep-going no-print-directory silent", Operands::Targets),
    builds("bazel query", "", "output=", Operands::Any),
    // Ruby
    builds(
        "rspec",
        "fe:c",
        "color fail-fast? format= next-failure no-color only-failures order= seed= tag=",
        Operands::Any,
    ),
    builds(
        "rspec",
        "e:f:t:c",
        "color fail-fast? format= next-failure no-color only-failures order= seed= tag=",
        Operands::Any,
    ),
    builds("rubocop", "", "display-cop-names fail-level= format= lint only= parallel", Operands::Any),
    builds("rake", "", "quiet silent trace", Operands::Targets),
    builds("rails test", "v", "", Operands::Any),
    builds("rails routes", "c:g:", "", Operands::None),
    builds("bin/rails test", "v", "", Operands::Any),
    builds("ruby -c", "", "", Operands::Any),
    builds("ruby -wc", "", "", Operands::Any),
    builds("ruby -Itest", "", "", Operands::Any),
    builds("ruby -Ilib:test", "", "", Operands::Any),
    builds("srb tc", "", "", Operands::Any),
    builds("standardrb", "", "no-fix", Operands::Any),
    builds("bundle check", "", "", Operands::None),
    // PHP
    builds("php -l", "", "", Operands::Any),
    builds(
        "phpunit",
        "",
        "colors? display-warnings exclude-group= filter= group= no-coverage stop-on-failure testdox testsuite= order-by=",
        Operands::Any,
    ),
    builds("pest", "p", "bail coverage filter= group= parallel", Operands::Any),
    builds("phpstan analyse", "l:", "error-format= level= memory-limit= no-progress", Operands::Any),
    builds("phpstan analyze", "l:", "error-format= level= memory-limit= no-progress", Operands::Any),
    builds("psalm", "", "no-cache show-info? threads=", Operands::Any),
    builds("phpcs", "psn", "colors report= standard=", Operands::Any),
    builds("php-cs-fixer fix --dry-run", "", "diff dry-run", Operands::Any),
    builds("pint --test", "v", "", Operands::Any),
    builds("php artisan test", "", "compact filter= parallel testsuite=", Operands::Any),
    builds("php artisan route:list", "", "path= method=", Operands::None),
    builds("composer validate", "", "no-check-all strict", Operands::None),
    builds("composer test", "", "", Operands::None),
    builds("composer run", "", "", Operands::Targets),
    builds("composer run-script", "", "", Operands::Targets),
    // .NET
    builds("dotnet build", "c:f:v:", DOTNET, Operands::Any),
    builds("dotnet test", "c:f:l:v:", DOTNET, Operands::Any),
    builds("dotnet format --verify-no-changes", "v:", "no-restore verbosity=", Operands::Any),
    builds("dotnet list package", "", "include-transitive outdated", Operands::None),
    builds("msbuild", "", "", Operands::Any),
    // Others
    builds("swift build", "c:v", "configuration= product= target= verbose", Operands::None),
    builds("swift test", "c:v", "configuration= filter= parallel verbose", Operands::None),
    builds("swiftlint lint", "", "quiet strict", Operands::Any),
    builds("flutter analyze", "", "no-fatal-infos no-pub", Operands::Any),
    builds("flutter test", "", "coverage name= plain-name= reporter=", Operands::Any),
    builds("dart analyze", "", "fatal-infos", Operands::Any),
    builds("dart test", "n:", "name= reporter=", Operands::Any),
    builds("mix format --check-formatted", "", "", Operands::Any),
    builds("mix credo", "", "strict", Operands::Any),
    builds("zig fmt --check", "", "", Operands::Any),
    builds("stack test", "", "fast", Operands::Any),
    builds("hlint", "", "", Operands::Any),
    builds("opam exec -- dune build", "", "", Operands::Any),
    builds("dune build", "", "", Operands::Any),
    builds("dune test", "", "", Operands::Any),
    builds("lein test", "", "", Operands::Any),
    builds("terraform validate", "", "json no-color", Operands::None),
    builds("terraform fmt -check", "", "", Operands::None),
    builds("helm lint", "", "strict", Operands::Any),
    builds("hadolint", "f:", "format=", Operands::Any),
    builds("yamllint", "f:s", "format= strict", Operands::Any),
    builds("actionlint", "", "color no-color", Operands::Any),
    builds("markdownlint", "", "", Operands::Any),
    builds("markdownlint-cli2", "", "", Operands::Any),
    builds("shellcheck", "e:f:s:S:x", "exclude= format= severity= shell=", Operands::Any),
    builds("shfmt -d", "i:", "", Operands::Any),
    builds("shfmt -l", "i:", "", Operands::Any),
    builds("bats", "rt", "recursive tap", Operands::Any),
    builds("typos", "", "format=", Operands::Any),
    builds("codespell", "", "", Operands::Any),
    builds("taplo fmt --check", "", "", Operands::Any),
    builds("taplo check", "", "", Operands::Any),
    builds("buf lint", "", "", Operands::Any),
    builds("mkdocs build", "sq", "strict quiet", Operands::None),
    builds("mdbook build", "", "", Operands::Folder),
    builds("mdbook test", "", "", Operands::Folder),
    builds("nix flake check", "", "", Operands::None),
];

const JEST_MORE: &str = "bail? ci clearMocks color colors coverage coverageReporters= detectOpenHandles findRelatedTests forceExit json listTests \
    maxWorkers= no-cache no-coverage onlyChanged onlyFailures passWithNoTests projects= runInBand runTestsByPath selectProjects= silent \
    testNamePattern= testPathPattern= testPathPatterns= testTimeout= verbose watchman? reporter=";
const ESLINT: &str = "cache color ext= format= max-warnings= no-cache no-color no-error-on-unmatched-pattern no-warn-ignored quiet \
    report-unused-disable-directives rule= debug";
const BIOME: &str =
    "colors= diagnostic-level= error-on-warnings max-diagnostics= reporter= changed staged since= verbose";
const PYTEST_MORE: &str = "assert= capture= co collect-only color= cov? cov-branch cov-fail-under= cov-report= deselect= disable-warnings \
    doctest-modules durations= exitfirst failed-first ff full-trace ignore= import-mode= last-failed lf log-cli-level= maxfail= \
    new-first nf no-cov no-header no-summary numprocesses= override-ini= quiet randomly-seed= reruns= run-slow runxfail setup-show \
    show-capture= showlocals stepwise strict strict-config strict-markers sw tb= timeout= verbose verbosity=";
const MAVEN: &str = "also-make batch-mode errors fail-at-end fail-fast no-transfer-progress offline projects= quiet";
const GRADLE_MORE: &str = "build-cache console= continue daemon exclude-task= info max-workers= no-build-cache no-configuration-cache no-daemon \
    offline parallel quiet rerun-tasks stacktrace tests= debug warning-mode= scan";
const DOTNET: &str = "collect= configuration= filter= framework= list-tests logger= no-build no-dependencies no-incremental no-restore \
    nologo tl? verbosity=";

const C_COMPILERS: &[&str] = &["c++", "cc", "clang", "clang++", "g++", "gcc"];
const C_FILES: &[&str] = &["a", "c", "c++", "cc", "cpp", "cxx", "h", "hh", "hpp", "m", "mm", "o", "so"];
/// Options of C compilers that take what is attached to them.
const C_ATTACHED: &[&str] =
    &["-D", "-I", "-L", "-O", "-U", "-W", "-fno-", "-fsanitize=", "-g", "-l", "-m", "-pedantic", "-std="];
const C_PLAIN: &[&str] = &["-c", "-fPIC", "-fopenmp", "-fpic", "-fsyntax-only", "-pthread", "-shared", "-static", "-v"];
const JAVA_VALUES: &[&str] =
    &["--class-path", "--release", "-classpath", "-cp", "-d", "-encoding", "-source", "-target"];
const JAVA_PLAIN: &[&str] = &["-Werror", "-g", "-nowarn", "-parameters", "-verbose"];
/// Names without an ending that a compiled program does not have.
const NO_PROGRAMS: &[&str] = &["configure", "gradlew", "license", "makefile", "mvnw", "readme"];

/// A compiler that turns sources of the project into programs or objects, or only checks them. What it writes has a
/// program's name: with `-E` or from a pipe it would write any text into any file.
pub(super) fn compiles(words: &[Word], wide: &mut Vec<WideRead>) -> bool {
    let Some((name, arguments)) = words.split_first().filter(|(name, _)| !name.expands) else { return false };
    let is_known = match name.text.as_str() {
        "javac" => java_argument,
        other if C_COMPILERS.contains(&other) => c_argument,
        _ => return false,
    };
    let mut rest = arguments;
    let mut has_source = false;
    while let [word, after @ ..] = rest {
        let Some(kind) = is_known(&word.text) else { return false };
        rest = after;
        match kind {
            Argument::Option(path) if word.expands || !path.is_empty() => {
                if !names_inside(&Word { text: path.to_owned(), ..word.clone() }, wide) {
                    return false;
                }
            }
            Argument::Option(_) => {}
            Argument::Source => {
                has_source = true;
                if !names_inside(word, wide) {
                    return false;
                }
            }
            Argument::Value | Argument::Output => {
                let Some((value, after)) = rest.split_first() else { return false };
                rest = after;
                let is_output = matches!(kind, Argument::Output);
                if (is_output && (value.expands || !is_program(&value.text))) || !names_inside(value, wide) {
                    return false;
                }
            }
        }
    }
    has_source
}

enum Argument<'a> {
    Source,
    /// With what is attached to it, which may be a path.
    Option(&'a str),
    /// The next word is its value.
    Value,
    /// The next word is what is written.
    Output,
}

fn c_argument(text: &str) -> Option<Argument<'_>> {
    match text {
        "-o" => Some(Argument::Output),
        "-I" | "-L" | "-D" | "-U" | "-l" => Some(Argument::Value),
        _ if C_PLAIN.contains(&text) => Some(Argument::Option("")),
        // `-Wl,…` and its like are options of other programs.
        _ if text.starts_with('-') => {
            let attached = C_ATTACHED.iter().find_map(|option| text.strip_prefix(option));
            attached.filter(|value| !value.contains([',', '@'])).map(Argument::Option)
        }
        _ => has_ending(text, C_FILES).then_some(Argument::Source),
    }
}

fn java_argument(text: &str) -> Option<Argument<'_>> {
    match text {
        _ if JAVA_VALUES.contains(&text) => Some(Argument::Value),
        _ if JAVA_PLAIN.contains(&text) || text.starts_with("-Xlint") => Some(Argument::Option("")),
        _ => has_ending(text, &["java"]).then_some(Argument::Source),
    }
}

fn has_ending(text: &str, endings: &[&str]) -> bool {
    !text.starts_with(['-', '@']) && text.rsplit_once('.').is_some_and(|(_, ending)| endings.contains(&ending))
}

/// `main`, `build/app`, `x.o`: what a compiler writes, and nothing that a person does.
fn is_program(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name.rsplit_once('.') {
        Some((_, ending)) => ["a", "dll", "exe", "o", "obj", "out", "so"].contains(&ending),
        None => {
            name.chars().all(|next| next.is_ascii_lowercase() || next.is_ascii_digit() || "_-".contains(next))
                && !NO_PROGRAMS.contains(&name)
        }
    }
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
pub(super) fn defines_nothing_that_runs(definition: &str) -> bool {
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

/// `cargo run … -- --help`: the project's own program, asked how it is used.
pub(super) fn says_its_usage(words: &[Word], wide: &mut Vec<WideRead>) -> bool {
    let Some(end) = words.iter().position(|word| word.text == "--") else { return false };
    let (run, given) = words.split_at(end);
    let is_name = |word: &Word| {
        !word.expands && word.text.chars().all(|next| next.is_ascii_alphanumeric() || next == '-' || next == '_')
    };
    let asks = match given {
        [_, subcommands @ .., last] => {
            matches!(last.text.as_str(), "--help" | "-h" | "--version" | "-V" | "help")
                && subcommands.iter().all(|word| is_name(word) && !word.text.starts_with('-'))
        }
        _ => false,
    };
    let mut plain = run.to_vec();
    if let Some(subcommand) = plain.get_mut(1).filter(|word| word.text == "run") {
        subcommand.text = "build".to_owned();
    }
    asks && super::is_named("cargo run", words) && super::cargo("cargo build").is(&plain, wide)
}
