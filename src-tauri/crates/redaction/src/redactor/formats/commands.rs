//! Secrets among the words of a command: `mysql -pPASSWORD`, `sshpass -p PASSWORD`, `curl -su user:PASSWORD`.
//!
//! From the program's name on, words are read about as a shell reads them, also those of a list in JSON, up to the end
//! of the command. Prose that names a program is told from a command by its first words.

use super::checks::{Outcome, RecognisedText, ScanStop, TextAt, ensure};
use super::literal::is_given;
use super::look::is_real_password;
use std::ops::Range;

const MAX_COMMAND_BYTES: usize = 1024;
/// `-sSu` before a quote.
const MAX_FLAG_BYTES: usize = 8;

pub(super) struct SecretTaker {
    /// Its name may go on: `mysqldump`.
    is_family: bool,
    /// The letters of options that take a value.
    with_values: &'static str,
    secrets: &'static [(&'static str, OptionValue)],
}

/// The value of an option.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OptionValue {
    Password,
    /// Only where it stands at the option itself.
    AttachedPassword,
    /// `user:password`
    Credential,
    Cookies,
}

use OptionValue::{AttachedPassword, Cookies, Credential, Password};

pub(super) static CURL: SecretTaker = program(
    "AbCcdDeEFHKmoPQrtTuUwxXYyz",
    &[
        ("u", Credential),
        ("user", Credential),
        ("U", Credential),
        ("proxy-user", Credential),
        ("b", Cookies),
        ("cookie", Cookies),
        ("oauth2-bearer", Password),
    ],
);
pub(super) static MYSQL: SecretTaker = family("uhPDSep", &[("p", AttachedPassword), ("password", AttachedPassword)]);
pub(super) static MONGO: SecretTaker = family("up", &[("p", Password)]);
pub(super) static LDAP: SecretTaker = family("DHbwyhpfsla", &[("w", Password)]);
pub(super) static MOSQUITTO: SecretTaker = family("hpuPtmi", &[("P", Password)]);
pub(super) static SEVEN_ZIP: SecretTaker = family("op", &[("p", AttachedPassword)]);
pub(super) static ZIP: SecretTaker = program("P", &[("P", Password)]);
pub(super) static SSHPASS: SecretTaker = program("pfdP", &[("p", Password)]);
pub(super) static REDIS: SecretTaker = program("hpanuri", &[("a", Password), ("pass", Password)]);
/// `docker login`, `helm registry login`.
pub(super) static LOGIN: SecretTaker = program("up", &[("p", Password)]);
pub(super) static SQLCMD: SecretTaker = program("SUPdQqio", &[("P", Password)]);

