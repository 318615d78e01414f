//! The names that mark the value assigned to them as a secret.

use super::literal::ValueKind;
use crate::word_list::is_in;

/// A name has no more words that matter.
const MAX_WORDS: usize = 16;

/// The last word of a name decides, and for `key` the one before it.
const PASSWORDS: &[&str] = &["password", "passwd", "passphrase", "passwort", "storepass", "keypass", "passcode"];
const SECRETS: &[&str] =
    &["secret", "secretkey", "accesskey", "privatekey", "authkey", "apikey", "accountkey", "masterkey"];
const KEYS: &str = "access account admin api app application auth cipher client consumer cookie crypto deploy encryption \
     hmac jwt license master private secret service session shared signing storage subscription token \
     webhook";
/// Words after the one that decides.
const QUALIFIERS: &str = "base default dev development live local main primary prod production sandbox secondary stage staging \
     str string val value";
/// Names with one of these are of something for everybody to see, or of a place in a list or a text.
const PUBLIC: &str = "bos cancellation continuation cursor end eos eot hash hashed has is lexer mask next no non pad page \
     pagination prompt pub public regex schema sep special start stop sync unk";

/// Returns what kind of secret, and what it is called where it is replaced.
pub(super) fn telling(name: &str) -> Option<(ValueKind, &'static str)> {
    let mut words: Vec<String> = words(name).take(MAX_WORDS + 1).collect();
    if words.len() > MAX_WORDS || words.iter().any(|word| is_in(PUBLIC, word)) {
        return None;
    }
    while words.len() > 1 && words.last().is_some_and(|word| is_in(QUALIFIERS, word) || word.is_empty()) {
        words.pop();
    }
    let last = words.pop()?;
    let before = words.last().map(String::as_str);
    let ends = |list: &[&str]| list.iter().any(|end| last.ends_with(end));
    match last.as_str() {
        _ if ends(PASSWORDS) => Some((ValueKind::Password, "password")),
        "pwd" | "psk" | "sshpass" | "pw" => Some((ValueKind::Password, "password")),
        // `ROOTPW`
        _ if name.ends_with("PW") => Some((ValueKind::Password, "password")),
        "phrase" | "word" if before == Some("pass") => Some((ValueKind::Password, "password")),
        _ if matches!(name, "pass" | "PASS" | "REDISCLI_AUTH" | "_auth") => Some((ValueKind::Password, "password")),
        // Not what is called with it: `test.pass("…")`.
        "pass" if before.is_some() && !name.ends_with(".pass") => Some((ValueKind::Password, "password")),
        "key" if before.is_some_and(|before| is_in(KEYS, before)) => Some((ValueKind::Secret, "key")),
        _ if last.ends_with("token") => Some((ValueKind::Secret, "token")),
        "credential" | "credentials" => Some((ValueKind::Secret, "secret")),
        _ if ends(SECRETS) => Some((ValueKind::Secret, "secret")),
        _ => None,
    }
}

/// Returns the words in small letters, without the digits at their ends: `dbPassword2`, `DB_PASSWORD`, `APIKey`.
fn words(name: &str) -> impl Iterator<Item = String> {
    name.split(['_', '-', '.']).filter(|part| !part.is_empty()).flat_map(|part| {
        let bytes = part.as_bytes();
        let begins = |at: &usize| {
            let at = *at;
            let is_upper = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_uppercase);
            let is_lower = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_lowercase);
            at == 0 || (is_upper(at) && (!is_upper(at - 1) || is_lower(at + 1)))
        };
        let starts: Vec<usize> = (0..bytes.len()).filter(begins).collect();
        let ends = starts.iter().skip(1).copied().chain([bytes.len()]).collect::<Vec<_>>();
        let word = |(start, end)| part[start..end].trim_end_matches(|c: char| c.is_ascii_digit()).to_ascii_lowercase();
        starts.into_iter().zip(ends).map(word).collect::<Vec<_>>()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_say_so_are_told_from_those_of_other_things() {
        for name in [
            "password",
            "DB_PASSWORD",
            "dbPassword",
            "spring.datasource.password",
            "password2",
            "PGPASSWORD",
            "api_key",
            "apiKey",
            "API-KEY",
            "APIKey",
            "client_secret",
            "clientSecret",
            "SECRET_KEY_BASE",
            "aws_secret_access_key",
            "private_token",
            "_authToken",
            "smtp_pass",
            "passwd",
            "STRIPE_SECRET_KEY_PROD",
            "--db-password",
            "MYSQL_PWD",
            "accountKey",
            "setPassword",
            "pass",
            "PASS",
            "pw",
            "db_pw",
            "ROOTPW",
            "passcode",
            "pass_phrase",
            "passWord",
            "_auth",
        ] {
            assert!(telling(name).is_some(), "{name}");
        }
        for name in [
            "password_hash",
            "passwordless",
            "tokenizer",
            "token_count",
            "next_token",
            "nextPageToken",
            "publicKeyToken",
            "public_key",
            "key",
            "primary_key",
            "keyboard",
            "secretary",
            "compass",
            "bypass",
            "secret_name",
            "token_type",
            "monkey",
            "t.pass",
            "cache_key",
            "tokens",
            "is_password",
            "basic_auth",
        ] {
            assert!(telling(name).is_none(), "{name}");
        }
    }
}
