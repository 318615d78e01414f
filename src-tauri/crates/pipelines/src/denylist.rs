//! Globs for paths that no step of a pipeline may touch.

use arki_domain::glob_readings;
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// The patterns of a pipeline that sets none itself.
const USUAL: &[&str] = &["**/.env*", "**/*.pem", "**/*.key", "**/id_rsa*", "**/id_ed25519*"];
const MAX_PATTERNS: usize = 200;

/// Stands for whatever is in a folder: no pattern is about this name.
const ANY_NAME: char = '\u{1}';

#[derive(Debug, Clone)]
pub struct Denylist {
    patterns: Vec<String>,
    globs: GlobSet,
    /// The pattern that each glob is a reading of, by its place.
    pattern_of: Vec<usize>,
}

impl Denylist {
    pub(crate) fn usual() -> Self {
        let patterns: Vec<String> = USUAL.iter().map(|&pattern| pattern.to_owned()).collect();
        Self::new(&patterns).unwrap_or(Self { patterns: Vec::new(), globs: GlobSet::empty(), pattern_of: Vec::new() })
    }

    pub(crate) fn new(patterns: &[String]) -> Result<Self, String> {
        if patterns.len() > MAX_PATTERNS {
            return Err(format!("`denylist_patterns` has more than {MAX_PATTERNS} globs."));
        }
        Self::of_globs(patterns)
    }

    fn of_globs(patterns: &[String]) -> Result<Self, String> {
        let mut globs = GlobSetBuilder::new();
        let mut pattern_of = Vec::new();
        for (place, pattern) in patterns.iter().enumerate() {
            let whole = if pattern.ends_with('/') { format!("{pattern}**") } else { pattern.clone() };
            let whole = whole.trim_start_matches("./");
            for reading in glob_readings(whole) {
                let glob = GlobBuilder::new(&reading).literal_separator(true).case_insensitive(true).build();
                globs.add(glob.map_err(|error| format!("{pattern:?} isn't a valid glob: {}.", error.kind()))?);
                pattern_of.push(place);
            }
        }
        let globs = globs.build().map_err(|error| format!("`denylist_patterns`: {}.", error.kind()))?;
        Ok(Self { patterns: patterns.to_vec(), globs, pattern_of })
    }

    /// Returns the list with the patterns of the pipelines that this one is nested in.
    pub fn with(&self, outer: &[String]) -> Result<Self, String> {
        let missing = outer.iter().filter(|pattern| !self.patterns.contains(pattern));
        Self::of_globs(&self.patterns.iter().chain(missing).cloned().collect::<Vec<_>>())
    }

    /// The globs, as they are written.
    #[must_use]
    pub fn patterns(&self) -> &[String] {
        &self.patterns
    }

    /// Returns the pattern that forbids a path or all that is below it, if one does. A glob without a slash is about names
    /// in any folder.
    #[must_use]
    pub fn forbids(&self, path: &str) -> Option<&str> {
        let path = without_dots(&path.replace('\\', "/"));
        let name = path.rsplit('/').next().filter(|name| !name.is_empty())?;
        let spellings = [path.as_str(), name, &format!("{path}/{ANY_NAME}")];
        let matched = spellings.iter().find_map(|path| self.globs.matches(path).first().copied());
        matched.map(|index| self.patterns[self.pattern_of[index]].as_str())
    }
}

/// `a/./b/../c` as `a/c`.
fn without_dots(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "." => {}
            "" if !parts.is_empty() => {}
            ".." if parts.last().is_some_and(|last| !matches!(*last, "" | ".." | "~")) => {
                parts.pop();
            }
            other => parts.push(other),
        }
    }
    parts.join("/")
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
        assert!(Denylist::new(&["a{".to_owned()]).is_err());
    }

    #[test]
    fn no_spelling_of_a_path_leads_past_a_pattern() {
        let denylist = Denylist::new(&["secret/data.txt", "keys/", "*.key", "./a.txt"].map(str::to_owned)).unwrap();
        for path in [
            "secret/data.txt",
            "./secret/./data.txt",
            "x/../secret//data.txt",
            "keys/deep/a",
            "keys",
            "keys/",
            "b/c.key",
            "a.txt",
        ] {
            assert!(denylist.forbids(path).is_some(), "{path}");
        }
        for path in ["secret/other.txt", "b/secret/data.txt", "b/keys/a", "", "."] {
            assert!(denylist.forbids(path).is_none(), "{path}");
        }
        let bracketed = Denylist::new(&["a.txt", "[user-id]/", "[slug]/{a,b}.ts"].map(str::to_owned)).unwrap();
        assert_eq!(bracketed.forbids("[slug]/b.ts"), Some("[slug]/{a,b}.ts"));
        assert_eq!(bracketed.forbids("[user-id]/x"), Some("[user-id]/"));
        let hidden = Denylist::new(&["**/.*".to_owned()]).unwrap();
        assert!(hidden.forbids("a/.b").is_some() && hidden.forbids("a/b").is_none());
        let nested = denylist.with(&["*.pem".to_owned(), "*.key".to_owned()]).unwrap();
        assert_eq!(nested.patterns(), ["secret/data.txt", "keys/", "*.key", "./a.txt", "*.pem"]);
        assert!(nested.forbids("a.pem").is_some() && nested.forbids("keys/a").is_some());
    }
}
