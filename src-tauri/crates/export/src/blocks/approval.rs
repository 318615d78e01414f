//! Approvals: the request to the user, and the decision.

use super::{Block, Speaker, Tone, quoted, text, words};
use arki_domain::projection::{AskedApproval, ItemPart};
use arki_domain::{ApprovalDecision, ApprovalRequested, ApprovalResolved, CommandPreview, Risk};

pub(super) fn part(asked: &AskedApproval, part: ItemPart) -> Vec<Block> {
    match (&asked.answer, part) {
        (Some(answer), ItemPart::Answer) => answered(answer),
        (_, ItemPart::Whole | ItemPart::Approval) => requested(&asked.request),
        _ => Vec::new(),
    }
}

fn requested(requested: &ApprovalRequested) -> Vec<Block> {
    let risk = match requested.risk {
        Risk::Low => "low",
        Risk::Medium => "medium",
        Risk::High => "high",
    };
    let line = vec![
        quoted(&requested.tool_id),
        words(format!(" needs an approval (risk: {risk}). ")),
        text(&requested.reason),
    ];
    let mut blocks = vec![Block::Statement { tone: Tone::Attention, line }];
    if let Some(CommandPreview { command, directory, sandbox, .. }) = &requested.command {
        blocks.push(Block::Command(command.clone()));
        let line = vec![words("In "), quoted(directory), words(", sandbox: "), quoted(sandbox)];
        blocks.push(Block::Statement { tone: Tone::Plain, line });
    }
    blocks.extend(requested.preview.iter().map(|preview| Block::Diff(preview.diff.clone())));
    blocks
}

pub(super) fn answered(resolved: &ApprovalResolved) -> Vec<Block> {
    let (tone, verb) = match resolved.decision {
        ApprovalDecision::Approve => (Tone::Good, "Approved"),
        ApprovalDecision::Reject => (Tone::Bad, "Rejected"),
    };
    let mut line = vec![words(format!("{verb} by ")), quoted(&resolved.resolved_by)];
    if let Some(hunks) = &resolved.hunks {
        let numbers: Vec<String> = hunks.iter().map(usize::to_string).collect();
        line.push(words(match numbers.as_slice() {
            [] => ", no hunk".to_owned(),
            [only] => format!(", hunk {only}"),
            several => format!(", hunks {}", several.join(", ")),
        }));
    }
    line.push(words("."));
    let mut blocks = vec![Block::Statement { tone, line }];
    for (hunk, edited) in &resolved.edited {
        let line = vec![words(format!("Hunk {hunk} was edited. Its new side:"))];
        blocks.extend([Block::Statement { tone: Tone::Plain, line }, Block::Replacement(edited.clone())]);
    }
    blocks.extend(resolved.reason.clone().map(|text| Block::Said { by: Speaker::Note, text }));
    blocks
}
