//! Systems without launchers: no command has a network of its own with a door in it.

use std::io;

/// The door of one command; there is none.
#[derive(Debug)]
pub struct NetworkDoor {
    never: std::convert::Infallible,
}

/// The end at which a listening socket would arrive.
#[derive(Debug)]
pub struct DoorListener {
    never: std::convert::Infallible,
}

impl NetworkDoor {
    /// # Errors
    /// Always.
    pub fn new() -> io::Result<(Self, DoorListener)> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Nobody listens.
    #[must_use]
    pub fn url() -> String {
        String::new()
    }
}

impl DoorListener {
    /// # Errors
    /// Never comes to it.
    #[expect(clippy::unused_async, reason = "as where there are doors")]
    pub async fn listener(self) -> io::Result<tokio::net::TcpListener> {
        match self.never {}
    }
}
