//! The entries of folders that a sandbox looks after, remembered for as long as nothing comes into them or goes.
//!
//! The time at which a folder changed moves with every entry that comes, goes or gets another name, and only the kernel
//! sets it. That is known of the file systems of Linux's own disks, so only their folders are remembered; and only such
//! as had been still for a while when they were listed, for two changes in one tick of the clock look like one.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use globset::GlobSet;

use super::sensitive::Identity;
use arki_disk::SecretsWithin;

/// Longer than the ticks of any clock that file systems go by.
const STILL: Duration = Duration::from_secs(3);

/// The listing of one folder.
#[derive(Debug, Default)]
pub(super) struct GuardListing {
    /// The number of entries looked at.
    pub(super) entries: usize,
    /// There are more.
    pub(super) is_cut: bool,
    /// No links.
    pub(super) folders: Vec<OsString>,
    /// All that some disk takes for `.git`, whatever it is.
    pub(super) git: Vec<OsString>,
    /// Files, links and whole folders, where secrets are looked for.
    pub(super) secrets: Vec<OsString>,
    /// It is there, and what is in it can't be told, or not all of it.
    pub(super) is_unreadable: bool,
    marks: Marks,
}

/// The marks of a git directory that has another name.
#[derive(Debug, Default)]
struct Marks {
    head: bool,
    objects: bool,
    refs: bool,
    commondir: bool,
}

#[derive(Debug)]
struct KeptListing {
    changed: ChangeTime,
    /// The path in the project, on which it depends what is a secret.
    path: PathBuf,
    listing: Arc<GuardListing>,
}

/// Seconds and nanoseconds of Unix time.
type ChangeTime = (i64, i64);

/// The listings of the last search through a project; after a search only those that it asked for remain.
#[derive(Debug, Default)]
pub(super) struct Listings {
    kept: HashMap<Identity, KeptListing>,
    before: HashMap<Identity, KeptListing>,
    /// Devices, and whether what is on them is remembered.
    devices: HashMap<u64, bool>,
    /// When the search began.
    now: Option<SystemTime>,
    /// The files that are secret besides those that always are; `None` where nobody asks.
    secrets: Option<GlobSet>,
}

impl Listings {
    pub(super) fn with_secrets(secrets: Option<GlobSet>) -> Self {
        Self { secrets, ..Self::default() }
    }

    pub(super) fn begin_search(&mut self, now: SystemTime) {
        self.now = Some(now);
        self.before = std::mem::take(&mut self.kept);
        self.devices.clear();
    }

    /// Returns at most `max_entries` entries of a folder in the project. A missing folder is empty.
    pub(super) fn of(&mut self, root: &Path, path: &Path, max_entries: usize) -> Arc<GuardListing> {
        let folder = root.join(path);
        let found = match folder.symlink_metadata() {
            Ok(found) => found,
            Err(error) => return Arc::new(GuardListing { is_unreadable: !is_gone(&error), ..GuardListing::default() }),
        };
        let (identity, changed) = ((found.dev(), found.ino()), (found.ctime(), found.ctime_nsec()));
        let known = self.before.remove(&identity).filter(|kept| kept.changed == changed && kept.path == path);
        if let Some(kept) = known {
            let listing = kept.listing.clone();
            self.kept.insert(identity, kept);
            return listing;
        }
        let secrets = self.secrets.as_ref().map(|extra| SecretsWithin::folder(path, extra));
        let listing = Arc::new(GuardListing::read(&folder, secrets.as_ref(), max_entries));
        if !listing.is_cut && self.now.is_some_and(|now| is_still(&found, now)) && self.is_remembered(&folder, &found) {
            self.kept.insert(identity, KeptListing { changed, path: path.to_owned(), listing: listing.clone() });
        }
        listing
    }

    fn is_remembered(&mut self, folder: &Path, found: &Metadata) -> bool {
        *self.devices.entry(found.dev()).or_insert_with(|| tells_of_changes(folder))
    }
}