const fn program(with_values: &'static str, secrets: &'static [(&'static str, OptionValue)]) -> SecretTaker {
    SecretTaker { is_family: false, with_values, secrets }
}

const fn family(with_values: &'static str, secrets: &'static [(&'static str, OptionValue)]) -> SecretTaker {
    SecretTaker { is_family: true, with_values, secrets }
}

/// The unquoted beginning of a word, or a word in quotes; and what stands in quotes right behind the former.
struct CommandWord {
    head: Range<usize>,
    quoted: Option<Range<usize>>,
}

impl TextAt<'_> {
    pub(super) fn command(self, program: &SecretTaker) -> Outcome {
        let is_in_name = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
        let before = &self.text[self.text.ceil_char_boundary(self.start.saturating_sub(4))..self.start];
        let is_in_path = before.ends_with(['-', '_', '.', '/']) && !before.ends_with("bin/");
        ensure(!self.is_within_word() && !is_in_path)?;
        let most = if program.is_family { 16 } else { 0 };
        let named = self.run(self.after, most, is_in_name)?;
        let quotes = self.run(named, 2, |byte| b"\\\"'".contains(&byte))?;
        ensure(self.text.as_bytes().get(quotes).is_none_or(|byte| b" \t,\\".contains(byte)))?;
        // A backslash here continues the line.
        let at = if self.text[named..quotes].ends_with('\\') { named } else { quotes };
        let (words, end) = self.words(at).ok_or(ScanStop::Open)?;
        let secrets = self.secrets_among(&words, program);
        ensure(!secrets.is_empty())?;
        Ok(RecognisedText { secrets, end, is_command: true })
    }

    /// Returns the words of the command and where it ends; `None` where the text ends before it does.
    fn words(self, from: usize) -> Option<(Vec<CommandWord>, usize)> {
        let bytes = self.text.as_bytes();
        let (mut words, mut at) = (Vec::new(), from);
        while at - from < MAX_COMMAND_BYTES {
            let next = bytes.get(at + 1).copied();
            match bytes.get(at) {
                None => return self.is_end.then_some((words, at)),
                Some(b' ' | b'\t' | b',') => at += 1,
                Some(b'\\') if next.is_none() => return self.is_end.then_some((words, at)),
                Some(b'\\') if matches!(next, Some(b'\n' | b'\r')) => at += if next == Some(b'\n') { 2 } else { 3 },
                Some(byte) if is_quote(*byte, next) => {
                    let Some((head, end)) = self.quoted(at)? else { break };
                    words.push(CommandWord { head, quoted: None });
                    at = end;
                }
                Some(byte) if ends_command(*byte) || *byte == b'\\' || *byte == b'#' => break,
                Some(_) => {
                    let (word, end) = self.unquoted(at)?;
                    at = end.unwrap_or(word.head.end);
                    words.push(word);
                    if end.is_none() {
                        break;
                    }
                }
            }
            if words.len() == 2 && !self.is_command(&words) {
                return Some((Vec::new(), at));
            }
        }
        Some((words, at))
    }

    fn is_command(self, words: &[CommandWord]) -> bool {
        let mut heads = words.iter().map(|word| &self.text[word.head.clone()]);
        let first = heads.next().unwrap_or_default();
        first.len() <= 1
            || first.contains(['-', '.', '/', ':', '$', '=', '@'])
            || heads.any(|word| word.starts_with('-'))
    }

    /// The content and what follows the closing quote; `Some(None)` where none closes it.
    fn quoted(self, at: usize) -> Option<Option<(Range<usize>, usize)>> {
        let bytes = self.text.as_bytes();
        let is_escaped = bytes[at] == b'\\';
        let start = at + 1 + usize::from(is_escaped);
        let quote = bytes[start - 1];
        let mut end = start;
        while end - start < MAX_COMMAND_BYTES {
            match bytes.get(end) {
                None if self.is_end => return Some(None),
                None => return None,
                Some(b'\\') if is_escaped && bytes.get(end + 1) == Some(&quote) => {
                    return Some(Some((start..end, end + 2)));
                }
                Some(b'\\') if quote == b'"' => end += 2,
                Some(byte) if *byte == quote => return Some((!is_escaped).then_some((start..end, end + 1))),
                Some(_) => end += 1,
            }
        }
        Some(None)
    }

    /// A word, and where it ends; without an end the command is over.
    fn unquoted(self, start: usize) -> Option<(CommandWord, Option<usize>)> {
        let bytes = self.text.as_bytes();
        let mut at = start;
        loop {
            let next = bytes.get(at + 1).copied();
            match bytes.get(at) {
                Some(b'\\') if next.is_none() && !self.is_end => return None,
                Some(b'\\') if !matches!(next, None | Some(b'\n' | b'\r' | b'n' | b'r' | b't' | b'"' | b'\'')) => {
                    at += 2
                }
                Some(byte) if is_quote(*byte, next) => break,
                Some(byte) if *byte > b' ' && !ends_command(*byte) && *byte != b'\\' => at += 1,
                None if !self.is_end => return None,
                _ => {
                    let trimmed = self.text[start..at].trim_end_matches(',').len();
                    return Some((CommandWord { head: start..start + trimmed, quoted: None }, Some(at)));
                }
            }
        }
        let head = start..at;
        let text = &self.text[head.clone()];
        let is_flag = text.starts_with('-') && text.len() <= MAX_FLAG_BYTES && !text.starts_with("--");
        if !is_flag && !text.ends_with('=') {
            return Some((CommandWord { head, quoted: None }, None));
        }
        let quoted = self.quoted(at)?;
        let end = quoted.as_ref().map(|(_, end)| *end);
        Some((CommandWord { head, quoted: quoted.map(|(content, _)| content) }, end))
    }

    fn secrets_among(self, words: &[CommandWord], program: &SecretTaker) -> Vec<(Range<usize>, &'static str)> {
        let mut words = words.iter();
        let mut secrets = Vec::new();
        while let Some(word) = words.next() {
            let text = &self.text[word.head.clone()];
            let (name, rest) = match text.strip_prefix("--") {
                Some(long) => (long.split('=').next().unwrap_or_default(), text.find('=').map(|at| at + 1)),
                None => {
                    let flag = |flags: &str| flags.find(|flag| program.with_values.contains(flag));
                    let Some(at) = text.strip_prefix('-').and_then(flag) else { continue };
                    (&text[at + 1..at + 2], (text.len() > at + 2 || word.quoted.is_some()).then_some(at + 2))
                }
            };
            let known = program.secrets.iter().find(|(option, _)| *option == name).map(|(_, value)| *value);
            let is_next = rest.is_none() && (text.len() == 2 || !text.starts_with("--") || known.is_some());
            let value = match rest {
                Some(at) if word.head.start + at < word.head.end => Some(word.head.start + at..word.head.end),
                Some(_) => word.quoted.clone(),
                None if is_next && known != Some(AttachedPassword) => words.next().map(|next| next.head.clone()),
                None => None,
            };
            if let Some((kind, value)) = known.zip(value) {
                secrets.extend(self.secrets_of(kind, value));
            }
        }
        secrets
    }

    fn secrets_of(self, kind: OptionValue, value: Range<usize>) -> Vec<(Range<usize>, &'static str)> {
        // `-p=…`
        let sign = usize::from(self.text[value.clone()].starts_with('='));
        let (start, end) = (value.start + sign, value.end);
        let text = &self.text[start..end];
        match kind {
            Password | AttachedPassword if is_given(text) => vec![(start..end, "password")],
            Password | AttachedPassword => Vec::new(),
            Cookies => {
                let cookies = TextAt { text: &self.text[..end], is_end: true, ..self }.cookie_list(start);
                cookies.unwrap_or_default().into_iter().map(|cookie| (cookie, "cookie")).collect()
            }
            Credential => {
                // What was replaced before is no password.
                let is_filled_in =
                    |password: &str| password.starts_with(['{', '(', '%', '/', '<']) || text.contains('[');
                let split = text.split_once(':').filter(|(_, password)| !is_filled_in(password));
                let real = split.filter(|(user, password)| is_real_password(user, password));
                real.map(|(_, password)| (end - password.len()..end, "curl-password")).into_iter().collect()
            }
        }
    }
}

fn is_quote(byte: u8, next: Option<u8>) -> bool {
    b"\"'".contains(&byte) || (byte == b'\\' && matches!(next, Some(b'"' | b'\'')))
}

fn ends_command(byte: u8) -> bool {
    b"\n\r;|&()[]{}<>`".contains(&byte)
}
