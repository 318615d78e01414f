//! Tells the lines that may write a project's git directories: those of git's own commands, and of programs that only
//! read beside them.
//!
//! Whoever writes a git directory says what the next `git` outside the sandbox runs. Git's own commands write it as git
//! does; a script that calls git among others may write what it wants. So every command of the line has to be git, known by
//! its name, with no variable or option that names another program, configuration or place; or one that is known to only
//! read, such as `tail`.

use super::CommandLine;
use super::command_line::{Shell, SimpleCommand};
use super::git_settings::{objection_to_setting, objection_to_variable};
use super::plain_shell::Word;
use super::read_only::reads_plainly;
use super::word_list::is_in;
use super::wrappers::Inside;
use arki_domain::{ReasonCode, TranslatableText};

/// The commands that write.
const WRITING: &str = "add am apply bisect branch checkout cherry-pick clean clone commit commit-tree fetch gc hash-object init \
    maintenance merge mv notes pack-refs prune pull push read-tree rebase reflog remote repack replace rerere \
    reset restore revert rm sparse-checkout stash submodule switch symbolic-ref tag update-index update-ref \
    worktree write-tree";
/// The commands that may be in the same line.
const READING: &str = "blame cat-file check-ignore describe diff diff-tree for-each-ref grep log ls-files ls-remote ls-tree \
    merge-base name-rev range-diff rev-list rev-parse shortlog show show-ref status version";
/// The harmless options in front of the subcommand; `-C` takes a folder.
const HARMLESS_IN_FRONT: &str = "--git-dir=.git --glob-pathspecs --icase-pathspecs --literal-pathspecs --no-advice \
    --no-optional-locks --no-pager --no-replace-objects --noglob-pathspecs --work-tree=. -P";

/// Options that name a program, configuration or a template, in full or begun: git takes `--up` for `--upload-pack`.
const NAMING: &[&str] =
    &["--exec", "--upload-pack", "--receive-pack", "--template", "--config", "--open-files-in-pager", "--output"];
/// Commands that run a program given as a plain argument.
const RUNNING: &[(&str, &str)] = &[("bisect", "run"), ("submodule", "foreach")];
/// Short options that take a program or configuration, alone or among others.
const SHORT: &[(&str, char)] =
    &[("rebase", 'x'), ("clone", 'c'), ("clone", 'u'), ("push", 'e'), ("difftool", 'x'), ("grep", 'O')];

/// Returns whether the line consists of git's own commands, of which one writes a repository, and of what only reads.
#[must_use]
pub fn writes_repository(line: &str) -> bool {
    let roles = roles(&CommandLine::parse_with_assignments(line));
    roles.contains(&GitRole::Writes) && roles.iter().all(|role| matches!(role, GitRole::Writes | GitRole::Reads))
}

/// Returns what no git that writes may be given, in words for the model; `None` where there is nothing, and where the line
/// is not understood, which then can't write a git directory.
#[must_use]
pub fn refused_git(line: &str) -> Option<TranslatableText> {
    let mut parsed = CommandLine::parse_with_assignments(line);
    if parsed.commands().is_none() && line.contains(['$', '`']) {
        parsed = CommandLine::parse_with_assignments(&with_made_up_values(line));
    }
    roles(&parsed).into_iter().find_map(|role| match role {
        GitRole::Refused(why) => Some(why),
        GitRole::Writes | GitRole::Reads | GitRole::Configures | GitRole::Steered(_) | GitRole::Other => None,
    })
}

/// The line with a path for each variable. Only to find what is refused whatever its value.
fn with_made_up_values(line: &str) -> String {
    let line = line.replace("$(pwd)", "$PWD").replace("`pwd`", "$PWD");
    let mut parts = line.split('$');
    let mut written = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = match part.strip_prefix('{').and_then(|braced| braced.split_once('}')) {
            Some(braced) => braced,
            None => part.split_at(part.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(part.len())),
        };
        let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        written.push_str(if is_name { "./" } else { "$" });
        written.push_str(if is_name { rest } else { part });
    }
    written
}

