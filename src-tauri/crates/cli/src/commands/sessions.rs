//! `arki sessions`: list, show, fork, import and remove; searching and exporting have files of their own.

use super::story;
use crate::arguments::SessionsCommand;
use crate::commands::{context, state};
use crate::exit::Exit;
use crate::output::{Printer, dim, time, visible};
use arki_domain::projection::{SessionState, SessionSummary};
use arki_domain::{Code, Fault, SessionId};
use arki_engine::{Engine, ImportOutcome, RemovedSessions, SessionMarks, Told, refuse_last};
use serde::Serialize;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs::File;
use std::io::{BufReader, ErrorKind};
use std::path::{Path, PathBuf};

/// More sessions than this are not listed at once.
pub(super) const MAX_LISTED: usize = 10_000;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ListedSession<'a> {
    session_id: &'a str,
    title: &'a str,
    project: &'a str,
    updated_at: i64,
    state: SessionState,
    /// The name of a sub-agent's session's agent, followed by the run that it works for.
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent_session: Option<&'a str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pinned: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    archived: bool,
}

impl<'a> ListedSession<'a> {
    fn of(session: &'a SessionSummary) -> Self {
        Self {
            session_id: session.session_id.as_str(),
            title: &session.title,
            project: &session.project,
            updated_at: session.updated_at,
            state: session.state,
            agent: session.parent.as_ref().map(|_| session.agent.as_str()),
            parent_session: session.parent.as_ref().map(SessionId::as_str),
            pinned: session.pinned,
            archived: session.archived,
        }
    }
}

pub(crate) async fn run(
    engine: &Engine,
    dir: &Path,
    command: &SessionsCommand,
    output: &Printer,
) -> Result<Exit, Fault> {
    match command {
        SessionsCommand::List { archived, agent, here } => {
            let folder = here.then(|| engine.projects().folder(dir)).transpose()?;
            list(engine, *archived, (agent.as_deref(), folder.as_deref()), output)
        }
        SessionsCommand::Show { id, request: Some(seq), body, .. } => show_request(engine, id, (*seq, *body), output),
        SessionsCommand::Show { id, limit, since, until, .. } => show(engine, id, (*limit, *since, *until), output),
        SessionsCommand::Search(arguments) => super::search::run(engine, arguments, output).await,
        SessionsCommand::Fork { id, at } => fork(engine, id, *at, output).await,
        SessionsCommand::Import { file } => import(engine, &in_dir(dir, file), output).await,
        SessionsCommand::Rename { id, title } => rename(engine, id, title, output).await,
        SessionsCommand::Pin { id } => mark(engine, id, pinned(true), output).await,
        SessionsCommand::Unpin { id } => mark(engine, id, pinned(false), output).await,
        SessionsCommand::Archive { id } => mark(engine, id, archived(true), output).await,
        SessionsCommand::Unarchive { id } => mark(engine, id, archived(false), output).await,
        SessionsCommand::Compact { id, focus } => context::compact(engine, id, focus.as_deref(), output).await,
        SessionsCommand::Configure(arguments) => context::configure(engine, arguments, output).await,
        SessionsCommand::State(arguments) => state::run(engine, arguments, output).await,
        SessionsCommand::Files(arguments) => super::files::run(engine, arguments, output),
        SessionsCommand::Rm { id } => remove(engine, id, output).await,
        SessionsCommand::Export(export) => super::export::run(engine, dir, export, output),
    }
}

/// A file named on the command line, relative to the folder of `-C`; `-` stays the standard stream.
pub(super) fn in_dir(dir: &Path, file: &Path) -> PathBuf {
    if file == Path::new("-") { file.to_owned() } else { dir.join(file) }
}

