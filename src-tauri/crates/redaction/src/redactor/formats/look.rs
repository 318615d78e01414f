//! Tells whether something looks like a secret, and not like a word, a path or an example.

/// Sixteen letters and digits in a row, of both kinds, or capitals, small letters and digits all three.
pub(super) fn has_random_part(text: &str) -> bool {
    let mut parts = text.split(|c: char| !c.is_ascii_alphanumeric());
    let is_random = |part: &str| part.len() >= 16 && digits(part) > 0 && part.bytes().any(|b| b.is_ascii_alphabetic());
    parts.any(is_random) || has_three_kinds(text)
}

/// Returns whether its letters have as many digits among them as chance would give, and it is no path.
pub(super) fn looks_random(text: &str) -> bool {
    let has_letters = text.bytes().any(|byte| byte.is_ascii_alphabetic());
    let is_path = text.starts_with(['/', '.']) || text.contains("//");
    has_letters && digits(text) >= (text.len() / 16).max(2) && !is_path
}

fn has_three_kinds(text: &str) -> bool {
    let has = |kind: fn(&u8) -> bool| text.bytes().any(|byte| kind(&byte));
    has(u8::is_ascii_digit) && has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase)
}

fn digits(text: &str) -> usize {
    text.bytes().filter(u8::is_ascii_digit).count()
}

/// `user:password` in Base64, as after `Basic`.
pub(super) fn is_basic_credential(text: &str) -> bool {
    let Some(decoded) = decoded(text.trim_end_matches('=')) else { return false };
    let is_text = decoded.iter().all(|byte| *byte >= b' ');
    text.len() >= 8 && is_text && decoded.iter().position(|byte| *byte == b':').is_some_and(|colon| colon > 0)
}

fn decoded(text: &str) -> Option<Vec<u8>> {
    let (mut bits, mut count, mut bytes) = (0_u32, 0, Vec::with_capacity(text.len()));
    for byte in text.bytes() {
        let six = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = (bits << 6 | u32::from(six)) & 0xffff;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    Some(bytes)
}

const EXAMPLE_PASSWORDS: &[&str] = &[
    "password", "passwd", "pass", "pwd", "secret", "user", "username", "postgres", "mysql", "root", "admin", "test",
    "guest", "example", "changeme", "xxx", "token", "foo", "bar",
];

/// Returns whether this isn't a placeholder as in an example, such as `user:password@` or `$USER:$PASSWORD@`.
pub(super) fn is_real_password(user: &str, password: &str) -> bool {
    let lower = password.to_ascii_lowercase();
    password.len() >= 3
        && password != user
        && !password.starts_with(['$', '*'])
        && !EXAMPLE_PASSWORDS.contains(&lower.as_str())
        && !lower.bytes().all(|byte| b"x*.".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_basic_credential_is_told_from_a_word() {
        assert!(is_basic_credential("YWxhZGRpbjpvcGVuc2VzYW1l") && is_basic_credential("dTpwYXNzdw=="));
        assert!(!is_basic_credential("Authentication") && !is_basic_credential("realm=x"));
    }

    #[test]
    fn names_and_paths_do_not_look_random() {
        for plain in ["OAuth2AuthorizationHandler", "/api/v1/users/2024", "authentication", "abc"] {
            assert!(!looks_random(plain), "{plain}");
        }
        assert!(looks_random("a8f5f167f44f4964e6c998dee827110c") && looks_random("mF_9.B5f-4.1JqM"));
    }
}
