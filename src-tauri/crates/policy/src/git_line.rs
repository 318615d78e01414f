//! Tells the lines that may write a project's git directories: those of nothing but git's own commands.
//!
//! Whoever writes a git directory says what the next `git` outside the sandbox runs. Git's own commands write it as git
//! does; a script that calls git among others may write what it wants. So every command of the line has to be git, known by
//! its name, with nothing in front and no option that names another program, configuration or place.

use super::CommandLine;
use super::command_line::{Shell, SimpleCommand};
use super::plain_shell::Word;

/// Those that write.
const WRITING: &[&str] = &[
    "add",
    "am",
    "apply",
    "bisect",
    "branch",
    "checkout",
    "cherry-pick",
    "clean",
    "clone",
    "commit",
    "commit-tree",
    "fetch",
    "gc",
    "hash-object",
    "init",
    "maintenance",
    "merge",
    "mv",
    "notes",
    "pack-refs",
    "prune",
    "pull",
    "push",
    "read-tree",
    "rebase",
    "reflog",
    "remote",
    "repack",
    "replace",
    "rerere",
    "reset",
    "restore",
    "revert",
    "rm",
    "sparse-checkout",
    "stash",
    "submodule",
    "switch",
    "symbolic-ref",
    "tag",
    "update-index",
    "update-ref",
    "worktree",
    "write-tree",
];
/// Those that may stand beside them.
const READING: &[&str] = &[
    "blame",
    "cat-file",
    "check-ignore",
    "describe",
    "diff",
    "diff-tree",
    "for-each-ref",
    "grep",
    "log",
    "ls-files",
    "ls-remote",
    "ls-tree",
    "merge-base",
    "name-rev",
    "range-diff",
    "rev-list",
    "rev-parse",
    "shortlog",
    "show",
    "show-ref",
    "status",
    "version",
];
/// In front of the subcommand; `-C` takes a folder.
const HARMLESS_IN_FRONT: &[&str] = &["--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs"];

/// Options that name a program, configuration or a template, in full or begun: git takes `--up` for `--upload-pack`.
const NAMING: &[&str] =
    &["--exec", "--upload-pack", "--receive-pack", "--template", "--config", "--open-files-in-pager", "--output"];
/// Commands that run a program given as a plain argument.
const RUNNING: &[(&str, &str)] = &[("bisect", "run"), ("submodule", "foreach")];
/// Short options that take a program or configuration, alone or among others.
const SHORT: &[(&str, char)] =
    &[("rebase", 'x'), ("clone", 'c'), ("clone", 'u'), ("push", 'e'), ("difftool", 'x'), ("grep", 'O')];

/// Returns whether the line consists of git's own commands, of which one writes a repository.
#[must_use]
pub fn writes_repository(line: &str) -> bool {
    if Shell::native() != Shell::Bash {
        return false;
    }
    let line = CommandLine::parse(line);
    let Some(commands) = line.simple() else { return false };
    let kinds: Option<Vec<Kind>> = commands.into_iter().map(kind).collect();
    kinds.is_some_and(|kinds| kinds.contains(&Kind::Writes))
}

/// The subcommands that make a commit.
const COMMITTING: &[&str] = &["commit", "merge", "cherry-pick", "revert", "am", "rebase", "pull"];

/// Returns whether the line makes a commit, as far as can be told: rather once too often.
#[must_use]
pub fn may_commit(line: &str) -> bool {
    let line = CommandLine::parse(line);
    COMMITTING.iter().any(|subcommand| line.may_run(&["git".to_owned(), (*subcommand).to_owned()]))
}

#[derive(PartialEq, Eq)]
enum Kind {
    Writes,
    Reads,
}

/// `None` where it is not plainly git.
fn kind(command: &SimpleCommand) -> Option<Kind> {
    if command.name() == "cd" && command.arguments().len() == 1 {
        return Some(Kind::Reads);
    }
    if command.name() != "git" || command.open_ended || command.words.first().is_some_and(|word| word.expands) {
        return None;
    }
    let (subcommand, arguments) = subcommand(command.arguments())?;
    let kind = match subcommand {
        writing if WRITING.contains(&writing) => Kind::Writes,
        reading if READING.contains(&reading) => Kind::Reads,
        _ => return None,
    };
    let runs = arguments.iter().any(|word| runs_another(subcommand, &word.text));
    (!runs).then_some(kind)
}

