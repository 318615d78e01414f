//! JSON as models write it: with trailing commas, comments, single or curly quotes, bare keys, Python's words, line
//! breaks within strings, and without the last brace. It is turned into strict JSON first, so that nothing is read
//! whose meaning had to be guessed: what has another flaw, or ends within a value, is not read at all.

use serde_json::Value;
use std::fmt::Write as _;

/// The deepest nesting that is looked into.
const MAX_DEPTH: usize = 100;

/// Returns the object or array at the beginning of the text, and its bytes there.
pub(crate) fn read(text: &str) -> Option<(Value, usize)> {
    let mut reader = LenientReader { text, at: 0, strict: String::new(), open: Vec::new() };
    reader.run()?;
    let value = serde_json::from_str(&reader.strict).ok()?;
    Some((value, reader.at))
}

struct LenientReader<'a> {
    text: &'a str,
    at: usize,
    /// The same in strict JSON, so far.
    strict: String,
    /// The closing brackets that are due.
    open: Vec<char>,
}

impl LenientReader<'_> {
    fn run(&mut self) -> Option<()> {
        loop {
            let Some(next) = self.peek() else { return self.end_early() };
            match next {
                '{' | '[' => {
                    if self.open.len() == MAX_DEPTH {
                        return None;
                    }
                    self.open.push(if next == '{' { '}' } else { ']' });
                    self.copy(next);
                }
                '}' | ']' => {
                    if self.open.pop() != Some(next) {
                        return None;
                    }
                    self.drop_trailing_comma();
                    self.copy(next);
                    if self.open.is_empty() {
                        return Some(());
                    }
                }
                '"' | '\'' | '“' => self.string(next)?,
                ',' | ':' => self.copy(next),
                '/' => self.comment()?,
                next if next.is_whitespace() => self.at += next.len_utf8(),
                // A fence ends what is in it.
                '`' => return self.end_early(),
                next if next.is_alphanumeric() || "-+._$".contains(next) => self.word()?,
                _ => return None,
            }
        }
    }

    /// The last brace of the outermost object is often forgotten; anything more may have been cut off.
    fn end_early(&mut self) -> Option<()> {
        let is_whole = self.strict.ends_with([']', '}']);
        if self.open != ['}'] || !is_whole {
            return None;
        }
        self.strict.push('}');
        Some(())
    }

    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn copy(&mut self, character: char) {
        self.strict.push(character);
        self.at += character.len_utf8();
    }

    fn drop_trailing_comma(&mut self) {
        if self.strict.ends_with(',') {
            self.strict.pop();
        }
    }

    fn string(&mut self, quote: char) -> Option<()> {
        let closing = if quote == '“' { '”' } else { quote };
        self.at += quote.len_utf8();
        self.strict.push('"');
        loop {
            let next = self.peek()?;
            self.at += next.len_utf8();
            match next {
                _ if next == closing => break,
                '\\' => self.escape()?,
                '"' => self.strict.push_str("\\\""),
                '\n' => self.strict.push_str("\\n"),
                '\r' => self.strict.push_str("\\r"),
                '\t' => self.strict.push_str("\\t"),
                next if next.is_control() => write!(self.strict, "\\u{:04x}", u32::from(next)).ok()?,
                next => self.strict.push(next),
            }
        }
        self.strict.push('"');
        Some(())
    }

    /// A backslash that escapes nothing stands for itself, as in a regular expression.
    fn escape(&mut self) -> Option<()> {
        let next = self.peek()?;
        match next {
            '"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't' => {
                self.strict.push('\\');
                self.copy(next);
            }
            'u' if self.text[self.at + 1..].bytes().take(4).filter(u8::is_ascii_hexdigit).count() == 4 => {
                self.strict.push('\\');
                self.copy(next);
            }
            '\'' => self.copy(next),
            _ => self.strict.push_str("\\\\"),
        }
        Some(())
    }

    fn comment(&mut self) -> Option<()> {
        let rest = &self.text[self.at..];
        self.at += match rest.get(..2)? {
            "//" => rest.find('\n').unwrap_or(rest.len()),
            "/*" => rest.find("*/")? + 2,
            _ => return None,
        };
        Some(())
    }

    fn word(&mut self) -> Option<()> {
        let rest = &self.text[self.at..];
        let is_of_word = |next: char| next.is_alphanumeric() || "-+._$".contains(next);
        let word = &rest[..rest.find(|next| !is_of_word(next)).unwrap_or(rest.len())];
        let is_key = rest[word.len()..].trim_start().starts_with(':');
        match word {
            _ if is_key => write!(self.strict, "\"{word}\"").ok()?,
            "True" => self.strict.push_str("true"),
            "False" => self.strict.push_str("false"),
            "None" => self.strict.push_str("null"),
            // Whatever is no number makes the strict reader refuse it.
            _ => self.strict.push_str(word),
        }
        self.at += word.len();
        Some(())
    }
}
