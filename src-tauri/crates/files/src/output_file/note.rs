//! A file that is not whole yet and has a name: which one is noted, so that it can be removed should the program be killed.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::path::Path;

use tempfile::{Builder, NamedTempFile};

use arki_disk::{create_private_dir, new_private_file};

const PREFIX: &str = ".arki-export-";
/// A note is one path.
const MAX_NOTE_BYTES: u64 = 16 << 10;

/// The file, and the note of its name.
#[derive(Debug)]
pub(super) struct NotedFile {
    file: NamedTempFile<File>,
    /// Locked as long as this program lives; `None` where nothing can be noted, such as on a disk that can't be written.
    note: Option<NamedTempFile>,
}

impl NotedFile {
    /// `make` makes the file, also one that has its content already.
    pub(super) fn create(folder: &Path, notes: &Path, make: impl Fn(&Path) -> io::Result<File>) -> io::Result<Self> {
        let folder = fs::canonicalize(folder)?;
        let note = new_note(notes).inspect_err(|error| tracing::debug!(%error, "an export's name is not noted")).ok();
        // Noted before it is there: a killed program would leave it otherwise.
        let file = Builder::new().prefix(PREFIX).make_in(folder, |path| {
            if let (Some(note), Some(path)) = (&note, path.to_str()) {
                let mut note = note.as_file();
                note.set_len(0)?;
                note.rewind()?;
                note.write_all(path.as_bytes())?;
            }
            make(path)
        })?;
        Ok(Self { file, note })
    }

    pub(super) fn sync(&self) -> io::Result<()> {
        self.file.as_file().sync_all()
    }

    pub(super) fn put_in_place(self, path: &Path) -> io::Result<()> {
        let Self { file, note } = self;
        file.persist(path).map_err(|error| error.error)?;
        drop(note);
        Ok(())
    }

    #[cfg(test)]
    pub(super) fn leave_as_if_killed(self) {
        self.file.keep().unwrap();
        self.note.unwrap().keep().unwrap();
    }
}

/// An empty file for the owner alone.
pub(super) fn new_private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

fn new_note(notes: &Path) -> io::Result<NamedTempFile> {
    create_private_dir(notes).map_err(io::Error::other)?;
    let note = new_private_file(notes)?;
    note.as_file().try_lock()?;
    Ok(note)
}

/// Removes what exports of killed programs left, as noted in the folder. As well as it can.
pub fn remove_unfinished_exports(notes: &Path) {
    for entry in fs::read_dir(notes).into_iter().flatten().flatten() {
        let removed = remove(&entry.path());
        tracing::debug!(note = %entry.path().display(), ?removed, "an unfinished export");
    }
}

fn remove(note: &Path) -> io::Result<()> {
    let file = File::open(note)?;
    // Another program is still at work on it.
    file.try_lock()?;
    let mut path = String::new();
    file.take(MAX_NOTE_BYTES).read_to_string(&mut path)?;
    let path = Path::new(&path);
    let is_ours = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(PREFIX));
    if is_ours && fs::symlink_metadata(path).is_ok_and(|found| found.is_file()) {
        fs::remove_file(path)?;
    }
    fs::remove_file(note)
}

impl Write for NotedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
