//! A shell line as simple commands, or the plain statement that it is not fully understood.
//!
//! Read with the real grammar of bash and an allow-list of node kinds, and once more by `plain_shell`: whatever either of
//! them does not know (substitutions, redirections to files, functions, background jobs, …), or sees otherwise than the
//! other, makes the whole line opaque, and an opaque line is never allowed silently. Being too strict here costs a
//! question; being too lax could cost a disk.

use super::for_loops;
use super::plain_shell::{self, BARE, Command, IN_QUOTES, Joint, Unclear, VARIABLE_END, Word, is_assignment};
use super::powershell;
use super::wrappers::{self, Inside, Wrapped};
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeMap;
use tree_sitter::{Node, Parser};

/// A longer line is not looked into.
const MAX_LINE_BYTES: usize = 16 * 1024;
/// A line of more commands is not looked into.
const MAX_COMMANDS: usize = 256;
/// `sh -c "sh -c '…'"` deeper than this is not looked into.
const MAX_DEPTH: usize = 6;

/// Variables in front of a command that change nothing but how it speaks.
const HARMLESS_VARIABLES: &[&str] = &[
    "CARGO_TERM_COLOR",
    "CI",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "COLUMNS",
    "FORCE_COLOR",
    "GOARCH",
    "GOOS",
    "LANG",
    "LANGUAGE",
    "LC_ALL",
    "LC_COLLATE",
    "LC_CTYPE",
    "LC_MESSAGES",
    "LC_NUMERIC",
    "LC_TIME",
    "LINES",
    "NODE_ENV",
    "NO_COLOR",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONUNBUFFERED",
    "RUST_BACKTRACE",
    "RUST_LOG",
    "TERM",
    "TZ",
];

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommandLine {
    /// Everything the line runs, in order, joined by `;`, `&&`, `||` or `|`.
    Understood(Vec<SimpleCommand>),
    /// Only the words in it are known, in order, quotes and backslashes removed, and what was not understood.
    Opaque { words: Vec<String>, why: &'static str },
}

/// One program with its arguments, quotes removed, and what it runs in turn if it is a wrapper.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SimpleCommand {
    pub words: Vec<Word>,
    /// More arguments follow that nobody knows yet, as after `xargs`.
    pub open_ended: bool,
    pub inside: Inside,
    /// The files that are its standard input.
    pub inputs: Vec<Word>,
    pub joint: Joint,
}

/// What carries a line out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shell {
    Bash,
    PowerShell,
}

impl Shell {
    /// As `arki_workspace::run` starts it here.
    #[must_use]
    pub const fn native() -> Self {
        if cfg!(windows) { Self::PowerShell } else { Self::Bash }
    }
}

thread_local! {
    static PARSER: RefCell<Option<Parser>> = RefCell::new(bash());
}

fn bash() -> Option<Parser> {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_bash::LANGUAGE.into()).ok()?;
    Some(parser)
}

impl CommandLine {
    /// For the shell of this system.
    #[must_use]
    pub fn parse(line: &str) -> Self {
        Self::parse_as(Shell::native(), line)
    }

    #[must_use]
    pub fn parse_as(shell: Shell, line: &str) -> Self {
        match shell {
            Shell::Bash => Self::parse_at(line, 0),
            Shell::PowerShell if line.len() > MAX_LINE_BYTES => Self::opaque(line, "too much in it"),
            Shell::PowerShell => powershell::parse(line),
        }
    }

    /// `depth` counts the shells around this line.
    pub(super) fn parse_at(line: &str, depth: usize) -> Self {
        match read_twice(line, depth) {
            Ok(commands) => {
                Self::Understood(commands.into_iter().map(|command| SimpleCommand::new(command, depth)).collect())
            }
            Err(why) => Self::opaque(line, why),
        }
    }

    /// An argument vector given as such: no shell is involved.
    #[must_use]
    pub fn from_argv(argv: Vec<String>) -> Self {
        if argv.is_empty() {
            return Self::Opaque { words: Vec::new(), why: "an empty command" };
        }
        let words = argv.into_iter().map(Word::literal).collect();
        Self::Understood(vec![SimpleCommand::new(Command { words, ..Command::default() }, 0)])
    }

    #[must_use]
    pub fn commands(&self) -> Option<&[SimpleCommand]> {
        match self {
            Self::Understood(commands) => Some(commands),
            Self::Opaque { .. } => None,
        }
    }

