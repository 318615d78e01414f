//! `arki approvals`: the inbox across sessions.

use crate::arguments::ApprovalsCommand;
use crate::exit::Exit;
use crate::follow;
use crate::output::{Printer, dim, time, visible};
use crate::review::{self, ShownPart};
use arki_domain::{ApprovalDecision, ApprovalId, ApprovalKind, ApprovalRequested, Code, Fault, io_words};
use arki_engine::{ApprovalRecord, ApprovalUse, Client, Engine, Keep, Resolution, RuleDefinition, one_line, rule_text};
use serde::Serialize;
use std::path::Path;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ListedApproval<'a> {
    session_id: &'a str,
    run_id: Option<&'a str>,
    requested_at: i64,
    /// True if nobody answered in time, which counts as a rejection.
    expired: bool,
    #[serde(flatten)]
    requested: ApprovalRequested,
}

impl<'a> ListedApproval<'a> {
    fn of(engine: &Engine, record: &'a ApprovalRecord) -> Option<Self> {
        Some(Self {
            session_id: record.session_id.as_str(),
            run_id: record.run_id.as_ref().map(|run| run.as_str()),
            requested_at: record.requested.ts,
            expired: engine.approvals().has_expired(record),
            requested: record.request()?,
        })
    }
}

pub(crate) async fn run(
    client: &Client,
    dir: &Path,
    command: ApprovalsCommand,
    output: &Printer,
) -> Result<Exit, Fault> {
    let engine = client.engine();
    match command {
        ApprovalsCommand::List => list(engine, output),
        ApprovalsCommand::Show { id, file, hunks, all } => {
            let shown = match (file, hunks, all) {
                (Some(path), ..) => ShownPart::File(path),
                (_, Some(hunks), _) => ShownPart::Hunks(hunks),
                (_, _, true) => ShownPart::All,
                (None, None, false) => ShownPart::Files,
            };
            show(engine, id.as_deref(), &shown, output)
        }
        ApprovalsCommand::Approve { id, session, always, hunks, command, plan, note } => {
            let id = find(engine, id.as_deref(), ApprovalUse::Approve, output)?.approval_id;
            let keep = match (session, always) {
                (true, _) => Keep::Session { shown: shown_rule(engine, &id, "this session", output)? },
                (_, true) => Keep::Always { shown: shown_rule(engine, &id, "always", output)? },
                (false, false) => Keep::Once,
            };
            let plan = plan.map(|file| steps_in(&super::sessions::in_dir(dir, &file))).transpose()?;
            let approval = Resolution { hunks, command, plan, note, keep, ..Resolution::of(ApprovalDecision::Approve) };
            decide(client, &id, approval, output).await
        }
        ApprovalsCommand::Reject { id, note } => {
            let id = find(engine, id.as_deref(), ApprovalUse::Reject, output)?.approval_id;
            decide(client, &id, Resolution { note, ..Resolution::of(ApprovalDecision::Reject) }, output).await
        }
        ApprovalsCommand::Granted { session } => {
            let session_id = engine.sessions().find_session(&session)?.session_id;
            list_rules(&engine.approvals().session_grants(&session_id)?, output);
            Ok(Exit::Done)
        }
        ApprovalsCommand::Withdraw { session } => {
            let session_id = engine.sessions().find_session(&session)?.session_id;
            list_rules(&engine.approvals().withdraw_session_grants(&session_id).await?, output);
            Ok(Exit::Done)
        }
    }
}

/// The steps of a plan, one a line.
fn steps_in(file: &Path) -> Result<Vec<String>, Fault> {
    let read =
        if file == Path::new("-") { std::io::read_to_string(std::io::stdin()) } else { std::fs::read_to_string(file) };
    let text = read.map_err(|error| {
        let what = format!("Can't read the plan from {}: {}.", file.display(), io_words(error.kind()));
        Fault::new(Code::FILE_NOT_FOUND, what, "Give a text file with one step a line.")
    })?;
    Ok(text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect())
}

/// The named approval, or the only pending one; prints which one that is.
fn find(engine: &Engine, id: Option<&str>, wanted: ApprovalUse, output: &Printer) -> Result<ApprovalRecord, Fault> {
    let record = engine.approvals().find_approval(id, wanted)?;
    if id != Some(record.approval_id.as_str()) {
        output.aside(dim(&format!("This is {}.", record.approval_id)));
    }
    Ok(record)
}

