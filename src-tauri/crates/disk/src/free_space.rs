//! Measures a disk's free space.

use std::io;
use std::path::Path;

/// The bytes that this user may still write on the disk that a folder is on.
///
/// # Errors
/// When the folder is not there, or the system does not tell.
#[cfg(unix)]
pub fn free_bytes(folder: &Path) -> io::Result<u64> {
    let disk = rustix::fs::statvfs(folder)?;
    Ok(disk.f_bavail.saturating_mul(disk.f_frsize))
}

#[cfg(windows)]
#[expect(unsafe_code, reason = "one call of the system's, with pointers to what lives as long as it")]
pub fn free_bytes(folder: &Path) -> io::Result<u64> {
    use std::os::windows::ffi::OsStrExt;
    use windows_sys::Win32::Storage::FileSystem::GetDiskFreeSpaceExW;
    let name: Vec<u16> = folder.as_os_str().encode_wide().chain([0]).collect();
    let mut free = 0_u64;
    // SAFETY: the name ends with a zero; the other two numbers are not asked for.
    let told = unsafe { GetDiskFreeSpaceExW(name.as_ptr(), &mut free, std::ptr::null_mut(), std::ptr::null_mut()) };
    if told == 0 { Err(io::Error::last_os_error()) } else { Ok(free) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_room_and_one_that_is_not_there_has_none_to_tell() {
        let folder = tempfile::tempdir().unwrap();
        assert!(free_bytes(folder.path()).unwrap() > 0);
        assert!(free_bytes(&folder.path().join("none")).is_err());
    }
}