    /// What keeps the line, or a wrapper in it, from being understood.
    #[must_use]
    pub fn unclear(&self) -> Option<&'static str> {
        match self {
            Self::Understood(commands) => commands.iter().find_map(SimpleCommand::unclear),
            Self::Opaque { why, .. } => Some(why),
        }
    }

    /// Whether the line runs this, as far as can be told: rather once too often.
    #[must_use]
    pub fn may_run(&self, wanted: &[String]) -> bool {
        match self {
            // What a shell is fed may be anything that stands before it.
            Self::Understood(commands) if commands.iter().skip(1).any(SimpleCommand::is_fed_shell) => {
                commands.iter().any(|command| command.may_run(wanted) || command.mentions(wanted))
            }
            Self::Understood(commands) => commands.iter().any(|command| command.may_run(wanted)),
            Self::Opaque { words, .. } => mentions(words, wanted),
        }
    }

    /// Everything the line runs, wrappers and what is inside them.
    pub(super) fn all(&self) -> Vec<&SimpleCommand> {
        let mut all = Vec::new();
        self.commands().into_iter().flatten().for_each(|command| command.collect(&mut all));
        all
    }

    pub(super) fn opaque(line: &str, why: &'static str) -> Self {
        let plain: String = line.chars().filter(|c| !"'\"\\".contains(*c)).collect();
        let words = plain.split(|c: char| c.is_whitespace() || c.is_control() || ";|&<>(){}$`=!,".contains(c));
        Self::Opaque { words: words.filter(|word| !word.is_empty()).map(str::to_owned).collect(), why }
    }
}

impl SimpleCommand {
    /// It may begin with harmless assignments, which are left out.
    pub(super) fn new(command: Command, depth: usize) -> Self {
        let Command { words, inputs, joint } = command;
        let program = words.iter().position(|word| !is_assignment(word)).unwrap_or(0);
        Self { inputs, joint, ..Self::of_argv(words.into_iter().skip(program).collect(), false, depth) }
    }

    /// A command that is not looked into.
    pub(super) fn plain(words: Vec<Word>) -> Self {
        Self { words, open_ended: false, inside: Inside::Nothing, inputs: Vec::new(), joint: Joint::Then }
    }

    pub(super) fn of_argv(words: Vec<Word>, open_ended: bool, depth: usize) -> Self {
        let inside = if depth < MAX_DEPTH { wrappers::inside(&words, open_ended, depth) } else { Inside::Unknown };
        Self { open_ended, inside, ..Self::plain(words) }
    }

    /// The program as it was named.
    #[must_use]
    pub fn name(&self) -> &str {
        self.words.first().map_or("", |word| &word.text)
    }

    /// The program's name without its folder.
    #[must_use]
    pub fn program(&self) -> &str {
        self.name().rsplit('/').next().unwrap_or_default()
    }

    #[must_use]
    pub fn arguments(&self) -> &[Word] {
        self.words.get(1..).unwrap_or_default()
    }

    fn collect<'a>(&'a self, all: &mut Vec<&'a Self>) {
        all.push(self);
        if let Inside::Commands(wrapped) = &self.inside {
            wrapped.commands.iter().for_each(|command| command.collect(all));
        }
    }

    fn unclear(&self) -> Option<&'static str> {
        match &self.inside {
            Inside::Nothing => None,
            Inside::Unknown => Some("a wrapper that can't be looked into"),
            Inside::Commands(wrapped) => wrapped.commands.iter().find_map(Self::unclear),
        }
    }

    /// Whether an allowing rule covers this and everything inside. A rule that names only a wrapper covers nothing, one
    /// that names what is inside covers a wrapper that adds nothing to it. What a file feeds it, no rule speaks of.
    pub(super) fn is_covered(&self, prefix: &[String]) -> bool {
        if !self.inputs.is_empty() {
            return false;
        }
        let named = prefix.len() <= self.words.len()
            && prefix.iter().zip(&self.words).all(|(wanted, word)| !word.expands && *wanted == word.text);
        match &self.inside {
            Inside::Nothing => named,
            Inside::Unknown => false,
            Inside::Commands(Wrapped { starts_at, commands, is_transparent }) => {
                (named && prefix.len() > *starts_at)
                    || (*is_transparent && commands.iter().all(|command| command.is_covered(prefix)))
            }
        }
    }

    fn may_run(&self, wanted: &[String]) -> bool {
        if self.is_that_program(wanted) {
            return true;
        }
        match &self.inside {
            Inside::Nothing if wrappers::is_runner(self) => self.mentions(wanted),
            Inside::Nothing => false,
            Inside::Unknown => self.mentions(wanted),
            Inside::Commands(wrapped) => wrapped.commands.iter().any(|command| command.may_run(wanted)),
        }
    }

    /// When it comes to forbidding, a program named by its path is that program too, and options between the program and
    /// its subcommand don't hide it: `git -C x push`, `cargo +nightly publish`.
    fn is_that_program(&self, prefix: &[String]) -> bool {
        let Some((first, rest)) = prefix.split_first() else { return false };
        (self.name() == first || self.program() == first) && follows(self.arguments(), rest)
    }

    /// A shell that is named no script and no line reads its input.
    pub(super) fn is_fed_shell(&self) -> bool {
        let only_flags = self.arguments().iter().all(|word| matches!(word.text.as_str(), "-" | "-s" | "-x" | "-e"));
        only_flags && wrappers::is_shell(self.program())
    }

    fn mentions(&self, wanted: &[String]) -> bool {
        let separators = |c: char| c.is_whitespace() || ";|&<>(){}[]$`=!:,'\"".contains(c);
        let words: Vec<&str> = self.words.iter().flat_map(|word| word.text.split(separators)).collect();
        mentions(&words, wanted)
    }
}

