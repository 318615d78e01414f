//! Tools of developers, by subcommand. Nothing is allowed between a program and its subcommand but what stands here.
//!
//! What git's own configuration names (filters, text conversions) is trusted with the folder, whose `.git/config` is
//! pinned. Options that name programs, files to write, or other repositories are not on the lists.

use super::super::flags::{Flag, Given};
use super::Operands::{Among, Any, AtMost, Checked};
use super::{Program, Shows, is_among};

/// Which of their parts run, and with which options, files of the project say: `rust-toolchain.toml`, `.cargo/config.toml`,
/// `.mvn/jvm.config`, `.yarnrc.yml`, `global.json`, a `Gemfile`, plugins. Some write what they find out into the project:
/// lock files, caches, build folders.
pub(super) const STEERED_BY_PROJECTS: &[&str] = &[
    "bazel", "bundle", "cargo", "composer", "deno", "dotnet", "gradle", "mvn", "pnpm", "poetry", "pytest", "rustc",
    "rustfmt", "rustup", "uv", "yarn",
];

/// In front of git's subcommands; pagers are off where nobody scrolls.
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
/// What says how it is used, also of each of its parts.
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

const fn tells(name: &'static str, short: &'static str, long: &'static str) -> Program {
    Program { name, short, long, operands: Any, shows: Shows::Names }
}

/// Shows what is in files that git keeps, where `shows` says so.
const fn kept(name: &'static str, short: &'static str, long: &'static str, shows: fn(&Given<'_>) -> bool) -> Program {
    Program { name, short, long, operands: Any, shows: Shows::Kept(shows) }
}

