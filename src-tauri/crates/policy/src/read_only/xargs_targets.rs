//! Commands that are handed the names of files: by `find -exec`, and by `xargs` from what lists files.

use super::super::SimpleCommand;
use super::super::plain_shell::{Joint, Word};
use super::super::wrappers::Inside;
use super::programs::{ReadOperands, Shows};
use super::{WideRead, expressions, is_read_only, places, program_of};
use arki_domain::Descent;

/// Returns whether the program reads the files that `find` hands on. Their paths begin with a folder's name, so none is
/// an option; each may be any file below that matches.
pub(super) fn reads_what_find_hands_on(inner: &SimpleCommand, find: &SimpleCommand, wide: &mut Vec<WideRead>) -> bool {
    let words: Vec<Word> = inner.words.iter().filter(|word| word.text != "{}").cloned().collect();
    let plain = SimpleCommand { words, open_ended: false, ..inner.clone() };
    reads_more(&plain, wide).is_some_and(|shows| {
        if shows {
            wide.extend(below(find, false));
        }
        true
    })
}

/// Returns whether the command at `place` is an `xargs` that only reads what a command before it in the pipe lists.
pub(super) fn reads_what_is_listed(commands: &[SimpleCommand], place: usize, wide: &mut Vec<WideRead>) -> bool {
    let xargs = &commands[place];
    let Inside::Commands(wrapped) = &xargs.inside else { return false };
    let [inner] = wrapped.commands.as_slice() else { return false };
    if xargs.name() != "xargs" || !wrapped.is_transparent {
        return false;
    }
    let options: Vec<&str> = xargs.words[1..wrapped.starts_at].iter().map(|word| word.text.as_str()).collect();
    let as_words = !options.iter().any(|option| matches!(*option, "-0" | "--null" | "-r0" | "-0r"));
    let Some(listed) = listed_before(commands, place, as_words) else { return false };
    let Some(inner) = without_mark(inner, &options) else { return false };
    let mut reads = Vec::new();
    let is_known = reads_more(&inner, &mut reads).is_some();
    if is_known {
        wide.extend(reads);
        wide.extend(listed);
    }
    is_known
}

/// The files that the command at `place` is told by the pipe before it, one a line.
pub(super) fn listed_before(commands: &[SimpleCommand], place: usize, as_words: bool) -> Option<Vec<WideRead>> {
    let is_fed = commands[place].joint == Joint::Pipe;
    let mut source = place.checked_sub(1).filter(|_| is_fed)?;
    while commands[source].joint == Joint::Pipe && source > 0 && passes_lines_on(&commands[source]) {
        source -= 1;
    }
    lists(&commands[source], as_words)
}

/// Returns whether `command` only reads with one of these files in the place of a variable.
pub(super) fn reads_each(command: &SimpleCommand, variable: &str, wide: &mut Vec<WideRead>) -> bool {
    let is_it = |word: &Word| word.text.strip_prefix("${").and_then(|rest| rest.strip_suffix('}')) == Some(variable);
    let (given, words): (Vec<Word>, Vec<Word>) = command.words.iter().cloned().partition(|word| word.variable);
    let plain = SimpleCommand { words, open_ended: false, ..command.clone() };
    command.open_ended && given.iter().all(is_it) && reads_more(&plain, wide).is_some()
}

/// Returns what stands in the place of `xargs -I MARK`, left out. As a part of a word it could be anything.
fn without_mark(inner: &SimpleCommand, options: &[&str]) -> Option<SimpleCommand> {
    let given = options.iter().position(|option| option.starts_with("-I"));
    let mark = match given {
        Some(place) if options[place] == "-I" => options.get(place + 1).copied(),
        Some(place) => Some(&options[place][2..]),
        None => None,
    };
    let is_mark = |word: &Word| mark.is_some_and(|mark| word.text == mark);
    let has_mark = |word: &Word| mark.is_some_and(|mark| word.text.contains(mark));
    let words: Vec<Word> = inner.words.iter().filter(|word| !is_mark(word)).cloned().collect();
    let is_plain =
        !words.is_empty() && !words.iter().any(has_mark) && inner.words.first().is_some_and(|name| !is_mark(name));
    is_plain.then(|| SimpleCommand { words, open_ended: false, ..inner.clone() })
}

/// Lines come out as they went in, or not at all.
fn passes_lines_on(command: &SimpleCommand) -> bool {
    let (options, words): (Vec<&Word>, Vec<&Word>) =
        command.arguments().iter().partition(|word| word.text.starts_with('-'));
    let only = |letters: &str| options.iter().all(|option| option.text[1..].chars().all(|c| letters.contains(c)));
    let is_number = |word: &&Word| word.text.bytes().all(|byte| byte.is_ascii_digit());
    let takes = match command.name() {
        "grep" | "egrep" | "fgrep" => only("viEFwxP") && words.len() == 1,
        "head" | "tail" => only("n0123456789") && words.iter().all(is_number),
        "sort" => only("urnV") && words.is_empty(),
        "uniq" => options.is_empty() && words.is_empty(),
        _ => false,
    };
    takes
        && command.inputs.is_empty()
        && command.inside == Inside::Nothing
        && command.words.iter().all(|word| !word.expands)
}

