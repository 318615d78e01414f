//! The embedded model, played against tools that answer as Arki's do.

use crate::harness::{ask, calls, keys, providers, request, said, tool_requests, user};
use arki_domain::{Category, ChatModel, ChatRequest, Code, Message, StreamEvent, ToolDefinition};
use arki_llm::{ProviderKind, ProviderSettings};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

fn model(name: &str) -> Arc<dyn ChatModel> {
    let settings =
        ProviderSettings { demo_word_pause: Duration::ZERO, ..ProviderSettings::new("lab", ProviderKind::Demo) };
    providers(settings, &keys(&[])).model(&format!("lab/{name}")).unwrap()
}

fn tools(names: &[&str]) -> Arc<[ToolDefinition]> {
    let tool = |name: &&str| ToolDefinition {
        name: (*name).into(),
        description: "".into(),
        category: Category::Read,
        parameters: json!({}),
    };
    names.iter().map(tool).collect()
}

fn all_tools() -> Arc<[ToolDefinition]> {
    tools(&["list_directory", "read_file", "edit_file", "run_command"])
}

const README: &str = "# Windowsill\n\nA planner.\n\na\nb\nc\nd\ne\nf\nThe end.";

fn numbered(text: &str) -> String {
    text.lines().enumerate().map(|(at, line)| format!("{:>6}\t{line}\n", at + 1)).collect()
}

/// Answers as the tools do in a folder with a README, an empty file and a picture.
fn usual_tools(name: &str, args: &Value) -> String {
    match name {
        "list_directory" => {
            "src/\nempty.md\t0 bytes\nlogo.png\t900 bytes\nREADME.md\t507 bytes\nz.md\t800 bytes\n".into()
        }
        "read_file" => numbered(README),
        "edit_file" => {
            let edits = args["edits"].as_array().unwrap();
            let once = |edit: &Value| README.matches(edit["old_text"].as_str().unwrap()).count() == 1;
            assert!(edits.iter().all(once), "{edits:?}");
            "Written: README.md (1 of 2 hunks). The user reviewed the change:\n- hunk 1 (README.md, lines 1 to 4 before): applied\n- hunk 2 (README.md, lines 9 to 11 before): rejected".into()
        }
        _ => "exit code 0\ntotal 4".into(),
    }
}

/// Runs to the model's last words; returns the names of the tools it used and those words.
async fn play(request: &mut ChatRequest, tool: fn(&str, &Value) -> String) -> (Vec<String>, String) {
    let model = model("demo");
    let mut used = Vec::new();
    for _ in 0..10 {
        let (events, fault) = ask(&*model, request).await;
        assert_eq!(fault, None);
        let called: Vec<_> = tool_requests(&events).into_iter().cloned().collect();
        if called.is_empty() {
            Arc::make_mut(&mut request.messages).push(Arc::new(Message::Assistant {
                content: said(&events),
                thoughts: None,
                reasoning: None,
            }));
            return (used, said(&events));
        }
        Arc::make_mut(&mut request.messages).push(Arc::new(Message::ToolRequest {
            content: said(&events),
            thoughts: None,
            reasoning: None,
            calls: called.clone(),
        }));
        for call in called {
            let content = tool(&call.tool_id, &serde_json::from_str(&call.arguments).unwrap());
            used.push(call.tool_id.clone());
            let result = Message::ToolResult {
                call_id: call.call_id,
                tool_id: call.tool_id,
                is_error: content.starts_with("Error"),
                content,
            };
            Arc::make_mut(&mut request.messages).push(Arc::new(result));
        }
    }
    panic!("the script does not end: {used:?}");
}

fn job(prompt: &str) -> ChatRequest {
    ChatRequest { tools: all_tools(), ..request(vec![user(prompt)]) }
}

