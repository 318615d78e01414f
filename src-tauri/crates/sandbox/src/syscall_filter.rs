//! Refuses, by system call, what neither Landlock nor a mount view governs.
//!
//! *Sockets.* D-Bus, X11, the keychain and agents such as ssh-agent listen on Unix sockets. A filter sees no paths, so
//! `socket(AF_UNIX)` is refused altogether, but under Landlock's ABI 9, which governs them; `socketpair`, with which
//! programs talk to their own children, is not, but for datagrams. Of the other families only the internet's, and the kernel's list of
//! interfaces, are ever allowed: not Bluetooth, virtual machines' or the kernel's own.
//! *New namespaces and mounts* would give powers inside them, and with them the kernel's least tried code.
//! *io_uring* can open sockets without that system call. *The kernel's keyrings* are inherited by children and may hold
//! the user's keys. *Modes* that give a file's rights to whoever starts it are refused, for the file stays; what takes its
//! mode by a pointer (`openat2`) is refused as unknown. One question is refused so that those who ask it know where they are (`mark`).

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
};

use super::mark;

/// x86-64 kernels may accept the same calls under a second set of numbers.
#[cfg(target_arch = "x86_64")]
const X32_BIT: i64 = 0x4000_0000;
/// `ioctl` and `ptrace` have numbers of their own there.
#[cfg(target_arch = "x86_64")]
const X32_IOCTL: i64 = X32_BIT | 514;

/// System calls for administrators, for debugging the kernel, or for building namespaces.
const REFUSED: &[i64] = &[
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_fanotify_init,
    libc::SYS_open_by_handle_at,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_setns,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_syslog,
    libc::SYS_vhangup,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_adjtimex,
    libc::SYS_clock_adjtime,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
];

/// Ways between processes that no path names: shared memory, semaphores and queues, open to everyone of the same user.
const SHARED_MEMORY: &[i64] = &[
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_semget,
    libc::SYS_semctl,
    libc::SYS_msgget,
    libc::SYS_msgctl,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
];

/// The flags of `clone` that make namespaces. Those of `clone3` can't be seen, so it is refused as unknown.
const NEW_NAMESPACES: &[i32] = &[
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWCGROUP,
];
/// Only `unshare` takes it; `clone` has the signal's number in its place.
const CLONE_NEWTIME: i32 = 0x80;

/// Types what somebody else's terminal reads.
const TERMINAL_INPUT: &[u64] = &[0x5412, 0x541c];

/// A file with one of these gives whoever starts it its owner's or group's rights, also long after the command.
const FOREIGN_RIGHTS: &[u32] = &[libc::S_ISUID, libc::S_ISGID];
const SYS_FCHMODAT2: i64 = 452;
/// The index of the argument that is the mode.
const MODE_GIVEN: &[(i64, u8)] = &[
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_chmod, 1),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_creat, 1),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_mknod, 1),
    (libc::SYS_fchmod, 1),
    (libc::SYS_fchmodat, 2),
    (SYS_FCHMODAT2, 2),
    (libc::SYS_mknodat, 2),
];
/// The index of the argument that is the flags; the mode follows, and says nothing where no file is made.
const MODE_GIVEN_TO_NEW: &[(i64, u8)] = &[
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_open, 1),
    (libc::SYS_openat, 2),
];

/// System calls that change a file without opening it for writing, which Landlock does not govern.
const METADATA: &[i64] = &[
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chmod,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_lchown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utime,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utimes,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_futimesat,
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    SYS_FCHMODAT2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    SYS_SETXATTRAT,
    SYS_REMOVEXATTRAT,
    SYS_FILE_SETATTR,
];
/// The same number on every processor, as all since 2019.
const SYS_SETXATTRAT: i64 = 463;
const SYS_REMOVEXATTRAT: i64 = 466;
const SYS_FILE_SETATTR: i64 = 469;
/// Requests of these kinds are the file systems' own: flags, attributes, seals. The kind is the second byte.
const FILE_SYSTEMS_REQUESTS: &[u64] = &[0x58, 0x66, 0x94];

/// The calls that the filter leaves to others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Allowed {
    /// Landlock decides by path.
    pub(super) unix_sockets: bool,
    /// The network was granted, or is one of its own.
    pub(super) internet: bool,
    /// Shared memory is one of its own.
    pub(super) shared_memory: bool,
    /// Modes, owners, times and attributes of files may be changed, where their owner may.
    pub(super) metadata: bool,
}

