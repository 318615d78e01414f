//! The name of a branch that somebody asks for. Narrower than git's own rules: it is also a folder's name, and nothing in
//! it is an option, a pattern or a way out.

use arki_domain::{Code, Error};
use std::fmt;

const MAX_CHARS: usize = 100;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BranchName(String);

impl BranchName {
    /// # Errors
    /// `BRANCH_NAME_INVALID`.
    pub fn parse(text: &str) -> Result<Self, Error> {
        match problem(text) {
            None => Ok(Self(text.to_owned())),
            Some(problem) => Err(Error::new(
                Code::BRANCH_NAME_INVALID,
                format!("{:?} can't be a branch's name: {problem}.", text.chars().take(MAX_CHARS).collect::<String>()),
                "Use letters, digits, `-`, `_`, `.` and `/`, such as feature/search.",
            )),
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name of its folder.
    pub fn folder_name(&self) -> String {
        self.0.replace('/', "-")
    }

    /// The full name in git.
    pub fn reference(&self) -> String {
        format!("refs/heads/{}", self.0)
    }
}

impl fmt::Display for BranchName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

fn problem(text: &str) -> Option<&'static str> {
    if text.is_empty() {
        return Some("it is empty");
    }
    if text.chars().count() > MAX_CHARS {
        return Some("it has more than 100 characters");
    }
    if !text.chars().all(|c| c.is_alphanumeric() || "-_./+".contains(c)) {
        return Some("it has a character that isn't allowed");
    }
    if text == "HEAD" {
        return Some("git uses it for the current commit");
    }
    text.split('/').find_map(|part| {
        if part.is_empty() {
            return Some("a part of it is empty");
        }
        if part.starts_with(['-', '.']) {
            return Some("a part of it begins with `-` or `.`");
        }
        (part.ends_with('.') || part.ends_with(".lock") || part.contains(".."))
            .then_some("a part of it ends with `.` or `.lock`, or contains `..`")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_people_give_are_taken() {
        for name in ["x", "feature/search", "fix-12_b", "v1.2+3", "größe", "a/b/c"] {
            assert_eq!(BranchName::parse(name).unwrap().as_str(), name);
        }
        assert_eq!(BranchName::parse("a/b-c").unwrap().folder_name(), "a-b-c");
    }

    #[test]
    fn options_ways_out_and_what_git_refuses_are_not() {
        let long = "x".repeat(MAX_CHARS + 1);
        for name in [
            "",
            "-",
            "--upload-pack=x",
            "-x/y",
            "a/-b",
            "../x",
            "a/../b",
            "..",
            ".",
            ".hidden",
            "a/.b",
            "a..b",
            "a/",
            "/a",
            "a//b",
            "a.lock",
            "a.lock/b",
            "a.",
            "HEAD",
            "a b",
            "a\tb",
            "a\nb",
            "a\0b",
            "a:b",
            "a~1",
            "a^",
            "a?",
            "a*",
            "a[b",
            "a\\b",
            "@{1}",
            "a\u{202e}b",
            "a\u{200b}b",
            "$(x)",
            "`x`",
            &long,
        ] {
            assert!(BranchName::parse(name).unwrap_err().is(Code::BRANCH_NAME_INVALID), "{name:?}");
        }
    }
}
