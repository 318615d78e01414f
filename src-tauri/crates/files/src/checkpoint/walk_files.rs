//! Listing a project's files with their metadata, in byte order of their paths, without reading any.
//!
//! Not `crate::walk`, which leaves out what git ignores and looks up a path a file: here every folder is opened once,
//! below the one before it, and its entries are asked for beneath that handle. That is what keeps a look at
//! thousands of files within milliseconds, and within the project.

use std::collections::{BTreeMap, BTreeSet, btree_map};
use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use arki_domain::Permissions;
use cap_std::fs::{Dir, DirEntry, Metadata};
use tokio_util::sync::CancellationToken;

use super::listed::MAX_UNNAMED;
use crate::error::{FileAction, Result, SnapshotError, io_error};
use crate::file_content::FileContent;
use crate::project::{Project, ProjectPath, permissions_of};
use arki_disk::mode_of;

/// Version control's own: rewinding it would corrupt it. `.git` can be a file, too.
const VERSION_CONTROL: &[&str] = &[".git", ".hg", ".jj", ".svn"];
/// Folders that their tool makes again when they are missing.
const REGENERABLE: &[&str] = &[
    ".cache",
    ".gradle",
    ".mypy_cache",
    ".next",
    ".nuxt",
    ".nox",
    ".parcel-cache",
    ".pytest_cache",
    ".ruff_cache",
    ".svelte-kit",
    ".terraform",
    ".tox",
    ".turbo",
    ".venv",
    "__pycache__",
    "bower_components",
    "node_modules",
    "target",
    "venv",
];
/// Each level holds a folder open.
pub(super) const MAX_DEPTH: usize = 64;

#[derive(Debug, Default)]
pub(super) struct WalkedFiles {
    pub(super) files: Vec<FoundFile>,
    pub(super) unlisted: BTreeSet<String>,
    pub(super) walked_until: Option<String>,
    pub(super) unnamed: BTreeMap<String, (u64, i64)>,
}

#[derive(Debug)]
pub(super) struct FoundFile {
    pub(super) path: ProjectPath,
    pub(super) size: u64,
    pub(super) modified_ns: i64,
    pub(super) permissions: Permissions,
    pub(super) is_link: bool,
}

/// Looks at `max_entries` files and folders at most.
pub(super) fn walk_files(project: &Project, max_entries: usize, cancel: &CancellationToken) -> Result<WalkedFiles> {
    let fail = |error| io_error(".", FileAction::List, error);
    let mut walk =
        FileWalk { walked: WalkedFiles::default(), open: Vec::new(), left: max_entries, last: String::new() };
    walk.enter(String::new(), project.dir()).map_err(fail)?;
    while let Some(folder) = walk.open.last_mut() {
        if cancel.is_cancelled() {
            return Err(SnapshotError::Cancelled.into());
        }
        let Some((key, entry)) = folder.entries.next() else {
            walk.open.pop();
            continue;
        };
        let key = format!("{}{key}", folder.prefix);
        if walk.left == 0 {
            walk.walked.walked_until = Some(walk.last);
            break;
        }
        walk.left -= 1;
        walk.visit(&key, &entry);
        walk.last = key;
    }
    Ok(walk.walked)
}

struct FileWalk {
    walked: WalkedFiles,
    /// The folders on the way to where the walk is.
    open: Vec<ListedFolder>,
    /// Entries that may still be looked at.
    left: usize,
    /// The path looked at last.
    last: String,
}

struct ListedFolder {
    /// Empty, or ends with `/`.
    prefix: String,
    entries: btree_map::IntoIter<String, DirEntry>,
}

impl FileWalk {
    /// A folder's key ends with `/`, which makes the order of the walk that of the whole paths.
    fn visit(&mut self, key: &str, entry: &DirEntry) {
        let path = key.trim_end_matches('/');
        let is_folder = path.len() < key.len();
        let Some(project_path) = ProjectPath::from_walk(Path::new(path)).filter(|found| found.as_str() == path) else {
            self.walked.note_unnamed(key.to_owned(), entry);
            return;
        };
        if is_folder {
            let entered =
                if self.open.len() == MAX_DEPTH { Err(io::ErrorKind::InvalidInput.into()) } else { entry.open_dir() };
            if entered.and_then(|folder| self.enter(key.to_owned(), &folder)).is_err() {
                self.walked.unlisted.insert(path.to_owned());
            }
        } else if let Ok(metadata) = entry.metadata() {
            // Gone since the folder was read, or swapped for something else: then it is no file.
            if metadata.is_file() || metadata.is_symlink() {
                self.walked.files.push(found_file(project_path, &metadata));
            }
        }
    }

    fn enter(&mut self, prefix: String, folder: &Dir) -> io::Result<()> {
        let mut entries = BTreeMap::new();
        for entry in folder.entries()? {
            let entry = entry?;
            let name = match entry.file_name().into_string() {
                Ok(name) => name,
                Err(name) => {
                    let escaped = name.as_encoded_bytes().escape_ascii();
                    self.walked.note_unnamed(format!("{prefix}{escaped}"), &entry);
                    continue;
                }
            };
            if let Some(key) = key(name, entry.file_type()?) {
                entries.insert(key, entry);
            }
            // One more than can be visited, to know that there is more; in a folder of millions, not all of them.
            if entries.len() > self.left + 1 {
                entries.pop_last();
            }
        }
        self.open.push(ListedFolder { prefix, entries: entries.into_iter() });
        Ok(())
    }
}

impl WalkedFiles {
    fn note_unnamed(&mut self, path: String, entry: &DirEntry) {
        // Gone since the folder was read, or unreadable.
        let Ok(metadata) = entry.metadata() else { return };
        self.unnamed.insert(path, (metadata.len(), modified_ns(&metadata)));
        if self.unnamed.len() > MAX_UNNAMED {
            self.unnamed.pop_last();
        }
    }
}

/// `None` for what is left out: devices, and what is left out by name.
fn key(name: String, kind: cap_std::fs::FileType) -> Option<String> {
    if VERSION_CONTROL.contains(&name.as_str()) {
        None
    } else if kind.is_dir() {
        (!REGENERABLE.contains(&name.as_str())).then(|| name + "/")
    } else {
        (kind.is_file() || (FileContent::LINKS_CAN_BE_MADE && kind.is_symlink())).then_some(name)
    }
}

fn found_file(path: ProjectPath, metadata: &Metadata) -> FoundFile {
    let is_link = metadata.is_symlink();
    let permissions = if is_link { Permissions::default() } else { permissions_of(mode_of(metadata)) };
    FoundFile { path, size: metadata.len(), modified_ns: modified_ns(metadata), permissions, is_link }
}

fn modified_ns(metadata: &Metadata) -> i64 {
    nanoseconds(metadata.modified().map_or(UNIX_EPOCH, cap_std::time::SystemTime::into_std))
}

/// Since 1970, and negative before; the years beyond 1677 and 2262 are taken for these.
pub(crate) fn nanoseconds(time: SystemTime) -> i64 {
    let clamp = |duration: Duration| i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX);
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => clamp(after),
        Err(before) => -clamp(before.duration()),
    }
}
