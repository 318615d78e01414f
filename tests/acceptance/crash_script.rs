//! The model of the crash tests: which step comes next is read off the conversation alone, so that a request that is
//! repeated after a crash gets the same answer. A command whose effect is unknown it checks first.
#![cfg(unix)]

use crate::harness::{Stage, text};
use arki_testkit::{Script, Turn};
use serde_json::{Value, json};

pub(crate) const STEPS: usize = 30;
pub(crate) const GOAL: &str = "All steps are done. ";
const JOURNAL: &str = "journal.txt";
/// Steps that the model asks for in one answer.
const TOGETHER: &[&[usize]] = &[&[1, 2], &[9, 10], &[20, 21]];

struct Step {
    number: usize,
    tool: &'static str,
    args: Value,
}

/// A call of the conversation with its result.
struct Made {
    tool: String,
    args: Value,
    result: String,
}

enum Standing {
    ToDo,
    ToCheck,
    Done,
    Failed(String),
}

/// A stage where `arki exec` has these steps before it.
pub(crate) fn stage(steps: usize) -> Stage {
    let stage = Stage::of(Script::new(vec![Turn::computed(move |request| answer(request, steps))]));
    stage.write("src/app.txt", crate::main_job::sixty_lines());
    stage.write("notes/a.txt", "a note\n");
    stage.write(JOURNAL, "the journal\n");
    stage
}

/// Repeated effects show: an edit inserts a line, a command appends one.
fn step(number: usize) -> Step {
    let line = format!("line {number}\n");
    let append = format!("printf 'step {number}\\n' >> {JOURNAL}");
    let (tool, args) = match number % 6 {
        1 => ("read_file", json!({"path": "src/app.txt", "offset": number, "limit": 3})),
        2 => ("edit_file", edit(&line, &format!("{line}step {number}\n"))),
        3 => ("run_command", json!({"command": append})),
        4 => ("write_file", json!({"path": format!("made/{number}/new.txt"), "content": line.repeat(200)})),
        5 if number % 4 == 1 => ("search_files", json!({"pattern": format!("line {number}")})),
        5 => ("run_command", json!({"command": format!("sleep 0.01; {append}; sleep 0.01")})),
        _ if number.is_multiple_of(4) => {
            ("list_directory", json!({"path": if number == 12 { "src" } else { "notes" }}))
        }
        _ => ("write_file", json!({"path": "notes/a.txt", "content": format!("a note of step {number}\n")})),
    };
    Step { number, tool, args }
}

fn edit(old: &str, new: &str) -> Value {
    json!({"path": "src/app.txt", "edits": [{"old_text": old, "new_text": new}]})
}

fn answer(request: &Value, steps: usize) -> Turn {
    let made = made(request);
    for number in 1..=steps {
        let step = step(number);
        match standing(&step, &made) {
            Standing::Done => {}
            Standing::ToCheck => return Turn::text("Let me look.").call(check(&step).0, check(&step).1),
            Standing::Failed(why) => return Turn::text(format!("Step {number} failed: {why}")),
            Standing::ToDo => return ask_for(step, steps),
        }
    }
    Turn::text(GOAL.trim_end())
}

fn ask_for(first: Step, steps: usize) -> Turn {
    let together = TOGETHER.iter().find(|numbers| numbers.contains(&first.number)).copied().unwrap_or_default();
    let others = together.iter().filter(|number| (first.number + 1..=steps).contains(number));
    let turn =
        if first.number.is_multiple_of(3) { Turn::text(format!("Step {}.", first.number)) } else { Turn::calls() };
    let turn = turn.call(first.tool, first.args);
    others.map(|number| step(*number)).fold(turn, |turn, step| turn.call(step.tool, step.args))
}

fn standing(step: &Step, made: &[Made]) -> Standing {
    let Some(at) = made.iter().rposition(|made| made.tool == step.tool && made.args == step.args) else {
        return Standing::ToDo;
    };
    let result = &made[at].result;
    if !is_unknown(result) {
        let is_failed =
            result.starts_with("Error") || (step.tool == "run_command" && !result.starts_with("exit code 0"));
        return if is_failed { Standing::Failed(result.clone()) } else { Standing::Done };
    }
    let (tool, args) = check(step);
    let is_check = |made: &&Made| made.tool == tool && made.args == args && !is_unknown(&made.result);
    let has_line = |checked: &Made| {
        checked.result.lines().any(|line| line.rsplit('\t').next() == Some(format!("step {}", step.number).as_str()))
    };
    match made[at..].iter().find(is_check) {
        None => Standing::ToCheck,
        Some(checked) if has_line(checked) => Standing::Done,
        Some(_) => Standing::ToDo,
    }
}

/// Some look with a tool, some with a command, which may be interrupted too.
fn check(step: &Step) -> (&'static str, Value) {
    if step.number.is_multiple_of(2) {
        ("read_file", json!({"path": JOURNAL}))
    } else {
        ("run_command", json!({"command": format!("cat {JOURNAL}")}))
    }
}

fn is_unknown(result: &str) -> bool {
    result.contains("effect is unknown")
}

fn made(request: &Value) -> Vec<Made> {
    let messages = request["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let result_of = |id: &Value| messages.iter().find(|message| message["tool_call_id"] == *id);
    let calls = messages.iter().flat_map(|message| message["tool_calls"].as_array().into_iter().flatten());
    calls
        .map(|call| Made {
            tool: text(&call["function"]["name"]),
            args: serde_json::from_str(&text(&call["function"]["arguments"])).unwrap(),
            result: result_of(&call["id"]).map(|result| text(&result["content"])).unwrap_or_default(),
        })
        .collect()
}
