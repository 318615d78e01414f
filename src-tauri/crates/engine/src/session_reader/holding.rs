//! A stretch of a session's log as a conversation, for a window that shows it.

use crate::events::held_conversations::{HeldConversations, whole};
use crate::session_reader::SessionReader;
use arki_api::HeldConversation;
use arki_domain::projection::Conversation;
use arki_domain::{Error, SessionId};

/// Events are read in pages of this many.
const PAGE: usize = 500;

/// Folds a stretch of a session's log. Up to the log's end, where `to_seq` is `None`, it is also held by `window`, and
/// folded on.
///
/// # Errors
/// When the database cannot be read.
pub fn hold_conversation(
    reader: &SessionReader,
    window: &HeldConversations,
    session: &SessionId,
    from_seq: u64,
    to_seq: Option<u64>,
) -> Result<HeldConversation, Error> {
    let mut conversation = Conversation::default();
    let mut last_seq = from_seq.saturating_sub(1);
    loop {
        let page = reader.events_after(session, last_seq, PAGE)?;
        let wanted = page.events.iter().take_while(|event| to_seq.is_none_or(|to| event.seq <= to));
        for event in wanted {
            conversation.apply(event, &event.body());
            last_seq = event.seq;
        }
        if !page.has_more || to_seq.is_some_and(|to| last_seq >= to) {
            break;
        }
    }
    let told = whole(&conversation, last_seq);
    match to_seq {
        None => window.hold(session.clone(), conversation, last_seq),
        Some(_) => window.release(session),
    }
    Ok(told)
}
