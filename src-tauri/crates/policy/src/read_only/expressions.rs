//! Programs whose arguments are a language of their own: `awk`, `find`, `ip`, `jq`, `sed`, `tar`, `test`.
//!
//! What is read here in another way than the program reads it could be anything. So what can be read in two ways is not
//! read at all, and a sandbox sees to it that the project stays as it is.

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

/// Returns whether every predicate is known. Commands that it runs are judged by themselves.
pub(super) fn find_only_reads(arguments: &[Word]) -> bool {
    let options = arguments.iter().take_while(|word| matches!(word.text.as_str(), "-H" | "-L" | "-P")).count();
    let folders = arguments[options..].iter().take_while(|word| !word.text.starts_with(['-', '(', '!', ','])).count();
    let mut words = arguments[options + folders..].iter();
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
        let Some(length) = matches!(text, "-exec" | "-execdir").then(|| end_of_exec(words.as_slice())).flatten() else {
            return false;
        };
        words.nth(length);
    }
    true
}

/// Returns the end of an `-exec`'s command: at `;`, or at a `+` right after `{}`. A `+` elsewhere is an argument to
/// some versions of `find` and the end to others.
pub(in super::super) fn end_of_exec(words: &[Word]) -> Option<usize> {
    let place = words.iter().position(|word| matches!(word.text.as_str(), ";" | "+"))?;
    let is_end = words[place].text == ";" || words[..place].last().is_some_and(|last| last.text == "{}");
    is_end.then_some(place)
}

/// Words of `awk` that run programs, read files that the line does not name, or tell the environment.
const AWK_REACHES_OUT: &[&str] = &["system", "getline", "ARG", "ENVIRON", "PROCINFO", "SYMTAB", "FUNCTAB", "/inet"];

/// Returns whether the program only prints: without a sign that could write or run (`|`, `@`, and `>` but where it can
/// only compare), and without the words above, wherever they stand. Its only options are `-F` and `-v`.
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

/// Output goes somewhere only within braces, outside of parentheses, and never by `>=`.
fn only_compares(program: &str) -> bool {
    let (condition, actions) = program.split_once('{').unwrap_or((program, ""));
    // `||` and `&&` are none either, but `|` is not looked for here.
    let is_doubled = condition.contains(">>");
    let mut compared = actions.match_indices('>').filter(|(place, _)| !actions[place + 1..].starts_with('='));
    !is_doubled && (compared.next().is_none() || compares_in_parentheses(program))
}

/// `if ($1 > 3) …`: where nothing could be taken for the end of a text or a parenthesis that is none.
fn compares_in_parentheses(program: &str) -> bool {
    let (mut parentheses, mut braces, mut in_text) = (0_usize, 0_usize, false);
    let mut characters = program.chars();
    while let Some(character) = characters.next() {
        match character {
            '"' => in_text = !in_text,
            '\n' if in_text => return false,
            '\\' if in_text => drop(characters.next()),
            _ if in_text => {}
            // A regular expression or a comment.
            '/' | '#' | '\\' => return false,
            '(' => parentheses += 1,
            '{' => braces += 1,
            ')' | '}' => {
                let open = if character == ')' { &mut parentheses } else { &mut braces };
                let Some(left) = open.checked_sub(1) else { return false };
                *open = left;
            }
            '>' if characters.as_str().starts_with('>') => return false,
            '>' if parentheses == 0 && braces > 0 && !characters.as_str().starts_with('=') => return false,
            _ => {}
        }
    }
    true
}

/// Returns whether the scripts only print, delete from the output or replace in it: no `w`, `W`, `e`, `r`, `R`, `F`,
/// `-i`, `-f`.
pub(super) fn sed_only_reads(arguments: &[Word]) -> bool {
    sed_scripts(arguments).is_some_and(|scripts| scripts.iter().all(|script| script_only_prints(script)))
}

/// Returns whether they do so by the numbers of lines alone: `1,20p`, `$d`, `5q`. Nothing in them can be read in two
/// ways.
pub(super) fn sed_picks_lines(arguments: &[Word]) -> bool {
    let is_plain = |script: &String| script.chars().all(|character| "0123456789,$;pdq=! ".contains(character));
    sed_only_reads(arguments) && sed_scripts(arguments).is_some_and(|scripts| scripts.iter().all(is_plain))
}

