//! The interface's packages and its build, each redone only when what it is
//! made from has changed.

use std::{fs, path::Path, process::Command};

use crate::{failure::Failure, files, process, repository::Repository, steps::Outcome};

/// The oldest Node.js that the interface's tools start on.
const NODE: (u32, u32) = (20, 19);

pub(crate) fn install(repository: &Repository) -> Result<Outcome, Failure> {
    require_node()?;
    // Inside node_modules: whoever deletes the folder deletes the stamp too.
    let stamp = repository.root.join("node_modules/.arki-stamp");
    if stamp_holds(&stamp, packages_fingerprint(repository)) {
        return Ok(Outcome::Skipped("up to date".into()));
    }
    process::run(process::npm(&repository.root).args(["ci", "--no-audit", "--no-fund"]))?;
    if let Some(fingerprint) = packages_fingerprint(repository) {
        files::write(&stamp, fingerprint)?;
    }
    Ok(Outcome::Done)
}

pub(crate) fn build(repository: &Repository) -> Result<Outcome, Failure> {
    let stamp = repository.scratch().join("ui-build.stamp");
    if stamp_holds(&stamp, build_fingerprint(repository)?) {
        return Ok(Outcome::Skipped("up to date".into()));
    }
    process::run(process::npm(&repository.root).args(["run", "build", "-w", "ui"]))?;
    if let Some(fingerprint) = build_fingerprint(repository)? {
        files::write(&stamp, fingerprint)?;
    }
    Ok(Outcome::Done)
}

pub(crate) fn lint(repository: &Repository) -> Result<Outcome, Failure> {
    process::run(process::npm(&repository.root).args(["run", "lint", "-w", "ui"]))?;
    process::run(process::npm(&repository.root).args(["run", "typecheck", "-w", "ui"]))?;
    Ok(Outcome::Done)
}

pub(crate) fn test(repository: &Repository) -> Result<Outcome, Failure> {
    process::run(process::npm(&repository.root).args(["run", "test", "-w", "ui"]))?;
    Ok(Outcome::Done)
}

fn stamp_holds(stamp: &Path, fingerprint: Option<String>) -> bool {
    fingerprint.is_some_and(|now| fs::read_to_string(stamp).is_ok_and(|then| then == now))
}

/// `None` when packages are not installed at all.
fn packages_fingerprint(repository: &Repository) -> Option<String> {
    let names = ["package.json", "package-lock.json", "ui/package.json", "node_modules/.package-lock.json"];
    let contents: Vec<Vec<u8>> =
        names.iter().map(|name| fs::read(repository.root.join(name)).ok()).collect::<Option<_>>()?;
    Some(files::fingerprint(names.into_iter().zip(contents.iter().map(Vec::as_slice))))
}

/// Covers the sources, the locked packages and the built page (which names
/// every built file by its hash); `None` when there is no build.
fn build_fingerprint(repository: &Repository) -> Result<Option<String>, Failure> {
    let Ok(page) = fs::read(repository.root.join("ui/dist/index.html")) else {
        return Ok(None);
    };
    let mut tree = files::read_tree(&repository.root.join("ui"), &["node_modules", "dist"])?;
    tree.insert("(page)".into(), page);
    tree.insert("(lock)".into(), files::read(&repository.root.join("package-lock.json"))?);
    let parts = tree.iter().map(|(name, content)| (name.as_str(), content.as_slice()));
    Ok(Some(files::fingerprint(parts)))
}

fn require_node() -> Result<(), Failure> {
    let hint = if cfg!(windows) {
        "install it with `winget install OpenJS.NodeJS.LTS`, or from nodejs.org"
    } else {
        "install it from nodejs.org or with your package manager"
    };
    let version = process::capture(Command::new("node").arg("--version"))
        .map_err(|_| Failure::new("Node.js is not installed, and the interface is built with it").hint(hint))?;
    match parse_version(&version) {
        Some(found) if found >= NODE => Ok(()),
        _ => Err(Failure::new(format!(
            "Node.js {} is too old: the interface is built with {}.{} or newer",
            version.trim(),
            NODE.0,
            NODE.1
        ))
        .hint(hint)),
    }
}

fn parse_version(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text.trim().trim_start_matches('v').split('.');
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_never_built_is_not_up_to_date() {
        assert!(!stamp_holds(Path::new("no such stamp"), None));
    }

    #[test]
    fn node_versions_compare_as_numbers() {
        assert_eq!(parse_version("v20.19.4\n"), Some((20, 19)));
        assert!(parse_version("v9.11.2") < Some(NODE));
        assert_eq!(parse_version("nightly"), None);
    }
}
