//! `arki rewind`: back to an earlier state. `arki undo`: takes one change back, alone.

use crate::exit::{CommandExit, Exit, wrong_use};
use crate::output::{Printer, visible, word_of};
use arki_api::PrintedRestoredFile;
use arki_domain::{Code, Error, RestoreAction};
use arki_engine::{EndedRun, Engine, RewindPlan, RewindScope};
use clap::Args;
use std::sync::Arc;

/// Restore files and conversation to their state after an event; the log keeps everything
#[derive(Debug, Args)]
pub(crate) struct RewindArguments {
    /// The id of a session or run
    session: String,
    /// The number of the event to go back to; later events are rewound
    #[arg(long, value_name = "SEQ", allow_negative_numbers = true)]
    to: u64,
    /// Rewind only the files; default: files and conversation
    #[arg(long)]
    files: bool,
    /// Rewind only the conversation
    #[arg(long)]
    conversation: bool,
    /// Only list the files that would change
    #[arg(long)]
    pub(super) dry_run: bool,
}

/// Files that an error names.
const MAX_NAMED: usize = 5;

pub(crate) async fn rewind(engine: &Arc<Engine>, arguments: &RewindArguments, output: &Printer) -> CommandExit {
    let session = engine.session_names().find_session(&arguments.session)?.session_id;
    // Neither named means both.
    let both = !arguments.files && !arguments.conversation;
    let scope = RewindScope { files: arguments.files || both, conversation: arguments.conversation || both };
    if arguments.dry_run {
        let plan = engine.rewinds().plan_rewind(&session, arguments.to, scope)?;
        print(&plan, output);
        plan.ended_run.iter().for_each(|run| output.aside(format!("This would end {}.", words(run))));
        return Ok(Exit::Done);
    }
    let done = engine.rewinds().rewind(&session, arguments.to, scope).await?;
    print(&done, output);
    done.ended_run.iter().for_each(|run| output.aside(format!("Ended {}.", words(run))));
    left_alone(&done).map_or(Ok(Exit::Done), Err)
}

fn print(plan: &RewindPlan, output: &Printer) {
    for planned in &plan.files {
        let file = PrintedRestoredFile { path: planned.file.path.clone(), action: planned.file.action };
        output.tell(&file, || format!("{:<8}  {}", word_of(file.action), visible(&file.path)));
    }
    if plan.files.is_empty() && plan.scope.files {
        output.aside("No file that Arki keeps snapshots of has changed since then.");
    }
}

fn words(run: &EndedRun) -> String {
    match &run.approval_id {
        Some(approval_id) => format!("the run {}, and with it the open approval {approval_id}", run.run_id),
        None => format!("the run {}, so that it can't be resumed", run.run_id),
    }
}

/// The rest went back, but whoever asked for all of it must know.
fn left_alone(plan: &RewindPlan) -> Option<Error> {
    let conflicts = plan.files.iter().filter(|planned| planned.file.action == RestoreAction::Conflict);
    let paths: Vec<String> = conflicts.map(|planned| visible(&planned.file.path)).collect();
    let named = match paths.len() {
        0 => return None,
        1..=MAX_NAMED => paths.join(", "),
        more => format!("{} and {} more", paths[..MAX_NAMED].join(", "), more - MAX_NAMED),
    };
    Some(Error::new(
        Code::CHANGE_CONFLICT,
        format!(
            "Rewound, except for these files: {named}. You changed the same lines since, their earlier content was \
            not kept, or their folder can't be written."
        ),
        "Check these files and edit them by hand; everything else was rewound.",
    ))
}

pub(crate) async fn undo(
    engine: &Arc<Engine>,
    session: &str,
    seq: Option<u64>,
    dry_run: bool,
    output: &Printer,
) -> CommandExit {
    let named = engine.session_names().find_place(session)?;
    let session = named.session.session_id;
    let seq = match (named.seq, seq) {
        (Some(named), Some(seq)) if named != seq => {
            return Err(which_change("The command names two different events."));
        }
        (named, seq) => named.or(seq).ok_or_else(|| which_change("The command doesn't name a change to undo."))?,
    };
    let plan = match dry_run {
        true => engine.rewinds().plan_take_back(&session, seq)?,
        false => engine.rewinds().take_back(&session, seq).await?,
    };
    print(&plan, output);
    Ok(Exit::Done)
}

fn which_change(what: &str) -> Error {
    wrong_use(what, "Run `arki blame FILE` to find it, such as 3f2a91c4#12, or `arki events ID` for the event numbers.")
}
