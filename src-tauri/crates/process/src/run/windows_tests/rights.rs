//! Tests of a command's rights: told by itself, of its own token.

use super::*;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::ptr;

use windows_sys::Win32::Security::{
    CreateWellKnownSid, EqualSid, GetTokenInformation, SECURITY_MAX_SID_SIZE, TOKEN_GROUPS, TOKEN_INFORMATION_CLASS,
    TOKEN_PRIVILEGES, TOKEN_QUERY, TokenGroups, TokenPrivileges, WinBuiltinAdministratorsSid,
};
use windows_sys::Win32::System::SystemServices::{SE_GROUP_ENABLED, SE_GROUP_USE_FOR_DENY_ONLY};
use windows_sys::Win32::System::Threading::{GetCurrentProcess, OpenProcessToken};

/// `SeChangeNotifyPrivilege`.
const CHANGE_NOTIFY: u32 = 23;

/// `privileges: 23` and the like, then what the administrators' group is good for.
pub(super) fn of_this_process() -> String {
    let mut token = ptr::null_mut();
    // SAFETY: the place for the handle is ours; it is open after, and known here alone.
    let token = unsafe {
        assert_ne!(OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &mut token), 0);
        OwnedHandle::from_raw_handle(token)
    };
    format!("privileges: {:?}, administrators: {}", privileges(&token), administrators(&token))
}

fn information(token: &OwnedHandle, class: TOKEN_INFORMATION_CLASS) -> Vec<usize> {
    let mut bytes = 0;
    // SAFETY: the handle is open; the second time there is as much room as the first time said.
    unsafe {
        GetTokenInformation(token.as_raw_handle(), class, ptr::null_mut(), 0, &mut bytes);
        let mut buffer = vec![0_usize; (bytes as usize).div_ceil(size_of::<usize>())];
        let place = buffer.as_mut_ptr().cast();
        assert_ne!(GetTokenInformation(token.as_raw_handle(), class, place, bytes, &mut bytes), 0);
        buffer
    }
}

fn privileges(token: &OwnedHandle) -> Vec<u32> {
    let buffer = information(token, TokenPrivileges);
    let told: *const TOKEN_PRIVILEGES = buffer.as_ptr().cast();
    // SAFETY: it is this structure, with as many entries as it says.
    let entries =
        unsafe { std::slice::from_raw_parts((&raw const (*told).Privileges).cast(), (*told).PrivilegeCount as usize) };
    entries.iter().map(|entry: &windows_sys::Win32::Security::LUID_AND_ATTRIBUTES| entry.Luid.LowPart).collect()
}

fn administrators(token: &OwnedHandle) -> &'static str {
    let mut group = [0_u32; SECURITY_MAX_SID_SIZE.div_ceil(4) as usize];
    let mut length = SECURITY_MAX_SID_SIZE;
    let place = group.as_mut_ptr().cast();
    // SAFETY: the buffer is as long as is said.
    assert_ne!(unsafe { CreateWellKnownSid(WinBuiltinAdministratorsSid, ptr::null_mut(), place, &mut length) }, 0);
    let buffer = information(token, TokenGroups);
    let told: *const TOKEN_GROUPS = buffer.as_ptr().cast();
    // SAFETY: it is this structure, with as many entries as it says, each of a whole identifier in the same buffer.
    let found = unsafe {
        let entries: &[windows_sys::Win32::Security::SID_AND_ATTRIBUTES] =
            std::slice::from_raw_parts((&raw const (*told).Groups).cast(), (*told).GroupCount as usize);
        entries.iter().find(|entry| EqualSid(entry.Sid, place) != 0)
    };
    match found.map(|entry| entry.Attributes.cast_signed()) {
        None => "none",
        Some(attributes) if attributes & SE_GROUP_USE_FOR_DENY_ONLY != 0 => "to refuse only",
        Some(attributes) if attributes & SE_GROUP_ENABLED != 0 => "of use",
        Some(_) => "not in use",
    }
}

#[test]
fn a_command_has_none_of_an_administrators_rights() {
    let folder = tempfile::tempdir().unwrap();
    for terminal in [false, true] {
        run_part("rights", folder.path(), |check| Check { terminal, ..check }).unwrap();
        let rights = told(folder.path(), "rights");
        assert!(rights.starts_with(&format!("privileges: [{CHANGE_NOTIFY}], ")), "{rights}");
        assert!(!rights.ends_with("of use"), "{rights}");
        fs::remove_file(folder.path().join("rights")).unwrap();
    }
}
