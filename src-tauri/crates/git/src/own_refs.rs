//! The commits at which the branches of one repository stand, read from git's own files. So a repository that commands
//! have worked in is looked at without running git there.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::config_paths::short_text;

/// Branches of one repository that are read, and folders of them inside each other.
const MAX_REFS: usize = 10_000;
const MAX_DEPTH: usize = 20;
const STASH: &str = "refs/stash";
const HASH_LENGTHS: [usize; 2] = [40, 64];

/// Returns the commits of all branches by their full names, of the stash, and that of `HEAD` where no branch is checked
/// out. Remote branches and tags are not among them. `None` where the files can't be read as git writes them: links, too
/// many, another way to keep them.
#[must_use]
pub fn own_refs(git_dir: &Path) -> Option<BTreeMap<String, String>> {
    if git_dir.join("reftable").symlink_metadata().is_ok() {
        return None;
    }
    let mut refs = packed(git_dir)?;
    loose(git_dir, "refs/heads", 0, &mut refs)?;
    if let Some(stash) = loose_hash(git_dir, STASH)? {
        refs.insert(STASH.to_owned(), stash);
    }
    let head = short_text(&git_dir.join("HEAD"))?;
    if !head.starts_with("ref: ") {
        refs.insert("HEAD".to_owned(), hash(head.trim())?);
    }
    (refs.len() <= MAX_REFS).then_some(refs)
}

fn packed(git_dir: &Path) -> Option<BTreeMap<String, String>> {
    let file = git_dir.join("packed-refs");
    let Ok(found) = file.symlink_metadata() else { return Some(BTreeMap::new()) };
    let text = found.is_file().then(|| short_text(&file))??;
    let mut refs = BTreeMap::new();
    for line in text.lines().filter(|line| !line.starts_with(['#', '^'])) {
        let (commit, name) = line.split_once(' ')?;
        let commit = hash(commit)?;
        if name.starts_with("refs/heads/") || name == STASH {
            refs.insert(name.to_owned(), commit);
        }
    }
    Some(refs)
}

fn loose(git_dir: &Path, folder: &str, depth: usize, refs: &mut BTreeMap<String, String>) -> Option<()> {
    if depth > MAX_DEPTH {
        return None;
    }
    let found = git_dir.join(folder).symlink_metadata().ok()?;
    for entry in found.is_dir().then(|| fs::read_dir(git_dir.join(folder)).ok())?? {
        let entry = entry.ok()?;
        let name = format!("{folder}/{}", entry.file_name().to_str()?);
        // Git writes a branch through a file beside it.
        if name.ends_with(".lock") {
            continue;
        }
        if entry.file_type().ok()?.is_dir() {
            loose(git_dir, &name, depth + 1, refs)?;
        } else {
            let commit = loose_hash(git_dir, &name)??;
            refs.insert(name, commit);
        }
        if refs.len() > MAX_REFS {
            return None;
        }
    }
    Some(())
}

/// `Some(None)` where there is none.
fn loose_hash(git_dir: &Path, name: &str) -> Option<Option<String>> {
    let file = git_dir.join(name);
    match file.symlink_metadata() {
        Err(_) => Some(None),
        Ok(found) if found.is_file() => Some(Some(hash(short_text(&file)?.trim())?)),
        Ok(_) => None,
    }
}

fn hash(text: &str) -> Option<String> {
    let is_hash = HASH_LENGTHS.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hash.then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "1111111111111111111111111111111111111111";
    const TWO: &str = "2222222222222222222222222222222222222222";

    fn repository(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("refs/heads")).unwrap();
        for (path, text) in [("HEAD", "ref: refs/heads/main\n")].iter().chain(files) {
            let file = folder.path().join(path);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        folder
    }

    fn refs(files: &[(&str, &str)]) -> Option<Vec<(String, String)>> {
        own_refs(repository(files).path()).map(|refs| refs.into_iter().collect())
    }

    fn named(names: &[(&str, &str)]) -> Option<Vec<(String, String)>> {
        Some(names.iter().map(|(name, commit)| ((*name).to_owned(), (*commit).to_owned())).collect())
    }

    #[test]
    fn loose_branches_go_over_packed_ones_and_what_is_not_the_users_own_is_left_out() {
        let packed = format!(
            "# pack-refs with: peeled\n{ONE} refs/heads/main\n{ONE} refs/remotes/origin/x\n{ONE} refs/tags/v\n^{TWO}\n"
        );
        let files = [
            ("packed-refs", packed.as_str()),
            ("refs/heads/main", &format!("{TWO}\n")),
            ("refs/heads/a/b", ONE),
            ("refs/heads/a/c.lock", ""),
            ("refs/stash", TWO),
            ("refs/remotes/origin/main", TWO),
        ];
        assert_eq!(refs(&files), named(&[("refs/heads/a/b", ONE), ("refs/heads/main", TWO), ("refs/stash", TWO)]));
        assert_eq!(refs(&[("HEAD", ONE)]), named(&[("HEAD", ONE)]));
        assert_eq!(refs(&[]), named(&[]));
    }

    #[test]
    fn what_git_would_not_write_so_is_not_guessed() {
        for (file, text) in [
            ("refs/heads/main", "ref: refs/heads/other\n"),
            ("refs/heads/main", "1234"),
            ("HEAD", "elsewhere"),
            ("packed-refs", "no hash at all"),
            ("reftable/tables.list", ""),
        ] {
            assert_eq!(refs(&[(file, text)]), None, "{file} {text}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn no_link_is_followed() {
        use std::os::unix::fs::symlink;
        let elsewhere = repository(&[("refs/heads/secret", ONE)]);
        for name in ["refs/heads/x", "refs/stash", "packed-refs", "refs/heads"] {
            let linked = repository(&[]);
            let place = linked.path().join(name);
            let _ = fs::remove_dir(&place);
            symlink(elsewhere.path().join("refs/heads"), &place).unwrap();
            assert_eq!(own_refs(linked.path()), None, "{name}");
        }
    }
}
