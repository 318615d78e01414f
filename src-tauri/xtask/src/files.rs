//! Folders as values: listing them, telling whether they changed, comparing
//! and mirroring them.

use std::{
    collections::BTreeMap,
    fs,
    hash::{DefaultHasher, Hasher},
    path::{Path, PathBuf},
};

use crate::failure::{Context, Failure};

/// Relative path (with `/`) to content, for every file below `folder`.
pub(crate) type Tree = BTreeMap<String, Vec<u8>>;

pub(crate) fn read_tree(folder: &Path, skip: &[&str]) -> Result<Tree, Failure> {
    let mut tree = Tree::new();
    let mut pending = vec![(folder.to_path_buf(), String::new())];
    while let Some((path, prefix)) = pending.pop() {
        let entries = fs::read_dir(&path).context(|| format!("list {}", path.display()))?;
        for entry in entries {
            let entry = entry.context(|| format!("list {}", path.display()))?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if skip.contains(&name.as_str()) {
                continue;
            }
            let kind = entry.file_type().context(|| format!("look at {name}"))?;
            let relative = format!("{prefix}{name}");
            if kind.is_dir() {
                pending.push((entry.path(), format!("{relative}/")));
            } else if kind.is_file() {
                tree.insert(relative, read(&entry.path())?);
            }
        }
    }
    Ok(tree)
}

/// A fingerprint of contents and names. It guards caches on one machine, so
/// the standard hasher will do: a new Rust release only means one rebuild.
pub(crate) fn fingerprint<'a>(parts: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> String {
    let mut hasher = DefaultHasher::new();
    for (name, content) in parts {
        hasher.write_usize(name.len());
        hasher.write(name.as_bytes());
        hasher.write_usize(content.len());
        hasher.write(content);
    }
    format!("{:016x}", hasher.finish())
}

pub(crate) fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    fs::read(path).context(|| format!("read {}", path.display()))
}

pub(crate) fn write(path: &Path, content: impl AsRef<[u8]>) -> Result<(), Failure> {
    if let Some(parent) = path.parent() {
        create_folder(parent)?;
    }
    fs::write(path, content).context(|| format!("write {}", path.display()))
}

pub(crate) fn create_folder(path: &Path) -> Result<(), Failure> {
    fs::create_dir_all(path).context(|| format!("create {}", path.display()))
}

pub(crate) fn remove_folder(path: &Path) -> Result<(), Failure> {
    if path.exists() {
        fs::remove_dir_all(path).context(|| format!("remove {}", path.display()))?;
    }
    Ok(())
}

/// Names of files that were added, removed or changed between two trees.
pub(crate) fn differences(before: &Tree, after: &Tree) -> Vec<String> {
    let changed = after.iter().filter(|(name, content)| before.get(*name) != Some(*content));
    let removed = before.keys().filter(|name| !after.contains_key(*name));
    let mut names: Vec<String> = changed.map(|(name, _)| name).chain(removed).cloned().collect();
    names.sort();
    names
}

/// Makes `folder` hold exactly `tree`, leaving equal files untouched so that
/// no watcher wakes for nothing.
pub(crate) fn mirror(tree: &Tree, folder: &Path) -> Result<Vec<String>, Failure> {
    let before = if folder.exists() { read_tree(folder, &[])? } else { Tree::new() };
    let changed = differences(&before, tree);
    for name in &changed {
        let path: PathBuf = folder.join(name);
        match tree.get(name) {
            Some(content) => write(&path, content)?,
            None => fs::remove_file(&path).context(|| format!("remove {}", path.display()))?,
        }
    }
    Ok(changed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[(&str, &str)]) -> Tree {
        files.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec())).collect()
    }

    #[test]
    fn differences_name_added_removed_and_changed_files() {
        let before = tree(&[("same", "1"), ("changed", "1"), ("removed", "1")]);
        let after = tree(&[("same", "1"), ("changed", "2"), ("added", "1")]);
        assert_eq!(differences(&before, &after), ["added", "changed", "removed"]);
    }

    #[test]
    fn fingerprint_tells_where_one_file_ends_and_the_next_begins() {
        let joined = fingerprint([("a", b"bc".as_slice())]);
        let apart = fingerprint([("a", b"b".as_slice()), ("", b"c".as_slice())]);
        assert_ne!(joined, apart);
    }
}
