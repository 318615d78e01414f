//! Tells whether a value beside a telling name is a secret itself, and not a word, an example, a template or code.
//!
//! People choose passwords, programs make tokens: of the former a digit or a sign among the letters is enough, the latter
//! have to be made of chance.

use super::look::is_real_password;
use std::sync::LazyLock;

/// The kind of value that the name announces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueKind {
    Password,
    /// A token or a key.
    Secret,
    /// It may be a name in code: nothing but chance counts.
    Bare,
}

const MIN_PASSWORD_BYTES: usize = 7;
const MIN_SECRET_BYTES: usize = 8;
const MAX_BYTES: usize = 256;
/// The length from which a value is taken for one made by a program.
const LONG_BYTES: usize = 16;
/// A word of letters has at least so many.
const MIN_WORD_LETTERS: usize = 4;
/// No word has more of them in a row.
const MAX_CONSONANTS: usize = 4;

/// Words of which an example's value is made.
static EXAMPLE_WORDS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    "abc access account actual admin any api app auth bar basic baz bearer change changeit changeme \
     client confirm correct current custom data database default demo dev dummy empty enter env example \
     fake field file foo foobared for from github goes guest hash header hello hunter id input insert \
     invalid is it key local login long me missing mock my mypassword mysecret name new none null old \
     pass passphrase passwd password path placeholder postgres private prod production pwd qwerty random \
     real redacted refresh replace required reset root sample secret secure server session short some \
     staging string strong super temp test testing text that the this tmp token top type undefined update \
     user username valid value very weak with world wrong your"
        .split(' ')
        .collect()
});
/// Words with numbers behind them: algorithms and versions.
const NUMBERED_WORDS: &[&str] = &[
    "aes", "arg", "argon", "base", "bcrypt", "blake", "cp", "ecdsa", "ed", "hs", "http", "ipv", "iso", "latin", "md",
    "oauth", "pbkdf", "pkcs", "ripemd", "rs", "rsa", "scram", "sha", "tls", "utf", "uuid", "version",
];
/// Parts of values that are filled in later, are patterns, or were redacted already.
const TEMPLATES: &[&str] = &[
    "${", "$(", "{{", "}}", "<%", "%s", "%d", "%v", "%(", "%{", "#{", "***", "...", "…", "(?", "[a-z", "[A-Z", "[0-9",
    "[^", "\\d", "\\w", "\\s", "\\b", ".*", ".+", "[secret:", "://", "ENC[", "::", "->", "==", "•",
];
/// Sequences that have digits and letters but are nobody's password.
const SEQUENCES: &[&str] =
    &["123456", "234567", "abcdef", "xxxx", "deadbeef", "cafebabe", "0000", "qwerty", "aaaa", "1111", "lorem"];

/// Returns whether the value is a secret, going by its own looks.
pub(super) fn is_secret(kind: ValueKind, value: &str) -> bool {
    let least = if kind == ValueKind::Password { MIN_PASSWORD_BYTES } else { MIN_SECRET_BYTES };
    if !(least..=MAX_BYTES).contains(&value.len()) || is_filled_in(value) || is_plain(value) {
        return false;
    }
    let counts = Counts::of(value);
    let is_example = is_example(value);
    let has_all_kinds = counts.kinds() == 4 && value.len() >= 12;
    // `Admin@123`, `hunter2!`: a word that people make a password of, and no address.
    let is_seasoned = counts.signs > 0 && counts.digits > 0 && counts.letters() > 0 && !is_address(value);
    match kind {
        ValueKind::Password => {
            let is_mixed = counts.letters() > 0 && counts.digits + counts.signs > 0;
            (is_mixed || is_unpronounceable(value))
                && (has_all_kinds || ((!is_example || is_seasoned) && !is_identifier(value, &counts)))
        }
        ValueKind::Secret if value.len() >= LONG_BYTES => {
            has_all_kinds || (is_made_by_chance(value, &counts) && !is_example)
        }
        ValueKind::Secret => {
            !is_example && counts.digits > 0 && counts.kinds() >= 3 && !is_wordy(value, &counts) && counts.letters() > 0
        }
        ValueKind::Bare => {
            let is_mixed = counts.digits >= 2 && counts.upper + counts.lower >= 2 && digit_groups(value) >= 2;
            let is_long = value.len() >= LONG_BYTES && counts.digits > 0 && is_made_by_chance(value, &counts);
            (is_mixed || is_long) && !is_example && !is_wordy(value, &counts)
        }
    }
}

/// Returns whether code could use it as a name: letters, digits and what joins them.
pub(super) fn is_name_like(value: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"_.:-".contains(&byte);
    value.bytes().all(is_part)
}

