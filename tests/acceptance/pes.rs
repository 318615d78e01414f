//! The core `pes`: plan, execute, synthesize.

use crate::harness::{Stage, payload, payloads, text};
use arki_testkit::{Script, Turn};
use serde_json::{Value, json};

/// What goes on between the lines that seed 004 names.
const BETWEEN: [&str; 6] =
    ["LLM_STREAM_START", "LLM_STREAM_METADATA", "LLM_STREAM_END", "THOUGHTS", "STATE_UPDATE", "LLM_STREAM_ERROR"];
const SEEDS_SEQUENCE: [&str; 6] = ["INTENT", "PLAN", "TOOL_CALL", "TOOL_EXECUTION", "SYNTHESIS", "FINAL_RESPONSE"];

fn plan(calls: &Value) -> String {
    json!({"intent": "Read a.txt", "plan": ["Read a.txt", "Say what is in it"], "toolCalls": calls}).to_string()
}

fn reads(path: &str) -> Value {
    json!([{"toolName": "read_file", "arguments": {"path": path}}])
}

fn writes() -> Value {
    json!([{"toolName": "write_file", "arguments": {"path": "new.txt", "content": "new\n"}}])
}

/// In order, whatever is asked.
fn playing(turns: Vec<Turn>) -> Stage {
    let stage = Stage::of(Script::new(turns).sequential());
    stage.write("a.txt", "the text\n");
    stage
}

fn without_tools(stage: Stage) -> Stage {
    let file = stage.home.config_dir().join("config.json");
    let mut config: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    config["providers"]["mock"]["models"] = json!({"mock": {"capabilities": ["text", "streaming"]}});
    stage.write_config(&config.to_string());
    stage
}

fn run(stage: &Stage, args: &[&str]) -> Vec<Value> {
    stage.exec(&[&["--core", "pes"], args, &["what is in a.txt?"]].concat()).exits(0).lines()
}

fn observed(stage: &Stage, id: &str) -> Vec<String> {
    let lines = stage.arki(&["events", id, "--observations", "--json"]).exits(0).lines();
    lines.iter().map(|line| text(&line["type"])).filter(|kind| !BETWEEN.contains(&kind.as_str())).collect()
}

fn stages(events: &[Value]) -> Vec<String> {
    payloads(events, "engine.request").iter().map(|request| text(&request["stage"])).collect()
}

/// The kinds of streamed text, each once.
fn streamed(events: &[Value]) -> Vec<String> {
    let mut kinds: Vec<String> =
        payloads(events, "output.delta").iter().map(|delta| text(&delta["tokenType"])).collect();
    kinds.dedup();
    kinds
}

#[test]
fn seed_004s_run_is_observed_in_its_order_in_either_form() {
    let headings =
        format!("Intent: Read a.txt\nPlan: 1. Read a.txt\n2. Say what is in it\nTool Calls: {}", reads("a.txt"));
    for form in [plan(&reads("a.txt")), format!("Sure!\n```json\n{}\n```\nOff I go.", plan(&reads("a.txt"))), headings]
    {
        let stage = playing(vec![Turn::text(&form), Turn::text("It has the text.")]);
        let events = run(&stage, &[]);
        let run_id = text(&events.last().unwrap()["runId"]);
        assert_eq!(observed(&stage, &run_id), SEEDS_SEQUENCE, "{form}");
        assert_eq!(stages(&events), ["plan", "synthesize"]);
        assert_eq!(streamed(&events), ["AGENT_THOUGHT_LLM_RESPONSE", "FINAL_SYNTHESIS_LLM_RESPONSE"]);
        let proposed = payload(&events, "plan.proposed");
        assert_eq!(proposed["intent"], "Read a.txt");
        assert_eq!(proposed["steps"][1], json!({"title": "Say what is in it", "state": "pending"}));
        assert!(stage.told().contains("the text"), "{}", stage.told());
        assert_eq!(payload(&events, "run.completed")["response"], "It has the text.");
        let ticked = payloads(&events, "plan.updated");
        assert_eq!(states(ticked.last().unwrap()), ["done", "pending"], "only the first step had a call");
        stage.verifies();
    }
}

