//! Programs whose arguments are a language of their own: `awk`, `date`, `find`, `sed`, `test`.
//!
//! A script that is read here in another way than the program reads it could do anything. So only plain ones are read,
//! and a sandbox sees to it that the project stays as it is.

use super::super::SimpleCommand;
use super::super::plain_shell::Word;

/// Returns the end of an `-exec`'s command: at `;`, or at a `+` right after `{}`. A `+` elsewhere is an argument to
/// some versions of `find` and the end to others.
pub(in super::super) fn end_of_exec(words: &[Word]) -> Option<usize> {
    let place = words.iter().position(|word| matches!(word.text.as_str(), ";" | "+"))?;
    let is_end = words[place].text == ";" || words[..place].last().is_some_and(|last| last.text == "{}");
    is_end.then_some(place)
}

/// Words of `awk` that run programs, read files that the line does not name, or tell the environment.
const AWK_REACHES_OUT: &[&str] = &["system", "getline", "ARG", "ENVIRON", "PROCINFO", "SYMTAB", "FUNCTAB", "/inet"];

/// Returns whether the program only prints: without a sign that could write or run (`|`, `@`, and `>` but in front of
/// the actions), and without the words above, wherever they stand. Its only options are `-F` and `-v`.
pub(super) fn awk_only_prints(arguments: &[Word]) -> bool {
    let mut rest = arguments.iter();
    let program = loop {
        let Some(word) = rest.next() else { return false };
        match word.text.as_str() {
            "-F" | "-v" => drop(rest.next()),
            text if text.starts_with("-F") || text.starts_with("-v") => {}
            _ => break word,
        }
    };
    let (condition, actions) = program.text.split_once('{').unwrap_or((&program.text, ""));
    let is_plain = |c: char| (c == ' ' || c == '\n' || c == '\t' || c.is_ascii_graphic()) && !"|@`".contains(c);
    let compares = actions.match_indices('>').all(|(place, _)| actions[place + 1..].starts_with('='));
    !program.expands
        && !program.text.starts_with('-')
        && program.text.chars().all(is_plain)
        && !condition.contains(">>")
        && compares
        && !program.text.contains("\\\n")
        && !arguments.iter().any(|word| AWK_REACHES_OUT.iter().any(|name| word.text.contains(name)))
        && rest.all(|word| !word.text.starts_with('-'))
}

/// Returns whether the scripts only print, delete from the output or replace in it.
pub(super) fn sed_only_prints(arguments: &[Word]) -> bool {
    sed_scripts(arguments).is_some_and(|scripts| {
        scripts.iter().flat_map(|script| script.split([';', '\n'])).all(|command| sed_command_prints(command.trim()))
    })
}

/// Returns whether they do so by the numbers of lines alone: `1,20p`, `$d`, `5q`. Nothing in them can be read in two
/// ways.
pub(super) fn sed_picks_lines(arguments: &[Word]) -> bool {
    let is_plain = |script: &&str| script.chars().all(|character| "0123456789,$;pdq=! ".contains(character));
    sed_scripts(arguments).is_some_and(|scripts| scripts.iter().all(is_plain))
}

/// The values of `-e`, else the first operand; `None` with an option that could write or name a script.
fn sed_scripts(arguments: &[Word]) -> Option<Vec<&str>> {
    const LONG: &[&str] = &["--null-data", "--posix", "--quiet", "--regexp-extended", "--sandbox", "--silent"];
    let (mut scripts, mut operands, mut words) = (Vec::new(), Vec::new(), arguments.iter());
    while let Some(word) = words.next() {
        let text = word.text.as_str();
        match text.strip_prefix('-').filter(|letters| !letters.is_empty()) {
            None => operands.push(word),
            Some(_) if LONG.contains(&text) => {}
            Some(letters) if letters.chars().all(|letter| "nErzsue".contains(letter)) => {
                if letters.contains('e') {
                    let script = words.next().filter(|_| letters.ends_with('e'))?;
                    scripts.push((!script.expands).then_some(script.text.as_str())?);
                }
            }
            Some(_) => return None,
        }
    }
    if scripts.is_empty() {
        scripts.push(operands.first().filter(|first| !first.expands)?.text.as_str());
    }
    Some(scripts)
}

