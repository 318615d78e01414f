//! Finding files by name.

use globset::GlobSet;
use serde::Serialize;
use tokio_util::sync::CancellationToken;

use crate::error::{Result, SearchError};
use crate::project::{Project, ProjectPath, escape_hidden};
use crate::protection::is_secret;
use crate::walk::{PathGlob, Skipped, walk};
use arki_disk::EntryKind;

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Found {
    /// Relative to the project, in byte order by component.
    pub paths: Vec<String>,
    pub truncated: bool,
    /// The first few secret files that were left out; see `secrets_skipped`.
    pub skipped_secrets: Vec<String>,
    pub secrets_skipped: usize,
}

/// At most `max` files whose path matches `glob` (its name, if the glob has no `/`). Blocking; run it off
/// the async threads.
pub fn find(project: &Project, glob: &str, secrets: &GlobSet, max: usize, cancel: &CancellationToken) -> Result<Found> {
    let glob = PathGlob::new(glob)?;
    let mut found = Found::default();
    let mut skipped = Skipped::default();
    if cancel.is_cancelled() {
        return Err(SearchError::Cancelled.into());
    }
    for entry in walk(project, &ProjectPath::root(), None).flatten() {
        if cancel.is_cancelled() {
            return Err(SearchError::Cancelled.into());
        }
        if entry.kind == EntryKind::Folder {
            continue;
        }
        let relative = entry.path.strip_prefix(project.root()).unwrap_or(&entry.path);
        let Some(path) = ProjectPath::from_walk(relative).filter(|path| glob.is_match(path)) else { continue };
        if is_secret(&path, secrets) {
            skipped.add(&path);
        } else if found.paths.len() == max {
            found.truncated = true;
            break;
        } else {
            found.paths.push(escape_hidden(path.as_str()));
        }
    }
    Ok(Found { skipped_secrets: skipped.names, secrets_skipped: skipped.count, ..found })
}

#[cfg(test)]
mod tests {
    use super::*;
    use arki_domain::Code;
    use std::fs;

    fn check(glob: &str, max: usize, expected: &[&str]) -> Found {
        let folder = tempfile::tempdir().unwrap();
        for file in ["src/a.rs", "src/deep/b.rs", "c.rs", ".env", "src/.env.local", "d.txt"] {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let project = Project::open(folder.path()).unwrap();
        let found = find(&project, glob, &GlobSet::empty(), max, &CancellationToken::new()).unwrap();
        assert_eq!(found.paths, expected, "{glob}");
        found
    }

    #[test]
    fn globs_match_names_or_whole_paths() {
        check("*.rs", 9, &["c.rs", "src/a.rs", "src/deep/b.rs"]);
        check("src/*.rs", 9, &["src/a.rs"]);
        check("src/**/*.rs", 9, &["src/a.rs", "src/deep/b.rs"]);
        check("./src/", 9, &["src/a.rs", "src/deep/b.rs"]);
        check("*.{txt,md}", 9, &["d.txt"]);
    }

    #[test]
    fn secret_files_are_left_out_and_named() {
        let found = check("**/.env*", 9, &[]);
        assert_eq!(found.skipped_secrets, [".env", "src/.env.local"]);
        assert_eq!(found.secrets_skipped, 2);
    }

    #[test]
    fn a_limit_and_a_bad_glob_say_so() {
        assert!(check("*.rs", 2, &["c.rs", "src/a.rs"]).truncated);
        let folder = tempfile::tempdir().unwrap();
        let project = Project::open(folder.path()).unwrap();
        let token = CancellationToken::new();
        let too_deep = format!("{}a{}", "{".repeat(500), "}".repeat(500));
        for bad in ["a[", &too_deep] {
            let error = find(&project, bad, &GlobSet::empty(), 9, &token).unwrap_err();
            assert_eq!(error.code(), Code::PATTERN_INVALID);
        }
        token.cancel();
        assert!(find(&project, "*", &GlobSet::empty(), 9, &token).is_err());
    }
}
