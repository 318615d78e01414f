//! `arki context`: the next request part by part, and what compactions left out.

use crate::exit::{CommandExit, Exit};
use crate::output::{Printer, dim, visible, word_of};
use arki_api::NextRequest;
use arki_engine::Engine;
use std::path::Path;

/// The greatest width of a part's bar.
const BAR_WIDTH: usize = 20;

pub(crate) fn run(engine: &Engine, dir: &Path, session: Option<&str>, output: &Printer) -> CommandExit {
    let session = session.map(|id| engine.session_names().find_session(id)).transpose()?;
    let next = engine.next_requests().next_request(dir, session.as_ref().map(|session| &session.session_id))?;
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
