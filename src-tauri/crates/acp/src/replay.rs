//! Tells a session's past to a client that loads it.

use crate::messages::{SessionUpdate, tell_update};
use crate::rpc::RpcConnection;
use crate::telling::{CommandOutputForm, replayed};
use arki_domain::projection::{ConversationItem, ItemBody, ItemPart};
use arki_domain::{Error, SessionId};
use arki_engine::{Engine, RewindState};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::mpsc;

/// Updates that were read and not yet sent.
const MAX_AHEAD: usize = 64;

/// The client's knowledge of a session's past.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Past {
    /// The session is new.
    None,
    Told,
    /// The client has it already.
    Known,
}

/// The last answer, until it is known what stays of its text: a plan or calls may be read off it.
#[derive(Default)]
struct HeldAnswer(Option<ConversationItem>);

impl HeldAnswer {
    fn take_in(&mut self, item: &ConversationItem, part: ItemPart, tell: &mut impl FnMut(&ConversationItem, ItemPart)) {
        let is_held = self.0.as_ref().is_some_and(|held| held.key == item.key);
        if matches!(item.body, ItemBody::Assistant(_)) && (part == ItemPart::Whole || is_held) {
            if !is_held {
                self.flush(tell);
            }
            self.0 = Some(item.clone());
        } else {
            self.flush(tell);
            tell(item, part);
        }
    }

    fn flush(&mut self, tell: &mut impl FnMut(&ConversationItem, ItemPart)) {
        if let Some(item) = self.0.take() {
            tell(&item, ItemPart::Whole);
        }
    }
}

/// Sends everything up to now; returns the number of the last event that it tells of.
///
/// # Errors
/// When the log cannot be read.
pub(crate) async fn replay(
    engine: &Arc<Engine>,
    connection: &RpcConnection,
    session: &SessionId,
    folder: PathBuf,
    form: CommandOutputForm,
) -> Result<u64, Error> {
    let (sender, mut updates) = mpsc::channel(MAX_AHEAD);
    let (engine, of) = (engine.clone(), session.clone());
    let reading = tokio::task::spawn_blocking(move || read(&engine, &of, &folder, form, &sender));
    while let Some(update) = updates.recv().await {
        tell_update(connection, session, &update).await;
    }
    reading.await.map_err(Error::internal)?
}

fn read(
    engine: &Engine,
    session: &SessionId,
    folder: &Path,
    form: CommandOutputForm,
    sender: &mpsc::Sender<SessionUpdate>,
) -> Result<u64, Error> {
    let (mut last_seq, mut held) = (0, HeldAnswer::default());
    let mut tell = |item: &ConversationItem, part: ItemPart| {
        for update in replayed(folder, item, part, form) {
            let _ = sender.blocking_send(update);
        }
    };
    engine.session_reader().tell(session, |changes| {
        last_seq = changes.seq();
        for (item, part) in changes.items().filter(|(item, part)| changes.fate(item, *part) != RewindState::Rewound) {
            held.take_in(item, part, &mut tell);
        }
    })?;
    held.flush(&mut tell);
    Ok(last_seq)
}