/// The files that a command may list, one a line.
fn lists(command: &SimpleCommand, as_words: bool) -> Option<Vec<WideRead>> {
    let has = |wanted: &[&str]| command.arguments().iter().any(|word| wanted.contains(&word.text.as_str()));
    let shown = Descent { skips_hidden: true, as_words, ..Descent::ALL };
    let here = |descent| WideRead::Below { folder: ".".to_owned(), is_pattern: false, descent, endings: Vec::new() };
    let mut reads = Vec::new();
    let is_plain = command.inside == Inside::Nothing && is_read_only(command, &mut reads);
    if !is_plain {
        return None;
    }
    let given_as_words = |read: WideRead| match read {
        WideRead::Below { folder, is_pattern, descent, endings } => {
            WideRead::Below { folder, is_pattern, descent: Descent { as_words, ..descent }, endings }
        }
        WideRead::Matching(pattern) => WideRead::Names { pattern, splits: as_words },
        other => other,
    };
    match command.name() {
        "find" if !has(&["-printf", "-ls", "-fstype"]) => Some(below(command, as_words)),
        "git"
            if command.words.get(1).is_some_and(|word| word.text == "ls-files")
                && command.arguments()[1..].iter().all(lists_plain_paths) =>
        {
            Some(vec![WideRead::Kept, here(shown)])
        }
        // What a pattern stands for comes out as it is, unless it is a folder.
        "ls" if command.arguments().iter().all(|word| {
            matches!(word.text.as_str(), "-1" | "-d" | "-t" | "-1t" | "-r" | "-tr")
                || (word.expands && is_of_files(word))
        }) && command.arguments().iter().any(|word| word.expands) =>
        {
            let matching = |word: &&Word| word.expands;
            let of = |word: &Word| {
                [
                    WideRead::Matching(word.text.clone()),
                    WideRead::Names { pattern: word.text.clone(), splits: as_words },
                ]
            };
            Some(command.arguments().iter().filter(matching).flat_map(of).collect())
        }
        "rg" if has(&["--files"]) => Some(vec![here(shown)]),
        // They read what they list.
        "rg" | "grep"
            if has(&["-l", "-rl", "-lr", "-rlE", "-rlF", "-ril", "-rli", "-lri", "-Rl", "--files-with-matches"]) =>
        {
            Some(reads.into_iter().map(given_as_words).collect())
        }
        _ => None,
    }
}

/// Recognizes the options of `git ls-files` with which it lists nothing but paths of files that git keeps.
fn lists_plain_paths(word: &Word) -> bool {
    const KNOWN: &[&str] = &[
        "-z",
        "-c",
        "-m",
        "-d",
        "-cz",
        "-zc",
        "--",
        "--cached",
        "--modified",
        "--deleted",
        "--full-name",
        "--deduplicate",
    ];
    !word.text.starts_with('-') || KNOWN.contains(&word.text.as_str())
}

/// `src/*.rs`
fn is_of_files(pattern: &Word) -> bool {
    let name = pattern.text.rsplit('/').next().unwrap_or_default();
    pattern.each.is_none() && !pattern.variable && places::ending_of(name).is_some()
}

/// Returns whether `command` only reads with files to follow, and whether it shows what is in them.
fn reads_more(command: &SimpleCommand, wide: &mut Vec<WideRead>) -> Option<bool> {
    if let Inside::Commands(wrapped) = &command.inside {
        let [inner] = wrapped.commands.as_slice() else { return None };
        return if wrapped.is_transparent && inner.name() != command.name() {
            reads_more(&SimpleCommand { open_ended: false, ..inner.clone() }, wide)
        } else {
            None
        };
    }
    let mut reads = Vec::new();
    if !is_read_only(command, &mut reads) {
        return None;
    }
    let has_script = matches!(command.name(), "awk" | "gawk" | "mawk" | "nawk" | "sed" | "test" | "[");
    // One more word could be where another program writes.
    let shows = match program_of(command) {
        _ if has_script => true,
        Some((program, _)) if matches!(program.operands, ReadOperands::Any) => !matches!(program.shows, Shows::Names),
        Some(_) | None => return None,
    };
    wide.extend(reads.into_iter().filter(|read| !matches!(read, WideRead::Below { folder, .. } if folder == ".")));
    Some(shows)
}