/// One command: a line's number, `$` or a plain expression in slashes, or two of them; then `p`, `d`, `q`, `=` or `s`.
fn sed_command_prints(command: &str) -> bool {
    let Some(rest) = after_address(command) else { return false };
    let rest = match rest.strip_prefix(',') {
        Some(second) => match after_address(second.trim_start_matches(['+', '~'])) {
            Some(after) if after.len() < second.len() => after,
            _ => return false,
        },
        None => rest,
    };
    let rest = rest.trim_start_matches([' ', '!']);
    match rest.chars().next() {
        None => command.is_empty(),
        Some('p' | 'd' | 'q' | '=' | '}' | '{') => rest[1..].trim().is_empty(),
        Some('s') => replaces(&rest[1..]),
        Some(_) => false,
    }
}

fn after_address(text: &str) -> Option<&str> {
    match text.strip_prefix('/') {
        Some(inner) => after(inner, '/').map(|rest| rest.strip_prefix('I').unwrap_or(rest)),
        None => Some(
            text.strip_prefix('$').unwrap_or_else(|| text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '~')),
        ),
    }
}

/// `/a/b/g`: what is written to a file, or run, stands behind the last sign.
fn replaces(text: &str) -> bool {
    let Some(sign) = text.chars().next().filter(|sign| "/|,#:@!~%_".contains(*sign)) else { return false };
    let flags = after(&text[1..], sign).and_then(|replacement| after(replacement, sign));
    flags.is_some_and(|flags| flags.trim().chars().all(|flag| "gpiIm".contains(flag) || flag.is_ascii_digit()))
}

/// Returns what follows the sign. Some versions of `sed` take one in brackets for the end, others not: with brackets around it,
/// nobody knows.
fn after(text: &str, sign: char) -> Option<&str> {
    let (mut characters, mut in_brackets) = (text.chars(), false);
    while let Some(next) = characters.next() {
        match next {
            '\\' => {
                characters.next()?;
            }
            _ if next == sign => return (!in_brackets).then_some(characters.as_str()),
            '[' => in_brackets = true,
            ']' => in_brackets = false,
            _ => {}
        }
    }
    None
}

/// `date -d DAY +FORMAT`, and nothing that would be a time to set.
pub(super) fn date_only_tells(arguments: &[Word]) -> bool {
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let text = word.text.as_str();
        match text {
            "-d" | "-r" | "--date" | "--reference" => drop(words.next()),
            "-R" | "-u" | "--utc" => {}
            _ if ["+", "-I", "--date=", "--iso-8601", "--reference=", "--rfc-"]
                .iter()
                .any(|known| text.starts_with(known)) => {}
            _ => return false,
        }
    }
    true
}

/// `[ -f FILE ]`, `test "a" = "b"`, `printf '%s' x`: without what these evaluate, an index in brackets and numbers in
/// `[[ … ]]`.
pub(super) fn evaluates_nothing(command: &SimpleCommand) -> bool {
    const NUMBERS: &[&str] = &["-eq", "-ge", "-gt", "-le", "-lt", "-ne"];
    let arguments = match (command.name(), command.arguments()) {
        ("[", [inner @ .., last]) if last.text == "]" => inner,
        ("[[", [inner @ .., last]) if last.text == "]]" => inner,
        ("printf" | "test", arguments) => arguments,
        _ => return false,
    };
    let is_plain = |word: &Word| !word.text.contains(['[', '`']) && !matches!(word.text.as_str(), "-R" | "-v");
    let is_number = |word: &Word| word.text == "${?}" || word.text.bytes().all(|byte| byte.is_ascii_digit());
    let evaluates = |words: &[Word]| match words {
        [left, operator, right] => NUMBERS.contains(&operator.text.as_str()) && !(is_number(left) && is_number(right)),
        _ => false,
    };
    // Of more words than one expression has, a variable could change what is what.
    let has_joint = arguments.iter().any(|word| matches!(word.text.as_str(), "-a" | "-o"));
    let may_change = has_joint && arguments.iter().any(|word| word.variable);
    !command.open_ended
        && !may_change
        && arguments.iter().all(is_plain)
        && (command.name() != "[[" || !arguments.windows(3).any(evaluates))
}
