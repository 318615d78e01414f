//! The page that a client has open: what it listens to, and what it looks for.

use arki_engine::{Frames, HeldConversations};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The page that a client has open.
#[derive(Default)]
pub struct ClientPage {
    pub(crate) listening: Listening,
    pub(crate) finding: Arc<Finding>,
}

/// The frames that the open page listens to. A reloaded page starts over.
#[derive(Default)]
pub(crate) struct Listening(Mutex<OpenStream>);

#[derive(Default)]
struct OpenStream {
    number: u32,
    frames: Option<Arc<tokio::sync::Mutex<Frames>>>,
    held: Arc<HeldConversations>,
}

impl Listening {
    pub(crate) fn begin(&self, frames: Frames) -> u32 {
        let mut page = self.page();
        let (number, held) = (page.number + 1, frames.held());
        *page = OpenStream { number, frames: Some(Arc::new(tokio::sync::Mutex::new(frames))), held };
        number
    }

    pub(crate) fn of(&self, number: u32) -> Option<Arc<tokio::sync::Mutex<Frames>>> {
        let page = self.page();
        page.frames.clone().filter(|_| page.number == number)
    }

    /// The conversations that the open page holds.
    pub(crate) fn held(&self) -> Arc<HeldConversations> {
        self.page().held.clone()
    }

    fn page(&self) -> MutexGuard<'_, OpenStream> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Finding in a session, one text at a time: what was typed since then is wanted instead.
#[derive(Default)]
pub(crate) struct Finding {
    newest: AtomicU32,
    pub(crate) at_work: tokio::sync::Mutex<()>,
}

impl Finding {
    pub(crate) fn begin(&self) -> u32 {
        self.newest.fetch_add(1, Ordering::Relaxed) + 1
    }

    pub(crate) fn is_newest(&self, turn: u32) -> bool {
        self.newest.load(Ordering::Relaxed) == turn
    }
}
