//! The names under which a path has to be hidden: as given, and where its links lead.

use std::path::{Component, Path, PathBuf};

/// Each path as given and with its links followed as far as it exists.
pub(super) fn spellings(paths: &[PathBuf]) -> Vec<PathBuf> {
    let mut spellings: Vec<PathBuf> =
        paths.iter().map(|path| plain(path)).flat_map(|path| [real(&path), path]).collect();
    spellings.sort();
    spellings.dedup();
    spellings
}

/// Without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}

fn real(path: &Path) -> PathBuf {
    let mut existing = path;
    loop {
        if let Ok(real) = existing.canonicalize() {
            return path.strip_prefix(existing).map_or(real.clone(), |rest| plain(&real.join(rest)));
        }
        match existing.parent() {
            Some(parent) => existing = parent,
            None => return plain(path),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_link_to_something_hidden_is_found_out() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir(root.join("target")).unwrap();
        symlink("target", root.join("link")).unwrap();
        let spellings = spellings(&[root.join("link/deep"), root.join("./x/../link")]);
        let expected = [root.join("link"), root.join("link/deep"), root.join("target"), root.join("target/deep")];
        assert_eq!(spellings, expected);
    }
}
