//! The steps of a plan: read as models list them, and bounded.

use arki_domain::projection::{MAX_PLAN_STEPS, MAX_PLAN_TEXT_BYTES};
use arki_domain::{PlanStep, PlanStepState};
use serde_json::Value;
use std::collections::HashMap;

/// The times that the same step may be in a plan; a model that repeats itself has more.
const MAX_SAME_STEPS: usize = 3;

const NAMES: [&str; 8] = ["title", "step", "description", "text", "task", "action", "name", "content"];

pub(super) fn of_json(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => of_text(text),
        Value::Array(steps) => steps.iter().filter_map(one).collect(),
        _ => Vec::new(),
    }
}

fn one(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Object(fields) => {
            NAMES.iter().find_map(|name| fields.get(*name).and_then(Value::as_str)).map(str::to_owned)?
        }
        _ => return None,
    };
    let text = without_bullet(text.trim()).unwrap_or(text.trim()).to_owned();
    (!text.is_empty()).then_some(text)
}

/// One step a line; lines that go on with the step above belong to it where steps have bullets or numbers.
pub(super) fn of_text(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().map(str::trim_end).filter(|line| !line.trim().is_empty()).collect();
    let has_bullets = lines.iter().any(|line| without_bullet(line.trim()).is_some());
    let mut steps: Vec<String> = Vec::new();
    for line in lines {
        match (without_bullet(line.trim()), steps.last_mut()) {
            (Some(step), _) => steps.push(step.to_owned()),
            (None, Some(last)) if has_bullets && line.starts_with([' ', '\t']) => {
                last.push(' ');
                last.push_str(line.trim());
            }
            // Prose after a list is none of it.
            (None, Some(_)) if has_bullets => break,
            (None, None) if has_bullets => {}
            (None, _) => steps.push(line.trim().to_owned()),
        }
    }
    steps
}

fn without_bullet(line: &str) -> Option<&str> {
    let bare =
        line.strip_prefix("- [ ] ").or_else(|| ["- ", "* ", "• ", "+ "].iter().find_map(|b| line.strip_prefix(b)));
    if let Some(bare) = bare {
        return Some(numbered(bare).unwrap_or(bare).trim());
    }
    numbered(line)
}

/// `1. …`, `1) …`, `Step 1: …`
fn numbered(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("Step ").or_else(|| line.strip_prefix("step ")).unwrap_or(line);
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    if !(1..=4).contains(&digits) {
        return None;
    }
    let after = rest[digits..].strip_prefix(['.', ')', ':'])?;
    after.starts_with(' ').then(|| after.trim())
}

/// Returns the steps that are kept of a plan, and the number of those that are not: it may be endless, or repeat itself.
pub(crate) fn bounded_steps(steps: &[String]) -> (Vec<PlanStep>, usize) {
    let mut seen: HashMap<&str, usize> = HashMap::new();
    let mut kept = Vec::new();
    for step in steps {
        let times = seen.entry(step).or_default();
        *times += 1;
        if *times <= MAX_SAME_STEPS && kept.len() < MAX_PLAN_STEPS {
            kept.push(PlanStep { title: cut(step), state: PlanStepState::Pending });
        }
    }
    let left_out = steps.len() - kept.len();
    (kept, left_out)
}

pub(crate) fn cut(text: &str) -> String {
    if text.len() <= MAX_PLAN_TEXT_BYTES {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(MAX_PLAN_TEXT_BYTES - '…'.len_utf8());
    format!("{}…", &text[..end])
}
