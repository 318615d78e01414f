//! `arki approvals approve` and `reject`: the decision, and the run up to its next stop.

use super::find;
use crate::arguments::in_dir;
use crate::exit::{CommandExit, Exit};
use crate::follow;
use crate::output::{Printer, visible};
use arki_api::{Keep, KeepScope, Resolution};
use arki_domain::{ApprovalDecision, ApprovalId, Code, Error, io_words};
use arki_engine::{ApprovalUse, Client, Engine, one_line, rule_text};
use clap::Args;
use std::path::{Path, PathBuf};

/// Approve, and continue the run to its next stop
#[derive(Debug, Args)]
pub(crate) struct ApproveArguments {
    /// The approval's id (not `last`); default: the only pending one
    id: Option<String>,
    /// Also allow similar calls for the rest of this session, by the narrowest rule that fits; `show` prints the
    /// rule
    #[arg(long, conflicts_with_all = ["always", "hunks", "command"])]
    session: bool,
    /// Also add that rule to your configuration, so that it always applies in this folder
    #[arg(long, conflicts_with_all = ["hunks", "command"])]
    always: bool,
    /// Approve only these hunks, such as 1,3
    #[arg(long, value_delimiter = ',', value_name = "NUMBERS")]
    hunks: Option<Vec<usize>>,
    /// Run this command instead of the proposed one
    #[arg(long, value_name = "LINE", conflicts_with = "hunks")]
    command: Option<String>,
    /// Approve a plan with the steps in this file instead, one a line; `-` reads standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["hunks", "command", "session", "always"])]
    plan: Option<PathBuf>,
    /// Add a note for the model
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
}

pub(super) async fn approve(client: &Client, dir: &Path, arguments: ApproveArguments, output: &Printer) -> CommandExit {
    let ApproveArguments { id, session, always, hunks, command, plan, note } = arguments;
    let engine = client.engine();
    let id = find(engine, id.as_deref(), ApprovalUse::Approve, output)?.approval_id;
    let keep = match (session, always) {
        (true, _) => Some(Keep { scope: KeepScope::Session, rule: shown_rule(engine, &id, "this session", output)? }),
        (_, true) => Some(Keep { scope: KeepScope::Always, rule: shown_rule(engine, &id, "always", output)? }),
        (false, false) => None,
    };
    let plan = plan.map(|file| steps_in(&in_dir(dir, &file))).transpose()?;
    let approval = Resolution { hunks, command, plan, note, keep, ..Resolution::of(ApprovalDecision::Approve) };
    decide(client, &id, approval, output).await
}

pub(super) async fn reject(client: &Client, id: Option<&str>, note: Option<String>, output: &Printer) -> CommandExit {
    let id = find(client.engine(), id, ApprovalUse::Reject, output)?.approval_id;
    decide(client, &id, Resolution { note, ..Resolution::of(ApprovalDecision::Reject) }, output).await
}

/// The steps of a plan, one a line.
fn steps_in(file: &Path) -> Result<Vec<String>, Error> {
    let read =
        if file == Path::new("-") { std::io::read_to_string(std::io::stdin()) } else { std::fs::read_to_string(file) };
    let text = read.map_err(|error| {
        let what = format!("Can't read the plan from {}: {}.", file.display(), io_words(error.kind()));
        Error::new(Code::FILE_NOT_FOUND, what, "Give a text file with one step a line.")
    })?;
    Ok(text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect())
}

/// Prints the rules before they are stored. The engine refuses any others, and reports an error if there are none.
fn shown_rule(engine: &Engine, id: &ApprovalId, scope: &str, output: &Printer) -> Result<String, Error> {
    let rules = engine.approvals().rules().proposed_rules(id)?;
    for rule in &rules {
        output.aside(format!("{scope}: {}", visible(&rule_text(std::slice::from_ref(rule)))));
    }
    Ok(rule_text(&rules))
}

async fn decide(client: &Client, id: &ApprovalId, resolution: Resolution, output: &Printer) -> CommandExit {
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
