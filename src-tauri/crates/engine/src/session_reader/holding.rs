//! A stretch of a session's log as a conversation, for a window that shows it.

use crate::events::held_conversations::whole;
use crate::{HeldConversations, SessionReader};
use arki_api::{HeldConversation, OpenedConversation};
use arki_domain::projection::{Conversation, ItemPart};
use arki_domain::{Error, SessionId};

/// Events are read in pages of this many.
const PAGE: usize = 500;
/// A stretch that begins among the results of a turn is folded from so many events earlier, the nearest that has their
/// calls: a result alone says little.
const EARLIER: [u64; 3] = [0, 1_000, 4_000];

/// Reads a session's last page and holds the conversation over it.
///
/// # Errors
/// When the database cannot be read.
pub fn open_conversation(
    reader: &SessionReader,
    window: &HeldConversations,
    session: &SessionId,
    limit: usize,
) -> Result<OpenedConversation, Error> {
    let hold = window.begin(session);
    let read = || {
        let page = reader.session_page(session, None, limit)?;
        let from_seq = page.events.first().map_or(1, |event| event.0.seq);
        Ok((page, fold_with_calls(reader, session, from_seq, None)?))
    };
    let (page, stretch) = read().inspect_err(|_: &Error| window.release(session))?;
    Ok(OpenedConversation { page, held: window.follow(hold, stretch.conversation, stretch.last_seq) })
}

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
    if to_seq.is_some() {
        window.release(session);
        let stretch = fold_with_calls(reader, session, from_seq, to_seq)?;
        return Ok(whole(&stretch.conversation, stretch.last_seq));
    }
    let hold = window.begin(session);
    let stretch = fold_with_calls(reader, session, from_seq, None).inspect_err(|_| window.release(session))?;
    Ok(window.follow(hold, stretch.conversation, stretch.last_seq))
}

struct FoldedStretch {
    conversation: Conversation,
    last_seq: u64,
    /// It has results whose calls come before it.
    is_cut: bool,
}

fn fold_with_calls(
    reader: &SessionReader,
    session: &SessionId,
    from_seq: u64,
    to_seq: Option<u64>,
) -> Result<FoldedStretch, Error> {
    let mut stretch = None;
    for earlier in EARLIER {
        let folded = fold(reader, session, from_seq.saturating_sub(earlier).max(1), to_seq)?;
        let is_whole = !folded.is_cut || from_seq <= earlier;
        stretch = Some(folded);
        if is_whole {
            break;
        }
    }
    Ok(stretch.expect("at least one is folded"))
}

fn fold(
    reader: &SessionReader,
    session: &SessionId,
    from_seq: u64,
    to_seq: Option<u64>,
) -> Result<FoldedStretch, Error> {
    let mut stretch = FoldedStretch { conversation: Conversation::default(), last_seq: from_seq - 1, is_cut: false };
    loop {
        let page = reader.events_after(session, stretch.last_seq, PAGE)?;
        let wanted = page.events.iter().take_while(|event| to_seq.is_none_or(|to| event.seq <= to));
        for event in wanted {
            let changes = stretch.conversation.apply(event, &event.body());
            stretch.is_cut |= changes.iter().any(|change| change.part == ItemPart::Cut);
            stretch.last_seq = event.seq;
        }
        // By what was read and not by what was wanted: a damaged log may lack events.
        let is_reached = |to| page.events.last().is_none_or(|event| event.seq >= to);
        if !page.has_more || to_seq.is_some_and(is_reached) {
            return Ok(stretch);
        }
    }
}
