//! Checks of what follows a beginning, so that it is a secret.

use super::super::placeholder;
use super::literal::{ValueKind, is_secret, is_short_token};
use super::look::{has_random_part, is_basic_credential, is_real_password, looks_random};
use std::ops::Range;

/// The secrets of what was recognised, each with what it is called; none of a placeholder.
pub(super) struct RecognisedText {
    pub(super) secrets: Vec<(Range<usize>, &'static str)>,
    pub(super) end: usize,
    /// True if what else is in it is looked for too.
    pub(super) is_command: bool,
}

/// Why it is no secret.
pub(super) enum ScanStop {
    None,
    /// The text ends too early to tell.
    Open,
}

pub(super) type ScanStep<T> = Result<T, ScanStop>;

pub(super) type Outcome = ScanStep<RecognisedText>;

/// A number of characters of one kind.
#[derive(Clone, Copy)]
pub(super) struct Token {
    pub(super) class: fn(u8) -> bool,
    pub(super) least: usize,
    pub(super) most: usize,
    /// True if the characters have to look random, since the beginning alone proves nothing.
    pub(super) random: bool,
}

/// A text at a beginning.
#[derive(Clone, Copy)]
pub(super) struct TextAt<'a> {
    pub(super) text: &'a str,
    /// The start and the end of the beginning.
    pub(super) start: usize,
    pub(super) after: usize,
    pub(super) is_end: bool,
}

const MAX_JWT_PART_BYTES: usize = 8 << 10;
const MIN_JWT_SIGNATURE_BYTES: usize = 16;
const MAX_PEM_BYTES: usize = 32 << 10;
/// `ENCRYPTED PRIVATE KEY` and the dashes after it.
const MAX_PEM_LABEL_BYTES: usize = 40;
/// The lines of a private key, but for the last, are at least this long.
const PEM_LINE_BYTES: usize = 40;
/// The last line stands this close to the end mark, whatever stands between them: line numbers, quotes, signs of a diff.
const PEM_GAP_BYTES: usize = 24;
/// The limit for the gap between the beginning mark and the first line; a longer one is for headers of an encrypted
/// key.
const MAX_PEM_HEADERS_BYTES: usize = 200;
const MAX_USER_INFO_BYTES: usize = 512;
const MAX_CREDENTIAL_BYTES: usize = 4096;
pub(super) const MIN_CREDENTIAL_BYTES: usize = 16;
/// The limit for what separates a name from its value: quotes, colons, blanks.
pub(super) const MAX_SEPARATOR_BYTES: usize = 12;
/// The schemes of a header, besides `Basic`.
const SCHEMES: &[&str] = &["bearer", "token", "apikey", "bot", "oauth", "key"];
const MAX_SCHEME_BYTES: usize = 10;
const AWS_SECRET_BYTES: usize = 40;
/// The length of the part after the colon.
const TELEGRAM_BYTES: usize = 35;
const MIN_REST_BYTES: usize = 24;
const MAX_REST_BYTES: usize = 256;

