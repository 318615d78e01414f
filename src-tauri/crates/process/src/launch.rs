//! `posix_spawn`: with one line in `exit_watch` and one in `sandbox::domain`, all that is `unsafe` here on Unix.
//!
//! The standard library uses it too, but not for a child that gets a session of its own; then it forks. All memory the
//! call reads is owned by the values here and outlives it.

#![allow(unsafe_code)]

use std::ffi::{CString, OsStr};
use std::fs::File;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;

use libc::{c_char, c_int, c_short};
use rustix::io::{Errno, fcntl_dupfd_cloexec};
use rustix::process::Pid;

use super::terminal::Device;

/// A session of its own; on Apple's systems also no descriptor but those given. The values are from `<spawn.h>`.
#[cfg(target_vendor = "apple")]
const NEW_SESSION: c_int = 0x0400 | 0x4000;
#[cfg(not(target_vendor = "apple"))]
const NEW_SESSION: c_int = libc::POSIX_SPAWN_SETSID as c_int;

/// A program, ready to be started; made where there is no hurry.
pub struct Launch {
    program: CString,
    arguments: Vec<CString>,
    environment: Vec<CString>,
    directory: CString,
}

/// A child's first three descriptors.
pub enum Standard {
    /// Input, output and error.
    Three([OwnedFd; 3]),
    /// The child opens the device itself: so it becomes its session's terminal.
    Terminal(Device),
}

impl Standard {
    pub(super) fn terminal(&self) -> Option<&Path> {
        match self {
            Self::Three(_) => None,
            Self::Terminal(device) => Some(Path::new(OsStr::from_bytes(device.path.to_bytes()))),
        }
    }
}

/// The only descriptors the child gets.
pub struct Streams {
    standard: Standard,
    /// The descriptors from number 3 on; most programs have none.
    more: Vec<OwnedFd>,
}

impl Streams {
    pub fn new(standard: Standard, more: Vec<OwnedFd>) -> io::Result<Self> {
        // Above every number that a child's descriptor gets, so that none is replaced before it is copied.
        let least = i32::try_from(3 + more.len()).unwrap_or(i32::MAX);
        let high = |stream: OwnedFd| match fcntl_dupfd_cloexec(&stream, least) {
            // No file may have so high a number.
            Err(Errno::INVAL) => Err(Errno::MFILE.into()),
            copied => io::Result::Ok(copied?),
        };
        let standard = match standard {
            Standard::Three([stdin, stdout, stderr]) => Standard::Three([high(stdin)?, high(stdout)?, high(stderr)?]),
            terminal @ Standard::Terminal(_) => terminal,
        };
        Ok(Self { standard, more: more.into_iter().map(high).collect::<io::Result<_>>()? })
    }

    pub(super) fn terminal(&self) -> Option<&Path> {
        self.standard.terminal()
    }
}

impl Launch {
    /// `None` when a part contains NUL. A variable that does is left out.
    pub fn new(
        program: &Path,
        arguments: &[impl AsRef<str>],
        environment: &[(String, String)],
        directory: &Path,
    ) -> Option<Self> {
        let program = CString::new(program.as_os_str().as_bytes()).ok()?;
        let rest = arguments.iter().map(|argument| CString::new(argument.as_ref()));
        let arguments: Vec<CString> = [Ok(program.clone())].into_iter().chain(rest).collect::<Result<_, _>>().ok()?;
        let environment =
            environment.iter().filter_map(|(name, value)| CString::new(format!("{name}={value}")).ok()).collect();
        let directory = CString::new(directory.as_os_str().as_bytes()).ok()?;
        Some(Self { program, arguments, environment, directory })
    }

    /// Starts it in a session of its own, with default signals. Returns when the program runs, or could not.
    pub fn start(&self, streams: &Streams) -> io::Result<Pid> {
        let actions = Actions::new(streams, &self.directory)?;
        let attributes = Attributes::new()?;
        let arguments = pointers(&self.arguments);
        let environment = pointers(&self.environment);
        close_others_on_exec();
        let mut pid = 0;
        // SAFETY: every pointer is to initialised memory that outlives the call, and both arrays end with null.
        check(unsafe {
            libc::posix_spawn(
                &mut pid,
                self.program.as_ptr(),
                &actions.0,
                &attributes.0,
                arguments.as_ptr(),
                environment.as_ptr(),
            )
        })?;
        Pid::from_raw(pid).ok_or_else(|| io::Error::other("no process id"))
    }
}

/// Starts a script of the system's shell, far from any folder and without an environment. Returns the other end of its
/// input, and its number; what it says is nobody's to read.
pub fn start_script(script: &str) -> io::Result<(File, Pid)> {
    let (reader, writer) = io::pipe()?;
    let nowhere = File::options().write(true).open("/dev/null")?;
    let standard = Standard::Three([reader.into(), nowhere.try_clone()?.into(), nowhere.into()]);
    let launch = Launch::new(Path::new("/bin/sh"), &["-c", script], &[], Path::new("/"));
    let launch = launch.ok_or_else(|| io::Error::other("no script"))?;
    let number = launch.start(&Streams::new(standard, Vec::new())?)?;
    Ok((File::from(OwnedFd::from(writer)), number))
}

