//! Finds the secrets in an environment file, and values of a text that might be secrets without having their form.

use crate::SecretValue;
use crate::word_list::is_in;
use serde_json::Value;
use zeroize::{Zeroize, Zeroizing};

/// The shortest value of a variable whose name says that it is a secret.
const MIN_NAMED_BYTES: usize = 6;
/// The shortest value of any other variable; that value has to look random as well.
const MIN_RANDOM_BYTES: usize = 16;
/// Shorter ones are only replaced where they stand alone.
const MIN_ANYWHERE_BYTES: usize = 12;
const MAX_VALUES: usize = 500;

/// A name that ends so is a secret's.
const SECRET_ENDS: &str = "KEY KEYS TOKEN SECRET PASSWORD PASSWD PASS PWD PASSPHRASE PAT PIN SALT CREDENTIALS";
/// These say so anywhere in the name, unless it ends with one of the others.
const SECRET_WORDS: &[&str] = &["SECRET", "PASSWORD", "TOKEN", "APIKEY", "CREDENTIAL"];
const PLAIN_ENDS: &str = "ALG ALGORITHM AUDIENCE BYTES COUNT DAYS DIR ENABLED EXPIRES EXPIRY FILE HOST HOURS ISSUER \
    LENGTH LIMIT LIFETIME METHOD MINUTES MODE MODEL NAME PATH PORT REGION SECONDS STORE TTL TYPE URI URL USER \
    USERNAME VERSION";
/// Random, and for everybody to see.
const PUBLIC_WORDS: &str = "SHA SHA256 HASH COMMIT DIGEST REV REVISION CHECKSUM FINGERPRINT ID UUID VERSION";
const COMMON: &str = "123456 1234567 12345678 administrator authorization changeit changeme default development \
    disabled enabled example localhost mysecret optional password password123 passwort placeholder postgres \
    postgresql production required secret session staging supersecret testing undefined";
/// Words that stand for a secret in examples.
const EXAMPLES: &[&str] = &["your", "change", "replace", "example", "insert", "xxxx", "todo", "dummy", "fake"];

/// The values of an environment file that look like secrets.
#[must_use]
pub fn env_secrets(text: &str) -> Vec<SecretValue> {
    let text = text.trim_start_matches('\u{feff}');
    let mut written: Vec<(String, String)> = Vec::new();
    match serde_json::from_str(text) {
        Ok(Value::Object(object)) => texts_of(object, &mut written),
        _ => written.extend(assignments(text).into_iter().map(|(name, value)| (name.to_owned(), value.to_owned()))),
    }
    let secrets = written.iter().filter_map(|(name, value)| secret(name, value)).take(MAX_VALUES).collect();
    written.iter_mut().for_each(|(_, value)| value.zeroize());
    secrets
}

/// Collects the texts of `.env.json`, including those in nested objects.
fn texts_of(object: serde_json::Map<String, Value>, found: &mut Vec<(String, String)>) {
    for (name, value) in object {
        match value {
            Value::String(text) => found.push((name, text)),
            Value::Object(inner) => texts_of(inner, found),
            _ => {}
        }
    }
}

fn secret(name: &str, value: &str) -> Option<SecretValue> {
    let upper = name.to_ascii_uppercase();
    let password = password_of_address(value);
    let value = password.unwrap_or(value);
    let is_secret = match password.is_some() || says_secret(&upper) {
        true => value.len() >= MIN_NAMED_BYTES && (is_pin(&upper, value) || !is_plain(value)),
        false => !is_public(&upper) && looks_random(value) && !is_plain(value),
    };
    is_secret.then(|| SecretValue {
        name: name.to_owned(),
        value: Zeroizing::new(value.to_owned()),
        whole_word: value.len() < MIN_ANYWHERE_BYTES,
    })
}

fn says_secret(upper: &str) -> bool {
    let last = last_part(upper);
    let is_plain = is_in(PLAIN_ENDS, last);
    SECRET_ENDS.split(' ').any(|end| last.ends_with(end) && (last == end || end.len() > 4 || end == "PASS"))
        || (!is_plain && SECRET_WORDS.iter().any(|word| upper.contains(word)))
}

/// The one secret that is a number, and short: six digits at least, and none that everybody takes.
fn is_pin(upper: &str, value: &str) -> bool {
    let is_varied = value.bytes().any(|byte| Some(byte) != value.bytes().next());
    last_part(upper) == "PIN" && value.bytes().all(|byte| byte.is_ascii_digit()) && is_varied && !is_in(COMMON, value)
}

fn last_part(upper: &str) -> &str {
    upper.rsplit(['_', '-', '.']).next().unwrap_or_default()
}

