//! `arki sessions rename`, `pin`, `unpin`, `archive`, `unarchive`, `compact`, `fork` and `rm`: changes of a session as a
//! whole.

use crate::exit::{CommandExit, Exit, wrong_use};
use crate::follow::asked_to_stop;
use crate::output::{Printer, visible, word_of};
use arki_api::{Compaction, MarkedSession, PrintedCompaction, PrintedFork, RenamedSession};
use arki_engine::{Compacted, Engine, SessionMarks, refuse_last};

pub(super) async fn rename(engine: &Engine, id: &str, title: &str, output: &Printer) -> CommandExit {
    let session_id = engine.session_names().find_session(id)?.session_id;
    let title = engine.sessions().rename(&session_id, title).await?;
    output.tell(&RenamedSession { session_id, title: title.clone() }, || format!("Renamed to {}.", visible(&title)));
    Ok(Exit::Done)
}

pub(super) async fn mark(engine: &Engine, id: &str, marks: SessionMarks, output: &Printer) -> CommandExit {
    let session = engine.session_names().find_session(id)?;
    engine.sessions().mark(&session.session_id, marks).await?;
    let words = match (marks.pinned, marks.archived) {
        (Some(true), _) => "Pinned",
        (Some(false), _) => "Unpinned",
        (None, Some(true)) => "Archived",
        (None, _) => "Brought back",
    };
    let (pinned, archived) = (marks.pinned.unwrap_or(session.pinned), marks.archived.unwrap_or(session.archived));
    output.tell(&MarkedSession { session_id: session.session_id, pinned, archived }, || {
        format!("{words} {}.", visible(&session.title))
    });
    Ok(Exit::Done)
}

pub(super) async fn compact(engine: &Engine, id: &str, focus: Option<&str>, output: &Printer) -> CommandExit {
    let session = engine.session_names().find_session(id)?;
    match engine.compactions().compact(&session.session_id, focus, asked_to_stop()).await? {
        Compacted::Stopped => return Ok(Exit::Cancelled),
        Compacted::NothingToDo => {
            let object = PrintedCompaction { session_id: session.session_id, compacted: false, done: None };
            output.tell(&object, || "Nothing can be left out yet.");
        }
        Compacted::Done(event) => {
            let (strategy, before, after) = (event.strategy, event.tokens_before, event.tokens_after);
            let done = Some(Compaction { strategy, tokens_before: before, tokens_after: after });
            let object = PrintedCompaction { session_id: session.session_id, compacted: true, done };
            output.tell(&object, || format!("Compacted ({}): {before} to {after} tokens.", word_of(strategy)));
        }
    }
    Ok(Exit::Done)
}

pub(super) async fn fork(engine: &Engine, id: &str, at: Option<u64>, output: &Printer) -> CommandExit {
    let named = engine.session_names().find_place(id)?;
    let from_session = named.session.session_id;
    let session_id = engine.sessions().fork(&from_session, at.or(named.seq)).await?.session_id;
    let from_seq = engine.session_reader().origin(&session_id)?.map_or(0, |origin| origin.seq);
    let fork = PrintedFork { session_id, from_session, from_seq };
    output.tell(&fork, || fork.session_id.as_str());
    Ok(Exit::Done)
}

pub(super) async fn remove(engine: &Engine, id: &str, output: &Printer) -> CommandExit {
    refuse_last(id)?;
    let named = engine.session_names().find_place(id)?;
    if named.seq.is_some() {
        return Err(wrong_use("Only whole sessions can be removed, not single events.", "Give only the session's id."));
    }
    let removed = engine.retention().remove_session(&named.session.session_id).await?;
    output.tell(&removed, || {
        let with = match removed.subagents.len() {
            0 => String::new(),
            1 => " and its sub-agent's session".to_owned(),
            count => format!(" and {count} sessions of its sub-agents"),
        };
        format!("Removed {}{with}; freed {} KiB.", removed.session_id, removed.freed_bytes / 1024)
    });
    Ok(Exit::Done)
}