/// Lists sessions: of one agent, and of the folder `here`, where they are given.
fn list(
    engine: &Engine,
    archived: bool,
    (agent, here): (Option<&str>, Option<&Path>),
    output: &Printer,
) -> Result<Exit, Fault> {
    let mut sessions = engine.sessions().list(MAX_LISTED)?;
    let away: BTreeSet<SessionId> =
        sessions.iter().filter(|session| session.archived).map(|session| session.session_id.clone()).collect();
    // A sub-agent's session is where the one it works for is.
    let is_away = |session: &SessionSummary| {
        session.archived || session.parent.as_ref().is_some_and(|parent| away.contains(parent))
    };
    let is_of_agent = |session: &SessionSummary| agent.is_none_or(|agent| session.agent == agent);
    let is_here = |session: &SessionSummary| here.is_none_or(|folder| Path::new(&session.project) == folder);
    sessions.retain(|session| is_away(session) == archived && is_of_agent(session) && is_here(session));
    if output.json {
        sessions.iter().for_each(|session| output.object(&ListedSession::of(session)));
        return Ok(Exit::Done);
    }
    for session in with_subagents_beneath(&sessions) {
        let (id, when) = (session.session_id.as_str(), time(session.updated_at));
        let title = visible(&session.title).replace('\n', "\\n");
        let title = match session.parent {
            Some(_) => format!("└ {}: {title}", visible(&session.agent)),
            None => title,
        };
        let pin = if session.pinned { "(pinned) " } else { "" };
        let folder = if here.is_some() { String::new() } else { dim(&format!("{:<24}  ", folder(&session.project))) };
        output.line(format!("{id}  {when}  {:<11}  {folder}{pin}{title}", session.state.as_str()));
    }
    Ok(Exit::Done)
}

/// The folder with `~` for the home, shortened at its beginning, where paths are alike.
fn folder(project: &str) -> String {
    const WIDTH: usize = 24;
    let home = std::env::home_dir().filter(|home| home.parent().is_some());
    let below = home.as_ref().and_then(|home| Path::new(project).strip_prefix(home).ok());
    let named = below.map_or_else(|| project.to_owned(), |below| format!("~/{}", below.display()));
    let shown = visible(&named).replace('\n', "\\n");
    let chars = shown.chars().count();
    if chars <= WIDTH { shown } else { std::iter::once('…').chain(shown.chars().skip(chars - WIDTH + 1)).collect() }
}

/// Puts sub-agents' sessions after the session they work for, if it is in the list.
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

async fn fork(engine: &Engine, id: &str, at: Option<u64>, output: &Printer) -> Result<Exit, Fault> {
    let named = engine.sessions().find_place(id)?;
    let origin = named.session.session_id;
    let fork = engine.sessions().fork(&origin, at.or(named.seq)).await?.session_id;
    let from_seq = engine.sessions().origin(&fork)?.map_or(0, |origin| origin.seq);
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
    /// The keys of the state that it keeps.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    state_keys: Vec<&'a str>,
}

