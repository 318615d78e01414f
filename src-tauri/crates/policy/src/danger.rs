//! Commands that destroy, reach out or change who may do what: recognised so that the user is told, and so that no
//! lasting permission is offered for them. Not a wall: what is not on the lists is asked about just the same.

use super::plain_shell::Word;
use super::powershell;
use super::word_list::is_in;
use super::wrappers::{Inside, is_shell};
use super::{CommandLine, SimpleCommand};
use arki_domain::{ReasonCode, TranslatableText};

/// Dangerous programs, and what they do.
const PROGRAMS: &[(&str, ReasonCode)] = &[
    ("dd fdisk mkfs parted rm rmdir shred srm truncate unlink wipefs", ReasonCode::DELETES_OR_OVERWRITES),
    ("halt kill killall pkill poweroff reboot shutdown skill xkill", ReasonCode::ENDS_PROCESSES),
    (
        "chattr chgrp chmod chown chpasswd crontab doas groupadd insmod iptables launchctl modprobe mount nft \
         passwd pkexec rmmod setcap setfacl su sudo swapoff sysctl ufw umount useradd userdel usermod visudo chroot \
         nsenter unshare",
        ReasonCode::CHANGES_PERMISSIONS,
    ),
    ("eval exec source .", ReasonCode::RUNS_UNKNOWN_CODE),
];
/// Interpreters that run what they are fed, when nothing names a script.
const INTERPRETERS: &[&str] =
    &["lua", "node", "osascript", "perl", "php", "powershell", "pwsh", "python", "python2", "python3", "ruby", "tclsh"];

/// Dangerous commands, by the program's first words and something that has to be among the rest.
const SUBCOMMANDS: &[(&str, &[&str], ReasonCode)] = &[
    ("aws s3 rb", &[], ReasonCode::DELETES_BUCKET),
    ("aws s3 rm", &[], ReasonCode::DELETES_OBJECTS),
    ("cargo publish", &[], ReasonCode::PUBLISHES),
    ("docker compose down", &[], ReasonCode::REMOVES_CONTAINERS),
    ("docker rm", &[], ReasonCode::REMOVES_CONTAINERS),
    ("docker rmi", &[], ReasonCode::REMOVES_IMAGES),
    ("docker system prune", &[], ReasonCode::REMOVES_DOCKER_DATA),
    ("docker volume prune", &[], ReasonCode::REMOVES_DATA),
    ("docker volume rm", &[], ReasonCode::REMOVES_DATA),
    ("gem push", &[], ReasonCode::PUBLISHES),
    ("gh repo delete", &[], ReasonCode::DELETES_REPOSITORY),
    ("git branch", &["-D", "-d", "--delete"], ReasonCode::DELETES_BRANCHES),
    ("git checkout", &["--", "-f", "--force", "."], ReasonCode::OVERWRITES_UNCOMMITTED),
    ("git clean", &[], ReasonCode::DELETES_UNTRACKED_FILES),
    ("git filter-branch", &[], ReasonCode::REWRITES_HISTORY),
    ("git gc", &["--prune=now", "--aggressive"], ReasonCode::REMOVES_COMMITS),
    ("git push", &["--force", "-f", "--force-with-lease", "--delete", "--mirror"], ReasonCode::OVERWRITES_COMMITS),
    ("git push", &[], ReasonCode::PUBLISHES),
    ("git reflog", &["expire", "delete"], ReasonCode::REMOVES_COMMITS),
    ("git reset", &["--hard"], ReasonCode::THROWS_CHANGES_AWAY),
    ("git restore", &[], ReasonCode::OVERWRITES_UNCOMMITTED),
    ("git rm", &[], ReasonCode::DELETES_FILES),
    ("git stash", &["drop", "clear"], ReasonCode::THROWS_CHANGES_AWAY),
    ("git switch", &["-f", "--force", "--discard-changes"], ReasonCode::THROWS_CHANGES_AWAY),
    ("git tag", &["-d", "--delete"], ReasonCode::DELETES_TAGS),
    ("git update-ref", &["-d"], ReasonCode::DELETES_REFERENCES),
    ("git worktree remove", &[], ReasonCode::DELETES_WORKING_TREE),
    ("gsutil rm", &[], ReasonCode::DELETES_OBJECTS),
    ("helm uninstall", &[], ReasonCode::REMOVES_RELEASE),
    ("kubectl delete", &[], ReasonCode::DELETES_FROM_CLUSTER),
    ("kubectl drain", &[], ReasonCode::EMPTIES_NODE),
    ("npm publish", &[], ReasonCode::PUBLISHES),
    ("npm unpublish", &[], ReasonCode::REMOVES_PACKAGE),
    ("redis-cli", &["flushall", "FLUSHALL", "flushdb", "FLUSHDB"], ReasonCode::EMPTIES_DATABASE),
    ("rsync", &["--delete", "--delete-after", "--delete-before", "--remove-source-files"], ReasonCode::DELETES_FILES),
    ("systemctl", &["stop", "disable", "mask", "poweroff", "reboot"], ReasonCode::STOPS_SERVICES),
    ("terraform apply", &[], ReasonCode::CHANGES_INFRASTRUCTURE),
    ("terraform destroy", &[], ReasonCode::DESTROYS_INFRASTRUCTURE),
    ("twine upload", &[], ReasonCode::PUBLISHES),
];

