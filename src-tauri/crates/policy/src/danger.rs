//! Commands that destroy, reach out or change who may do what: recognised so that the user is told, and so that no
//! lasting permission is offered for them. Not a wall: what is not on the lists is asked about just the same.

use super::plain_shell::Word;
use super::powershell;
use super::wrappers::{Inside, is_shell};
use super::{CommandLine, SimpleCommand};

const DESTROYS: &[&str] =
    &["dd", "fdisk", "mkfs", "parted", "rm", "rmdir", "shred", "srm", "truncate", "unlink", "wipefs"];
const ENDS: &[&str] = &["halt", "kill", "killall", "pkill", "poweroff", "reboot", "shutdown", "skill", "xkill"];
const GOVERNS: &[&str] = &[
    "chattr",
    "chgrp",
    "chmod",
    "chown",
    "chpasswd",
    "crontab",
    "doas",
    "groupadd",
    "insmod",
    "iptables",
    "launchctl",
    "modprobe",
    "mount",
    "nft",
    "passwd",
    "pkexec",
    "rmmod",
    "setcap",
    "setfacl",
    "su",
    "sudo",
    "swapoff",
    "sysctl",
    "ufw",
    "umount",
    "useradd",
    "userdel",
    "usermod",
    "visudo",
    "chroot",
    "nsenter",
    "unshare",
];
const EVALUATES: &[&str] = &["eval", "exec", "source", "."];
/// Interpreters that run what they are fed, when nothing names a script.
const INTERPRETERS: &[&str] =
    &["lua", "node", "osascript", "perl", "php", "powershell", "pwsh", "python", "python2", "python3", "ruby", "tclsh"];

/// Dangerous commands, by the program's first words and something that has to be among the rest.
const SUBCOMMANDS: &[(&str, &[&str], &str)] = &[
    ("aws s3 rb", &[], "deletes a bucket"),
    ("aws s3 rm", &[], "deletes stored objects"),
    ("cargo publish", &[], "publishes"),
    ("docker compose down", &[], "removes containers"),
    ("docker rm", &[], "removes containers"),
    ("docker rmi", &[], "removes images"),
    ("docker system prune", &[], "removes data stored by Docker"),
    ("docker volume prune", &[], "removes stored data"),
    ("docker volume rm", &[], "removes stored data"),
    ("gem push", &[], "publishes"),
    ("gh repo delete", &[], "deletes a repository"),
    ("git branch", &["-D", "-d", "--delete"], "deletes branches"),
    ("git checkout", &["--", "-f", "--force", "."], "overwrites changes that were not committed"),
    ("git clean", &[], "deletes files that git doesn't track"),
    ("git filter-branch", &[], "rewrites history"),
    ("git gc", &["--prune=now", "--aggressive"], "removes recoverable commits"),
    (
        "git push",
        &["--force", "-f", "--force-with-lease", "--delete", "--mirror"],
        "can overwrite other people's commits",
    ),
    ("git push", &[], "publishes"),
    ("git reflog", &["expire", "delete"], "removes recoverable commits"),
    ("git reset", &["--hard"], "throws changes away"),
    ("git restore", &[], "overwrites changes that were not committed"),
    ("git rm", &[], "deletes files"),
    ("git stash", &["drop", "clear"], "throws changes away"),
    ("git switch", &["-f", "--force", "--discard-changes"], "throws changes away"),
    ("git tag", &["-d", "--delete"], "deletes tags"),
    ("git update-ref", &["-d"], "deletes references"),
    ("git worktree remove", &[], "deletes a working tree"),
    ("gsutil rm", &[], "deletes stored objects"),
    ("helm uninstall", &[], "removes a release"),
    ("kubectl delete", &[], "deletes from the cluster"),
    ("kubectl drain", &[], "empties a node"),
    ("npm publish", &[], "publishes"),
    ("npm unpublish", &[], "removes a published package"),
    ("redis-cli", &["flushall", "FLUSHALL", "flushdb", "FLUSHDB"], "empties the database"),
    ("rsync", &["--delete", "--delete-after", "--delete-before", "--remove-source-files"], "deletes files"),
    ("systemctl", &["stop", "disable", "mask", "poweroff", "reboot"], "stops services"),
    ("terraform apply", &[], "changes infrastructure"),
    ("terraform destroy", &[], "destroys infrastructure"),
    ("twine upload", &[], "publishes"),
];

/// Words of SQL that destroy, wherever they are in the arguments.
const SQL: &[&str] = &["drop table", "drop database", "drop schema", "truncate table", "delete from"];

/// Returns what is dangerous about a line, as a sentence; `None` where nothing known is.
pub(super) fn of_line(line: &CommandLine) -> Option<String> {
    match line {
        CommandLine::Understood(_) => {
            let fed = fed(&line.simple().unwrap_or_default()).map(of_fed);
            fed.or_else(|| line.all().into_iter().find_map(of_command))
        }
        CommandLine::Opaque { words, .. } => of_words(words),
    }
}

fn of_command(command: &SimpleCommand) -> Option<String> {
    let program = command.program();
    if let Some(does) = by_program(program) {
        return Some(format!("`{program}` {does}."));
    }
    let words: Vec<&str> = command.arguments().iter().map(|word| word.text.as_str()).collect();
    if let Some((name, does)) = by_subcommand(program, &words) {
        return Some(format!("`{name}` {does}."));
    }
    let finds = matches!(program, "find" | "gfind") && words.contains(&"-delete");
    if finds {
        return Some("`find -delete` deletes files.".to_owned());
    }
    let sql = |word: &Word| {
        let lower = word.text.to_ascii_lowercase();
        SQL.iter().any(|danger| lower.contains(danger))
    };
    if !matches!(program, "grep" | "rg" | "echo" | "git") && command.arguments().iter().any(sql) {
        return Some("It deletes from a database.".to_owned());
    }
    let inline = matches!(words.first(), Some(&"-c" | &"-e" | &"--eval" | &"-E" | &"-r"));
    if (INTERPRETERS.contains(&program) && inline) || command.inside == Inside::Unknown && is_shell(program) {
        return Some(format!("`{program}` runs code that Arki can't inspect."));
    }
    None
}

fn by_program(program: &str) -> Option<&'static str> {
    if DESTROYS.contains(&program) || program.starts_with("mkfs.") || powershell::is_destructive(program) {
        Some("deletes or overwrites")
    } else if ENDS.contains(&program) {
        Some("ends processes")
    } else if GOVERNS.contains(&program) {
        Some("changes permissions")
    } else if EVALUATES.contains(&program) {
        Some("runs code that is only known at run time")
    } else {
        None
    }
}

fn by_subcommand(program: &str, words: &[&str]) -> Option<(&'static str, &'static str)> {
    let named = |entry: &&(&'static str, &[&str], &'static str)| {
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
pub(super) fn of_part(command: &SimpleCommand) -> Option<String> {
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

pub(super) fn of_fed(fed: &SimpleCommand) -> String {
    format!("`{}` runs whatever is piped into it.", fed.program())
}

/// Looks for a dangerous program among the words of a line that was not understood; rather one too many.
fn of_words(words: &[String]) -> Option<String> {
    let program = |word: &String| word.rsplit('/').next().unwrap_or_default().to_owned();
    words
        .iter()
        .map(program)
        .filter(|word| word != ".")
        .find_map(|word| by_program(&word).map(|does| format!("It contains `{word}`, a program that {does}.")))
}
