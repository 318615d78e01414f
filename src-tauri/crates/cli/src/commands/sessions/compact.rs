//! `arki sessions compact`.

use crate::exit::Exit;
use crate::follow::asked_to_stop;
use crate::output::Printer;
use arki_api::{Compaction, PrintedCompaction};
use arki_domain::{CompactionStrategy, Error};
use arki_engine::{Compacted, Engine};
use clap::Args;

/// Make a session's conversation shorter for the model; the log keeps everything
#[derive(Debug, Args)]
pub(crate) struct CompactArguments {
    /// The id of a session or run
    id: String,
    /// Say what the summary must keep above all
    #[arg(long, value_name = "TEXT")]
    focus: Option<String>,
}

pub(super) async fn run(
    engine: &Engine,
    CompactArguments { id, focus }: &CompactArguments,
    output: &Printer,
) -> Result<Exit, Error> {
    let session = engine.session_names().find_session(id)?;
    match engine.compactions().compact(&session.session_id, focus.as_deref(), asked_to_stop()).await? {
        Compacted::Stopped => return Ok(Exit::Cancelled),
        Compacted::NothingToDo => {
            let object = PrintedCompaction { session_id: session.session_id, compacted: false, done: None };
            output.tell(&object, || "Nothing can be left out yet.");
        }
        Compacted::Done(event) => {
            let (strategy, before, after) = (event.strategy, event.tokens_before, event.tokens_after);
            let done = Some(Compaction { strategy, tokens_before: before, tokens_after: after });
            let object = PrintedCompaction { session_id: session.session_id, compacted: true, done };
            output.tell(&object, || format!("Compacted ({}): {before} to {after} tokens.", word_of_strategy(strategy)));
        }
    }
    Ok(Exit::Done)
}

pub(crate) fn word_of_strategy(strategy: CompactionStrategy) -> String {
    serde_json::to_value(strategy).ok().and_then(|word| word.as_str().map(str::to_owned)).unwrap_or_default()
}
