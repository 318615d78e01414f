//! The rights that a command on Windows has: the user's own, without what an administrator's token adds.
//!
//! The administrators' group serves to refuse only, and of the privileges the one that everybody needs remains (to pass
//! through folders). It is no sandbox: what the user may read, write and reach, a command may.

#![allow(unsafe_code)]

use std::io;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::ptr;

use windows_sys::Win32::Foundation::GENERIC_ALL;
use windows_sys::Win32::Security::{
    ACL, ACL_REVISION, AddAccessAllowedAce, CreateRestrictedToken, CreateWellKnownSid, GetTokenInformation,
    InitializeAcl, LUA_TOKEN, LUID_AND_ATTRIBUTES, PSID, SECURITY_MAX_SID_SIZE, SID_AND_ATTRIBUTES,
    SetTokenInformation, TOKEN_ADJUST_DEFAULT, TOKEN_ASSIGN_PRIMARY, TOKEN_DEFAULT_DACL, TOKEN_DUPLICATE,
    TOKEN_INFORMATION_CLASS, TOKEN_OWNER, TOKEN_PRIVILEGES, TOKEN_QUERY, TOKEN_USER, TokenDefaultDacl, TokenOwner,
    TokenPrivileges, TokenUser, WELL_KNOWN_SID_TYPE, WinBuiltinAdministratorsSid, WinLocalSystemSid,
};
use windows_sys::Win32::System::Threading::{GetCurrentProcess, OpenProcessToken};

use super::job::done;

/// `SeChangeNotifyPrivilege`, the same on every machine.
const CHANGE_NOTIFY: u32 = 23;

/// A copy of this process's token with fewer rights. `LUA_TOKEN` has more groups serve to refuse only than are named here:
/// those that Windows takes from an administrator who has not agreed to be one.
pub(super) fn restricted_token() -> io::Result<OwnedHandle> {
    let access = TOKEN_DUPLICATE | TOKEN_QUERY | TOKEN_ASSIGN_PRIMARY | TOKEN_ADJUST_DEFAULT;
    let mut own = ptr::null_mut();
    // SAFETY: the pseudo handle needs no closing, and the place for the new one is ours.
    done(unsafe { OpenProcessToken(GetCurrentProcess(), access, &mut own) })?;
    // SAFETY: the handle is open, and known here alone.
    let own = unsafe { OwnedHandle::from_raw_handle(own) };
    let mut administrators = Identifier::new(WinBuiltinAdministratorsSid)?;
    let refusing = [SID_AND_ATTRIBUTES { Sid: administrators.pointer(), Attributes: 0 }];
    let deleted = privileges_to_delete(&own)?;
    let mut restricted = ptr::null_mut();
    // SAFETY: the handle is open, the lists are as long as is said, and the place for the new one is ours.
    done(unsafe {
        CreateRestrictedToken(
            own.as_raw_handle(),
            LUA_TOKEN,
            refusing.len() as u32,
            refusing.as_ptr(),
            deleted.len() as u32,
            deleted.as_ptr(),
            0,
            ptr::null(),
            &mut restricted,
        )
    })?;
    // SAFETY: the handle is open, and known here alone.
    let restricted = unsafe { OwnedHandle::from_raw_handle(restricted) };
    give_to_the_user(&restricted)?;
    Ok(restricted)
}

/// Gives new objects to the user: what an administrator makes belongs to all administrators, who are nobody now, so a
/// command could not open what it has just made itself.
fn give_to_the_user(token: &OwnedHandle) -> io::Result<()> {
    let user = information(token, TokenUser)?;
    // SAFETY: of this class it is this structure, at the beginning of a buffer that is aligned for it and lives on.
    let user = unsafe { (*user.as_ptr().cast::<TOKEN_USER>()).User.Sid };
    // Windows has done so where it took the group away; and not every version can be told. It takes nothing from anybody.
    let _ = set(token, TokenOwner, &TOKEN_OWNER { Owner: user });
    let mut system = Identifier::new(WinLocalSystemSid)?;
    let mut list = access_list(&[user, system.pointer()])?;
    set(token, TokenDefaultDacl, &TOKEN_DEFAULT_DACL { DefaultDacl: list.as_mut_ptr().cast() })
}

