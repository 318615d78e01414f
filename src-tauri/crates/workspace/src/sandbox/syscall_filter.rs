//! What Landlock can't govern, refused by system call.
//!
//! *Unix sockets.* D-Bus, X11, the keychain and agents such as ssh-agent listen on them, and before ABI 9 Landlock does
//! not govern connecting to one by path. A filter sees no paths, so `socket(AF_UNIX)` is refused altogether;
//! `socketpair`, with which programs talk to their own children, is not.
//! *io_uring* can open sockets without that system call. *The kernel's keyrings* are inherited by children and may hold
//! the user's keys.

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
};

/// x86-64 kernels may accept the same calls under a second set of numbers.
#[cfg(target_arch = "x86_64")]
const X32_BIT: i64 = 0x4000_0000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UnixSockets {
    Refused,
    /// Landlock decides by path.
    GovernedByLandlock,
}

/// `None` where the filter is not known for this processor.
pub(super) fn build(sockets: UnixSockets) -> Option<BpfProgram> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = BTreeMap::new();
    for call in [libc::SYS_io_uring_setup, libc::SYS_keyctl, libc::SYS_add_key, libc::SYS_request_key] {
        add(&mut rules, call, Vec::new());
    }
    if sockets == UnixSockets::Refused {
        let family = libc::AF_UNIX as u64;
        let is_unix = SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, family).ok()?;
        add(&mut rules, libc::SYS_socket, vec![SeccompRule::new(vec![is_unix]).ok()?]);
    }
    let refuse = SeccompAction::Errno(libc::EPERM as u32);
    let processor = std::env::consts::ARCH.try_into().ok()?;
    SeccompFilter::new(rules, SeccompAction::Allow, refuse, processor).ok()?.try_into().ok()
}

fn add(rules: &mut BTreeMap<i64, Vec<SeccompRule>>, call: i64, conditions: Vec<SeccompRule>) {
    #[cfg(target_arch = "x86_64")]
    rules.insert(call | X32_BIT, conditions.clone());
    rules.insert(call, conditions);
}
