//! The Rust sources, and in each what is not a test.

use crate::manifests::root;
use std::path::{Path, PathBuf};

pub(crate) struct Source {
    /// From the repository's root, with `/`.
    pub(crate) path: String,
    pub(crate) text: String,
}

/// All Rust sources that are shipped or build what is shipped.
pub(crate) fn shipped() -> Vec<Source> {
    let found: Vec<Source> = all().into_iter().filter(|source| !source.is_test()).collect();
    assert!(found.len() > 100, "only {} sources were found", found.len());
    found
}

pub(crate) fn all() -> Vec<Source> {
    let root = root();
    let mut files = Vec::new();
    for folder in ["src-tauri", "tests"] {
        collect(&root.join(folder), "rs", &mut files);
    }
    files.iter().map(|file| Source::read(&root, file)).collect()
}

/// Files below a folder with that extension; nothing that is generated or fetched.
pub(crate) fn collect(folder: &Path, extension: &str, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            if !matches!(entry.file_name().to_str(), Some("target" | "node_modules" | "gen" | "dist")) {
                collect(&path, extension, files);
            }
        } else if path.extension().is_some_and(|found| found == extension) {
            files.push(path);
        }
    }
}

impl Source {
    pub(crate) fn read(root: &Path, file: &Path) -> Self {
        let path = file.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
        Self { path, text: std::fs::read_to_string(file).unwrap() }
    }

    pub(crate) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }

    fn is_test(&self) -> bool {
        self.path.starts_with("tests/")
            || ["/tests/", "_tests/", "/examples/", "/benches/"].iter().any(|folder| self.path.contains(folder))
            || self.name() == "tests.rs"
            || self.name().ends_with("_tests.rs")
    }

    pub(crate) fn is_in(&self, folder: &str) -> bool {
        self.path.starts_with(folder)
    }

    /// The lines without items under `#[cfg(test)]`, with their numbers.
    pub(crate) fn lines(&self) -> Vec<(usize, &str)> {
        let mut kept = Vec::new();
        let mut lines = self.text.lines().enumerate().map(|(index, line)| (index + 1, line)).peekable();
        while let Some((number, line)) = lines.next() {
            let attribute = line.trim_start();
            if !attribute.starts_with("#[cfg(test)]") && !attribute.starts_with("#[cfg(all(test") {
                kept.push((number, line));
                continue;
            }
            let indent = &line[..line.len() - attribute.len()];
            for (_, skipped) in lines.by_ref() {
                let ends_block = skipped.strip_prefix(indent).is_some_and(|rest| rest.starts_with('}'));
                let is_short = skipped.strip_prefix(indent).is_some_and(|rest| !rest.starts_with(' '))
                    && (skipped.ends_with(';') || skipped.ends_with(','));
                if ends_block || is_short {
                    break;
                }
            }
        }
        kept
    }

    /// As [`Source::lines`], without comments.
    pub(crate) fn code(&self) -> Vec<(usize, &str)> {
        self.lines().into_iter().filter(|(_, line)| !line.trim_start().starts_with("//")).collect()
    }

    /// Lines of code of which this holds, as `path:number: line`.
    pub(crate) fn matching(&self, holds: impl Fn(&str) -> bool) -> Vec<String> {
        let found = self.code().into_iter().filter(|(_, line)| holds(line));
        found.map(|(number, line)| format!("{}:{number}: {}", self.path, line.trim())).collect()
    }

    /// Lines of code with one of these in them, where it does not merely end a longer word.
    pub(crate) fn uses(&self, words: &[&str]) -> Vec<String> {
        let has = |line: &str, word: &str| {
            line.match_indices(word).any(|(at, _)| {
                let before = line[..at].chars().next_back();
                !before.is_some_and(|c| c.is_alphanumeric() || c == '_')
            })
        };
        self.matching(|line| words.iter().any(|word| has(line, word)))
    }
}

#[test]
fn what_is_a_test_is_told_from_what_is_not() {
    let text = "fn a() {}\n#[cfg(test)]\nmod tests;\nfn b() {}\nimpl X {\n    #[cfg(test)]\n    fn c() {\n        d();\n    \
                }\n    fn e() {}\n}\n#[cfg(all(test, unix))]\nmod tests {\n    fn f() {}\n}\nfn g() {}\n";
    let source = Source { path: "src-tauri/x.rs".to_owned(), text: text.to_owned() };
    let kept: Vec<&str> = source.lines().into_iter().map(|(_, line)| line.trim()).collect();
    assert_eq!(kept, ["fn a() {}", "fn b() {}", "impl X {", "fn e() {}", "}", "fn g() {}"]);
}
