//! `arki context`: the next request part by part, and what compactions left out. `arki sessions compact` makes it shorter,
//! `arki sessions configure` changes what it's made of.

use crate::arguments::ConfigureArguments;
use crate::exit::Exit;
use crate::follow::asked_to_stop;
use crate::output::{Printer, dim, visible};
use arki_api::{NextRequest, SessionChanges};
use arki_domain::{CompactionStrategy, Fault};
use arki_engine::{Compacted, Engine};
use serde_json::json;
use std::path::Path;

/// The greatest width of a part's bar.
const BAR_WIDTH: usize = 20;

pub(crate) fn run(engine: &Engine, dir: &Path, session: Option<&str>, output: &Printer) -> Result<Exit, Fault> {
    let session = session.map(|id| engine.sessions().find_session(id)).transpose()?;
    let next = engine.runs().next_request(dir, session.as_ref().map(|session| &session.session_id))?;
    match output.json {
        true => next.parts.iter().for_each(|part| output.object(part)),
        false => show(&next, output),
    }
    next.warnings.iter().for_each(|warning| output.aside(visible(warning)));
    Ok(Exit::Done)
}

fn show(next: &NextRequest, output: &Printer) {
    for part in &next.parts {
        let filled = ((part.share * BAR_WIDTH as f64).round() as usize).min(BAR_WIDTH);
        let bar = format!("{}{}", "█".repeat(filled), "·".repeat(BAR_WIDTH - filled));
        let id = part.id.as_ref().map(|id| format!("  [{}]", visible(id))).unwrap_or_default();
        let off = if part.off { "  (off)" } else { "" };
        let origin = format!("{}{id}{off}", visible(&part.origin));
        output.line(format!("{:>8}  {bar}  {:<10} {}", part.tokens, visible(&part.part), dim(&origin)));
    }
    let window = match next.window {
        Some(window) if window > 0 => {
            format!(" of {window} ({} %)", next.total_tokens.saturating_mul(100) / window)
        }
        _ => " (the model's context window is unknown)".to_owned(),
    };
    output.line(format!("{:>8}  tokens{window}, {}", next.total_tokens, visible(&next.model)));
    for compacted in &next.compactions {
        let strategy = word_of(compacted.strategy);
        output.line(format!(
            "#{}  compacted ({strategy}): {} to {} tokens, target {}",
            compacted.seq, compacted.tokens_before, compacted.tokens_after, compacted.target_tokens
        ));
    }
    if next.left_out.tokens > 0 {
        let (messages, tokens) = (next.left_out.messages, next.left_out.tokens);
        output
            .line(format!("Left out: {messages} messages and old results, about {tokens} tokens. The log keeps them."));
    }
}

fn word_of(strategy: CompactionStrategy) -> String {
    serde_json::to_value(strategy).ok().and_then(|word| word.as_str().map(str::to_owned)).unwrap_or_default()
}

pub(crate) async fn compact(engine: &Engine, id: &str, focus: Option<&str>, output: &Printer) -> Result<Exit, Fault> {
    let session = engine.sessions().find_session(id)?;
    match engine.runs().compact(&session.session_id, focus, asked_to_stop()).await? {
        Compacted::Stopped => return Ok(Exit::Cancelled),
        Compacted::NothingToDo if output.json => {
            output.object(&json!({"sessionId": session.session_id, "compacted": false}));
        }
        Compacted::NothingToDo => output.line("Nothing can be left out yet."),
        Compacted::Done(event) if output.json => {
            output.object(
                &json!({"sessionId": session.session_id, "compacted": true, "strategy": event.strategy, "tokensBefore": event.tokens_before,
                "tokensAfter": event.tokens_after}),
            );
        }
        Compacted::Done(event) => {
            let strategy = word_of(event.strategy);
            output.line(format!("Compacted ({strategy}): {} to {} tokens.", event.tokens_before, event.tokens_after));
        }
    }
    Ok(Exit::Done)
}

pub(crate) async fn configure(
    engine: &Engine,
    arguments: &ConfigureArguments,
    output: &Printer,
) -> Result<Exit, Fault> {
    let ConfigureArguments { id, model, effort, core, system, off, on } = arguments;
    let session_id = engine.sessions().find_session(id)?.session_id;
    let (model, effort, core, system) = (model.clone(), effort.clone(), core.clone(), system.clone());
    let changes = SessionChanges { model, effort, core, system, off: off.clone(), on: on.clone() };
    engine.runs().configure(&session_id, changes).await?;
    let next = engine.runs().next_request(Path::new(""), Some(&session_id))?;
    let off: Vec<&String> = next.parts.iter().filter(|part| part.off).filter_map(|part| part.id.as_ref()).collect();
    if output.json {
        let settings = &next.settings;
        output.object(&json!({"sessionId": session_id, "model": settings.model, "effort": settings.effort,
            "core": settings.core, "system": settings.system, "off": off}));
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
