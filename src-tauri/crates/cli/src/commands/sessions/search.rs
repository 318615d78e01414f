//! `arki sessions search`: what was said, run and changed.

use crate::exit::{CommandExit, Exit, wrong_use};
use crate::output::{Printer, dim, time, visible};
use arki_api::{PrintedSearchHit, SearchHit, SnippetPart};
use arki_domain::Error;
use arki_engine::{Engine, EventSearchQuery};
use clap::Args;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use std::path::PathBuf;

/// Search messages, commands and changes, newest first
#[derive(Debug, Args)]
pub(crate) struct SearchArguments {
    /// The words to find, all of them; "a phrase" in quotes, a prefix as prefix*
    query: Vec<String>,
    /// Search only sessions of this folder
    #[arg(long, value_name = "DIR")]
    project: Option<PathBuf>,
    /// Search only from this day on: YYYY-MM-DD
    #[arg(long, value_name = "DAY")]
    since: Option<String>,
    /// Search only before this day: YYYY-MM-DD
    #[arg(long, value_name = "DAY")]
    until: Option<String>,
    /// Search only calls of this tool
    #[arg(long)]
    tool: Option<String>,
    /// Search only events that name this file
    #[arg(long, value_name = "PATH")]
    file: Option<String>,
    /// Show at most this many results
    #[arg(long, value_name = "N", default_value_t = 50)]
    limit: usize,
}

pub(super) async fn run(engine: &Engine, arguments: &SearchArguments, output: &Printer) -> CommandExit {
    let project = match &arguments.project {
        Some(folder) => Some(engine.projects().project(folder)?.path),
        None => None,
    };
    let is_blank = arguments.query.iter().all(|word| word.trim().is_empty());
    if is_blank && arguments.tool.is_none() && arguments.file.is_none() {
        output.aside("Nothing to search for. Give some words, --tool or --file.");
        return Ok(Exit::Done);
    }
    let query = EventSearchQuery {
        text: arguments.query.join(" "),
        project,
        since_ms: arguments.since.as_deref().map(day).transpose()?,
        until_ms: arguments.until.as_deref().map(day).transpose()?,
        tool: arguments.tool.clone(),
        path: arguments.file.clone(),
        limit: arguments.limit,
    };
    let hits = engine.search().search(query).await?;
    if hits.is_empty() && !is_blank {
        output.aside("No results. One event must contain all the words; `word*` matches words that begin with it.");
    } else if hits.is_empty() {
        output.aside("No results.");
    }
    for hit in hits {
        match output.json {
            true => output.object(&PrintedSearchHit::from(hit)),
            false => output.line(lines(&hit)),
        }
    }
    Ok(Exit::Done)
}

fn lines(hit: &SearchHit) -> String {
    let place = dim(&format!("{}#{}  {}  {}", hit.session_id, hit.seq, time(hit.ts), visible(&hit.title)));
    let part = |part: &SnippetPart| match part.hit {
        true => format!("\x1b[1m{}\x1b[0m", visible(&part.text)),
        false => visible(&part.text),
    };
    let snippet: String = hit.snippet.iter().map(part).collect();
    format!("{place}\n    {}", snippet.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// The beginning of a day in the user's time zone, in milliseconds since 1970.
fn day(text: &str) -> Result<i64, Error> {
    let start = text.parse::<Date>().ok().and_then(|date| date.to_zoned(TimeZone::system()).ok());
    start
        .map(|start| start.timestamp().as_millisecond())
        .ok_or_else(|| wrong_use(format!("\"{text}\" is not a day."), "Write it as YYYY-MM-DD."))
}
