//! `arki sessions export`: to standard output, or into a file.

use crate::arguments::{ExportArguments, ExportForm};
use crate::exit::Exit;
use crate::output::Printer;
use arki_domain::{Code, Fault, SessionId};
use arki_engine::{Engine, ExportFormat};
use serde::Serialize;
use std::io::BufWriter;
use std::path::Path;

/// The line printed about an exported file.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Exported<'a> {
    session_id: &'a SessionId,
    file: &'a Path,
}

pub(crate) fn run(engine: &Engine, dir: &Path, arguments: &ExportArguments, output: &Printer) -> Result<Exit, Fault> {
    let format = match arguments.format {
        ExportForm::Jsonl => ExportFormat::JsonLines,
        ExportForm::Md => ExportFormat::Markdown,
        ExportForm::Html => ExportFormat::Html,
    };
    let file = arguments.output.as_deref().filter(|file| *file != Path::new("-"));
    if output.json && file.is_none() && format != ExportFormat::JsonLines {
        return Err(Fault::new(
            Code::USAGE,
            "With --json, only JSON Lines can go to standard output.",
            "Leave --json out, or name a file with --output.",
        ));
    }
    let session = engine.sessions().find_session(&arguments.id)?;
    match file {
        // Not through the colour filter: it would take characters out of the text.
        None => engine.sessions().export(&session, format, &mut BufWriter::new(std::io::stdout().lock()))?,
        Some(path) => {
            let mut file = engine.sessions().output_file(&dir.join(path))?;
            engine.sessions().export(&session, format, &mut file)?;
            file.finish()?;
            if output.json {
                output.object(&Exported { session_id: &session.session_id, file: path });
            }
        }
    }
    Ok(Exit::Done)
}
