//! Files of secrets that git keeps, and where it keeps them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::OWN_GIT;
use super::sensitive::Sensitive;
use arki_git::{WorkingTree, kept_names};

/// Bytes of the list of other stores that are read.
const MAX_LIST_BYTES: u64 = 64 << 10;

/// The secrets that the repository around them doesn't keep, as far as its index tells.
pub(super) fn secrets_beside_git(root: &Path, found: &Sensitive) -> Vec<PathBuf> {
    let (beside, _) = sorted_by_git(root, found);
    beside
}

/// The folders from which git, or whoever reads as it does, would show the secrets that it keeps.
pub(super) fn stores_of_secrets(root: &Path, found: &Sensitive) -> BTreeSet<PathBuf> {
    let (_, keeping) = sorted_by_git(root, found);
    let mut stores = BTreeSet::new();
    for top in keeping {
        let common = WorkingTree::at(&top).map_or_else(|| top.join(OWN_GIT), |tree| tree.common());
        add_store(&common.join("objects"), &mut stores);
    }
    stores
}

/// A store and the others from which it borrows.
fn add_store(store: &Path, stores: &mut BTreeSet<PathBuf>) {
    if !store.is_dir() || !stores.insert(store.to_owned()) {
        return;
    }
    let list = store.join("info/alternates");
    let is_short = fs::metadata(&list).is_ok_and(|found| found.is_file() && found.len() <= MAX_LIST_BYTES);
    let text = if is_short { fs::read_to_string(&list).unwrap_or_default() } else { String::new() };
    for line in text.lines().filter(|line| !line.is_empty()) {
        if let Ok(other) = store.join(line).canonicalize() {
            add_store(&other, stores);
        }
    }
}

/// The secrets that git doesn't keep, and the working trees of the repositories that keep the others.
fn sorted_by_git(root: &Path, found: &Sensitive) -> (Vec<PathBuf>, BTreeSet<PathBuf>) {
    let mut kept: BTreeMap<PathBuf, Option<BTreeSet<String>>> = BTreeMap::new();
    let (mut beside, mut keeping) = (Vec::new(), BTreeSet::new());
    for path in &found.secrets {
        let place = root.join(path);
        let Some(top) = place.ancestors().skip(1).find(|above| above.join(OWN_GIT).exists()) else {
            beside.push(path.clone());
            continue;
        };
        let names =
            kept.entry(top.to_owned()).or_insert_with(|| kept_names(top).map(|names| names.into_iter().collect()));
        let is_kept = match names.as_ref().zip(place.strip_prefix(top).ok()) {
            Some((names, path)) => names.iter().any(|name| Path::new(name).starts_with(path)),
            // An index that can't be read may have it.
            None => true,
        };
        if is_kept {
            keeping.insert(top.to_owned());
        } else {
            beside.push(path.clone());
        }
    }
    (beside, keeping)
}
