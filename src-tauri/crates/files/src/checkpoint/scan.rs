//! Taking a snapshot: what has to be read is decided from metadata and the previous snapshot, then read.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};
use std::time::{Duration, SystemTime};

use globset::GlobSet;
use tokio_util::sync::CancellationToken;

use super::listed::{FileState, NotImaged, PreImage, Snapshot};
use super::walk_files::{FoundFile, nanoseconds, walk_files};
use crate::change_set::content_hash;
use crate::error::{FileError, FilesError, Result, SnapshotError};
use crate::project::Project;
use crate::protection::is_secret;
use arki_edit::is_text;

/// The coarsest clock of a file system in use is FAT's, of 2 seconds; a kernel's own lags by some milliseconds.
pub(crate) const FRESH: Duration = Duration::from_secs(2);
/// The bytes that one scan reads, as a multiple of what it may image: text can only be told from the rest by reading
/// it.
const MAX_READ_FACTOR: u64 = 4;

/// The limits of a snapshot in a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SnapshotLimits {
    /// Files and folders looked at, in byte order of their paths.
    pub max_files: usize,
    /// Largest file that is imaged.
    pub max_file_bytes: u64,
    /// Bytes imaged, of all files together.
    pub max_total_bytes: u64,
}

impl SnapshotLimits {
    pub const MAX_FILES: usize = 20_000;
    pub const MAX_FILE_BYTES: u64 = 256 * 1024;
    pub const MAX_TOTAL_BYTES: u64 = 64 * 1024 * 1024;
}

impl Default for SnapshotLimits {
    fn default() -> Self {
        Self {
            max_files: Self::MAX_FILES,
            max_file_bytes: Self::MAX_FILE_BYTES,
            max_total_bytes: Self::MAX_TOTAL_BYTES,
        }
    }
}

/// Looks at every file and images the small text files, the most recently modified first where the budget does not
/// do for all. `secrets` are the user's own globs of what must not be copied. `keep` gets each content that is not
/// in `previous`, once, with its SHA-256 hex. Blocking; run it off the async threads.
pub fn take_snapshot(
    project: &Project,
    previous: Option<&Snapshot>,
    limits: &SnapshotLimits,
    secrets: &GlobSet,
    keep: impl FnMut(&str, &[u8]),
    cancel: &CancellationToken,
) -> Result<Snapshot> {
    // Before anything is looked at, so that what is written from now on counts as fresh.
    take_at(SystemTime::now(), project, previous, limits, secrets, keep, cancel)
}

pub(super) fn take_at(
    started: SystemTime,
    project: &Project,
    previous: Option<&Snapshot>,
    limits: &SnapshotLimits,
    secrets: &GlobSet,
    keep: impl FnMut(&str, &[u8]),
    cancel: &CancellationToken,
) -> Result<Snapshot> {
    let walked = walk_files(project, limits.max_files, cancel)?;
    let fresh_from_ns = nanoseconds(started.checked_sub(FRESH).unwrap_or(SystemTime::UNIX_EPOCH));
    let mut files: Vec<Option<FileState>> =
        walked.files.iter().map(|found| Some(listed(found, fresh_from_ns))).collect();
    let mut newest_first: Vec<usize> = (0..files.len()).collect();
    newest_first.sort_by_key(|index| (Reverse(walked.files[*index].modified_ns), *index));

    let mut imaging = Imaging { project, previous, limits, secrets, keep, known: None, imaged_bytes: 0, read_bytes: 0 };
    for index in newest_first {
        if cancel.is_cancelled() {
            return Err(SnapshotError::Cancelled.into());
        }
        if let Some(file) = &mut files[index] {
            match imaging.image(&walked.files[index], file) {
                Some(image) => file.image = image,
                None => files[index] = None,
            }
        }
    }
    let files: BTreeMap<String, FileState> = walked
        .files
        .into_iter()
        .zip(files)
        .filter_map(|(found, file)| Some((found.path.as_str().to_owned(), file?)))
        .collect();
    Ok(Snapshot { files, unlisted: walked.unlisted, walked_until: walked.walked_until, unnamed: walked.unnamed })
}