/// Whether `wanted` stands at the beginning, options and their values aside.
fn follows(words: &[Word], wanted: &[String]) -> bool {
    let mut reachable = vec![false; words.len() + 2];
    reachable[0] = true;
    (0..=words.len()).any(|place| {
        if !reachable[place] {
            return false;
        }
        if words.get(place).is_some_and(|word| word.text.starts_with(['-', '+'])) {
            // The next word may be the option's value.
            reachable[place + 1] = true;
            reachable[place + 2] = true;
        }
        let rest = &words[place..];
        wanted.len() <= rest.len() && wanted.iter().zip(rest).all(|(wanted, word)| *wanted == word.text)
    })
}

/// Whether these words stand in the line one after another, the first one also at the end of a path.
fn mentions(words: &[impl AsRef<str>], wanted: &[String]) -> bool {
    let Some(first) = wanted.first() else { return false };
    words.windows(wanted.len()).any(|found| {
        found[0].as_ref().rsplit('/').next() == Some(first.as_str())
            && found[1..].iter().zip(&wanted[1..]).all(|(found, wanted)| found.as_ref() == wanted)
    })
}

/// The line's commands, where both readers see the same.
fn read_twice(line: &str, depth: usize) -> Result<Vec<Command>, Unclear> {
    if line.len() > MAX_LINE_BYTES || depth > MAX_DEPTH {
        return Err("too much in it");
    }
    let plain = plain_shell::read(line)?;
    let by_grammar = read_by_grammar(&in_ascii(line));
    let same = by_grammar.as_ref().map(|theirs| {
        let same_words = |(theirs, ours): (&Vec<String>, &Command)| {
            let ours = ours.words.iter().map(|word| in_ascii(&word.text));
            ours.len() == theirs.len() && ours.zip(theirs).all(|(ours, theirs)| ours == *theirs)
        };
        theirs.commands.len() == plain.commands.len()
            && theirs.commands.iter().zip(&plain.commands).all(same_words)
            && plain
                .redirections
                .iter()
                .map(|ours| in_ascii(ours).into_owned())
                .eq(theirs.redirections.values().cloned())
    });
    let commands = for_loops::unroll(plain.commands, MAX_COMMANDS)?;
    let assignments = commands.iter().flat_map(|command| command.words.iter().take_while(|word| is_assignment(word)));
    if assignments.into_iter().any(|word| !is_harmless(word)) {
        return Err("a variable set for a command");
    }
    match same {
        None => Err("what bash's grammar does not take for simple commands"),
        Some(false) => Err("what can be read in two ways"),
        Some(true) => Ok(commands),
    }
}

pub(super) fn is_harmless(assignment: &Word) -> bool {
    let name = assignment.text.split('=').next().unwrap_or_default();
    HARMLESS_VARIABLES.contains(&name) && !assignment.expands
}

/// To a shell all other characters are alike. The grammar's scanner asks C's `isdigit` of them, which reads beyond its table
/// and may end the process.
fn in_ascii(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(|character| if character.is_ascii() { character } else { '%' }).collect())
}