fn list(engine: &Engine, output: &Printer) -> Result<Exit, Fault> {
    let records = engine.approvals().pending_approvals()?;
    for listed in records.iter().filter_map(|record| ListedApproval::of(engine, record)) {
        if output.json {
            output.object(&listed);
            continue;
        }
        let requested = &listed.requested;
        let what = match (&requested.preview, &requested.command) {
            (Some(preview), _) => format!("{} ({} hunks)", preview.files_affected.join(", "), preview.hunks.len()),
            (None, Some(command)) => command.command.clone(),
            (None, None) if requested.kind == ApprovalKind::Plan => review::intent(requested).to_owned(),
            (None, None) if requested.kind == ApprovalKind::Gate => review::question(requested),
            (None, None) => requested.args.to_string(),
        };
        let what = visible(&what).replace('\n', "\\n");
        let mark = if listed.expired { "(expired) " } else { "" };
        output.line(format!(
            "{}  {}  {}  {mark}{what}",
            requested.approval_id,
            time(listed.requested_at),
            visible(&requested.tool_id)
        ));
    }
    for open in engine.sessions().open_questions()? {
        follow::tell_question(output, &open.session_id, &open.asked);
    }
    Ok(Exit::Done)
}

fn show(engine: &Engine, id: Option<&str>, shown: &ShownPart, output: &Printer) -> Result<Exit, Fault> {
    let record = find(engine, id, ApprovalUse::Show, output)?;
    let listed =
        ListedApproval::of(engine, &record).ok_or_else(|| Fault::internal("this version can't read the approval"))?;
    if output.json {
        output.object(&listed);
        return Ok(Exit::Done);
    }
    let revealed = engine.approvals().revealed(&record);
    let requested = revealed.as_ref().unwrap_or(&listed.requested);
    review::head(requested).iter().for_each(|line| output.line(line));
    for placeholder in engine.approvals().unresolved_secrets(&record) {
        output.line(format!(
            "{} stands for a secret that was typed elsewhere and is not stored. Approve this in the window if you \
            typed it there; otherwise reject it and put the secret into a file yourself.",
            visible(&placeholder)
        ));
    }
    let rules = engine.approvals().proposed_rules(&requested.approval_id).unwrap_or_default();
    if !rules.is_empty() {
        let what = if rules.len() == 1 { "this rule" } else { "these rules" };
        output.line(dim(&format!("`approve --always` (or `--session`, for this session only) would add {what}:")));
        rules.iter().for_each(|rule| output.line(dim(&visible(&rule_text(std::slice::from_ref(rule))))));
    }
    if requested.preview.is_some() {
        output.line("");
        review::diff(engine, &record, requested, shown, |line| output.line(line))?;
    }
    Ok(Exit::Done)
}

/// Prints the rules before they are stored. The engine refuses any others, and reports an error if there are none.
fn shown_rule(engine: &Engine, id: &ApprovalId, scope: &str, output: &Printer) -> Result<String, Fault> {
    let rules = engine.approvals().proposed_rules(id)?;
    for rule in &rules {
        output.aside(format!("{scope}: {}", visible(&rule_text(std::slice::from_ref(rule)))));
    }
    Ok(rule_text(&rules))
}

fn list_rules(rules: &[RuleDefinition], output: &Printer) {
    for rule in rules {
        match output.json {
            true => output.object(rule),
            false => output.line(visible(&rule_text(std::slice::from_ref(rule)))),
        }
    }
}

async fn decide(client: &Client, id: &ApprovalId, resolution: Resolution, output: &Printer) -> Result<Exit, Fault> {
    let subscription = client.engine().subscribe();
    let decision = client.decide(id, resolution).await?;
    if let Some(fault) = &decision.rule_not_kept {
        output.aside(format!("{} {}", one_line(&fault.message), fault.hint));
    }
    let Some(running) = decision.run else {
        output.aside("Recorded. The Arki process that has this session open continues the run.");
        return Ok(Exit::Done);
    };
    follow::to_end(client, output, subscription, running).await
}
