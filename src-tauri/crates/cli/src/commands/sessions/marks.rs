//! `arki sessions rename`, `pin`, `unpin`, `archive` and `unarchive`: what the lists show of a session.

use crate::exit::Exit;
use crate::output::{Printer, visible};
use arki_api::{MarkedSession, RenamedSession};
use arki_domain::Error;
use arki_engine::{Engine, SessionMarks};

pub(super) async fn rename(engine: &Engine, id: &str, title: &str, output: &Printer) -> Result<Exit, Error> {
    let session_id = engine.session_names().find_session(id)?.session_id;
    let title = engine.sessions().rename(&session_id, title).await?;
    output.tell(&RenamedSession { session_id, title: title.clone() }, || format!("Renamed to {}.", visible(&title)));
    Ok(Exit::Done)
}

pub(super) async fn mark(engine: &Engine, id: &str, marks: SessionMarks, output: &Printer) -> Result<Exit, Error> {
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