impl TextAt<'_> {
    pub(super) fn token(self, token: Token, name: &'static str) -> Outcome {
        ensure(!self.is_within_word())?;
        let end = self.run(self.after, token.most, token.class)?;
        // A sentence may end right behind the token.
        let rest = self.text[self.after..end].trim_end_matches(['.', '-']);
        ensure((token.least..=token.most).contains(&rest.len()) && (!token.random || has_random_part(rest)))?;
        secret(self.start..self.after + rest.len(), name)
    }

    pub(super) fn placeholder(self) -> Outcome {
        match placeholder::at(self.text, self.start) {
            Some(found) if found.tag.is_some() => recognised(Vec::new(), self.start + found.text.len(), ""),
            None if !self.is_end && self.text.len() - self.start < placeholder::MAX_BYTES && self.may_go_on() => {
                Err(ScanStop::Open)
            }
            _ => Err(ScanStop::None),
        }
    }

    fn may_go_on(self) -> bool {
        self.text.as_bytes()[self.after..].iter().all(|byte| placeholder::is_inside(*byte))
    }

    /// Header and payload are JSON objects, so both begin with `eyJ`; without a signature it opens nothing.
    pub(super) fn jwt(self, name: &'static str) -> Outcome {
        ensure(!self.is_within_word())?;
        let mut at = self.after;
        for next in [".eyJ", "."] {
            let end = self.run(at, MAX_JWT_PART_BYTES, is_word)?;
            ensure(self.goes_on(end, next)?)?;
            at = end + next.len();
        }
        let end = self.run(at, MAX_JWT_PART_BYTES, is_word)?;
        ensure((MIN_JWT_SIGNATURE_BYTES..=MAX_JWT_PART_BYTES).contains(&(end - at)))?;
        secret(self.start..end, name)
    }

    /// Each line by itself, so that line numbers, indentation and signs of a diff around them stay as they are.
    pub(super) fn private_key(self, name: &'static str) -> Outcome {
        let limit = self.text.floor_char_boundary(self.text.len().min(self.after + MAX_PEM_BYTES));
        let block = &self.text[self.after..limit];
        let may_go_on = !self.is_end && self.text.len() < self.after + MAX_PEM_BYTES;
        let label = &block[..block.floor_char_boundary(MAX_PEM_LABEL_BYTES)];
        let body = match label.find("-----") {
            Some(mark) if label[..mark].contains("PRIVATE KEY") => mark + 5,
            None if may_go_on && block.len() < MAX_PEM_LABEL_BYTES => return Err(ScanStop::Open),
            _ => return Err(ScanStop::None),
        };
        self.key_lines(self.after + body, limit, "-----END", name)
    }

    /// The private half of a key as PuTTY keeps it: `Private-Lines: 14`, so many lines, `Private-MAC: …`.
    pub(super) fn putty_key(self, name: &'static str) -> Outcome {
        let body = self.run(self.after, 4, |byte| byte.is_ascii_digit())?;
        ensure(body > self.after && matches!(self.text.as_bytes().get(body), Some(b'\r' | b'\n' | b'\\')))?;
        let limit = self.text.floor_char_boundary(self.text.len().min(self.after + MAX_PEM_BYTES));
        self.key_lines(body, limit, "Private-MAC", name)
    }

    /// The lines of Base64 from `body` to the end mark; where the text ends before it, those that stand together.
    fn key_lines(self, body: usize, limit: usize, end_mark: &str, name: &'static str) -> Outcome {
        let Some(end) = self.text[body..limit].find(end_mark).map(|end| body + end) else {
            let may_go_on = !self.is_end && self.text.len() < self.after + MAX_PEM_BYTES;
            return if may_go_on { Err(ScanStop::Open) } else { self.cut_key(body, limit, name) };
        };
        let is_last = |run: &Range<usize>| {
            let is_number = self.text[run.clone()].bytes().all(|byte| byte.is_ascii_digit());
            run.len() >= 4 && end - run.end <= PEM_GAP_BYTES && !is_number
        };
        let runs = base64_runs(self.text, body, end);
        ensure(runs.iter().any(|run| run.len() >= PEM_LINE_BYTES))?;
        let secrets = runs.into_iter().filter(|run| run.len() >= PEM_LINE_BYTES || is_last(run));
        recognised(secrets.collect(), end, name)
    }

    fn cut_key(self, body: usize, limit: usize, name: &'static str) -> Outcome {
        let mut secrets: Vec<Range<usize>> = Vec::new();
        for run in base64_runs(self.text, body, limit) {
            let most = if secrets.is_empty() { MAX_PEM_HEADERS_BYTES } else { PEM_GAP_BYTES };
            if run.start - secrets.last().map_or(body, |last| last.end) > most {
                break;
            }
            if run.len() >= PEM_LINE_BYTES {
                secrets.push(run);
            }
        }
        let end = secrets.last().ok_or(ScanStop::None)?.end;
        recognised(secrets, end, name)
    }

    /// The number of a bot, a colon, and 35 characters that begin with `AA`: these.
    pub(super) fn telegram_token(self, name: &'static str) -> Outcome {
        let is_after_number = (1..=8)
            .all(|back| self.start.checked_sub(back).is_some_and(|at| self.text.as_bytes()[at].is_ascii_digit()));
        ensure(is_after_number)?;
        let end = self.run(self.start + 1, TELEGRAM_BYTES, is_word)?;
        ensure(end - self.start - 1 == TELEGRAM_BYTES && has_random_part(&self.text[self.start + 1..end]))?;
        secret(self.start + 1..end, name)
    }

    /// A user's number in Base64, a time and a signature, with points between them.
    pub(super) fn discord_token(self, name: &'static str) -> Outcome {
        ensure(!self.is_within_word())?;
        let mut at = self.start;
        for (least, most, point) in [(23, 28, true), (5, 7, true), (27, 40, false)] {
            let end = self.run(at, most, is_word)?;
            let is_point = self.text.as_bytes().get(end) == Some(&b'.');
            ensure((least..=most).contains(&(end - at)) && (!point || is_point))?;
            at = end + usize::from(point);
        }
        // Of the digits' first bits the third character says that it is a number.
        ensure(b"AEIMQUYcgk".contains(&self.text.as_bytes()[self.start + 2]))?;
        secret(self.start..at, name)
    }

    /// `scheme://user:password@host`: the password.
    pub(super) fn url_password(self, name: &'static str) -> Outcome {
        ensure(self.byte_before(self.start).is_some_and(|byte| byte.is_ascii_alphanumeric()))?;
        let is_user_info = |byte: u8| byte > b' ' && byte < 0x7f && !b"/@?#\"'`<>\\[]{}()|,;".contains(&byte);
        let mut end = self.run(self.after, MAX_USER_INFO_BYTES, is_user_info)?;
        // A password may have one too.
        while self.text.as_bytes().get(end) == Some(&b'@') {
            let next = self.run(end + 1, MAX_USER_INFO_BYTES, is_user_info)?;
            if self.text.as_bytes().get(next) != Some(&b'@') {
                break;
            }
            end = next;
        }
        let (user, password) = self.text[self.after..end].split_once(':').ok_or(ScanStop::None)?;
        ensure(self.text.as_bytes().get(end) == Some(&b'@') && is_real_password(user, password))?;
        secret(end - password.len()..end, name)
    }

    pub(super) fn bearer(self, name: &'static str) -> Outcome {
        ensure(matches!(self.byte_before(self.start), Some(b'B' | b'b')))?;
        self.credential(self.after, is_credential, name)
    }

    /// A header and its value: `Authorization: Basic …`, `"x-api-key": "…"`.
    pub(super) fn header(self, name: &'static str) -> Outcome {
        let at = self.run(self.after, MAX_SEPARATOR_BYTES, is_separator)?;
        ensure(at > self.after)?;
        let word = self.run(at, MAX_SCHEME_BYTES, |byte| byte.is_ascii_alphabetic())?;
        let scheme = self.text[at..word].to_ascii_lowercase();
        match self.text.as_bytes().get(word) {
            Some(b' ') if scheme == "basic" => self.credential(word + 1, is_basic_credential, name),
            Some(b' ') if SCHEMES.contains(&scheme.as_str()) => self.credential(word + 1, is_header_value, name),
            _ if self.text[self.after..at].trim().is_empty() => self.credential(at, is_credential, name),
            _ => self.credential(at, is_header_value, name),
        }
    }

    fn credential(self, at: usize, is_real: fn(&str) -> bool, name: &'static str) -> Outcome {
        let is_credential = |byte: u8| byte.is_ascii_alphanumeric() || b"._~+/=-".contains(&byte);
        let end = self.run(at, MAX_CREDENTIAL_BYTES, is_credential)?;
        let value = self.text[at..end].trim_end_matches(['.', '-']);
        // `base64.decodebytes(…)` is code.
        ensure(self.text.as_bytes().get(end) != Some(&b'('))?;
        ensure(value.len() <= MAX_CREDENTIAL_BYTES && is_real(value))?;
        secret(at..at + value.len(), name)
    }

    /// Forty characters after a name that says so.
    pub(super) fn aws_secret(self, name: &'static str) -> Outcome {
        let at = self.run(self.after, MAX_SEPARATOR_BYTES, is_separator)?;
        let is_key = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'/' || byte == b'+';
        let end = self.run(at, AWS_SECRET_BYTES, is_key)?;
        ensure(at > self.after && end - at == AWS_SECRET_BYTES && has_random_part(&self.text[at..end]))?;
        secret(at..end, name)
    }

    /// The value of a setting of passwords, behind its quote if it has one.
    pub(super) fn setting(self, name: &'static str) -> Outcome {
        let is_password = |byte: u8| byte > b' ' && byte < 0x7f && !b"\"'`<>();".contains(&byte);
        let end = self.run(self.after, MAX_REST_BYTES, is_password)?;
        ensure(is_secret(ValueKind::Password, &self.text[self.after..end]))?;
        secret(self.after..end, name)
    }

    /// All that follows, after what never stands before anything else.
    pub(super) fn rest(self, name: &'static str) -> Outcome {
        let is_rest = |byte: u8| byte.is_ascii_alphanumeric() || b"/+_-=".contains(&byte);
        let end = self.run(self.after, MAX_REST_BYTES, is_rest)?;
        ensure((MIN_REST_BYTES..=MAX_REST_BYTES).contains(&(end - self.after)))?;
        ensure(has_random_part(&self.text[self.after..end]))?;
        secret(self.after..end, name)
    }

    /// The end of the run of such bytes at `at`, or one past `most`; open where the text ends before it does.
    pub(super) fn run(self, at: usize, most: usize, class: impl Fn(u8) -> bool) -> ScanStep<usize> {
        let bytes = self.text.as_bytes();
        let length = bytes[at..].iter().take(most + 1).take_while(|byte| class(**byte)).count();
        let is_whole = self.is_end || at + length < bytes.len() || length > most;
        is_whole.then_some(at + length).ok_or(ScanStop::Open)
    }

    /// Returns whether the text goes on so; open where it ends before that is known.
    pub(super) fn goes_on(self, at: usize, expected: &str) -> ScanStep<bool> {
        let rest = &self.text.as_bytes()[at..];
        let is_cut = !self.is_end && rest.len() < expected.len() && expected.as_bytes().starts_with(rest);
        if is_cut { Err(ScanStop::Open) } else { Ok(rest.starts_with(expected.as_bytes())) }
    }

    /// `\n` before it, as in JSON, is no letter of a word.
    pub(super) fn is_within_word(self) -> bool {
        match self.byte_before(self.start) {
            Some(b'n' | b'r' | b't') => self.byte_before(self.start - 1) != Some(b'\\'),
            Some(byte) => byte.is_ascii_alphanumeric(),
            None => false,
        }
    }

    pub(super) fn byte_before(self, at: usize) -> Option<u8> {
        at.checked_sub(1).and_then(|before| self.text.as_bytes().get(before)).copied()
    }
}

