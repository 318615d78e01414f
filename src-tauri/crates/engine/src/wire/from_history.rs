//! From the engine's own forms of a session's past to the window's.

use super::{
    ChangedFile, ForkOrigin, LineKind, Plan, RewindPreview, SessionOverview, WireExportFormat, WireLineOrigin,
    WireSearchHit, WireSnippetPart,
};
use crate::{ExportFormat, FileLine, RewindPlan};
use arki_domain::Usage;
use arki_domain::projection::{Overview, UsageTotal};
use arki_store::SearchHit;
use arki_workspace::LineOrigin;

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

impl From<FileLine> for WireLineOrigin {
    fn from(line: FileLine) -> Self {
        let (kind, author) = match line.origin {
            LineOrigin::Before => (LineKind::Before, None),
            LineOrigin::User => (LineKind::User, None),
            LineOrigin::Arki(author) => (LineKind::Arki, Some(author)),
        };
        let call = author.as_ref().and_then(|author| author.call.clone());
        Self {
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
}

impl SessionOverview {
    /// What the log says; who runs the session and whether its log is whole is not in it.
    pub(crate) fn of(overview: &Overview, origin: Option<ForkOrigin>) -> Self {
        let plan = overview.plan.current();
        let changed = overview.changed_files.files().iter();
        Self {
            plan: plan.map(|plan| Plan { intent: plan.intent.clone(), steps: plan.steps.clone() }),
            usage: usage(overview.usage.session()),
            queue: overview.queue.messages().to_vec(),
            changed_files: changed
                .map(|(path, file)| ChangedFile {
                    path: path.clone(),
                    changes: u32::try_from(file.changes).unwrap_or(u32::MAX),
                    last_seq: file.last_seq,
                })
                .collect(),
            memory: overview.memory.observations().map(|remembered| remembered.text.clone()).collect(),
            origin,
            broken_at: None,
            run_by: None,
        }
    }
}

fn usage(total: &UsageTotal) -> Usage {
    Usage {
        prompt_tokens: total.prompt_tokens,
        completion_tokens: total.completion_tokens,
        total_tokens: total.total_tokens,
        cached_tokens: total.cached_tokens,
        cost_usd: total.cost_usd(),
        unknown: total.untold(),
        ..Usage::default()
    }
}

impl From<SearchHit> for WireSearchHit {
    fn from(hit: SearchHit) -> Self {
        Self {
            session_id: hit.session_id.to_string(),
            seq: hit.seq,
            r#type: hit.kind,
            ts: hit.ts,
            title: hit.title,
            project: hit.project,
            snippet: hit.snippet.into_iter().map(|part| WireSnippetPart { text: part.text, hit: part.hit }).collect(),
        }
    }
}

impl From<WireExportFormat> for ExportFormat {
    fn from(format: WireExportFormat) -> Self {
        match format {
            WireExportFormat::Jsonl => Self::JsonLines,
            WireExportFormat::Markdown => Self::Markdown,
            WireExportFormat::Html => Self::Html,
        }
    }
}
