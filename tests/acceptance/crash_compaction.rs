//! The model of the crash tests around compactions: it reads long files one after the other and notes some of them down,
//! in a window that a few of them fill. Which file comes next is read off its last call alone, for that one is never
//! left out.
#![cfg(unix)]

use crate::compaction;
use crate::crash_script::GOAL;
use crate::harness::{Stage, payloads, text};
use arki_testkit::{Script, Turn};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::time::Duration;

const PARTS: usize = 24;
/// Parts that are noted down in a file.
const NOTED_ONE_OF: usize = 5;
const WINDOW_TOKENS: usize = 12_288;
/// Long enough for a kill to come in the middle of a summary.
const SUMMARY_PAUSE: Duration = Duration::from_millis(5);

pub(crate) fn stage() -> Stage {
    let stage = Stage::of(Script::new(vec![Turn::computed(answer)]));
    for part in 0..PARTS {
        stage.write(&part_path(part), format!("a line of part {part}\n").repeat(300));
    }
    let window = WINDOW_TOKENS.to_string();
    stage.arki(&["config", "set", "providers.mock.models.mock.contextWindow", &window]).exits(0);
    stage
}

/// No result was taken out twice, and each compaction reaches further than the one before.
pub(crate) fn nothing_is_compacted_twice(log: &[Value]) {
    let compacted = payloads(log, "context.compacted");
    assert!(!compacted.is_empty());
    let mut taken_out = HashSet::new();
    let mut dropped_to = 0;
    for one in &compacted {
        assert!(one["tokensAfter"].as_u64() < one["tokensBefore"].as_u64(), "{one}");
        for call in one["prunedCalls"].as_array().into_iter().flatten() {
            assert!(taken_out.insert(text(call)), "{call} was taken out twice");
        }
        if let Some(last) = one["droppedSeqRange"][1].as_u64() {
            assert!(last > dropped_to, "dropped up to {dropped_to} before: {one}");
            dropped_to = last;
        }
    }
}

fn answer(request: &Value) -> Turn {
    if compaction::is_summary(request) {
        return compaction::answer(request, "The parts were read in their order.", None).chunk_pause(SUMMARY_PAUSE);
    }
    match last_call(request) {
        None => read(request, 0),
        Some(("read_file", part)) if part % NOTED_ONE_OF == 0 => note(request, part),
        Some((_, part)) if part + 1 < PARTS => read(request, part + 1),
        Some(_) => compaction::answer(request, GOAL, None),
    }
}

fn read(request: &Value, part: usize) -> Turn {
    let words = format!("I read part {part} next. ").repeat(40);
    compaction::answer(request, &words, Some(("read_file", json!({"path": part_path(part)}))))
}

fn note(request: &Value, part: usize) -> Turn {
    let args = json!({"path": format!("notes/{part}.txt"), "content": format!("a note of part {part}\n")});
    compaction::answer(request, "", Some(("write_file", args)))
}

/// The tool and the part that the model's last call was for.
fn last_call(request: &Value) -> Option<(&'static str, usize)> {
    let messages = request["messages"].as_array()?;
    let call = messages.iter().rev().find_map(|message| message["tool_calls"].as_array()?.last().cloned())?;
    let args: Value = serde_json::from_str(call["function"]["arguments"].as_str()?).ok()?;
    let digits: String = args["path"].as_str()?.chars().filter(char::is_ascii_digit).collect();
    let tool = if call["function"]["name"] == "read_file" { "read_file" } else { "write_file" };
    Some((tool, digits.parse().ok()?))
}

fn part_path(part: usize) -> String {
    format!("parts/{part}.txt")
}
