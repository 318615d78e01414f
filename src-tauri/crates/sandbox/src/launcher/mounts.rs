//! The mounts of a view: the machine read-only, a `/dev` and a `/proc` of its own, then the steps of the plan.
//!
//! All sources are opened before the view takes the root's place, so that none can be looked up in it; targets are
//! looked up in it, and a link at the end of one is never followed.

use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Mode, OFlags};
use rustix::mount::{
    FsMountFlags, FsOpenFlags, FsPickFlags, MountAttrFlags, MountPropagationFlags, MoveMountFlags, OpenTreeFlags,
    UnmountFlags, fsconfig_create, fsconfig_reconfigure, fsconfig_set_flag, fsconfig_set_string, fsmount, fsopen,
    fspick, mount_change, move_mount, open_tree, unmount,
};
use rustix::process::{fchdir, pivot_root};

use crate::launch_plan::{BindAccess, LaunchPlan, MountStep};

/// The devices of a view; none leads to a person or another process.
const DEVICES: [&str; 6] = ["null", "zero", "full", "random", "urandom", "tty"];
const DEVICE_LINKS: [(&str, &str); 6] = [
    ("/proc/self/fd", "fd"),
    ("/proc/self/fd/0", "stdin"),
    ("/proc/self/fd/1", "stdout"),
    ("/proc/self/fd/2", "stderr"),
    ("/proc/kcore", "core"),
    ("pts/ptmx", "ptmx"),
];
/// Neither devices nor programs with their owner's rights.
const PLAIN: MountAttrFlags = MountAttrFlags::MOUNT_ATTR_NOSUID.union(MountAttrFlags::MOUNT_ATTR_NODEV);
const READ_ONLY: MountAttrFlags = PLAIN.union(MountAttrFlags::MOUNT_ATTR_RDONLY);

/// A mount and its place; opened before the view is entered.
struct Prepared {
    mount: PreparedMount,
    to: PathBuf,
}

enum PreparedMount {
    Tree(OwnedFd),
    Hidden,
    Close,
}

/// Makes the view the root of this process.
pub(super) fn make(plan: &LaunchPlan) -> io::Result<()> {
    mount_change("/", MountPropagationFlags::DOWNSTREAM | MountPropagationFlags::REC)?;
    let prepared = plan.steps.iter().filter_map(|step| prepare(step).transpose()).collect::<io::Result<Vec<_>>>()?;
    let devices = DEVICES.map(|name| (name, clone(&Path::new("/dev").join(name), false)));
    let process_numbers = new("proc", PLAIN | MountAttrFlags::MOUNT_ATTR_NOEXEC, &[])?;
    let root = clone(Path::new("/"), true)?;
    restrict(&root, READ_ONLY)?;
    enter(&root)?;
    attach(&process_numbers, Path::new("/proc"))?;
    // The kernel's settings are root's to write, whatever powers it has.
    let settings = clone(Path::new("/proc/sys"), true)?;
    restrict(&settings, READ_ONLY)?;
    attach(&settings, Path::new("/proc/sys"))?;
    make_devices(devices)?;
    prepared.iter().try_for_each(carry_out)
}

fn prepare(step: &MountStep) -> io::Result<Option<Prepared>> {
    let tree = |tree: OwnedFd, to: &PathBuf| Prepared { mount: PreparedMount::Tree(tree), to: to.clone() };
    Ok(Some(match step {
        MountStep::Bind { from, to, access } => tree(bound(from, *access)?, to),
        MountStep::BindIfThere { from, to, access } => match bound(from, *access) {
            Ok(bound) => tree(bound, to),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        },
        MountStep::Overlay { lower, upper, work, to } => tree(overlay(lower, upper, work)?, to),
        MountStep::Aside { lower, upper, work, to } => {
            tree(overlay(lower, upper, work).or_else(|_| bound(lower, BindAccess::ReadOnly))?, to)
        }
        MountStep::HideFile(path) => tree(bound(Path::new("/dev/null"), BindAccess::ReadOnly)?, path),
        MountStep::HideFolder(path) => Prepared { mount: PreparedMount::Hidden, to: path.clone() },
        MountStep::Close(path) => Prepared { mount: PreparedMount::Close, to: path.clone() },
    }))
}

fn carry_out(prepared: &Prepared) -> io::Result<()> {
    let Prepared { mount, to } = prepared;
    let done = match mount {
        PreparedMount::Tree(tree) => ensure_place(tree, to).and_then(|()| attach(tree, to)),
        // Nothing is in it, and only root, whom permissions don't hold up, sees that.
        PreparedMount::Hidden => new("tmpfs", PLAIN, &[("mode", "0111")]).and_then(|hidden| {
            make_folders(to)?;
            attach(&hidden, to)
        }),
        PreparedMount::Close => open_path(to).and_then(|place| restrict_one(&place, READ_ONLY)),
    };
    done.map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", to.display())))
}

fn bound(from: &Path, access: BindAccess) -> io::Result<OwnedFd> {
    let tree =
        clone(from, true).map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", from.display())))?;
    restrict(&tree, if access == BindAccess::ReadOnly { READ_ONLY } else { PLAIN })?;
    Ok(tree)
}

/// Without syncing: what counts of it is read when the command has ended, by this machine.
fn overlay(lower: &Path, upper: &Path, work: &Path) -> io::Result<OwnedFd> {
    let (lower, upper, work) = (open_path(lower)?, open_path(upper)?, open_path(work)?);
    // By number, for the kernel takes only short texts, and reads some characters of a path as its own.
    let number = |folder: &OwnedFd| format!("/proc/self/fd/{}", folder.as_raw_fd());
    let options = [("lowerdir", number(&lower)), ("upperdir", number(&upper)), ("workdir", number(&work))];
    let options = options.each_ref().map(|(key, value)| (*key, value.as_str()));
    mounted("overlay", PLAIN, &options, &["userxattr", "volatile"])
}

