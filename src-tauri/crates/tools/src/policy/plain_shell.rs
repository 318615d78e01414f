//! A second reader of shell lines, small enough to be checked by eye: it knows words, quotes, comments and the operators
//! that join commands, and refuses everything else, each with the reason that the user is told.
//!
//! `command_line` also reads the line with bash's whole grammar, and a line counts as understood only where both readers
//! see the same commands. A flaw in one of them then costs a question, not a command that nobody looked at.

use std::iter::Peekable;
use std::str::Chars;

/// Words that begin something else than a simple command.
const RESERVED: &[&str] = &[
    "if", "then", "elif", "else", "fi", "do", "done", "case", "esac", "while", "until", "for", "select", "function",
    "in", "{", "}", "[[", "coproc",
];

/// One word of a command, quotes and backslashes removed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Word {
    pub text: String,
    /// It has `*`, `?`, `[` or `{` outside quotes, or stands for what is known only later: it may become other words.
    pub expands: bool,
    /// Some of it was quoted.
    pub quoted: bool,
}

impl Word {
    #[must_use]
    pub fn literal(text: impl Into<String>) -> Self {
        Self { text: text.into(), expands: false, quoted: false }
    }
}

/// Why a line is not understood; goes on with "The line has …".
pub(super) type Unclear = &'static str;

/// The commands of a line, each a list of words, assignments in front included.
pub(super) fn read(line: &str) -> Result<Vec<Vec<Word>>, Unclear> {
    if let Some(unclear) = line.chars().find_map(forbidden_character) {
        return Err(unclear);
    }
    let mut reader =
        Reader { characters: line.chars().peekable(), commands: Vec::new(), words: Vec::new(), word: None };
    reader.read()?;
    reader.commands.iter().try_for_each(|words| begins_plainly(words))?;
    Ok(reader.commands)
}

struct Reader<'a> {
    characters: Peekable<Chars<'a>>,
    commands: Vec<Vec<Word>>,
    words: Vec<Word>,
    word: Option<Word>,
}

impl Reader<'_> {
    fn read(&mut self) -> Result<(), Unclear> {
        // After `&&`, `||` and `|` another command has to come.
        let mut expects_command = false;
        while let Some(character) = self.characters.next() {
            match character {
                ' ' | '\t' => self.end_word(),
                '\n' => expects_command &= !self.end_command(),
                ';' => self.end_command().then_some(()).ok_or("an empty command")?,
                '&' | '|' => {
                    self.operator(character)?;
                    expects_command = true;
                    continue;
                }
                '#' if self.word.is_none() => while self.characters.next_if(|next| *next != '\n').is_some() {},
                other => self.part_of_word(other)?,
            }
            if !self.words.is_empty() || self.word.is_some() {
                expects_command = false;
            }
        }
        if !self.end_command() && (expects_command || self.commands.is_empty()) {
            return Err("an empty command");
        }
        Ok(())
    }

    fn operator(&mut self, first: char) -> Result<(), Unclear> {
        let doubled = self.characters.next_if_eq(&first).is_some();
        if first == '&' && !doubled {
            return Err("a job in the background or a redirection");
        }
        if first == '|' && self.characters.peek() == Some(&'&') {
            return Err("a redirection");
        }
        self.end_command().then_some(()).ok_or("an empty command")
    }

    fn part_of_word(&mut self, character: char) -> Result<(), Unclear> {
        match character {
            '<' | '>' => return Err("a redirection"),
            '(' | ')' => return Err("a subshell or a function"),
            '$' | '`' => return Err("a variable or a substitution"),
            '!' => return Err("a negation"),
            '\\' => {
                let escaped = self.characters.next().filter(|next| *next == ' ' || next.is_ascii_punctuation());
                let escaped = escaped.ok_or("a backslash before a letter or a line's end")?;
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
                return closed.then_some(()).ok_or("a quote that is not closed");
            }
            '"' => return self.double_quoted(),
            '{' if self.is_empty_braces() => {
                self.characters.next();
                self.push('{', false);
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

    /// `{}` alone is left as it is by the shell; `find -exec` and `xargs -I` use it.
    fn is_empty_braces(&self) -> bool {
        let mut ahead = self.characters.clone();
        let is_end = |next: Option<char>| next.is_none_or(|next| matches!(next, ' ' | '\t' | '\n'));
        self.word.is_none() && ahead.next() == Some('}') && is_end(ahead.next())
    }

    fn double_quoted(&mut self) -> Result<(), Unclear> {
        self.word.get_or_insert_default().quoted = true;
        while let Some(next) = self.characters.next() {
            match next {
                '"' => return Ok(()),
                '`' => return Err("a variable or a substitution"),
                // Only before what can't begin a name is it a plain dollar.
                '$' if !matches!(self.characters.peek(), Some('"' | ' ' | '|')) => {
                    return Err("a variable or a substitution");
                }
                '\\' => match self.characters.peek() {
                    Some('"' | '\\' | '$' | '`') => {
                        let escaped = self.characters.next().unwrap_or_default();
                        self.push(escaped, true);
                    }
                    Some('\n') | None => return Err("a backslash before a letter or a line's end"),
                    Some(_) => self.push('\\', true),
                },
                other => self.push(other, true),
            }
        }
        Err("a quote that is not closed")
    }

    fn push(&mut self, character: char, quoted: bool) {
        let word = self.word.get_or_insert_default();
        word.text.push(character);
        word.quoted |= quoted;
    }

    fn end_word(&mut self) {
        let Some(mut word) = self.word.take() else { return };
        // A bracket alone is the command `[`.
        word.expands &= word.text != "[";
        self.words.push(word);
    }

    /// Whether there was a command to end.
    fn end_command(&mut self) -> bool {
        self.end_word();
        if self.words.is_empty() {
            return false;
        }
        self.commands.push(std::mem::take(&mut self.words));
        true
    }
}

/// Characters that are not seen, or that readers take for different things.
fn forbidden_character(character: char) -> Option<Unclear> {
    let plain = matches!(character, ' ' | '\t' | '\n' | '!'..='~');
    if plain {
        return None;
    }
    let invisible = character.is_whitespace()
        || character.is_control()
        || matches!(character, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffd}'
            | '\u{e0000}'..='\u{e0fff}');
    invisible.then_some("a character that is not seen")
}

/// The name of the program has to stand there as it is: quotes, patterns and assignments to it are a disguise more often
/// than a need.
fn begins_plainly(words: &[Word]) -> Result<(), Unclear> {
    let Some(name) = words.iter().find(|word| !is_assignment(word)) else { return Err("an assignment alone") };
    // `%1` is a job, for one.
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "_-./+@".contains(character);
    let is_name = name.text.chars().all(is_plain) || matches!(name.text.as_str(), "[" | "{}" | ":");
    if name.quoted || name.expands || !(is_name || RESERVED.contains(&name.text.as_str())) {
        return Err("a name of a program that is put together");
    }
    if RESERVED.contains(&name.text.as_str()) {
        return Err("a compound command");
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
