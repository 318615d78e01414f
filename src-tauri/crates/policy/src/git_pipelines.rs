//! Lines in which git alone reads the project's files, and everything else only what git tells.
//!
//! A command that nobody agreed to gets a project without its files of secrets. Git would take such a file, if it is one
//! of its own, for changed, and fail; what git shows of secrets is the business of the policy.

use super::CommandLine;
use super::command_line::{Shell, SimpleCommand};
use super::word_list::is_in;

/// They read no file's content, whatever they are given.
const BY_NAME: &[&str] = &["[", "basename", "cd", "date", "dirname", "echo", "ls", "printf", "pwd", "test", "true"];
/// They read their standard input where they are given no more words than this: patterns and programs.
const FILTERS: &[(&str, usize)] =
    &[("cat column cut fold head nl sort tac tail uniq wc", 0), ("awk grep jq sed", 1), ("tr", 2)];
/// Short options of these commands that take a file or look for files.
const READING_FILES: &[(&str, &[char])] =
    &[("awk", &['f']), ("grep", &['f', 'r', 'R']), ("jq", &['f', 'L']), ("sed", &['f'])];

/// Returns whether git is in the line, and nothing beside it that might read a file.
#[must_use]
pub fn only_git_reads(line: &str) -> bool {
    let line = CommandLine::parse_with_assignments(line);
    let is_git = |command: &&SimpleCommand| command.name() == "git";
    Shell::native() == Shell::Bash
        && line.simple().is_some_and(|commands| {
            commands.iter().any(is_git) && commands.iter().all(|command| is_git(command) || reads_no_file(command))
        })
}

fn reads_no_file(command: &SimpleCommand) -> bool {
    if BY_NAME.contains(&command.name()) {
        return true;
    }
    let name = command.name();
    let Some((_, most)) = FILTERS.iter().find(|(names, _)| is_in(names, name)) else { return false };
    let (options, words): (Vec<_>, Vec<_>) = command.arguments().iter().partition(|word| is_option(&word.text));
    let given = words.iter().filter(|word| !is_number(&word.text)).count();
    let takes_files = options.iter().any(|option| takes_files(name, &option.text));
    given <= *most && !takes_files && !command.arguments().iter().any(|word| word.expands)
}

fn is_option(word: &str) -> bool {
    word.len() > 1 && word.starts_with('-')
}

fn is_number(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit())
}

fn takes_files(name: &str, option: &str) -> bool {
    if let Some(long) = option.strip_prefix("--") {
        return !matches!(
            long.split('=').next(),
            Some("color" | "count" | "ignore-case" | "lines" | "bytes" | "reverse")
        );
    }
    let letters = READING_FILES.iter().find(|(program, _)| *program == name);
    letters.is_some_and(|(_, letters)| option.contains(*letters))
}

#[cfg(all(test, not(windows)))]
mod tests {
    use super::*;

    #[test]
    fn git_and_what_reads_its_output() {
        for line in [
            "git status",
            "git diff | head -n 50",
            "cd sub && git log --oneline | grep -i fix | wc -l",
            "git diff --stat; ls -la sub",
            "git show HEAD:a | sed -n 1,20p | tr a b",
            "git branch --color=never | sort --reverse",
            "if git diff --quiet; then echo clean; fi",
            "(cd sub && git log -3) | head",
        ] {
            assert!(only_git_reads(line), "{line}");
        }
    }

    #[test]
    fn whatever_might_read_a_file_itself() {
        for line in [
            "cat a",
            "git status; cat a",
            "git status | cat - a",
            "git status | grep -r x",
            "git status | grep -fa",
            "git status | grep x a",
            "git status | sort --files0-from=a",
            "git status | xargs cat",
            "git status | sed -n 1p *",
            "git status | jq -L keys 'import'",
            "git status; rg x",
            "git status | head $a",
            "git status | uniq -- a",
            "git status | while read -r a; do cat \"$a\"; done",
            "if git diff --quiet; then cat a; fi",
        ] {
            assert!(!only_git_reads(line), "{line}");
        }
    }
}