/// Closes all other descriptors on exec: those we open are, but those we were started with, or a C library opened, may
/// not be: a display's or a bus's socket must not reach a command. It is marked here, in this process, since nothing of
/// ours runs in the child.
fn close_others_on_exec() {
    #[cfg(target_os = "linux")]
    {
        const FIRST: libc::c_uint = 3;
        // SAFETY: the call takes three numbers and marks descriptors; it closes none. ExecutorFactory before 5.11 refuse it.
        unsafe { libc::syscall(libc::SYS_close_range, FIRST, libc::c_uint::MAX, libc::CLOSE_RANGE_CLOEXEC) };
    }
}

fn pointers(texts: &[CString]) -> Vec<*mut c_char> {
    texts.iter().map(|text| text.as_ptr().cast_mut()).chain([ptr::null_mut()]).collect()
}

/// These functions return the error instead of setting `errno`.
fn check(error: c_int) -> io::Result<()> {
    if error == 0 { Ok(()) } else { Err(io::Error::from_raw_os_error(error)) }
}

struct Actions(libc::posix_spawn_file_actions_t);

impl Actions {
    fn new(streams: &Streams, directory: &CString) -> io::Result<Self> {
        let mut actions = MaybeUninit::uninit();
        // SAFETY: `init` initialises what it is given, and only on success is it taken to be so.
        let mut actions = unsafe {
            check(libc::posix_spawn_file_actions_init(actions.as_mut_ptr()))?;
            Self(actions.assume_init())
        };
        match &streams.standard {
            Standard::Three(three) => {
                three.iter().zip(0..).try_for_each(|(stream, to)| actions.copy(stream.as_raw_fd(), to))?
            }
            Standard::Terminal(device) => {
                // The child is the leader of its new session by then; opened so, a terminal becomes its own.
                // SAFETY: `actions` is initialised; the path ends with NUL and is copied.
                check(unsafe {
                    libc::posix_spawn_file_actions_addopen(&mut actions.0, 0, device.path.as_ptr(), libc::O_RDWR, 0)
                })?;
                (1..3).try_for_each(|to| actions.copy(0, to))?;
            }
        }
        streams.more.iter().zip(3..).try_for_each(|(stream, to)| actions.copy(stream.as_raw_fd(), to))?;
        // SAFETY: `actions` is initialised; the path ends with NUL and is copied.
        check(unsafe { libc::posix_spawn_file_actions_addchdir_np(&mut actions.0, directory.as_ptr()) })?;
        Ok(actions)
    }

    fn copy(&mut self, from: c_int, to: c_int) -> io::Result<()> {
        // SAFETY: `self` is initialised, and the call takes two numbers besides.
        check(unsafe { libc::posix_spawn_file_actions_adddup2(&mut self.0, from, to) })
    }
}

impl Drop for Actions {
    fn drop(&mut self) {
        // SAFETY: initialised in `new`, and destroyed only here.
        unsafe { libc::posix_spawn_file_actions_destroy(&mut self.0) };
    }
}

struct Attributes(libc::posix_spawnattr_t);

impl Attributes {
    /// Rust ignores SIGPIPE, and a child would inherit that; so all signals are reset, and none is blocked.
    fn new() -> io::Result<Self> {
        let mut attributes = MaybeUninit::uninit();
        // SAFETY: `init` initialises what it is given, and only on success is it taken to be so.
        let mut attributes = unsafe {
            check(libc::posix_spawnattr_init(attributes.as_mut_ptr()))?;
            Self(attributes.assume_init())
        };
        let mut all = MaybeUninit::uninit();
        let mut none = MaybeUninit::uninit();
        let flags = NEW_SESSION | libc::POSIX_SPAWN_SETSIGDEF as c_int | libc::POSIX_SPAWN_SETSIGMASK as c_int;
        // SAFETY: the sets are initialised by the first two calls; `attributes` is initialised.
        unsafe {
            libc::sigfillset(all.as_mut_ptr());
            libc::sigemptyset(none.as_mut_ptr());
            check(libc::posix_spawnattr_setsigdefault(&mut attributes.0, all.as_ptr()))?;
            check(libc::posix_spawnattr_setsigmask(&mut attributes.0, none.as_ptr()))?;
            check(libc::posix_spawnattr_setflags(&mut attributes.0, flags as c_short))?;
        }
        Ok(attributes)
    }
}

impl Drop for Attributes {
    fn drop(&mut self) {
        // SAFETY: initialised in `new`, and destroyed only here.
        unsafe { libc::posix_spawnattr_destroy(&mut self.0) };
    }
}
