//! The attributes that a file has besides its content: owner, mode, extended attributes and, as some of these, its ACL.
//!
//! Never taken over is what makes a program run with others' rights, and what only vouches for the old content.

use super::StagedMode;
use cap_std::fs::{Dir, Metadata};
use std::fs::File;
use std::io;

/// The bits of a mode that are kept: no setuid or setgid.
#[cfg(unix)]
pub(super) const KEPT: u32 = 0o1777;
/// The owner's bits, which stay whatever else is denied.
#[cfg(unix)]
const FOR_ITS_OWNER: u32 = 0o1700;

/// Returns the number of a file's names.
#[cfg(unix)]
pub(super) fn names_of(metadata: &Metadata) -> u64 {
    cap_std::fs::MetadataExt::nlink(metadata)
}

/// Returns the mode that a file has after a change, which may deny more to group and others.
#[cfg(unix)]
pub(super) fn mode_after(existing: u32, wanted: StagedMode) -> u32 {
    wanted.exact.unwrap_or(existing & KEPT & (wanted.usual.unwrap_or(KEPT) | FOR_ITS_OWNER))
}

#[cfg(unix)]
pub(super) fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    Ok(rustix::fs::fchmod(file, rustix::fs::Mode::from_raw_mode(mode as _))?)
}

/// Gives `file` what the file `name` has, whose metadata is `existing`.
///
/// # Errors
/// `PermissionDenied` where something of it can't be given to another file.
#[cfg(unix)]
pub(super) fn take_over(
    file: &File,
    folder: &Dir,
    name: &str,
    existing: &Metadata,
    wanted: StagedMode,
) -> io::Result<()> {
    use cap_std::fs::MetadataExt;
    use rustix::fs::{Gid, Uid, fchown};
    use std::os::unix::fs::MetadataExt as _;
    let refused = |_| io::Error::from(io::ErrorKind::PermissionDenied);
    let ours = file.metadata()?;
    if (ours.uid(), ours.gid()) != (existing.uid(), existing.gid()) {
        let (uid, gid) = (Uid::from_raw(existing.uid()), Gid::from_raw(existing.gid()));
        fchown(file, Some(uid), Some(gid)).map_err(refused)?;
    }
    #[cfg(any(target_os = "linux", target_os = "macos"))]
    extended::copy(&super::in_place::open_to_read(folder, name)?, file).map_err(refused)?;
    set_mode(file, mode_after(arki_disk::mode_of(existing), wanted))
}

#[cfg(any(target_os = "linux", target_os = "macos"))]
mod extended {
    use rustix::fs::{XattrFlags, fgetxattr, fgetxattr_query, flistxattr, flistxattr_query, fremovexattr, fsetxattr};
    use rustix::io::{Errno, Result};
    use std::fs::File;

    const ACL: &str = "system.posix_acl_access";
    const NOT_KEPT: [&str; 3] = ["security.capability", "security.ima", "security.evm"];

    pub(super) fn copy(from: &File, to: &File) -> Result<()> {
        let (wanted, there) = (names(from)?, names(to)?);
        for name in wanted.iter().filter(|name| !NOT_KEPT.contains(&name.as_str())) {
            let value = value(from, name)?;
            let has_it = there.contains(name) && self::value(to, name).is_ok_and(|there| there == value);
            if !has_it {
                fsetxattr(to, name.as_str(), &value, XattrFlags::empty())?;
            }
        }
        // A folder may give one to each new file.
        let is_new = there.iter().any(|name| name == ACL) && !wanted.iter().any(|name| name == ACL);
        if is_new { fremovexattr(to, ACL) } else { Ok(()) }
    }

    /// None on a disk that knows no such attributes.
    fn names(file: &File) -> Result<Vec<String>> {
        let mut list = match flistxattr_query(file) {
            Err(Errno::NOTSUP | Errno::NOSYS) => return Ok(Vec::new()),
            length => vec![0; length?],
        };
        let length = flistxattr(file, &mut list[..])?;
        let names = list[..length].split(|byte| *byte == 0).filter(|name| !name.is_empty());
        Ok(names.map(|name| String::from_utf8_lossy(name).into_owned()).collect())
    }

    /// One that grows meanwhile is an error.
    fn value(file: &File, name: &str) -> Result<Vec<u8>> {
        let mut value = vec![0; fgetxattr_query(file, name)?];
        let length = fgetxattr(file, name, &mut value[..])?;
        value.truncate(length);
        Ok(value)
    }
}

#[cfg(not(unix))]
pub(super) fn names_of(_: &Metadata) -> u64 {
    1
}

#[cfg(not(unix))]
pub(super) fn take_over(_: &File, _: &Dir, _: &str, _: &Metadata, _: StagedMode) -> io::Result<()> {
    Ok(())
}

#[cfg(not(unix))]
pub(super) fn set_mode(_: &File, _: u32) -> io::Result<()> {
    Ok(())
}
