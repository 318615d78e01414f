//! The parts of a review of several edits: each edit's question and answer, as if it had been asked about alone.

use crate::{ApprovalDecision, ApprovalRequested, ApprovalResolved, CallId, ChangePreview, Hunk};
use std::collections::{BTreeMap, BTreeSet};

/// The beginning of a file's part of a diff; lines of a file begin with a sign.
const FILE_START: &str = "diff --git ";

impl ApprovalRequested {
    /// Returns the question about one of its edits, with hunks that count from 1; all of it where it is about one call.
    #[must_use]
    pub fn part(&self, call_id: &CallId) -> Self {
        let place = self.calls.iter().position(|edit| edit.call_id == *call_id);
        let (Some(place), Some(preview)) = (place, &self.preview) else { return self.clone() };
        let edit = &self.calls[place];
        let before: usize = self.calls[..place].iter().map(|edit| edit.files).sum();
        let hunks: Vec<Hunk> = (1..)
            .zip(own_hunks(preview, call_id))
            .map(|(index, hunk)| Hunk { index, call_id: None, ..hunk.clone() })
            .collect();
        let paths: BTreeSet<&String> = hunks.iter().map(|hunk| &hunk.path).collect();
        Self {
            call_id: Some(call_id.clone()),
            calls: Vec::new(),
            preview: Some(ChangePreview {
                files_affected: paths.into_iter().cloned().collect(),
                lines_changed: edit.lines_changed,
                diff: files_of(&preview.diff, before, edit.files),
                diff_hash: None,
                preview_hash: edit.preview_hash.clone(),
                hunks,
            }),
            ..self.clone()
        }
    }

    /// Returns the number of hunks that are shown before those of `call_id`.
    #[must_use]
    pub fn hunks_before(&self, call_id: &CallId) -> usize {
        let hunks = self.preview.iter().flat_map(|preview| &preview.hunks);
        if self.calls.is_empty() {
            return 0;
        }
        hunks.take_while(|hunk| hunk.call_id.as_ref() != Some(call_id)).count()
    }

    /// Returns whether `call_id` is one of several edits, and one before it that changes the same file is not accepted
    /// as it was shown.
    #[must_use]
    pub fn rests_on_unaccepted(&self, resolved: &ApprovalResolved, call_id: &CallId) -> bool {
        let Some(place) = self.calls.iter().position(|edit| edit.call_id == *call_id) else { return false };
        let Some(preview) = &self.preview else { return false };
        let paths: BTreeSet<&String> = own_hunks(preview, call_id).map(|hunk| &hunk.path).collect();
        let before: BTreeSet<&CallId> = self.calls[..place].iter().map(|edit| &edit.call_id).collect();
        preview.hunks.iter().any(|hunk| {
            hunk.call_id.as_ref().is_some_and(|call| before.contains(call))
                && paths.contains(&hunk.path)
                && !resolved.is_accepted_as_shown(hunk.index)
        })
    }
}

impl ApprovalResolved {
    /// Returns the answer for one of the edits that were asked about together.
    #[must_use]
    pub fn part(&self, requested: &ApprovalRequested, call_id: &CallId) -> Self {
        let edit = requested.calls.iter().find(|edit| edit.call_id == *call_id);
        let (Some(edit), Some(preview)) = (edit, &requested.preview) else { return self.clone() };
        let numbers: BTreeMap<usize, usize> = own_hunks(preview, call_id).map(|hunk| hunk.index).zip(1..).collect();
        let own = |index: &usize| numbers.get(index).copied();
        let hunks: Option<Vec<usize>> = self.hunks.as_ref().map(|hunks| hunks.iter().filter_map(own).collect());
        let edited: BTreeMap<usize, String> =
            self.edited.iter().filter_map(|(index, text)| Some((own(index)?, text.clone()))).collect();
        let keeps_nothing = hunks.as_ref().is_some_and(Vec::is_empty) && edited.is_empty();
        Self {
            decision: if keeps_nothing { ApprovalDecision::Reject } else { self.decision },
            hunks,
            edited,
            preview_hash: edit.preview_hash.clone(),
            ..self.clone()
        }
    }

    fn is_accepted_as_shown(&self, hunk: usize) -> bool {
        self.decision == ApprovalDecision::Approve
            && self.hunks.as_ref().is_none_or(|hunks| hunks.contains(&hunk))
            && !self.edited.contains_key(&hunk)
    }
}

