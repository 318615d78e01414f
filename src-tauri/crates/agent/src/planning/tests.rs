//! Tests of reading plans: over a labelled corpus, and on texts of any kind.

use super::*;
use proptest::prelude::*;
use serde::Deserialize;
use std::collections::BTreeMap;

const TOOLS: [&str; 5] = ["read_file", "search_files", "list_directory", "write_file", "delete_file"];

/// An output of a model with what is to be read from it, or `unreadable` and how.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Labelled {
    kind: String,
    text: String,
    intent: Option<String>,
    #[serde(default)]
    steps: Vec<String>,
    #[serde(default)]
    calls: Vec<LabelledCall>,
    #[serde(default)]
    thoughts: String,
    unreadable: Option<String>,
}

#[derive(Deserialize)]
struct LabelledCall {
    tool: String,
    arguments: Value,
}

fn corpus() -> Vec<Labelled> {
    include_str!("corpus.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn read(text: &str) -> Result<ReadPlan, Unreadable> {
    read_planning(text, &|name| TOOLS.contains(&name))
}

fn calls(planning: &ReadPlan) -> Vec<(String, Value)> {
    let call = |call: &ToolRequest| (call.tool_id.clone(), serde_json::from_str(&call.arguments).unwrap());
    planning.calls.iter().map(call).collect()
}

/// Returns what is wrong, if anything is.
fn difference(labelled: &Labelled) -> Option<String> {
    let planning = match (read(&labelled.text), labelled.unreadable.as_deref()) {
        (Err(Unreadable::Prose), Some("prose")) | (Err(Unreadable::Broken(_)), Some("broken")) => return None,
        (Ok(planning), None) => planning,
        (other, _) => return Some(format!("{other:?}")),
    };
    let wanted: Vec<_> = labelled.calls.iter().map(|call| (call.tool.clone(), call.arguments.clone())).collect();
    let is_right = (&planning.intent, &planning.steps, &planning.thoughts)
        == (&labelled.intent, &labelled.steps, &labelled.thoughts)
        && calls(&planning) == wanted;
    (!is_right).then(|| format!("{planning:?}"))
}

/// With `--nocapture` it tells the rate of each kind.
#[test]
fn every_labelled_output_is_read_as_its_label_says() {
    let (mut kinds, mut wrong) = (BTreeMap::<String, (usize, usize)>::new(), Vec::new());
    let corpus = corpus();
    for labelled in &corpus {
        let kind = kinds.entry(labelled.kind.clone()).or_default();
        kind.1 += 1;
        match difference(labelled) {
            Some(difference) => wrong.push(format!("{}: {:?}\n  read as {difference}", labelled.kind, labelled.text)),
            None => kind.0 += 1,
        }
    }
    for (kind, (right, all)) in &kinds {
        println!("| {kind} | {right} of {all} |");
    }
    assert!(corpus.len() >= 200);
    assert!(wrong.is_empty(), "{} of {} are read wrongly\n{}", wrong.len(), corpus.len(), wrong.join("\n"));
}

#[test]
fn an_answer_that_is_nothing_but_a_plan_has_calls_and_any_other_is_an_answer() {
    let plan = r#"{"plan": ["b"], "toolCalls": [{"toolName": "read_file", "arguments": {"path": "b"}}]}"#;
    for text in [plan.to_owned(), format!("```json\n{plan}\n```"), format!("<think>hm</think>\n{plan}")] {
        assert_eq!(read_whole_plan(&text).unwrap().calls.len(), 1, "{text}");
    }
    for text in [
        format!("The form is:\n{plan}"),
        format!("{plan}\nThat is an example."),
        r#"{"plan": ["b"], "toolCalls": []}"#.to_owned(),
        r#"{"name": "read_file", "parameters": {"path": "b"}}"#.to_owned(),
        format!("<think>{plan}</think>Done."),
    ] {
        assert_eq!(read_whole_plan(&text), None, "{text}");
    }
}

#[test]
fn a_plan_is_bounded_and_so_is_one_that_repeats_itself() {
    let steps: Vec<String> = (0..1000).map(|number| format!("step {number}")).collect();
    let (kept, left_out) = bounded_steps(&steps);
    assert_eq!((kept.len(), left_out), (100, 900));
    let (kept, left_out) = bounded_steps(&vec!["again".to_owned(); 40]);
    assert_eq!((kept.len(), left_out), (3, 37));
    assert_eq!(bounded_steps(&["x".repeat(9000)]).0[0].title.len(), 500);
}

#[test]
fn what_never_ends_is_read_in_no_time() {
    for text in ["{".repeat(200_000), "[".repeat(200_000), r#"{"a":["#.repeat(50_000), "<think>".repeat(20_000)] {
        assert!(read(&text).is_err());
    }
}

/// Pieces from which texts are put together that may look like plans.
fn piece() -> impl Strategy<Value = String> {
    let pieces = [
        "<think>",
        "</think>",
        "```json\n",
        "\n```\n",
        "Intent: x\n",
        "Plan:\n1. y\n",
        "Tool Calls: ",
        "\n",
        "prose ",
        r#"{"intent": "x", "plan": ["y"], "toolCalls": ["#,
        r#"{"toolName": "read_file", "arguments": {"path": "a"}}"#,
        "]}",
        "[",
        "]",
        "{",
        "}",
        ",",
        "\"",
        "'",
        "`",
    ];
    prop_oneof![proptest::sample::select(pieces.to_vec()).prop_map(str::to_owned), ".{0,4}"]
}

proptest! {
    #[test]
    fn no_call_is_read_that_the_text_does_not_contain(pieces in prop::collection::vec(piece(), 0..14)) {
        let text = pieces.concat();
        if let Ok(planning) = read(&text) {
            let contained = text.matches(r#"{"toolName": "read_file", "arguments": {"path": "a"}}"#).count();
            let others = planning.calls.iter().filter(|call| call.tool_id != "read_file").count();
            prop_assert!(planning.calls.len() <= contained + others, "{text:?}: {planning:?}");
            for call in &planning.calls {
                prop_assert!(text.contains(&call.tool_id), "{text:?}: {planning:?}");
            }
        }
    }

    #[test]
    fn calls_inside_thoughts_are_none(before in ".{0,9}", after in ".{0,9}") {
        let call = r#"{"toolCalls": [{"toolName": "read_file", "arguments": {}}]}"#;
        for text in [format!("<think>{before}\n{call}\n{after}"), format!("<think>{before}\n{call}\n{after}</think>ok")] {
            if let Ok(planning) = read(&text) {
                prop_assert!(planning.calls.is_empty(), "{text:?}");
            }
        }
    }
}
