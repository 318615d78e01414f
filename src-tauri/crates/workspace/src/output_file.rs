//! A file that the user named for something to be written into: an export.
//!
//! It appears whole or not at all, and for the owner alone, since a conversation may quote anything. What is no plain
//! file (a pipe, a terminal, `/dev/null`) cannot be replaced, so it is written into directly.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::error::{FileAction, FileError, Result, WorkspaceError, io_error};
use crate::private_dir::new_file;

/// Dropping it before [`OutputFile::finish`] leaves what was there before.
#[derive(Debug)]
pub struct OutputFile {
    path: PathBuf,
    sink: Sink,
}

#[derive(Debug)]
enum Sink {
    New(BufWriter<NamedTempFile>),
    Direct(BufWriter<File>),
}

impl OutputFile {
    /// `path` is taken as it stands, relative to the current folder; a link is followed.
    pub fn create(path: &Path) -> Result<Self> {
        Self::open(path).map_err(|error| refused(path, error))
    }

    fn open(path: &Path) -> io::Result<Self> {
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        match fs::metadata(&target) {
            Ok(found) if found.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(found) if !found.is_file() => {
                let file = OpenOptions::new().write(true).open(&target)?;
                return Ok(Self { path: target, sink: Sink::Direct(BufWriter::new(file)) });
            }
            _ => {}
        }
        let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let sink = Sink::New(BufWriter::new(new_file(folder)?));
        Ok(Self { path: target, sink })
    }

    /// Puts the file in its place.
    pub fn finish(self) -> Result<()> {
        let Self { path, sink } = self;
        finish(&path, sink).map_err(|error| io_error(&path.to_string_lossy(), FileAction::Write, error))
    }
}

/// In words for whoever named the file, where that name is the matter.
fn refused(path: &Path, error: io::Error) -> WorkspaceError {
    let shown = path.to_string_lossy().into_owned();
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => FileError::NoFolder { path: shown }.into(),
        io::ErrorKind::IsADirectory => FileError::NameMissing { path: shown }.into(),
        _ => io_error(&shown, FileAction::Write, error),
    }
}

fn finish(path: &Path, sink: Sink) -> io::Result<()> {
    match sink {
        Sink::Direct(mut file) => file.flush(),
        Sink::New(file) => {
            let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
            file.as_file().sync_all()?;
            file.persist(path).map_err(|error| error.error)?;
            Ok(())
        }
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.sink {
            Sink::New(file) => file.write(bytes),
            Sink::Direct(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.sink {
            Sink::New(file) => file.flush(),
            Sink::Direct(file) => file.flush(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arki_domain::Code;

    #[test]
    fn what_is_not_finished_leaves_no_trace() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("export.md");
        fs::write(&path, "before").unwrap();
        let mut file = OutputFile::create(&path).unwrap();
        file.write_all(b"half").unwrap();
        drop(file);
        assert_eq!(fs::read_to_string(&path).unwrap(), "before");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_is_finished_replaces_what_was_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("export.md");
        fs::write(&path, "something longer").unwrap();
        let mut file = OutputFile::create(&path).unwrap();
        file.write_all(b"new").unwrap();
        file.finish().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
    }

    #[test]
    fn a_folder_is_no_file_to_write_into() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("file"), "").unwrap();
        for (name, code) in [
            ("", Code::USAGE),
            ("missing/export.md", Code::FOLDER_UNAVAILABLE),
            ("file/export.md", Code::FOLDER_UNAVAILABLE),
        ] {
            assert_eq!(OutputFile::create(&folder.path().join(name)).unwrap_err().code(), code, "{name}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_device_is_written_into_and_stays_what_it_is() {
        use std::os::unix::fs::FileTypeExt;
        let mut file = OutputFile::create(Path::new("/dev/null")).unwrap();
        file.write_all(b"gone").unwrap();
        file.finish().unwrap();
        assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_leads_to_the_file_that_is_written() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let (target, link) = (folder.path().join("target"), folder.path().join("link"));
        fs::write(&target, "old").unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        let mut file = OutputFile::create(&link).unwrap();
        file.write_all(b"new").unwrap();
        file.finish().unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&target).unwrap(), "new");
        assert_eq!(fs::metadata(&target).unwrap().permissions().mode() & 0o777, 0o600);
    }
}