/// Both are put on. `None` where the filter is not known for this processor.
pub(super) fn build(allowed: Allowed) -> Option<[BpfProgram; 2]> {
    let mut rules = SyscallRules::default();
    REFUSED.iter().for_each(|call| rules.add(*call, Vec::new()));
    if !allowed.shared_memory {
        SHARED_MEMORY.iter().for_each(|call| rules.add(*call, Vec::new()));
    }
    rules.add(libc::SYS_socket, sockets(allowed)?);
    rules.add(libc::SYS_socketpair, socket_pairs()?);
    rules.add(libc::SYS_clone, with_any_flag(NEW_NAMESPACES)?);
    rules.add(libc::SYS_unshare, with_any_flag(&[NEW_NAMESPACES, &[CLONE_NEWTIME]].concat())?);
    // Another process's limits and priority: of the same user, it need not be in the sandbox.
    rules.add(libc::SYS_prlimit64, vec![rule(&[is_not(0, 0)?, is_not(2, 0)?])?]);
    rules.add(libc::SYS_setpriority, vec![rule(&[is_not(1, 0)?])?]);
    let terminal = || TERMINAL_INPUT.iter().map(|request| rule(&[is(1, *request)?])).collect::<Option<Vec<_>>>();
    let of_file_systems =
        || FILE_SYSTEMS_REQUESTS.iter().map(|kind| rule(&[is_of_kind(*kind)?])).collect::<Option<Vec<_>>>();
    let requests = || match allowed.metadata {
        true => terminal(),
        false => Some([terminal()?, of_file_systems()?].concat()),
    };
    rules.add(libc::SYS_ioctl, requests()?);
    for (call, mode) in MODE_GIVEN {
        rules.add(*call, with_any_bit(*mode, FOREIGN_RIGHTS)?);
    }
    for (call, flags) in MODE_GIVEN_TO_NEW {
        rules.add(*call, new_files_with_foreign_rights(*flags)?);
    }
    let question = [is(0, libc::PR_GET_DUMPABLE as u64)?, is(1, u64::from(mark::MARK))?];
    rules.add(libc::SYS_prctl, vec![rule(&question)?]);
    #[cfg(target_arch = "x86_64")]
    rules.0.insert(X32_IOCTL, requests()?);
    if !allowed.metadata {
        // Over what is refused of them in any case.
        METADATA.iter().for_each(|call| rules.add(*call, Vec::new()));
    }
    let mut unknown = SyscallRules::default();
    unknown.add(libc::SYS_clone3, Vec::new());
    unknown.add(libc::SYS_openat2, Vec::new());
    Some([rules.program(libc::EPERM)?, unknown.program(libc::ENOSYS)?])
}

/// Each rule is a way to be refused.
fn sockets(allowed: Allowed) -> Option<Vec<SeccompRule>> {
    let mut families = Vec::new();
    if allowed.unix_sockets {
        families.push(libc::AF_UNIX);
    }
    if allowed.internet {
        families.extend([libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK]);
    }
    let is_other = families.iter().map(|family| is_not(0, *family as u64)).collect::<Option<Vec<_>>>()?;
    if is_other.is_empty() {
        return Some(Vec::new());
    }
    let netlink = [is(0, libc::AF_NETLINK as u64)?, is_not(2, libc::NETLINK_ROUTE as u64)?];
    Some(vec![rule(&is_other)?, rule(&netlink)?])
}

/// One that sends datagrams can be turned to any socket with a name; `SOCK_RAW` is another word for it.
fn socket_pairs() -> Option<Vec<SeccompRule>> {
    const TYPE_MASK: u64 = 0xf;
    let is_of = |kind: i32| {
        let kind = kind as u64;
        SeccompCondition::new(1, SeccompCmpArgLen::Dword, SeccompCmpOp::MaskedEq(TYPE_MASK), kind).ok()
    };
    let ways = [is_not(0, libc::AF_UNIX as u64)?, is_of(libc::SOCK_DGRAM)?, is_of(libc::SOCK_RAW)?];
    ways.into_iter().map(|way| rule(&[way])).collect()
}

fn with_any_flag(flags: &[i32]) -> Option<Vec<SeccompRule>> {
    let flags: Vec<u32> = flags.iter().map(|flag| flag.cast_unsigned()).collect();
    with_any_bit(0, &flags)
}

fn with_any_bit(argument: u8, bits: &[u32]) -> Option<Vec<SeccompRule>> {
    bits.iter().map(|bit| rule(&[has(argument, *bit)?])).collect()
}

fn new_files_with_foreign_rights(flags: u8) -> Option<Vec<SeccompRule>> {
    // The bit of `O_TMPFILE` that is not also `O_DIRECTORY`'s.
    let makes = [libc::O_CREAT, libc::O_TMPFILE & !libc::O_DIRECTORY].map(i32::cast_unsigned);
    let ways = makes.iter().flat_map(|makes| FOREIGN_RIGHTS.iter().map(move |right| (*makes, *right)));
    ways.map(|(makes, right)| rule(&[has(flags, makes)?, has(flags + 1, right)?])).collect()
}

fn has(argument: u8, bit: u32) -> Option<SeccompCondition> {
    let bit = u64::from(bit);
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::MaskedEq(bit), bit).ok()
}

fn is_of_kind(kind: u64) -> Option<SeccompCondition> {
    SeccompCondition::new(1, SeccompCmpArgLen::Dword, SeccompCmpOp::MaskedEq(0xff00), kind << 8).ok()
}

fn is(argument: u8, value: u64) -> Option<SeccompCondition> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, value).ok()
}

fn is_not(argument: u8, value: u64) -> Option<SeccompCondition> {
    // A pointer is longer than an `int`, and where one is zero both halves are.
    let length = if argument == 2 && value == 0 { SeccompCmpArgLen::Qword } else { SeccompCmpArgLen::Dword };
    SeccompCondition::new(argument, length, SeccompCmpOp::Ne, value).ok()
}

fn rule(conditions: &[SeccompCondition]) -> Option<SeccompRule> {
    SeccompRule::new(conditions.to_vec()).ok()
}

#[derive(Default)]
struct SyscallRules(BTreeMap<i64, Vec<SeccompRule>>);

impl SyscallRules {
    /// Adds a rule. Without conditions the call is always refused.
    fn add(&mut self, call: i64, conditions: Vec<SeccompRule>) {
        #[cfg(target_arch = "x86_64")]
        self.0.insert(call | X32_BIT, conditions.clone());
        self.0.insert(call, conditions);
    }

    fn program(self, error: i32) -> Option<BpfProgram> {
        let refuse = SeccompAction::Errno(error.cast_unsigned());
        let processor = std::env::consts::ARCH.try_into().ok()?;
        SeccompFilter::new(self.0, SeccompAction::Allow, refuse, processor).ok()?.try_into().ok()
    }
}
