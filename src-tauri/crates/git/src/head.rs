//! The position of a repository's working tree: the branch that is checked out, or a commit. Read from git's own files.

use std::path::Path;

use crate::WorkingTree;
use crate::config_paths::short_text;

const BRANCHES: &str = "ref: refs/heads/";
const SHORT_HASH: usize = 7;

/// The branch or the commit that is checked out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Head {
    Branch(String),
    /// No branch; the beginning of the commit's hash.
    Commit(String),
}

/// Returns what the repository around `folder` has checked out; `None` where there is none, or its `HEAD` says nothing
/// that can be shown.
#[must_use]
pub fn head(folder: &Path) -> Option<Head> {
    let tree = folder.ancestors().find_map(WorkingTree::at)?;
    let text = short_text(&tree.git.join("HEAD"))?;
    let line = text.lines().next()?.trim();
    if line.is_empty() || line.chars().any(char::is_control) {
        return None;
    }
    match line.strip_prefix(BRANCHES) {
        Some(branch) => Some(Head::Branch(branch.to_owned())),
        None if line.len() > SHORT_HASH && line.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
            Some(Head::Commit(line[..SHORT_HASH].to_owned()))
        }
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_branch_or_the_commit_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let below = folder.path().join("src/deep");
        fs::create_dir_all(&below).unwrap();
        assert_eq!(head(&below), None);
        let git = folder.path().join(".git");
        fs::create_dir(&git).unwrap();
        let told = |text: &str| {
            fs::write(git.join("HEAD"), text).unwrap();
            head(&below)
        };
        assert_eq!(told("ref: refs/heads/feature/x\n"), Some(Head::Branch("feature/x".into())));
        assert_eq!(told("0123456789abcdef0123456789abcdef01234567\n"), Some(Head::Commit("0123456".into())));
        for nothing in ["", "ref: elsewhere\n", "ref: refs/heads/a\u{7}b\n", "no hash"] {
            assert_eq!(told(nothing), None, "{nothing:?}");
        }
    }

    #[test]
    fn a_working_tree_beside_another_has_a_branch_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let (main, beside) = (folder.path().join("main/.git/worktrees/beside"), folder.path().join("beside"));
        fs::create_dir_all(&main).unwrap();
        fs::create_dir_all(&beside).unwrap();
        fs::write(main.join("HEAD"), "ref: refs/heads/other\n").unwrap();
        fs::write(beside.join(".git"), format!("gitdir: {}\n", main.display())).unwrap();
        assert_eq!(head(&beside), Some(Head::Branch("other".into())));
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_plain_file_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join(".git")).unwrap();
        fs::create_dir(folder.path().join(".git/HEAD")).unwrap();
        assert_eq!(head(folder.path()), None);
        fs::remove_dir(folder.path().join(".git/HEAD")).unwrap();
        std::os::unix::fs::symlink("/dev/zero", folder.path().join(".git/HEAD")).unwrap();
        assert_eq!(head(folder.path()), None);
    }
}