fn sed_scripts(arguments: &[Word]) -> Option<Vec<String>> {
    let long =
        "quiet silent expression= regexp-extended null-data unbuffered separate line-length= posix debug sandbox";
    let given = flags::given("nErzusl:e:", long, arguments)?;
    let mut scripts: Vec<String> = Vec::new();
    for flag in &given.flags {
        if let Flag::Short('e', Some(script)) | Flag::Long("expression", Some(script)) = flag {
            scripts.push(script.clone());
        }
    }
    if scripts.is_empty() {
        scripts.push(given.operands.first().filter(|first| !first.expands)?.text.clone());
    }
    Some(scripts)
}

/// A script of plain commands, joined by `;` or lines: addresses, then `p`, `d`, `q`, `=`, `l`, `n`, `N`, `s`, `y`, or
/// such commands in braces.
fn script_only_prints(script: &str) -> bool {
    let mut rest = script;
    let mut open_braces = 0_usize;
    loop {
        rest = rest.trim_start_matches([' ', ';', '\n', '\t']);
        if rest.is_empty() {
            return open_braces == 0;
        }
        if let Some(after) = rest.strip_prefix('}') {
            let Some(left) = open_braces.checked_sub(1) else { return false };
            (open_braces, rest) = (left, after.trim_start_matches([' ', '\t']));
        } else {
            let Some(command) = addresses(rest) else { return false };
            if let Some(after) = command.strip_prefix('{') {
                (open_braces, rest) = (open_braces + 1, after);
                continue;
            }
            let Some(after) = one_command(command) else { return false };
            rest = after.trim_start_matches([' ', '\t']);
        }
        if !(rest.is_empty() || rest.starts_with([';', '\n', '}'])) {
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
        let rest = after_regex(inner, '/')?;
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
            // None that means something in a regular expression or to a backslash.
            let delimiter = characters.next().filter(|delimiter| "/|,#:@!~%_;=".contains(*delimiter))?;
            let first = if command == 's' { after_regex } else { after_text };
            let replacement = first(characters.as_str(), delimiter)?;
            let flags = after_text(replacement, delimiter)?;
            // `w` writes a file, `e` runs what was replaced.
            let known =
                |c: char| command == 's' && (matches!(c, 'g' | 'p' | 'i' | 'I' | 'm' | 'M') || c.is_ascii_digit());
            Some(flags.trim_start_matches(known))
        }
        _ => None,
    }
}

/// Returns what follows a regular expression. Some versions of `sed` end it at the first delimiter, others not within
/// brackets: it is read only where all of them see the same end.
fn after_regex(text: &str, delimiter: char) -> Option<&str> {
    let mut rest = text;
    loop {
        let mut characters = rest.chars();
        match characters.next()? {
            '\\' => {
                characters.next().filter(|next| *next != '\n')?;
                rest = characters.as_str();
            }
            '\n' => return None,
            '[' => rest = after_brackets(characters.as_str(), delimiter)?,
            found if found == delimiter => return Some(characters.as_str()),
            _ => rest = characters.as_str(),
        }
    }
}

/// Returns what follows a bracket expression of single characters, ranges and named classes. The delimiter stands in
/// none, a backslash before none of the brackets, and there is no `[.x.]` and no `[=x=]`.
fn after_brackets(text: &str, delimiter: char) -> Option<&str> {
    let members = text.strip_prefix('^').unwrap_or(text);
    // Where it comes first, it is a member.
    let mut rest = members.strip_prefix(']').unwrap_or(members);
    loop {
        let mut characters = rest.chars();
        match characters.next()? {
            ']' => return Some(characters.as_str()),
            '[' => {
                let (name, after) = characters.as_str().strip_prefix(':')?.split_once(":]")?;
                let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase());
                rest = is_name.then_some(after)?;
                continue;
            }
            '\\' => {
                characters.next().filter(|next| !matches!(next, '[' | ']' | '\\' | '\n'))?;
            }
            '\n' => return None,
            found if found == delimiter => return None,
            _ => {}
        }
        rest = characters.as_str();
    }
}

