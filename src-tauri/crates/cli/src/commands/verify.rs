//! `arki verify`: proves the hash chain; changes nothing.

use crate::exit::Exit;
use crate::output::Output;
use arki_domain::{Code, Fault};
use arki_engine::Directories;

pub(crate) fn run(directories: &Directories, id: Option<&str>, output: &Output) -> Result<Exit, Fault> {
    let reports = arki_engine::verify(directories, id)?;
    let mut exit = Exit::Done;
    for report in &reports {
        if output.json {
            output.object(report);
        } else if report.ok {
            output.line(format!("ok      {}  {} events", report.session_id, report.events));
        } else {
            let seq = report.first_broken_seq.map_or_else(|| "?".to_owned(), |seq| seq.to_string());
            output.line(format!("BROKEN  {}  first broken event: {seq}", report.session_id));
        }
        if !report.ok {
            exit = Exit::Failed;
        }
    }
    if exit == Exit::Failed && !output.json {
        output.fault(&Fault::new(
            Code::LOG_CHAIN_BROKEN,
            "The event log was changed after it was written.",
            "The session is read-only from now on; nothing is repaired. Compare it with a backup or an export.",
        ));
    }
    Ok(exit)
}