fn is_public(upper: &str) -> bool {
    upper.split(['_', '-', '.']).any(|part| is_in(PUBLIC_WORDS, part))
}

/// Returns whether the value is no secret whatever it is called: words, numbers, switches, paths, addresses, examples.
fn is_plain(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let is_number =
        value.len() < MIN_ANYWHERE_BYTES && value.bytes().all(|b| b.is_ascii_digit() || b".:,".contains(&b));
    let is_path = value.starts_with(['/', '~']) || value.starts_with("./") || value.get(1..3) == Some(":\\");
    let is_filled_in = value.starts_with(['$', '<', '{']) || (value.contains("${") && !looks_random(value));
    is_number
        || is_path
        || is_filled_in
        || value.contains("://")
        || is_in(COMMON, &lower)
        || EXAMPLES.iter().any(|word| lower.contains(word))
        || value.bytes().all(|byte| Some(byte) == value.bytes().next())
}

/// Letters and digits in one long row.
fn looks_random(value: &str) -> bool {
    value.split(|c: char| !c.is_ascii_alphanumeric()).any(|part| {
        let digits = part.bytes().filter(u8::is_ascii_digit).count();
        part.len() >= MIN_RANDOM_BYTES && digits >= 2 && digits < part.len()
    })
}

/// Returns the password in `scheme://user:password@host`.
fn password_of_address(value: &str) -> Option<&str> {
    let (_, rest) = value.split_once("://")?;
    let (user_info, _) = rest.split_once('@')?;
    let (_, password) = user_info.split_once(':')?;
    (!password.contains('/')).then_some(password)
}

/// `NAME=value`, `export NAME="value"`, `NAME: value`, also over several lines; of those, each line is a value.
fn assignments(text: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    let mut open: Option<(&str, char)> = None;
    for line in text.lines() {
        if let Some((name, quote)) = open {
            let value = line.split(quote).next().unwrap_or_default();
            found.push((name, value.trim()));
            open = if line.contains(quote) { None } else { open };
            continue;
        }
        let line = line.trim();
        let line = line.strip_prefix("export ").unwrap_or(line);
        let with_colon = line.split_once(": ").filter(|(name, _)| !name.contains(['=', ' ']));
        let Some((name, value)) = with_colon.or_else(|| line.split_once('=')) else { continue };
        let (name, value) = (name.trim(), value.trim());
        let is_name = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
        if name.is_empty() || !name.chars().all(is_name) {
            continue;
        }
        match value.chars().next().filter(|quote| matches!(quote, '"' | '\'' | '`')) {
            Some(quote) => match value[1..].split_once(quote) {
                Some((value, _)) => found.push((name, value)),
                None => {
                    found.push((name, &value[1..]));
                    open = Some((name, quote));
                }
            },
            None => found.push((name, value.split(" #").next().unwrap_or_default().trim())),
        }
    }
    found
}

/// Words before a value that make one look twice.
const TELLING: &[&str] = &["password", "passwd", "secret", "token", "apikey", "api_key", "api-key", "private_key"];
const MAX_LINE_BYTES: usize = 4096;
const MAX_VALUE_BYTES: usize = 256;
/// Bits a character; English text has about 4.1 over 27 letters, a random value of 16 characters at least 3.5.
const MIN_ENTROPY: f64 = 3.5;

/// Returns how many values in the text might be secrets: random ones behind a name that says so. For a warning and
/// nothing else; what is replaced by then is not counted.
#[must_use]
pub fn possible_secrets(text: &str) -> usize {
    text.lines().filter(|line| line.len() <= MAX_LINE_BYTES && has_possible_secret(line)).count()
}

fn has_possible_secret(line: &str) -> bool {
    let lower = line.to_ascii_lowercase();
    let Some(word) = TELLING.iter().filter_map(|word| lower.find(word)).min() else { return false };
    let Some((_, value)) = line[word..].split_once(['=', ':']) else { return false };
    let value = value.trim_start_matches([' ', '\t', '"', '\'', '>', '=']);
    let is_value = |c: char| c.is_ascii_alphanumeric() || "+/_-=.".contains(c);
    let end = value.find(|c| !is_value(c)).unwrap_or(value.len());
    let value = &value[..end];
    (MIN_RANDOM_BYTES..=MAX_VALUE_BYTES).contains(&value.len()) && looks_random(value) && entropy(value) >= MIN_ENTROPY
}

