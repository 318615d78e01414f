//! Programs whose arguments are a language of their own: `awk`, `find`, `jq`, `sed`, `tar`, `test`.

use super::super::SimpleCommand;
use super::super::flags::{self, Flag};
use super::super::plain_shell::Word;

/// Predicates of `find` that take no argument.
const FIND_ALONE: &str = "! ( ) , -a -and -o -or -not -daystart -depth -empty -executable -false -follow -help -ignore_readdir_race \
    -ls -mount -noleaf -nogroup -nouser -print -print0 -prune -quit -readable -true -version -warn -nowarn -writable -xdev";
/// Predicates that take one.
const FIND_WITH_ONE: &str = "-amin -anewer -atime -cmin -cnewer -ctime -fstype -gid -group -ilname -iname -inum -ipath -iregex \
    -iwholename -links -lname -maxdepth -mindepth -mmin -mtime -name -newer -newermt -path -perm -printf -regex -regextype \
    -samefile -size -type -uid -used -user -wholename -xtype";

/// Whether every predicate is known. Commands that it runs are judged by themselves.
pub(super) fn find_only_reads(arguments: &[Word]) -> bool {
    let mut words = arguments.iter().peekable();
    while let Some(word) = words.next_if(|word| matches!(word.text.as_str(), "-H" | "-L" | "-P")) {
        debug_assert!(word.text.starts_with('-'));
    }
    while words.next_if(|word| !word.text.starts_with(['-', '(', '!', ','])).is_some() {}
    while let Some(word) = words.next() {
        let text = word.text.as_str();
        if word.expands {
            return false;
        }
        if FIND_ALONE.split_ascii_whitespace().any(|known| known == text) {
            continue;
        }
        if FIND_WITH_ONE.split_ascii_whitespace().any(|known| known == text) {
            if words.next().is_none_or(|value| value.expands) {
                return false;
            }
            continue;
        }
        if !matches!(text, "-exec" | "-execdir") || !words.any(|word| matches!(word.text.as_str(), ";" | "+")) {
            return false;
        }
    }
    true
}

/// What of `awk` runs programs, reads files that the line does not name, or tells the environment.
const AWK_REACHES_OUT: &[&str] = &["system", "getline", "ARG", "ENVIRON", "PROCINFO", "SYMTAB", "FUNCTAB", "/inet"];

/// Whether the program only prints: without a sign that could write or run (`|`, `@`, and `>` but where it can only
/// compare), and without the words above, wherever they stand. Its only options are `-F` and `-v`.
pub(super) fn awk_only_prints(arguments: &[Word]) -> bool {
    let Some(given) = flags::given("F:v:", "", arguments) else { return false };
    let Some(program) = given.operands.first().filter(|program| !program.expands) else { return false };
    let is_plain = |c: char| (c == ' ' || c == '\n' || c == '\t' || c.is_ascii_graphic()) && !"|@`".contains(c);
    let reaches_out = |word: &Word| AWK_REACHES_OUT.iter().any(|name| word.text.contains(name));
    program.text.chars().all(is_plain)
        && only_compares(&program.text)
        && !program.text.contains("\\\n")
        && !arguments.iter().any(reaches_out)
}

/// Output goes somewhere only within braces, and never by `>=`.
fn only_compares(program: &str) -> bool {
    let (condition, actions) = program.split_once('{').unwrap_or((program, ""));
    // `||` and `&&` are none either, but `|` is not looked for here.
    let is_doubled = condition.contains(">>");
    !is_doubled && actions.match_indices('>').all(|(place, _)| actions[place + 1..].starts_with('='))
}

/// Whether the scripts only print, delete from the output or replace in it: no `w`, `e`, `r`, `-i`, `-f`.
pub(super) fn sed_only_reads(arguments: &[Word]) -> bool {
    let long =
        "quiet silent expression= regexp-extended null-data unbuffered separate line-length= posix debug sandbox";
    let Some(given) = flags::given("nErzusl:e:", long, arguments) else { return false };
    let mut scripts: Vec<&str> = Vec::new();
    for flag in &given.flags {
        if let Flag::Short('e', Some(script)) | Flag::Long("expression", Some(script)) = flag {
            scripts.push(script);
        }
    }
    if scripts.is_empty() {
        let Some(first) = given.operands.first().filter(|first| !first.expands) else { return false };
        scripts.push(&first.text);
    }
    scripts.iter().all(|script| script_only_prints(script))
}

/// A script of plain commands, joined by `;` or lines: addresses, then `p`, `d`, `q`, `=`, `l`, `n`, `N`, `s`, `y`.
fn script_only_prints(script: &str) -> bool {
    let mut rest = script;
    loop {
        rest = rest.trim_start_matches([' ', ';', '\n', '\t']);
        if rest.is_empty() {
            return true;
        }
        let Some(after) = addresses(rest).and_then(one_command) else { return false };
        rest = after.trim_start_matches([' ', '\t']);
        if !(rest.is_empty() || rest.starts_with([';', '\n'])) {
            return false;
        }
    }
}

