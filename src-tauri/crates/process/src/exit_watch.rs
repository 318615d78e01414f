//! Learning that a child has ended without reaping it, so that its number stays taken until its group is killed.

use std::io;
use std::thread;

use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
use tokio::sync::watch;

pub(super) enum ExitWatch {
    #[cfg(target_os = "linux")]
    Descriptor(descriptor::Descriptor),
    /// A thread that waits, where there are no process descriptors, or a container forbids them.
    Thread(watch::Receiver<bool>),
}

impl ExitWatch {
    pub(super) fn new(pid: Pid) -> io::Result<Self> {
        #[cfg(target_os = "linux")]
        if let Some(descriptor) = descriptor::open(pid) {
            return Ok(Self::Descriptor(descriptor));
        }
        Self::on_thread(pid)
    }

    fn on_thread(pid: Pid) -> io::Result<Self> {
        let (sender, receiver) = watch::channel(false);
        thread::Builder::new().name("arki-wait".to_owned()).spawn(move || {
            let _ = waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT);
            sender.send_replace(true);
        })?;
        Ok(Self::Thread(receiver))
    }

    /// Safe to cancel and to await again.
    pub(super) async fn exited(&mut self) -> io::Result<()> {
        match self {
            #[cfg(target_os = "linux")]
            Self::Descriptor(descriptor) => descriptor.readable().await.map(drop),
            Self::Thread(receiver) => receiver.wait_for(|exited| *exited).await.map(drop).map_err(io::Error::other),
        }
    }
}

#[cfg(target_os = "linux")]
mod descriptor {
    use std::os::fd::OwnedFd;

    use rustix::process::{Pid, PidfdFlags, pidfd_open};
    use tokio::io::{Interest, unix::AsyncFd};

    pub(super) type Descriptor = AsyncFd<OwnedFd>;

    #[allow(unsafe_code)]
    pub(super) fn open(pid: Pid) -> Option<Descriptor> {
        let descriptor = pidfd_open(pid, PidfdFlags::empty()).ok()?;
        // SAFETY: an `OwnedFd` names one open descriptor until it is dropped, and it is handed over here.
        unsafe { AsyncFd::register_with_interest(descriptor, Interest::READABLE) }.ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_thread_sees_an_exit_as_the_descriptor_does_and_leaves_the_child_to_reap() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        for watch in [ExitWatch::new, ExitWatch::on_thread] {
            let mut child = std::process::Command::new("true").spawn().unwrap();
            let pid = Pid::from_child(&child);
            runtime.block_on(async { watch(pid).unwrap().exited().await }).unwrap();
            assert!(child.try_wait().unwrap().unwrap().success());
        }
    }
}
