//! The names under which a path has to be hidden: as given, and where its links lead.
//!
//! Dozens of paths are hidden, most of them in one home folder, before every command. So each name on the way to them is
//! looked at once, and only what is a link is followed.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use arki_git::plain_path;

#[derive(Debug, Default)]
pub(super) struct Spellings {
    /// Each path as given and with its links followed as far as it exists.
    pub(super) all: Vec<PathBuf>,
    /// The paths that exist and have no link on the way.
    pub(super) existing: Vec<PathBuf>,
}

impl Spellings {
    pub(super) fn of(paths: &[PathBuf]) -> Self {
        Self::seen_by(&mut RealPlaces::default(), paths)
    }

    fn seen_by(places: &mut RealPlaces, paths: &[PathBuf]) -> Self {
        let plain = paths.iter().map(|path| plain_path(path));
        let mut all: Vec<PathBuf> = plain.flat_map(|path| [places.of_whole(&path), path]).collect();
        all.sort();
        all.dedup();
        let existing = all.iter().filter(|path| places.of(path).as_deref() == Some(path)).cloned().collect();
        Self { all, existing }
    }
}

/// The real place of each path, `None` where there is nothing. Paths are absolute, without `.` and `..`.
#[derive(Default)]
struct RealPlaces {
    known: HashMap<PathBuf, Option<PathBuf>>,
    /// The number of times the disk was asked.
    #[cfg(test)]
    lookups: usize,
}

impl RealPlaces {
    fn of(&mut self, path: &Path) -> Option<PathBuf> {
        if let Some(known) = self.known.get(path) {
            return known.clone();
        }
        let place = match (path.parent(), path.file_name()) {
            (Some(parent), Some(name)) => self.of(parent).and_then(|parent| self.look_at(parent.join(name))),
            _ => Some(path.to_owned()),
        };
        self.known.insert(path.to_owned(), place.clone());
        place
    }

    /// `path` has no link in it but, perhaps, its last name.
    fn look_at(&mut self, path: PathBuf) -> Option<PathBuf> {
        #[cfg(test)]
        {
            self.lookups += 1;
        }
        let found = path.symlink_metadata().ok()?;
        if found.is_symlink() { path.canonicalize().ok() } else { Some(path) }
    }

    /// Resolves the path as far as it exists.
    fn of_whole(&mut self, path: &Path) -> PathBuf {
        let existing = path.ancestors().find_map(|ancestor| Some((ancestor, self.of(ancestor)?)));
        let Some((ancestor, place)) = existing else { return path.to_owned() };
        match path.strip_prefix(ancestor) {
            // Joined to nothing it would end in a slash.
            Ok(rest) if rest.as_os_str().is_empty() => place,
            Ok(rest) => place.join(rest),
            Err(_) => path.to_owned(),
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
        let spellings = Spellings::of(&[root.join("link/deep"), root.join("./x/../link")]);
        let expected = [root.join("link"), root.join("link/deep"), root.join("target"), root.join("target/deep")];
        assert_eq!(spellings.all, expected);
        assert_eq!(spellings.existing, [root.join("target")]);
        assert!(spellings.all.iter().all(|path| !path.as_os_str().to_string_lossy().ends_with('/')), "{spellings:?}");
    }

    #[test]
    fn a_link_on_the_way_and_one_to_nothing_are_followed_as_far_as_they_lead() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("real/home/.aws")).unwrap();
        fs::write(root.join("real/home/file"), "").unwrap();
        symlink("real/home", root.join("home")).unwrap();
        symlink(root.join("home/.aws"), root.join("real/home/.ssh")).unwrap();
        symlink("nowhere", root.join("real/home/.kube")).unwrap();
        let hidden =
            ["home/.ssh/id", "home/.kube", "home/file/below", "home/.aws", "other"].map(|name| root.join(name));
        let spellings = Spellings::of(&hidden);
        for name in ["real/home/.aws/id", "real/home/.kube", "real/home/file/below", "real/home/.aws", "other"] {
            assert!(spellings.all.contains(&root.join(name)), "{name}: {spellings:?}");
        }
        assert_eq!(spellings.existing, [root.join("real/home/.aws")]);
    }

    /// Otherwise every command would ask the disk thousands of times.
    #[test]
    fn each_name_is_looked_at_once_however_deep_a_home_lies() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let home = root.join("a/b/c/d/e/f");
        fs::create_dir_all(home.join(".config")).unwrap();
        let hidden = super::super::home_secrets(&home);
        let mut names: Vec<&Path> = hidden.iter().flat_map(|path| path.ancestors()).collect();
        names.sort();
        names.dedup();
        let mut places = RealPlaces::default();
        let spellings = Spellings::seen_by(&mut places, &hidden);
        assert_eq!(spellings.all.len(), hidden.len());
        assert!(places.lookups <= names.len(), "{} for {}", places.lookups, names.len());
        assert!(places.lookups < 2 * hidden.len(), "{} for {}", places.lookups, hidden.len());
    }
}
