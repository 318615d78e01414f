//! `arki context`: the next request part by part, and what compactions left out. `arki sessions compact`: makes it shorter.

use crate::exit::Exit;
use crate::output::{Output, dim, visible};
use arki_domain::Fault;
use arki_engine::{Compacted, Engine, NextRequest};
use serde_json::json;
use std::path::Path;

/// The greatest width of a part's bar.
const BAR_WIDTH: usize = 20;

pub(crate) fn run(engine: &Engine, dir: &Path, session: Option<&str>, output: &Output) -> Result<Exit, Fault> {
    let session = session.map(|id| engine.sessions().find_session(id)).transpose()?;
    let next = engine.runs().next_request(dir, session.as_ref().map(|session| &session.session_id))?;
    match output.json {
        true => next.view.parts.iter().for_each(|part| output.object(part)),
        false => show(&next, output),
    }
    Ok(Exit::Done)
}

fn show(next: &NextRequest, output: &Output) {
    let view = &next.view;
    for part in &view.parts {
        let filled = ((part.share * BAR_WIDTH as f64).round() as usize).min(BAR_WIDTH);
        let bar = format!("{}{}", "█".repeat(filled), "·".repeat(BAR_WIDTH - filled));
        let origin = visible(&part.origin);
        output.line(format!("{:>8}  {bar}  {:<10} {}", part.tokens, part.part, dim(&origin)));
    }
    let window = match view.window {
        Some(window) if window > 0 => {
            format!(" of {window} ({} %)", view.total_tokens.saturating_mul(100) / window)
        }
        _ => " (the model's window is not known)".to_owned(),
    };
    output.line(format!("{:>8}  tokens{window}, {}", view.total_tokens, visible(&next.model)));
    for (seq, compacted) in &next.compactions {
        let strategy = serde_json::to_value(compacted.strategy).ok();
        let strategy = strategy.as_ref().and_then(|word| word.as_str()).unwrap_or_default();
        output.line(format!(
            "#{seq}  compacted ({strategy}): {} to {} tokens, target {}",
            compacted.tokens_before, compacted.tokens_after, compacted.target_tokens
        ));
    }
    if view.left_out.tokens > 0 {
        let (messages, tokens) = (view.left_out.messages, view.left_out.tokens);
        output
            .line(format!("Left out: {messages} messages and old results, about {tokens} tokens. The log keeps them."));
    }
}

pub(crate) async fn compact(engine: &Engine, id: &str, focus: Option<&str>, output: &Output) -> Result<Exit, Fault> {
    let session = engine.sessions().find_session(id)?;
    match engine.runs().compact(&session.session_id, focus).await? {
        Compacted::NothingToDo if output.json => {
            output.object(&json!({"sessionId": session.session_id, "compacted": false}));
        }
        Compacted::NothingToDo => output.line("There is nothing to leave out."),
        Compacted::Done(event) if output.json => {
            output.object(
                &json!({"sessionId": session.session_id, "compacted": true, "tokensBefore": event.tokens_before,
                "tokensAfter": event.tokens_after}),
            );
        }
        Compacted::Done(event) => {
            output.line(format!("Compacted: {} to {} tokens.", event.tokens_before, event.tokens_after));
        }
    }
    Ok(Exit::Done)
}
