//! Lines for PowerShell, which runs the commands on Windows.
//!
//! No grammar of it is at hand, so only the plainest lines are understood: words of plain ASCII, quotes without
//! anything in them that is evaluated, `|`, `;` and line ends. Everything else is opaque: `$`, backticks, braces,
//! parentheses, commas, `@`, `&`, redirections, comments, `--%`, and every character beyond ASCII (PowerShell takes
//! typographic quotes and dashes for plain ones). Names are brought to one form, so that a rule against `rm` also holds
//! for
//! `Remove-Item`, `del` and `RM.EXE`.

use super::plain_shell::{Unclear, Word};
use super::read_only;
use super::wide_read::WideRead;
use super::word_list::is_in;
use super::{CommandLine, SimpleCommand};

/// The commands and their aliases, in lower case.
const ALIASES: &[(&str, &str)] = &[
    ("compare-object", "compare diff"),
    ("copy-item", "copy cp cpi"),
    ("foreach-object", "foreach"),
    ("format-list", "fl"),
    ("format-table", "ft"),
    ("get-childitem", "dir gci ls"),
    ("get-command", "gcm"),
    ("get-content", "cat gc type"),
    ("get-item", "gi"),
    ("get-location", "gl pwd"),
    ("get-process", "gps ps"),
    ("group-object", "group"),
    ("invoke-expression", "iex"),
    ("invoke-webrequest", "curl iwr wget"),
    ("measure-object", "measure"),
    ("mkdir", "md"),
    ("move-item", "mi move mv"),
    ("remove-item", "del erase rd ri rm rmdir"),
    ("rename-item", "ren"),
    ("resolve-path", "rvpa"),
    ("select-object", "select"),
    ("select-string", "sls"),
    ("set-content", "sc"),
    ("set-location", "cd chdir"),
    ("sort-object", "sort"),
    ("start-process", "saps start"),
    ("stop-process", "kill spps"),
    ("tee-object", "tee"),
    ("where-object", "where"),
    ("write-output", "echo write"),
];

/// A cmdlet, its parameters without a value, and those with one.
struct Cmdlet {
    name: &'static str,
    switches: &'static str,
    parameters: &'static str,
    shows_contents: bool,
}

const fn cmdlet(name: &'static str, switches: &'static str, parameters: &'static str) -> Cmdlet {
    Cmdlet { name, switches, parameters, shows_contents: false }
}

const fn showing_contents(name: &'static str, switches: &'static str, parameters: &'static str) -> Cmdlet {
    Cmdlet { shows_contents: true, ..cmdlet(name, switches, parameters) }
}

const CMDLETS: &[Cmdlet] = &[
    cmdlet("compare-object", "", ""),
    cmdlet("format-list", "", "property"),
    cmdlet("format-table", "autosize wrap hidetableheaders", "property"),
    cmdlet("get-alias", "", "name"),
    cmdlet(
        "get-childitem",
        "recurse file directory name force hidden",
        "path literalpath filter depth include exclude",
    ),
    cmdlet("get-command", "all", "name"),
    showing_contents("get-content", "raw", "path literalpath totalcount head first tail last encoding"),
    cmdlet("get-date", "asutc", "format uformat"),
    cmdlet("get-filehash", "", "path literalpath algorithm"),
    cmdlet("get-host", "", ""),
    cmdlet("get-item", "force", "path literalpath"),
    cmdlet("get-location", "", ""),
    cmdlet("get-process", "", "name id"),
    cmdlet("hostname", "", ""),
    cmdlet("measure-object", "line word character sum average maximum minimum", "property"),
    cmdlet("out-string", "", "width"),
    cmdlet("resolve-path", "relative", "path literalpath"),
    cmdlet("select-object", "unique", "first last skip property expandproperty"),
    showing_contents(
        "select-string",
        "simplematch casesensitive allmatches list quiet notmatch",
        "pattern path literalpath context",
    ),
    cmdlet("sort-object", "descending unique casesensitive", "property"),
    cmdlet("split-path", "leaf parent qualifier noqualifier", "path"),
    cmdlet("test-path", "", "path literalpath pathtype"),
    cmdlet("whoami", "", ""),
    cmdlet("write-output", "", ""),
];

const DESTROYS: &str = "clear-content clear-item format-volume invoke-expression move-item remove-item rename-item \
    set-content stop-computer stop-process";

/// Programs that mean the same wherever they run, judged as on Unix.
const NATIVE: &[&str] =
    &["cargo", "docker", "dotnet", "gh", "git", "go", "kubectl", "node", "npm", "pip", "rustc", "rustup"];

/// One name for a program: in lower case, without `.exe`, the cmdlet for an alias.
pub(super) fn canonical(name: &str) -> String {
    let lower = name.to_ascii_lowercase();
    let stem = [".exe", ".com", ".cmd", ".bat", ".ps1"].iter().find_map(|extension| lower.strip_suffix(extension));
    let stem = stem.unwrap_or(&lower);
    let cmdlet = ALIASES.iter().find(|(_, aliases)| is_in(aliases, stem));
    cmdlet.map_or(stem, |(cmdlet, _)| cmdlet).to_owned()
}

pub(super) fn parse(line: &str) -> CommandLine {
    match read(line) {
        Ok(commands) => CommandLine::Understood(commands),
        Err(why) => opaque(line, why),
    }
}

