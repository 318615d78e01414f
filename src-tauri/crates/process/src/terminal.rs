//! A terminal of a command's own, at which nobody sits: for programs that behave differently, or refuse to run, without.
//!
//! It is the terminal of the command's session, so that `/dev/tty` is this one and never the user's. It echoes nothing.
//! Ctrl-D is pressed whenever the command has been silent for a moment, so that who asks for an answer learns that none
//! comes, also when it asks again, or throws away what was typed before its question.

use std::ffi::CString;
use std::io::{self, ErrorKind};
use std::os::fd::OwnedFd;
use std::time::Duration;

use rustix::fs::{Mode, OFlags};
use rustix::io::{Errno, FdFlags, fcntl_setfd, ioctl_fionbio};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, OptionalActions, Winsize, tcgetattr, tcsetattr, tcsetwinsize};
use tokio::net::unix::pipe;
use tokio::time::timeout;

use super::screen::{COLUMNS, ROWS};

const CTRL_D: &[u8] = b"\x04";
/// The silence after which a command is taken to wait for an answer.
const SILENCE: Duration = Duration::from_millis(200);

/// Our side of it. Dropping it hangs up.
pub(super) struct Terminal(pipe::Receiver);

/// The command's side.
pub struct Device {
    pub(super) path: CString,
    /// The other side, kept open so that our side does not end.
    _open: OwnedFd,
}

/// Needs a tokio runtime with I/O and time enabled.
pub(super) fn open() -> io::Result<(Terminal, Device)> {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
    fcntl_setfd(&ours, FdFlags::CLOEXEC)?;
    grantpt(&ours)?;
    unlockpt(&ours)?;
    let path = ptsname(&ours, Vec::new())?;
    let device = rustix::fs::open(&path, OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty())?;
    let mut modes = tcgetattr(&device)?;
    modes.local_modes.remove(LocalModes::ECHO);
    tcsetattr(&device, OptionalActions::Now, &modes)?;
    tcsetwinsize(&device, Winsize { ws_row: ROWS, ws_col: COLUMNS, ws_xpixel: 0, ws_ypixel: 0 })?;
    ioctl_fionbio(&ours, true)?;
    // It is read and waited for as a pipe is, but for its end.
    Ok((Terminal(pipe::Receiver::from_owned_fd_unchecked(ours)?), Device { path, _open: device }))
}

impl Terminal {
    /// Safe to cancel.
    pub(super) async fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            // Not `read`, which takes a read of less than was asked for as a sign that there is no more.
            match timeout(SILENCE, self.0.readable()).await {
                Ok(is_readable) => is_readable?,
                Err(_) => self.press_ctrl_d(),
            }
            match self.try_read(buffer) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                read => return read,
            }
        }
    }

    pub(super) fn try_read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.0.try_read(buffer) {
            // Linux's word for nobody having it open any more.
            Err(error) if Errno::from_io_error(&error) == Some(Errno::IO) => Ok(0),
            read => read,
        }
    }

    /// Presses Ctrl-D. Where nobody reads, the terminal's buffer is full after a while, and has enough of them.
    fn press_ctrl_d(&self) {
        let _ = rustix::io::write(&self.0, CTRL_D);
    }
}
