//! `arki approvals`: the inbox across sessions.

use crate::arguments::ApprovalsCommand;
use crate::exit::Exit;
use crate::follow;
use crate::output::{Output, dim, time, visible};
use arki_domain::{ApprovalDecision, ApprovalId, ApprovalRequested, Code, Fault};
use arki_engine::{ApprovalRecord, Engine, Keep, Resolution, RuleDefinition, rule_text};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Listed<'a> {
    session_id: &'a str,
    run_id: Option<&'a str>,
    requested_at: i64,
    /// Nobody answered in the time that it had: it counts as rejected.
    expired: bool,
    #[serde(flatten)]
    requested: ApprovalRequested,
}

impl<'a> Listed<'a> {
    fn of(engine: &Engine, record: &'a ApprovalRecord) -> Option<Self> {
        Some(Self {
            session_id: record.session_id.as_str(),
            run_id: record.run_id.as_ref().map(|run| run.as_str()),
            requested_at: record.requested.ts,
            expired: engine.has_expired(record),
            requested: record.request()?,
        })
    }
}

pub(crate) async fn run(engine: &Arc<Engine>, command: ApprovalsCommand, output: &Output) -> Result<Exit, Fault> {
    match command {
        ApprovalsCommand::List => list(engine, output),
        ApprovalsCommand::Show { id } => show(engine, &id, output),
        ApprovalsCommand::Approve { id, session, always, hunks, command, note } => {
            let keep = match (session, always) {
                (true, _) => Keep::Session { shown: shown_rule(engine, &id, "this session", output)? },
                (_, true) => Keep::Always { shown: shown_rule(engine, &id, "always", output)? },
                (false, false) => Keep::Once,
            };
            let approval = Resolution { hunks, command, note, keep, ..answer(ApprovalDecision::Approve) };
            decide(engine, &id, approval, output).await
        }
        ApprovalsCommand::Reject { id, note } => {
            decide(engine, &id, Resolution { note, ..answer(ApprovalDecision::Reject) }, output).await
        }
        ApprovalsCommand::Granted { session } => {
            let session_id = engine.find_session(&session)?.session_id;
            list_rules(&engine.session_grants(&session_id)?, output);
            Ok(Exit::Done)
        }
        ApprovalsCommand::Withdraw { session } => {
            let session_id = engine.find_session(&session)?.session_id;
            list_rules(&engine.withdraw_session_grants(&session_id).await?, output);
            Ok(Exit::Done)
        }
    }
}

fn list(engine: &Engine, output: &Output) -> Result<Exit, Fault> {
    let records = engine.pending_approvals()?;
    for listed in records.iter().filter_map(|record| Listed::of(engine, record)) {
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
        let mark = if listed.expired { "(expired) " } else { "" };
        output.line(format!(
            "{}  {}  {}  {mark}{what}",
            requested.approval_id,
            time(listed.requested_at),
            visible(&requested.tool_id)
        ));
    }
    for open in engine.open_questions()? {
        follow::tell_question(output, &open.session_id, &open.asked);
    }
    Ok(Exit::Done)
}

fn show(engine: &Engine, id: &str, output: &Output) -> Result<Exit, Fault> {
    let record = engine.approval(&ApprovalId::from(id))?;
    let listed =
        Listed::of(engine, &record).ok_or_else(|| Fault::internal("an approval that this version cannot read"))?;
    if output.json {
        output.object(&listed);
        return Ok(Exit::Done);
    }
    let revealed = engine.revealed(&record);
    let requested = revealed.as_ref().unwrap_or(&listed.requested);
    output.line(format!("{}  risk: {}", visible(&requested.tool_id), format!("{:?}", requested.risk).to_lowercase()));
    output.line(visible(&requested.reason));
    if let Some(command) = &requested.command {
        output.line(format!("\n$ {}\n", visible(&command.command)));
        output.line(dim(&format!("in {}, sandbox: {}", visible(&command.directory), command.sandbox)));
    }
    for placeholder in engine.unresolved_secrets(&record) {
        output.line(format!(
            "{} stands for a secret that is not known here: nobody keeps what was typed. It can be approved in the \
             window where that is where it was typed; otherwise reject it and put the secret into a file yourself.",
            visible(&placeholder)
        ));
    }
    if let Ok(Some(rule)) = engine.proposed_rule(&requested.approval_id) {
        let rule = visible(&rule_text(&rule));
        output.line(dim(&format!("`approve --always`, or `--session` for this session only, would add: {rule}")));
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
        keep: Keep::Once,
        resolved_by: "cli",
    }
}

/// What is to be stored is told before it is; the engine refuses another, and says where there is none.
fn shown_rule(engine: &Engine, id: &str, scope: &str, output: &Output) -> Result<String, Fault> {
    let rule = engine.proposed_rule(&ApprovalId::from(id))?;
    let text = rule.as_ref().map(rule_text).unwrap_or_default();
    if !text.is_empty() {
        output.aside(format!("{scope}: {}", visible(&text)));
    }
    Ok(text)
}

fn list_rules(rules: &[RuleDefinition], output: &Output) {
    for rule in rules {
        match output.json {
            true => output.object(rule),
            false => output.line(visible(&rule_text(rule))),
        }
    }
}

async fn decide(engine: &Arc<Engine>, id: &str, resolution: Resolution, output: &Output) -> Result<Exit, Fault> {
    let subscription = engine.subscribe();
    let session_id = engine.resolve_approval(&ApprovalId::from(id), resolution).await?;
    match engine.go_on_after_decision(&session_id).await {
        Ok(running) => follow::to_next_stop(engine, output, subscription, running).await,
        Err(fault) if fault.is(Code::SESSION_BUSY) => {
            output.aside("Recorded. The Arki that works on this session goes on with it.");
            Ok(Exit::Done)
        }
        Err(fault) => Err(fault),
    }
}