/// Returns whether a value is a token, however short, where nothing else is usual.
pub(super) fn is_short_token(value: &str) -> bool {
    is_secret(ValueKind::Password, value) && !is_wordy(value, &Counts::of(value))
}

/// Returns whether no code would have such a name: its digits are not at the end of a word, or it is no word at all.
pub(super) fn is_no_name(value: &str) -> bool {
    let is_odd = |part: &str| {
        let word = part.trim_end_matches(|c: char| c.is_ascii_digit());
        let first = word.split(|c: char| c.is_ascii_digit()).next().unwrap_or_default().to_ascii_lowercase();
        let has_digits_inside = word.bytes().any(|byte| byte.is_ascii_digit());
        !NUMBERED_WORDS.contains(&first.as_str()) && (has_digits_inside || part.len() - word.len() > 1)
    };
    let is_joined = || value.contains(['_', '-', '.', ':']) && is_wordy(value, &Counts::of(value));
    let is_chaos = || value.len() >= MIN_SECRET_BYTES && is_chaos(value);
    is_secret(ValueKind::Password, value)
        && !is_joined()
        && (value.split(['_', '-', '.', ':']).any(is_odd) || is_chaos())
}

/// Returns whether a value is a secret whose place leaves no doubt that it is one, unless it stands for it only.
pub(super) fn is_given(value: &str) -> bool {
    let counts = Counts::of(value);
    let is_example = value.len() > MIN_WORD_LETTERS && counts.digits == 0 && is_example(value);
    let has_enough = counts.letters() > 0 || (counts.digits >= 6 && counts.digits == value.len());
    let is_other = is_filled_in(value) || value.starts_with([' ', ',', '-', '/', '(', ']', '.']);
    value.len() <= MAX_BYTES
        && has_enough
        && distinct(value) > 2
        && is_real_password("", value)
        && !is_example
        && !is_other
}

/// Letters that are no words, as in Base64.
fn is_unpronounceable(value: &str) -> bool {
    let is_no_word = |word: &str| {
        let is_long = word.len() >= MIN_SECRET_BYTES && word.bytes().all(|byte| byte.is_ascii_alphabetic());
        is_long && !is_word(word)
    };
    let has_small = || value.bytes().any(|byte| byte.is_ascii_lowercase());
    value.len() >= MIN_SECRET_BYTES && has_small() && (is_chaos(value) || of_one_case(value).any(is_no_word))
}

fn is_chaos(value: &str) -> bool {
    value.bytes().all(|byte| byte.is_ascii_alphanumeric()) && of_one_case(value).count() * 5 >= value.len() * 2
}

struct Counts {
    lower: usize,
    upper: usize,
    digits: usize,
    /// Others than those that join words.
    signs: usize,
}

impl Counts {
    fn of(value: &str) -> Self {
        let count = |class: fn(&u8) -> bool| value.bytes().filter(class).count();
        Self {
            lower: count(u8::is_ascii_lowercase),
            upper: count(u8::is_ascii_uppercase),
            digits: count(u8::is_ascii_digit),
            signs: count(|byte| !byte.is_ascii_alphanumeric() && !b"_-./:,=+".contains(byte)),
        }
    }

    fn letters(&self) -> usize {
        self.lower + self.upper
    }

    fn kinds(&self) -> usize {
        [self.lower, self.upper, self.digits, self.signs].into_iter().filter(|count| *count > 0).count()
    }
}

/// A place for a value rather than a value.
fn is_filled_in(value: &str) -> bool {
    let bytes = value.as_bytes();
    let (first, last) = (bytes.first().copied(), bytes.last().copied());
    let is_variable =
        first == Some(b'$') && bytes.get(1).is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
    let is_between = |open, close| first == Some(open) && last == Some(close);
    is_variable
        || is_between(b'<', b'>')
        || is_between(b'{', b'}')
        || is_between(b'[', b']')
        || is_between(b'%', b'%')
        || first == Some(b'!')
        || has_braced_name(value)
        // Base64 ends so.
        || TEMPLATES.iter().any(|template| value.trim_end_matches('=').contains(template))
}

/// `{name}` in the middle.
fn has_braced_name(value: &str) -> bool {
    let inside = value.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(inside, _)| inside);
    inside.into_iter().any(|inside| inside.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.:?".contains(&byte)))
}

