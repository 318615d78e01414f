//! Files whose text a search index may hold: walked as `search` walks them, each with a stamp that changes whenever the
//! file does.

use std::io::Read;
use std::time::{SystemTime, UNIX_EPOCH};

use cap_std::fs::Metadata;
use globset::GlobSet;
use tokio_util::sync::CancellationToken;

use crate::checkpoint::{FRESH, nanoseconds};
use crate::error::{Result, SearchError};
use crate::other_names::LinkedSecrets;
use crate::project::{Project, ProjectPath};
use crate::protection::is_secret;
use crate::walk::{path_of, walk};
use arki_disk::EntryKind;

/// A file's state as its metadata tells it. Two equal stamps, of which the first is not fresh, are of the same content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileStamp {
    /// Bytes.
    pub size: u64,
    /// Nanoseconds since 1970, UTC; negative before.
    pub modified_ns: i64,
    /// The last change of content, name or rights, which no program can set; where the system doesn't tell it, as
    /// `modified_ns`.
    pub changed_ns: i64,
    /// The file's number on its disk; 0 where the system doesn't tell it.
    pub inode: u64,
}

/// A file whose text may be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexableFile {
    pub path: ProjectPath,
    pub stamp: FileStamp,
    /// It was written so shortly before the walk that a later write may leave the same times.
    pub is_fresh: bool,
}

/// The files that a walk found.
#[derive(Debug, Default)]
pub struct IndexableFiles {
    /// In the order of the walk.
    pub files: Vec<IndexableFile>,
    /// Secret and denied files, which were left out.
    pub secrets: usize,
    /// There are more files than the limit.
    pub is_cut: bool,
}

/// Lists at most `max` files, without what git ignores, links, and what `left_out` or its name makes secret. Blocking.
///
/// # Errors
/// `CANCELLED`.
pub fn indexable_files(
    project: &Project,
    left_out: &GlobSet,
    max: usize,
    cancel: &CancellationToken,
) -> Result<IndexableFiles> {
    let fresh_from_ns = nanoseconds(SystemTime::now().checked_sub(FRESH).unwrap_or(UNIX_EPOCH));
    let linked = LinkedSecrets::new(project, left_out);
    let mut found = IndexableFiles::default();
    for entry in walk(project, &ProjectPath::root(), None).flatten() {
        if cancel.is_cancelled() {
            return Err(SearchError::Cancelled.into());
        }
        let Some(path) = path_of(project, &entry).filter(|_| entry.kind == EntryKind::File) else { continue };
        let Ok(metadata) = project.dir().symlink_metadata(path.as_str()) else { continue };
        if is_secret(&path, left_out) || linked.has(&metadata) {
            found.secrets += 1;
        } else if found.files.len() == max {
            found.is_cut = true;
            break;
        } else if metadata.is_file() {
            let stamp = FileStamp::of(&metadata);
            let is_fresh = stamp.modified_ns.max(stamp.changed_ns) >= fresh_from_ns;
            found.files.push(IndexableFile { path, stamp, is_fresh });
        }
    }
    Ok(found)
}

/// Reads a file of at most `limit` bytes; `None` where it isn't the one of this stamp any more, or changes meanwhile.
///
/// # Errors
/// When it can't be read.
pub fn read_indexable(project: &Project, path: &ProjectPath, stamp: &FileStamp, limit: u64) -> Result<Option<Vec<u8>>> {
    let (file, metadata) = project.open_walked(path)?;
    if FileStamp::of(&metadata) != *stamp || stamp.size > limit {
        return Ok(None);
    }
    let mut bytes = Vec::with_capacity(usize::try_from(stamp.size).unwrap_or(0));
    let fail = |error| crate::error::io_error(path.as_str(), crate::error::FileAction::Read, error);
    (&file).take(limit + 1).read_to_end(&mut bytes).map_err(fail)?;
    let is_same = FileStamp::of(&file.metadata().map_err(fail)?) == *stamp && bytes.len() as u64 == stamp.size;
    Ok(is_same.then_some(bytes))
}

impl FileStamp {
    #[cfg(unix)]
    fn of(metadata: &Metadata) -> Self {
        use cap_std::fs::MetadataExt;
        let at = |seconds: i64, nanoseconds: i64| seconds.saturating_mul(1_000_000_000).saturating_add(nanoseconds);
        Self {
            size: metadata.len(),
            modified_ns: at(metadata.mtime(), metadata.mtime_nsec()),
            changed_ns: at(metadata.ctime(), metadata.ctime_nsec()),
            inode: metadata.ino(),
        }
    }

    #[cfg(not(unix))]
    fn of(metadata: &Metadata) -> Self {
        let modified = metadata.modified().map_or(UNIX_EPOCH, cap_std::time::SystemTime::into_std);
        let modified_ns = nanoseconds(modified);
        Self { size: metadata.len(), modified_ns, changed_ns: modified_ns, inode: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::Path;

    fn listed(folder: &Path, max: usize) -> IndexableFiles {
        let project = Project::open(folder).unwrap();
        indexable_files(&project, &GlobSet::empty(), max, &CancellationToken::new()).unwrap()
    }

    fn names(found: &IndexableFiles) -> Vec<&str> {
        found.files.iter().map(|file| file.path.as_str()).collect()
    }

    #[test]
    fn secret_and_ignored_files_are_left_out_and_the_rest_is_bounded() {
        let folder = tempfile::tempdir().unwrap();
        for file in ["a.rs", "b.rs", ".env", "out.log", ".git/config"] {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        }
        fs::write(folder.path().join(".gitignore"), "*.log\n").unwrap();
        let all = listed(folder.path(), 9);
        assert_eq!((names(&all), all.secrets, all.is_cut), (vec![".gitignore", "a.rs", "b.rs"], 1, false));
        assert!(all.files.iter().all(|file| file.is_fresh), "they were written a moment ago");
        let cut = listed(folder.path(), 2);
        assert_eq!((names(&cut), cut.is_cut), (vec![".gitignore", "a.rs"], true));
    }

    #[cfg(unix)]
    #[test]
    fn links_pipes_and_other_names_of_secrets_are_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("id_rsa"), "key").unwrap();
        fs::hard_link(at("id_rsa"), at("copy.txt")).unwrap();
        std::os::unix::fs::symlink(".", at("loop")).unwrap();
        std::os::unix::fs::symlink("id_rsa", at("link.txt")).unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, at("pipe"), rustix::fs::Mode::RUSR).unwrap();
        fs::write(at("a.txt"), "x").unwrap();
        let found = listed(folder.path(), 9);
        assert_eq!((names(&found), found.secrets), (vec!["a.txt"], 2));
    }

    #[test]
    fn a_file_that_is_another_one_now_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.txt"), "one").unwrap();
        let project = Project::open(folder.path()).unwrap();
        let found = listed(folder.path(), 9).files.remove(0);
        let read = |limit| read_indexable(&project, &found.path, &found.stamp, limit).unwrap();
        assert_eq!((read(9).as_deref(), read(2)), (Some(&b"one"[..]), None));
        fs::write(folder.path().join("a.txt"), "three").unwrap();
        assert_eq!(read(9), None);
    }
}
