//! A reader of shell lines, small enough to be checked by eye: it knows words, quotes, comments, the operators that join
//! commands, redirections that write nothing, variables without anything to evaluate, and the marks of plain compound
//! commands (which `compound` puts together). It refuses everything else, each with the reason that the user is told.

use super::invisible::invisible_character;
use arki_domain::ReasonCode;
use std::iter::Peekable;
use std::str::Chars;

/// Marks of compound commands: each is a command of its own to this reader, where a command may begin.
const MARKS: &[&str] = &["!", "{", "do", "elif", "else", "if", "then", "until", "while"];
/// The words that end a compound command; only redirections may follow.
const CLOSING: &[&str] = &["}", "done", "fi"];
/// Words that begin something else than a simple command.
const RESERVED: &[&str] = &[
    "if", "then", "elif", "else", "fi", "do", "done", "case", "esac", "while", "until", "for", "select", "function",
    "in", "{", "}", "coproc",
];

/// A mark in a word's text while a line is read: a quoted variable begins here.
pub(super) const IN_QUOTES: char = '\u{1}';
/// One that did not, so that a shell splits what it stands for.
pub(super) const BARE: char = '\u{3}';
/// The variable ends.
pub(super) const VARIABLE_END: char = '\u{2}';
pub(super) const VARIABLE: Unclear = Unclear::VARIABLE;
pub(super) const NULL_DEVICE: &str = "/dev/null";

/// One word of a command, quotes and backslashes removed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Word {
    pub text: String,
    /// It has `*`, `?`, `[` or `{` outside quotes, or stands for what is known only later: it may become other words.
    pub expands: bool,
    /// Some of it was quoted.
    pub quoted: bool,
    /// It has a variable, whose value nobody knows here.
    pub variable: bool,
    /// It is made of what a loop runs through, one at a time: the loop's list is a pattern.
    pub is_each: bool,
}

impl Word {
    #[must_use]
    pub(crate) fn literal(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }
}

/// A simple command as it stands in a line, or a mark of a compound one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct LineCommand {
    /// Assignments in front included.
    pub(super) words: Vec<Word>,
    /// The files that it reads as its standard input.
    pub(super) inputs: Vec<Word>,
    pub(super) joint: Joint,
}

impl LineCommand {
    /// Returns whether it is this mark, or a loop's head that begins so.
    pub(super) fn is_mark(&self, name: &str) -> bool {
        self.words.first().is_some_and(|word| word.text == name && !word.quoted)
    }
}

/// The joint between a command and the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Joint {
    /// After `;` or a new line, or the first command.
    #[default]
    Then,
    And,
    Or,
    Pipe,
}

/// Why a line is not understood; goes on with "The line has …".
pub(super) type Unclear = ReasonCode;

/// The commands of a line. Compound ones are not put together yet.
pub(super) fn read(line: &str) -> Result<Vec<LineCommand>, Unclear> {
    invisible_character(line).map_or(Ok(()), Err)?;
    let mut reader = ShellReader {
        characters: line.chars().peekable(),
        read: Vec::new(),
        command: LineCommand::default(),
        word: None,
        expected: None,
        is_redirected: false,
        is_closed: false,
    };
    reader.read()?;
    Ok(reader.read)
}

struct ShellReader<'a> {
    characters: Peekable<Chars<'a>>,
    read: Vec<LineCommand>,
    command: LineCommand,
    word: Option<Word>,
    /// The redirection whose file comes next.
    expected: Option<String>,
    /// The command has a redirection.
    is_redirected: bool,
    /// The command is the end of a compound one.
    is_closed: bool,
}