/// A sentence, a number, a path, an option, a call.
fn is_plain(value: &str) -> bool {
    let has = |class: fn(u8) -> bool| value.bytes().any(class);
    has(|byte| byte <= b' ')
        || !has(|byte| byte.is_ascii_alphabetic())
        || value.starts_with(['/', '~', '-', '\\', '^'])
        || value.starts_with("./")
        || value.starts_with("../")
        || value.get(1..3) == Some(":\\")
        || value.ends_with(['(', '{', '[', ':'])
        || (value.contains('(') && value.contains(')'))
        || (value.contains('[') && value.ends_with(']'))
        || (value.contains("\\u") || value.contains("\\x") || value.contains("\\n"))
        || distinct(value) < 5
}

/// Made of words that stand for a secret, or of keys in a row.
fn is_example(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let mut words = lower.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| word.len() > 1).peekable();
    let is_known = |word: &str| EXAMPLE_WORDS.contains(&word) || is_made_of_examples(word);
    (words.peek().is_some() && words.all(is_known)) || SEQUENCES.iter().any(|sequence| lower.contains(sequence))
}

/// `mypassword`, `testtoken`.
fn is_made_of_examples(word: &str) -> bool {
    word.is_empty() || EXAMPLE_WORDS.iter().any(|known| word.strip_prefix(known).is_some_and(is_made_of_examples))
}

/// Words, joined or one with a number: `user_password_2`, `oauth2-token`, `sha256`.
fn is_identifier(value: &str, counts: &Counts) -> bool {
    if counts.signs > 0 {
        return false;
    }
    let parts: Vec<&str> = value.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty()).collect();
    let word = |part: &str| part.trim_end_matches(|c: char| c.is_ascii_digit()).to_ascii_lowercase();
    let is_numbered = |part: &&str| NUMBERED_WORDS.contains(&word(part).as_str());
    let fits = |part: &&str| {
        let word = word(part);
        let is_short_number = word.is_empty() || part.len() - word.len() <= 3;
        word.bytes().all(|byte| byte.is_ascii_alphabetic()) && (is_short_number || is_numbered(part))
    };
    // `Kx_92_pL` has none.
    let has_word = || value.split(|c: char| !c.is_ascii_alphabetic()).flat_map(of_one_case).any(is_word);
    parts.iter().all(fits) && ((parts.len() > 1 && has_word()) || parts.iter().any(is_numbered))
}

/// `user1@example.com`
fn is_address(value: &str) -> bool {
    value.split_once('@').is_some_and(|(_, host)| host.contains('.'))
}

fn is_made_by_chance(value: &str, counts: &Counts) -> bool {
    let has_digits = counts.digits >= (value.len() / 20).max(2) && counts.letters() >= 2;
    let is_mixed_case = counts.upper >= 4 && counts.lower >= 4 && value.len() >= 24;
    (has_digits || is_mixed_case) && distinct(value) >= 8 && !is_wordy(value, counts)
}

/// Returns whether most of its letters are in words.
fn is_wordy(value: &str, counts: &Counts) -> bool {
    let words = value.split(|c: char| !c.is_ascii_alphabetic()).flat_map(of_one_case).filter(|word| is_word(word));
    words.map(str::len).sum::<usize>() * 2 > counts.letters()
}

/// `fooBarBAZ`: `foo`, `Bar`, `BAZ`.
fn of_one_case(run: &str) -> impl Iterator<Item = &str> {
    let mut rest = run;
    std::iter::from_fn(move || {
        let bytes = rest.as_bytes();
        let first = bytes.first()?;
        let same = |upper: bool, from: usize| {
            bytes[from..].iter().take_while(|byte| byte.is_ascii_uppercase() == upper).count() + from
        };
        let end = match first.is_ascii_uppercase() && bytes.get(1).is_some_and(u8::is_ascii_lowercase) {
            true => same(false, 1),
            false => same(first.is_ascii_uppercase(), 0),
        };
        let (word, after) = rest.split_at(end);
        rest = after;
        Some(word)
    })
}

fn is_word(word: &str) -> bool {
    let is_vowel = |byte: &u8| b"aeiouyAEIOUY".contains(byte);
    let vowels = word.bytes().filter(|byte| is_vowel(byte)).count();
    let mut rows = word.as_bytes().split(is_vowel);
    word.len() >= MIN_WORD_LETTERS && vowels * 6 >= word.len() && rows.all(|row| row.len() <= MAX_CONSONANTS)
}

fn distinct(value: &str) -> usize {
    let mut seen = [false; 256];
    value.bytes().for_each(|byte| seen[usize::from(byte)] = true);
    seen.into_iter().filter(|seen| *seen).count()
}

fn digit_groups(value: &str) -> usize {
    value.split(|c: char| !c.is_ascii_digit()).filter(|group| !group.is_empty()).count()
}
