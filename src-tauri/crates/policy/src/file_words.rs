//! The words of a shell line that may name files, however they are quoted and from wherever they are read: rather one too
//! many. Whoever has the files at hand looks which of them are secret.

use super::wrappers::Inside;
use super::{CommandLine, Shell, SimpleCommand, build, read_only};

/// Beyond so many changes of folder only the words themselves are told.
const MAX_FOLDERS: usize = 16;
/// The limit for short options in one word before a file's name.
const MAX_SHORT_OPTIONS: usize = 8;

/// Recognizes characters that can come before or after a file's name in a word: `if=FILE`, `HEAD:FILE`, `@FILE`.
fn is_separator(character: char) -> bool {
    character.is_whitespace() || "'\"`;|&<>()$={},:@".contains(character)
}

/// Each once.
#[must_use]
pub fn file_words(line: &str) -> Vec<String> {
    let parsed = CommandLine::parse(line);
    let (plain, raw) = match judged(&parsed) {
        // What is searched for names no file, nor is it in the line otherwise.
        Some(commands) => (commands.into_iter().flat_map(words_that_name).collect(), ""),
        None => (plain_words(&parsed), line),
    };
    let pieces = plain.iter().flat_map(|word| word.split(is_separator)).chain(raw.split(is_separator));
    let attached = plain.iter().flat_map(|word| attached(word));
    let mut words: Vec<String> = pieces.chain(attached).map(str::to_owned).chain(plain.iter().cloned()).collect();
    words.retain(|word| !word.is_empty());
    words.sort_unstable();
    words.dedup();
    let folders = folders(&plain);
    if folders.len() <= MAX_FOLDERS {
        let below: Vec<String> = folders
            .iter()
            .flat_map(|folder| words.iter().map(move |word| format!("{}/{word}", folder.trim_end_matches('/'))))
            .collect();
        words.extend(below);
    }
    words
}

/// All that it runs, where that only reads or builds, and nothing of it is handed on to others as files.
fn judged(line: &CommandLine) -> Option<Vec<&SimpleCommand>> {
    let is_known = || read_only::wide_reads(line, true).or_else(|| build::wide_reads(line)).is_some();
    let commands = line.all();
    let hands_on = commands.iter().any(|command| command.open_ended || matches!(command.inside, Inside::Commands(_)));
    (Shell::native() == Shell::Bash && !hands_on && is_known()).then_some(commands)
}

fn words_that_name(command: &SimpleCommand) -> Vec<String> {
    let texts = read_only::texts(command);
    let words = command.words.iter().enumerate().filter(|(place, _)| !texts.contains(place)).map(|(_, word)| word);
    words.chain(&command.inputs).map(|word| word.text.clone()).collect()
}

/// Returns whether all the folders that the line goes to are told; there may be too many.
pub(super) fn follows(line: &CommandLine) -> bool {
    folders(&plain_words(line)).len() <= MAX_FOLDERS
}

/// Returns the possible values of a short option: `-aFILE`, `-0aFILE`.
fn attached(word: &str) -> impl Iterator<Item = &str> {
    let options = word.strip_prefix('-').filter(|rest| !rest.starts_with('-')).unwrap_or_default();
    options.char_indices().skip(1).take(MAX_SHORT_OPTIONS).map(|(place, _)| &options[place..])
}

/// Quotes and backslashes removed, in order.
fn plain_words(line: &CommandLine) -> Vec<String> {
    match line {
        CommandLine::Opaque { words, .. } => words.clone(),
        understood @ CommandLine::Understood(_) => {
            let commands = understood.all();
            let words = commands.iter().flat_map(|command| command.words.iter().chain(&command.inputs));
            words.map(|word| word.text.clone()).collect()
        }
    }
}

/// Returns where the line goes: each folder alone, and below the one before it, as a shell follows `..` (by the text)
/// and as programs do (by the links).
fn folders(words: &[String]) -> Vec<String> {
    let mut folders: Vec<String> = Vec::new();
    let mut here = String::new();
    for (place, word) in words.iter().enumerate() {
        if !matches!(word.as_str(), "cd" | "chdir" | "pushd" | "-C" | "Set-Location" | "Push-Location") {
            continue;
        }
        let Some(folder) = words[place + 1..].iter().find(|word| !word.starts_with('-')) else { break };
        let below = if here.is_empty() || folder.starts_with(['/', '~']) {
            folder.clone()
        } else {
            format!("{}/{folder}", here.trim_end_matches('/'))
        };
        here = without_dots(&below);
        folders.extend([folder.clone(), below, here.clone()]);
        folders.dedup();
    }
    folders
}