impl ShellReader<'_> {
    fn read(&mut self) -> Result<(), Unclear> {
        // After `&&`, `||` and `|` another command has to come.
        let mut expects_command = false;
        while let Some(character) = self.characters.next() {
            match character {
                ' ' | '\t' => self.end_word()?,
                '\n' => expects_command &= !self.end_command(Joint::Then)?,
                ';' => self.end_command(Joint::Then)?.then_some(()).ok_or(Unclear::EMPTY_COMMAND)?,
                '(' if self.may_open_subshell() => {
                    self.mark(Word::literal("("));
                    expects_command = true;
                    continue;
                }
                ')' => {
                    self.end_command(Joint::Then)?;
                    self.close(Word::literal(")"));
                }
                '&' if self.characters.peek() == Some(&'>') => self.redirection('&')?,
                '<' | '>' => self.redirection(character)?,
                '&' | '|' if self.is_in_test(character) => {
                    self.characters.next();
                    self.command.words.push(Word::literal([character, character].iter().collect::<String>()));
                }
                '&' | '|' => {
                    self.operator(character)?;
                    expects_command = true;
                    continue;
                }
                '#' if self.word.is_none() => while self.characters.next_if(|next| *next != '\n').is_some() {},
                other => self.part_of_word(other)?,
            }
            if !self.command.words.is_empty() || self.word.is_some() {
                expects_command = false;
            }
        }
        if !self.end_command(Joint::Then)? && (expects_command || self.read.is_empty()) {
            return Err(Unclear::EMPTY_COMMAND);
        }
        Ok(())
    }

    /// `&&` and `||` within `[[ … ]]` join its own conditions.
    fn is_in_test(&mut self, operator: char) -> bool {
        let is_between_words = self.word.is_none() && self.characters.peek() == Some(&operator);
        let begins = self.command.is_mark("[[");
        begins && is_between_words && self.command.words.last().is_some_and(|last| last.text != "]]" || last.quoted)
    }

    /// Returns whether a command may begin here. `((` is arithmetic.
    fn may_open_subshell(&self) -> bool {
        let begins = self.word.is_none() && self.command.words.is_empty() && self.expected.is_none();
        begins && !self.is_redirected && self.characters.clone().next() != Some('(')
    }

    /// Adds a mark, after which a command may follow.
    fn mark(&mut self, word: Word) {
        let mark = LineCommand { words: vec![word], ..std::mem::take(&mut self.command) };
        self.read.push(mark);
    }

    fn close(&mut self, word: Word) {
        self.command.words.push(word);
        self.is_closed = true;
    }

    fn operator(&mut self, first: char) -> Result<(), Unclear> {
        let doubled = self.characters.next_if_eq(&first).is_some();
        let joint = match (first, doubled) {
            ('&', false) => return Err(Unclear::BACKGROUND_JOB),
            ('&', true) => Joint::And,
            (_, true) => Joint::Or,
            (_, false) => {
                // `|&` takes what is said of errors along.
                self.characters.next_if_eq(&'&');
                Joint::Pipe
            }
        };
        self.end_command(joint)?.then_some(()).ok_or(Unclear::EMPTY_COMMAND)
    }

    /// Only what writes nothing: to the null device, from one output to the other, and from a file.
    fn redirection(&mut self, first: char) -> Result<(), Unclear> {
        const UNKNOWN: Unclear = Unclear::REDIRECTION_TO_FILE;
        let is_number = |word: &Word| !word.quoted && word.text.bytes().all(|byte| byte.is_ascii_digit());
        let mut sign = String::new();
        match &self.word {
            Some(word) if is_number(word) => {
                sign.clone_from(&word.text);
                let is_known = matches!(sign.as_str(), "0" | "1" | "2") && first != '&' && self.expected.is_none();
                is_known.then_some(()).ok_or(UNKNOWN)?;
                self.word = None;
            }
            // `{name}>` opens a file under a number of its own.
            Some(word) if word.text.ends_with('}') => return Err(UNKNOWN),
            _ => {}
        }
        self.end_word()?;
        let is_comparison =
            self.command.is_mark("[[") && self.command.words.last().is_some_and(|last| last.text != "]]");
        if self.expected.is_some() || is_comparison {
            return Err(UNKNOWN);
        }
        self.is_redirected = true;
        sign.push(first);
        if first == '&' {
            sign.extend(self.characters.next());
        }
        let writes = sign.ends_with('>');
        if writes && self.characters.next_if_eq(&'>').is_some() {
            sign.push('>');
        }
        match self.characters.peek() {
            Some('&') if writes && first == '>' && !sign.ends_with(">>") => {
                self.characters.next();
                self.characters.next_if(|next| matches!(next, '1' | '2')).ok_or(UNKNOWN)?;
                let ends =
                    self.characters.peek().is_none_or(|next| matches!(next, ' ' | '\t' | '\n' | ';' | '|' | '&'));
                ends.then_some(()).ok_or(UNKNOWN)?;
                Ok(())
            }
            Some('<' | '>' | '&' | '|' | '(') => Err(UNKNOWN),
            _ => {
                self.expected = Some(sign);
                Ok(())
            }
        }
    }

    /// The file behind a redirection.
    fn redirected(&mut self, sign: &str, file: Word) -> Result<(), Unclear> {
        let is_null = file.text == NULL_DEVICE && !file.quoted && !file.expands;
        let is_file = sign == "<" && !file.expands && !file.variable && !file.text.is_empty();
        if !is_null && !is_file {
            return Err(Unclear::REDIRECTION_TO_FILE);
        }
        if !is_null {
            self.command.inputs.push(file);
        }
        Ok(())
    }

    fn part_of_word(&mut self, character: char) -> Result<(), Unclear> {
        match character {
            '(' | ')' => return Err(Unclear::FUNCTION),
            '$' if self.ends_word() => self.push('$', false),
            '$' => return self.variable(BARE),
            '`' => return Err(VARIABLE),
            '!' if self.is_alone() => self.push('!', false),
            '!' => return Err(Unclear::HISTORY_EXPANSION),
            '\\' => {
                let escaped = self.characters.next().filter(|next| *next == ' ' || next.is_ascii_punctuation());
                let escaped = escaped.ok_or(Unclear::BACKSLASH)?;
                self.push(escaped, true);
            }
            '\'' => {
                let mut closed = false;
                self.word.get_or_insert_default().quoted = true;
                while let Some(next) = self.characters.next() {
                    if next == '\'' {
                        closed = true;
                        break;
                    }
                    self.push(next, true);
                }
                return closed.then_some(()).ok_or(Unclear::UNCLOSED_QUOTE);
            }
            '"' => return self.double_quoted(),
            '{' if self.is_empty_braces() => {
                self.characters.next();
                self.push('{', false);
                self.push('}', false);
            }
            '{' if self.is_text_in_braces() => {
                self.push('{', false);
                while let Some(next) = self.characters.next_if(|next| *next != '}') {
                    self.push(next, false);
                }
                self.characters.next();
                self.push('}', false);
            }
            '*' | '?' | '[' | '{' | '}' => {
                self.push(character, false);
                self.word.get_or_insert_default().expands = true;
            }
            other => self.push(other, false),
        }
        Ok(())
    }

    fn ends_word(&self) -> bool {
        self.characters.clone().next().is_none_or(|next| matches!(next, ' ' | '\t' | '\n' | ';' | '|' | '&' | ')'))
    }

    /// `!` between blanks.
    fn is_alone(&self) -> bool {
        self.word.is_none() && matches!(self.characters.clone().next(), Some(' ' | '\t' | '\n'))
    }

    /// `{}` at a word's end is left as it is by the shell; `find -exec` and `xargs -I{}` use it.
    fn is_empty_braces(&self) -> bool {
        let mut ahead = self.characters.clone();
        let is_end = |next: Option<char>| next.is_none_or(|next| matches!(next, ' ' | '\t' | '\n'));
        ahead.next() == Some('}') && is_end(ahead.next())
    }

    /// `stash@{0}`, `@{upstream}`: braces around one text are no pattern.
    fn is_text_in_braces(&self) -> bool {
        let is_plain = |next: &char| next.is_ascii_alphanumeric() || "_-.".contains(*next);
        let inner: String = self.characters.clone().take_while(is_plain).collect();
        !inner.is_empty() && !inner.contains("..") && self.characters.clone().nth(inner.len()) == Some('}')
    }

    fn double_quoted(&mut self) -> Result<(), Unclear> {
        self.word.get_or_insert_default().quoted = true;
        while let Some(next) = self.characters.next() {
            match next {
                '"' => return Ok(()),
                '`' => return Err(VARIABLE),
                // Only before what can't begin a name is it a plain dollar.
                '$' if !matches!(self.characters.peek(), Some('"' | ' ' | '|')) => self.variable(IN_QUOTES)?,
                '\\' => match self.characters.peek() {
                    Some('"' | '\\' | '$' | '`') => {
                        let escaped = self.characters.next().unwrap_or_default();
                        self.push(escaped, true);
                    }
                    Some('\n') | None => return Err(Unclear::BACKSLASH),
                    Some(_) => self.push('\\', true),
                },
                other => self.push(other, true),
            }
        }
        Err(Unclear::UNCLOSED_QUOTE)
    }

    /// `$NAME`, `${NAME}`, `$?`, `${NAME:-TEXT}`, `${NAME%TEXT}` and `${PIPESTATUS[0]}`: nothing of it is evaluated or
    /// set.
    fn variable(&mut self, begin: char) -> Result<(), Unclear> {
        let mut inner = String::new();
        let is_of_name = |next: &char| next.is_ascii_alphanumeric() || *next == '_';
        match self.characters.peek() {
            Some('?') => inner.extend(self.characters.next()),
            Some('{') => {
                self.characters.next();
                while let Some(next) = self.characters.next_if(|next| *next != '}') {
                    inner.push(next);
                }
                self.characters.next().ok_or(VARIABLE)?;
            }
            Some(first) if first.is_ascii_alphabetic() || *first == '_' => {
                while let Some(next) = self.characters.next_if(is_of_name) {
                    inner.push(next);
                }
            }
            _ => return Err(VARIABLE),
        }
        is_plain_variable(&inner).then_some(()).ok_or(VARIABLE)?;
        let word = self.word.get_or_insert_default();
        word.text.push(begin);
        word.text.push_str(&inner);
        word.text.push(VARIABLE_END);
        word.variable = true;
        word.quoted |= begin == IN_QUOTES;
        Ok(())
    }

    fn push(&mut self, character: char, quoted: bool) {
        let word = self.word.get_or_insert_default();
        word.text.push(character);
        word.quoted |= quoted;
    }

    fn end_word(&mut self) -> Result<(), Unclear> {
        let Some(mut word) = self.word.take() else { return Ok(()) };
        // A bracket alone is the command `[`, a brace alone is no pattern.
        word.expands &= !matches!(word.text.as_str(), "[" | "[[" | "]]" | "{" | "}");
        if let Some(sign) = self.expected.take() {
            return self.redirected(&sign, word);
        }
        if self.is_closed {
            return Err(Unclear::WORDS_AFTER_COMPOUND);
        }
        let may_be_mark = self.command.words.is_empty() && !word.quoted;
        match word.text.as_str() {
            mark if may_be_mark && (MARKS.contains(&mark) || CLOSING.contains(&mark)) => {
                // Behind a redirection it is none.
                (!self.is_redirected).then_some(()).ok_or(Unclear::COMPOUND_COMMAND)?;
                if MARKS.contains(&mark) { self.mark(word) } else { self.close(word) }
            }
            _ => self.command.words.push(word),
        }
        Ok(())
    }

    /// Returns whether there was a command to end. `joint` is how the next one follows.
    fn end_command(&mut self, joint: Joint) -> Result<bool, Unclear> {
        self.end_word()?;
        if self.expected.is_some() {
            return Err(Unclear::REDIRECTION_TO_NOTHING);
        }
        let is_redirected = std::mem::take(&mut self.is_redirected);
        self.is_closed = false;
        if self.command.words.is_empty() {
            return if is_redirected { Err(Unclear::REDIRECTION_ALONE) } else { Ok(false) };
        }
        if self.command.is_mark("[[") && !is_test(&self.command.words) {
            return Err(Unclear::COMPLEX_TEST);
        }
        let next = LineCommand { joint, ..LineCommand::default() };
        self.read.push(std::mem::replace(&mut self.command, next));
        Ok(true)
    }
}

