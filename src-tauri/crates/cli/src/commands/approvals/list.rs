//! `arki approvals list`.

use crate::exit::Exit;
use crate::follow;
use crate::output::{Printer, time, visible};
use crate::review;
use arki_api::PrintedApproval;
use arki_domain::{ApprovalKind, Error, plural};
use arki_engine::{ApprovalRecord, Engine};

/// Returns what is printed of an approval; `None` of one that this version can't read.
pub(super) fn printed(engine: &Engine, record: &ApprovalRecord) -> Option<PrintedApproval> {
    Some(PrintedApproval {
        session_id: record.session_id.clone(),
        run_id: record.run_id.clone(),
        requested_at: record.requested.ts,
        expired: engine.approvals().pending().has_expired(record),
        requested: record.request()?,
    })
}

pub(super) fn run(engine: &Engine, output: &Printer) -> Result<Exit, Error> {
    let records = engine.approvals().pending().pending_approvals()?;
    for listed in records.iter().filter_map(|record| printed(engine, record)) {
        output.tell(&listed, || {
            let requested = &listed.requested;
            let what = match (&requested.preview, &requested.command) {
                (Some(preview), _) => {
                    format!("{} ({})", preview.files_affected.join(", "), plural(preview.hunks.len() as u64, "hunk"))
                }
                (None, Some(command)) => command.command.clone(),
                (None, None) if requested.kind == ApprovalKind::Plan => review::intent(requested).to_owned(),
                (None, None) if requested.kind == ApprovalKind::Gate => review::question(requested),
                (None, None) => requested.args.to_string(),
            };
            let what = visible(&what).replace('\n', "\\n");
            let mark = if listed.expired { "(expired) " } else { "" };
            format!(
                "{}  {}  {}  {mark}{what}",
                requested.approval_id,
                time(listed.requested_at),
                visible(&requested.tool_id)
            )
        });
    }
    let questions = engine.open_questions().open_questions()?;
    if questions.is_empty() {
        output.aside_if_empty(&records, "No approval is pending.");
    }
    for open in questions {
        follow::tell_question(output, &open.session_id, &open.asked);
    }
    Ok(Exit::Done)
}
