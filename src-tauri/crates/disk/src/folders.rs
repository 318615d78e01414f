//! Opening folders one name at a time, never through a link: what is opened is where its path says.
//!
//! A path that was judged, and then looked up again, may lead elsewhere meanwhile. So whoever has to be sure that it
//! does not makes it canonical, judges that, and comes here.

use std::ffi::OsString;
use std::io;
use std::path::Path;

use cap_std::fs::{Dir, OpenOptions};

use crate::entry_kind::EntryKind;

/// Opens a folder in `parent`; `name` is a single component.
#[cfg(unix)]
pub fn open_folder(parent: &Dir, name: impl AsRef<Path>) -> io::Result<Dir> {
    use rustix::fs::{Mode, OFlags, openat};
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let folder = openat(parent, name.as_ref(), flags, Mode::empty())?;
    Ok(Dir::from_std_file(folder.into()))
}

/// Should it become a link between the two, that leads out of `parent`, it is refused all the same.
#[cfg(not(unix))]
pub fn open_folder(parent: &Dir, name: impl AsRef<Path>) -> io::Result<Dir> {
    if parent.symlink_metadata(name.as_ref())?.is_symlink() {
        return Err(io::ErrorKind::NotADirectory.into());
    }
    parent.open_dir(name)
}

/// The folder at a path with `/` between its names, of which no part may be a link.
pub fn descend(root: &Dir, folder: &str) -> io::Result<Dir> {
    names(folder).try_fold(root.try_clone()?, |parent, name| open_folder(&parent, name))
}

/// The same, making what is not there. `made` is told of each folder that was, by its parent and name.
pub fn descend_making(root: &Dir, folder: &str, mut made: impl FnMut(Dir, &str)) -> io::Result<Dir> {
    names(folder).try_fold(root.try_clone()?, |parent, name| {
        match open_folder(&parent, name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            opened => return opened,
        }
        match parent.create_dir(name) {
            Ok(()) => made(parent.try_clone()?, name),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
        open_folder(&parent, name)
    })
}

/// Returns what is in a folder, in whatever order, without following links: opened once, where cap-std opens it twice.
#[cfg(unix)]
pub fn entries(folder: &Dir) -> io::Result<impl Iterator<Item = io::Result<(OsString, EntryKind)>>> {
    use rustix::fs::{Dir as Listed, FileType, Mode, OFlags, openat};
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let listed = Listed::new(openat(folder, ".", flags, Mode::empty())?)?;
    let entry = move |entry: rustix::io::Result<rustix::fs::DirEntry>| {
        let entry = entry?;
        let name = OsStr::from_bytes(entry.file_name().to_bytes()).to_owned();
        let kind = match entry.file_type() {
            FileType::RegularFile => EntryKind::File,
            FileType::Directory => EntryKind::Folder,
            FileType::Symlink => EntryKind::Link,
            // Not every file system tells what an entry is.
            FileType::Unknown => folder.symlink_metadata(&name).map_or(EntryKind::Special, |it| EntryKind::of(&it)),
            _ => EntryKind::Special,
        };
        Ok((name, kind))
    };
    Ok(listed.map(entry).filter(|entry| !matches!(entry, Ok((name, _)) if name == "." || name == "..")))
}

#[cfg(not(unix))]
pub fn entries(folder: &Dir) -> io::Result<impl Iterator<Item = io::Result<(OsString, EntryKind)>>> {
    let entry = move |entry: io::Result<cap_std::fs::DirEntry>| {
        let entry = entry?;
        let name = entry.file_name();
        let kind = match EntryKind::of_type(entry.file_type()?) {
            EntryKind::Special => folder.symlink_metadata(&name).map_or(EntryKind::Special, |it| EntryKind::of(&it)),
            kind => kind,
        };
        Ok((name, kind))
    };
    Ok(folder.entries()?.map(entry))
}

fn names(folder: &str) -> impl Iterator<Item = &str> {
    folder.split('/').filter(|name| *name != ".")
}

/// Opening waits for nobody: neither for the other end of a pipe nor for a terminal.
#[cfg(unix)]
pub fn never_wait(options: &mut OpenOptions) {
    use cap_std::fs::OpenOptionsExt;
    options.custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY);
}

#[cfg(not(unix))]
pub fn never_wait(_: &mut OpenOptions) {}
