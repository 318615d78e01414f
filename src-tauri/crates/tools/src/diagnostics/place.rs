//! Finds the project's file that a checker means: it may name it from the project, from a workspace around or below, or
//! by its whole path.

use std::path::{Component, Path, PathBuf};

/// The folders above a package in which a named file is looked for.
const MAX_ABOVE: usize = 16;

pub(crate) struct ProblemPlaces<'a> {
    /// Canonical.
    pub(crate) root: &'a Path,
}

impl ProblemPlaces<'_> {
    /// The path as seen from the project, with `/`; `None` for a file outside, and for what is no file: a line may only
    /// look as if it named one. `folder` is where the file may be meant from, or from a folder above.
    pub(super) fn in_project(&self, named: &str, folder: Option<&Path>) -> Option<String> {
        let named = Path::new(named);
        let from_root = self.root.join(named);
        if from_root.is_file() {
            return self.within(&from_root);
        }
        if named.is_absolute() {
            return None;
        }
        let above = folder.into_iter().flat_map(Path::ancestors).take(MAX_ABOVE);
        self.within(&above.map(|above| above.join(named)).find(|path| path.is_file())?)
    }

    fn within(&self, path: &Path) -> Option<String> {
        let plain = without_detours(path)?;
        // A link in the project may lead out of it, and one outside to it.
        let real = plain.canonicalize().ok()?;
        let really_within = real.strip_prefix(self.root).ok()?;
        let within = plain.strip_prefix(self.root).unwrap_or(really_within);
        let names: Option<Vec<&str>> = within.components().map(|name| name.as_os_str().to_str()).collect();
        names.filter(|names| !names.is_empty()).map(|names| names.join("/"))
    }
}

/// Returns the path without `.` and `..`; `None` if it leads nowhere.
fn without_detours(path: &Path) -> Option<PathBuf> {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop().then_some(())?;
            }
            other => plain.push(other),
        }
    }
    Some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_found_from_the_project_from_a_workspace_and_by_its_whole_path() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap().join("project");
        for file in ["src/lib.rs", "inner/tool/src/main.rs"] {
            std::fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
            std::fs::write(root.join(file), "").unwrap();
        }
        std::fs::write(root.with_file_name("outside.rs"), "").unwrap();
        let places = ProblemPlaces { root: &root };
        let find = |named: &str| places.in_project(named, Some(&root.join("inner/tool")));
        assert_eq!(find("./src/lib.rs").as_deref(), Some("src/lib.rs"));
        assert_eq!(find("src/../src/lib.rs").as_deref(), Some("src/lib.rs"));
        assert_eq!(find("tool/src/main.rs").as_deref(), Some("inner/tool/src/main.rs"));
        assert_eq!(find(root.join("src/lib.rs").to_str().unwrap()).as_deref(), Some("src/lib.rs"));
        assert_eq!(find("gone.rs"), None);
        assert_eq!(find("../outside.rs"), None);
        assert_eq!(find("/rustc/library/core/src/lib.rs"), None);
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(root.with_file_name("outside.rs"), root.join("src/out.rs")).unwrap();
            std::os::unix::fs::symlink("lib.rs", root.join("src/link.rs")).unwrap();
            assert_eq!(find("src/out.rs"), None);
            assert_eq!(find("src/link.rs").as_deref(), Some("src/link.rs"));
        }
    }
}
