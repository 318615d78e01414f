//! `arki sessions list`.

use super::MAX_LISTED;
use crate::exit::{CommandExit, Exit};
use crate::output::{Printer, dim, time, visible};
use arki_api::PrintedSession;
use arki_domain::SessionId;
use arki_domain::projection::SessionSummary;
use arki_engine::Engine;
use clap::Args;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// List sessions with their folders, newest first; archived ones are left out
#[derive(Debug, Args)]
pub(crate) struct ListSessionsArguments {
    /// List only archived sessions
    #[arg(long)]
    archived: bool,
    /// List only sessions of this agent
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// List only sessions of this folder
    #[arg(long)]
    here: bool,
}

pub(super) fn run(
    engine: &Engine,
    dir: &Path,
    ListSessionsArguments { archived, agent, here }: &ListSessionsArguments,
    output: &Printer,
) -> CommandExit {
    let here = here.then(|| engine.projects().folder(dir)).transpose()?;
    let mut sessions = engine.session_reader().list(MAX_LISTED)?;
    let away: BTreeSet<SessionId> =
        sessions.iter().filter(|session| session.archived).map(|session| session.session_id.clone()).collect();
    // A sub-agent's session is where the one it works for is.
    let is_away = |session: &SessionSummary| {
        session.archived || session.parent.as_ref().is_some_and(|parent| away.contains(parent))
    };
    let is_of_agent = |session: &SessionSummary| agent.as_ref().is_none_or(|agent| session.agent == *agent);
    let is_here = |session: &SessionSummary| here.as_ref().is_none_or(|folder| Path::new(&session.project) == folder);
    sessions.retain(|session| is_away(session) == *archived && is_of_agent(session) && is_here(session));
    if output.json {
        sessions.iter().for_each(|session| output.object(&PrintedSession::from(session)));
        return Ok(Exit::Done);
    }
    output.aside_if_empty(&sessions, "No sessions. Start one with `arki exec PROMPT`.");
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