/// Returns the state of a file that has no snapshot yet.
fn listed(found: &FoundFile, fresh_from_ns: i64) -> FileState {
    FileState {
        size: found.size,
        modified_ns: found.modified_ns,
        permissions: found.permissions,
        is_link: found.is_link,
        is_fresh: found.modified_ns >= fresh_from_ns,
        image: PreImage::None(NotImaged::OverBudget),
    }
}

struct Imaging<'a, Keep> {
    project: &'a Project,
    previous: Option<&'a Snapshot>,
    limits: &'a SnapshotLimits,
    secrets: &'a GlobSet,
    keep: Keep,
    /// Hashes that were kept before; made when the first file is read.
    known: Option<HashSet<String>>,
    imaged_bytes: u64,
    read_bytes: u64,
}

impl<Keep: FnMut(&str, &[u8])> Imaging<'_, Keep> {
    /// `None` when the file is gone.
    fn image(&mut self, found: &FoundFile, file: &FileState) -> Option<PreImage> {
        if file.size > self.limits.max_file_bytes {
            return Some(PreImage::None(NotImaged::TooLarge));
        }
        let unchanged = self.unchanged(found, file);
        if let Some(PreImage::None(_)) = unchanged {
            return unchanged;
        }
        if unchanged.is_none() && !found.is_link && is_secret(&found.path, self.secrets) {
            return Some(PreImage::None(NotImaged::Secret));
        }
        if self.imaged_bytes + file.size > self.limits.max_total_bytes {
            return Some(PreImage::None(NotImaged::OverBudget));
        }
        let image = match unchanged {
            Some(image) => image,
            None => self.read(found, file.size)?,
        };
        if let PreImage::Kept(_) = image {
            self.imaged_bytes += file.size;
        }
        Some(image)
    }

    /// Returns the file's image in the previous snapshot, if it still holds. A file that was unreadable or over the
    /// budget is tried again.
    fn unchanged(&self, found: &FoundFile, file: &FileState) -> Option<PreImage> {
        let old = self.previous?.files.get(found.path.as_str())?;
        let is_settled = match old.image {
            PreImage::Kept(_) => self.secrets.is_empty() || !is_secret(&found.path, self.secrets),
            PreImage::None(reason) => matches!(reason, NotImaged::NotText | NotImaged::Secret),
        };
        (is_settled && !old.is_fresh && old.has_same_metadata(file)).then(|| old.image.clone())
    }

    fn read(&mut self, found: &FoundFile, size: u64) -> Option<PreImage> {
        if self.read_bytes + size > self.limits.max_total_bytes.saturating_mul(MAX_READ_FACTOR) {
            return Some(PreImage::None(NotImaged::OverBudget));
        }
        self.read_bytes += size;
        // It may have grown since; then it is imaged when it is looked at the next time.
        let bytes = match self.project.found(&found.path, size) {
            // It was exchanged since; then it is looked at the next time.
            Ok(Some(now)) if now.content.is_link() != found.is_link => {
                return Some(PreImage::None(NotImaged::Unreadable));
            }
            Ok(Some(now)) => now.content,
            Ok(None) | Err(FilesError::File(FileError::NotFound { .. })) => return None,
            Err(_) => return Some(PreImage::None(NotImaged::Unreadable)),
        };
        if !found.is_link && !is_text(&bytes) {
            return Some(PreImage::None(NotImaged::NotText));
        }
        let hash = content_hash(&bytes);
        let previous = self.previous;
        let known = self.known.get_or_insert_with(|| previous.map(hashes).unwrap_or_default());
        if known.insert(hash.clone()) {
            (self.keep)(&hash, &bytes);
        }
        Some(PreImage::Kept(hash))
    }
}

fn hashes(snapshot: &Snapshot) -> HashSet<String> {
    snapshot.hashes().map(str::to_owned).collect()
}
