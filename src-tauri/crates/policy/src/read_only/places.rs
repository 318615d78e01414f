//! Finds the words of a command that only reads that name files and folders. All do, but for what is listed here as
//! text: what is searched for, what is said, how something is formatted.

use super::super::SimpleCommand;
use super::super::plain_shell::Word;
use super::super::word_list::is_in;
use super::WideRead;
use super::programs::program_of;

/// Programs that take their operands for text.
const SAYING: &str = ": basename cal date df dirname echo expr factor false groups id npm numfmt pgrep printenv \
    printf seq sleep tr true";
/// Programs whose first operand is what they look for or do, unless an option says it.
const SEEKING: &str = "awk egrep fd fgrep gawk grep jq mawk nawk rg sed yq zegrep zfgrep zgrep";
/// Those among them and of git that open what is below folders by themselves.
const DESCENDING: &[&str] = &["ag", "diff", "rg"];
/// Options that say it.
const PATTERNS: &[&str] = &["-e", "-f", "--expression", "--file", "--regexp"];
/// Options whose values are text, whatever the program.
const TEXTS: &str = "--after --after-context --arg --argjson --author --before --before-context --context --date \
    --delimiter --exclude --exclude-dir --expression --extension --format --glob --grep --iglob --include \
    --output-separator --pretty --printf --regexp --replace --separator --since --sort --until -iname -ipath \
    -iregex -iwholename -name -path -printf -regex -wholename";
/// Short ones, by program.
const SHORT_TEXTS: &[(&str, &str)] = &[
    ("awk", "Fv"),
    ("column", "os"),
    ("cut", "dfc"),
    ("date paste", "d"),
    ("egrep fgrep grep zgrep", "eABCm"),
    ("fd", "eEdt"),
    ("git", "SGILneU"),
    ("head tail", "cn"),
    ("join", "t"),
    ("nl", "ds"),
    ("rg", "egrEABCmtT"),
    ("sed", "e"),
    ("sort", "tk"),
    ("stat", "cf"),
    ("tree", "IPL"),
];

/// Adds what its words name: what they stand for is for others to judge.
pub(super) fn named_by(command: &SimpleCommand, wide: &mut Vec<WideRead>) {
    inputs_of(command, wide);
    let texts = texts(command);
    let name = program_of(command).map_or(1, |(_, words)| words);
    let named = command.words.iter().enumerate().skip(name).filter(|(number, _)| !texts.contains(number));
    let words: Vec<&Word> = named.map(|(_, word)| word).collect();
    words.iter().for_each(|word| loosely(word, wide));
    if descends(command) {
        let folders = words.into_iter().filter(|word| !word.text.starts_with('-'));
        wide.extend(folders.map(|word| WideRead::Below(word.text.clone())));
        wide.push(WideRead::Unnamed);
    }
}

/// Returns which of its words are text for sure, whatever they look like.
pub(in super::super) fn texts(command: &SimpleCommand) -> Vec<usize> {
    let words = &command.words;
    let name = command.name();
    let short = SHORT_TEXTS.iter().find(|(programs, _)| is_in(programs, name)).map_or("", |(_, letters)| letters);
    let is_text = |text: &str| match text.strip_prefix('-') {
        Some(letter) if letter.len() == 1 => short.contains(letter),
        _ => is_in(TEXTS, text),
    };
    let takes_text = |number: &usize| *number > 1 && is_text(&words[number - 1].text);
    let operands = || (1..words.len()).filter(|number| !words[*number].text.starts_with('-') && !takes_text(number));
    let says = is_in(SAYING, name);
    let is_git_grep = matches!(words.as_slice(), [git, grep, ..] if git.text == "git" && grep.text == "grep");
    let is_given = words.iter().any(|word| PATTERNS.iter().any(|option| word.text.split('=').next() == Some(option)));
    // In `git grep` the first one is its name.
    let sought =
        operands().nth(usize::from(is_git_grep)).filter(|_| (is_in(SEEKING, name) || is_git_grep) && !is_given);
    let said = operands().filter(|number| says && !words[*number].expands);
    (1..words.len()).filter(takes_text).chain(sought).chain(said).collect()
}

/// Returns whether it opens more than it is given: what is below folders.
fn descends(command: &SimpleCommand) -> bool {
    let is_recursive = |word: &Word| match word.text.strip_prefix("--") {
        Some(long) => long.ends_with("recursive"),
        None => word.text.starts_with('-') && word.text.contains(['r', 'R']),
    };
    let greps = ["egrep", "fgrep", "grep"].contains(&command.name());
    DESCENDING.contains(&command.name()) || (greps && command.arguments().iter().any(is_recursive))
}

/// Adds the inputs of a program.
pub(super) fn inputs_of(command: &SimpleCommand, wide: &mut Vec<WideRead>) {
    command.inputs.iter().for_each(|word| place(word, wide));
}

/// Adds every word, and what may be attached to an option, where it is not known which word is what.
fn loosely(word: &Word, wide: &mut Vec<WideRead>) {
    let with = |text: &str| Word { text: text.to_owned(), ..word.clone() };
    if !word.text.starts_with('-') {
        place(word, wide);
    } else if let Some((_, value)) = word.text.split_once('=') {
        place(&with(value), wide);
    } else if let Some(begin) = word.text.find(['/', '~', '.']) {
        place(&with(&word.text[begin..]), wide);
    }
}

fn place(word: &Word, wide: &mut Vec<WideRead>) {
    let text = &word.text;
    if word.variable {
        // What comes before a variable says where it lies.
        let known = text.split('$').next().unwrap_or_default();
        let folder = known.rsplit_once('/').map(|(folder, _)| if folder.is_empty() { "/" } else { folder });
        wide.extend(folder.map(|path| WideRead::Place { path: path.to_owned(), is_pattern: false }));
        return;
    }
    if matches!(text.as_str(), "" | "-" | "." | "./") {
        return;
    }
    let mut push = |path: String| wide.push(WideRead::Place { path, is_pattern: word.expands });
    if word.quoted && text.starts_with('~') {
        // No home, unless the quotes stand behind.
        push(format!("./{text}"));
    }
    push(text.clone());
}