/// Goes on only where that is so.
pub(super) fn ensure(is_so: bool) -> ScanStep<()> {
    is_so.then_some(()).ok_or(ScanStop::None)
}

pub(super) fn secret(secret: Range<usize>, name: &'static str) -> Outcome {
    let end = secret.end;
    recognised(vec![secret], end, name)
}

pub(super) fn recognised(secrets: Vec<Range<usize>>, end: usize, name: &'static str) -> Outcome {
    let secrets = secrets.into_iter().map(|place| (place, name)).collect();
    Ok(RecognisedText { secrets, end, is_command: false })
}

fn is_credential(value: &str) -> bool {
    value.len() >= MIN_CREDENTIAL_BYTES && looks_random(value)
}

fn is_header_value(value: &str) -> bool {
    is_credential(value) || is_basic_credential(value) || is_short_token(value)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_'
}

pub(super) fn is_separator(byte: u8) -> bool {
    b" \t\"':=>,\\".contains(&byte)
}

/// `\n` as two characters, in a key within JSON, separates lines too. The sign of a diff is no part of a line, whose
/// length is a multiple of four.
fn base64_runs(text: &str, start: usize, end: usize) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte);
    let mut runs = Vec::new();
    let mut at = start;
    while at < end {
        if bytes[at] == b'\\' {
            at += 2;
            continue;
        }
        let length = bytes[at..end].iter().take_while(|byte| is_base64(**byte)).count();
        let sign = usize::from(bytes[at] == b'+' && length % 4 == 1);
        if length > sign {
            runs.push(at + sign..at + length);
        }
        at += length.max(1);
    }
    runs
}