impl GuardListing {
    fn read(folder: &Path, secrets: Option<&SecretsWithin<'_>>, max_entries: usize) -> Self {
        let mut listing = Self::default();
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) => {
                listing.is_unreadable = !is_gone(&error);
                return listing;
            }
        };
        for entry in entries {
            let Ok(entry) = entry else {
                listing.is_unreadable = true;
                break;
            };
            if listing.entries == max_entries {
                listing.is_cut = true;
                break;
            }
            listing.entries += 1;
            let name = entry.file_name();
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            listing.marks.note(&name);
            let may_be = name.to_string_lossy();
            if secrets.is_some_and(|all| if is_folder { all.has_folder(&may_be) } else { all.has_file(&may_be) }) {
                listing.secrets.push(name.clone());
            }
            if name.eq_ignore_ascii_case(".git") {
                listing.git.push(name);
            } else if is_folder {
                listing.folders.push(name);
            }
        }
        listing
    }

    /// Recognizes a git directory by what is in it.
    pub(super) fn is_git_dir(&self) -> bool {
        let Marks { head, objects, refs, commondir } = self.marks;
        head && (commondir || (objects && refs))
    }
}

fn is_gone(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory)
}

impl Marks {
    fn note(&mut self, name: &OsStr) {
        let is =
            |wanted: &str| if cfg!(target_os = "macos") { name.eq_ignore_ascii_case(wanted) } else { name == wanted };
        self.head |= is("HEAD");
        self.objects |= is("objects");
        self.refs |= is("refs");
        self.commondir |= is("commondir");
    }
}

fn is_still(found: &Metadata, now: SystemTime) -> bool {
    changed_at(found).and_then(|changed| now.duration_since(changed).ok()).is_some_and(|still| still >= STILL)
}

/// The time of the last change of content, name or rights. Only the kernel says it: whoever changes a file can't put it
/// back.
pub(super) fn changed_at(found: &Metadata) -> Option<SystemTime> {
    let since_epoch = Duration::new(found.ctime().try_into().ok()?, found.ctime_nsec().try_into().ok()?);
    SystemTime::UNIX_EPOCH.checked_add(since_epoch)
}

/// Returns whether the times of change in a folder are this machine's own, and never left out.
#[cfg(target_os = "linux")]
pub(super) fn tells_of_changes(folder: &Path) -> bool {
    const EXT: u32 = 0xEF53;
    const XFS: u32 = 0x5846_5342;
    const BTRFS: u32 = 0x9123_683E;
    const F2FS: u32 = 0xF2F5_2010;
    const ZFS: u32 = 0x2FC1_2FC1;
    const TMPFS: u32 = 0x0102_1994;
    const OVERLAY: u32 = 0x794C_7630;
    // The number's type differs between machines; all of these fit 32 bits.
    let kind = rustix::fs::statfs(folder).map(|found| found.f_type as u32);
    kind.is_ok_and(|kind| [EXT, XFS, BTRFS, F2FS, ZFS, TMPFS, OVERLAY].contains(&kind))
}

#[cfg(not(target_os = "linux"))]
pub(super) fn tells_of_changes(_: &Path) -> bool {
    false
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn only_what_had_been_still_is_remembered() {
        let folder = tempfile::tempdir().unwrap();
        let mut listings = Listings::default();
        listings.begin_search(SystemTime::now());
        listings.of(folder.path(), Path::new(""), 10);
        assert!(listings.kept.is_empty());
        listings.begin_search(SystemTime::now() + 2 * STILL);
        let first = listings.of(folder.path(), Path::new(""), 10);
        listings.begin_search(SystemTime::now() + 2 * STILL);
        assert!(Arc::ptr_eq(&first, &listings.of(folder.path(), Path::new(""), 10)));
    }

    #[test]
    fn what_was_cut_is_listed_anew() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a"), "").unwrap();
        let mut listings = Listings::default();
        listings.begin_search(SystemTime::now() + 2 * STILL);
        assert!(listings.of(folder.path(), Path::new(""), 0).is_cut);
        assert!(!listings.of(folder.path(), Path::new(""), 1).is_cut);
    }
}
