//! The only way out of a command's own network: a socket that listens in it, and on which this process accepts.
//!
//! The launcher opens the socket before the command begins, and hands it out over a pair of Unix sockets. It stays in
//! that network, so that nobody else reaches it, and whoever accepts on it decides what is let out. The command never
//! holds it.

use std::io::{self, IoSliceMut};
use std::mem::MaybeUninit;
use std::net::{Ipv4Addr, SocketAddrV4};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::sync::{Mutex, PoisonError};

use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};
use tokio::io::Interest;
use tokio::net::TcpListener;

/// Below the numbers that a kernel gives to those who name none, and no known service's.
const PORT: u16 = 28_181;

/// The place of a door as a command reaches it.
pub(super) const ADDRESS: SocketAddrV4 = SocketAddrV4::new(Ipv4Addr::LOCALHOST, PORT);

/// The door of one command, to be built in by its launcher.
#[derive(Debug)]
pub struct NetworkDoor {
    /// The launcher's end; taken by the one command that the door is for.
    launchers: Mutex<Option<OwnedFd>>,
}

/// The end at which the listening socket arrives.
#[derive(Debug)]
pub struct DoorListener(UnixStream);

impl NetworkDoor {
    /// Makes a door for one command.
    pub fn new() -> io::Result<(Self, DoorListener)> {
        let (own, launchers) = UnixStream::pair()?;
        own.set_nonblocking(true)?;
        Ok((Self { launchers: Mutex::new(Some(launchers.into())) }, DoorListener(own)))
    }

    /// The address at which a command finds its door.
    #[must_use]
    pub fn url() -> String {
        format!("http://{ADDRESS}")
    }

    /// `None` where another command has it.
    pub(super) fn take(&self) -> Option<OwnedFd> {
        self.launchers.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl DoorListener {
    /// Waits for the socket on which the command's connections arrive.
    ///
    /// # Errors
    /// When the launcher ended without having opened it.
    pub async fn listener(self) -> io::Result<TcpListener> {
        let socket = tokio::net::UnixStream::from_std(self.0)?;
        let received = socket.async_io(Interest::READABLE, || receive(&socket)).await?;
        let listener = std::net::TcpListener::from(received);
        listener.set_nonblocking(true)?;
        TcpListener::from_std(listener)
    }
}

fn receive(socket: &tokio::net::UnixStream) -> io::Result<OwnedFd> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0_u8; 1];
    recvmsg(socket, &mut [IoSliceMut::new(&mut byte)], &mut ancillary, RecvFlags::CMSG_CLOEXEC)?;
    let files = ancillary.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(files) => Some(files),
        _ => None,
    });
    files.flatten().next().ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
}
