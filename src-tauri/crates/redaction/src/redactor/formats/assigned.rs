//! A value that is written beside a name that says what it is: `password = '…'`, `"clientSecret": "…"`,
//! `export DB_PASSWORD=…`, `--token …`, `?api_key=…`, `<password>…</password>`, `name: DB_PASSWORD` above `value: …`.
//!
//! Which names count is in `names`, what a secret looks like in `literal`. What is quoted is a value; what is not may be
//! code (`password = read_password()`), and counts only where no code stands, or where no name looks like that.

use super::checks::{Outcome, ScanStep, ScanStop, TextAt, ensure, secret};
use super::literal::{ValueKind, is_given, is_name_like, is_no_name, is_secret, is_short_token};
use super::names;
use std::ops::Range;

/// The limit for the name on either side of the word by which it was found.
const MAX_NAME_BYTES: usize = 64;
const MAX_BLANKS: usize = 40;
/// The limit for the gap between a name and the `value` that belongs to it, in the next line.
const MAX_GAP_BYTES: usize = 80;
/// `: Option<&str> =`, `String::from(`.
const MAX_TYPE_BYTES: usize = 48;
const MAX_VALUE_BYTES: usize = 256;
/// The limit for looking back on a line.
const MAX_LINE_START_BYTES: usize = 200;
/// The limit for an entry of `.netrc`, before its password.
const MAX_NETRC_BYTES: usize = 200;

/// The place of a value, and how sure it is that it is one and no code.
enum ValuePlace {
    /// It can't be anything else.
    Given(Range<usize>),
    /// A value in a shell or a header.
    Setting(Range<usize>),
    Literal(Range<usize>),
    Bare(Range<usize>),
    /// A value among other words.
    Loose(Range<usize>),
}

impl TextAt<'_> {
    /// The text's beginning is a part of the name.
    pub(super) fn assigned(self) -> Outcome {
        let name = self.name()?;
        let mut at = Cursor { text: self, at: name.end };
        let place = at.value_of(&name)?;
        let (kind, label) = names::telling(&self.text[name]).ok_or(ScanStop::None)?;
        let (ValuePlace::Given(range)
        | ValuePlace::Setting(range)
        | ValuePlace::Literal(range)
        | ValuePlace::Bare(range)
        | ValuePlace::Loose(range)) = &place;
        let (value, is_password) = (&self.text[range.clone()], kind == ValueKind::Password);
        let is_value = match &place {
            ValuePlace::Given(_) => is_given(value),
            ValuePlace::Setting(_) => is_secret(kind, value) || is_short_token(value),
            ValuePlace::Literal(_) => is_secret(kind, value),
            ValuePlace::Bare(_) if is_name_like(value) => {
                is_secret(ValueKind::Bare, value) || (is_no_name(value) && (is_password || is_short_token(value)))
            }
            ValuePlace::Bare(_) => is_secret(kind, value),
            ValuePlace::Loose(_) if is_name_like(value) => is_password && is_no_name(value),
            ValuePlace::Loose(_) => is_password && is_secret(kind, value),
        };
        ensure(is_value)?;
        secret(range.clone(), label)
    }

    fn name(self) -> ScanStep<Range<usize>> {
        let bytes = self.text.as_bytes();
        let first = self.start.saturating_sub(MAX_NAME_BYTES);
        let before = bytes[first..self.start].iter().rev().take_while(|byte| is_name(**byte)).count();
        let mut start = self.start - before;
        // `\n` before it, as in JSON, is no letter of the name.
        if before > 0 && matches!(bytes[start], b'n' | b'r' | b't') && self.byte_before(start) == Some(b'\\') {
            start += 1;
        }
        let end = self.run(self.after, MAX_NAME_BYTES, is_name)?;
        let name = self.text[start..end].trim_end_matches(['-', '.']);
        ensure(end - self.after <= MAX_NAME_BYTES)?;
        Ok(start..start + name.len())
    }
}

/// A position in the text, from which it is read on.
#[derive(Clone, Copy)]
struct Cursor<'a> {
    text: TextAt<'a>,
    at: usize,
}

