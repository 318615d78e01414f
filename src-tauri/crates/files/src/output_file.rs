//! A file that the user named for something to be written into: an export.
//!
//! It appears whole or not at all, and for the owner alone, since a conversation may quote anything. What is no plain
//! file (a pipe, a terminal, `/dev/null`) cannot be replaced, so it is written into directly.
//!
//! Until it is whole it has no name where the system can do that, so that a killed program leaves nothing. Elsewhere, and
//! for the moment in which it replaces another file, it has a name that is noted in Arki's data, and
//! [`remove_unfinished_exports`] removes what a killed program left of it.

mod note;

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::error::{FileAction, FileError, FilesError, Result, io_error};
use note::{NotedFile, new_private};

pub use note::remove_unfinished_exports;

/// Dropping it before [`OutputFile::finish`] leaves what was there before.
#[derive(Debug)]
pub struct OutputFile {
    path: PathBuf,
    /// The folder in which names are noted.
    notes: PathBuf,
    sink: Sink,
}

#[derive(Debug)]
enum Sink {
    /// A file without a name.
    #[cfg(target_os = "linux")]
    Unnamed(BufWriter<File>),
    Named(BufWriter<NotedFile>),
    Direct(BufWriter<File>),
}

impl OutputFile {
    /// `path` is taken as it stands, relative to the current folder; a link is followed. `notes` is the folder where names
    /// are noted.
    pub fn create(path: &Path, notes: &Path) -> Result<Self> {
        Self::open(path, notes).map_err(|error| refused(path, error))
    }

    fn open(path: &Path, notes: &Path) -> io::Result<Self> {
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let new = |sink| Self { path: target.clone(), notes: notes.to_owned(), sink };
        match fs::metadata(&target) {
            Ok(found) if found.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(found) if !found.is_file() => {
                return Ok(new(Sink::Direct(BufWriter::new(OpenOptions::new().write(true).open(&target)?))));
            }
            _ => {}
        }
        #[cfg(target_os = "linux")]
        if let Some(file) = unnamed(folder_of(&target))? {
            return Ok(new(Sink::Unnamed(BufWriter::new(file))));
        }
        Ok(new(Sink::Named(BufWriter::new(NotedFile::create(folder_of(&target), notes, new_private)?))))
    }

    /// Puts the file in its place.
    pub fn finish(self) -> Result<()> {
        let Self { path, notes, sink } = self;
        finish(&path, &notes, sink).map_err(|error| io_error(&path.to_string_lossy(), FileAction::Write, error))
    }

    fn writer(&mut self) -> &mut dyn Write {
        match &mut self.sink {
            #[cfg(target_os = "linux")]
            Sink::Unnamed(file) => file,
            Sink::Named(file) => file,
            Sink::Direct(file) => file,
        }
    }
}

fn folder_of(target: &Path) -> &Path {
    target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A file that is gone with its handle; `None` where the file system has no such thing.
#[cfg(target_os = "linux")]
fn unnamed(folder: &Path) -> io::Result<Option<File>> {
    use rustix::fs::{Mode, OFlags};
    use rustix::io::Errno;
    match rustix::fs::open(folder, OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC, Mode::RUSR | Mode::WUSR) {
        Ok(file) => Ok(Some(file.into())),
        Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL | Errno::NOSYS) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Gives an unnamed file a name that nothing has yet.
#[cfg(target_os = "linux")]
fn name(file: &File, path: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD};
    use std::os::fd::AsRawFd;
    let handle = format!("/proc/self/fd/{}", file.as_raw_fd());
    Ok(rustix::fs::linkat(CWD, handle, CWD, path, AtFlags::SYMLINK_FOLLOW)?)
}

/// Makes the error for whoever named the file, if that name is the cause.
fn refused(path: &Path, error: io::Error) -> FilesError {
    let shown = path.to_string_lossy().into_owned();
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => FileError::NoFolder { path: shown }.into(),
        io::ErrorKind::IsADirectory => FileError::NameMissing { path: shown }.into(),
        _ => io_error(&shown, FileAction::Write, error),
    }
}

/// `notes`: where a file that is not put in place yet is noted; only Linux has some without a name.
fn finish(
    path: &Path,
    #[cfg_attr(not(target_os = "linux"), expect(unused_variables))] notes: &Path,
    sink: Sink,
) -> io::Result<()> {
    match sink {
        Sink::Direct(mut file) => file.flush(),
        Sink::Named(file) => {
            let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
            file.sync()?;
            file.put_in_place(path)
        }
        #[cfg(target_os = "linux")]
        Sink::Unnamed(file) => {
            let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
            file.sync_all()?;
            match name(&file, path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    let named = NotedFile::create(folder_of(path), notes, |at| {
                        name(&file, at)?;
                        file.try_clone()
                    });
                    named?.put_in_place(path)
                }
                named => named,
            }
        }
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer().flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arki_domain::Code;

    fn create(path: &Path) -> Result<OutputFile> {
        let notes = tempfile::tempdir().unwrap();
        OutputFile::create(path, notes.path())
    }

    #[test]
    fn what_is_not_finished_leaves_no_trace() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("export.md");
        fs::write(&path, "before").unwrap();
        let mut file = create(&path).unwrap();
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
        let mut file = create(&path).unwrap();
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
            assert_eq!(create(&folder.path().join(name)).unwrap_err().code(), code, "{name}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_device_is_written_into_and_stays_what_it_is() {
        use std::os::unix::fs::FileTypeExt;
        let mut file = create(Path::new("/dev/null")).unwrap();
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
        let mut file = create(&link).unwrap();
        file.write_all(b"new").unwrap();
        file.finish().unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&target).unwrap(), "new");
        assert_eq!(fs::metadata(&target).unwrap().permissions().mode() & 0o777, 0o600);
    }

    /// As another program finds it while the export goes on, and after it was killed: its handles are closed, nothing else.
    #[cfg(target_os = "linux")]
    #[test]
    fn an_export_that_is_killed_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = create(&folder.path().join("export.md")).unwrap();
        file.write_all(&[b'x'; 100_000]).unwrap();
        file.flush().unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_name_that_a_killed_program_left_is_removed_and_one_in_use_stays() {
        let (folder, notes) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let names = |folder: &Path| fs::read_dir(folder).unwrap().count();
        let mut killed = NotedFile::create(folder.path(), notes.path(), new_private).unwrap();
        killed.write_all(b"half").unwrap();
        let in_use = NotedFile::create(folder.path(), notes.path(), new_private).unwrap();
        fs::write(folder.path().join("mine.md"), "").unwrap();
        remove_unfinished_exports(notes.path());
        assert_eq!((names(folder.path()), names(notes.path())), (3, 2));
        killed.leave_as_if_killed();
        remove_unfinished_exports(notes.path());
        assert_eq!((names(folder.path()), names(notes.path())), (2, 1));
        in_use.put_in_place(&folder.path().join("mine.md")).unwrap();
        assert_eq!((names(folder.path()), names(notes.path())), (1, 0));
    }

    /// A note is Arki's own, but what it names is somebody's folder.
    #[test]
    fn only_what_has_the_name_of_an_unfinished_export_is_removed() {
        let (folder, notes) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let mine = folder.path().join("thesis.md");
        fs::write(&mine, "mine").unwrap();
        fs::write(notes.path().join("note"), mine.to_str().unwrap()).unwrap();
        remove_unfinished_exports(notes.path());
        assert!(mine.exists());
        assert_eq!(fs::read_dir(notes.path()).unwrap().count(), 0);
    }
}
