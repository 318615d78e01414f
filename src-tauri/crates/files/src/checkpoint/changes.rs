//! Compares two snapshots. Pure.

use std::collections::BTreeSet;

use super::listed::{FileState, PreImage, Snapshot};

/// A file's content at the time of a snapshot, as far as known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImageRef {
    NoFile,
    /// SHA-256 hex of the content, which was kept.
    Known(String),
    /// SHA-256 hex of where a symbolic link leads, which was kept.
    Link(String),
    /// There was a file, and its content was not imaged.
    Unknown,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnapshotChange {
    pub path: String,
    pub before: ImageRef,
    pub after: ImageRef,
}

/// Returns what was created, changed or removed between the two, by path. Contents decide where both are known: a file
/// that was only touched, or only made executable, is no change. Where one is not known, size and time decide, so such
/// a file counts as changed when it may be. Where one of the snapshots did not look, nothing is claimed.
pub fn snapshot_changes(before: &Snapshot, after: &Snapshot) -> Vec<SnapshotChange> {
    let gone_or_changed = before.files.iter().filter_map(|(path, old)| match after.files.get(path) {
        Some(new) if differs(old, new) => Some((path, image_ref(old), image_ref(new))),
        None if after.has_looked_at(path) => Some((path, image_ref(old), ImageRef::NoFile)),
        _ => None,
    });
    let created = after.files.iter().filter_map(|(path, new)| {
        let is_new = !before.files.contains_key(path) && before.has_looked_at(path);
        is_new.then(|| (path, ImageRef::NoFile, image_ref(new)))
    });
    let mut changes: Vec<SnapshotChange> = gone_or_changed
        .chain(created)
        .map(|(path, before, after)| SnapshotChange { path: path.clone(), before, after })
        .collect();
    changes.sort_by(|a, b| a.path.cmp(&b.path));
    changes
}

/// Returns how many entries that no path can name were created, changed or removed between the two, as far as size and
/// time tell and both looked there. Of a folder, what is in it is not looked at.
pub fn unnamed_changes(before: &Snapshot, after: &Snapshot) -> usize {
    let differs = |one: &Snapshot, other: &Snapshot, path: &String| {
        one.unnamed.get(path) != other.unnamed.get(path) && one.has_looked_at(path) && other.has_looked_at(path)
    };
    let paths: BTreeSet<&String> = before.unnamed.keys().chain(after.unnamed.keys()).collect();
    paths.into_iter().filter(|path| differs(before, after, path)).count()
}

fn differs(old: &FileState, new: &FileState) -> bool {
    match (&old.image, &new.image) {
        (PreImage::Kept(_), PreImage::Kept(_)) => (old.is_link, &old.image) != (new.is_link, &new.image),
        _ => (old.size, old.modified_ns) != (new.size, new.modified_ns),
    }
}

fn image_ref(file: &FileState) -> ImageRef {
    match file.hash() {
        Some(hash) if file.is_link => ImageRef::Link(hash.to_owned()),
        Some(hash) => ImageRef::Known(hash.to_owned()),
        None => ImageRef::Unknown,
    }
}