#[test]
fn native_calls_beside_words_or_alone_are_a_plan() {
    for (words, intent, step) in [
        ("Intent: Look\nPlan:\n- Look inside", "Look", "Look inside"),
        ("I'll look inside.", "I'll look inside.", "Read a.txt"),
        ("", "what is in a.txt?", "Read a.txt"),
    ] {
        let turn = Turn::text(words).call("read_file", json!({"path": "a.txt"}));
        let stage = playing(vec![turn, Turn::text("It has the text.")]);
        let events = run(&stage, &[]);
        let proposed = payload(&events, "plan.proposed");
        assert_eq!((&proposed["intent"], &proposed["steps"][0]["title"]), (&json!(intent), &json!(step)));
        assert_eq!(payloads(&events, "tool.call").len(), 1);
        assert_eq!(observed(&stage, &text(&events.last().unwrap()["runId"])), SEEDS_SEQUENCE);
    }
}

#[test]
fn on_a_terminal_only_the_answer_is_on_standard_output() {
    let stage = playing(vec![Turn::text(plan(&reads("a.txt"))), Turn::text("It has the text.")]);
    let done = stage.arki(&["exec", "--core", "pes", "what is in a.txt?"]).exits(0);
    assert_eq!(done.stdout.trim(), "It has the text.");
    assert!(done.stderr.contains("Read a.txt: 1. Read a.txt 2. Say what is in it"), "{}", done.stderr);
}

#[test]
fn the_core_can_be_configured() {
    let config = json!({"agents": {"arki": {"core": "pes", "model": "mock/mock"}}});
    let turns = vec![Turn::text(plan(&json!([]))), Turn::text("Nothing to do.")];
    let stage = Stage::configured(Script::new(turns).sequential(), &config);
    let events = stage.exec(&["go"]).exits(0).lines();
    assert_eq!(payload(&events, "run.started")["core"], "pes");
    assert_eq!(stages(&events), ["plan", "synthesize"]);
    assert!(stage.system_prompt().contains("toolCalls"));
}

#[test]
fn the_core_can_be_chosen_for_a_session() {
    let stage =
        playing(vec![Turn::text("Hello."), Turn::text(plan(&json!([]))), Turn::text("So."), Turn::text("Bye.")]);
    stage.exec(&["hello"]).exits(0);
    stage.arki(&["sessions", "configure", "last", "--core", "magic"]).fails(2, "USAGE");
    let set = stage.arki(&["sessions", "configure", "last", "--core", "pes", "--json"]).exits(0).lines();
    assert_eq!(set[0]["core"], "pes");
    let events = stage.exec(&["--continue", "go"]).exits(0).lines();
    assert_eq!((&payload(&events, "run.started")["core"], stages(&events).len()), (&json!("pes"), 2));
    stage.arki(&["sessions", "configure", "last", "--core", ""]).exits(0);
    let events = stage.exec(&["--continue", "and now?"]).exits(0).lines();
    assert_eq!(payload(&events, "run.started")["core"], "tool-loop");
}

#[test]
fn thoughts_are_taken_out_and_calls_in_them_are_none() {
    let thought =
        format!("I might delete it: {}", plan(&json!([{"toolName": "delete_file", "arguments": {"path": "a.txt"}}])));
    let stage = playing(vec![
        Turn::text(format!("<think>{thought}</think>\n{}", plan(&reads("a.txt")))),
        Turn::text("<think>hm</think>It has the text."),
    ]);
    let events = run(&stage, &["--approve", "all"]);
    let calls = payloads(&events, "tool.call");
    assert_eq!((calls.len(), &calls[0]["toolId"]), (1, &json!("read_file")));
    let said = payloads(&events, "output.message");
    assert_eq!(text(&said[0]["thoughts"]).trim(), thought);
    assert_eq!(payload(&events, "run.completed")["response"], "It has the text.");
    assert!(stage.path("a.txt").exists());
}

#[test]
fn what_cannot_be_read_is_asked_for_again_and_told_why() {
    let broken = r#"{"intent": "Read a.txt", "toolCalls": [{"toolName": "read_file", "arguments": {"path": "#;
    let stage = playing(vec![Turn::text(broken), Turn::text(plan(&reads("a.txt"))), Turn::text("It has the text.")]);
    let events = run(&stage, &[]);
    assert_eq!(stages(&events), ["plan", "repair", "synthesize"]);
    let told = payload(&events, "context.added");
    assert_eq!(told["part"], "stage");
    assert!(text(&told["text"]).contains("cut off or not valid"), "{told}");
    assert_eq!(payloads(&events, "plan.proposed").len(), 1);
    // What was sent stays as it was.
    let requests = stage.model.requests();
    let messages = |at: usize| requests[at].json["messages"].as_array().unwrap().clone();
    for at in 1..3 {
        assert_eq!(messages(at)[..messages(at - 1).len()], messages(at - 1)[..]);
    }
}

