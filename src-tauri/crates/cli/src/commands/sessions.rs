//! `arki sessions list`, `show` and `export`.

use crate::arguments::SessionsCommand;
use crate::exit::Exit;
use crate::follow::activity;
use crate::output::{Output, dim, time};
use arki_domain::projection::{SessionState, SessionSummary};
use arki_domain::{EventBody, Fault};
use arki_engine::Engine;
use serde::Serialize;

/// More sessions than this are not listed at once.
const MAX_LISTED: usize = 10_000;
const EVENTS_A_PIECE: usize = 500;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Listed<'a> {
    session_id: &'a str,
    title: &'a str,
    project: &'a str,
    updated_at: i64,
    state: SessionState,
}

impl<'a> Listed<'a> {
    fn of(session: &'a SessionSummary) -> Self {
        Self {
            session_id: session.session_id.as_str(),
            title: &session.title,
            project: &session.project,
            updated_at: session.updated_at,
            state: session.state,
        }
    }
}

pub(crate) fn run(engine: &Engine, command: &SessionsCommand, output: &Output) -> Result<Exit, Fault> {
    match command {
        SessionsCommand::List => list(engine, output),
        SessionsCommand::Show { id } => show(engine, id, output),
        SessionsCommand::Export(export) => super::export::run(engine, export, output),
    }
}

fn list(engine: &Engine, output: &Output) -> Result<Exit, Fault> {
    for session in engine.sessions(MAX_LISTED)? {
        if output.json {
            output.object(&Listed::of(&session));
        } else {
            let (id, when) = (session.session_id.as_str(), time(session.updated_at));
            output.line(format!("{id}  {when}  {:<11}  {}", session.state.as_str(), session.title));
        }
    }
    Ok(Exit::Done)
}

fn show(engine: &Engine, id: &str, output: &Output) -> Result<Exit, Fault> {
    let session = engine.find_session(id)?;
    if output.json {
        output.object(&Listed::of(&session));
    } else {
        output.line(format!("{}\n{}", session.title, dim(&format!("{}  {}", session.session_id, session.project))));
    }
    let mut after = 0;
    loop {
        let page = engine.events_after(&session.session_id, after, EVENTS_A_PIECE)?;
        for event in &page.events {
            after = event.seq;
            if output.json {
                said(&event.body()).into_iter().for_each(|line| output.object(&line));
            } else {
                print(event, output);
            }
        }
        if !page.has_more {
            return Ok(Exit::Done);
        }
    }
}

fn print(event: &arki_domain::Event, output: &Output) {
    match said(&event.body()) {
        Some(Said { role: "user", content, .. }) => output.line(format!("\n› {content}\n")),
        Some(Said { content, .. }) => output.line(content),
        None => activity(event).into_iter().for_each(|line| output.line(dim(&line))),
    }
}

#[derive(Serialize)]
struct Said {
    role: &'static str,
    content: String,
    interrupted: bool,
}

fn said(body: &EventBody) -> Option<Said> {
    match body {
        EventBody::RunStarted(run) => Some(Said { role: "user", content: run.prompt.clone(), interrupted: false }),
        EventBody::OutputMessage(message) => {
            Some(Said { role: "assistant", content: message.content.clone(), interrupted: message.interrupted })
        }
        EventBody::RunFailed(failed) => {
            Some(Said { role: "error", content: format!("{}: {}", failed.code, failed.message), interrupted: false })
        }
        _ => None,
    }
}