async fn import(engine: &Engine, file: &Path, output: &Printer) -> Result<Exit, Fault> {
    let imported = match file == Path::new("-") {
        true => engine.sessions().import(BufReader::new(std::io::stdin())).await?,
        false => match open(file) {
            Ok(opened) => engine.sessions().import(BufReader::new(opened)).await?,
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
        let state = engine.sessions().agent_state(&session.session_id)?;
        let state_keys: Vec<&str> = state.values().keys().map(String::as_str).collect();
        if output.json {
            output.object(&Imported { session_id, outcome, events, state_keys });
            continue;
        }
        let state = match state_keys.is_empty() {
            true => String::new(),
            false => format!("  state: {}", visible(&state_keys.join(", ")).replace('\n', "\\n")),
        };
        output.line(format!("{session_id}  {outcome}  {events} events{state}"));
    }
    Ok(Exit::Done)
}

fn open(file: &Path) -> Result<File, Fault> {
    let fault = |code, what: &str| {
        Fault::new(code, format!("{} {what}.", file.display()), "Use a file written by `arki sessions export`.")
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

async fn rename(engine: &Engine, id: &str, title: &str, output: &Printer) -> Result<Exit, Fault> {
    let session_id = engine.sessions().find_session(id)?.session_id;
    let title = engine.sessions().rename(&session_id, title).await?;
    match output.json {
        true => output.object(&json!({"sessionId": session_id, "title": title})),
        false => output.line(format!("Renamed to {}.", visible(&title))),
    }
    Ok(Exit::Done)
}

fn pinned(pinned: bool) -> SessionMarks {
    SessionMarks { pinned: Some(pinned), archived: None }
}

fn archived(archived: bool) -> SessionMarks {
    SessionMarks { pinned: None, archived: Some(archived) }
}

async fn mark(engine: &Engine, id: &str, marks: SessionMarks, output: &Printer) -> Result<Exit, Fault> {
    let session = engine.sessions().find_session(id)?;
    engine.sessions().mark(&session.session_id, marks).await?;
    let words = match (marks.pinned, marks.archived) {
        (Some(true), _) => "Pinned",
        (Some(false), _) => "Unpinned",
        (None, Some(true)) => "Archived",
        (None, _) => "Brought back",
    };
    match output.json {
        true => output.object(&json!({
            "sessionId": session.session_id,
            "pinned": marks.pinned.unwrap_or(session.pinned),
            "archived": marks.archived.unwrap_or(session.archived),
        })),
        false => output.line(format!("{words} {}.", visible(&session.title))),
    }
    Ok(Exit::Done)
}

async fn remove(engine: &Engine, id: &str, output: &Printer) -> Result<Exit, Fault> {
    refuse_last(id)?;
    let named = engine.sessions().find_place(id)?;
    if named.seq.is_some() {
        return Err(Fault::new(
            Code::USAGE,
            "Only whole sessions can be removed, not single events.",
            "Give only the session's id.",
        ));
    }
    let session = named.session.session_id;
    let RemovedSessions { freed_bytes, subagents } = engine.sessions().remove_session(&session).await?;
    if output.json {
        output.object(&Removed { session_id: session.as_str(), freed_bytes, subagents });
        return Ok(Exit::Done);
    }
    let with = match subagents.len() {
        0 => String::new(),
        1 => " and its sub-agent's session".to_owned(),
        count => format!(" and {count} sessions of its sub-agents"),
    };
    output.line(format!("Removed {session}{with}; freed {} KiB.", freed_bytes / 1024));
    Ok(Exit::Done)
}

fn show_request(engine: &Engine, id: &str, (seq, body): (u64, bool), output: &Printer) -> Result<Exit, Fault> {
    let session = engine.sessions().find_session(id)?;
    let sent = engine.runs().request_as_sent(&session.session_id, seq)?;
    match (body, output.json) {
        (true, _) => output.bytes(sent.proven_body()?),
        (false, true) => output.object(&sent.as_json()),
        // As it is: what a model was sent may have control characters, which JSON escapes.
        (false, false) => output.text(&format!("{:#}\n", sent.as_json())),
    }
    Ok(Exit::Done)
}

fn show(
    engine: &Engine,
    id: &str,
    (limit, since, until): (Option<usize>, Option<i64>, Option<i64>),
    output: &Printer,
) -> Result<Exit, Fault> {
    let session = engine.sessions().find_session(id)?;
    if output.json {
        output.object(&ListedSession::of(&session));
    } else {
        output.line(format!(
            "{}\n{}",
            visible(&session.title),
            dim(&format!("{}  {}", session.session_id, visible(&session.project)))
        ));
    }
    let is_in_time =
        |told: &Told| since.is_none_or(|since| told.at >= since) && until.is_none_or(|until| told.at < until);
    let mut newest = VecDeque::new();
    engine.sessions().tell(&session.session_id, |told| match limit {
        _ if !is_in_time(&told) => {}
        None => story::tell(&told, output),
        Some(limit) if story::says_something(&told, output) => {
            newest.push_back(told);
            newest.drain(..newest.len().saturating_sub(limit));
        }
        Some(_) => {}
    })?;
    newest.iter().for_each(|told| story::tell(told, output));
    Ok(Exit::Done)
}