#[test]
fn after_two_repairs_the_run_fails_and_the_models_words_are_in_the_log() {
    for words in ["I'd rather chat.", "<think>never closed", "{\"intent\": \"x\", \"toolCalls\": [...]}"] {
        let stage = playing(vec![Turn::text(words)]);
        let events = stage.exec(&["--core", "pes", "go"]).exits(1).lines();
        assert_eq!(stages(&events), ["plan", "repair", "repair"], "{words}");
        let failed = payload(&events, "run.failed");
        assert_eq!(failed["code"], "OUTPUT_PARSING_FAILED");
        assert_eq!((payloads(&events, "tool.call").len(), payloads(&events, "plan.proposed").len()), (0, 0));
        let said = payloads(&events, "output.message");
        assert_eq!(said.len(), 3);
        let raw = words.trim_start_matches("<think>");
        let is_kept = |text: &Value| text.as_str().is_some_and(|text| text.trim() == raw);
        assert!(said.iter().all(|said| is_kept(&said["content"]) || is_kept(&said["thoughts"])), "{said:?}");
        // Tried again, the model is asked again.
        let again = stage.arki(&["resume", "last", "--json"]).exits(1).lines();
        assert_eq!(stages(&again), ["repair", "repair"]);
    }
}

/// The states of a plan's steps.
fn states(plan: &Value) -> Vec<String> {
    plan["steps"].as_array().unwrap().iter().map(|step| text(&step["state"])).collect()
}

#[test]
fn a_plan_without_calls_has_no_step_ticked_whatever_the_answer_says() {
    let plan = json!({"intent": "Mend it", "plan": ["Find the fault", "Mend it"], "toolCalls": []}).to_string();
    let stage = playing(vec![Turn::text(plan), Turn::text("\n\nI did nothing. \n")]);
    let events = run(&stage, &[]);
    assert_eq!(states(&payload(&events, "plan.proposed")), ["pending", "pending"]);
    assert_eq!(payloads(&events, "plan.updated"), Vec::<Value>::new());
    assert_eq!(payload(&events, "run.completed")["response"], "I did nothing.");
}

#[test]
fn what_fails_is_planned_anew_within_a_bound() {
    let missing = || Turn::text(plan(&reads("missing.txt")));
    let stage = playing(vec![missing(), Turn::text(plan(&reads("a.txt"))), Turn::text("It has the text.")]);
    let events = run(&stage, &[]);
    assert_eq!(stages(&events), ["plan", "replan", "synthesize"]);
    assert_eq!(payloads(&events, "plan.proposed").len(), 2);
    // Three times the same call would be asked about.
    let turns = ["b", "c", "d"].map(|path| Turn::text(plan(&reads(path))));
    let stage = playing(turns.into_iter().chain([Turn::text("There is none.")]).collect());
    let events = run(&stage, &[]);
    assert_eq!(stages(&events), ["plan", "replan", "replan", "synthesize"]);
    assert!(text(&stage.messages().last().unwrap()["content"]).contains("No more plans"));
    let last = payloads(&events, "plan.updated").pop().unwrap();
    assert_eq!(last["steps"][0]["state"], "skipped");
    // Instead of another plan, the model may say why there is none.
    let stage = playing(vec![missing(), Turn::text("There is no such file.")]);
    let done = stage.arki(&["exec", "--core", "pes", "go"]).exits(0);
    assert_eq!(done.stdout.trim(), "There is no such file.");
}

#[test]
fn an_answer_that_is_nothing_but_a_plan_goes_on_where_the_model_takes_no_tools() {
    let more = plan(&json!([{"toolName": "list_directory", "arguments": {}}]));
    let example = format!("A plan looks like this:\n```json\n{more}\n```");
    let turns = || vec![Turn::text(plan(&reads("a.txt"))), Turn::text(&more), Turn::text(&example)];
    let stage = without_tools(playing(turns()));
    let events = run(&stage, &[]);
    assert_eq!(stages(&events), ["plan", "synthesize", "synthesize"]);
    assert_eq!(payloads(&events, "tool.call").len(), 2);
    assert_eq!(payload(&events, "run.completed")["response"], json!(example));
    // Of a model that takes them, it may be a file that the user wanted to see.
    let events = run(&playing(turns()), &[]);
    assert_eq!(stages(&events), ["plan", "synthesize"]);
    assert_eq!(payload(&events, "run.completed")["response"], json!(more));
}

