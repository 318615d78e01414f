//! `arki sessions`: list, show, fork, import and remove; searching and exporting have files of their own.

use crate::arguments::SessionsCommand;
use crate::exit::Exit;
use crate::follow::activity;
use crate::output::{Output, dim, time, visible};
use arki_domain::projection::{Queue, SessionState, SessionSummary};
use arki_domain::{CallId, Code, Event, EventBody, Fault, SessionId};
use arki_engine::{Engine, ImportOutcome, RemovedSessions, Stretch};
use serde::Serialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufReader, ErrorKind};
use std::path::Path;

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
    /// Of a sub-agent's session: which agent it is, and whose run it works for.
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent_session: Option<&'a str>,
}

impl<'a> Listed<'a> {
    fn of(session: &'a SessionSummary) -> Self {
        Self {
            session_id: session.session_id.as_str(),
            title: &session.title,
            project: &session.project,
            updated_at: session.updated_at,
            state: session.state,
            agent: session.parent.as_ref().map(|_| session.agent.as_str()),
            parent_session: session.parent.as_ref().map(SessionId::as_str),
        }
    }
}

pub(crate) async fn run(engine: &Engine, command: &SessionsCommand, output: &Output) -> Result<Exit, Fault> {
    match command {
        SessionsCommand::List => list(engine, output),
        SessionsCommand::Show { id } => show(engine, id, output),
        SessionsCommand::Search(arguments) => super::search::run(engine, arguments, output).await,
        SessionsCommand::Fork { id, at } => fork(engine, id, *at, output).await,
        SessionsCommand::Import { file } => import(engine, file, output).await,
        SessionsCommand::Rm { id } => remove(engine, id, output).await,
        SessionsCommand::Export(export) => super::export::run(engine, export, output),
    }
}

fn list(engine: &Engine, output: &Output) -> Result<Exit, Fault> {
    let sessions = engine.sessions(MAX_LISTED)?;
    if output.json {
        sessions.iter().for_each(|session| output.object(&Listed::of(session)));
        return Ok(Exit::Done);
    }
    for session in with_subagents_beneath(&sessions) {
        let (id, when) = (session.session_id.as_str(), time(session.updated_at));
        let title = visible(&session.title).replace('\n', "\\n");
        let title = match session.parent {
            Some(_) => format!("└ {}: {title}", visible(&session.agent)),
            None => title,
        };
        output.line(format!("{id}  {when}  {:<11}  {title}", session.state.as_str()));
    }
    Ok(Exit::Done)
}

/// Those of sub-agents follow the session that they work for, where it is among them.
fn with_subagents_beneath<'a>(sessions: &'a [SessionSummary]) -> Vec<&'a SessionSummary> {
    let own: BTreeSet<&SessionId> =
        sessions.iter().filter(|session| session.parent.is_none()).map(|session| &session.session_id).collect();
    let mut beneath: BTreeMap<&SessionId, Vec<&SessionSummary>> = BTreeMap::new();
    let mut above = Vec::new();
    for session in sessions {
        match session.parent.as_ref().filter(|parent| own.contains(parent)) {
            Some(parent) => beneath.entry(parent).or_default().push(session),
            None => above.push(session),
        }
    }
    let family = |session: &'a SessionSummary| {
        let subagents = beneath.get(&session.session_id).into_iter().flatten().copied();
        std::iter::once(session).chain(subagents)
    };
    above.into_iter().flat_map(family).collect()
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Forked<'a> {
    session_id: &'a str,
    from_session: &'a str,
    from_seq: u64,
}

async fn fork(engine: &Engine, id: &str, at: Option<u64>, output: &Output) -> Result<Exit, Fault> {
    let origin = engine.find_session(id)?.session_id;
    let fork = engine.fork(&origin, at).await?.session_id;
    let from_seq = engine.origin(&fork)?.map_or(0, |origin| origin.seq);
    match output.json {
        true => output.object(&Forked { session_id: fork.as_str(), from_session: origin.as_str(), from_seq }),
        false => output.line(fork.as_str()),
    }
    Ok(Exit::Done)
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Imported<'a> {
    session_id: &'a str,
    outcome: &'static str,
    events: u64,
}

async fn import(engine: &Engine, file: &Path, output: &Output) -> Result<Exit, Fault> {
    let imported = match file == Path::new("-") {
        true => engine.import(BufReader::new(std::io::stdin())).await?,
        false => match open(file) {
            Ok(opened) => engine.import(BufReader::new(opened)).await?,
            // A file that is not there, or something else, is a wrong use.
            Err(fault) => {
                output.fault(&fault);
                return Ok(Exit::Usage);
            }
        },
    };
    for session in &imported {
        let outcome = match session.outcome {
            ImportOutcome::Added => "added",
            ImportOutcome::Extended => "extended",
            ImportOutcome::Unchanged => "unchanged",
        };
        let (session_id, events) = (session.session_id.as_str(), session.events);
        match output.json {
            true => output.object(&Imported { session_id, outcome, events }),
            false => output.line(format!("{session_id}  {outcome}  {events} events")),
        }
    }
    Ok(Exit::Done)
}

