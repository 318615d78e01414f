//! The upper layer of a view, as it is read: perhaps while a program still writes it. So nothing is reached through a link
//! that the program could put in a folder's place, and what is opened is what was looked at.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Read as _};
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rustix::fs::{FileType, Mode, OFlags, ResolveFlags, Stat};

use super::view_change::ViewEntry;

const OPAQUE: &str = "user.overlay.opaque";
/// Bits of a mode that a file's rights are.
const RIGHTS: u32 = 0o7777;

pub(super) struct UpperLayer(OwnedFd);

/// A file, folder, link or mark of the layer.
pub(super) struct UpperEntry(Stat);

impl UpperLayer {
    pub(super) fn open(folder: &Path) -> io::Result<Self> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Self(rustix::fs::open(folder, flags, Mode::empty())?))
    }

    fn held(&self, path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        let flags = OFlags::PATH | OFlags::CLOEXEC | flags;
        let beneath = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
        Ok(rustix::fs::openat2(&self.0, path, flags, Mode::empty(), beneath)?)
    }

    /// `None` where there is nothing, or nothing any more.
    pub(super) fn entry(&self, path: &Path) -> Option<UpperEntry> {
        let held = self.held(path, OFlags::NOFOLLOW).ok()?;
        rustix::fs::fstat(held).ok().map(UpperEntry)
    }

    /// A folder that is gone by now is empty.
    pub(super) fn names(&self, path: &Path) -> io::Result<Vec<OsString>> {
        let Ok(held) = self.held(path, OFlags::DIRECTORY) else { return Ok(Vec::new()) };
        names_in(&place_of(&held))
    }

    /// Returns whether a folder replaced the one below it.
    pub(super) fn is_opaque(&self, path: &Path) -> bool {
        let mut value = [0_u8; 1];
        let Ok(held) = self.held(path, OFlags::DIRECTORY) else { return false };
        matches!(rustix::fs::getxattr(place_of(&held), OPAQUE, &mut value), Ok(1)) && value == *b"y"
    }

    /// Reads a file or link. A file of more bytes is an error of kind `FileTooLarge`.
    pub(super) fn read(&self, path: &Path, max_bytes: u64) -> io::Result<ViewEntry> {
        let held = self.held(path, OFlags::NOFOLLOW)?;
        let found = rustix::fs::fstat(&held)?;
        match FileType::from_raw_mode(found.st_mode) {
            FileType::Symlink => {
                let target = rustix::fs::readlinkat(&held, "", Vec::new())?;
                return Ok(ViewEntry::Link(OsString::from_vec(target.into_bytes()).into()));
            }
            FileType::RegularFile => {}
            _ => return Err(io::Error::other("it is no file any more")),
        }
        if found.st_size.cast_unsigned() > max_bytes {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let (place, mode) = (place_of(&held), found.st_mode & RIGHTS);
        // A file that a command closed even to itself is read all the same: it is this user's.
        let file = match fs::File::open(&place) {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                fs::set_permissions(&place, fs::Permissions::from_mode(0o600))?;
                let file = fs::File::open(&place);
                fs::set_permissions(&place, fs::Permissions::from_mode(mode))?;
                file?
            }
            file => file?,
        };
        let mut bytes = Vec::new();
        file.take(max_bytes.saturating_add(1)).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > max_bytes {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        Ok(ViewEntry::File { bytes, mode })
    }
}

impl UpperEntry {
    fn kind(&self) -> FileType {
        FileType::from_raw_mode(self.0.st_mode)
    }

    pub(super) fn is_folder(&self) -> bool {
        self.kind() == FileType::Directory
    }

    /// A file or a link.
    pub(super) fn is_plain(&self) -> bool {
        matches!(self.kind(), FileType::RegularFile | FileType::Symlink)
    }

    /// The mark of something that was removed.
    pub(super) fn is_whiteout(&self) -> bool {
        self.kind() == FileType::CharacterDevice && self.0.st_rdev == 0
    }

    /// The time of the last change of its content or rights.
    #[allow(clippy::useless_conversion, reason = "the fields' types differ between machines")]
    pub(super) fn changed_at(&self) -> Option<SystemTime> {
        let seconds = u64::try_from(self.0.st_ctime).ok()?;
        let nanoseconds = u32::try_from(self.0.st_ctime_nsec).ok()?;
        SystemTime::UNIX_EPOCH.checked_add(Duration::new(seconds, nanoseconds))
    }
}

/// A folder that is closed even to its owner is opened: it is this user's.
pub(super) fn names_in(folder: &Path) -> io::Result<Vec<OsString>> {
    let listed = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
            fs::read_dir(folder)
        }
        listed => listed,
    };
    listed?.map(|entry| entry.map(|entry| entry.file_name())).collect()
}

/// A path to what a descriptor holds, wherever that is moved.
fn place_of(held: &OwnedFd) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}", held.as_raw_fd()))
}
