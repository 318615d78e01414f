//! `arki sessions configure`.

use crate::exit::{CommandExit, Exit};
use crate::output::{Printer, visible};
use arki_api::{ConfiguredSession, SessionChanges, SessionSettings};
use arki_engine::Engine;
use clap::Args;
use std::path::Path;

/// Change a session's model, effort, core, prompt, tools and context, from its next run on
#[derive(Debug, Args)]
pub(crate) struct ConfigureArguments {
    /// The id of a session or run
    id: String,
    /// Use this model; "" for the configured one
    #[arg(long, value_name = "PROVIDER/MODEL")]
    model: Option<String>,
    /// Set the reasoning effort: minimal, low, medium or high; "" for the configured one
    #[arg(long)]
    effort: Option<String>,
    /// Choose how the agent works: tool-loop or pes; "" for the configured core
    #[arg(long, value_name = "NAME")]
    core: Option<String>,
    /// Use this system prompt instead of the configured one; "" for the configured one
    #[arg(long, value_name = "TEXT")]
    system: Option<String>,
    /// Switch off a part of the context, by its id in `arki context ID`, or a tool as tool:NAME; repeatable
    #[arg(long, value_name = "PART")]
    off: Vec<String>,
    /// Switch a part or tool on again; repeatable
    #[arg(long, value_name = "PART")]
    on: Vec<String>,
}

pub(super) async fn run(engine: &Engine, arguments: &ConfigureArguments, output: &Printer) -> CommandExit {
    let ConfigureArguments { id, model, effort, core, system, off, on } = arguments;
    let session_id = engine.session_names().find_session(id)?.session_id;
    let (model, effort, core, system) = (model.clone(), effort.clone(), core.clone(), system.clone());
    let changes = SessionChanges { model, effort, core, system, off: off.clone(), on: on.clone() };
    engine.session_configuring().configure(&session_id, changes).await?;
    let next = engine.next_requests().next_request(Path::new(""), Some(&session_id))?;
    let off: Vec<&String> = next.parts.iter().filter(|part| part.off).filter_map(|part| part.id.as_ref()).collect();
    if output.json {
        let off = off.into_iter().cloned().collect();
        let SessionSettings { model, effort, core, system, .. } = next.settings;
        output.object(&ConfiguredSession { session_id, model, effort, core, system, off });
        return Ok(Exit::Done);
    }
    let set = |what: &str, value: &Option<String>| {
        output.line(format!("{what}: {}", value.as_ref().map_or("as configured".to_owned(), |value| visible(value))));
    };
    set("Model", &next.settings.model);
    set("Effort", &next.settings.effort);
    set("Core", &next.settings.core);
    set("System prompt", &next.settings.system);
    off.iter().for_each(|id| output.line(format!("Off: {}", visible(id))));
    output.aside("The session's next run begins with these settings.");
    Ok(Exit::Done)
}
