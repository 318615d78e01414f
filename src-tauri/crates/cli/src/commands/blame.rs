//! `arki blame`: who wrote each line of a file.

use crate::exit::{CommandExit, Exit};
use crate::output::{Printer, dim, time, visible};
use arki_api::{LineAuthor, LineOrigin};
use arki_engine::Engine;
use std::path::Path;

pub(crate) fn run(engine: &Engine, dir: &Path, path: &str, output: &Printer) -> CommandExit {
    for line in engine.line_origins().line_origins(dir, path)? {
        output.tell(&line, || format!("{} {:>5} {}", dim(&margin(&line)), line.number, visible(&line.text)));
    }
    Ok(Exit::Done)
}

/// `you`, nothing, or when Arki wrote it and the number of the event that tells of it.
fn margin(line: &LineOrigin) -> String {
    let (LineAuthor::Arki, Some(session), Some(seq)) = (line.author, &line.session_id, line.seq) else {
        return format!("{:<40}", if line.author == LineAuthor::User { "you" } else { "" });
    };
    let short = session.get(session.len().saturating_sub(8)..).unwrap_or(session);
    format!("{:<40}", format!("{}  {short}#{seq}", time(line.ts.unwrap_or_default())))
}
