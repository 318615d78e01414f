//! `arki verify`: proves the hash chain, in the database or in an exported file; changes nothing.

use crate::exit::Exit;
use crate::output::{Output, visible};
use arki_domain::{Code, Fault};
use arki_engine::{Directories, FileReport, VerifyReport, verify_export, verify_file};
use std::path::Path;

const STANDARD_INPUT: &str = "-";

pub(crate) async fn run(directories: &Directories, id: Option<&str>, output: &Output) -> Result<Exit, Fault> {
    match id {
        Some("") => Err(Fault::new(
            Code::USAGE,
            "The id of what is to be verified is empty.",
            "Leave it out to verify all sessions.",
        )),
        Some(STANDARD_INPUT) => report_file(verify_export(std::io::stdin().lock(), "Standard input"), output),
        Some(name) if is_meant_as_file(name) => report_file(verify_file(Path::new(name)), output),
        id => report_database(&arki_engine::verify(directories, id).await?, output),
    }
}

/// A file that is there, or a name that no session can have.
fn is_meant_as_file(name: &str) -> bool {
    let path = Path::new(name);
    path.exists() || path.extension().is_some() || path.components().count() > 1
}

fn report_database(reports: &[VerifyReport], output: &Output) -> Result<Exit, Fault> {
    reports.iter().for_each(|report| print(report, None, output));
    if reports.iter().all(|report| report.ok) {
        return Ok(Exit::Done);
    }
    broken(
        output,
        "The event log was changed after it was written.",
        "The session is read-only from now on; nothing is repaired. Compare it with a backup or an export.",
    )
}

/// 1 is for what was changed: a file that is not there, or something else, is a wrong use.
fn report_file(reports: Result<Vec<FileReport>, Fault>, output: &Output) -> Result<Exit, Fault> {
    let reports = match reports {
        Ok(reports) => reports,
        Err(fault) => {
            output.fault(&fault);
            return Ok(Exit::Usage);
        }
    };
    reports.iter().for_each(|file| print(&file.report, file.reason.as_deref(), output));
    if reports.iter().all(|file| file.report.ok) {
        return Ok(Exit::Done);
    }
    broken(
        output,
        "The file was changed or cut off after it was exported.",
        "Export the session again, or ask for the file again where it came from.",
    )
}

fn print(report: &VerifyReport, reason: Option<&str>, output: &Output) {
    if output.json {
        output.object(report);
        return;
    }
    let session = visible(report.session_id.as_str()).replace('\n', "\\n");
    if report.ok {
        output.line(format!("ok      {session}  {} events", report.events));
    } else {
        let seq = report.first_broken_seq.map_or_else(|| "?".to_owned(), |seq| seq.to_string());
        let reason = reason.map(|reason| format!(" ({reason})")).unwrap_or_default();
        output.line(format!("BROKEN  {session}  first broken event: {seq}{reason}"));
    }
}

fn broken(output: &Output, message: &str, hint: &str) -> Result<Exit, Fault> {
    if !output.json {
        output.fault(&Fault::new(Code::LOG_CHAIN_BROKEN, message, hint));
    }
    Ok(Exit::Failed)
}