fn open(file: &Path) -> Result<File, Fault> {
    let fault = |code, what: &str| {
        Fault::new(code, format!("{} {what}.", file.display()), "Name a file that `arki sessions export` wrote.")
    };
    if file.is_dir() {
        return Err(fault(Code::EXPORT_INVALID, "is a folder"));
    }
    crate::regular_file::ensure(file)?;
    File::open(file).map_err(|error| match error.kind() {
        ErrorKind::NotFound => fault(Code::FILE_NOT_FOUND, "does not exist"),
        ErrorKind::PermissionDenied => fault(Code::PERMISSION_DENIED, "may not be read"),
        _ => fault(Code::IO_FAILED, "can't be opened"),
    })
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Removed<'a> {
    session_id: &'a str,
    freed_bytes: u64,
    /// The sessions of its sub-agents, which went with it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    subagents: Vec<SessionId>,
}

async fn remove(engine: &Engine, id: &str, output: &Output) -> Result<Exit, Fault> {
    let session = engine.find_session(id)?.session_id;
    let RemovedSessions { freed_bytes, subagents } = engine.remove_session(&session).await?;
    if output.json {
        output.object(&Removed { session_id: session.as_str(), freed_bytes, subagents });
        return Ok(Exit::Done);
    }
    let with = match subagents.len() {
        0 => String::new(),
        1 => " and its sub-agent's session".to_owned(),
        count => format!(" and {count} sessions of its sub-agents"),
    };
    output.line(format!("Removed {session}{with}; {} KiB are free again.", freed_bytes / 1024));
    Ok(Exit::Done)
}

fn show(engine: &Engine, id: &str, output: &Output) -> Result<Exit, Fault> {
    let session = engine.find_session(id)?;
    if output.json {
        output.object(&Listed::of(&session));
    } else {
        output.line(format!(
            "{}\n{}",
            visible(&session.title),
            dim(&format!("{}  {}", session.session_id, visible(&session.project)))
        ));
    }
    for stretch in engine.lineage(&session.session_id)? {
        show_stretch(engine, &stretch, output)?;
    }
    Ok(Exit::Done)
}

fn show_stretch(engine: &Engine, stretch: &Stretch, output: &Output) -> Result<(), Fault> {
    let last = stretch.to_seq.unwrap_or(u64::MAX);
    let mut queue = Queue::default();
    let mut after = 0;
    loop {
        let page = engine.events_after(&stretch.session_id, after, EVENTS_A_PIECE)?;
        for event in page.events.iter().take_while(|event| event.seq <= last) {
            let body = event.body();
            let lines = said(&body, &queue);
            queue.apply(&body);
            print(event, &lines, output);
        }
        after = page.events.last().map_or(last, |event| event.seq);
        if !page.has_more || after >= last {
            return Ok(());
        }
    }
}

fn print(event: &Event, lines: &[Said], output: &Output) {
    if output.json {
        lines.iter().for_each(|line| output.object(line));
        return tool(&event.body()).iter().for_each(|line| output.object(line));
    }
    for line in lines {
        match line.role {
            "user" => output.line(format!("\n› {}\n", visible(&line.content))),
            _ => output.line(visible(&line.content)),
        }
    }
    if lines.is_empty() {
        activity(event).into_iter().for_each(|line| output.line(dim(&line)));
    }
}

#[derive(Serialize)]
struct Said {
    role: &'static str,
    content: String,
    interrupted: bool,
}

/// What a tool was asked for, and what came of it.
#[derive(Serialize)]
#[serde(tag = "role", rename_all = "snake_case", rename_all_fields = "camelCase")]
enum ToolLine {
    ToolRequest { call_id: CallId, tool_id: String, args: Value },
    ToolResult { call_id: CallId, tool_id: String, content: String, is_error: bool },
}

fn tool(body: &EventBody) -> Option<ToolLine> {
    Some(match body {
        EventBody::ToolCall(call) => {
            let (call_id, tool_id, args) = (call.call_id.clone(), call.tool_id.clone(), call.args.clone());
            ToolLine::ToolRequest { call_id, tool_id, args }
        }
        EventBody::ToolResult(result) => ToolLine::ToolResult {
            call_id: result.call_id.clone(),
            tool_id: result.tool_id.clone(),
            content: result.result.clone(),
            is_error: result.is_error,
        },
        EventBody::ToolAsyncResult(result) => ToolLine::ToolResult {
            call_id: result.async_call_id.clone(),
            tool_id: result.tool_id.clone(),
            content: result.result.clone(),
            is_error: result.is_error,
        },
        _ => return None,
    })
}

/// `queue` is what waited before the event.
fn said(body: &EventBody, queue: &Queue) -> Vec<Said> {
    let line = |role, content: &str| Said { role, content: content.to_owned(), interrupted: false };
    match body {
        EventBody::RunStarted(run) => vec![line("user", &run.prompt)],
        EventBody::QueueChanged(changed) => {
            let told = changed.delivered.iter().filter_map(|message_id| queue.get(message_id));
            told.map(|message| line("user", &message.text)).collect()
        }
        EventBody::OutputMessage(message) => {
            vec![Said { interrupted: message.interrupted, ..line("assistant", &message.content) }]
        }
        EventBody::RunFailed(failed) => vec![line("error", &format!("{}: {}", failed.code, failed.message))],
        _ => Vec::new(),
    }
}
