//! Secrets that the rest of their line gives away: lines of `.pgpass`, addresses of Oracle, and cookies.

use super::checks::{
    MAX_SEPARATOR_BYTES, MIN_CREDENTIAL_BYTES, Outcome, ScanStep, ScanStop, TextAt, ensure, is_separator, recognised,
    secret,
};
use super::literal::{ValueKind, is_given, is_secret};
use super::look::{has_random_part, looks_random};
use crate::redactor::LOOK_BACK_BYTES;
use std::ops::Range;

const MAX_USER_BYTES: usize = 512;
const MAX_COOKIES: usize = 50;
const MAX_COOKIE_NAME_BYTES: usize = 64;
const MAX_COOKIE_BYTES: usize = 4096;
const MAX_PASSWORD_BYTES: usize = 128;
/// Names of cookies that open a session, in part.
const SESSION_NAMES: &[&str] = &["sess", "sid", "auth", "token", "jwt", "login", "remember", "csrf", "xsrf", "sso"];
/// The attributes of cookies that may follow the cookie itself.
const ATTRIBUTES: &[&str] = &["domain", "path", "expires"];

impl TextAt<'_> {
    /// `host:5432:database:user:password`, a line of its own: the password. The beginning is the end of the port.
    pub(super) fn pgpass(self, name: &'static str) -> Outcome {
        let before =
            &self.text[self.text.ceil_char_boundary(self.start.saturating_sub(LOOK_BACK_BYTES - 4))..self.start];
        let before = before.trim_end_matches(|c: char| c.is_ascii_digit());
        let host = before.strip_suffix(':').or(self.text[self.start..].strip_prefix(":*").map(|_| before));
        let host = host.and_then(|before| before.rsplit(['\n', '\t', ' ', '"', '\'']).next()).unwrap_or_default();
        let is_of_host = |byte: u8| byte.is_ascii_alphanumeric() || b"._-*".contains(&byte);
        ensure(!host.is_empty() && host.bytes().all(is_of_host))?;
        let is_part = |byte: u8| byte > b' ' && byte < 0x7f && !b":\"'`<>()/@,".contains(&byte);
        let mut at = self.after;
        for _ in 0..2 {
            let end = self.run(at, MAX_USER_BYTES, is_part)?;
            ensure(end > at && self.text.as_bytes().get(end) == Some(&b':'))?;
            at = end + 1;
        }
        let is_password = |byte: u8| byte > b' ' && byte < 0x7f && !b"\"'`<>".contains(&byte);
        let end = self.run(at, MAX_PASSWORD_BYTES, is_password)?;
        let is_line_end = matches!(self.text.as_bytes().get(end), None | Some(b'\r' | b'\n' | b'"' | b'\'' | b'`'));
        ensure(is_line_end && is_given(&self.text[at..end]))?;
        secret(at..end, name)
    }

    /// `jdbc:oracle:thin:user/password@host`: the password.
    pub(super) fn oracle(self, name: &'static str) -> Outcome {
        let is_part = |byte: u8| byte > b' ' && byte < 0x7f && !b"@/\"'`<>\\".contains(&byte);
        let user = self.run(self.after, MAX_USER_BYTES, is_part)?;
        ensure(self.text.as_bytes().get(user) == Some(&b'/'))?;
        let end = self.run(user + 1, MAX_PASSWORD_BYTES, is_part)?;
        ensure(self.text.as_bytes().get(end) == Some(&b'@') && is_given(&self.text[user + 1..end]))?;
        secret(user + 1..end, name)
    }

    /// A new password: `'user:password' | chpasswd`
    pub(super) fn changed_password(self, name: &'static str) -> Outcome {
        let is_quote = |byte: u8| b"\"'".contains(&byte);
        let is_user = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.$".contains(&byte);
        let is_password = |byte: u8| byte > b' ' && !b"\"'|;\\".contains(&byte);
        let first = self.run(self.after, 1, is_quote)?;
        let user = self.run(first, MAX_USER_BYTES, is_user)?;
        ensure(self.text.as_bytes().get(user) == Some(&b':'))?;
        let end = self.run(user + 1, MAX_PASSWORD_BYTES, is_password)?;
        let pipe = self.run(end, 6, |byte| is_quote(byte) || b" |\\n".contains(&byte))?;
        for program in ["chpasswd", "sudo chpasswd"] {
            if self.goes_on(pipe, program)? && is_given(&self.text[user + 1..end]) {
                return secret(user + 1..end, name);
            }
        }
        Err(ScanStop::None)
    }

    /// `-b FILE USER PASSWORD`, also with other letters beside the `b`.
    pub(super) fn htpasswd(self, name: &'static str) -> Outcome {
        let is_part = |byte: u8| byte > b' ' && byte < 0x7f && !b"`<>;|&()".contains(&byte);
        let (mut at, mut words) = (self.after, Vec::new());
        while words.len() < 4 {
            let end = self.run(at, MAX_PASSWORD_BYTES, is_part)?;
            ensure(end > at)?;
            words.push(at..end);
            at = self.run(end, 4, |byte| byte == b' ')?;
        }
        let is_batch = self.text[words[0].clone()].strip_prefix('-').is_some_and(|letters| letters.contains('b'));
        let word = words[3].clone();
        let quotes = usize::from(self.text[word.clone()].starts_with(['"', '\'']));
        let end = word.start + self.text[word.clone()].trim_end_matches(['"', '\'']).len();
        let value = word.start + quotes..end.max(word.start + quotes);
        ensure(is_batch && is_given(&self.text[value.clone()]))?;
        secret(value, name)
    }

    /// `Cookie: name=value; name=value` and `Set-Cookie: name=value; Path=/`: the values that look random.
    pub(super) fn cookies(self, name: &'static str) -> Outcome {
        let at = self.run(self.after, MAX_SEPARATOR_BYTES, is_separator)?;
        ensure(at > self.after)?;
        let secrets = self.cookie_list(at)?;
        let end = secrets.last().ok_or(ScanStop::None)?.end;
        recognised(secrets, end, name)
    }

    /// Open where the text ends before they do.
    pub(super) fn cookie_list(self, mut at: usize) -> ScanStep<Vec<Range<usize>>> {
        let mut secrets = Vec::new();
        for _ in 0..MAX_COOKIES {
            let named = self.run(at, MAX_COOKIE_NAME_BYTES, is_cookie_name)?;
            let is_cookie = named > at && self.text.as_bytes().get(named) == Some(&b'=');
            let value = if is_cookie { named + 1 } else { named };
            let most = if is_cookie { MAX_COOKIE_BYTES } else { 0 };
            let end = self.run(value, most, |byte| is_cookie && is_cookie_value(byte))?;
            if is_secret_cookie(&self.text[at..named].to_ascii_lowercase(), &self.text[value..end]) {
                secrets.push(value..end);
            }
            let next = self.run(end, 2, |byte| byte == b';' || byte == b' ')?;
            if self.text.as_bytes().get(end) != Some(&b';') {
                break;
            }
            at = next;
        }
        Ok(secrets)
    }
}

fn is_secret_cookie(name: &str, value: &str) -> bool {
    let is_long = value.len() >= MIN_CREDENTIAL_BYTES && (looks_random(value) || has_random_part(value));
    let is_session = SESSION_NAMES.iter().any(|part| name.contains(part)) && is_secret(ValueKind::Password, value);
    (is_long || is_session) && !ATTRIBUTES.contains(&name)
}

fn is_cookie_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-.$".contains(&byte)
}

fn is_cookie_value(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"%+/=_.~:!-".contains(&byte)
}