fn privileges_to_delete(token: &OwnedHandle) -> io::Result<Vec<LUID_AND_ATTRIBUTES>> {
    let buffer = information(token, TokenPrivileges)?;
    let told: *const TOKEN_PRIVILEGES = buffer.as_ptr().cast();
    // SAFETY: of this class it is this structure, with as many entries as it says.
    let all: &[LUID_AND_ATTRIBUTES] = unsafe {
        let count = (*told).PrivilegeCount as usize;
        std::slice::from_raw_parts((&raw const (*told).Privileges).cast(), count)
    };
    Ok(all.iter().filter(|entry| entry.Luid.LowPart != CHANGE_NOTIFY || entry.Luid.HighPart != 0).copied().collect())
}

/// An identifier that is the same on every machine.
struct Identifier([u32; SECURITY_MAX_SID_SIZE.div_ceil(4) as usize]);

impl Identifier {
    fn new(kind: WELL_KNOWN_SID_TYPE) -> io::Result<Self> {
        let mut made = Self([0; SECURITY_MAX_SID_SIZE.div_ceil(4) as usize]);
        let mut length = size_of_val(&made.0) as u32;
        // SAFETY: the buffer has the length that is said, which is enough for each.
        done(unsafe { CreateWellKnownSid(kind, ptr::null_mut(), made.pointer(), &mut length) })?;
        Ok(made)
    }

    fn pointer(&mut self) -> PSID {
        self.0.as_mut_ptr().cast()
    }
}

/// Everything for each of them.
fn access_list(identifiers: &[PSID]) -> io::Result<Vec<u32>> {
    const MOST: usize = size_of::<ACL>() + 2 * (12 + SECURITY_MAX_SID_SIZE as usize);
    let mut list = vec![0_u32; MOST.div_ceil(4)];
    let bytes = (list.len() * 4) as u32;
    let place: *mut ACL = list.as_mut_ptr().cast();
    // SAFETY: the buffer is aligned, and as long as is said.
    done(unsafe { InitializeAcl(place, bytes, ACL_REVISION) })?;
    for identifier in identifiers {
        // SAFETY: the list was made above and knows its length; the identifier is a whole one, and copied.
        done(unsafe { AddAccessAllowedAce(place, ACL_REVISION, GENERIC_ALL, *identifier) })?;
    }
    Ok(list)
}

/// A buffer with the class's structure, and what that points into.
fn information(token: &OwnedHandle, class: TOKEN_INFORMATION_CLASS) -> io::Result<Vec<usize>> {
    let mut bytes = 0;
    // SAFETY: without room nothing is written but the length; so it fails, as it should.
    unsafe { GetTokenInformation(token.as_raw_handle(), class, ptr::null_mut(), 0, &mut bytes) };
    let mut buffer = vec![0_usize; (bytes as usize).div_ceil(size_of::<usize>())];
    // SAFETY: the handle is open, and the buffer as long as is said.
    done(unsafe { GetTokenInformation(token.as_raw_handle(), class, buffer.as_mut_ptr().cast(), bytes, &mut bytes) })?;
    Ok(buffer)
}

/// `value` is the class's structure.
fn set<T>(token: &OwnedHandle, class: TOKEN_INFORMATION_CLASS, value: &T) -> io::Result<()> {
    // SAFETY: the handle is open; the structure is as long as is said, and only read, with what it points to.
    done(unsafe {
        SetTokenInformation(token.as_raw_handle(), class, ptr::from_ref(value).cast(), size_of::<T>() as u32)
    })
}
