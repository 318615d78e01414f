//! Writing into a file that can't be replaced, or that would lose something by it.
//!
//! A reader may see half of it. What fails is taken back at once; for a crash the old content has to be kept elsewhere
//! first, and [`restore_torn`] puts it back.

use super::StagedMode;
use crate::error::{FileAction, Result, io_error};
use crate::project::{Project, ProjectPath, split_parent};
use arki_disk::descend;
use cap_std::fs::Dir;
use std::fs::File;
use std::io::{self, Seek, Write};

/// Returns whether an error says that a file can't be replaced but may be written: its folder is closed, the file is
/// mounted by itself, or another file can't have what it has.
pub(super) fn is_reason(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::PermissionDenied
            | io::ErrorKind::ReadOnlyFilesystem
            | io::ErrorKind::ResourceBusy
            | io::ErrorKind::CrossesDevices
    )
}

pub(super) fn is_possible(folder: &Dir, name: &str) -> bool {
    open_to_write(folder, name).is_ok()
}

/// Replaces `before` by `after`, and takes from the mode what [`super::attributes`] doesn't keep.
pub(super) fn write(folder: &Dir, name: &str, before: &[u8], after: &[u8], mode: StagedMode) -> io::Result<()> {
    let mut file = open_to_write(folder, name)?;
    if let Err(error) = overwrite(&mut file, after) {
        // The room for it was there before.
        let _ = overwrite(&mut file, before);
        return Err(error);
    }
    narrow(&file, mode)
}

/// Puts `before` back where a write of `after` in place was cut off, so that a file is part the one and part the other.
/// Returns whether it was.
pub fn restore_torn(project: &Project, path: &ProjectPath, before: &[u8], after: &[u8]) -> Result<bool> {
    let real = project.canonical(path)?;
    let limit = before.len().max(after.len()) as u64;
    let Ok(now) = project.read(&real, limit) else { return Ok(false) };
    if !is_torn(&now.bytes, before, after) {
        return Ok(false);
    }
    let fail = |error| io_error(path.as_str(), FileAction::Write, error);
    let (parent, name) = split_parent(real.as_str());
    let folder = descend(project.dir(), parent).map_err(fail)?;
    open_to_write(&folder, name).and_then(|mut file| overwrite(&mut file, before)).map_err(fail)?;
    Ok(true)
}

/// Byte by byte: the disk may have taken the parts in any order.
fn is_torn(now: &[u8], before: &[u8], after: &[u8]) -> bool {
    let is_either = |(at, byte): (usize, &u8)| [before, after].iter().any(|content| content.get(at) == Some(byte));
    now != before && now != after && now.len() >= before.len().min(after.len()) && now.iter().enumerate().all(is_either)
}

fn overwrite(file: &mut File, content: &[u8]) -> io::Result<()> {
    file.rewind()?;
    file.write_all(content)?;
    file.set_len(content.len() as u64)?;
    file.sync_all()
}

#[cfg(unix)]
fn open_to_write(folder: &Dir, name: &str) -> io::Result<File> {
    open(folder, name, rustix::fs::OFlags::WRONLY)
}

#[cfg(unix)]
pub(super) fn open_to_read(folder: &Dir, name: &str) -> io::Result<File> {
    open(folder, name, rustix::fs::OFlags::RDONLY)
}

#[cfg(not(unix))]
pub(super) fn open_to_read(folder: &Dir, name: &str) -> io::Result<File> {
    Ok(folder.open(name)?.into_std())
}

/// Opens a file, not through a link and without waiting.
#[cfg(unix)]
pub(super) fn open(folder: &Dir, name: &str, access: rustix::fs::OFlags) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags, openat};
    let flags = access | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    Ok(File::from(openat(folder, name, flags, Mode::empty())?))
}

#[cfg(not(unix))]
fn open_to_write(folder: &Dir, name: &str) -> io::Result<File> {
    let mut options = cap_std::fs::OpenOptions::new();
    options.write(true);
    Ok(folder.open_with(name, &options)?.into_std())
}

#[cfg(unix)]
fn narrow(file: &File, wanted: StagedMode) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt;
    let mode = file.metadata()?.mode() & 0o7777;
    let narrowed = super::attributes::mode_after(mode, wanted);
    if narrowed == mode {
        return Ok(());
    }
    super::attributes::set_mode(file, narrowed)
}

#[cfg(not(unix))]
fn narrow(_: &File, _: StagedMode) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_that_was_cut_off_is_taken_back_and_nothing_else_is() {
        let root = tempfile::tempdir().unwrap();
        let project = Project::open(root.path()).unwrap();
        let (path, file) = (project.resolve("a").unwrap(), root.path().join("a"));
        let (before, after) = (b"aaaa aaaa".as_slice(), b"bbbbbbb".as_slice());
        let check = |now: &[u8], is_restored: bool| {
            std::fs::write(&file, now).unwrap();
            assert_eq!(restore_torn(&project, &path, before, after).unwrap(), is_restored, "{now:?}");
            assert_eq!(std::fs::read(&file).unwrap(), if is_restored { before } else { now });
        };
        check(b"bbaa aaaa", true);
        check(b"bbbbbbbaa", true);
        check(b"aaaabbbaa", true);
        check(before, false);
        check(after, false);
        check(b"bbaa mine", false);
        check(b"bb", false);
        check(b"bbbbbbbaa and mine", false);
        std::fs::remove_file(&file).unwrap();
        assert!(!restore_torn(&project, &path, before, after).unwrap());
    }
}