/// Returns the role of each command in the line; none if the line is not understood.
fn roles(line: &CommandLine) -> Vec<GitRole> {
    if Shell::native() != Shell::Bash {
        return Vec::new();
    }
    let mut roles = Vec::new();
    line.simple().unwrap_or_default().into_iter().for_each(|command| add_roles(command, &mut roles));
    let writes = |role: &GitRole| matches!(role, GitRole::Writes | GitRole::Refused(_));
    if !roles.iter().any(writes) {
        // A configuration is written by itself as any file is: it is asked about, and the sandbox refuses it.
        return roles;
    }
    let refused = |role| match role {
        GitRole::Configures => GitRole::Refused(ReasonCode::GIT_CONFIG_REFUSED.into()),
        GitRole::Steered(why) => GitRole::Refused(why),
        other => other,
    };
    roles.into_iter().map(refused).collect()
}

/// Returns whether the command takes the text of a here-document for a text, and runs nothing of it.
pub(super) fn takes_text(command: &SimpleCommand) -> bool {
    const TAKING: &[&str] = &["cat", "cd", "echo", "grep", "head", "printf", "tail", "true", "wc"];
    match command.name() {
        "git" => matches!(role(command), GitRole::Writes | GitRole::Reads),
        name => TAKING.contains(&name),
    }
}

/// The subcommands that make a commit.
const COMMITTING: &[&str] = &["commit", "merge", "cherry-pick", "revert", "am", "rebase", "pull"];

/// Returns whether the line makes a commit, as far as can be told: rather once too often.
#[must_use]
pub fn may_commit(line: &str) -> bool {
    let line = CommandLine::parse(line);
    COMMITTING.iter().any(|subcommand| line.may_run(&["git".to_owned(), (*subcommand).to_owned()]))
}

#[derive(Debug, PartialEq, Eq)]
enum GitRole {
    Writes,
    Reads,
    /// It sets a configuration.
    Configures,
    /// It is git that may write, with what it may not be given.
    Refused(TranslatableText),
    /// It leads git elsewhere, and nothing is written by it: with what may not stand in a line that writes.
    Steered(TranslatableText),
    /// It may be anything.
    Other,
}

/// Adds the role of a command, or the roles of the commands that it runs in turn if it adds nothing to them.
fn add_roles(command: &SimpleCommand, roles: &mut Vec<GitRole>) {
    match &command.inside {
        Inside::Commands(wrapped) => {
            let given = if command.name() == "env" { command.arguments() } else { &[] };
            let given = given.iter().take(wrapped.starts_at.saturating_sub(1));
            let objection = command.assignments.iter().chain(given).find_map(objection_to_variable);
            match objection {
                None if !wrapped.is_transparent || !command.assignments.is_empty() => return roles.push(role(command)),
                None => {}
                Some(why) => roles.push(GitRole::Steered(why)),
            }
            wrapped.commands.iter().for_each(|command| add_roles(command, roles));
        }
        Inside::Compound(inner) => inner.commands.iter().for_each(|command| add_roles(command, roles)),
        _ => roles.push(role(command)),
    }
}

fn role(command: &SimpleCommand) -> GitRole {
    let name = command.name();
    let objection = || command.assignments.iter().find_map(objection_to_variable);
    if name == "export" {
        let words = command.arguments();
        return match words.iter().find_map(objection_to_variable) {
            Some(why) => GitRole::Steered(why),
            None if words.iter().all(|word| word.text.contains('=')) => GitRole::Reads,
            None => GitRole::Other,
        };
    }
    let is_git = name == "git" && !command.open_ended && command.words.first().is_some_and(|word| !word.expands);
    if !is_git {
        let only_goes = name == "cd" && command.arguments().len() == 1;
        let is_harmless = (only_goes || reads_plainly(command)) && objection().is_none();
        return if is_harmless { GitRole::Reads } else { GitRole::Other };
    }
    let Some(Called { subcommand, arguments, objection: to_options }) = called(command.arguments()) else {
        return GitRole::Other;
    };
    let reads = is_in(READING, subcommand);
    match to_options.or_else(objection) {
        Some(why) if reads => return GitRole::Steered(why),
        Some(why) => return GitRole::Refused(why),
        None => {}
    }
    if let Some(word) = arguments.iter().find(|word| runs_another(subcommand, &word.text)) {
        return GitRole::Steered(refused_argument(subcommand, &word.text));
    }
    match subcommand {
        "config" if reads_plainly(command) => GitRole::Reads,
        "config" => GitRole::Configures,
        _ if is_in(WRITING, subcommand) => GitRole::Writes,
        _ if reads => GitRole::Reads,
        _ => GitRole::Other,
    }
}

