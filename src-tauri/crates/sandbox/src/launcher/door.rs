//! The listening socket in a command's own network that is handed to who asked for the view.

use std::io::{self, IoSlice};
use std::mem::MaybeUninit;
use std::net::TcpListener;
use std::os::fd::{AsFd as _, OwnedFd};

use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};

use crate::network_door::ADDRESS;

/// Opens it and gives it away; the loopback interface has to be up.
pub(super) fn hand_out(over: &OwnedFd) -> io::Result<()> {
    let listener = TcpListener::bind(ADDRESS)?;
    let files = [listener.as_fd()];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    ancillary.push(SendAncillaryMessage::ScmRights(&files));
    sendmsg(over, &[IoSlice::new(&[1])], &mut ancillary, SendFlags::NOSIGNAL)?;
    Ok(())
}