fn own_hunks<'a>(preview: &'a ChangePreview, call_id: &'a CallId) -> impl Iterator<Item = &'a Hunk> {
    preview.hunks.iter().filter(move |hunk| hunk.call_id.as_ref() == Some(call_id))
}

/// The parts of `count` files of a diff, from the one at `first` on.
fn files_of(diff: &str, first: usize, count: usize) -> String {
    let mut files = 0;
    let is_own = |line: &&str| {
        files += usize::from(line.starts_with(FILE_START));
        (first + 1..=first + count).contains(&files)
    };
    diff.split_inclusive('\n').filter(is_own).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    const ONE: &str = "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+b\n@@ -9 +9 @@\n-x\n+y\n";
    const TWO: &str = "diff --git a/b b/b\n--- a/b\n+++ b/b\n@@ -1 +1 @@\n-a\n+b\n";
    const THREE: &str = "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-b\n+diff --git c\n";

    fn asked() -> ApprovalRequested {
        let hunk = |index: usize, path: &str, call: &str| json!({"index": index, "path": path, "oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 1, "callId": call});
        let edit = |call: &str| json!({"callId": call, "toolId": "edit_file", "args": {}, "risk": "low", "files": 1, "linesChanged": 2, "previewHash": call});
        serde_json::from_value(json!({
            "approvalId": "a1", "callId": "one", "toolId": "edit_file", "args": {}, "risk": "low", "rule": "", "reason": "",
            "calls": [edit("one"), edit("two"), edit("three")],
            "preview": {
                "filesAffected": ["a", "b"], "linesChanged": 6, "previewHash": "all",
                "diff": format!("{ONE}{TWO}{THREE}"),
                "hunks": [hunk(1, "a", "one"), hunk(2, "a", "one"), hunk(3, "b", "two"), hunk(4, "a", "three")],
            },
        }))
        .unwrap()
    }

    fn answer(fields: Value) -> ApprovalResolved {
        let mut all = json!({"approvalId": "a1", "decision": "approve", "resolvedBy": "cli", "previewHash": "all"});
        let fields: serde_json::Map<String, Value> = serde_json::from_value(fields).unwrap();
        all.as_object_mut().unwrap().extend(fields);
        serde_json::from_value(all).unwrap()
    }

    #[test]
    fn each_edit_has_its_own_part_of_the_diff_with_its_own_numbers() {
        let asked = asked();
        for (call, diff, hunks, path) in [("one", ONE, 2, "a"), ("two", TWO, 1, "b"), ("three", THREE, 1, "a")] {
            let part = asked.part(&CallId::from(call)).preview.unwrap();
            assert_eq!((part.diff.as_str(), part.preview_hash.as_str()), (diff, call));
            assert_eq!(part.files_affected, [path]);
            assert_eq!(part.hunks.iter().map(|hunk| hunk.index).collect::<Vec<_>>(), (1..=hunks).collect::<Vec<_>>());
        }
        let before = |call: &str| asked.hunks_before(&CallId::from(call));
        assert_eq!((before("one"), before("two"), before("three"), asked.waiting_calls().count()), (0, 2, 3, 3));
    }

    #[test]
    fn an_answer_falls_into_one_for_each_edit() {
        let asked = asked();
        let part = |fields: Value, call: &str| {
            let part = answer(fields).part(&asked, &CallId::from(call));
            (part.decision, part.hunks, part.edited)
        };
        let approve = ApprovalDecision::Approve;
        assert_eq!(part(json!({}), "three"), (approve, None, BTreeMap::new()));
        let some = json!({"hunks": [2, 4], "edited": {"2": "z\n"}});
        assert_eq!(part(some.clone(), "one"), (approve, Some(vec![2]), BTreeMap::from([(2, "z\n".to_owned())])));
        assert_eq!(part(some.clone(), "two"), (ApprovalDecision::Reject, Some(vec![]), BTreeMap::new()));
        assert_eq!(part(some, "three"), (approve, Some(vec![1]), BTreeMap::new()));
    }

    #[test]
    fn an_edit_on_top_of_one_that_is_not_accepted_as_shown_is_known() {
        let asked = asked();
        let rests = |fields: Value, call: &str| asked.rests_on_unaccepted(&answer(fields), &CallId::from(call));
        assert!(!rests(json!({}), "three"));
        assert!(!rests(json!({"hunks": [1, 2, 4]}), "three"));
        assert!(rests(json!({"hunks": [1, 3, 4]}), "three"));
        assert!(rests(json!({"edited": {"1": "z\n"}}), "three"));
        assert!(!rests(json!({"hunks": [3]}), "two"));
    }
}
