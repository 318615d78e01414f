//! `arki approvals`: the inbox across sessions.

mod decide;

use crate::exit::{CommandExit, Exit};
use crate::follow;
use crate::output::{Printer, dim, time, visible};
use crate::review::{self, ShownPart};
use arki_api::PrintedApproval;
use arki_domain::{ApprovalKind, Error, plural};
use arki_engine::{ApprovalRecord, ApprovalUse, Client, Engine, RuleDefinition, rule_text};
use clap::{Args, Subcommand};
use std::path::Path;

/// List, show, approve or reject pending approvals from all sessions
#[derive(Debug, Subcommand)]
pub(crate) enum ApprovalsCommand {
    /// List pending approvals, newest first
    List,
    Show(ShowApprovalArguments),
    Approve(decide::ApproveArguments),
    /// Show what is allowed for the rest of a session
    Granted {
        /// The id of a session or run
        session: String,
    },
    /// Withdraw everything allowed for the rest of a session, and print it
    Withdraw {
        /// The id of a session or run
        session: String,
    },
    /// Reject, and continue the run to its next stop
    Reject {
        /// The approval's id; default: the only pending one
        id: Option<String>,
        /// Add a note for the model
        #[arg(long, value_name = "TEXT")]
        note: Option<String>,
    },
}

pub(crate) async fn run(client: &Client, dir: &Path, command: ApprovalsCommand, output: &Printer) -> CommandExit {
    let engine = client.engine();
    match command {
        ApprovalsCommand::List => list(engine, output),
        ApprovalsCommand::Show(arguments) => show(engine, arguments, output).await,
        ApprovalsCommand::Approve(arguments) => decide::approve(client, dir, arguments, output).await,
        ApprovalsCommand::Reject { id, note } => decide::reject(client, id.as_deref(), note, output).await,
        ApprovalsCommand::Granted { session } => {
            let session_id = engine.session_names().find_session(&session)?.session_id;
            list_rules(&engine.approvals().grants().session_grants(&session_id)?, output);
            Ok(Exit::Done)
        }
        ApprovalsCommand::Withdraw { session } => {
            let session_id = engine.session_names().find_session(&session)?.session_id;
            list_rules(&engine.approvals().grants().withdraw_session_grants(&session_id).await?, output);
            Ok(Exit::Done)
        }
    }
}

/// The named approval, or the only pending one; prints which one that is.
fn find(engine: &Engine, id: Option<&str>, wanted: ApprovalUse, output: &Printer) -> Result<ApprovalRecord, Error> {
    let record = engine.approvals().pending().find_approval(id, wanted)?;
    if id != Some(record.approval_id.as_str()) {
        output.aside(dim(&format!("This is {}.", record.approval_id)));
    }
    Ok(record)
}

fn list_rules(rules: &[RuleDefinition], output: &Printer) {
    for rule in rules {
        output.tell(rule, || visible(&rule_text(std::slice::from_ref(rule))));
    }
}

/// Returns what is printed of an approval; `None` of one that this version can't read.
fn printed(engine: &Engine, record: &ApprovalRecord) -> Option<PrintedApproval> {
    Some(PrintedApproval {
        session_id: record.session_id.clone(),
        run_id: record.run_id.clone(),
        requested_at: record.requested.ts,
        expired: engine.approvals().pending().has_expired(record),
        requested: record.request()?,
    })
}

fn list(engine: &Engine, output: &Printer) -> CommandExit {
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

/// Show the diff or command that needs approval
#[derive(Debug, Args)]
pub(crate) struct ShowApprovalArguments {
    /// The approval's id; default: the only pending one
    id: Option<String>,
    /// Show the diff of this file only
    #[arg(long, value_name = "PATH", conflicts_with_all = ["hunks", "all"])]
    file: Option<String>,
    /// Show only these hunks, such as 1,3
    #[arg(long, value_delimiter = ',', value_name = "NUMBERS", conflicts_with = "all")]
    hunks: Option<Vec<usize>>,
    /// Show the whole diff of a large change, not just its list of files
    #[arg(long)]
    all: bool,
    /// Write the project as it would be with all of a command's changes into a folder that is closed to writing, and
    /// print its path
    #[arg(long, conflicts_with_all = ["file", "hunks", "all"])]
    open: bool,
}

async fn show(engine: &Engine, arguments: ShowApprovalArguments, output: &Printer) -> CommandExit {
    let record = find(engine, arguments.id.as_deref(), ApprovalUse::Show, output)?;
    let listed = printed(engine, &record).ok_or_else(|| Error::internal("this version can't read the approval"))?;
    if arguments.open {
        let folder = engine.approvals().reviews().write_changed_tree(&record).await?;
        if output.json {
            output.object(&serde_json::json!({ "folder": folder }));
        } else {
            output.line(folder.display().to_string());
        }
        return Ok(Exit::Done);
    }
    if output.json {
        output.object(&listed);
        return Ok(Exit::Done);
    }
    let revealed = engine.approvals().reviews().revealed(&record);
    let requested = revealed.as_ref().unwrap_or(&listed.requested);
    review::head(requested).iter().for_each(|line| output.line(line));
    for placeholder in engine.approvals().reviews().unresolved_secrets(&record) {
        output.line(format!(
            "{} stands for a secret that was typed elsewhere and is not stored. Approve this in the window if you \
            typed it there; otherwise reject it and put the secret into a file yourself.",
            visible(&placeholder)
        ));
    }
    let rules = engine.approvals().rules().proposed_rules(&requested.approval_id).unwrap_or_default();
    if !rules.is_empty() {
        let what = if rules.len() == 1 { "this rule" } else { "these rules" };
        output.line(dim(&format!("`approve --always` (or `--session`, for this session only) would add {what}:")));
        rules.iter().for_each(|rule| output.line(dim(&visible(&rule_text(std::slice::from_ref(rule))))));
    }
    if requested.preview.is_some() {
        let shown = match (arguments.file, arguments.hunks, arguments.all) {
            (Some(path), ..) => ShownPart::File(path),
            (_, Some(hunks), _) => ShownPart::Hunks(hunks),
            (_, _, true) => ShownPart::All,
            (None, None, false) => ShownPart::Files,
        };
        output.line("");
        review::diff(engine, &record, requested, &shown, |line| output.line(line))?;
    }
    Ok(Exit::Done)
}