/// `[[ -f x && ! a = b ]]`: with any other words the shell takes none of the line.
fn is_test(words: &[Word]) -> bool {
    const COMPARING: &[&str] = &["!=", "-ef", "-eq", "-ge", "-gt", "-le", "-lt", "-ne", "-nt", "-ot", "=", "=="];
    let [_, inner @ .., last] = words else { return false };
    let is_joint = |word: &Word| !word.quoted && matches!(word.text.as_str(), "&&" | "||");
    let is_operator = |word: &Word| word.text.starts_with('-') || COMPARING.contains(&word.text.as_str());
    let is_plain = |word: &Word| !is_operator(word) && !matches!(word.text.as_str(), "!" | "]]" | "<" | ">");
    let is_condition = |words: &[Word]| {
        let nots = words.iter().take_while(|word| word.text == "!" && !word.quoted).count();
        match &words[nots..] {
            [operand] => is_plain(operand),
            [operator, operand] => operator.text.len() == 2 && operator.text.starts_with('-') && is_plain(operand),
            [left, operator, right] => is_plain(left) && COMPARING.contains(&operator.text.as_str()) && is_plain(right),
            _ => false,
        }
    };
    last.text == "]]" && !last.quoted && inner.split(is_joint).all(is_condition)
}

fn is_plain_variable(inner: &str) -> bool {
    let is_name = |name: &str| {
        name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
            && name.chars().all(|next| next.is_ascii_alphanumeric() || next == '_')
    };
    let is_plain_text =
        |text: &str| text.chars().all(|next| next.is_ascii_alphanumeric() || " _.,-*/%#".contains(next));
    // A default, or what is left without a beginning or an end.
    let changed = [":-", "%", "#"].iter().find_map(|sign| inner.split_once(sign));
    match changed {
        Some((name, text)) => is_name(name) && is_plain_text(text),
        None => {
            is_name(inner)
                || matches!(inner, "?" | "PIPESTATUS[0]" | "PIPESTATUS[1]" | "PIPESTATUS[@]" | "PIPESTATUS[*]")
        }
    }
}

/// The name of the program has to stand there as it is: quotes, patterns and assignments to it are a disguise more
/// often than a need.
pub(super) fn begins_plainly(words: &[Word]) -> Result<(), Unclear> {
    let Some(name) = words.iter().find(|word| !is_assignment(word)) else { return Err(Unclear::ASSIGNMENT_ALONE) };
    // `%1` is a job, for one.
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "_-./+@".contains(character);
    let is_name = name.text.chars().all(is_plain) || matches!(name.text.as_str(), "[" | "[[" | "{}" | ":");
    if name.quoted || name.expands || name.variable || !(is_name || RESERVED.contains(&name.text.as_str())) {
        return Err(Unclear::BUILT_NAME);
    }
    if RESERVED.contains(&name.text.as_str()) {
        return Err(Unclear::COMPOUND_COMMAND);
    }
    Ok(())
}

/// `NAME=…` in front of a command. A quoted value is fine, a quoted name was none.
pub(super) fn is_assignment(word: &Word) -> bool {
    let Some((name, _)) = word.text.split_once('=') else { return false };
    let mut characters = name.chars();
    characters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && characters.all(|character| character.is_ascii_alphanumeric() || character == '_')
}
