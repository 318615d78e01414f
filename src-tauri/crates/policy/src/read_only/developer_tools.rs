//! Tools of developers of which more has to be known than the table says, by subcommand. Nothing is allowed between a
//! program and its subcommand but what stands here.
//!
//! What git's own configuration names (filters, text conversions) isn't run (`arki_git::unasked_environment`). Options that name programs, files to write, or other repositories are not on the lists.

use super::super::flags::{Flag, Given};
use super::is_among;
use super::programs::ReadOperands::{Among, Any, Checked};
use super::programs::{Program, Shows};

/// Tools whose parts and options are chosen by files of the project: `rust-toolchain.toml`, `.cargo/config.toml`,
/// `.mvn/jvm.config`, `.yarnrc.yml`, `global.json`, a `Gemfile`, plugins. Some write what they find out into the
/// project: lock files, caches, build folders.
pub(super) const STEERED_BY_PROJECTS: &[&str] = &[
    "bazel", "bundle", "cargo", "composer", "deno", "dotnet", "gradle", "mvn", "pnpm", "poetry", "pytest", "rustc",
    "rustfmt", "rustup", "uv", "yarn",
];

/// The options in front of git's subcommands; pagers are off where nobody scrolls.
pub(super) const GIT_ALONE: &[&str] =
    &["--literal-pathspecs", "--no-optional-locks", "--no-pager", "--no-replace-objects", "-P"];
/// Settings that only say how something is shown, in lower case.
pub(super) const GIT_SETTINGS: &[&str] = &[
    "color.branch",
    "color.diff",
    "color.status",
    "color.ui",
    "core.abbrev",
    "core.quotepath",
    "diff.context",
    "diff.mnemonicprefix",
    "diff.noprefix",
    "log.abbrevcommit",
    "log.date",
    "log.decorate",
    "log.showsignature",
    "status.short",
];
/// Programs that print their version with `--version`, and do nothing else.
pub(super) const SAYS_ITS_VERSION: &[&str] = &[
    "ansible",
    "autoconf",
    "automake",
    "aws",
    "bash",
    "bat",
    "bazel",
    "brew",
    "bun",
    "bundle",
    "cargo",
    "cc",
    "clang",
    "cmake",
    "composer",
    "conda",
    "corepack",
    "crystal",
    "curl",
    "deno",
    "docker",
    "dotnet",
    "elixir",
    "eslint",
    "fd",
    "ffmpeg",
    "flutter",
    "g++",
    "gcc",
    "gem",
    "gh",
    "ghc",
    "git",
    "go",
    "golangci-lint",
    "gradle",
    "grep",
    "helm",
    "java",
    "javac",
    "jest",
    "jq",
    "julia",
    "just",
    "kotlin",
    "ld",
    "lua",
    "make",
    "meson",
    "mvn",
    "mypy",
    "nasm",
    "nginx",
    "ninja",
    "nix",
    "node",
    "npm",
    "npx",
    "nvcc",
    "ocaml",
    "perl",
    "php",
    "pip",
    "pip3",
    "pnpm",
    "poetry",
    "prettier",
    "pre-commit",
    "protoc",
    "psql",
    "pytest",
    "python",
    "python2",
    "python3",
    "R",
    "rg",
    "ruby",
    "ruff",
    "rust-analyzer",
    "rustc",
    "rustfmt",
    "rustup",
    "sed",
    "sqlite3",
    "sqlx",
    "swift",
    "tar",
    "terraform",
    "tsc",
    "ts-node",
    "uv",
    "valgrind",
    "vim",
    "wasm-pack",
    "wget",
    "yarn",
    "zig",
    "zsh",
];
/// Programs that explain their use, also of each of their parts.
pub(super) const EXPLAINS_ITSELF: &[&str] = &[
    "bundle",
    "cargo",
    "composer",
    "deno",
    "docker",
    "dotnet",
    "gh",
    "go",
    "helm",
    "kubectl",
    "npm",
    "pip",
    "pip3",
    "poetry",
    "ruff",
    "rustup",
    "terraform",
    "uv",
];

/// Shows what is in files that git keeps, where `shows` says so.
const fn kept(name: &'static str, short: &'static str, long: &'static str, shows: fn(&Given<'_>) -> bool) -> Program {
    Program { name, short, long, operands: Any, shows: Shows::Kept(shows) }
}

