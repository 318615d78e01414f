//! Finding files by name.

use globset::GlobSet;
use serde::Serialize;
use tokio_util::sync::CancellationToken;

use crate::error::{Result, SearchError};
use crate::other_names::LinkedSecrets;
use crate::project::{Project, ProjectPath, escape_hidden};
use crate::protection::is_secret;
use crate::walk::{Ignored, PathGlob, Skipped, path_of, walk};
use arki_disk::EntryKind;

/// A search for files by name, with its limits.
#[derive(Debug, Clone)]
pub struct FindQuery<'a> {
    /// Matched against a path, or against its name if the glob has no `/`. A path that exists is a path first.
    pub glob: &'a str,
    /// Also finds what git ignores.
    pub include_ignored: bool,
    /// The user's own secret files.
    pub secrets: &'a GlobSet,
    /// Files returned.
    pub max: usize,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Found {
    /// Relative to the project, in byte order by component.
    pub paths: Vec<String>,
    pub truncated: bool,
    /// Secret files that match.
    pub secrets: Skipped,
    /// The ignored files that match, and the ignored folders that may hold some.
    pub ignored: Skipped,
}

/// Finds files by their paths. Blocking; run it off the async threads.
///
/// # Errors
/// `PATTERN_INVALID` for what is no glob, `CANCELLED`.
pub fn find(project: &Project, query: &FindQuery<'_>, cancel: &CancellationToken) -> Result<Found> {
    let glob = PathGlob::new(project, query.glob)?;
    let mut found = Found::default();
    if cancel.is_cancelled() {
        return Err(SearchError::Cancelled.into());
    }
    let linked = LinkedSecrets::new(project, query.secrets);
    let is_linked_secret =
        |path: &ProjectPath| project.dir().symlink_metadata(path.as_str()).is_ok_and(|file| linked.has(&file));
    let ignored = if query.include_ignored { Ignored::Entered } else { Ignored::Told };
    for entry in walk(project, &ProjectPath::root(), None).with_ignored(ignored).flatten() {
        if cancel.is_cancelled() {
            return Err(SearchError::Cancelled.into());
        }
        let Some(path) = path_of(project, &entry) else { continue };
        if entry.is_left_out {
            if glob.may_match(&path, entry.kind) {
                found.ignored.add_entry(&path, entry.kind);
            }
        } else if entry.kind == EntryKind::Folder || !glob.is_match(&path) {
        } else if is_secret(&path, query.secrets) || is_linked_secret(&path) {
            found.secrets.add(&path);
        } else if found.paths.len() == query.max {
            found.truncated = true;
            break;
        } else {
            found.paths.push(escape_hidden(path.as_str()));
        }
    }
    Ok(found)
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
        let found = found(&project, glob, max).unwrap();
        assert_eq!(found.paths, expected, "{glob}");
        found
    }

    fn found(project: &Project, glob: &str, max: usize) -> Result<Found> {
        let query = FindQuery { glob, include_ignored: false, secrets: &GlobSet::empty(), max };
        find(project, &query, &CancellationToken::new())
    }

    #[test]
    fn a_name_with_brackets_is_a_name_first() {
        let folder = tempfile::tempdir().unwrap();
        for file in ["app/[slug]/page.tsx", "app/s/page.tsx", "app/[user-id]/a.ts", "b/{id}.txt", "b/id.txt", "c[1.md"]
        {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let project = Project::open(folder.path()).unwrap();
        for (glob, expected) in [
            ("app/[slug]/page.tsx", vec!["app/[slug]/page.tsx"]),
            ("./app/[slug]/*.{ts,tsx}", vec!["app/[slug]/page.tsx"]),
            ("app/[slug]", vec!["app/[slug]/page.tsx"]),
            ("app/[slug]/", vec!["app/[slug]/page.tsx"]),
            ("**/[slug]/*", vec!["app/[slug]/page.tsx", "app/s/page.tsx"]),
            ("app/[st]/page.tsx", vec!["app/s/page.tsx"]),
            ("app/[user-id]/*.ts", vec!["app/[user-id]/a.ts"]),
            ("**/[user-id]/a.ts", vec!["app/[user-id]/a.ts"]),
            ("{id}.txt", vec!["b/id.txt", "b/{id}.txt"]),
            ("c[1.md", vec!["c[1.md"]),
        ] {
            assert_eq!(found(&project, glob, 9).unwrap().paths, expected, "{glob}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_whose_name_is_a_pattern_of_stars_hides_no_other() {
        let folder = tempfile::tempdir().unwrap();
        for file in ["**/a.rs", "*/a.rs", "?/a.rs", "src/a.rs", "src/b.md"] {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let project = Project::open(folder.path()).unwrap();
        let all = ["*/a.rs", "**/a.rs", "?/a.rs", "src/a.rs"];
        for glob in ["**/*.rs", "**/*.{rs,toml}", "**/[a].rs", "*/[a].rs", "**/{a,c}.rs"] {
            assert_eq!(found(&project, glob, 9).unwrap().paths, all, "{glob}");
        }
        assert_eq!(found(&project, "?/[a].rs", 9).unwrap().paths, ["*/a.rs", "?/a.rs"]);
        assert_eq!(found(&project, "**/", 9).unwrap().paths.len(), 5);
        assert_eq!(found(&project, "[*]/a.rs", 9).unwrap().paths, ["*/a.rs"]);
    }

    #[test]
    fn what_git_ignores_is_named_where_it_may_match_and_found_when_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        for file in ["out/a.rs", "src/gen.rs", "src/b.rs", "notes.log"] {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        fs::write(folder.path().join(".gitignore"), "out/\ngen.rs\n*.log\n").unwrap();
        let project = Project::open(folder.path()).unwrap();
        let ignored = |glob: &str| found(&project, glob, 9).unwrap().ignored.names;
        assert_eq!(ignored("*.rs"), ["out/", "src/gen.rs"]);
        assert_eq!(ignored("src/*.rs"), ["src/gen.rs"]);
        assert_eq!(ignored("notes.log"), ["notes.log", "out/"]);
        assert_eq!(ignored("./out/a.rs"), ["out/"]);
        assert_eq!(ignored("src/b.rs"), [""; 0]);
        let all = FindQuery { glob: "*.rs", include_ignored: true, secrets: &GlobSet::empty(), max: 9 };
        let found = find(&project, &all, &CancellationToken::new()).unwrap();
        assert_eq!(found.paths, ["out/a.rs", "src/b.rs", "src/gen.rs"]);
        assert_eq!(found.ignored, Skipped::default());
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
        assert_eq!(found.secrets.names, [".env", "src/.env.local"]);
        assert_eq!(found.secrets.count, 2);
    }

    #[cfg(unix)]
    #[test]
    fn another_name_of_a_secret_file_is_left_out_like_the_file() {
        let folder = tempfile::tempdir().unwrap();
        for file in ["id_rsa", "a.txt"] {
            fs::write(folder.path().join(file), "").unwrap();
            fs::hard_link(folder.path().join(file), folder.path().join(format!("{file}-copy.txt"))).unwrap();
        }
        let found = found(&Project::open(folder.path()).unwrap(), "*.txt", 9).unwrap();
        assert_eq!(found.paths, ["a.txt", "a.txt-copy.txt"]);
        assert_eq!(found.secrets.names, ["id_rsa-copy.txt"]);
    }

    #[test]
    fn a_limit_and_a_bad_glob_say_so() {
        assert!(check("*.rs", 2, &["c.rs", "src/a.rs"]).truncated);
        let folder = tempfile::tempdir().unwrap();
        let project = Project::open(folder.path()).unwrap();
        let token = CancellationToken::new();
        let too_deep = format!("{}a{}", "{".repeat(500), "}".repeat(500));
        for bad in ["a[", &too_deep] {
            let error = found(&project, bad, 9).unwrap_err();
            assert_eq!(error.code(), Code::PATTERN_INVALID);
        }
        token.cancel();
        let all = FindQuery { glob: "*", include_ignored: false, secrets: &GlobSet::empty(), max: 9 };
        assert!(find(&project, &all, &token).is_err());
    }
}
