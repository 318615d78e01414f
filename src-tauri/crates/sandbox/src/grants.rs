//! Finds the paths to grant so that everything is reachable but what is hidden.
//!
//! Landlock adds and never subtracts, and a grant covers everything below. So the tree is walked down only along the
//! ancestors of hidden paths; at each of them the siblings are granted instead.

use std::fs;
use std::path::{Path, PathBuf};

/// Paths granted at most; a home folder has dozens. What is beyond stays closed.
const MAX_GRANTS: usize = 20_000;

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Visible {
    pub(super) paths: Vec<PathBuf>,
    /// `MAX_GRANTS` was reached.
    pub(super) is_cut: bool,
}

/// Returns what to grant of `root`, which is itself visible even when it lies in a hidden folder.
pub(super) fn visible(root: &Path, hidden: &[PathBuf]) -> Visible {
    let mut visible = Visible::default();
    add(root, hidden, &mut visible);
    visible
}

fn add(path: &Path, hidden: &[PathBuf], visible: &mut Visible) {
    if visible.paths.len() >= MAX_GRANTS {
        visible.is_cut = true;
        return;
    }
    if !hides_below(path, hidden) {
        visible.paths.push(path.to_path_buf());
        return;
    }
    // What can't be listed can't be granted, so it stays closed.
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        // A link is granted by its target's own place in the tree, or not at all.
        let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
        let child = entry.path();
        if !is_link && !hidden.contains(&child) {
            add(&child, hidden, visible);
        }
    }
}

pub(super) fn hides_below(path: &Path, hidden: &[PathBuf]) -> bool {
    hidden.iter().any(|hidden| hidden != path && hidden.starts_with(path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn check(hidden: &[&str], expected: &[&str]) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for name in ["home/.ssh", "home/code", "home/.config/arki", "home/.config/other", "usr"] {
            fs::create_dir_all(root.join(name)).unwrap();
        }
        symlink("home/.ssh", root.join("link")).unwrap();
        let hidden: Vec<PathBuf> = hidden.iter().map(|path| root.join(path)).collect();
        let mut paths = visible(&root, &hidden).paths;
        paths.sort();
        let names: Vec<&str> = paths.iter().map(|path| path.strip_prefix(&root).unwrap().to_str().unwrap()).collect();
        assert_eq!(names, expected, "{hidden:?}");
    }

    #[test]
    fn with_nothing_hidden_one_grant_is_enough() {
        check(&[], &[""]);
    }

    #[test]
    fn siblings_along_the_way_are_granted_instead() {
        check(&["home/.ssh"], &["home/.config", "home/code", "usr"]);
        check(&["home/.ssh", "home/.config/arki"], &["home/.config/other", "home/code", "usr"]);
    }

    #[test]
    fn what_does_not_exist_yet_is_hidden_too() {
        check(&["home/code/later"], &["home/.config", "home/.ssh", "usr"]);
        check(&["home"], &["usr"]);
    }
}
