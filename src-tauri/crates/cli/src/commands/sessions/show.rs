//! `arki sessions show`: the conversation, or one request as it was sent.

use super::story::StoryEntry;
use crate::exit::{CommandExit, Exit};
use crate::output::{Printer, dim, visible};
use arki_api::PrintedSession;
use arki_engine::{Engine, EventChanges, SentRequest};
use clap::Args;
use std::collections::VecDeque;

/// Show the conversation and the tools' activity, or one request to the model as it was sent
#[derive(Debug, Args)]
pub(crate) struct ShowSessionArguments {
    /// The id of a session or run
    id: String,
    /// Print this request and its answer as JSON: the number of an engine.request event (see `arki events ID`)
    #[arg(long, value_name = "SEQ")]
    request: Option<u64>,
    /// Print the exact bytes that were sent; their SHA-256 is the event's requestHash
    #[arg(long, requires = "request", conflicts_with = "json")]
    body: bool,
    /// Show only the newest entries, this many
    #[arg(long, value_name = "N", conflicts_with = "request")]
    limit: Option<usize>,
    /// Show only entries since this time, in milliseconds since 1970
    #[arg(long, value_name = "MS", conflicts_with = "request", allow_negative_numbers = true)]
    since: Option<i64>,
    /// Show only entries before this time, in milliseconds since 1970
    #[arg(long, value_name = "MS", conflicts_with = "request", allow_negative_numbers = true)]
    until: Option<i64>,
}

pub(super) fn run(engine: &Engine, arguments: &ShowSessionArguments, output: &Printer) -> CommandExit {
    let ShowSessionArguments { id, request, limit, since, until, .. } = arguments;
    let session = engine.session_names().find_session(id)?;
    if let Some(seq) = request {
        let sent = engine.sent_requests().find(&session.session_id, *seq)?;
        return show_request(&sent, arguments, output);
    }
    output.tell(&PrintedSession::from(&session), || {
        format!(
            "{}\n{}",
            visible(&session.title),
            dim(&format!("{}  {}", session.session_id, visible(&session.project)))
        )
    });
    let is_in_time = |told: &EventChanges<'_>| {
        since.is_none_or(|since| told.at >= since) && until.is_none_or(|until| told.at < until)
    };
    let mut newest = VecDeque::new();
    engine.session_reader().tell(&session.session_id, |told| {
        let entry = StoryEntry::of(told, output);
        match *limit {
            _ if entry.is_empty() || !is_in_time(told) => {}
            None => entry.print(output),
            Some(limit) => {
                newest.push_back(entry);
                newest.drain(..newest.len().saturating_sub(limit));
            }
        }
    })?;
    newest.iter().for_each(|entry| entry.print(output));
    Ok(Exit::Done)
}

fn show_request(sent: &SentRequest, arguments: &ShowSessionArguments, output: &Printer) -> CommandExit {
    match (arguments.body, output.json) {
        (true, _) => output.bytes(sent.proven_body()?),
        (false, true) => output.object(&sent.as_json()),
        // As it is: what a model was sent may have control characters, which JSON escapes.
        (false, false) => output.text(&format!("{:#}\n", sent.as_json())),
    }
    Ok(Exit::Done)
}