/// Makes the kernel look names of an overlay up anew; nothing else of the mount changes.
pub(super) fn forget_names(place: &Path) -> io::Result<()> {
    let system = fspick(CWD, place, FsPickFlags::FSPICK_CLOEXEC | FsPickFlags::FSPICK_NO_AUTOMOUNT)?;
    Ok(fsconfig_reconfigure(&system)?)
}

fn new(kind: &str, attributes: MountAttrFlags, options: &[(&str, &str)]) -> io::Result<OwnedFd> {
    mounted(kind, attributes, options, &[])
}

fn mounted(kind: &str, attributes: MountAttrFlags, options: &[(&str, &str)], flags: &[&str]) -> io::Result<OwnedFd> {
    let system = fsopen(kind, FsOpenFlags::FSOPEN_CLOEXEC)?;
    for (key, value) in options {
        fsconfig_set_string(&system, *key, *value)?;
    }
    for flag in flags {
        fsconfig_set_flag(&system, *flag)?;
    }
    fsconfig_create(&system)?;
    Ok(fsmount(&system, FsMountFlags::FSMOUNT_CLOEXEC, attributes)?)
}

fn clone(path: &Path, with_mounts_below: bool) -> io::Result<OwnedFd> {
    let below = if with_mounts_below { OpenTreeFlags::AT_RECURSIVE } else { OpenTreeFlags::empty() };
    let flags = OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC | below;
    Ok(open_tree(CWD, path, flags)?)
}

fn open_path(path: &Path) -> io::Result<OwnedFd> {
    Ok(rustix::fs::open(path, OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())?)
}

/// The old root is gone when it returns.
fn enter(root: &OwnedFd) -> io::Result<()> {
    // Any folder that is surely there does: it lies in what is left behind.
    attach(root, Path::new("/proc"))?;
    fchdir(root)?;
    pivot_root(".", ".")?;
    unmount(".", UnmountFlags::DETACH)?;
    std::env::set_current_dir("/")
}

fn attach(tree: &OwnedFd, to: &Path) -> io::Result<()> {
    Ok(move_mount(tree, "", CWD, to, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)?)
}

/// A place to mount on, which can only be made in what the plan has hidden.
fn ensure_place(tree: &OwnedFd, to: &Path) -> io::Result<()> {
    if to.symlink_metadata().is_ok() {
        return Ok(());
    }
    let found = rustix::fs::fstat(tree)?;
    if rustix::fs::FileType::from_raw_mode(found.st_mode).is_dir() {
        return make_folders(to);
    }
    to.parent().map_or(Ok(()), make_folders)?;
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
    rustix::fs::open(to, flags, Mode::RUSR)?;
    Ok(())
}

fn make_folders(path: &Path) -> io::Result<()> {
    match path.symlink_metadata() {
        Ok(_) => Ok(()),
        Err(_) => std::fs::create_dir_all(path),
    }
}

fn make_devices(devices: [(&str, io::Result<OwnedFd>); 6]) -> io::Result<()> {
    let folder = Path::new("/dev");
    attach(&new("tmpfs", MountAttrFlags::MOUNT_ATTR_NOSUID, &[("mode", "0755")])?, folder)?;
    for (name, device) in devices {
        let place = folder.join(name);
        rustix::fs::open(&place, OFlags::WRONLY | OFlags::CREATE | OFlags::CLOEXEC, Mode::RUSR | Mode::WUSR)?;
        attach(&device?, &place)?;
    }
    for (to, name) in DEVICE_LINKS {
        rustix::fs::symlink(to, folder.join(name))?;
    }
    for name in ["shm", "pts"] {
        std::fs::create_dir(folder.join(name))?;
    }
    let terminals = [("ptmxmode", "0666"), ("mode", "0620")];
    attach(
        &new("devpts", MountAttrFlags::MOUNT_ATTR_NOSUID | MountAttrFlags::MOUNT_ATTR_NOEXEC, &terminals)?,
        &folder.join("pts"),
    )?;
    attach(&new("tmpfs", PLAIN, &[("mode", "1777")])?, &folder.join("shm"))?;
    restrict_one(&open_path(folder)?, MountAttrFlags::MOUNT_ATTR_RDONLY)
}

/// With all that is mounted below.
fn restrict(tree: &OwnedFd, attributes: MountAttrFlags) -> io::Result<()> {
    set_attributes(tree, attributes, AtFlags::EMPTY_PATH.bits() | libc::AT_RECURSIVE.cast_unsigned())
}

fn restrict_one(tree: &OwnedFd, attributes: MountAttrFlags) -> io::Result<()> {
    set_attributes(tree, attributes, AtFlags::EMPTY_PATH.bits())
}

fn set_attributes(tree: &OwnedFd, attributes: MountAttrFlags, flags: u32) -> io::Result<()> {
    let set = libc::mount_attr { attr_set: attributes.bits().into(), attr_clr: 0, propagation: 0, userns_fd: 0 };
    // SAFETY: the descriptor is open, the path ends with NUL, and the attributes outlive the call, whose size is theirs.
    let outcome = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            tree.as_raw_fd(),
            c"".as_ptr(),
            flags,
            &raw const set,
            size_of::<libc::mount_attr>(),
        )
    };
    if outcome == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
