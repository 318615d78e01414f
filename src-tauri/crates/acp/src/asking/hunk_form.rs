//! A form in which hunks of a change are chosen.

use crate::asking::approval::{EditorAsker, ShownApproval};
use crate::asking::permission::{change_in_words, taken};
use crate::messages::{FormSchema, choice_field, choices_field, text_field};
use crate::rpc::AskFailure;
use arki_api::Resolution;
use arki_domain::{ChangePreview, Hunk};
use serde_json::{Map, Value};

const DECISION: &str = "decision";
const HUNKS: &str = "hunks";
const NOTE: &str = "note";
const ALL: &str = "all";
const SELECTED: &str = "selected";
const NONE: &str = "none";
const REVIEW: &str = "review";
const MAX_NOTE_CHARS: usize = 2_000;

pub(super) async fn ask(asker: &EditorAsker, shown: &ShownApproval) -> Result<Option<Resolution>, AskFailure> {
    let Some(preview) = &shown.requested.preview else { return Ok(None) };
    let hunks = arki_domain::plural(preview.hunks.len() as u64, "hunk");
    let files = arki_engine::one_line(&preview.files_affected.join(", "));
    let mut message = format!("Review {hunks} of this change: {files}");
    if let Some(words) = change_in_words(&shown.requested) {
        message = format!("{message}\n\n{words}");
    }
    let call = shown.call().tool_call_id;
    let Some(values) = asker.fill_in(Some(call), message, schema(preview)).await? else {
        return Ok(None);
    };
    let accepted = decided(preview, &values);
    Ok(accepted.map(|accepted| taken(&shown.requested, preview, accepted, note(&values))))
}

fn schema(preview: &ChangePreview) -> FormSchema {
    let decisions = [
        (ALL, "Accept all"),
        (SELECTED, "Accept the selected hunks"),
        (NONE, "Reject all"),
        (REVIEW, "Review in Arki"),
    ];
    let hunks: Vec<_> = preview.hunks.iter().map(|hunk| (hunk.index.to_string(), title(hunk))).collect();
    let hunks = hunks.iter().map(|(index, title)| (index.as_str(), title.as_str()));
    FormSchema::default()
        .with(DECISION, choice_field("Decision", decisions))
        .with(HUNKS, choices_field("Hunks", hunks))
        .with(NOTE, text_field("Note", "For the model; optional", Some(MAX_NOTE_CHARS as u64)))
        .requiring(DECISION)
}

fn title(hunk: &Hunk) -> String {
    let last = (hunk.new_start + hunk.new_lines).saturating_sub(1).max(hunk.new_start);
    format!("{}. {}, lines {}–{last}", hunk.index, arki_engine::one_line(&hunk.path), hunk.new_start)
}

/// Returns the hunks that are accepted, none for a rejection; `None` where the answer isn't clear, such as hunks selected
/// beside "Accept all".
fn decided(preview: &ChangePreview, values: &Map<String, Value>) -> Option<Vec<usize>> {
    let all: Vec<usize> = preview.hunks.iter().map(|hunk| hunk.index).collect();
    let selected = match values.get(HUNKS) {
        None | Some(Value::Null) => Vec::new(),
        Some(selected) => numbers(selected)?,
    };
    if selected.iter().any(|number| !all.contains(number)) {
        return None;
    }
    match values.get(DECISION)?.as_str()? {
        ALL if selected.is_empty() || selected.len() == all.len() => Some(all),
        SELECTED if !selected.is_empty() => Some(selected),
        NONE if selected.is_empty() => Some(Vec::new()),
        _ => None,
    }
}

fn numbers(selected: &Value) -> Option<Vec<usize>> {
    let mut numbers: Vec<usize> =
        selected.as_array()?.iter().map(|one| one.as_str()?.parse().ok()).collect::<Option<_>>()?;
    numbers.sort_unstable();
    numbers.dedup();
    Some(numbers)
}

fn note(values: &Map<String, Value>) -> Option<String> {
    let note = values.get(NOTE)?.as_str()?.trim();
    (!note.is_empty()).then(|| note.chars().take(MAX_NOTE_CHARS).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn preview() -> ChangePreview {
        let hunk = |index| Hunk {
            index,
            path: "a".into(),
            old_start: 1,
            old_lines: 1,
            new_start: 1,
            new_lines: 1,
            what: None,
            call_id: None,
        };
        ChangePreview {
            files_affected: vec!["a".into()],
            lines_changed: 3,
            diff: String::new(),
            diff_hash: None,
            hunks: vec![hunk(1), hunk(2), hunk(3)],
            preview_hash: String::new(),
        }
    }

    #[expect(clippy::needless_pass_by_value, reason = "made where it is passed")]
    fn answer(values: Value) -> Option<Vec<usize>> {
        decided(&preview(), values.as_object().unwrap())
    }

    #[test]
    fn a_clear_choice_is_taken() {
        assert_eq!(answer(json!({"decision": "all"})), Some(vec![1, 2, 3]));
        assert_eq!(answer(json!({"decision": "all", "hunks": ["3", "2", "1"]})), Some(vec![1, 2, 3]));
        assert_eq!(answer(json!({"decision": "selected", "hunks": ["3", "1", "3"]})), Some(vec![1, 3]));
        assert_eq!(answer(json!({"decision": "none", "hunks": []})), Some(Vec::new()));
    }

    #[test]
    fn anything_else_decides_nothing() {
        for unclear in [
            json!({}),
            json!({"decision": "review"}),
            json!({"decision": "selected"}),
            json!({"decision": "selected", "hunks": []}),
            json!({"decision": "selected", "hunks": ["4"]}),
            json!({"decision": "selected", "hunks": [1]}),
            json!({"decision": "selected", "hunks": "1"}),
            json!({"decision": "all", "hunks": ["1"]}),
            json!({"decision": "none", "hunks": ["1"]}),
            json!({"decision": ["all"]}),
            json!({"hunks": ["1"]}),
        ] {
            assert_eq!(answer(unclear.clone()), None, "{unclear}");
        }
    }

    #[test]
    fn nothing_is_selected_beforehand() {
        let form = serde_json::to_value(schema(&preview())).unwrap();
        assert!(!form.to_string().contains("default"), "{form}");
        assert_eq!(form["required"], json!(["decision"]));
        assert_eq!(form["properties"]["hunks"]["items"]["anyOf"][1]["const"], "2");
    }
}
