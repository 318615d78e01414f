//! Tells whether a file or folder that an option of a build names is one that builds make.

use crate::project::{Project, ProjectPath};
use crate::real_place::{RealPlace, real_place};
use crate::unnamed_reads::{UnnamedReads, outside};
use arki_disk::EntryKind;
use std::io::Read;

/// Folders that hold nothing but what was made.
const FOLDERS: &[&str] = &[
    ".cache",
    ".next",
    ".nyc_output",
    ".pytest_cache",
    ".tox",
    "TestResults",
    "_build",
    "allure-results",
    "build",
    "coverage",
    "dist",
    "htmlcov",
    "obj",
    "out",
    "output",
    "playwright-report",
    "reports",
    "target",
    "temp",
    "test-results",
    "tmp",
];
/// Endings of what compilers, profilers and test runs make.
const ENDINGS: &[&str] = &[
    "a", "class", "dll", "dylib", "exe", "gcda", "gcno", "lcov", "o", "obj", "out", "pprof", "prof", "so", "test",
    "wasm",
];
/// The names of reports, and their endings.
const REPORTS: &[&str] = &["cover", "junit", "lcov", "profile", "report", "result", "test-report", "test-result"];
const REPORT_ENDINGS: &[&str] = &["csv", "html", "info", "json", "log", "sarif", "txt", "xml"];
/// The first bytes of programs on Linux, macOS and Windows.
const PROGRAMS: &[&[u8]] =
    &[b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\xce\xfa\xed\xfe", b"\xca\xfe\xba\xbe", b"MZ", b"!<arch>\n"];

/// Returns the reads of a build's output: nothing may be lost that a build did not make. What git keeps was not made,
/// nor is anything that steers tools.
pub fn writes_output(project: &Project, path: &str) -> UnnamedReads {
    let path = match real_place(project, path) {
        RealPlace::Inside(path) => path,
        RealPlace::Outside(real) => return outside(project, path, &real, false),
        RealPlace::Unknown => return UnnamedReads::NotSeen,
    };
    let is_made = !path.is_root() && !project.is_protected(&path) && is_made(project, &path).unwrap_or(false);
    if is_made { UnnamedReads::NoSecret } else { UnnamedReads::NotSeen }
}

/// `None` where it can't be told.
fn is_made(project: &Project, path: &ProjectPath) -> Option<bool> {
    let is_output = path.as_str().split('/').any(|part| FOLDERS.contains(&part) || part.starts_with("cmake-build"));
    let is_hidden = path.as_str().split('/').any(|part| part.starts_with('.'));
    let kind = project.kind(path).ok()?;
    if kind.is_none() {
        return Some(is_output || !is_hidden);
    }
    let kept = arki_git::kept_names(project.root())?;
    // Git's names may begin above the project.
    let below = format!("{path}/");
    let is_kept = |name: &String| {
        let is_it = |name: &str| name == path.as_str() || name.starts_with(&below);
        is_it(name) || name.match_indices('/').any(|(place, _)| is_it(&name[place + 1..]))
    };
    if kept.iter().any(is_kept) {
        return Some(false);
    }
    Some(
        is_output
            || (!is_hidden
                && kind == Some(EntryKind::File)
                && (is_called_so(path.name()) || is_program(project, path))),
    )
}

fn is_called_so(name: &str) -> bool {
    let Some((stem, ending)) = name.rsplit_once('.') else { return false };
    let is_report = || REPORTS.iter().any(|report| stem.starts_with(report)) && REPORT_ENDINGS.contains(&ending);
    ENDINGS.contains(&ending) || is_report()
}

fn is_program(project: &Project, path: &ProjectPath) -> bool {
    let mut begin = [0; 8];
    let read = project.dir().open(path.as_str()).and_then(|mut file| file.read(&mut begin)).unwrap_or(0);
    PROGRAMS.iter().any(|known| begin[..read].starts_with(known))
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::disallowed_methods, reason = "compared with the program itself")]

    use super::*;
    use std::fs;

    #[test]
    fn a_build_writes_over_nothing_but_what_builds_make() {
        let folder = tempfile::tempdir().unwrap();
        for (file, content) in [
            ("src/main.go", ""),
            ("README.md", ""),
            ("notes.txt", ""),
            ("run", "#!/bin/sh\n"),
            ("app", "\x7fELF"),
            ("c.out", ""),
            ("coverage.xml", ""),
            ("dist/a.js", ""),
            ("dist/kept.js", ""),
            (".github/x.yml", ""),
        ] {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        std::os::unix::fs::symlink("src/main.go", folder.path().join("d.out")).unwrap();
        std::os::unix::fs::symlink("/tmp", folder.path().join("out")).unwrap();
        let git = |arguments: &[&str]| {
            assert!(std::process::Command::new("git").args(arguments).current_dir(&folder).status().unwrap().success());
        };
        git(&["init", "-q"]);
        git(&["add", "src", "README.md", "dist/kept.js"]);
        let project = Project::open(folder.path()).unwrap();
        let is_fine = |path: &str| writes_output(&project, path) == UnnamedReads::NoSecret;
        for path in
            ["c.out", "coverage.xml", "app", "dist/a.js", "dist/new.js", "new.txt", "bin/new", "target", ".cache/x"]
        {
            assert!(is_fine(path), "{path}");
        }
        for path in [
            "src/main.go",
            "./src/../src/main.go",
            "README.md",
            "notes.txt",
            "run",
            "dist/kept.js",
            "dist",
            "src",
            ".",
            ".github/x.yml",
            ".github/new.yml",
            "AGENTS.md",
            ".git/hooks/x",
            "../x",
            "/tmp/x",
            "d.out",
            "out/x",
        ] {
            assert!(!is_fine(path), "{path}");
        }
    }
}
