//! A snapshot as data: what was found, what of it was imaged, and what was not looked at.

use std::collections::{BTreeMap, BTreeSet};

use arki_domain::Permissions;

/// The files of a project at one moment. Two snapshots of an unchanged project are equal, so their stored form is too.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Snapshot {
    /// The files by path relative to the project, `/`-separated.
    pub files: BTreeMap<String, FileState>,
    /// Folders that could not be entered: nothing is known of what is below.
    pub unlisted: BTreeSet<String>,
    /// The last path that was listed, if there are more files than the limit; in byte order, where a folder is `name/`.
    /// Nothing is known of what comes after it.
    pub walked_until: Option<String>,
    /// Size and modification time of entries that no path can name, since they are not UTF-8 or have characters that
    /// can't be seen; by their path with such bytes escaped. Of so many as [`MAX_UNNAMED`], the first.
    pub unnamed: BTreeMap<String, (u64, i64)>,
}

/// Entries without a name that are remembered.
pub(super) const MAX_UNNAMED: usize = 1000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileState {
    /// Bytes.
    pub size: u64,
    /// Nanoseconds since 1970, UTC; negative before.
    pub modified_ns: i64,
    pub permissions: Permissions,
    /// A symbolic link: its content is where it leads.
    pub is_link: bool,
    /// It was written so shortly before it was looked at that a later write may leave the same time: the time proves
    /// nothing, and the next snapshot reads it again. Git calls such an entry racily clean.
    pub is_fresh: bool,
    pub image: PreImage,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PreImage {
    /// SHA-256 hex of the content, which was handed out to be kept.
    Kept(String),
    None(NotImaged),
}

/// Why a file was not imaged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotImaged {
    TooLarge,
    NotText,
    OverBudget,
    Unreadable,
    /// It holds keys or passwords by its name, and Arki keeps no copies of those.
    Secret,
}

/// The number of files listed without content, by reason, and the entries not listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NotCaptured {
    pub too_large: usize,
    pub not_text: usize,
    pub over_budget: usize,
    pub unreadable: usize,
    pub secret: usize,
    /// Folders.
    pub unlisted: usize,
    pub unnamed: usize,
    /// There are more files than the limit.
    pub is_cut: bool,
}

impl NotCaptured {
    /// Files listed without content.
    pub fn files(&self) -> usize {
        self.too_large + self.not_text + self.over_budget + self.unreadable + self.secret
    }
}

impl FileState {
    /// SHA-256 hex of the content where it was imaged.
    pub fn hash(&self) -> Option<&str> {
        match &self.image {
            PreImage::Kept(hash) => Some(hash),
            PreImage::None(_) => None,
        }
    }

    /// Returns whether nothing was written in between, as far as metadata tells.
    pub(super) fn has_same_metadata(&self, other: &Self) -> bool {
        let all = |file: &Self| (file.size, file.modified_ns, file.permissions, file.is_link);
        all(self) == all(other)
    }
}

impl Snapshot {
    /// The contents it rests on; one hash can occur several times.
    pub fn hashes(&self) -> impl Iterator<Item = &str> {
        self.files.values().filter_map(FileState::hash)
    }

    /// Imaged files.
    pub fn imaged_files(&self) -> usize {
        self.hashes().count()
    }

    /// Bytes of all imaged files.
    pub fn imaged_bytes(&self) -> u64 {
        self.files.values().filter(|file| file.hash().is_some()).map(|file| file.size).sum()
    }

    pub fn left_out(&self) -> NotCaptured {
        let mut left_out = NotCaptured {
            unlisted: self.unlisted.len(),
            unnamed: self.unnamed.len(),
            is_cut: self.walked_until.is_some(),
            ..NotCaptured::default()
        };
        for file in self.files.values() {
            match file.image {
                PreImage::Kept(_) => {}
                PreImage::None(NotImaged::TooLarge) => left_out.too_large += 1,
                PreImage::None(NotImaged::NotText) => left_out.not_text += 1,
                PreImage::None(NotImaged::OverBudget) => left_out.over_budget += 1,
                PreImage::None(NotImaged::Unreadable) => left_out.unreadable += 1,
                PreImage::None(NotImaged::Secret) => left_out.secret += 1,
            }
        }
        left_out
    }

    /// Returns whether a file at `path` would have been found.
    pub(super) fn has_looked_at(&self, path: &str) -> bool {
        let is_beyond = self.walked_until.as_deref().is_some_and(|last| path > last);
        let mut folders = path.match_indices('/').map(|(at, _)| &path[..at]);
        !is_beyond && (self.unlisted.is_empty() || !folders.any(|folder| self.unlisted.contains(folder)))
    }
}