/// Skips `3`, `$`, `/regex/`, `1,5`, `/a/,/b/`, `1~2`, `0,+3` and a `!` after them.
fn addresses(script: &str) -> Option<&str> {
    let mut rest = address(script)?;
    if let Some(second) = rest.strip_prefix(',') {
        let second = second.trim_start_matches([' ', '+', '~']);
        rest = address(second).filter(|after| after.len() < second.len())?;
    }
    Some(rest.trim_start_matches([' ', '!']))
}

fn address(script: &str) -> Option<&str> {
    if let Some(rest) = script.strip_prefix('$') {
        return Some(rest);
    }
    if let Some(inner) = script.strip_prefix('/') {
        let rest = after_delimiter(inner, '/')?;
        return Some(rest.strip_prefix('I').unwrap_or(rest));
    }
    let digits = |character: char| character.is_ascii_digit() || character == '~';
    Some(script.trim_start_matches(digits))
}

fn one_command(script: &str) -> Option<&str> {
    let mut characters = script.chars();
    match characters.next()? {
        'p' | 'P' | 'd' | 'D' | '=' | 'h' | 'H' | 'g' | 'G' | 'x' | 'n' | 'N' => Some(characters.as_str()),
        'q' | 'Q' | 'l' => Some(characters.as_str().trim_start_matches(|c: char| c.is_ascii_digit())),
        command @ ('s' | 'y') => {
            let delimiter = characters.next().filter(|c| c.is_ascii_punctuation() && *c != '\\')?;
            let replacement = after_delimiter(characters.as_str(), delimiter)?;
            let flags = after_delimiter(replacement, delimiter)?;
            // `w` writes a file, `e` runs what was replaced.
            let known =
                |c: char| command == 's' && (matches!(c, 'g' | 'p' | 'i' | 'I' | 'm' | 'M') || c.is_ascii_digit());
            Some(flags.trim_start_matches(known))
        }
        _ => None,
    }
}

/// What follows the next delimiter that no backslash escapes and that stands in no bracket expression that could be
/// read otherwise.
fn after_delimiter(text: &str, delimiter: char) -> Option<&str> {
    let mut characters = text.char_indices();
    let mut in_brackets = false;
    while let Some((place, character)) = characters.next() {
        match character {
            '\\' => {
                characters.next()?;
            }
            '\n' => return None,
            // Whether a delimiter in brackets ends the expression differs.
            found if found == delimiter && in_brackets => return None,
            found if found == delimiter => return Some(&text[place + found.len_utf8()..]),
            '[' => in_brackets = true,
            ']' => in_brackets = false,
            _ => {}
        }
    }
    None
}

/// `import "FILE" as $x;` and `include`, by their place: a field of that name follows a dot, a text a quote.
pub(super) fn jq_reads_modules(program: &str) -> bool {
    let is_part_of_name = |before: char| before.is_alphanumeric() || "._$\"".contains(before);
    ["import", "include"]
        .iter()
        .any(|word| program.match_indices(word).any(|(place, _)| !program[..place].ends_with(is_part_of_name)))
}

/// `tar t…`: the names in an archive, without programs, checkpoints or files written on the way.
pub(super) fn tar_only_lists(arguments: &[Word]) -> bool {
    let Some((first, rest)) = arguments.split_first() else { return false };
    let traditional = !first.text.starts_with('-');
    let letters_are_known = |letters: &str| letters.chars().all(|letter| "tvfzjJa".contains(letter));
    if traditional {
        let lists = first.text.contains('t') && letters_are_known(&first.text);
        return lists && first.text.matches('f').count() <= 1 && rest.iter().all(|word| is_archive_name(&word.text));
    }
    let long = "list verbose file= gzip gunzip bzip2 xz zstd auto-compress";
    let Some(given) = flags::given("tvzjJaf:", long, arguments) else { return false };
    let lists = |flag: &Flag<'_>| matches!(flag, Flag::Short('t', _) | Flag::Long("list", _));
    let local = given.flags.iter().all(|flag| match flag {
        Flag::Short('f', Some(file)) | Flag::Long("file", Some(file)) => is_archive_name(file),
        Flag::Short(..) | Flag::Long(..) => true,
    });
    given.flags.iter().any(lists) && local && given.operands.iter().all(|word| is_archive_name(&word.text))
}

/// `host:file` is fetched through a remote shell.
fn is_archive_name(name: &str) -> bool {
    !name.starts_with('-') && !name.contains(':')
}

/// `[ -f FILE ]`, `test "a" = "b"`: what looks at files and compares texts. `-v` evaluates its operand.
pub(super) fn test_only_reads(command: &SimpleCommand) -> bool {
    let arguments = match (command.name(), command.arguments()) {
        ("[", [inner @ .., last]) if last.text == "]" => inner,
        ("test", arguments) => arguments,
        _ => return false,
    };
    let plain = |word: &Word| !word.text.contains(['[', '$', '`']);
    match arguments {
        [operator, operand] => {
            let files = "-b -c -d -e -f -g -h -k -L -n -p -r -s -S -u -w -x -z";
            files.split(' ').any(|known| known == operator.text) && plain(operand)
        }
        [left, operator, right] => {
            matches!(operator.text.as_str(), "=" | "==" | "!=" | "-nt" | "-ot" | "-ef") && plain(left) && plain(right)
        }
        _ => false,
    }
}
