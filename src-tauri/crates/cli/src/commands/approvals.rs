//! `arki approvals`: the inbox across sessions.

use crate::arguments::ApprovalsCommand;
use crate::exit::Exit;
use crate::follow;
use crate::output::{Output, dim, time, visible};
use arki_domain::{ApprovalDecision, ApprovalId, ApprovalRequested, Code, Fault};
use arki_engine::{ApprovalRecord, Engine, Resolution, RuleDefinition};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Listed<'a> {
    session_id: &'a str,
    run_id: Option<&'a str>,
    requested_at: i64,
    #[serde(flatten)]
    requested: ApprovalRequested,
}

impl<'a> Listed<'a> {
    fn of(record: &'a ApprovalRecord) -> Option<Self> {
        Some(Self {
            session_id: record.session_id.as_str(),
            run_id: record.run_id.as_ref().map(|run| run.as_str()),
            requested_at: record.requested.ts,
            requested: record.request()?,
        })
    }
}

pub(crate) async fn run(engine: &Arc<Engine>, command: ApprovalsCommand, output: &Output) -> Result<Exit, Fault> {
    match command {
        ApprovalsCommand::List => list(engine, output),
        ApprovalsCommand::Show { id } => show(engine, &id, output),
        ApprovalsCommand::Approve { id, always, hunks, command, note } => {
            let rule = if always { Some(rule_for(engine, &id)?) } else { None };
            let approval = Resolution { hunks, command, note, ..answer(ApprovalDecision::Approve) };
            decide(engine, &id, approval, rule, output).await
        }
        ApprovalsCommand::Reject { id, note } => {
            decide(engine, &id, Resolution { note, ..answer(ApprovalDecision::Reject) }, None, output).await
        }
    }
}

fn list(engine: &Engine, output: &Output) -> Result<Exit, Fault> {
    let records = engine.pending_approvals()?;
    for listed in records.iter().filter_map(Listed::of) {
        if output.json {
            output.object(&listed);
            continue;
        }
        let requested = &listed.requested;
        let what = match (&requested.preview, &requested.command) {
            (Some(preview), _) => format!("{} ({} hunks)", preview.files_affected.join(", "), preview.hunks.len()),
            (None, Some(command)) => command.command.clone(),
            (None, None) => requested.args.to_string(),
        };
        let what = visible(&what).replace('\n', "\\n");
        output.line(format!("{}  {}  {}  {what}", requested.approval_id, time(listed.requested_at), requested.tool_id));
    }
    Ok(Exit::Done)
}

fn show(engine: &Engine, id: &str, output: &Output) -> Result<Exit, Fault> {
    let record = engine.approval(&ApprovalId::from(id))?;
    let listed = Listed::of(&record).ok_or_else(|| Fault::internal("an approval that this version cannot read"))?;
    if output.json {
        output.object(&listed);
        return Ok(Exit::Done);
    }
    let revealed = engine.revealed(&record);
    let requested = revealed.as_ref().unwrap_or(&listed.requested);
    output.line(format!("{}  risk: {}", requested.tool_id, format!("{:?}", requested.risk).to_lowercase()));
    output.line(&requested.reason);
    if let Some(command) = &requested.command {
        output.line(format!("\n$ {}\n", visible(&command.command)));
        output.line(dim(&format!("in {}, sandbox: {}", command.directory, command.sandbox)));
    }
    if let Ok(Some(rule)) = engine.proposed_rule(&requested.approval_id) {
        output.line(dim(&format!("`approve --always` would add: {}", written(&rule))));
    }
    if let Some(preview) = &requested.preview {
        output.line("");
        numbered(&preview.diff).iter().for_each(|line| output.line(line));
    }
    Ok(Exit::Done)
}

/// The diff with each hunk's number in front of it.
fn numbered(diff: &str) -> Vec<String> {
    let mut number = 0;
    diff.split_terminator('\n')
        .map(|line| (line.chars().next(), visible(line)))
        .map(|(first, line)| match first {
            Some('@') => {
                number += 1;
                format!("\x1b[36m[hunk {number}] {line}\x1b[0m")
            }
            Some('+') => format!("\x1b[32m{line}\x1b[0m"),
            Some('-') => format!("\x1b[31m{line}\x1b[0m"),
            _ => line,
        })
        .collect()
}

/// To all of what is shown, without a word.
fn answer(decision: ApprovalDecision) -> Resolution {
    Resolution {
        decision,
        hunks: None,
        edited: BTreeMap::new(),
        command: None,
        note: None,
        preview_hash: None,
        resolved_by: "cli",
    }
}

/// What `--always` would store.
fn rule_for(engine: &Engine, id: &str) -> Result<RuleDefinition, Fault> {
    engine.proposed_rule(&ApprovalId::from(id))?.ok_or_else(|| {
        Fault::new(
            Code::USAGE,
            "No lasting permission is offered for this call.",
            "Approve it without --always, or write a rule into the configuration yourself.",
        )
    })
}

fn written(rule: &RuleDefinition) -> String {
    visible(&serde_json::to_string(rule).unwrap_or_default())
}

async fn decide(
    engine: &Arc<Engine>,
    id: &str,
    resolution: Resolution,
    rule: Option<RuleDefinition>,
    output: &Output,
) -> Result<Exit, Fault> {
    let subscription = engine.subscribe();
    if let Some(rule) = &rule {
        output.aside(format!("always: {}", written(rule)));
    }
    let session_id = engine.resolve_approval(&ApprovalId::from(id), resolution).await?;
    if let Some(rule) = &rule {
        engine.add_rule(rule)?;
    }
    match engine.go_on_after_decision(&session_id).await {
        Ok(running) => follow::to_next_stop(engine, output, subscription, running).await,
        Err(fault) if fault.is(Code::SESSION_BUSY) => {
            output.aside("Recorded. The Arki that works on this session goes on with it.");
            Ok(Exit::Done)
        }
        Err(fault) => Err(fault),
    }
}
