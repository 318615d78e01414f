//! Messages on their way to a server and back: JSON behind a line with its length.

use serde::de::IgnoredAny;
use serde_json::Value;
use std::io;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// The longest message, in bytes.
const MAX_MESSAGE_BYTES: usize = 8 << 20;
/// The longest lines before one, in bytes.
const MAX_HEAD_BYTES: usize = 4096;
const END_OF_HEAD: &[u8] = b"\r\n\r\n";

pub(super) struct Wire {
    to: Box<dyn AsyncWrite + Send + Unpin>,
    from: Box<dyn AsyncRead + Send + Unpin>,
    unread: Vec<u8>,
}

impl Wire {
    pub(super) fn new(
        to: impl AsyncWrite + Send + Unpin + 'static,
        from: impl AsyncRead + Send + Unpin + 'static,
    ) -> Self {
        Self { to: Box::new(to), from: Box::new(from), unread: Vec::new() }
    }

    /// Listens meanwhile: a server that waits until somebody hears it hears nobody.
    pub(super) async fn send(&mut self, message: &Value) -> io::Result<()> {
        let body = message.to_string();
        let bytes = [format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes(), body.as_bytes()].concat();
        let mut sent = 0;
        while sent < bytes.len() {
            let has_room = self.unread.len() < MAX_MESSAGE_BYTES;
            tokio::select! {
                written = self.to.write(&bytes[sent..]) => match written? {
                    0 => return Err(io::ErrorKind::WriteZero.into()),
                    written => sent += written,
                },
                read = self.from.read_buf(&mut self.unread), if has_room => still_there(read?)?,
            }
        }
        self.to.flush().await
    }

    /// Returns the next message, which is JSON. What has come of one is kept where nobody waits for it any more.
    pub(super) async fn receive(&mut self) -> io::Result<Vec<u8>> {
        loop {
            if let Some(message) = self.take()? {
                return Ok(message);
            }
            still_there(self.from.read_buf(&mut self.unread).await?)?;
        }
    }

    fn take(&mut self) -> io::Result<Option<Vec<u8>>> {
        let head = self.unread.windows(END_OF_HEAD.len()).take(MAX_HEAD_BYTES).position(|bytes| bytes == END_OF_HEAD);
        let Some(head) = head else {
            let is_lost = self.unread.len() > MAX_HEAD_BYTES;
            return if is_lost { Err(unknown("a message without its length")) } else { Ok(None) };
        };
        let length = length(&self.unread[..head]).ok_or_else(|| unknown("a message without its length"))?;
        if length > MAX_MESSAGE_BYTES {
            return Err(unknown("a message of more than 8 MiB"));
        }
        let body = head + END_OF_HEAD.len();
        let Some(bytes) = self.unread.get(body..body + length) else { return Ok(None) };
        let message = bytes.to_vec();
        self.unread.drain(..body + length);
        match serde_json::from_slice::<IgnoredAny>(&message) {
            Ok(_) => Ok(Some(message)),
            Err(_) => Err(unknown("a message that isn't JSON")),
        }
    }
}

fn length(head: &[u8]) -> Option<usize> {
    let fields = std::str::from_utf8(head).ok()?.lines().filter_map(|line| line.split_once(':'));
    let mut lengths = fields.filter(|(name, _)| name.trim().eq_ignore_ascii_case("content-length"));
    lengths.next()?.1.trim().parse().ok()
}

fn still_there(bytes: usize) -> io::Result<()> {
    if bytes == 0 { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
}

fn unknown(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.to_owned())
}