/// Returns what follows a replacement, or the characters of `y`.
fn after_text(text: &str, delimiter: char) -> Option<&str> {
    let mut characters = text.chars();
    loop {
        match characters.next()? {
            '\\' => {
                characters.next().filter(|next| *next != '\n')?;
            }
            '\n' => return None,
            found if found == delimiter => return Some(characters.as_str()),
            _ => {}
        }
    }
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

/// The operators that test one thing, and those that compare two.
const TEST_ONE: &str = "-G -L -N -O -S -b -c -d -e -f -g -h -k -n -p -r -s -t -u -w -x -z";
const TEST_TWO: &str = "!= -ef -eq -ge -gt -le -lt -ne -nt -ot = ==";
/// These of texts and numbers alone.
const TEST_TEXT: &str = "!= -eq -ge -gt -le -lt -n -ne -z = ==";

/// `[ -f FILE ]`, `test "a" = "b"`: what looks at files and compares texts. `-v` evaluates its operand, and so may anything
/// with a bracket in it, and numbers in `[[ … ]]`. What a variable stands for is not known, so it is one word, and only its text is looked at.
pub(super) fn test_only_reads(command: &SimpleCommand) -> bool {
    let arguments = match (command.name(), command.arguments()) {
        ("[", [inner @ .., last]) if last.text == "]" => inner,
        ("[[", [inner @ .., last]) if last.text == "]]" => inner,
        ("test", arguments) => arguments,
        _ => return false,
    };
    let evaluates = command.name() == "[[";
    let is_among = |words: &str, text: &str| words.split(' ').any(|word| word == text);
    let joint = |word: &Word| match evaluates {
        true => matches!(word.text.as_str(), "&&" | "||"),
        false => matches!(word.text.as_str(), "-a" | "-o") && !word.variable,
    };
    let has_variable = arguments.iter().any(|word| word.variable);
    // Of more words than one expression has, a variable could change what is what.
    if has_variable && !evaluates && arguments.iter().any(joint) {
        return false;
    }
    arguments.split(joint).all(|expression| {
        let expression = match expression {
            [not, rest @ ..] if not.text == "!" && !rest.is_empty() => rest,
            all => all,
        };
        let plain = |word: &Word, operator: &str| match word.variable {
            true => is_among(TEST_TEXT, operator) || command.open_ended,
            false => !word.text.contains(['[', '$', '`']),
        };
        match expression {
            [operand] => plain(operand, "-n"),
            [operator, operand] => is_among(TEST_ONE, &operator.text) && plain(operand, &operator.text),
            // There, what is compared as a number is evaluated.
            [left, operator, right] if evaluates && operator.text.starts_with('-') => {
                let is_number =
                    |word: &Word| word.text == "${?}" || word.text.bytes().all(|byte| byte.is_ascii_digit());
                is_among(TEST_TWO, &operator.text) && is_number(left) && is_number(right)
            }
            [left, operator, right] => {
                is_among(TEST_TWO, &operator.text) && plain(left, &operator.text) && plain(right, &operator.text)
            }
            _ => false,
        }
    })
}

/// `ip -br addr show dev lo`, in this order, the verb in full: `ip` takes `a` for `add`, and `-b` for a file of commands.
pub(super) fn ip_only_shows(arguments: &[Word]) -> bool {
    const OPTIONS: &str = "-4 -6 -br -brief -c -color -d -details -h -human -j -json -o -oneline -p -pretty -s -stats";
    const OBJECTS: &str = "a addr address l link n neigh r route rule";
    let is_among = |words: &str, text: &str| words.split(' ').any(|word| word == text);
    let mut words = arguments.iter().map(|word| word.text.as_str()).skip_while(|text| is_among(OPTIONS, text));
    let is_name = |text: &str| {
        text.starts_with(|first: char| first.is_ascii_alphanumeric())
            && text.chars().all(|character| character.is_ascii_alphanumeric() || "._-".contains(character))
    };
    let object = words.next();
    let rest: Vec<&str> = words.collect();
    let shows = match rest.as_slice() {
        [] => true,
        [verb, of @ ..] if is_among("show list ls", verb) => match of {
            [] => true,
            [name] => is_name(name),
            ["dev" | "table", name] => is_name(name),
            _ => false,
        },
        _ => false,
    };
    object.is_some_and(|object| is_among(OBJECTS, object)) && shows
}