fn subcommand(mut words: &[Word]) -> Option<(&str, &[Word])> {
    loop {
        let (first, rest) = words.split_first().filter(|(first, _)| !first.expands)?;
        words = match first.text.as_str() {
            "-C" => rest.split_first().filter(|(folder, _)| !folder.expands)?.1,
            option if HARMLESS_IN_FRONT.contains(&option) => rest,
            option if option.starts_with('-') => return None,
            name => return Some((name, rest)),
        };
    }
}

fn runs_another(subcommand: &str, argument: &str) -> bool {
    if RUNNING.contains(&(subcommand, argument)) {
        return true;
    }
    if let Some(long) = argument.strip_prefix("--") {
        let name = long.split('=').next().unwrap_or_default();
        // Begun so far that it is no other option.
        return !name.is_empty() && NAMING.iter().any(|naming| naming[2..].starts_with(name));
    }
    let Some(letters) = argument.strip_prefix('-') else { return false };
    SHORT.iter().any(|(name, letter)| *name == subcommand && letters.contains(*letter))
}

#[cfg(all(test, not(windows)))]
mod tests {
    use super::*;

    #[test]
    fn gits_own_commands_write() {
        for line in [
            "git add -A",
            "git commit -m 'a message; with $signs'",
            "git add . && git commit -m x && git status",
            "cd sub && git commit -am x",
            "git -C sub --no-pager commit -m x",
            "git diff | git apply",
            "git clone ../up here",
            "git init",
            "git rebase main",
            "git push -u origin main",
            "git checkout -b x; git log -1",
            "(cd sub && git add -A && git commit -m x)",
            "if git diff --quiet; then git status; else git commit -am x; fi",
        ] {
            assert!(writes_repository(line), "{line}");
        }
    }

    #[test]
    fn what_only_reads_has_no_need_to() {
        for line in ["git status", "git log && git diff", "cd sub", "ls"] {
            assert!(!writes_repository(line), "{line}");
        }
    }

    #[test]
    fn what_runs_something_else_does_not() {
        for line in [
            "make && git commit -m x",
            "git commit -m x && ./script",
            "echo x | git commit -F -",
            "git commit -m \"$(cat message)\"",
            "GIT_DIR=x git commit -m x",
            "PATH=. git commit -m x",
            "CI=1 env git commit",
            "./git commit -m x",
            "/usr/bin/git commit -m x",
            "gi* commit -m x",
            "bash -c 'git commit -m x'",
            "sudo git commit -m x",
            "git -c core.fsmonitor=x commit -m x",
            "git -ccore.fsmonitor=x commit -m x",
            "git --exec-path=. commit -m x",
            "git --git-dir=g commit -m x",
            "git --work-tree w commit -m x",
            "git --config-env=a=b commit",
            "git $x",
            "git co -m x",
            "git config user.name x && git commit -m x",
            "git submodule foreach ./evil",
            "git submodule --quiet foreach ./evil",
            "git bisect run ./evil",
            "git rebase -x ./evil main",
            "git rebase -ix ./evil main",
            "git rebase --exec=./evil main",
            "git rebase --ex ./evil main",
            "git fetch --upload-pack=./evil ../up",
            "git fetch --upl ./evil ../up",
            "git push --receive-pack=./evil ../up",
            "git clone -u ./evil up x",
            "git clone --template=t up x",
            "git clone -c core.fsmonitor=x up x",
            "git init --template t",
            "git add x && git diff --output=.git/commondir",
            "git lfs pull && git add .",
            "(git commit -m x; ./script)",
            "while read -r x; do git fetch \"$x\"; done < list",
            "git",
            "",
        ] {
            assert!(!writes_repository(line), "{line}");
        }
    }
}
