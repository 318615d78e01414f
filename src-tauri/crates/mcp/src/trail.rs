//! The server's output besides the protocol: the last of it, in bounded memory.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use tokio::io::{AsyncRead, AsyncReadExt};

/// The number of bytes kept of that output, the last ones.
pub(crate) const TRAIL_BYTES: usize = 32 * 1024;
const CHUNK_BYTES: usize = 8 * 1024;

#[derive(Debug, Default)]
pub(crate) struct Trail(Mutex<VecDeque<u8>>);

impl Trail {
    pub(crate) fn push(&self, bytes: &[u8]) {
        let bytes = &bytes[bytes.len().saturating_sub(TRAIL_BYTES)..];
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let overflow = (kept.len() + bytes.len()).saturating_sub(TRAIL_BYTES);
        kept.drain(..overflow);
        kept.extend(bytes);
    }

    pub(crate) fn clear(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    pub(crate) fn text(&self) -> String {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes: Vec<u8> = kept.iter().copied().collect();
        String::from_utf8_lossy(&bytes).trim_end().to_owned()
    }

    /// Reads to the end, so that a server which prints much is never held up.
    pub(crate) async fn follow(&self, mut output: impl AsyncRead + Unpin) {
        let mut buffer = vec![0; CHUNK_BYTES];
        while let Ok(length @ 1..) = output.read(&mut buffer).await {
            self.push(&buffer[..length]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_flood_is_read_to_its_end_and_only_its_end_is_kept() {
        let trail = Trail::default();
        let flood = [vec![b'x'; 10 * TRAIL_BYTES], b"the end\n".to_vec()].concat();
        trail.follow(flood.as_slice()).await;
        assert_eq!(trail.text().len(), TRAIL_BYTES - 1);
        assert!(trail.text().ends_with("xthe end"));
    }
}
