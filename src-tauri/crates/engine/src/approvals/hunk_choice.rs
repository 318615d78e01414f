//! Checks which hunks of a preview a decision names, before it is recorded: a decision can't be made twice.

use arki_api::Resolution;
use arki_domain::{ApprovalDecision, ApprovalRequested, Code, Error, Hunk, WholeChange};
use std::collections::{BTreeMap, BTreeSet};

pub(super) fn check_hunks(requested: &ApprovalRequested, resolution: &Resolution) -> Result<(), Error> {
    let hunks = requested.preview.as_ref().map(|preview| &preview.hunks[..]).unwrap_or_default();
    let known: BTreeMap<usize, &Hunk> = hunks.iter().map(|hunk| (hunk.index, hunk)).collect();
    let edited: BTreeSet<usize> = resolution.edited.iter().flat_map(BTreeMap::keys).copied().collect();
    let named = || resolution.hunks.iter().flatten().chain(&edited);
    if let Some(index) = named().find(|index| !known.contains_key(index)) {
        let message = format!("The preview has no hunk {index}; it has {}.", hunks.len());
        let hint = format!("`arki approvals show {}` numbers the hunks.", requested.approval_id);
        return Err(Error::new(Code::HUNK_UNKNOWN, message, hint));
    }
    if let Some(hunk) = edited.iter().filter_map(|index| known.get(index)).find(|hunk| hunk.what.is_some()) {
        let message = format!("Hunk {} of {} has no lines to edit.", hunk.index, hunk.path);
        return Err(Error::new(Code::HUNK_NOT_EDITABLE, message, "Accept or reject it as a whole."));
    }
    if resolution.decision == ApprovalDecision::Reject || resolution.hunks.is_none() {
        return Ok(());
    }
    let accepted: BTreeSet<usize> = named().copied().collect();
    hunks.chunk_by(Hunk::is_beside).try_for_each(|file| check_move(file, &accepted))
}

/// The hunks of a moved file can't be accepted without its move.
fn check_move(file: &[Hunk], accepted: &BTreeSet<usize>) -> Result<(), Error> {
    let is_accepted = |hunk: &&Hunk| accepted.contains(&hunk.index);
    let moved = file.iter().find(|hunk| hunk.what == Some(WholeChange::Move));
    match (moved.filter(|hunk| !is_accepted(hunk)), file.iter().find(is_accepted)) {
        (Some(needed), Some(hunk)) => Err(Error::new(
            Code::HUNK_NEEDS_MOVE,
            format!("Hunk {} changes {}, which hunk {} moves there.", hunk.index, hunk.path, needed.index),
            format!("Accept hunk {} too, or reject both.", needed.index),
        )),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(resolution: serde_json::Value) -> Result<(), Error> {
        let hunk = |index: usize, path: &str, lines: usize, what: Option<&str>| {
            let mut hunk = json!({"index": index, "path": path, "oldStart": lines, "oldLines": lines, "newStart": lines, "newLines": lines});
            if let Some(what) = what {
                hunk["what"] = what.into();
            }
            hunk
        };
        let requested = json!({
            "approvalId": arki_domain::ApprovalId::new(), "callId": null, "toolId": "run_command", "args": {},
            "risk": "low", "rule": "", "reason": "",
            "preview": {
                "filesAffected": ["a", "b", "c"], "linesChanged": 2, "previewHash": "",
                "hunks": [hunk(1, "a", 1, None), hunk(2, "c", 0, Some("move")), hunk(3, "c", 0, Some("mode")), hunk(4, "c", 1, None)],
            },
        });
        let requested: ApprovalRequested = serde_json::from_value(requested).unwrap();
        let resolution: Resolution = serde_json::from_value(resolution).unwrap();
        check_hunks(&requested, &resolution)
    }

    #[test]
    fn what_can_not_be_accepted_is_refused_before_it_is_recorded() {
        let approve = |hunks: &[usize], edited: serde_json::Value| {
            check(json!({"decision": "approve", "hunks": hunks, "edited": edited}))
        };
        assert!(approve(&[1], json!({})).is_ok());
        assert!(approve(&[2], json!({})).is_ok());
        assert!(approve(&[2, 4], json!({})).is_ok());
        assert!(approve(&[2], json!({"4": "x"})).is_ok());
        assert!(approve(&[5], json!({})).is_err_and(|error| error.is(Code::HUNK_UNKNOWN)));
        assert!(approve(&[1, 3], json!({})).is_err_and(|error| error.is(Code::HUNK_NEEDS_MOVE)));
        assert!(approve(&[4], json!({})).is_err_and(|error| error.is(Code::HUNK_NEEDS_MOVE)));
        assert!(approve(&[1], json!({"4": "x"})).is_err_and(|error| error.is(Code::HUNK_NEEDS_MOVE)));
        assert!(approve(&[2], json!({"3": "x"})).is_err_and(|error| error.is(Code::HUNK_NOT_EDITABLE)));
        assert!(check(json!({"decision": "approve"})).is_ok());
        assert!(check(json!({"decision": "reject", "hunks": []})).is_ok());
    }
}