/// A git as it is called.
pub(super) struct Called<'a> {
    pub(super) subcommand: &'a str,
    pub(super) arguments: &'a [Word],
    /// The objection to the options in front, if there is one.
    objection: Option<TranslatableText>,
}

/// `None` where it is not plainly told which command it is.
pub(super) fn called(mut words: &[Word]) -> Option<Called<'_>> {
    let mut objection = None;
    loop {
        let (first, rest) = words.split_first().filter(|(first, _)| !first.expands)?;
        words = match first.text.as_str() {
            "-C" => rest.split_first().filter(|(folder, _)| !folder.expands)?.1,
            "-c" => {
                let (setting, rest) = rest.split_first()?;
                objection = objection.or_else(|| objection_to_setting(setting));
                rest
            }
            option if is_in(HARMLESS_IN_FRONT, option) => rest,
            option if option.starts_with('-') => {
                let (name, attached) = option.split_once('=').map_or((option, false), |(name, _)| (name, true));
                let takes_value = ["--git-dir", "--work-tree", "--namespace", "--config-env"].contains(&name);
                objection.get_or_insert_with(|| refused_option(name));
                if takes_value && !attached { rest.split_first()?.1 } else { rest }
            }
            name => return Some(Called { subcommand: name, arguments: rest, objection }),
        };
    }
}

fn refused_option(name: &str) -> TranslatableText {
    let refused = match name {
        "--git-dir" | "--work-tree" => ReasonCode::GIT_PLACE_REFUSED,
        _ => ReasonCode::GIT_OPTION_REFUSED,
    };
    refused.with("option", name)
}

