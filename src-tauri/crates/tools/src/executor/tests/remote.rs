use super::*;
use crate::outcome::Output;
use crate::remote_tool::{CallScope, RemoteTool};
use crate::tool::{Retry, ToolTraits};
use serde_json::json;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The action of the tool when it is called.
#[derive(Clone, Copy)]
enum Does {
    Answers,
    Floods,
    Hangs,
    Panics,
    /// The user, who takes their time.
    Asks,
    /// So often, and answers then.
    Fails(usize),
}

struct Far(Does, Arc<AtomicUsize>);

#[async_trait]
impl RemoteTool for Far {
    async fn call(&self, args: Value, scope: CallScope) -> Result<Output, Error> {
        let calls_before = self.1.fetch_add(1, Ordering::SeqCst);
        scope.progress.show("half of it");
        match self.0 {
            Does::Answers => Ok(Output { text: args["word"].as_str().unwrap_or_default().into(), truncated: false }),
            Does::Floods => {
                Ok(Output { text: (1..=200_000).map(|n| format!("word {n}\n")).collect(), truncated: false })
            }
            Does::Hangs => std::future::pending().await,
            Does::Asks => {
                let question = Elicitation {
                    server: "x".into(),
                    message: "Which?".into(),
                    url: None,
                    fields: vec!["colour".into()],
                    answer: ElicitationAnswer::Cancelled,
                    values: serde_json::Map::new(),
                    waited_ms: 0,
                };
                let open = scope.caller.ask(question).unwrap();
                tokio::time::sleep(std::time::Duration::from_secs(500)).await;
                open.answered(ElicitationAnswer::Declined, serde_json::Map::new());
                Ok(Output { text: "without a colour".into(), truncated: false })
            }
            Does::Panics => panic!("as tools do"),
            Does::Fails(times) if calls_before < times => Err(Error::new(Code::HOST_UNREACHABLE, "Gone.", "")),
            Does::Fails(_) => Ok(Output { text: "there again".into(), truncated: false }),
        }
    }
}