impl Cursor<'_> {
    fn value_of(&mut self, name: &Range<usize>) -> ScanStep<ValuePlace> {
        let dashes = self.text.text[name.clone()].bytes().take_while(|byte| *byte == b'-').count();
        let before = self.text.byte_before(name.start);
        let is_key_of_npm = self.text.text[name.clone()].starts_with('_') && before == Some(b':');
        let is_flag = is_key_of_npm || dashes == 2 || (dashes == 1 && name.len() > 5);
        let closing = self.skip(4, |byte| b"\"'`]\\".contains(&byte))?;
        if before == Some(b'<') && self.peek()? == Some(b'>') {
            return self.element();
        }
        let blanks = self.blanks()?;
        match self.peek()?.ok_or(ScanStop::None)? {
            b'=' => self.after_equals(name, before, is_flag, blanks, closing > 0),
            b':' => {
                self.at += 1;
                match self.peek()? {
                    Some(b':') => Err(ScanStop::None),
                    Some(b'=') => self.expression(1),
                    _ => self.after_colon(name, before),
                }
            }
            b'!' => {
                self.demand("!=")?;
                self.expression(0)
            }
            b'(' => self.expression(1),
            b',' if closing > 0 && !self.clone_at(1).leads_to_value()? => self.expression(1),
            b'"' | b'\'' if blanks > 0 => self.expression(0),
            _ if blanks > 0 && (is_flag || self.is_set(name.start)) => self.shell_word(),
            _ if blanks > 0 && (self.is_configured(name.start) || self.is_of_netrc(name)) => {
                self.shell_word().map(|place| match place {
                    ValuePlace::Setting(value) => ValuePlace::Given(value),
                    other => other,
                })
            }
            byte if is_gap(byte) || byte == b'v' => self.value_beside(),
            b's' if blanks > 0 => {
                self.demand("string")?;
                self.blanks()?;
                self.demand("=")?;
                self.expression(0)
            }
            _ => Err(ScanStop::None),
        }
    }

    /// `=`, `==`, `=>`.
    fn after_equals(
        &mut self,
        name: &Range<usize>,
        before: Option<u8>,
        is_flag: bool,
        blanks: usize,
        is_closed: bool,
    ) -> ScanStep<ValuePlace> {
        let operator = self.skip(3, |byte| byte == b'=' || byte == b'>')?;
        let after = self.blanks()?;
        if is_closed || self.is_quote()? {
            return self.expression(0);
        }
        let mut called = *self;
        match called.expression(0) {
            Err(ScanStop::None) => {}
            other => return other,
        }
        if operator > 1 {
            return self.said_word();
        }
        let is_tight = blanks == 0 && after == 0;
        // `DB_PASSWORD=…` of a shell, `AccountKey=…` of a connection string.
        let is_capital = self.text.text.as_bytes()[name.start].is_ascii_uppercase();
        match before {
            _ if !is_tight => match self.clone_at(0).rest_of_line(name) {
                Err(ScanStop::None) => self.said_word(),
                other => other,
            },
            _ if is_flag || is_capital => self.shell_word(),
            Some(b'?' | b'&' | b';' | b'"' | b'\'') => self.parameter(),
            _ => match self.clone_at(0).rest_of_line(name) {
                Err(ScanStop::None) => self.word(),
                other => other,
            },
        }
    }

    /// YAML, or a type and then a value, or a value.
    fn after_colon(&mut self, name: &Range<usize>, before: Option<u8>) -> ScanStep<ValuePlace> {
        self.blanks()?;
        if self.is_quote()? {
            return self.quoted();
        }
        let mut typed = *self;
        typed.skip(MAX_TYPE_BYTES, |byte| byte.is_ascii_alphanumeric() || b"_&'<>[]. |?:".contains(&byte))?;
        if typed.peek()? == Some(b'=') {
            typed.at += 1;
            typed.blanks()?;
            if typed.is_quote()? {
                return typed.quoted();
            }
        }
        let mut called = *self;
        match called.expression(0) {
            Err(ScanStop::None) => {}
            other => return other,
        }
        // `-H 'X-Auth-Token: …'`, or a line of headers.
        if let Some(quote) = before.filter(|byte| b"\"'".contains(byte)) {
            let start = self.at;
            self.skip(MAX_VALUE_BYTES, |byte| byte > b' ' && !b"(){}[]<>\"'`\\,".contains(&byte))?;
            ensure(matches!(self.peek()?, Some(byte) if byte == quote || byte == b'\\'))?;
            return Ok(ValuePlace::Setting(start..self.at));
        }
        let is_header = || {
            let name = &self.text.text[name.clone()];
            name.contains('-') && name.bytes().all(|byte| !byte.is_ascii_lowercase()) || name.starts_with("X-")
        };
        match self.clone_at(0).rest_of_line(name) {
            Ok(ValuePlace::Bare(value)) if is_header() => Ok(ValuePlace::Setting(value)),
            Err(ScanStop::None) => self.loose_word(),
            other => other,
        }
    }

    /// A quoted value, also behind a letter that says how it is quoted, or as what something is called with.
    fn expression(&mut self, skipped: usize) -> ScanStep<ValuePlace> {
        self.at += skipped;
        self.blanks()?;
        if !self.is_quote()? {
            let is_path = |byte: u8| byte.is_ascii_alphanumeric() || b"_.:@&".contains(&byte);
            let path = self.skip(MAX_TYPE_BYTES, is_path)?;
            match self.peek()? {
                Some(b'(') => self.at += 1,
                Some(b'"' | b'\'' | b'`') if path <= 3 => {}
                _ => return Err(ScanStop::None),
            }
        }
        self.quoted()
    }

    fn is_quote(&self) -> ScanStep<bool> {
        Ok(match self.peek()? {
            Some(b'\\') => matches!(self.clone_at(1).peek()?, Some(b'"' | b'\'')),
            byte => matches!(byte, Some(b'"' | b'\'' | b'`')),
        })
    }

    /// Reads from a quote to the same quote, in one line.
    fn quoted(&mut self) -> ScanStep<ValuePlace> {
        let is_escaped = self.peek()? == Some(b'\\');
        self.at += usize::from(is_escaped);
        let quote = self.peek()?.filter(|byte| b"\"'`".contains(byte)).ok_or(ScanStop::None)?;
        self.at += 1;
        let start = self.at;
        while self.at - start <= MAX_VALUE_BYTES {
            match self.peek()?.ok_or(ScanStop::None)? {
                b'\n' | b'\r' => return Err(ScanStop::None),
                b'\\' => match self.clone_at(1).peek()? {
                    Some(byte) if is_escaped && byte == quote => return Ok(ValuePlace::Literal(start..self.at)),
                    // The next character may have several bytes; those after its first are never a quote.
                    _ => self.at += 2,
                },
                byte if byte == quote => {
                    return if is_escaped { Err(ScanStop::None) } else { Ok(ValuePlace::Literal(start..self.at)) };
                }
                _ => self.at += 1,
            }
        }
        Err(ScanStop::None)
    }

    /// `>` … `</`.
    fn element(&mut self) -> ScanStep<ValuePlace> {
        self.at += 1;
        let start = self.at;
        self.skip(MAX_VALUE_BYTES, |byte| byte != b'<' && byte > b' ')?;
        let value = start..self.at;
        self.demand("</")?;
        Ok(ValuePlace::Literal(value))
    }

    /// `name: NAME` and below it, or beside it, `value: …`.
    fn value_beside(&mut self) -> ScanStep<ValuePlace> {
        ensure(self.leads_to_value()?)?;
        self.skip(4, |byte| b"\"' \t".contains(&byte))?;
        self.skip(1, |byte| byte == b':' || byte == b'=')?;
        self.blanks()?;
        if self.is_quote()? {
            return self.quoted();
        }
        self.until_line_end()
    }

    fn leads_to_value(&mut self) -> ScanStep<bool> {
        self.skip(MAX_GAP_BYTES, is_gap)?;
        match self.demand("value") {
            Ok(()) => Ok(matches!(self.peek()?, Some(b'"' | b'\'' | b':' | b'=' | b' '))),
            Err(ScanStop::None) => Ok(false),
            Err(open) => Err(open),
        }
    }

    /// The value of a setting, where the line has nothing but name and value.
    fn rest_of_line(&mut self, name: &Range<usize>) -> ScanStep<ValuePlace> {
        ensure(self.begins_line(name.start))?;
        self.until_line_end()
    }

    fn until_line_end(&mut self) -> ScanStep<ValuePlace> {
        let start = self.at;
        self.skip(MAX_VALUE_BYTES, |byte| byte > b' ' && !b"(){}[]<>\"'`".contains(&byte))?;
        let value = start..self.at;
        self.blanks()?;
        let is_end = matches!(self.peek()?, None | Some(b'\n' | b'\r' | b'#' | b';'));
        let is_code = self.text.text[value.clone()].ends_with([',', ';', '\\', '+', '|', ':']);
        ensure(is_end && !is_code)?;
        Ok(ValuePlace::Bare(value))
    }

    /// `name = value` in a line that says more. Code would go on, or end, with its own sign.
    fn said_word(&mut self) -> ScanStep<ValuePlace> {
        let place = self.loose_word()?;
        self.blanks()?;
        match self.peek()? {
            None | Some(b'\n' | b'\r' | b'}') => Ok(place),
            Some(byte) if byte.is_ascii_alphabetic() => Ok(place),
            _ => Err(ScanStop::None),
        }
    }

    /// `name: value` among others.
    fn loose_word(&mut self) -> ScanStep<ValuePlace> {
        let start = self.at;
        self.skip(MAX_VALUE_BYTES, |byte| byte > b' ' && !b"(){}[]<>\"'`,;".contains(&byte))?;
        // Types and words have none.
        let has_digit = self.text.text.as_bytes()[start..self.at].iter().any(u8::is_ascii_digit);
        match self.peek()? {
            _ if !has_digit => Err(ScanStop::None),
            Some(b' ') if self.clone_at(1).peek()? == Some(b'=') => Err(ScanStop::None),
            Some(b' ' | b'\t' | b'\n' | b'\r' | b',' | b';' | b')' | b'}') | None => {
                Ok(ValuePlace::Loose(start..self.at))
            }
            _ => Err(ScanStop::None),
        }
    }

    /// `name=value` among others.
    fn word(&mut self) -> ScanStep<ValuePlace> {
        let start = self.at;
        self.skip(MAX_VALUE_BYTES, |byte| byte > b' ' && !b"(){}[]<>\"'`,;".contains(&byte))?;
        match self.peek()? {
            Some(b' ' | b'\t' | b'\n' | b'\r' | b'"' | b'\'' | b';') | None => Ok(ValuePlace::Bare(start..self.at)),
            Some(b',' | b')') => Ok(ValuePlace::Loose(start..self.at)),
            _ => Err(ScanStop::None),
        }
    }

    /// Reads a value in a shell, where only `$` starts an expansion.
    fn shell_word(&mut self) -> ScanStep<ValuePlace> {
        if self.is_quote()? {
            return self.quoted();
        }
        let start = self.at;
        self.skip(MAX_VALUE_BYTES, |byte| byte > b' ' && !b"\"'`;|&()<>,\\".contains(&byte))?;
        ensure(self.peek()? != Some(b'('))?;
        Ok(ValuePlace::Setting(start..self.at))
    }

    /// Reads a value in a URL, a form or a connection string.
    fn parameter(&mut self) -> ScanStep<ValuePlace> {
        let start = self.at;
        self.skip(MAX_VALUE_BYTES, |byte| byte > b' ' && !b"&#;\"'`<>()\\".contains(&byte))?;
        ensure(self.peek()? != Some(b'('))?;
        Ok(ValuePlace::Literal(start..self.at))
    }

    /// Nothing but indentation, a line's number, signs of a list or a diff, or what a shell says before an assignment.
    fn begins_line(&self, start: usize) -> bool {
        let bytes = self.text.text.as_bytes();
        let first = start.saturating_sub(MAX_LINE_START_BYTES);
        let line = bytes[first..start].iter().rposition(|byte| *byte == b'\n').map_or(first, |at| first + at + 1);
        if line == first && first > 0 {
            return false;
        }
        let line = after_location(&bytes[line..start]);
        let is_sign = |byte: &u8| byte.is_ascii_digit() || !byte.is_ascii() || b" \t|+->#:".contains(byte);
        let words = line.split(is_sign).filter(|word| !word.is_empty());
        words.into_iter().all(|word| matches!(word, b"export" | b"set" | b"SET" | b"ENV" | b"ARG" | b"declare" | b"x"))
    }

    /// `ENV NAME VALUE` of a container, `setenv NAME VALUE` of a shell.
    fn is_set(&self, start: usize) -> bool {
        let before = self.text.text[..start].trim_end_matches([' ', '\t']);
        before.len() < start && ["ENV", "setenv"].iter().any(|word| before.ends_with(word))
    }

    /// `aws configure set NAME VALUE`
    fn is_configured(&self, start: usize) -> bool {
        self.text.text[..start].trim_end_matches([' ', '"', '\'']).ends_with("configure set")
    }

    /// `machine HOST login USER password VALUE`, in one line or in several.
    fn is_of_netrc(&self, name: &Range<usize>) -> bool {
        if &self.text.text[name.clone()] != "password" {
            return false;
        }
        let before = &self.text.text[..name.start];
        let before = &before[before.ceil_char_boundary(before.len().saturating_sub(MAX_NETRC_BYTES))..];
        let Some(entry) = ["machine ", "default "].iter().filter_map(|word| before.rfind(word)).max() else {
            return false;
        };
        // Lines may be numbered.
        let is_word = |word: &&str| word.bytes().any(|byte| byte.is_ascii_alphabetic());
        let mut words = before[entry..].split_whitespace().filter(is_word);
        let is_machine = words.next() == Some("machine");
        let is_named = !is_machine || words.next().is_some();
        let words: Vec<&str> = words.collect();
        let is_pair = |pair: &[&str]| pair.len() == 2 && matches!(pair[0], "login" | "account");
        is_named && (is_machine || !words.is_empty()) && words.chunks(2).all(is_pair)
    }

    fn clone_at(&self, offset: usize) -> Self {
        Self { text: self.text, at: self.at + offset }
    }

    /// `None` where the whole text ends.
    fn peek(&self) -> ScanStep<Option<u8>> {
        match self.text.text.as_bytes().get(self.at) {
            None if !self.text.is_end => Err(ScanStop::Open),
            byte => Ok(byte.copied()),
        }
    }

    fn blanks(&mut self) -> ScanStep<usize> {
        self.skip(MAX_BLANKS, |byte| byte == b' ' || byte == b'\t')
    }

    /// Returns how many such bytes were passed; more than `most` are too many.
    fn skip(&mut self, most: usize, class: impl Fn(u8) -> bool) -> ScanStep<usize> {
        let length = self.text.run(self.at, most, class)? - self.at;
        self.at += length;
        ensure(length <= most)?;
        Ok(length)
    }

    fn demand(&mut self, expected: &str) -> ScanStep<()> {
        ensure(self.text.goes_on(self.at, expected)?)?;
        self.at += expected.len();
        Ok(())
    }
}

/// The line without `file:12:` or `file-12-`, as `grep` puts it before it.
fn after_location(line: &[u8]) -> &[u8] {
    let end = line.iter().position(u8::is_ascii_whitespace).unwrap_or(line.len());
    let (first, rest) = line.split_at(end);
    let is_location = first.iter().any(|byte| b"./".contains(byte)) && matches!(first.last(), Some(b':' | b'-'));
    if is_location { rest } else { line }
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-.".contains(&byte)
}

/// Returns whether the byte may stand between a name and the word `value`, also with the numbers of lines.
fn is_gap(byte: u8) -> bool {
    byte.is_ascii_digit() || !byte.is_ascii() || b" \t\r\n,\"'|+-".contains(&byte)
}