/// `a/../b` as `b`.
pub(super) fn without_dots(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "." => {}
            ".." if parts.last().is_some_and(|last| !matches!(*last, "" | ".." | "~")) => {
                parts.pop();
            }
            other => parts.push(other),
        }
    }
    if parts.is_empty() { ".".to_owned() } else { parts.join("/") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has(line: &str, word: &str) -> bool {
        file_words(line).iter().any(|known| known == word)
    }

    #[test]
    fn quotes_and_backslashes_hide_no_name() {
        for line in [
            "cat .e\"nv\"",
            "cat '.e'nv",
            "cat .e''nv",
            "cat \".en\"\"v\"",
            "cat \\.env",
            "git show HEAD:.e\"nv\"",
            "sh -c 'cat .e\"nv\"'",
            "dd if=.e\"nv\"",
            "cat .e\"nv\" > $(x)",
        ] {
            assert!(has(line, ".env"), "{line}: {:?}", file_words(line));
        }
        assert!(has("head ./\".\"env", "./.env"));
        for line in ["cat {.e,x}nv", "cat {.env,x}", "cat ./{.,x}env", "cat x{,/../.env}", "grep -f .env x"] {
            assert!(file_words(line).iter().any(|word| without_dots(word) == ".env"), "{line}");
        }
    }

    #[test]
    fn what_is_searched_for_names_no_file() {
        for line in [
            "jq '.a.key' f.json",
            "jq -r '.x, .key' f.json | head",
            "grep -rn '.key' src",
            "grep -e .key -e .env src/a",
            "rg -n --regexp .key src",
            "find . -name .key",
            "find . -type f -name '*.rs' -o -iname .key",
            "awk '/.key/ {print}' a",
            "sed -n '/.key/p' a",
            "echo .key",
            "git log -S .key",
            "if grep -q .key a; then echo .key; fi",
            "cargo test && grep .key a",
        ] {
            assert!(!has(line, ".key"), "{line}: {:?}", file_words(line));
        }
        for line in [
            "jq . .key",
            "grep x .key",
            "grep -f .key x",
            "grep -e x .key",
            "grep -rn x --include=.key src",
            "cat .key",
            "find .key -name x",
            "find . -newer .key",
            "sed -n p .key",
            "awk 1 .key",
            "wc -l < .key",
            "echo .key | xargs cat",
            "echo .key | xargs wc -l",
            "echo .key | sh",
            "echo .key > a",
            "find . -name .key -exec cat {} +",
            "find . -name .key | xargs cat",
            "bash -c 'jq .key a'",
            "jq .key a; cp a b",
            "git show HEAD:.key",
            "ls .key",
            "while read -r f; do wc -l \"$f\"; done < .key",
        ] {
            assert!(has(line, ".key"), "{line}: {:?}", file_words(line));
        }
    }

    #[test]
    fn a_name_is_read_from_where_the_line_has_gone() {
        assert!(has("cd keys && cat k.txt", "keys/k.txt"));
        assert!(has("cd a/ && cd b && cat k", "a/b/k"));
        assert!(has("git -C keys show HEAD:k.txt", "keys/k.txt"));
        assert!(!has("echo keys && cat k.txt", "keys/k.txt"));
        assert!(has("cd -P keys && cat k.txt", "keys/k.txt"));
        assert!(has("cd -- keys && cat k.txt", "keys/k.txt"));
        assert!(has("cd a/.. && cd keys && cat k.txt", "./keys/k.txt"));
    }

    #[test]
    fn a_name_may_be_attached_to_options() {
        assert!(has("xargs -aid_rsa echo", "id_rsa"));
        assert!(has("xargs -0ra.env echo", ".env"));
    }

    #[test]
    fn many_folders_are_bounded() {
        let line = format!("{}cat k", "cd a; ".repeat(200));
        assert!(file_words(&line).len() < 1_000);
    }
}
