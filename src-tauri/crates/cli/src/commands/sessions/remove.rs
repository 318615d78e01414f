//! `arki sessions rm`.

use crate::exit::Exit;
use crate::output::Printer;
use arki_domain::{Code, Error, SessionId};
use arki_engine::{Engine, RemovedSessions, refuse_last};
use serde::Serialize;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Removed<'a> {
    session_id: &'a str,
    freed_bytes: u64,
    /// The sessions of its sub-agents, which went with it.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    subagents: &'a [SessionId],
}

pub(super) async fn run(engine: &Engine, id: &str, output: &Printer) -> Result<Exit, Error> {
    refuse_last(id)?;
    let named = engine.session_names().find_place(id)?;
    if named.seq.is_some() {
        return Err(Error::new(
            Code::USAGE,
            "Only whole sessions can be removed, not single events.",
            "Give only the session's id.",
        ));
    }
    let session = named.session.session_id;
    let RemovedSessions { freed_bytes, subagents } = engine.retention().remove_session(&session).await?;
    output.tell(&Removed { session_id: session.as_str(), freed_bytes, subagents: &subagents }, || {
        let with = match subagents.len() {
            0 => String::new(),
            1 => " and its sub-agent's session".to_owned(),
            count => format!(" and {count} sessions of its sub-agents"),
        };
        format!("Removed {session}{with}; freed {} KiB.", freed_bytes / 1024)
    });
    Ok(Exit::Done)
}
