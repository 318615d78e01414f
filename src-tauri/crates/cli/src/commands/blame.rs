//! `arki blame`: who wrote each line of a file.

use crate::exit::Exit;
use crate::output::{Printer, dim, time, visible};
use arki_domain::Error;
use arki_engine::{Author, Engine, FileLine, LineOrigin, author_word};
use clap::Args;
use serde::Serialize;
use std::path::Path;

/// Show who wrote each line of a file: you, or which change by Arki
#[derive(Debug, Args)]
pub(crate) struct BlameArguments {
    /// The file, relative to the project
    path: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ListedLine<'a> {
    number: usize,
    text: &'a str,
    author: &'static str,
    session_id: Option<&'a str>,
    seq: Option<u64>,
    run_id: Option<&'a str>,
    turn: Option<u32>,
    call_id: Option<&'a str>,
    tool_id: Option<&'a str>,
    approval_id: Option<&'a str>,
}

pub(crate) fn run(
    engine: &Engine,
    dir: &Path,
    BlameArguments { path }: &BlameArguments,
    output: &Printer,
) -> Result<Exit, Error> {
    for line in engine.line_origins().line_origins(dir, path)? {
        output.tell(&listed(&line), || format!("{} {:>5} {}", dim(&margin(&line)), line.number, visible(&line.text)));
    }
    Ok(Exit::Done)
}

fn author(line: &FileLine) -> Option<&Author> {
    match &line.origin {
        LineOrigin::Arki(author) => Some(author),
        LineOrigin::Before | LineOrigin::User => None,
    }
}

fn listed(line: &FileLine) -> ListedLine<'_> {
    let author = author(line);
    let call = author.and_then(|author| author.call.as_deref());
    ListedLine {
        number: line.number,
        text: &line.text,
        author: author_word(line),
        session_id: author.map(|author| author.session_id.as_str()),
        seq: author.map(|author| author.seq),
        run_id: author.and_then(|author| author.run_id.as_ref()).map(|run| run.as_str()),
        turn: call.map(|call| call.turn),
        call_id: call.map(|call| call.call_id.as_str()),
        tool_id: call.map(|call| call.tool_id.as_str()),
        approval_id: call.and_then(|call| call.approval_id.as_ref()).map(|id| id.as_str()),
    }
}

/// `you`, nothing, or when Arki wrote it and the number of the event that tells of it.
fn margin(line: &FileLine) -> String {
    match &line.origin {
        LineOrigin::Before => format!("{:<40}", ""),
        LineOrigin::User => format!("{:<40}", "you"),
        LineOrigin::Arki(author) => {
            let session = author.session_id.as_str();
            let short = session.get(session.len().saturating_sub(8)..).unwrap_or(session);
            format!("{:<40}", format!("{}  {short}#{}", time(author.ts), author.seq))
        }
    }
}
