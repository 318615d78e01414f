//! `arki approvals`: the inbox across sessions.

mod decide;
mod list;
mod show;

use crate::exit::Exit;
use crate::output::{Printer, dim, visible};
use arki_domain::Error;
use arki_engine::{ApprovalRecord, ApprovalUse, Client, Engine, RuleDefinition, rule_text};
use clap::Subcommand;
use std::path::Path;

/// List, show, approve or reject pending approvals from all sessions
#[derive(Debug, Subcommand)]
pub(crate) enum ApprovalsCommand {
    /// List pending approvals, newest first
    List,
    Show(show::ShowApprovalArguments),
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
    Reject(decide::RejectArguments),
}

pub(crate) async fn run(
    client: &Client,
    dir: &Path,
    command: ApprovalsCommand,
    output: &Printer,
) -> Result<Exit, Error> {
    let engine = client.engine();
    match command {
        ApprovalsCommand::List => list::run(engine, output),
        ApprovalsCommand::Show(arguments) => show::run(engine, arguments, output).await,
        ApprovalsCommand::Approve(arguments) => decide::approve(client, dir, arguments, output).await,
        ApprovalsCommand::Reject(arguments) => decide::reject(client, arguments, output).await,
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
