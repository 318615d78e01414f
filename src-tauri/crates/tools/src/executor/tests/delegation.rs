use super::*;
use crate::subagents::{AgentChoice, SubagentEnd, SubagentStop, SubagentTask, Subagents};
use serde_json::json;

/// Stops as it is told to, one stop a time.
struct Stops(Mutex<Vec<Result<SubagentStop, Error>>>);

#[async_trait]
impl Subagents for Stops {
    fn only_reads(&self, _: &str) -> bool {
        false
    }

    fn is_isolated(&self, _: &str) -> bool {
        false
    }

    fn ensure_can_isolate(&self) -> Result<(), Error> {
        Ok(())
    }

    fn tree_of(&self, session_id: &SessionId) -> String {
        format!("/trees/{session_id}")
    }

    async fn is_settled(&self, _: &ApprovalId) -> Result<bool, Error> {
        Ok(false)
    }

    async fn work(&self, task: SubagentTask<'_>) -> Result<SubagentStop, Error> {
        assert_eq!((task.started.agent.as_str(), task.task), ("explorer", "Look."));
        self.0.lock().unwrap().remove(0)
    }

    async fn tell_of_background(&self, _: &SubagentStarted) -> Result<(), Error> {
        Ok(())
    }
}

fn stop(end: SubagentEnd) -> Result<SubagentStop, Error> {
    let usage = Usage { cost_usd: Some(0.5), ..Usage::default() };
    Ok(SubagentStop { end, usage, files: Vec::new(), background: Vec::new(), in_tree: Vec::new() })
}

fn bench(stops: Vec<Result<SubagentStop, Error>>) -> Bench {
    let agents = [
        AgentChoice { name: "arki".into(), description: String::new() },
        AgentChoice { name: "explorer".into(), description: "looks around".into() },
    ];
    Bench::new(vec![crate::delegate(&agents, Arc::new(Stops(Mutex::new(stops))))], ApprovalMode::Ask)
}

async fn called(stops: Vec<Result<SubagentStop, Error>>) -> (Bench, CallOutcome) {
    let bench = bench(stops);
    bench.called("delegate", json!({"agent": "explorer", "task": " Look.\n"})).await;
    let outcome = bench.carry_on().await;
    (bench, outcome)
}

#[test]
fn the_model_is_told_which_agents_there_are() {
    let bench = bench(Vec::new());
    let definitions = bench.executor.definitions();
    let delegate = definitions.iter().find(|tool| *tool.name == *"delegate").unwrap();
    assert!(delegate.description.ends_with("Agents: arki; explorer: looks around"), "{}", delegate.description);
    assert_eq!(delegate.parameters["properties"]["agent"]["enum"], json!(["arki", "explorer"]));
}

#[tokio::test]
async fn an_answer_is_the_result_and_its_cost_is_told() {
    let (bench, outcome) = called(vec![stop(SubagentEnd::Answered { response: "Nothing.".into() })]).await;
    assert_eq!(outcome, CallOutcome::Finished);
    assert_eq!(bench.kinds(), ["policy.decided", "subagent.started", "tool.result"]);
    assert_eq!(bench.result(), ("Nothing.".to_owned(), None));
    assert_eq!(bench.state().cost_in_budget, Some(0.5));
    assert_eq!(bench.state().usage, Usage::zero(), "its requests are not this run's");
}

#[tokio::test]
async fn what_waits_and_what_pauses_goes_on_with_the_same_sub_agent() {
    let approval_id = ApprovalId::new();
    let waits = stop(SubagentEnd::AwaitingApproval(approval_id.clone()));
    let answers = stop(SubagentEnd::Answered { response: "Nothing.".into() });
    let (bench, outcome) = called(vec![waits, stop(SubagentEnd::Paused), answers]).await;
    assert_eq!(outcome, CallOutcome::AwaitingApproval(approval_id));
    assert_eq!(bench.carry_on().await, CallOutcome::Paused);
    assert_eq!(bench.carry_on().await, CallOutcome::Finished);
    assert_eq!(bench.kinds(), ["policy.decided", "subagent.started", "tool.result"]);
}

#[tokio::test]
async fn every_other_end_is_an_error_that_says_why() {
    let fault = Error::new(Code::PROVIDER_TIMEOUT, "It was silent.", "");
    for (end, code, words) in [
        (stop(SubagentEnd::Failed(fault.clone())), Code::SUBAGENT_FAILED, "It was silent. (PROVIDER_TIMEOUT)"),
        (Err(fault), Code::SUBAGENT_FAILED, "It was silent. (PROVIDER_TIMEOUT)"),
        (stop(SubagentEnd::Stopped), Code::CANCELLED, "The user stopped the agent explorer"),
        (stop(SubagentEnd::OutOfBudget { last_said: "Half.".into() }), Code::SUBAGENT_FAILED, "It last said: Half."),
    ] {
        let (bench, outcome) = called(vec![end]).await;
        assert_eq!(outcome, CallOutcome::Finished);
        let (text, told) = bench.result();
        assert_eq!(told.as_deref(), Some(code.0));
        assert!(text.contains(words), "{text}");
    }
}

#[tokio::test]
async fn nothing_is_handed_over_without_a_task_or_to_nobody() {
    for args in [
        json!({"agent": "explorer"}),
        json!({"agent": "explorer", "task": " "}),
        json!({"agent": "explorer", "task": "x".repeat(70_000)}),
        json!({"agent": "explore", "task": "Look."}),
    ] {
        let bench = bench(Vec::new());
        bench.called("delegate", args.clone()).await;
        assert_eq!(bench.carry_on().await, CallOutcome::Finished);
        assert_eq!(bench.result().1.as_deref(), Some("ARGUMENTS_INVALID"), "{args}");
        assert!(!bench.kinds().contains(&"subagent.started".to_owned()));
    }
}
