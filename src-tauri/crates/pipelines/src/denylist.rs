//! Paths that no step of a pipeline may touch.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// The patterns of a pipeline that sets none itself.
const USUAL: &[&str] = &["**/.env*", "**/*.pem", "**/*.key", "**/id_rsa*", "**/id_ed25519*"];
const MAX_PATTERNS: usize = 200;
/// A line of an input that is longer is no path.
const MAX_PATH_BYTES: usize = 4096;

#[derive(Debug, Clone)]
pub struct Denylist {
    patterns: Vec<String>,
    globs: GlobSet,
}

impl Denylist {
    pub(crate) fn usual() -> Self {
        let patterns: Vec<String> = USUAL.iter().map(|&pattern| pattern.to_owned()).collect();
        Self::new(&patterns).unwrap_or(Self { patterns: Vec::new(), globs: GlobSet::empty() })
    }

    /// # Errors
    /// A sentence, for what is no glob.
    pub(crate) fn new(patterns: &[String]) -> Result<Self, String> {
        if patterns.len() > MAX_PATTERNS {
            return Err(format!("`denylist_patterns` has more than {MAX_PATTERNS} globs."));
        }
        let mut globs = GlobSetBuilder::new();
        for pattern in patterns {
            let glob = GlobBuilder::new(pattern).literal_separator(true).case_insensitive(true).build();
            globs.add(glob.map_err(|error| format!("{pattern:?} is no glob: {}.", error.kind()))?);
        }
        let globs = globs.build().map_err(|error| format!("`denylist_patterns`: {}.", error.kind()))?;
        Ok(Self { patterns: patterns.to_vec(), globs })
    }

    /// Returns the pattern that forbids a path, if one does.
    #[must_use]
    pub fn forbids(&self, path: &str) -> Option<&str> {
        let path = path.replace('\\', "/");
        let matched = self.globs.matches(path.trim_start_matches("./"));
        matched.first().map(|index| self.patterns[*index].as_str())
    }

    /// Returns the first line of a text that is a forbidden path, with the pattern. What is prose is no path.
    pub(crate) fn forbidden_line<'a>(&self, text: &'a str) -> Option<(&'a str, &str)> {
        let lines = text.lines().map(|line| line.trim().trim_matches('"'));
        let paths = lines.filter(|line| !line.is_empty() && line.len() <= MAX_PATH_BYTES && !line.contains(' '));
        paths.filter_map(|line| Some((line, self.forbids(line)?))).next()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_found_wherever_they_lie_and_prose_is_none() {
        let denylist = Denylist::new(&["**/.env*".to_owned(), "**/*.pem".to_owned()]).unwrap();
        for path in [".env", "./.env.local", "a/b/.env", "/abs/Key.PEM", "C:\\keys\\a.pem"] {
            assert!(denylist.forbids(path).is_some(), "{path}");
        }
        for path in ["env", "a/environment.rs", "pem", "a.pem.rs"] {
            assert!(denylist.forbids(path).is_none(), "{path}");
        }
        assert_eq!(denylist.forbidden_line("a.txt\n  b/.env\n").unwrap().0, "b/.env");
        assert!(denylist.forbidden_line("Put it into .env, please.").is_none());
        assert!(Denylist::new(&["a{".to_owned()]).is_err());
    }
}
