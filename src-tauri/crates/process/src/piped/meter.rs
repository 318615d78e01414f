//! Measures how much a program writes, so that one which writes without end is known.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use tokio::io::{AsyncRead, ReadBuf};
use tokio_util::sync::CancellationToken;

/// The period after which counting starts over. A program may run for days, and it matters only that it doesn't flood.
const PERIOD: Duration = Duration::from_secs(60);

/// Counts bytes, of all that a program writes together.
pub(super) struct Meter {
    max_bytes: u64,
    counted: Mutex<Counted>,
    over: CancellationToken,
}

struct Counted {
    since: Instant,
    bytes: u64,
}

impl Meter {
    pub(super) fn new(max_bytes: u64) -> Arc<Self> {
        let counted = Mutex::new(Counted { since: Instant::now(), bytes: 0 });
        Arc::new(Self { max_bytes, counted, over: CancellationToken::new() })
    }

    /// Ends when it was too much within one period. Safe to cancel and to await again.
    pub(super) async fn is_over(&self) {
        self.over.cancelled().await;
    }

    fn add(&self, bytes: u64, now: Instant) {
        let mut counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        if now.saturating_duration_since(counted.since) >= PERIOD {
            *counted = Counted { since: now, bytes: 0 };
        }
        counted.bytes = counted.bytes.saturating_add(bytes);
        if counted.bytes > self.max_bytes {
            self.over.cancel();
        }
    }
}

/// Counts what is read through it.
pub(super) struct Metered<R> {
    pub(super) reader: R,
    pub(super) meter: Arc<Meter>,
}

impl<R: AsyncRead + Unpin> AsyncRead for Metered<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.reader).poll_read(context, buffer);
        let read = buffer.filled().len() - before;
        if read > 0 {
            self.meter.add(read as u64, Instant::now());
        }
        polled
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_long_ago_no_longer_counts() {
        let meter = Meter::new(100);
        let start = Instant::now();
        for minute in 0..10 {
            meter.add(60, start + PERIOD * minute);
            meter.add(40, start + PERIOD * minute + PERIOD / 2);
        }
        assert!(!meter.over.is_cancelled());
        meter.add(1, start + PERIOD * 9 + PERIOD / 2);
        assert!(meter.over.is_cancelled());
    }
}