fn entropy(text: &str) -> f64 {
    let mut counts = [0_u32; 256];
    text.bytes().for_each(|byte| counts[usize::from(byte)] += 1);
    let total = text.len() as f64;
    let share = |count: &u32| f64::from(*count) / total;
    counts.iter().filter(|count| **count > 0).map(share).map(|share| -share * share.log2()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(String, String)> {
        env_secrets(text).into_iter().map(|secret| (secret.name, secret.value.to_string())).collect()
    }

    #[test]
    fn values_whose_names_say_so_are_secrets() {
        for line in [
            "DB_PASSWORD=hunter22",
            "export API_KEY='abcdef-ghijkl'",
            "STRIPE_SECRET=\"a b c d e f\" # live",
            "githubToken=xyzzy123",
            "  MAIL_PASS = tr0ub4dor&3",
            "SECRET_KEY_BASE=abcdefghijklmnop",
            "SMTPPASS=letmein-please",
            "CARD_PIN=482913",
            "\u{feff}API_KEY=abcdef-ghijkl",
            "API_KEY: abcdef-ghijkl",
            "API_KEY=Zq4sm3TtPw7RsVb2NcKd8Yh$${X}tail",
            r#"{"api": {"API_KEY": "abcdef-ghijkl"}, "PORT": 1}"#,
        ] {
            assert_eq!(found(line).len(), 1, "{line}");
        }
        assert_eq!(found("P_PASSWORD=\"a # b \"x"), [("P_PASSWORD".to_owned(), "a # b ".to_owned())]);
        assert_eq!(found("TOKEN=abcdefgh # c"), [("TOKEN".to_owned(), "abcdefgh".to_owned())]);
    }

    #[test]
    fn ordinary_settings_are_none() {
        for line in [
            "# API_KEY=abcdefghijkl",
            "DEBUG=true",
            "PORT=8080",
            "NODE_ENV=production",
            "APP_NAME=my-wonderful-project",
            "MODEL=gpt-4o-mini-2024-07-18",
            "DATABASE_URL=postgres://localhost:5432/application",
            "SECRET_PATH=/run/secrets/application",
            "TOKEN_LIMIT=128000000",
            "API_KEY=your-api-key-here",
            "PASSWORD=changeme",
            "PASSWORD=short",
            "API_KEY=${OTHER_API_KEY}",
            "GIT_COMMIT=9f2a8b3c4d5e6f708192a3b4c5d6e7f8091a2b3c",
            "RELEASE_ID=550e8400e29b41d4a716446655440000",
            "KEYBOARD_LAYOUT=german-nodeadkeys",
            "AUTH_TOKEN_TYPE=opaque-and-long",
            "LANG=de_DE.UTF-8",
            "TZ=Europe/Berlin",
            "CARD_PIN=4829",
            "CARD_PIN=123456",
            "SPIN=482913",
            "GPIO_PIN=17",
            "no assignment at all",
        ] {
            assert_eq!(found(line), [], "{line}");
        }
    }

    #[test]
    fn a_random_value_is_one_whatever_it_is_called_and_so_is_the_password_of_an_address() {
        assert_eq!(found("CLIENT=8fj2Kd93hs7Kq0Zx41")[0].1, "8fj2Kd93hs7Kq0Zx41");
        assert_eq!(found("DATABASE_URL=postgres://app:s3cr3t-pw@db:5432/x")[0].1, "s3cr3t-pw");
    }

    #[test]
    fn a_value_over_several_lines_is_one_a_line() {
        let text = "SIGNING_KEY=\"first-line-of-it\nsecond-line-of-it\nthird-line\"\nPORT=1\n";
        let values: Vec<String> = found(text).into_iter().map(|(_, value)| value).collect();
        assert_eq!(values, ["first-line-of-it", "second-line-of-it", "third-line"]);
    }

    #[test]
    fn what_might_be_a_secret_is_counted_and_hashes_are_not() {
        assert_eq!(
            possible_secrets("db_password: 'q8Zr2Lx0Vt6Nw4Ks9B'\nmy_token = \"f81d4fae7dec11d0a76500a0c91e6bf6\""),
            2
        );
        for plain in [
            "\"integrity\": \"sha512-UyXmvWqBYGYvYm0xYQ2vZzB0c3RhbmRhcmQgbm90IGEgc2VjcmV0IGF0IGFsbA==\"",
            "checksum = \"9f2a8b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f708192a3b4c5d6e7f8\"",
            "token: string; password: SecretString; let token = tokenizer.next_token_of_stream();",
            "the secret: [secret:DB_PASSWORD#0123456789ab]",
            "tokens_per_second = 1234567890123456789",
        ] {
            assert_eq!(possible_secrets(plain), 0, "{plain}");
        }
    }
}