const fn checked(
    name: &'static str,
    short: &'static str,
    long: &'static str,
    check: fn(&Given<'_>) -> bool,
) -> Program {
    Program { name, short, long, operands: Checked(check), shows: Shows::Names }
}

const LOG: &str = "abbrev= abbrev-commit after= all author= before= branches? cherry cherry-mark cherry-pick children color? color-words? \
    committer= cumulative date= date-order decorate? decorate-refs= diff-algorithm= diff-filter= diff-merges= dirstat? \
    exclude= exit-code find-copies? find-renames? first-parent follow format= full-diff full-history function-context graph \
    grep= histogram ignore-all-space ignore-blank-lines ignore-space-at-eol ignore-space-change inter-hunk-context= invert-grep \
    left-right max-count= merge-base merges min-parents= minimal name-only name-status no-abbrev-commit no-color no-commit-id \
    no-decorate no-ext-diff no-merges no-notes no-patch no-prefix no-renames no-textconv not notes? numstat oneline parents \
    patch patch-with-stat patience perl-regexp pickaxe-all pickaxe-regex pretty? quiet raw reflog regexp-ignore-case relative? \
    relative-date remotes? reverse root shortstat show-linear-break? show-pulls show-signature= simplify-by-decoration since= \
    skip= sparse stat? submodule? summary tags? text topo-order unified= until= walk-reflogs word-diff? word-diff-regex= cached \
    staged check compact-summary diff-merges= src-prefix= dst-prefix= full-index";
const LOG_SHORT: &str = "abcgimpqRrstuvwzB?C?F?G:L:M?n:S:U:X?E#";

pub(super) const PROGRAMS: &[Program] = &[
    checked(
        "git branch",
        "arvil",
        "abbrev= all color? column? contains= format= ignore-case list merged? no-abbrev no-color no-column no-contains= no-merged? points-at= remotes show-current sort= verbose",
        lists_only,
    ),
    kept("git cat-file", "epst", "batch-check? buffer", |given| !names_only_files(given)),
    kept("git diff", LOG_SHORT, LOG, shows_changes),
    kept("git diff-index", LOG_SHORT, LOG, shows_patch),
    kept("git diff-tree", LOG_SHORT, LOG, shows_patch),
    kept(
        "git grep",
        "acEFGhHiIlLnopPqvwW0A:B:C:e:m:#",
        "after-context= all-match and basic-regexp before-context= break cached color? column context= count exclude-standard extended-regexp files-with-matches files-without-match fixed-strings full-name function-context heading ignore-case invert-match line-number max-count= max-depth= name-only no-color not null only-matching or perl-regexp quiet recurse-submodules show-function text untracked word-regexp",
        |_| true,
    ),
    kept("git log", LOG_SHORT, LOG, shows_patch),
    checked("git notes", "", "", |given| {
        given.operands.first().is_some_and(|first| matches!(first.text.as_str(), "list" | "show"))
    }),
    kept("git range-diff", "", "creation-factor= left-only no-color right-only", |_| true),
    checked("git reflog", "n:#", "all date= format= max-count= oneline pretty=", |given| !changes_reflog(given)),
    kept("git show", LOG_SHORT, LOG, shows_changes),
    kept("git stash list", LOG_SHORT, LOG, shows_patch),
    kept(
        "git stash show",
        "pu",
        "include-untracked name-only name-status numstat only-untracked patch stat?",
        shows_patch,
    ),
    checked("git symbolic-ref", "q", "quiet short", |given| given.operands.len() == 1),
    checked(
        "git tag",
        "iln?",
        "color? column? contains= format= ignore-case list merged? no-contains= no-merged? points-at= sort=",
        lists_only,
    ),
    checked(
        "git config",
        "lz",
        "get= get-all= get-regexp= global list local name-only null show-origin show-scope system type= bool int path",
        |given| {
            // A name alone is asked for; `git config edit` is none.
            let asks = given.flags.is_empty() && given.operands.iter().all(|name| name.text.contains('.'));
            if asks && given.operands.len() == 1 {
                return true;
            }
            given.operands.len() <= 1
                && given.flags.iter().any(is_config_query)
                && (given.operands.is_empty() || !given.flags.iter().any(is_list))
        },
    ),
    kept("git whatchanged", LOG_SHORT, LOG, shows_patch),
    checked("rustc", "vV", "print= verbose version explain=", |given| {
        // `--print cfg=FILE` writes it.
        let writes = |flag: &Flag<'_>| matches!(flag, Flag::Long("print", Some(what)) if what.contains('='));
        given.operands.is_empty() && !given.flags.iter().any(writes)
    }),
    Program {
        name: "rustup",
        short: "",
        long: "verbose version",
        operands: Among("show active-toolchain home"),
        shows: Shows::Names,
    },
    checked("go env", "", "json", |given| given.operands.iter().all(|operand| !operand.text.contains('='))),
    checked("docker stats", "a", "all format= no-stream no-trunc", |given| {
        given.flags.iter().any(|flag| matches!(flag, Flag::Long("no-stream", _)))
    }),
    checked(
        "kubectl get",
        "An:o:l:L:",
        "all-namespaces field-selector= label-columns= namespace= no-headers output= selector= show-kind show-labels sort-by=",
        names_no_secrets,
    ),
    checked("kubectl describe", "An:l:", "all-namespaces namespace= selector= show-events?", names_no_secrets),
];

/// Options with which git still shows nothing of what is in files; any other is taken to make it.
const NOT_SHOWING: &str = "a abbrev abbrev-commit after all author b B before branches C cherry cherry-mark cherry-pick children color \
    committer cumulative date date-order decorate decorate-refs diff-algorithm diff-filter E exclude exit-code F find-copies \
    find-renames first-parent follow format full-history G g graph grep histogram i ignore-all-space ignore-blank-lines \
    ignore-space-at-eol ignore-space-change invert-grep left-right M max-count merge-base merges min-parents minimal n \
    no-abbrev-commit no-color no-commit-id no-decorate no-ext-diff no-merges no-notes no-renames no-textconv not oneline \
    parents patience perl-regexp pickaxe-all pickaxe-regex pretty R r reflog regexp-ignore-case relative relative-date \
    remotes reverse root S show-linear-break show-pulls show-signature simplify-by-decoration since skip sparse cached \
    staged t tags topo-order until w walk-reflogs z";
/// Options that have it sum up, where it would show the files otherwise.
const SUMMING_UP: &str =
    "compact-summary dirstat name-only name-status no-patch numstat q quiet raw s shortstat stat summary X";

/// Returns whether a patch is shown; nothing is unless it is asked for.
fn shows_patch(given: &Given<'_>) -> bool {
    !given.flags.iter().all(|flag| is_among(flag, NOT_SHOWING) || is_among(flag, SUMMING_UP))
}

/// Shows changes unless it is told not to. `REVISION:FILE` is a file that the line names.
fn shows_changes(given: &Given<'_>) -> bool {
    let sums_up = given.flags.iter().any(|flag| is_among(flag, SUMMING_UP)) && !shows_patch(given);
    !sums_up && !names_only_files(given)
}

fn names_only_files(given: &Given<'_>) -> bool {
    !given.operands.is_empty() && given.operands.iter().all(|operand| is_file_of_revision(&operand.text))
}

/// `HEAD~2:src/a.rs`, or `:a.rs` of what is staged; not `:/TEXT` or `HEAD^{/TEXT}`, which find a commit, nor `:(MAGIC)`.
fn is_file_of_revision(text: &str) -> bool {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "/._-~^@".contains(character);
    text.split_once(':').is_some_and(|(revision, file)| {
        revision.chars().all(is_plain)
            && file.starts_with(|first: char| first.is_alphanumeric() || "._".contains(first))
    })
}

/// `git branch NAME` and `git tag NAME` make one; patterns are taken only with `--list`.
fn lists_only(given: &Given<'_>) -> bool {
    let lists = |flag: &Flag<'_>| {
        matches!(
            flag,
            Flag::Short('l', _)
                | Flag::Long("list" | "contains" | "no-contains" | "merged" | "no-merged" | "points-at", _)
        )
    };
    given.operands.is_empty() || given.flags.iter().any(lists)
}

fn is_config_query(flag: &Flag<'_>) -> bool {
    matches!(flag, Flag::Long("get" | "get-all" | "get-regexp", _)) || is_list(flag)
}

fn is_list(flag: &Flag<'_>) -> bool {
    matches!(flag, Flag::Long("list", _) | Flag::Short('l', _))
}

fn changes_reflog(given: &Given<'_>) -> bool {
    given.operands.iter().any(|operand| matches!(operand.text.as_str(), "expire" | "delete" | "drop" | "write"))
}

fn names_no_secrets(given: &Given<'_>) -> bool {
    let kinds = given.operands.first().map_or("", |first| first.text.as_str()).to_ascii_lowercase();
    let named =
        kinds.split(',').any(|kind| kind.split(['/', '.']).next().is_some_and(|kind| kind.starts_with("secret")));
    let templated = |flag: &Flag<'_>| {
        let value = match flag {
            Flag::Short('o', value) | Flag::Long("output", value) => value.as_deref(),
            Flag::Short(..) | Flag::Long(..) => None,
        };
        value.is_some_and(|value| value.contains("file"))
    };
    !named && kinds != "all" && !kinds.is_empty() && !given.flags.iter().any(templated)
}