#[test]
fn the_policy_judges_the_calls_like_any_others() {
    let turns = || vec![Turn::text(plan(&writes())), Turn::text("Done.")];
    let stage = playing(turns());
    stage.exec(&["--core", "pes", "go"]).exits(3);
    assert!(!stage.path("new.txt").exists());
    let waiting = stage.waiting();
    let events = stage.arki(&["approvals", "approve", &waiting, "--json"]).exits(0).lines();
    assert_eq!(stages(&events), ["synthesize"]);
    assert_eq!(stage.read("new.txt"), "new\n");

    let stage = playing(turns());
    stage.exec(&["--core", "pes", "go"]).exits(3);
    let events = stage.arki(&["approvals", "reject", &stage.waiting(), "--note", "not now", "--json"]).exits(0).lines();
    assert_eq!(stages(&events), ["synthesize"]);
    assert!(!stage.path("new.txt").exists() && stage.told().contains("not now"));

    for (mode, is_written) in [("edits", true), ("all", true), ("never", false)] {
        let stage = playing(turns());
        let events = run(&stage, &["--approve", mode]);
        assert_eq!(stages(&events), ["plan", "synthesize"], "{mode}");
        assert_eq!(stage.path("new.txt").exists(), is_written, "{mode}");
    }
}

#[test]
fn an_endless_plan_is_bounded_and_the_model_is_told() {
    let steps: Vec<String> = (0..1000).map(|number| format!("Step number {number}")).collect();
    let long = json!({"intent": "Do it all", "plan": steps, "toolCalls": reads("a.txt")}).to_string();
    let stage = playing(vec![Turn::text(long), Turn::text("It has the text.")]);
    let events = run(&stage, &[]);
    let proposed = payload(&events, "plan.proposed");
    assert_eq!((proposed["steps"].as_array().unwrap().len(), &proposed["stepsLeftOut"]), (100, &json!(900)));
    assert!(text(&stage.messages().last().unwrap()["content"]).contains("100 steps kept, 900 left out"));
}

#[test]
fn a_model_without_tools_is_told_of_them_in_words() {
    let stage = without_tools(playing(vec![Turn::text(plan(&reads("a.txt"))), Turn::text("It has the text.")]));
    let events = run(&stage, &[]);
    assert_eq!(payload(&events, "run.completed")["response"], "It has the text.");
    let request = &stage.model.requests()[1].json;
    assert_eq!(request.get("tools"), None, "{request}");
    assert!(stage.system_prompt().contains("## read_file"));
    let messages = stage.messages();
    let last = messages.last().unwrap();
    assert_eq!(last["role"], "user");
    assert!(text(&last["content"]).contains("The result of read_file") && text(&last["content"]).contains("the text"));
    assert!(messages.iter().all(|message| message.get("tool_calls").is_none()));
}

#[test]
#[cfg(unix)]
fn a_run_killed_in_any_stage_goes_on_with_the_stage_it_was_in() {
    let read = || Turn::text(plan(&reads("a.txt")));
    let done = || Turn::text("It has the text.");
    for (before, stage_name, after) in [
        (vec![], "plan", vec![read(), done()]),
        (vec![Turn::text("{\"intent\": \"x\", \"plan\": [")], "repair", vec![read(), done()]),
        (vec![Turn::text(plan(&reads("missing.txt")))], "replan", vec![read(), done()]),
        (vec![read()], "synthesize", vec![done()]),
    ] {
        let killed_at = before.len();
        let turns = [before, vec![Turn::text("Half an answer that never").hang_after(300)], after].concat();
        let stage = playing(turns);
        let running = stage.start(&["exec", "--core", "pes", "go"]);
        assert!(stage.model.wait_until(|journal| journal.requests.len() > killed_at));
        running.signal(rustix::process::Signal::KILL);
        drop(running);
        let events = stage.arki(&["resume", "last", "--json"]).exits(0).lines();
        assert_eq!(stages(&events)[0], stage_name);
        assert_eq!(payload(&events, "run.completed")["response"], "It has the text.");
        let log = stage.log();
        assert!(payloads(&log, "context.added").len() <= 1, "{stage_name}");
        stage.verifies();
    }
}

/// In order, where plans are approved first.
fn asking(turns: Vec<Turn>) -> Stage {
    let stage = playing(turns);
    let file = stage.home.config_dir().join("config.json");
    let mut config: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    config["plan"] = json!({"approve": true});
    stage.write_config(&config.to_string());
    stage
}

