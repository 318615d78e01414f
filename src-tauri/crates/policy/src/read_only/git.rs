//! Git's options in front of its subcommand, and which subcommands show what is in files that git keeps.

use super::super::SimpleCommand;
use super::super::plain_shell::Word;
use super::super::wide_read::joined;
use super::super::word_list::is_in;

/// The options in front of git's subcommands; pagers are off where nobody scrolls.
const ALONE: &[&str] = &["--literal-pathspecs", "--no-optional-locks", "--no-pager", "--no-replace-objects", "-P"];
/// Settings that only say how something is shown, in lower case: all of these sections but what names a program.
const SETTINGS: &[&str] = &[
    "color.",
    "core.abbrev",
    "core.quotepath",
    "diff.context",
    "diff.mnemonicprefix",
    "diff.noprefix",
    "log.",
    "status.",
];
/// Options with which the history shows what is in files.
const PATCH: &[&str] = &["-L", "-U", "-W", "-c", "-m", "-p", "-u"];
const PATCH_LONG: &str = "--binary --cc --check --color-words --dd --diff-merges --full-index --function-context \
    --patch --patch-with-stat --remerge-diff --submodule --unified --word-diff --word-diff-regex";
/// Options with which changes are only summed up.
const SUMMED_UP: &str = "--compact-summary --dirstat --name-only --name-status --no-patch --numstat --quiet --raw \
    --shortstat --stat --summary -q -s";

/// `git --no-pager -C FOLDER …` as git asked there.
pub(super) fn in_folder(command: &SimpleCommand) -> Option<(String, SimpleCommand)> {
    let [git, rest @ ..] = command.words.as_slice() else { return None };
    let (mut folder, mut left) = (".".to_owned(), rest);
    loop {
        left = match left {
            [option, after @ ..] if ALONE.contains(&option.text.as_str()) => after,
            [option, to, after @ ..] if option.text == "-C" => {
                let is_plain = !to.expands && !to.text.is_empty() && !to.text.starts_with(['-', '~']);
                folder = joined(&folder, is_plain.then_some(&to.text)?);
                after
            }
            [option, setting, after @ ..] if option.text == "-c" => {
                let name = setting.text.split('=').next().unwrap_or_default().to_ascii_lowercase();
                let is_harmless = SETTINGS.iter().any(|known| match known.ends_with('.') {
                    true => name.starts_with(known),
                    false => name == *known,
                });
                (is_harmless || setting.text == "core.pager=cat").then_some(after)?
            }
            left => {
                let words = || std::iter::once(git).chain(left).cloned().collect();
                let is_more = git.text == "git" && left.len() < rest.len() && !left.is_empty();
                return is_more.then(|| (folder, SimpleCommand { words: words(), ..command.clone() }));
            }
        };
    }
}

/// Returns whether git shows what is in files that the line doesn't name. `REVISION:FILE` names one.
pub(super) fn shows_what_it_keeps(command: &SimpleCommand) -> bool {
    let [git, subcommand, arguments @ ..] = command.words.as_slice() else { return false };
    if git.text != "git" {
        return false;
    }
    match subcommand.text.as_str() {
        "diff" | "show" => {
            !arguments.iter().any(sums_up) && !names_only_files(arguments) || arguments.iter().any(patches)
        }
        "cat-file" => !names_only_files(arguments),
        "grep" | "range-diff" => true,
        "status" => arguments.iter().any(|word| word.text == "--verbose" || word.text.starts_with("-v")),
        "diff-index" | "diff-tree" | "log" | "stash" | "whatchanged" => arguments.iter().any(patches),
        _ => false,
    }
}

fn sums_up(word: &Word) -> bool {
    is_in(SUMMED_UP, word.text.split('=').next().unwrap_or_default())
}

fn patches(word: &Word) -> bool {
    let name = word.text.split('=').next().unwrap_or_default();
    match name.strip_prefix("--") {
        Some(long) => !long.is_empty() && PATCH_LONG.split(' ').any(|option| option.starts_with(name)),
        None => PATCH.iter().any(|option| name.starts_with('-') && name.contains(&option[1..])),
    }
}

fn names_only_files(arguments: &[Word]) -> bool {
    let mut operands = arguments.iter().filter(|word| !word.text.starts_with('-')).peekable();
    operands.peek().is_some() && operands.all(|operand| is_file_of_revision(&operand.text))
}

/// `HEAD~2:src/a.rs`, or `:a.rs` of what is staged; not `:/TEXT` or `HEAD^{/TEXT}`, which find a commit, nor `:(MAGIC)`.
fn is_file_of_revision(text: &str) -> bool {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "/._-~^@".contains(character);
    text.split_once(':').is_some_and(|(revision, file)| {
        revision.chars().all(is_plain)
            && file.starts_with(|first: char| first.is_alphanumeric() || "._".contains(first))
    })
}
