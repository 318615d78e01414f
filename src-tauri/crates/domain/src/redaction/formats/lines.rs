//! Secrets that the rest of their line gives away: the user and password of `curl`, and cookies.

use super::checks::{MAX_SEPARATOR_BYTES, MIN_CREDENTIAL_BYTES, Outcome, Text, is_separator, secret};
use super::look::{has_random_part, is_real_password, looks_random};
use crate::redaction::LOOK_BACK_BYTES;
use std::ops::Range;

const MAX_USER_BYTES: usize = 512;
const MAX_COOKIES: usize = 50;
const MAX_COOKIE_NAME_BYTES: usize = 64;
const MAX_COOKIE_BYTES: usize = 4096;
/// Of cookies, besides the cookie itself.
const ATTRIBUTES: &[&str] = &["domain", "path", "expires"];

impl Text<'_> {
    /// `curl … -u user:password`, also as separate words in JSON: the password.
    pub(super) fn curl_user(self, name: &'static str) -> Outcome {
        let is_option = self.byte_before(self.start).is_some_and(|byte| b" \t\"'`,[\n".contains(&byte));
        if !is_option || !self.is_in_line_of("curl") {
            return Outcome::None;
        }
        let Some(at) = self.run(self.after, MAX_SEPARATOR_BYTES, is_separator) else { return Outcome::Open };
        let is_user = |byte: u8| byte > b' ' && byte < 0x7f && !b"\"'`<>\\)|;".contains(&byte);
        let Some(end) = self.run(at, MAX_USER_BYTES, is_user) else { return Outcome::Open };
        if at == self.after && self.text[self.start..].starts_with("--") {
            return Outcome::None;
        }
        let credential = &self.text[at..end];
        // What was replaced before is no password.
        let is_filled_in = |password: &str| password.starts_with(['{', '(', '%', '/']) || credential.contains('[');
        match credential.split_once(':') {
            Some((user, password)) if !is_filled_in(password) && is_real_password(user, password) => {
                secret(end - password.len()..end, name)
            }
            _ => Outcome::None,
        }
    }

    /// Returns whether the program stands before it in the same line, which a backslash at its end continues.
    fn is_in_line_of(self, program: &str) -> bool {
        let from = self.text.ceil_char_boundary(self.start.saturating_sub(LOOK_BACK_BYTES - 4));
        let before = &self.text[from..self.start];
        let mut starts = before.match_indices('\n').filter(|(at, _)| !before[..*at].ends_with('\\'));
        before[starts.next_back().map_or(0, |(at, _)| at)..].contains(program)
    }

    /// `Cookie: name=value; name=value` and `Set-Cookie: name=value; Path=/`: the values that look random.
    pub(super) fn cookies(self, name: &'static str) -> Outcome {
        let Some(mut at) = self.run(self.after, MAX_SEPARATOR_BYTES, is_separator) else { return Outcome::Open };
        if at == self.after {
            return Outcome::None;
        }
        let mut secrets: Vec<Range<usize>> = Vec::new();
        for _ in 0..MAX_COOKIES {
            let Some(named) = self.run(at, MAX_COOKIE_NAME_BYTES, is_cookie_name) else { return Outcome::Open };
            let is_cookie = named > at && self.text.as_bytes().get(named) == Some(&b'=');
            let value = if is_cookie { named + 1 } else { named };
            let most = if is_cookie { MAX_COOKIE_BYTES } else { 0 };
            let Some(end) = self.run(value, most, |byte| is_cookie && is_cookie_value(byte)) else {
                return Outcome::Open;
            };
            let is_attribute = ATTRIBUTES.contains(&self.text[at..named].to_ascii_lowercase().as_str());
            let text = &self.text[value..end];
            if text.len() >= MIN_CREDENTIAL_BYTES && !is_attribute && (looks_random(text) || has_random_part(text)) {
                secrets.push(value..end);
            }
            let Some(next) = self.run(end, 2, |byte| byte == b';' || byte == b' ') else { return Outcome::Open };
            if self.text.as_bytes().get(end) != Some(&b';') {
                break;
            }
            at = next;
        }
        match secrets.last() {
            Some(last) => Outcome::Secret { end: last.end, secrets, name },
            None => Outcome::None,
        }
    }
}

fn is_cookie_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-.$".contains(&byte)
}

fn is_cookie_value(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"%+/=_.~:!-".contains(&byte)
}
