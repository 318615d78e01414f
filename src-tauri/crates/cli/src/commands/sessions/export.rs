//! `arki sessions export`: to standard output, or into a file.

use crate::arguments::one_of;
use crate::exit::{CommandExit, Exit, wrong_use};
use crate::output::Printer;
use arki_api::ExportFormat;
use arki_api::PrintedExport;
use arki_engine::Engine;
use clap::Args;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

const FORMATS: [(&str, ExportFormat); 4] = [
    ("jsonl", ExportFormat::Jsonl),
    ("md", ExportFormat::Markdown),
    ("html", ExportFormat::Html),
    ("otlp", ExportFormat::Otlp),
];

/// Export a session: all events (jsonl), the conversation as a document (md, html), or its runs for OpenTelemetry (otlp)
#[derive(Debug, Args)]
pub(crate) struct ExportArguments {
    /// The id of a session or run
    id: String,
    /// Choose the format: `jsonl` is complete and verifiable; `md` and `html` shorten very long results, and say so;
    /// `otlp` has a trace, metrics and log records of each run, without what was written
    #[arg(long, default_value = "jsonl", value_parser = one_of(FORMATS))]
    format: ExportFormat,
    /// The file to write, replaced only once everything is written; default, or `-`: standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub(super) fn run(engine: &Engine, dir: &Path, arguments: &ExportArguments, output: &Printer) -> CommandExit {
    let (format, file) = (arguments.format, arguments.output.as_deref().filter(|file| *file != Path::new("-")));
    if output.json && file.is_none() && matches!(format, ExportFormat::Markdown | ExportFormat::Html) {
        return Err(wrong_use(
            "With --json, only JSON Lines can go to standard output.",
            "Leave --json out, or name a file with --output.",
        ));
    }
    let session = engine.session_names().find_session(&arguments.id)?;
    match file {
        // Not through the colour filter: it would take characters out of the text.
        None => engine.exports().export(&session, format, &mut BufWriter::new(std::io::stdout().lock()))?,
        Some(path) => {
            let mut file = engine.exports().output_file(&dir.join(path))?;
            engine.exports().export(&session, format, &mut file)?;
            file.finish()?;
            if output.json {
                output.object(&PrintedExport { session_id: session.session_id, file: path.to_owned() });
            }
        }
    }
    Ok(Exit::Done)
}
