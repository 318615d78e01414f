//! The note beside an index that says which folder it is of, so that it goes when the folder is gone.

use crate::error::Result;
use arki_disk::{create_private_dir, write_private_file_once};
use std::fs;
use std::path::{Path, PathBuf};

const EXTENSION: &str = "folder";

/// Notes beside an index which folder it is of: not in it, since that is locked while another process is at it.
pub(crate) fn note_folder(place: &Path, folder: &Path) -> Result<()> {
    create_private_dir(place)?;
    Ok(write_private_file_once(&note_of(place), folder.display().to_string().as_bytes())?)
}

pub(crate) fn note_of(place: &Path) -> PathBuf {
    place.with_extension(EXTENSION)
}

pub(crate) fn noted_folder(place: &Path) -> Option<String> {
    fs::read_to_string(note_of(place)).ok()
}