#[test]
fn a_plan_waits_for_its_approval_before_anything_runs() {
    for args in [vec![], vec!["--plan"]] {
        let turns = vec![Turn::text(plan(&writes())), Turn::text("Done.")];
        let stage = if args.is_empty() { asking(turns) } else { playing(turns) };
        let args = [&["--core", "pes"], args.as_slice(), &["go"]].concat();
        let events = stage.exec(&args).exits(3).lines();
        assert_eq!(payload(&events, "run.paused")["reason"], "plan");
        let requested = payload(&events, "approval.requested");
        assert_eq!((&requested["kind"], &requested["callId"]), (&json!("plan"), &Value::Null));
        assert_eq!(requested["args"]["steps"], json!(["Read a.txt", "Say what is in it"]));
        assert_eq!(payloads(&events, "policy.decided").len(), 0);
        let listed = &stage.inbox()[0];
        assert_eq!((&listed["kind"], &listed["approvalId"]), (&json!("plan"), &requested["approvalId"]));
        let shown = stage.arki(&["approvals", "show"]).exits(0).stdout;
        assert!(shown.contains("  1. Read a.txt\n") && shown.contains("new.txt"), "{shown}");
        // Asked again, it still waits.
        stage.arki(&["resume", "last"]).exits(3);
        assert_eq!(payloads(&stage.log(), "approval.requested").len(), 1);
        // Its call is judged like any other.
        let id = text(&requested["approvalId"]);
        let events = stage.arki(&["approvals", "approve", &id, "--json"]).exits(3).lines();
        let resumed = payload(&events, "run.resumed");
        assert_eq!((&resumed["reason"], &resumed["approvalId"]), (&json!("plan"), &json!(id)));
        let events = stage.arki(&["approvals", "approve", "--json"]).exits(0).lines();
        assert_eq!(payload(&events, "run.completed")["response"], "Done.");
        assert_eq!(stage.read("new.txt"), "new\n");
        stage.verifies();
    }
}

#[test]
fn a_rejected_plan_is_followed_by_another_one() {
    let stage =
        asking(vec![Turn::text(plan(&writes())), Turn::text(plan(&reads("a.txt"))), Turn::text("It has the text.")]);
    stage.exec(&["--core", "pes", "go"]).exits(3);
    let events = stage.arki(&["approvals", "reject", "--note", "only read", "--json"]).exits(3).lines();
    assert_eq!(stages(&events), ["replan"]);
    assert_eq!(payload(&events, "tool.result")["result"], "Not done: the plan was rejected.");
    assert!(text(&payload(&events, "context.added")["text"]).contains("only read"));
    let events = stage.arki(&["approvals", "approve", "--json"]).exits(0).lines();
    assert_eq!(stages(&events), ["synthesize"]);
    assert!(!stage.path("new.txt").exists());
    stage.verifies();
}

#[test]
fn a_plan_can_be_given_other_steps() {
    let turns = vec![Turn::text(plan(&writes())), Turn::text(plan(&reads("a.txt"))), Turn::text("It has the text.")];
    let stage = asking(turns);
    stage.exec(&["--core", "pes", "go"]).exits(3);
    stage.write("steps.txt", "Look at a.txt\n\nTell me\n");
    let empty = stage.write("empty.txt", "\n");
    stage.arki(&["approvals", "approve", "--plan", empty.to_str().unwrap()]).fails(2, "USAGE");
    let steps = stage.path("steps.txt");
    let events = stage.arki(&["approvals", "approve", "--plan", steps.to_str().unwrap(), "--json"]).exits(0).lines();
    assert_eq!(payload(&events, "approval.resolved")["plan"], json!(["Look at a.txt", "Tell me"]));
    assert_eq!(stages(&events), ["execute", "synthesize"]);
    assert!(text(&payload(&events, "context.added")["text"]).contains("1. Look at a.txt\n2. Tell me"));
    let updated = payloads(&events, "plan.updated");
    assert_eq!(updated[0]["steps"][0]["title"], "Look at a.txt");
    assert_eq!(states(updated.last().unwrap()), ["done", "pending"]);
    assert!(!stage.path("new.txt").exists());
}

#[test]
fn what_is_granted_for_the_whole_run_answers_for_the_plan_too() {
    for (mode, expected) in [("all", ["plan", "synthesize"]), ("never", ["plan", "synthesize"])] {
        let stage = asking(vec![Turn::text(plan(&writes())), Turn::text("So.")]);
        let events = run(&stage, &["--approve", mode]);
        assert_eq!(stages(&events), expected, "{mode}");
        assert_eq!(stage.path("new.txt").exists(), mode == "all");
        let resolved = &payloads(&events, "approval.resolved")[0];
        assert_eq!(resolved["resolvedBy"], json!(format!("approve:{mode}")));
    }
}
