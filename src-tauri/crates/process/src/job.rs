//! A job object: a command with all that it starts, in a whole that nothing in it can leave.
//!
//! The kernel counts its processes and memory and refuses more than the limits, and ends what is in it when the last
//! handle to it is closed, which is ours: so nothing outlives this program, however that ends. A process is made in it
//! (see `windows_launch`), so that none of its own is started outside.
//!
//! It has no limits on the clipboard, settings and desktop: a job that has can't be made within another, and many
//! programs that start Arki put it into one.

#![allow(unsafe_code)]

use std::io;
use std::os::windows::io::{AsHandle, AsRawHandle, BorrowedHandle, FromRawHandle, OwnedHandle};
use std::ptr;

use windows_sys::Win32::System::JobObjects::{
    CreateJobObjectW, JOB_OBJECT_LIMIT_ACTIVE_PROCESS, JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION,
    JOB_OBJECT_LIMIT_JOB_MEMORY, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE, JOBOBJECT_EXTENDED_LIMIT_INFORMATION,
    JobObjectExtendedLimitInformation, SetInformationJobObject, TerminateJobObject,
};
use windows_sys::Win32::System::SystemInformation::{GlobalMemoryStatusEx, MEMORYSTATUSEX};

use super::limits::CommandLimits;

/// The exit code of processes that are ended.
const ENDED: u32 = 1;

/// Dropping it ends what is in it.
pub(super) struct Job(OwnedHandle);

impl AsHandle for Job {
    fn as_handle(&self) -> BorrowedHandle<'_> {
        self.0.as_handle()
    }
}

impl Job {
    pub(super) fn new(limits: &CommandLimits) -> io::Result<Self> {
        // SAFETY: both pointers may be null; then it has no name, and no child inherits the handle.
        let handle = unsafe { CreateJobObjectW(ptr::null(), ptr::null()) };
        if handle.is_null() {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the handle is open, and known here alone.
        let job = Self(unsafe { OwnedHandle::from_raw_handle(handle) });
        job.limit(&limits_of(limits))?;
        Ok(job)
    }

    fn limit(&self, limits: &JOBOBJECT_EXTENDED_LIMIT_INFORMATION) -> io::Result<()> {
        // SAFETY: the handle is open; the class is that of the structure, which is as long as is said and only read.
        done(unsafe {
            SetInformationJobObject(
                self.0.as_raw_handle(),
                JobObjectExtendedLimitInformation,
                ptr::from_ref(limits).cast(),
                size_of_val(limits) as u32,
            )
        })
    }

    /// All at once.
    pub(super) fn end(&self) {
        // SAFETY: the handle is open. It fails only where all have ended.
        unsafe { TerminateJobObject(self.0.as_raw_handle(), ENDED) };
    }
}

fn limits_of(limits: &CommandLimits) -> JOBOBJECT_EXTENDED_LIMIT_INFORMATION {
    let mut of_job = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
    let basic = &mut of_job.BasicLimitInformation;
    basic.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
        | JOB_OBJECT_LIMIT_ACTIVE_PROCESS
        | JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION;
    basic.ActiveProcessLimit = u32::try_from(limits.max_processes).unwrap_or(u32::MAX);
    if limits.max_memory_bytes < u64::MAX
        && let Ok(bytes) = usize::try_from(limits.max_memory_bytes)
    {
        basic.LimitFlags |= JOB_OBJECT_LIMIT_JOB_MEMORY;
        of_job.JobMemoryLimit = bytes;
    }
    of_job
}

/// Bytes.
pub(super) fn machine_memory() -> Option<u64> {
    let mut status = MEMORYSTATUSEX { dwLength: size_of::<MEMORYSTATUSEX>() as u32, ..Default::default() };
    // SAFETY: the structure is as long as it says.
    let is_told = unsafe { GlobalMemoryStatusEx(&mut status) } != 0;
    is_told.then_some(status.ullTotalPhys)
}

/// Turns the result of a call that returns zero on failure into a `Result`.
pub(super) fn done(result: i32) -> io::Result<()> {
    if result == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
