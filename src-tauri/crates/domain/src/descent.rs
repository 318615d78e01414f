//! The way a program goes through folders: the rules read it from a line, and whoever has the files follows it.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Descent {
    /// Skips files that are hidden or ignored by git.
    pub skips_hidden: bool,
    /// Follows links.
    pub follows_links: bool,
    /// It goes through no link, but who is handed one opens it.
    pub opens_links: bool,
    /// The names are handed on as words: one with a blank would be several, one with a dash an option.
    pub as_words: bool,
}

impl Descent {
    /// Reads everything, as `grep -r` does.
    pub const ALL: Self = Self { skips_hidden: false, follows_links: false, opens_links: false, as_words: false };
}
