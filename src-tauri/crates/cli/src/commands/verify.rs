//! `arki verify`: proves the hash chain, in the database or in an exported file, and with `--contents` what lies beside
//! it; changes nothing, and says what it can't see.

use crate::exit::{CommandExit, Exit, wrong_use};
use crate::output::{Printer, visible};
use arki_api::CheckedContents;
use arki_domain::plural;
use arki_domain::{Code, Error};
use arki_engine::{
    AnchorFinding, ContentsReport, DamagedContent, Directories, FileReport, VerifyReport, VerifyScope, verify_export,
    verify_file,
};
use std::path::Path;

const STANDARD_INPUT: &str = "-";

pub(crate) async fn run(
    directories: &Directories,
    dir: &Path,
    id: Option<&str>,
    contents: bool,
    output: &Printer,
) -> CommandExit {
    let scope = if contents { VerifyScope::LogAndContents } else { VerifyScope::Log };
    match id {
        Some("") => Err(wrong_use("The id is empty.", "Leave it out to verify all sessions.")),
        Some(name) if contents && (name == STANDARD_INPUT || is_meant_as_file(dir, name)) => Err(wrong_use(
            "An exported file has no content beside its log.",
            "Leave --contents out, or name a session.",
        )),
        Some(STANDARD_INPUT) => report_file(verify_export(std::io::stdin().lock(), "Standard input"), output),
        Some(name) if is_meant_as_file(dir, name) => report_file(verify_file(&dir.join(name)), output),
        id => {
            let verified = arki_engine::verify(directories, id, scope).await?;
            let log = report_database(&verified.sessions, output)?;
            let contents = verified.contents.map_or(Ok(Exit::Done), |found| report_contents(&found, output))?;
            Ok(if log == Exit::Done { contents } else { log })
        }
    }
}

/// A file that is there, or a name that no session can have.
fn is_meant_as_file(dir: &Path, name: &str) -> bool {
    let path = Path::new(name);
    dir.join(path).exists() || path.extension().is_some() || path.components().count() > 1
}

fn report_database(reports: &[VerifyReport], output: &Printer) -> CommandExit {
    reports.iter().for_each(|report| print(report, None, output));
    if let Some(unseen) = unseen(reports) {
        output.aside(unseen);
    }
    if reports.iter().all(|report| report.ok) {
        return Ok(Exit::Done);
    }
    broken(
        output,
        "The event log was changed after it was written.",
        "The session is now read-only, and nothing was repaired. Compare it with a backup or an export.",
    )
}

/// A warning about what an unanchored chain can't prove.
fn unseen(reports: &[VerifyReport]) -> Option<String> {
    let unanchored: Vec<_> = reports.iter().filter(|report| report.ok && !report.anchored).collect();
    if unanchored.is_empty() {
        return None;
    }
    let of_other_key = unanchored.iter().any(|report| report.anchor == AnchorFinding::OtherKey);
    let why = match of_other_key {
        true => "they were signed with a different key than the one in the keychain",
        false => "no key in the keychain could check their signatures",
    };
    Some(format!(
        "Not anchored: {} of {}; {why}. Someone with write access to the database could have cut off or rewritten \
        their events, and this check wouldn't notice. Comparing with a copy or an export kept elsewhere would.",
        unanchored.len(),
        plural(reports.len() as u64, "session"),
    ))
}

fn report_contents(found: &ContentsReport, output: &Printer) -> CommandExit {
    let ContentsReport { contents, bytes, damaged } = found;
    for content in damaged {
        print_content(content, output);
    }
    if output.json {
        output.object(&CheckedContents { contents: *contents, bytes: *bytes, ok: damaged.is_empty() });
    } else if damaged.is_empty() {
        output.line(format!("ok      contents  {contents}, {} KiB", bytes / 1024));
    }
    if damaged.is_empty() {
        return Ok(Exit::Done);
    }
    if !output.json {
        output.fault(&Error::new(
            Code::CONTENT_DAMAGED,
            format!("{} beside the event log can't be trusted.", plural(damaged.len() as u64, "content")),
            "Undoing a change or showing a diff that needs them will fail. Restore them from a backup.",
        ));
    }
    Ok(Exit::Failed)
}

fn print_content(content: &DamagedContent, output: &Printer) {
    output.tell(content, || {
        let what = if content.missing { "MISSING" } else { "DAMAGED" };
        let sessions: Vec<_> = content.sessions.iter().map(|session| visible(session.as_str())).collect();
        let of = if sessions.is_empty() { String::new() } else { format!("  of {}", sessions.join(", ")) };
        format!("{what} content {}{of}", visible(&content.content_hash))
    });
}

/// 1 is for what was changed: a file that is not there, or something else, is a wrong use.
fn report_file(reports: Result<Vec<FileReport>, Error>, output: &Printer) -> CommandExit {
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
        "Export the session again, or get the file again from its source.",
    )
}

fn print(report: &VerifyReport, reason: Option<&str>, output: &Printer) {
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

fn broken(output: &Printer, message: &str, hint: &str) -> CommandExit {
    if !output.json {
        output.fault(&Error::new(Code::LOG_CHAIN_BROKEN, message, hint));
    }
    Ok(Exit::Failed)
}