fn opaque(line: &str, why: Unclear) -> CommandLine {
    let plain: String = line.chars().filter(|c| !"'\"`^".contains(*c)).collect();
    let words = plain.split(|c: char| c.is_whitespace() || c.is_control() || ";|&<>(){}$=,@".contains(c));
    let names =
        words.filter(|word| !word.is_empty()).map(|word| canonical(word.rsplit(['/', '\\']).next().unwrap_or(word)));
    CommandLine::Opaque { words: names.collect(), why }
}

fn read(line: &str) -> Result<Vec<SimpleCommand>, Unclear> {
    let mut commands = Vec::new();
    for part in split(line)? {
        let words = words(&part)?;
        let Some((name, arguments)) = words.split_first() else { continue };
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if name.quoted || !name.text.chars().all(plain) || !name.text.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return Err(Unclear::BUILT_NAME);
        }
        let name = Word::literal(canonical(&name.text));
        commands.push(SimpleCommand::plain([&[name], arguments].concat()));
    }
    if commands.is_empty() { Err(Unclear::EMPTY_COMMAND) } else { Ok(commands) }
}

/// Splits a line at `;`, `|` and line ends, respecting quotes.
fn split(line: &str) -> Result<Vec<String>, Unclear> {
    let mut parts = vec![String::new()];
    let mut quote = None;
    for character in line.chars() {
        if !matches!(character, ' '..='~' | '\t' | '\n') {
            return Err(Unclear::SPECIAL_CHARACTER);
        }
        match (quote, character) {
            (None, '\'' | '"') => quote = Some(character),
            (Some(open), _) if open == character => quote = None,
            (Some('"'), '$' | '`') => return Err(Unclear::VARIABLE),
            (None, ';' | '|' | '\n') => {
                parts.push(String::new());
                continue;
            }
            (None, other) if !is_plain(other) => return Err(Unclear::NOT_PLAIN_WORDS),
            _ => {}
        }
        if let Some(part) = parts.last_mut() {
            part.push(character);
        }
    }
    if quote.is_some() { Err(Unclear::UNCLOSED_QUOTE) } else { Ok(parts) }
}

fn is_plain(character: char) -> bool {
    character.is_ascii_alphanumeric() || " \t-_./\\:=+*~".contains(character)
}

fn words(part: &str) -> Result<Vec<Word>, Unclear> {
    let mut words = Vec::new();
    let mut rest = part.trim_matches([' ', '\t']);
    while let Some(first) = rest.chars().next() {
        let end = if matches!(first, '\'' | '"') {
            rest[1..].find(first).map(|end| end + 2).ok_or(Unclear::UNCLOSED_QUOTE)?
        } else {
            rest.find([' ', '\t']).unwrap_or(rest.len())
        };
        let (text, after) = rest.split_at(end);
        // `'a''b'` and `a'b'` are put together in ways of their own.
        if after.starts_with(['\'', '"']) || !matches!(first, '\'' | '"') && text.contains(['\'', '"']) {
            return Err(Unclear::QUOTE_IN_WORD);
        }
        if !(after.is_empty() || after.starts_with([' ', '\t'])) || text == "--%" {
            return Err(Unclear::NOT_PLAIN_WORDS);
        }
        let quoted = matches!(first, '\'' | '"');
        let inner = if quoted { &text[1..text.len() - 1] } else { text };
        // Cmdlets expand patterns themselves, quoted or not.
        words.push(Word { expands: inner.contains(['*', '[', '?']), quoted, ..Word::literal(inner) });
        rest = after.trim_start_matches([' ', '\t']);
    }
    Ok(words)
}

/// Returns the wide reads, like [`read_only::wide_reads`]: everything stays inside the project, for no sandbox keeps it
/// there.
pub(super) fn wide_reads(line: &CommandLine) -> Option<Vec<WideRead>> {
    let mut wide = Vec::new();
    line.commands()?.iter().all(|command| is_known(command, &mut wide)).then_some(wide)
}

pub(super) fn is_known(command: &SimpleCommand, wide: &mut Vec<WideRead>) -> bool {
    match CMDLETS.iter().find(|cmdlet| cmdlet.name == command.name()) {
        Some(cmdlet) => cmdlet.takes(command.arguments(), wide),
        None if NATIVE.contains(&command.name()) => {
            let plain = command.arguments().iter().all(|word| !word.expands && stays_inside(&word.text));
            plain && read_only::is_read_only(command, wide)
        }
        None => false,
    }
}

impl Cmdlet {
    fn takes(&self, arguments: &[Word], wide: &mut Vec<WideRead>) -> bool {
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            let parameter = word.text.strip_prefix('-').filter(|_| !word.quoted).map(str::to_ascii_lowercase);
            let among = |known: &str, name: &str| !name.is_empty() && is_in(known, name);
            let value = match parameter {
                Some(name) if among(self.switches, &name) => continue,
                Some(name) if among(self.parameters, &name) => words.next(),
                // A negative number is a value.
                Some(number) if number.bytes().all(|byte| byte.is_ascii_digit()) => continue,
                Some(_) => return false,
                None => Some(word),
            };
            let Some(value) = value else { return false };
            if !stays_inside(&value.text) {
                return false;
            }
            if value.expands && self.shows_contents {
                wide.push(WideRead::Unnamed);
            }
        }
        true
    }
}

/// No other drive, no provider such as `env:`, no share, no folder above.
fn stays_inside(text: &str) -> bool {
    !text.contains(':') && !text.starts_with(['/', '\\', '~']) && text.split(['/', '\\']).all(|part| part != "..")
}

pub(super) fn is_destructive(program: &str) -> bool {
    is_in(DESTROYS, program)
}