fn far(does: Does, conduct: ToolTraits) -> (Tool, Arc<AtomicUsize>) {
    let calls = Arc::new(AtomicUsize::new(0));
    let schema = json!({"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]});
    let tool = Tool::remote("far", "Says it.", schema, Arc::new(Far(does, calls.clone()))).unwrap();
    (tool.with_conduct(conduct), calls)
}

async fn granted(does: Does, conduct: ToolTraits) -> Bench {
    let bench = Bench::new(vec![far(does, conduct).0], ApprovalMode::All);
    bench.called("far", json!({"word": "hello"})).await;
    bench
}

#[tokio::test]
async fn a_tool_from_outside_is_asked_about_and_then_called() {
    let (tool, calls) = far(Does::Answers, ToolTraits::default());
    let bench = Bench::new(vec![tool], ApprovalMode::Ask);
    bench.called("far", json!({"word": "hello"})).await;
    let CallOutcome::AwaitingApproval(approval_id) = bench.carry_on().await else { panic!("not asked") };
    assert_eq!(
        (bench.kinds(), calls.load(Ordering::SeqCst)),
        (vec!["policy.decided".into(), "approval.requested".into()], 0)
    );
    let resolved = ApprovalResolved {
        approval_id,
        decision: ApprovalDecision::Approve,
        hunks: None,
        edited: Default::default(),
        command: None,
        plan: None,
        reason: None,
        resolved_by: "window".into(),
        preview_hash: String::new(),
        request: None,
    };
    bench.append(vec![resolved.into()]).await;
    assert_eq!(bench.carry_on().await, CallOutcome::Finished);
    assert_eq!(bench.result(), ("hello".into(), None));
    assert_eq!(*bench.shown.0.lock().unwrap(), "half of it");
}

#[tokio::test]
async fn arguments_that_do_not_fit_never_reach_it() {
    let (tool, calls) = far(Does::Answers, ToolTraits::default());
    let bench = Bench::new(vec![tool], ApprovalMode::All);
    bench.called("far", json!({"word": 7})).await;
    bench.carry_on().await;
    assert_eq!((bench.result().1.as_deref(), calls.load(Ordering::SeqCst)), (Some("ARGUMENTS_INVALID"), 0));
}

#[tokio::test]
async fn the_decision_is_stored_before_it_is_called() {
    let bench = granted(Does::Answers, ToolTraits::default()).await;
    bench.carry_on().await;
    assert_eq!(bench.kinds(), ["policy.decided", "tool.result"]);
}

#[tokio::test]
async fn a_flood_is_cut_and_kept_whole_for_whoever_asks_for_parts() {
    let bench = granted(Does::Floods, ToolTraits::default()).await;
    bench.carry_on().await;
    let told = bench.result().0;
    assert!(told.len() < 1300 && told.starts_with("word 1\n") && told.contains("word 200000\n"), "{told}");
    assert_eq!(bench.kinds(), ["policy.decided", "artifact.emitted", "tool.result"]);
    let reference = told.split('"').nth(1).unwrap();
    bench.called_as("c2", "read_file", json!({"path": reference, "offset": 4711, "limit": 2})).await;
    bench.carry_on().await;
    assert!(
        bench.result().0.starts_with("4711\tword 4711\n4712\tword 4712\n[cut after line 4712 of "),
        "{:?}",
        bench.result()
    );
    for wrong in ["artifact:0123456789abcdef", "artifact:../../etc/passwd", "artifact:"] {
        bench.called_as(wrong, "read_file", json!({"path": wrong})).await;
        bench.carry_on().await;
        assert!(bench.result().1.is_some(), "{wrong}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_hangs_is_left_when_its_time_is_up() {
    for (limit, expected) in [(None, "60 s"), (Some(std::time::Duration::from_secs(7)), "7 s")] {
        let bench = granted(Does::Hangs, ToolTraits { time_limit: limit, ..ToolTraits::default() }).await;
        bench.carry_on().await;
        let (text, code) = bench.result();
        assert!(text.contains(expected) && text.contains("may still have had an effect"), "{text}");
        assert_eq!(code.as_deref(), Some("TOOL_TIMEOUT"));
    }
}

#[tokio::test(start_paused = true)]
async fn while_the_user_is_asked_the_calls_time_stands_still_and_the_answer_is_noted() {
    let bench = granted(Does::Asks, ToolTraits::default()).await;
    bench.carry_on().await;
    assert_eq!(bench.result(), ("without a colour".into(), None));
    let asked = bench.whole_result().elicitations;
    assert_eq!((asked.len(), asked[0].answer), (1, ElicitationAnswer::Declined));
    assert!(asked[0].waited_ms >= 500_000, "{asked:?}");
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_does_not_hear_is_left_when_the_user_stops() {
    let bench = granted(Does::Hangs, ToolTraits::default()).await;
    bench.cancel.cancel();
    bench.carry_on().await;
    assert_eq!(bench.result().1.as_deref(), Some("CANCELLED"));
}

#[tokio::test]
async fn a_tool_that_panics_fails_alone() {
    let bench = granted(Does::Panics, ToolTraits::default()).await;
    assert_eq!(bench.carry_on().await, CallOutcome::Finished);
    assert_eq!(bench.result().1.as_deref(), Some("INTERNAL"));
}

#[tokio::test]
async fn an_interrupted_call_is_made_again_only_where_that_does_no_harm() {
    for (is_idempotent, calls_made) in [(false, 0), (true, 1)] {
        let (tool, calls) = far(Does::Answers, ToolTraits { is_idempotent, ..ToolTraits::default() });
        let bench = Bench::new(vec![tool], ApprovalMode::All);
        bench.called("far", json!({"word": "hello"})).await;
        let begun = PolicyDecided {
            call_id: CallId::from("c"),
            decision: Decision::Allow,
            rule: "approve:all".into(),
            reason: String::new(),
            sentences: Vec::new(),
            risk: Risk::Medium,
            files: Vec::new(),
            landing: None,
        };
        bench.append(vec![begun.into()]).await;
        bench.carry_on().await;
        assert_eq!((calls.load(Ordering::SeqCst), bench.result().1.is_none()), (calls_made, is_idempotent));
    }
}

#[tokio::test(start_paused = true)]
async fn what_may_pass_is_tried_again_where_that_does_no_harm() {
    let retry = |on| Some(Retry { on, attempts: 3, pause: std::time::Duration::from_secs(1) });
    let (passes, lasts) = (Code::HOST_UNREACHABLE, Code::FETCH_FAILED);
    for (is_idempotent, on, times, calls_made, goes_well) in [
        (true, passes, 2, 3, true),
        (true, passes, 9, 3, false),
        (true, lasts, 2, 1, false),
        (false, passes, 2, 1, false),
    ] {
        let conduct = ToolTraits { is_idempotent, retry: retry(on), ..ToolTraits::default() };
        let (tool, calls) = far(Does::Fails(times), conduct);
        let bench = Bench::new(vec![tool], ApprovalMode::All);
        bench.called("far", json!({"word": "hello"})).await;
        bench.carry_on().await;
        assert_eq!((calls.load(Ordering::SeqCst), bench.result().1.is_none()), (calls_made, goes_well));
    }
}

#[tokio::test]
async fn a_built_in_tool_cannot_be_replaced_and_secret_files_are_noticed() {
    let remote = Arc::new(Far(Does::Answers, Arc::default()));
    let tools = vec![
        Tool::remote("read_file", "", Value::Null, remote.clone()).unwrap(),
        Tool::remote("far", "", Value::Null, remote).unwrap(),
    ];
    let bench = Bench::new(tools, ApprovalMode::All);
    let names: Vec<String> = bench.executor.definitions().iter().map(|tool| tool.name.to_string()).collect();
    assert_eq!(names.iter().filter(|name| *name == "read_file").count(), 1);
    let verdict = bench.executor.judge().verdict("far", &json!({"a": {"b": ["sub/.env"]}}), ApprovalMode::All);
    assert_eq!(verdict.rule, "builtin:secret-file");
}
