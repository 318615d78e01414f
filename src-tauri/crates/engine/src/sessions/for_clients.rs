//! Converts the engine's own forms of a session and its past to those for clients.

use crate::{FileLine, RewindPlan, SessionTool};
use arki_api::{LineKind, RewindPreview, SessionToolEntry};
use arki_files::LineOrigin;
use arki_store::EventSearchHit;

impl From<SessionTool> for SessionToolEntry {
    fn from(tool: SessionTool) -> Self {
        let (name, description) = (tool.definition.name.to_string(), tool.definition.description.to_string());
        Self { name, description, category: tool.definition.category, enabled: tool.enabled }
    }
}

impl From<RewindPlan> for RewindPreview {
    fn from(plan: RewindPlan) -> Self {
        Self {
            to_seq: plan.to_seq,
            changes: plan.files.into_iter().map(|planned| planned.file).collect(),
            diff: plan.diff,
            prompt: plan.prompt,
        }
    }
}

/// A line with who wrote it.
#[must_use]
pub fn line_origin(line: FileLine) -> arki_api::LineOrigin {
    let (kind, author) = match line.origin {
        LineOrigin::Before => (LineKind::Before, None),
        LineOrigin::User => (LineKind::User, None),
        LineOrigin::Arki(author) => (LineKind::Arki, Some(author)),
    };
    let call = author.as_ref().and_then(|author| author.call.clone());
    arki_api::LineOrigin {
        number: u32::try_from(line.number).unwrap_or(u32::MAX),
        text: line.text,
        kind,
        session_id: author.as_ref().map(|author| author.session_id.to_string()),
        run_id: author.as_ref().and_then(|author| author.run_id.as_ref().map(ToString::to_string)),
        turn: call.as_ref().map(|call| call.turn),
        prompt: call.as_ref().map(|call| call.prompt.clone()),
        call_id: call.as_ref().map(|call| call.call_id.to_string()),
        tool_id: call.as_ref().map(|call| call.tool_id.clone()),
        approval_id: call.as_ref().and_then(|call| call.approval_id.as_ref().map(ToString::to_string)),
        seq: author.as_ref().map(|author| author.seq),
        ts: author.as_ref().map(|author| author.ts),
    }
}

/// A place that a search found.
#[must_use]
pub fn search_hit(hit: EventSearchHit) -> arki_api::SearchHit {
    let part = |part: arki_store::SnippetPart| arki_api::SnippetPart { text: part.text, hit: part.hit };
    arki_api::SearchHit {
        session_id: hit.session_id.to_string(),
        seq: hit.seq,
        r#type: hit.kind,
        ts: hit.ts,
        title: hit.title,
        project: hit.project,
        snippet: hit.snippet.into_iter().map(part).collect(),
    }
}