/// Everything that `find` may hand over.
fn below(find: &SimpleCommand, as_words: bool) -> Vec<WideRead> {
    let follows_links = find.arguments().iter().any(|word| matches!(word.text.as_str(), "-L" | "-follow"));
    let own = words_of_find(find.arguments());
    let opens_links = !finds_only_files(&own);
    let descent = Descent { follows_links, opens_links, as_words, ..Descent::ALL };
    let arguments = find.arguments().iter().skip_while(|word| matches!(word.text.as_str(), "-H" | "-L" | "-P"));
    let folders: Vec<&Word> = arguments.take_while(|word| !word.text.starts_with(['-', '(', '!'])).collect();
    let here = Word::literal(".");
    let folders = if folders.is_empty() { vec![&here] } else { folders };
    let endings = endings_of(&own);
    let read = |folder: &&Word| WideRead::Below {
        folder: folder.text.clone(),
        is_pattern: folder.expands,
        descent,
        endings: endings.clone(),
    };
    folders.iter().map(read).collect()
}

/// Returns the words of `find` without the commands that it runs, whose words may look like its own.
fn words_of_find(arguments: &[Word]) -> Vec<&str> {
    let mut own = Vec::new();
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        own.push(word.text.as_str());
        if matches!(word.text.as_str(), "-exec" | "-execdir")
            && let Some(length) = expressions::end_of_exec(words.as_slice())
        {
            words.nth(length);
        }
    }
    own
}

/// Returns whether each alternative asks for regular files, or hands nothing over.
fn finds_only_files(words: &[&str]) -> bool {
    let (mut depth, mut is_negated) = (0_usize, false);
    // Of the alternative at hand: whether it asks for files, prunes, and hands something over.
    let mut now = (false, false, false);
    let is_fine = |(of_files, prunes, hands_over): (bool, bool, bool)| of_files || (prunes && !hands_over);
    let mut words = words.iter().copied().peekable();
    while let Some(word) = words.next() {
        match word {
            "(" | "\\(" => depth += 1,
            ")" | "\\)" => depth = depth.saturating_sub(1),
            "," if depth == 0 => return false,
            "-o" | "-or" if depth == 0 => {
                if !is_fine(now) {
                    return false;
                }
                now = (false, false, false);
            }
            "-type" if depth == 0 => now.0 |= !is_negated && words.peek() == Some(&"f"),
            "-prune" if depth == 0 => now.1 = true,
            "-exec" | "-execdir" => now.2 = true,
            _ => {}
        }
        is_negated = matches!(word, "!" | "-not");
    }
    is_fine(now)
}

/// The endings of all that `find` finds, where each of its alternatives asks for one. What is said not to be found makes it
/// fewer.
fn endings_of(texts: &[&str]) -> Vec<String> {
    const UNCLEAR: &[&str] = &[",", "-iname", "-regex", "-iregex"];
    let is_not = |text: &str| matches!(text, "!" | "-not");
    let excludes_several = texts.windows(2).any(|two| is_not(two[0]) && matches!(two[1], "(" | "!" | "-not"));
    if excludes_several || texts.iter().any(|text| UNCLEAR.contains(text)) {
        return Vec::new();
    }
    let mut endings = Vec::new();
    for alternative in texts.split(|text| matches!(*text, "-o" | "-or")) {
        let is_asked =
            |place: &usize| alternative[*place] == "-name" && (*place == 0 || !is_not(alternative[place - 1]));
        let name = (0..alternative.len()).find(is_asked).and_then(|place| alternative.get(place + 1));
        match name.and_then(|glob| places::ending_of_name(glob)) {
            Some(found) => endings.push(found),
            // What is pruned is not found where something else is said to be done.
            None if alternative.contains(&"-prune")
                && texts.iter().any(|text| matches!(*text, "-print" | "-print0" | "-exec")) => {}
            None => return Vec::new(),
        }
    }
    endings
}

#[cfg(all(test, not(windows)))]
mod tests {
    use super::*;

    fn endings(line: &str) -> Vec<String> {
        let reads = crate::wide_reads(line).unwrap();
        let below = reads.into_iter().filter_map(|read| match read {
            WideRead::Below { endings, descent, .. } if descent.opens_links => Some(endings),
            _ => None,
        });
        below.flatten().collect()
    }

    #[test]
    fn what_find_hands_over_ends_as_its_own_words_say() {
        assert_eq!(endings("find . -name Cargo.toml -not -path './target/*' -exec cat {} +"), ["Cargo.toml"]);
        assert_eq!(endings("find . -name 'compose*.yml' -o -name '*.rs' | xargs cat"), [".yml", ".rs"]);
        for line in [
            "find . -exec cat -- -name x.rs {} +",
            "find . -exec cat -- -type f {} +",
            "find . -not -name x.rs -exec cat {} +",
            "find . ! '(' -name x.rs ')' -exec cat {} +",
            "find . -name 'x*' -exec cat {} +",
            "find . -name x.rs -o -exec cat {} +",
        ] {
            assert_eq!(endings(line), Vec::<String>::new(), "{line}");
            assert!(
                crate::wide_reads(line)
                    .unwrap()
                    .iter()
                    .any(|read| { matches!(read, WideRead::Below { descent, .. } if descent.opens_links) }),
                "{line}"
            );
        }
    }
}
