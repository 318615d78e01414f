//! Reads the text of a git configuration by git's own grammar.
//!
//! Git stops at what it can't read. Here reading goes on with the next line: what git would not read does no harm.

use std::iter::Peekable;
use std::str::Chars;

/// One variable of a configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ConfigEntry {
    /// The section in lower case.
    pub(crate) section: String,
    /// The subsection, as it is written.
    pub(crate) about: String,
    /// The key in lower case.
    pub(crate) key: String,
    pub(crate) value: String,
}

/// Returns all variables, in order.
pub(crate) fn entries(text: &str) -> Vec<ConfigEntry> {
    let mut rest = text.strip_prefix('\u{feff}').unwrap_or(text).chars().peekable();
    let (mut section, mut about) = (String::new(), String::new());
    let mut entries = Vec::new();
    while let Some(next) = rest.next() {
        match next {
            '#' | ';' => skip_line(&mut rest),
            '[' => match header(&mut rest) {
                Some(read) => (section, about) = read,
                None => skip_line(&mut rest),
            },
            letter if letter.is_ascii_alphabetic() => {
                let mut key = letter.to_string();
                while let Some(letter) = rest.next_if(|next| next.is_ascii_alphanumeric() || *next == '-') {
                    key.push(letter);
                }
                while rest.next_if(|next| *next != '\n' && next.is_whitespace()).is_some() {}
                let value = if rest.next_if_eq(&'=').is_some() { value(&mut rest) } else { String::new() };
                key.make_ascii_lowercase();
                entries.push(ConfigEntry { section: section.clone(), about: about.clone(), key, value });
            }
            _ => {}
        }
    }
    entries
}

fn skip_line(rest: &mut Peekable<Chars<'_>>) {
    while rest.next_if(|next| *next != '\n').is_some() {}
}

/// Reads a header after its bracket: `name]`, `name.about]` or `name "about"]`.
fn header(rest: &mut Peekable<Chars<'_>>) -> Option<(String, String)> {
    let mut name = String::new();
    while let Some(letter) = rest.next_if(|next| next.is_ascii_alphanumeric() || matches!(next, '-' | '.')) {
        name.push(letter.to_ascii_lowercase());
    }
    let (section, mut about) = match name.split_once('.') {
        Some((section, about)) => (section.to_owned(), about.to_owned()),
        None => (name, String::new()),
    };
    while rest.next_if(|next| matches!(next, ' ' | '\t')).is_some() {}
    if rest.next_if_eq(&'"').is_some() {
        loop {
            match rest.next_if(|next| *next != '\n')? {
                '"' => break,
                '\\' => about.push(rest.next_if(|next| *next != '\n')?),
                letter => about.push(letter),
            }
        }
    }
    rest.next_if_eq(&']').map(|_| (section, about))
}

fn value(rest: &mut Peekable<Chars<'_>>) -> String {
    let (mut value, mut is_quoted, mut kept) = (String::new(), false, 0);
    while let Some(next) = rest.next_if(|next| *next != '\n') {
        match next {
            '"' => is_quoted = !is_quoted,
            '\\' => match rest.next() {
                // The end of a line may go on with the next.
                Some('\n') | None => {}
                Some('\r') if rest.next_if_eq(&'\n').is_some() => {}
                Some('t') => value.push('\t'),
                Some('n') => value.push('\n'),
                Some('b') => value.push('\u{8}'),
                Some(letter) => value.push(letter),
            },
            '#' | ';' if !is_quoted => {
                skip_line(rest);
                continue;
            }
            blank if blank.is_whitespace() && !is_quoted && value.is_empty() => {}
            blank if blank.is_whitespace() && !is_quoted => {
                value.push(blank);
                continue;
            }
            letter => value.push(letter),
        }
        kept = value.len().max(kept);
    }
    value.truncate(kept);
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let told = |entry: ConfigEntry| {
            let ConfigEntry { section, about, key, value } = entry;
            format!("{section}|{about}|{key}|{value}")
        };
        assert_eq!(entries(text).into_iter().map(told).collect::<Vec<_>>(), expected, "{text:?}");
    }

    #[test]
    fn it_is_read_as_git_reads_it() {
        check("[core]\n\tbare = false\n", &["core||bare|false"]);
        check("[Core] FSMonitor=./x # [y]\nb\n", &["core||fsmonitor|./x", "core||b|"]);
        check("[filter \"A.\\\"b\\]\"]clean = \"a  b\" c ;d\n", &["filter|A.\"b]|clean|a  b c"]);
        check("[filter.Name] smudge = x\\\n y\\tz  \n", &["filter|name|smudge|x y\tz"]);
        check("[include] path = x # ]\n[diff \"a]\"] textconv = y", &["include||path|x", "diff|a]|textconv|y"]);
        check("\u{feff}[a]\r\nb = c\r\n", &["a||b|c"]);
        check("[broken\n[a]\nb = \"c # d\"\n", &["a||b|c # d"]);
    }
}