/// Words of SQL that destroy, wherever they are in the arguments.
const SQL: &[&str] = &["drop table", "drop database", "drop schema", "truncate table", "delete from"];

/// Returns what is dangerous about a line, as a sentence; `None` where nothing known is.
pub(super) fn of_line(line: &CommandLine) -> Option<TranslatableText> {
    match line {
        CommandLine::Understood(_) => {
            let fed = fed(&line.simple().unwrap_or_default()).map(of_fed);
            fed.or_else(|| line.all().into_iter().find_map(of_command))
        }
        CommandLine::Opaque { words, .. } => of_words(words),
    }
}

fn of_command(command: &SimpleCommand) -> Option<TranslatableText> {
    let program = command.program();
    if let Some(does) = by_program(program) {
        return Some(ReasonCode::DANGER.with("program", program).with("does", does));
    }
    let words: Vec<&str> = command.arguments().iter().map(|word| word.text.as_str()).collect();
    if let Some((name, does)) = by_subcommand(program, &words) {
        return Some(ReasonCode::DANGER.with("program", name).with("does", does));
    }
    let finds = matches!(program, "find" | "gfind") && words.contains(&"-delete");
    if finds {
        return Some(ReasonCode::DANGER.with("program", "find -delete").with("does", ReasonCode::DELETES_FILES));
    }
    let sql = |word: &Word| {
        let lower = word.text.to_ascii_lowercase();
        SQL.iter().any(|danger| lower.contains(danger))
    };
    if !matches!(program, "grep" | "rg" | "echo" | "git") && command.arguments().iter().any(sql) {
        return Some(ReasonCode::DANGER_DATABASE.into());
    }
    let inline = matches!(words.first(), Some(&"-c" | &"-e" | &"--eval" | &"-E" | &"-r"));
    if (INTERPRETERS.contains(&program) && inline) || command.inside == Inside::Unknown && is_shell(program) {
        return Some(ReasonCode::DANGER_INLINE_CODE.with("program", program));
    }
    None
}

fn by_program(program: &str) -> Option<ReasonCode> {
    if program.starts_with("mkfs.") || powershell::is_destructive(program) {
        return Some(ReasonCode::DELETES_OR_OVERWRITES);
    }
    PROGRAMS.iter().find(|(programs, _)| is_in(programs, program)).map(|(_, does)| *does)
}

fn by_subcommand(program: &str, words: &[&str]) -> Option<(&'static str, ReasonCode)> {
    let named = |entry: &&(&'static str, &[&str], ReasonCode)| {
        let (name, among, _) = entry;
        let mut parts = name.split(' ');
        if parts.next() != Some(program) {
            return false;
        }
        let mut rest = words.iter();
        parts.all(|part| comes_next(part, &mut rest))
            && (among.is_empty() || words.iter().any(|word| among.contains(word)))
    };
    SUBCOMMANDS.iter().find(named).map(|(name, _, does)| (*name, *does))
}

/// Options and their values may stand in between.
fn comes_next<'a>(wanted: &str, words: &mut impl Iterator<Item = &'a &'a str>) -> bool {
    let mut may_be_value = false;
    for word in words {
        if *word == wanted {
            return true;
        }
        let is_option = word.starts_with(['-', '+']);
        if !is_option && !may_be_value {
            return false;
        }
        may_be_value = is_option;
    }
    false
}

/// Returns whether these first words of a command may go on to something dangerous: `git stash` to `drop`.
pub(super) fn may_follow(prefix: &[String]) -> bool {
    SUBCOMMANDS.iter().any(|(name, among, _)| {
        let words = name.split(' ').count();
        let is_open = |word: &&str| prefix.len() <= words || word.starts_with('-');
        (prefix.len() < words && name.split(' ').zip(prefix).all(|(word, given)| word == given))
            || (begins_with(prefix, name) && among.iter().any(is_open))
    })
}

/// Returns whether the words of `name` stand at the beginning.
pub(super) fn begins_with(words: &[String], name: &str) -> bool {
    let mut words = words.iter();
    name.split(' ').all(|part| words.next().is_some_and(|word| word == part))
}

/// Returns what is dangerous about a simple command or what it runs, by itself.
pub(super) fn of_part(command: &SimpleCommand) -> Option<TranslatableText> {
    command.all().into_iter().find_map(of_command)
}

/// `curl … | sh`: whatever comes out of one program is run by the next. Returns that one.
pub(super) fn fed<'a>(commands: &[&'a SimpleCommand]) -> Option<&'a SimpleCommand> {
    let is_fed = |command: &&&SimpleCommand| {
        let reads_stdin = command.arguments().iter().all(|word| matches!(word.text.as_str(), "-" | "-s" | "-x" | "-e"));
        command.is_fed_shell() || (reads_stdin && INTERPRETERS.contains(&command.program()))
    };
    commands.iter().skip(1).find(is_fed).copied()
}

pub(super) fn of_fed(fed: &SimpleCommand) -> TranslatableText {
    ReasonCode::DANGER_FED.with("program", fed.program())
}

/// Looks for a dangerous program among the words of a line that was not understood; rather one too many.
fn of_words(words: &[String]) -> Option<TranslatableText> {
    let program = |word: &String| word.rsplit('/').next().unwrap_or_default().to_owned();
    words.iter().map(program).filter(|word| word != ".").find_map(|word| {
        by_program(&word).map(|does| ReasonCode::DANGER_WITHIN.with("program", word).with("does", does))
    })
}