/// What bash's grammar sees.
#[derive(Default)]
struct Grammatical {
    commands: Vec<Vec<String>>,
    /// By where they stand.
    redirections: BTreeMap<usize, String>,
}

fn read_by_grammar(line: &str) -> Option<Grammatical> {
    let tree = PARSER.with_borrow_mut(|parser| parser.as_mut()?.parse(line, None))?;
    let root = tree.root_node();
    let mut read = Grammatical::default();
    let around_is_blank = is_blank(&line[..root.start_byte()]) && is_blank(&line[root.end_byte()..]);
    if !around_is_blank {
        return None;
    }
    collect(root, line, &mut read)?;
    Some(read)
}

/// `None` as soon as something is not understood.
fn collect(node: Node<'_>, line: &str, read: &mut Grammatical) -> Option<()> {
    if node.is_error() || node.is_missing() || !gaps_are_blank(node, line) {
        return None;
    }
    match node.kind() {
        "program" | "list" | "pipeline" | "redirected_statement" => {
            let mut cursor = node.walk();
            for child in node.children(&mut cursor) {
                collect(child, line, read)?;
            }
            Some(())
        }
        "command" => {
            let command = simple_command(node, line, &mut read.redirections)?;
            read.commands.push(command);
            Some(())
        }
        "file_redirect" => redirection(node, line, &mut read.redirections),
        "for_statement" => for_loop(node, line, read),
        // `[[ … ]]` and `(( … ))` have other brackets and are not understood.
        "test_command" if line[node.byte_range()].starts_with("[ ") => {
            let mut words = Vec::new();
            test_words(node, line, &mut words)?;
            read.commands.push(words);
            Some(())
        }
        "&&" | "||" | ";" | "|" | "|&" | "\n" | "comment" => Some(()),
        _ => None,
    }
}

/// As `plain_shell` reads it: its head, what it does, of which the first begins with `do`, and `done`.
fn for_loop(node: Node<'_>, line: &str, read: &mut Grammatical) -> Option<()> {
    let mut head = Vec::new();
    let mut cursor = node.walk();
    for child in node.children(&mut cursor) {
        match child.kind() {
            "for" | "in" | "variable_name" => head.push(line[child.byte_range()].to_owned()),
            ";" | "\n" | "comment" => {}
            "do_group" => {
                read.commands.push(std::mem::take(&mut head));
                let first = read.commands.len();
                do_group(child, line, read)?;
                read.commands.get_mut(first)?.insert(0, "do".to_owned());
            }
            _ => head.push(word(child, line)?),
        }
    }
    read.commands.push(vec!["done".to_owned()]);
    head.is_empty().then_some(())
}

fn do_group(node: Node<'_>, line: &str, read: &mut Grammatical) -> Option<()> {
    if node.has_error() || !gaps_are_blank(node, line) {
        return None;
    }
    let mut cursor = node.walk();
    node.children(&mut cursor)
        .filter(|child| !matches!(child.kind(), "do" | "done"))
        .try_for_each(|child| collect(child, line, read))
}

/// Without its blanks. One that takes what follows for a second file is not understood.
fn redirection(node: Node<'_>, line: &str, redirections: &mut BTreeMap<usize, String>) -> Option<()> {
    if node.has_error() || !gaps_are_blank(node, line) {
        return None;
    }
    let mut text = String::new();
    let mut files = 0;
    let mut cursor = node.walk();
    for child in node.children(&mut cursor) {
        match child.kind() {
            "file_descriptor" => text.push_str(&line[child.byte_range()]),
            "<" | ">" | ">>" | "&>" | "&>>" | ">&" if child.child_count() == 0 => {
                text.push_str(&line[child.byte_range()])
            }
            _ => {
                files += 1;
                text.push_str(&word(child, line)?);
            }
        }
    }
    redirections.insert(node.start_byte(), text);
    (files == 1).then_some(())
}

/// The grammar skips some text, such as a backslash before a line's end, without a node for it. Whatever stands between
/// nodes and is not plainly blank is not understood.
fn gaps_are_blank(node: Node<'_>, line: &str) -> bool {
    let mut end = node.start_byte();
    let mut cursor = node.walk();
    let mut blank = true;
    for child in node.children(&mut cursor) {
        blank &= is_blank(&line[end.min(child.start_byte())..child.start_byte()]);
        end = child.end_byte();
    }
    blank && (node.child_count() == 0 || is_blank(&line[end..node.end_byte()]))
}