fn refused_argument(subcommand: &str, argument: &str) -> TranslatableText {
    let option = argument.split('=').next().unwrap_or_default();
    ReasonCode::GIT_ARGUMENT_REFUSED.with("command", subcommand).with("option", option)
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
            "git commit -am one 2>&1 | tail -3",
            "git commit -am one || true",
            "git commit -am one >/dev/null 2>&1; git log --oneline | head -1",
            "echo x | git commit -F -",
            "printf 'a\\n\\nb\\n' | git commit -F -",
            "cat message | git commit -F -",
            "git commit -F message && ls && pwd",
            "set -e; git add -A; git commit -m x",
            "git commit -F - <<'EOF'\nit's $1\nEOF",
            "git add -A && git commit -F - <<EOF && git log -1\none\n\ntwo\nEOF",
            "git commit -m \"$(cat <<'EOF'\nfeat: `x`\n\n- it's \"so\"\nEOF\n)\" 2>&1 | tail -3",
            "VAR=x git commit -am one",
            "HUSKY=0 SKIP=eslint,ruff git commit -am one",
            "GIT_AUTHOR_NAME='A B' GIT_AUTHOR_EMAIL=a@b GIT_AUTHOR_DATE='2024-01-01 10:00:00 +0100' git commit -m x",
            "GIT_COMMITTER_DATE=2024-01-01T10:00:00 git commit --amend --no-edit --date '2024-01-01 10:00'",
            "LC_ALL=C TZ=Europe/Berlin git commit -m x",
            "GIT_EDITOR=true git rebase --continue",
            "export GIT_AUTHOR_NAME=me && git commit -m x",
            "env GIT_AUTHOR_NAME=me git commit -m x",
            "timeout 30 git commit -m x",
            "bash -c 'git add -A && git commit -m x | tail -1'",
            "git -c user.name=me -c user.email=me@x.org -c commit.gpgsign=false -c core.quotePath=false commit -m x",
            "git --git-dir=.git --work-tree=. commit -m x",
            "git -C sub -c core.editor=: commit --amend",
            "git config --get user.name && git commit -m x",
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
    fn what_names_a_program_is_refused_with_words() {
        for (line, named) in [
            ("git -c core.hooksPath=h commit -m x", "core.hooksPath"),
            ("git -c core.fsmonitor=./x commit -m x", "core.fsmonitor"),
            ("git -c core.editor=./x commit", "core.editor"),
            ("git -c core.sshCommand=./x push", "core.sshCommand"),
            ("git -c gpg.program=./x commit -S -m x", "gpg.program"),
            ("git -c include.path=../x commit -m x", "include.path"),
            ("git -c alias.ci='!./x' ci", "alias.ci"),
            ("git -c filter.a.clean=./x add -A && git commit -m x", "filter.a.clean"),
            ("git -c diff.a.command=./x commit -v", "diff.a.command"),
            ("git add -A && git -c user.name=me -c core.hooksPath=h commit -m x | tail", "core.hooksPath"),
            ("GIT_EDITOR=./x git commit", "GIT_EDITOR"),
            ("GIT_SSH_COMMAND='ssh -i k' git push", "GIT_SSH_COMMAND"),
            ("GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=a.b GIT_CONFIG_VALUE_0=c git commit -m x", "GIT_CONFIG_COUNT"),
            ("GIT_DIR=../other/.git git commit -m x", "GIT_DIR"),
            ("LD_PRELOAD=x git commit -m x", "LD_PRELOAD"),
            ("BASH_ENV=x git commit -m x", "BASH_ENV"),
            ("FOO=./x git commit -m x", "FOO"),
            ("git --git-dir ../other/.git commit -m x", "--git-dir"),
            ("git --exec-path=. commit -m x", "--exec-path"),
            ("git config user.name x && git commit -m x", "git config"),
            ("make && git -c core.hooksPath=h commit -m x", "core.hooksPath"),
            ("git -c diff.external=./evil.sh diff && git commit -am one", "diff.external"),
            ("GIT_EXTERNAL_DIFF=./evil.sh git diff && git commit -am one", "GIT_EXTERNAL_DIFF"),
            (
                "env GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.fsmonitor GIT_CONFIG_VALUE_0=./x git commit -am one",
                "GIT_CONFIG_COUNT",
            ),
            (
                "export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=a.b GIT_CONFIG_VALUE_0=./x; git commit -am one",
                "GIT_CONFIG_COUNT",
            ),
            ("export GIT_SSH_COMMAND=./x && git push", "GIT_SSH_COMMAND"),
            ("GIT_CONFIG_COUNT=1 timeout 5 git commit -am one", "GIT_CONFIG_COUNT"),
            ("HOME=$PWD/gh git commit -am one", "HOME"),
            ("HOME=\"${PWD}/gh\" git commit -am one", "HOME"),
            ("GIT_DIR=$(pwd)/g git commit -am one", "GIT_DIR"),
            ("git --exec-path=$PWD commit -am one", "--exec-path"),
            ("git -c core.hooksPath=$PWD/h commit -am one", "core.hooksPath"),
            ("git clone --template=tpl . cl && cd cl && git commit --allow-empty -m one", "--template"),
            ("git init --template tpl x && cd x && git commit --allow-empty -m one", "--template"),
            ("git grep -O./x a && git commit -am one", "-O./x"),
        ] {
            let words = refused_git(line).map(|why| why.to_string()).unwrap_or_default();
            assert!(
                words.contains(named) && words.contains("Run the line again") || words.contains("git -C"),
                "{line}: {words}"
            );
        }
        for line in [
            "git -c core.pager=less log",
            "GIT_DIR=x git log",
            "git commit -m x",
            "git config a.b c",
            "make",
            "git -c x",
            "git commit -m \"$MESSAGE\"",
            "git commit -m 'costs $5'",
            "git -C $DIR commit -m x",
            "FOO=$BAR make && git commit -m x",
            "git clone --template=tpl . cl",
            "git rebase -x make main",
            "export GIT_DIR=$PWD/x; git status",
        ] {
            assert_eq!(refused_git(line), None, "{line}");
        }
    }

    #[test]
    fn what_runs_something_else_does_not() {
        for line in [
            "make && git commit -m x",
            "git commit -m x && ./script",
            "git commit -m \"$(cat message)\"",
            "GIT_DIR=x git commit -m x",
            "PATH=. git commit -m x",
            "env PATH=. git commit -m x",
            "export PATH=.; git commit -m x",
            "awk 'BEGIN {system(\"x\")}'; git commit -m x",
            "git commit -m x | sh",
            "echo x | xargs git commit -m",
            "./git commit -m x",
            "/usr/bin/git commit -m x",
            "gi* commit -m x",
            "bash -c 'git add -A; make'",
            "BASH_ENV=x bash -c 'git commit -m x'",
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
            "git config user.name x",
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
