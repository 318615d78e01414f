//! Giving up what a launcher needed to make a view, before the command begins.

use std::io;

use rustix::thread::{
    CapabilitySet, CapabilitySets, capability_is_in_bounding_set, clear_ambient_capability_set,
    remove_capability_from_bounding_set, set_capabilities, set_no_new_privs,
};

/// Keeps only these powers, for good; in a user namespace there are none to keep.
pub(super) fn give_up(kept: u64) -> io::Result<()> {
    let kept = CapabilitySet::from_bits_truncate(kept);
    set_no_new_privs(true)?;
    for capability in (0..u64::BITS).map(|bit| CapabilitySet::from_bits_retain(1 << bit)) {
        // The kernel knows fewer than there are bits, and says so by an error.
        if !kept.contains(capability) && capability_is_in_bounding_set(capability).unwrap_or(false) {
            remove_capability_from_bounding_set(capability)?;
        }
    }
    clear_ambient_capability_set()?;
    set_capabilities(None, CapabilitySets { effective: kept, permitted: kept, inheritable: CapabilitySet::empty() })?;
    Ok(())
}

/// Switches on the only interface of a network that nobody else is in.
pub(super) fn raise_loopback() -> io::Result<()> {
    // SAFETY: takes three numbers.
    let socket = unsafe { libc::socket(libc::AF_INET, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, 0) };
    if socket < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: all bytes zero is a value of this type.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    for (to, from) in request.ifr_name.iter_mut().zip(*b"lo") {
        *to = from.cast_signed() as libc::c_char;
    }
    request.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
    // SAFETY: the request is what this call reads, and outlives it; the socket is closed once.
    let outcome = unsafe { libc::ioctl(socket, libc::SIOCSIFFLAGS as _, &raw const request) };
    let error = io::Error::last_os_error();
    // SAFETY: as above.
    unsafe { libc::close(socket) };
    if outcome < 0 { Err(error) } else { Ok(()) }
}