fn is_blank(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'\n'))
}

fn simple_command(node: Node<'_>, line: &str, redirections: &mut BTreeMap<usize, String>) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut cursor = node.walk();
    for child in node.children(&mut cursor) {
        let word = match child.kind() {
            "file_redirect" => {
                redirection(child, line, redirections)?;
                continue;
            }
            "command_name" if child.child_count() == 1 => word(child.child(0)?, line)?,
            "command_name" => return None,
            "variable_assignment" => assignment(child, line)?,
            _ => word(child, line)?,
        };
        words.push(word);
    }
    Some(words)
}

fn assignment(node: Node<'_>, line: &str) -> Option<String> {
    let name = &line[node.child_by_field_name("name")?.byte_range()];
    let value = node.child_by_field_name("value").map_or_else(|| Some(String::new()), |value| word(value, line))?;
    let written_so = line[node.byte_range()].starts_with(&format!("{name}="));
    written_so.then(|| format!("{name}={value}"))
}

/// `[ … ]` is a command like any other to the shell; the grammar knows its expressions.
fn test_words(node: Node<'_>, line: &str, words: &mut Vec<String>) -> Option<()> {
    if !gaps_are_blank(node, line) {
        return None;
    }
    let mut cursor = node.walk();
    for child in node.children(&mut cursor) {
        match child.kind() {
            "unary_expression" | "binary_expression" => test_words(child, line, words)?,
            "[" | "]" | "test_operator" | "=" | "==" | "!=" => words.push(line[child.byte_range()].to_owned()),
            _ => words.push(word(child, line)?),
        }
    }
    Some(())
}

fn word(node: Node<'_>, line: &str) -> Option<String> {
    if node.is_error() || node.is_missing() {
        return None;
    }
    let source = &line[node.byte_range()];
    match node.kind() {
        "word" | "number" => unescaped(source),
        "raw_string" => Some(source.strip_prefix('\'')?.strip_suffix('\'')?.to_owned()),
        "string" => quoted(node, line),
        "simple_expansion" | "expansion" => variable(node, line, BARE),
        "concatenation" => {
            let mut cursor = node.walk();
            node.children(&mut cursor).map(|child| word(child, line)).collect()
        }
        // Brackets and braces of patterns.
        "[" | "]" | "{" | "}" => Some(source.to_owned()),
        _ => None,
    }
}

/// What stands in double quotes; text between the nodes belongs to it.
fn quoted(node: Node<'_>, line: &str) -> Option<String> {
    let end = node.end_byte().checked_sub(1)?;
    let mut place = node.start_byte() + 1;
    line.get(node.byte_range())?.strip_prefix('"')?.strip_suffix('"')?;
    let mut text = String::new();
    let mut cursor = node.walk();
    for child in node.children(&mut cursor) {
        match child.kind() {
            "\"" | "string_content" | "$" => {}
            "simple_expansion" | "expansion" => {
                text.push_str(&unescaped_in_quotes(line.get(place..child.start_byte())?));
                text.push_str(&variable(child, line, IN_QUOTES)?);
                place = child.end_byte();
            }
            _ => return None,
        }
    }
    text.push_str(&unescaped_in_quotes(line.get(place..end)?));
    Some(text)
}

fn variable(node: Node<'_>, line: &str, begin: char) -> Option<String> {
    let source = line[node.byte_range()].strip_prefix('$').filter(|_| !node.has_error())?;
    let inner = match source.strip_prefix('{') {
        Some(inner) => inner.strip_suffix('}')?,
        None => source,
    };
    Some(format!("{begin}{inner}{VARIABLE_END}"))
}

/// What a backslash outside quotes makes of the next character; `None` for what is not plain.
fn unescaped(source: &str) -> Option<String> {
    let mut text = String::new();
    let mut characters = source.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => text.push(characters.next()?),
            '`' | '$' | '!' | '\'' | '"' => return None,
            other => text.push(other),
        }
    }
    Some(text)
}

fn unescaped_in_quotes(inner: &str) -> String {
    let mut text = String::new();
    let mut characters = inner.chars().peekable();
    while let Some(character) = characters.next() {
        match (character, characters.peek()) {
            ('\\', Some('"' | '\\' | '$' | '`')) => text.extend(characters.next()),
            (other, _) => text.push(other),
        }
    }
    text
}