#[tokio::test]
async fn the_job_looks_reads_proposes_two_hunks_runs_and_tells_what_was_kept() {
    let mut request = job("Improve the docs");
    let (used, last_words) = play(&mut request, usual_tools).await;
    assert_eq!(used, ["list_directory", "read_file", "edit_file", "run_command"]);
    assert!(last_words.contains("hunk 1: applied") && last_words.contains("hunk 2: rejected"), "{last_words}");
    assert!(last_words.contains("```text\nexit code 0"), "{last_words}");
    let proposed = request.messages.iter().find_map(|message| match &**message {
        Message::ToolRequest { calls, .. } if calls[0].tool_id == "edit_file" => Some(calls[0].arguments.clone()),
        _ => None,
    });
    let proposed: Value = serde_json::from_str(&proposed.unwrap()).unwrap();
    assert_eq!(proposed["path"], "README.md");
    assert_eq!(proposed["edits"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn the_job_is_the_same_every_time() {
    let (mut first, mut second) = (job("go"), job("go"));
    assert_eq!(play(&mut first, usual_tools).await, play(&mut second, usual_tools).await);
    assert_eq!(first.messages, second.messages);
}

#[tokio::test]
async fn a_question_afterwards_is_answered_and_an_order_is_another_edit_elsewhere() {
    let mut request = job("go");
    play(&mut request, usual_tools).await;
    Arc::make_mut(&mut request.messages).push(Arc::new(user("What did you do?")));
    let (used, words) = play(&mut request, usual_tools).await;
    assert!(used.is_empty() && words.contains("proposed a change to `README.md`"), "{words}");
    Arc::make_mut(&mut request.messages).push(Arc::new(user("Please edit something else")));
    let (used, words) = play(&mut request, |name, args| match name {
        "edit_file" => format!("Written: {} (1 of 1 hunks).", args["path"].as_str().unwrap()),
        _ => usual_tools(name, args),
    })
    .await;
    assert_eq!(used, ["list_directory", "read_file", "edit_file"]);
    assert!(words.contains("`z.md`: The change is in place."), "{words}");
}

#[tokio::test]
async fn a_denial_ends_the_job_politely() {
    let (used, words) = play(&mut job("go"), |name, args| match name {
        "edit_file" => "Error: Denied: this folder is not trusted, so only reading is allowed.".into(),
        _ => usual_tools(name, args),
    })
    .await;
    assert_eq!(used, ["list_directory", "read_file", "edit_file"]);
    assert!(words.contains("not allowed to use `edit_file`") && words.contains("not trusted"), "{words}");
}

#[tokio::test]
async fn an_empty_folder_unreadable_files_and_no_tools_end_in_words() {
    let (used, words) = play(&mut job("go"), |_, _| "[the folder is empty]\n".into()).await;
    assert!(used == ["list_directory"] && words.contains("no text file"), "{words}");
    let (used, _) = play(&mut job("go"), |name, args| match name {
        "read_file" => "Error: not UTF-8".into(),
        _ => usual_tools(name, args),
    })
    .await;
    assert_eq!(used, ["list_directory", "read_file", "read_file"]);
    let (used, words) = play(&mut request(vec![user("go")]), usual_tools).await;
    assert!(used.is_empty() && words.contains("I need tools"), "{words}");
}

#[tokio::test]
async fn echo_repeats_the_last_user_message_for_free() {
    let (events, fault) = ask(&*model("echo"), &request(vec![user("first"), user("say  <b>\n“this”")])).await;
    assert_eq!((said(&events).as_str(), fault), ("say  <b>\n“this”", None));
    let usage =
        events.iter().find_map(|event| if let StreamEvent::Metadata { usage, .. } = event { *usage } else { None });
    let usage = usage.unwrap();
    assert!(usage.prompt_tokens > 0 && usage.total_tokens == usage.prompt_tokens + usage.completion_tokens);
    assert_eq!(usage.cost_usd, Some(0.0));
    assert_eq!(calls(&events), []);
}

#[test]
fn the_demo_is_there_without_being_configured_and_listed_with_its_models() {
    let providers = arki_llm::Providers::new(Vec::new(), keys(&[]));
    let listed: Vec<String> =
        providers.models().iter().map(|model| format!("{}/{}", model.provider, model.model)).collect();
    assert_eq!(listed, ["demo/demo", "demo/echo"]);
    assert_eq!(providers.model("demo/echo").unwrap().provider(), "demo");
    assert!(providers.model("demo/gpt").is_err_and(|fault| fault.is(Code::MODEL_NOT_FOUND)));
}
