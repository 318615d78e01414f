//! `arki sessions rm`.

use crate::exit::Exit;
use crate::output::Printer;
use arki_domain::{Code, Error};
use arki_engine::{Engine, refuse_last};

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
