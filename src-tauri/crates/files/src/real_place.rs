//! Finds the real place of a path: links and ways up followed as the system follows them, not by the text.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::project::{Project, ProjectPath};

/// More names than this in a path are not followed.
const MAX_NAMES: usize = 256;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RealPlace {
    Inside(ProjectPath),
    /// Absolute.
    Outside(PathBuf),
    /// There is none, or it can't be told.
    Unknown,
}

/// `path` as a command in the project's folder names it: absolute, from there, or from `~`. What does not exist yet is
/// named below what does.
pub fn real_place(project: &Project, path: &str) -> RealPlace {
    let Some(real) = from(project.root(), path).and_then(|path| followed(&path)) else { return RealPlace::Unknown };
    match real.strip_prefix(project.root()) {
        Ok(inside) if inside.as_os_str().is_empty() => RealPlace::Inside(ProjectPath::root()),
        Ok(inside) => ProjectPath::from_walk(inside).map_or(RealPlace::Unknown, RealPlace::Inside),
        Err(_) => RealPlace::Outside(real),
    }
}

fn from(root: &Path, path: &str) -> Option<PathBuf> {
    match path.strip_prefix('~') {
        Some("") => std::env::home_dir(),
        Some(rest) if rest.starts_with('/') => Some(std::env::home_dir()?.join(rest.trim_start_matches('/'))),
        _ => Some(root.join(path)),
    }
}

fn followed(path: &Path) -> Option<PathBuf> {
    let mut existing = path;
    let mut missing = Vec::new();
    for _ in 0..MAX_NAMES {
        match existing.canonicalize() {
            Ok(real) => return Some(missing.iter().rev().fold(real, |real, name| real.join(name))),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                missing.push(existing.file_name()?);
                existing = existing.parent()?;
            }
            Err(_) => return None,
        }
    }
    None
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_and_ways_up_lead_where_the_system_goes() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("project");
        fs::create_dir_all(root.join("keys/inner")).unwrap();
        fs::create_dir_all(root.join("sub")).unwrap();
        fs::write(root.join("keys/k"), "").unwrap();
        symlink("..", root.join("sub/up")).unwrap();
        symlink("../..", root.join("sub/upup")).unwrap();
        symlink("../keys/inner", root.join("sub/inner")).unwrap();
        let project = Project::open(&root).unwrap();
        let inside = |path: &str| RealPlace::Inside(project.resolve(path).unwrap());
        for path in ["keys/k", "sub/up/keys/k", "sub/upup/project/keys/k", "sub/inner/../k", "sub/up/sub/inner/../k"] {
            assert_eq!(real_place(&project, path), inside("keys/k"), "{path}");
        }
        assert_eq!(real_place(&project, "sub/up/keys/new"), inside("keys/new"));
        assert_eq!(real_place(&project, "sub/up"), RealPlace::Inside(ProjectPath::root()));
        assert_eq!(
            real_place(&project, "sub/upup/x"),
            RealPlace::Outside(folder.path().canonicalize().unwrap().join("x"))
        );
        assert_eq!(real_place(&project, "keys/k/below"), RealPlace::Unknown);
    }
}