const fn alone(name: &'static str, short: &'static str, long: &'static str) -> Program {
    Program { name, short, long, operands: AtMost(0), shows: Shows::Names }
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
    Program {
        name: "git blame",
        short: "bcCeflL:M?npstw",
        long: "abbrev= color-by-age color-lines date= first-parent incremental line-porcelain porcelain reverse root \
               score-debug show-email show-name show-number show-stats since=",
        operands: Any,
        shows: Shows::Contents,
    },
    checked(
        "git branch",
        "arvil",
        "abbrev= all color? column? contains= format= ignore-case list merged? no-abbrev no-color no-column no-contains= no-merged? points-at= remotes show-current sort= verbose",
        lists_only,
    ),
    kept("git cat-file", "epst", "batch-check? buffer", |given| !names_only_files(given)),
    tells("git bisect log", "", ""),
    tells("git check-attr", "az", "all cached"),
    tells("git check-ignore", "qvnz", "no-index non-matching quiet stdin verbose"),
    tells("git cherry", "v", "abbrev? verbose"),
    alone("git count-objects", "vH", "human-readable verbose"),
    tells(
        "git describe",
        "",
        "abbrev= all always candidates= contains dirty? exact-match exclude= first-parent long match= tags",
    ),
    kept("git diff", LOG_SHORT, LOG, shows_changes),
    kept("git diff-index", LOG_SHORT, LOG, shows_patch),
    kept("git diff-tree", LOG_SHORT, LOG, shows_patch),
    tells(
        "git for-each-ref",
        "",
        "contains= count= exclude= format= ignore-case merged= no-contains= no-merged= points-at= sort=",
    ),
    kept(
        "git grep",
        "acEFGhHiIlLnopPqvwW0A:B:C:e:m:#",
        "after-context= all-match and basic-regexp before-context= break cached color? column context= count exclude-standard extended-regexp files-with-matches files-without-match fixed-strings full-name function-context heading ignore-case invert-match line-number max-count= max-depth= name-only no-color not null only-matching or perl-regexp quiet recurse-submodules show-function text untracked word-regexp",
        |_| true,
    ),
    kept("git log", LOG_SHORT, LOG, shows_patch),
    tells(
        "git ls-files",
        "cdmostuvxz",
        "abbrev? cached deduplicate deleted error-unmatch exclude= exclude-standard full-name format= ignored killed modified others recurse-submodules stage unmerged",
    ),
    tells("git ls-tree", "dlrtz", "abbrev? format= full-name full-tree long name-only name-status object-only"),
    tells("git merge-base", "a", "all fork-point independent is-ancestor octopus"),
    tells("git name-rev", "", "all always name-only refs= tags"),
    checked("git notes", "", "", |given| {
        given.operands.first().is_some_and(|first| matches!(first.text.as_str(), "list" | "show"))
    }),
    kept("git range-diff", "", "creation-factor= left-only no-color right-only", |_| true),
    checked("git reflog", "n:#", "all date= format= max-count= oneline pretty=", |given| !changes_reflog(given)),
    alone("git remote", "v", "verbose"),
    tells("git remote get-url", "", "all push"),
    tells(
        "git rev-list",
        "gn:#",
        "abbrev-commit after= all author= before= branches? count date= first-parent format= graph grep= header left-right max-count= max-parents= merges min-parents= no-merges objects oneline parents pretty? remotes? reverse since= skip= tags? topo-order until=",
    ),
    tells(
        "git rev-parse",
        "q",
        "abbrev-ref? absolute-git-dir all branches? git-common-dir git-dir git-path= is-bare-repository is-inside-git-dir is-inside-work-tree quiet remotes? short? show-cdup show-prefix show-superproject-working-tree show-toplevel symbolic symbolic-full-name tags? verify",
    ),
    tells("git shortlog", "cens", "all email group= no-merges numbered since= summary until="),
    kept("git show", LOG_SHORT, LOG, shows_changes),
    tells("git show-branch", "ar", "all current list more= no-color remotes sha1-name topo-order topics"),
    tells("git show-ref", "dqs?", "abbrev? dereference hash? head heads quiet tags verify branches"),
    kept("git stash list", LOG_SHORT, LOG, shows_patch),
    kept(
        "git stash show",
        "pu",
        "include-untracked name-only name-status numstat only-untracked patch stat?",
        shows_patch,
    ),
    tells(
        "git status",
        "bsu?z",
        "ahead-behind branch column? find-renames? ignore-submodules? ignored? long no-ahead-behind no-renames porcelain? renames short show-stash untracked-files?",
    ),
    alone("git submodule status", "", "cached recursive"),
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
    tells("git var", "l", ""),
    alone("git version", "", "build-options"),
    kept("git whatchanged", LOG_SHORT, LOG, shows_patch),
    alone("git worktree list", "vz", "porcelain verbose"),
    alone(
        "cargo metadata",
        "vq",
        "all-features color= features= filter-platform= format-version= frozen locked manifest-path= no-default-features no-deps offline quiet verbose",
    ),
    alone(
        "cargo tree",
        "de:i:p:vq",
        "all-features all-targets charset= color= depth= duplicates edges= exclude= features= format= frozen invert? locked manifest-path= no-default-features no-dedupe offline package= prefix= prune= target= workspace",
    ),
    alone("cargo pkgid", "p:", "frozen locked offline package= manifest-path="),
    alone("cargo locate-project", "", "message-format= workspace manifest-path="),
    alone("cargo read-manifest", "", "manifest-path="),
    alone("cargo --list", "", ""),
    alone("cargo version", "v", "verbose"),
    checked("rustc", "vV", "print= verbose version explain=", |given| {
        // `--print cfg=FILE` writes it.
        let writes = |flag: &Flag<'_>| matches!(flag, Flag::Long("print", Some(what)) if what.contains('='));
        given.operands.is_empty() && !given.flags.iter().any(writes)
    }),
    alone("cargo", "vV", "list version verbose"),
    Program {
        name: "rustup",
        short: "",
        long: "verbose version",
        operands: Among("show active-toolchain home"),
        shows: Shows::Names,
    },
    alone("rustup toolchain list", "v", "verbose"),
    alone("rustup target list", "", "installed toolchain="),
    alone("rustup component list", "", "installed toolchain="),
    tells(
        "npm ls",
        "agl",
        "all depth= global json link long omit= package-lock-only parseable prefix= production workspace= workspaces",
    ),
    tells(
        "npm list",
        "agl",
        "all depth= global json link long omit= package-lock-only parseable prefix= production workspace= workspaces",
    ),
    tells("npm explain", "", "json"),
    tells("npm why", "", "json"),
    tells("npm outdated", "agl", "all depth= global json long parseable"),
    tells("npm view", "", "json"),
    alone("npm root", "g", "global"),
    alone("npm prefix", "g", "global"),
    alone("npm version", "", "json"),
    alone("npm run", "", "json"),
    alone("npm -v", "", ""),
    tells("yarn list", "", "depth= json pattern="),
    tells("yarn why", "", "json"),
    tells("pnpm list", "rg", "depth= global json long only-projects parseable prod dev recursive"),
    tells("pnpm ls", "rg", "depth= global json long only-projects parseable prod dev recursive"),
    tells("pnpm why", "r", "json recursive"),
    tells("pip list", "eilo", "editable exclude= format= local not-required outdated user verbose"),
    tells("pip3 list", "eilo", "editable exclude= format= local not-required outdated user verbose"),
    tells("pip show", "fv", "files verbose"),
    tells("pip3 show", "fv", "files verbose"),
    tells("pip freeze", "l", "all exclude= exclude-editable local user"),
    tells("pip3 freeze", "l", "all exclude= exclude-editable local user"),
    alone("pip check", "", ""),
    alone("pip -V", "", ""),
    alone("python -V", "V", ""),
    alone("python3 -V", "V", ""),
    alone("node -v", "", ""),
    alone("ruby -v", "", ""),
    alone("php -i", "", ""),
    alone("php -m", "", ""),
    alone("php -v", "", ""),
    alone("php --ini", "", ""),
    alone("java -version", "", ""),
    alone("javac -version", "", ""),
    alone("mvn -v", "", ""),
    alone("gcc -v", "", ""),
    alone("deno info", "", "json"),
    tells("uv pip list", "", "format= outdated"),
    tells("ruff rule", "", "all output-format="),
    tells("uv tree", "", "depth= frozen locked outdated"),
    alone("poetry env info", "p", "path"),
    tells("poetry show", "alotT", "all latest outdated top-level tree"),
    tells("gem list", "al", "all local versions no-versions"),
    tells("bundle info", "", "path version"),
    tells("bundle list", "", "name-only paths"),
    alone("composer check-platform-reqs", "", "lock no-dev"),
    tells("composer show", "aiDNPt", "all direct installed latest name-only outdated path tree"),
    checked("go env", "", "json", |given| given.operands.iter().all(|operand| !operand.text.contains('='))),
    tells("go list", "", ""),
    tells("go list -m", "", "json versions"),
    tells("go list -json", "", ""),
    tells("go list -deps", "", ""),
    tells("go doc", "", "all c cmd short src u"),
    tells("go version", "mv", ""),
    alone("go mod graph", "", ""),
    tells("go mod why", "m", ""),
    alone("dotnet --info", "", ""),
    alone("dotnet --list-sdks", "", ""),
    alone("dotnet --list-runtimes", "", ""),
    alone("docker ps", "alnqsf:n:", "all filter= format= last= latest no-trunc quiet size"),
    tells("docker images", "aqf:", "all digests filter= format= no-trunc quiet tree"),
    tells("docker inspect", "f:s", "format= size type="),
    tells("docker logs", "tn:", "details since= tail= timestamps until="),
    tells("docker top", "", ""),
    tells("docker port", "", ""),
    tells("docker diff", "", ""),
    tells("docker history", "Hq", "format= human no-trunc quiet"),
    alone("docker info", "f:", "format="),
    alone("docker version", "f:", "format="),
    alone("docker container ls", "alnqsf:", "all filter= format= latest no-trunc quiet size"),
    alone("docker image ls", "aqf:", "all digests filter= format= no-trunc quiet"),
    alone("docker network ls", "qf:", "filter= format= no-trunc quiet"),
    alone("docker volume ls", "qf:", "filter= format= quiet"),
    tells("docker network inspect", "f:v", "format= verbose"),
    tells("docker volume inspect", "f:", "format="),
    tells("docker compose ps", "aq", "all filter= format= no-trunc quiet services status="),
    tells("docker compose logs", "tn:", "no-color no-log-prefix since= tail= timestamps until="),
    alone("docker compose images", "q", "format= quiet"),
    alone("docker compose ls", "aq", "all filter= format= quiet"),
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
    tells(
        "kubectl logs",
        "c:n:l:p",
        "all-containers? container= limit-bytes= namespace= previous selector= since= since-time= tail= timestamps?",
    ),
    tells("kubectl top", "An:l:", "all-namespaces containers namespace= no-headers selector= sort-by="),
    alone("kubectl version", "o:", "client? output= short"),
    alone("kubectl api-resources", "o:", "namespaced? no-headers output= verbs="),
    alone("kubectl api-versions", "", ""),
    alone("kubectl cluster-info", "", ""),
    tells("kubectl explain", "", "api-version= recursive"),
    alone("kubectl config current-context", "", ""),
    alone("kubectl config get-contexts", "o:", "no-headers output="),
    alone("helm list", "aAn:qo:", "all all-namespaces namespace= output= short"),
    tells("helm status", "n:o:", "namespace= output="),
    tells("helm template", "n:", "namespace="),
    alone("terraform version", "", "json"),
    tells("terraform state list", "", ""),
    tells(
        "gh pr list",
        "a:A:B:H:l:L:s:S:",
        "app= assignee= author= base= draft head= json= label= limit= search= state=",
    ),
    tells("gh pr view", "cq:R:", "comments jq= json= repo="),
    tells("gh pr diff", "R:", "color= name-only patch repo="),
    tells("gh pr status", "cR:", "conflict-status json= repo="),
    tells("gh pr checks", "R:", "json= repo= required"),
    tells(
        "gh issue list",
        "a:A:l:L:m:s:S:R:",
        "assignee= author= json= label= limit= mention= milestone= repo= search= state=",
    ),
    tells("gh issue view", "cR:", "comments json= repo="),
    tells("gh run list", "b:L:s:u:w:R:", "branch= json= limit= repo= status= user= workflow="),
    tells("gh run view", "vR:j:", "job= json= log log-failed repo= verbose"),
    tells("gh repo view", "b:", "branch= json="),
    tells("gh release list", "L:", "limit= json="),
    tells("gh release view", "", "json="),
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

/// Where nothing is shown unless it is asked for.
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
