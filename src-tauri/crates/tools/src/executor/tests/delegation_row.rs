use super::*;
use crate::subagents::{AgentChoice, SubagentEnd, SubagentStop, SubagentTask, Subagents};
use arki_domain::SubagentsState;
use arki_domain::projection::{CallProgress, NextStep};
use serde_json::json;
use std::collections::{HashMap, HashSet};
use std::time::Duration;
use tokio::sync::{Barrier, Notify};

/// Agents that stop as their task says: `a` at once, `together` when all of them are at work, `waits` at an approval
/// until that is settled. `writer` is the only one that doesn't only read.
struct Readers {
    together: Barrier,
    approval: ApprovalId,
    settled: Mutex<bool>,
    /// Once what waits has stopped for the first time, and once it went on.
    waits: Notify,
    went_on: Notify,
    begun: Mutex<Vec<String>>,
    at_work: Mutex<HashSet<SessionId>>,
    most_at_work: Mutex<usize>,
    shares: Mutex<HashMap<String, Option<f64>>>,
}

impl Readers {
    fn new(together: usize) -> Arc<Self> {
        Arc::new(Self {
            together: Barrier::new(together),
            approval: ApprovalId::new(),
            settled: Mutex::default(),
            waits: Notify::new(),
            went_on: Notify::new(),
            begun: Mutex::default(),
            at_work: Mutex::default(),
            most_at_work: Mutex::default(),
            shares: Mutex::default(),
        })
    }

    async fn end(&self, task: &SubagentTask<'_>) -> SubagentEnd {
        let answered = SubagentEnd::Answered { response: format!("{} is done.", task.task) };
        match task.task.split(' ').next().unwrap() {
            "together" => {
                self.together.wait().await;
                answered
            }
            "waits" if *self.settled.lock().unwrap() => {
                self.went_on.notify_one();
                answered
            }
            "waits" if task.context.cancel.is_cancelled() => SubagentEnd::Stopped,
            "waits" => {
                self.waits.notify_one();
                SubagentEnd::AwaitingApproval(self.approval.clone())
            }
            "settles" => {
                self.waits.notified().await;
                *self.settled.lock().unwrap() = true;
                self.went_on.notified().await;
                answered
            }
            "cancels" => {
                task.context.cancel.cancelled().await;
                SubagentEnd::Stopped
            }
            _ => answered,
        }
    }
}

#[async_trait]
impl Subagents for Readers {
    fn only_reads(&self, agent: &str) -> bool {
        agent != "writer"
    }

    async fn work(&self, task: SubagentTask<'_>) -> Result<SubagentStop, Error> {
        let session = task.started.session_id.clone();
        self.begun.lock().unwrap().push(task.task.to_owned());
        self.shares.lock().unwrap().insert(task.task.to_owned(), task.context.cost_left_usd);
        let working = {
            let mut at_work = self.at_work.lock().unwrap();
            assert!(at_work.insert(session.clone()), "one sub-agent works twice at a time");
            at_work.len()
        };
        let most = working.max(*self.most_at_work.lock().unwrap());
        *self.most_at_work.lock().unwrap() = most;
        let end = self.end(&task).await;
        self.at_work.lock().unwrap().remove(&session);
        let usage = Usage { cost_usd: Some(0.25), ..Usage::default() };
        Ok(SubagentStop { end, usage, files: Vec::new(), background: Vec::new(), in_tree: Vec::new() })
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

    async fn is_settled(&self, approval_id: &ApprovalId) -> Result<bool, Error> {
        assert_eq!(*approval_id, self.approval);
        Ok(*self.settled.lock().unwrap())
    }

    async fn tell_of_background(&self, _: &SubagentStarted) -> Result<(), Error> {
        Ok(())
    }
}

/// One answer of the model that hands these tasks to these agents.
async fn handed(readers: &Arc<Readers>, tasks: &[(&str, &str)]) -> Bench {
    handed_as(readers, tasks, None).await
}

async fn handed_as(readers: &Arc<Readers>, tasks: &[(&str, &str)], background: Option<bool>) -> Bench {
    let agents = ["reader", "writer"].map(|name| AgentChoice { name: name.into(), description: String::new() });
    let bench = Bench::new(vec![crate::delegate(&agents, readers.clone())], ApprovalMode::Ask);
    for (place, (agent, task)) in tasks.iter().enumerate() {
        let (id, mut args) = (format!("c{place}"), json!({"agent": agent, "task": task}));
        if let Some(background) = background {
            args["background"] = json!(background);
        }
        match place {
            0 => bench.called_as(&id, "delegate", args).await,
            _ => bench.also_called(&id, "delegate", args).await,
        }
    }
    bench
}

fn results(bench: &Bench) -> Vec<String> {
    let events = bench.log.0.lock().unwrap();
    let result = |event: &Arc<Event>| match event.body() {
        EventBody::ToolResult(result) => Some(result.result),
        _ => None,
    };
    events.iter().filter_map(result).collect()
}

fn count(bench: &Bench, kind: &str) -> usize {
    bench.kinds().iter().filter(|known| *known == kind).count()
}

#[tokio::test]
async fn readers_work_side_by_side_and_their_results_come_in_the_order_of_the_calls() {
    let readers = Readers::new(3);
    let bench = handed(&readers, &[("reader", "together 1"), ("reader", "together 2"), ("reader", "together 3")]).await;
    assert_eq!(bench.carry_on_together().await, CallOutcome::Finished);
    assert_eq!(results(&bench), ["together 1 is done.", "together 2 is done.", "together 3 is done."]);
    assert_eq!(bench.state().cost_in_budget, Some(0.75));
    assert!(bench.state().pending_calls().is_empty());
}

#[tokio::test]
async fn all_of_a_row_are_begun_before_any_of_them_works() {
    let readers = Readers::new(2);
    let bench = handed(&readers, &[("reader", "together 1"), ("reader", "together 2")]).await;
    bench.carry_on_together().await;
    let begun = ["policy.decided", "subagent.started", "policy.decided", "subagent.started"];
    assert_eq!(bench.kinds()[1..5], begun, "{:?}", bench.kinds());
    assert_eq!(bench.kinds()[5..], ["tool.result", "tool.result"]);
}

#[tokio::test]
async fn no_more_than_four_work_at_once_and_each_may_spend_an_equal_share() {
    let readers = Readers::new(4);
    let tasks: Vec<(&str, &str)> = ["together 1", "together 2", "together 3", "together 4", "a 5", "a 6"]
        .into_iter()
        .map(|task| ("reader", task))
        .collect();
    let bench = handed(&readers, &tasks).await;
    let context = |left| CallContext { cost_left_usd: Some(left), ..bench.context() };
    let state = bench.state();
    bench.executor.execute_together(state.pending_calls(), &context(8.0)).await.unwrap();
    assert_eq!((*readers.most_at_work.lock().unwrap(), results(&bench).len()), (4, 4));
    let state = bench.state();
    bench.executor.execute_together(state.pending_calls(), &context(3.0)).await.unwrap();
    assert_eq!(results(&bench).len(), 6);
    let shares = readers.shares.lock().unwrap();
    assert_eq!((shares["together 1"], shares["together 4"], shares["a 5"]), (Some(2.0), Some(2.0), Some(1.5)));
}

#[tokio::test]
async fn one_that_may_write_works_alone_and_in_its_turn() {
    let readers = Readers::new(1);
    let bench = handed(&readers, &[("reader", "a 1"), ("reader", "a 2"), ("writer", "a 3"), ("reader", "a 4")]).await;
    bench.carry_on_together().await;
    assert_eq!(results(&bench).len(), 2);
    bench.carry_on_together().await;
    assert_eq!(*readers.begun.lock().unwrap(), ["a 1", "a 2", "a 3"]);
    bench.carry_on_together().await;
    assert_eq!(results(&bench).len(), 4);
}

#[tokio::test]
async fn a_row_that_was_begun_goes_on_with_the_same_sub_agents() {
    let readers = Readers::new(2);
    let bench = handed(&readers, &[("reader", "together 1"), ("reader", "together 2")]).await;
    let begun = |call_id: &str| SubagentStarted {
        call_id: call_id.into(),
        agent: "reader".into(),
        session_id: SessionId::new(),
        run_id: RunId::new(),
        max_cost_usd: None,
        tree: None,
    };
    let (first, second) = (begun("c0"), begun("c1"));
    bench.append(vec![first.clone().into(), second.into()]).await;
    let state = bench.state();
    assert!(matches!(&state.pending_calls()[0].progress, CallProgress::Delegated(started) if **started == first));
    assert_eq!(bench.carry_on_together().await, CallOutcome::Finished);
    assert_eq!((count(&bench, "subagent.started"), count(&bench, "tool.result")), (2, 2));
}

#[tokio::test]
async fn one_that_waits_goes_on_once_that_is_settled_while_others_work() {
    let readers = Readers::new(1);
    let bench = handed(&readers, &[("reader", "waits"), ("reader", "settles")]).await;
    assert_eq!(bench.carry_on_together().await, CallOutcome::Finished);
    assert_eq!(results(&bench), ["waits is done.", "settles is done."]);
    assert_eq!(count(&bench, "subagent.started"), 2);
}

#[tokio::test]
async fn the_run_waits_once_all_others_have_ended_and_what_comes_after_is_recorded_in_its_turn() {
    let readers = Readers::new(1);
    let bench = handed(&readers, &[("reader", "a 1"), ("reader", "waits"), ("reader", "a 3")]).await;
    assert_eq!(bench.carry_on_together().await, CallOutcome::AwaitingApproval(readers.approval.clone()));
    assert_eq!(results(&bench), ["a 1 is done."]);
    *readers.settled.lock().unwrap() = true;
    assert_eq!(bench.carry_on_together().await, CallOutcome::Finished);
    assert_eq!(results(&bench), ["a 1 is done.", "waits is done.", "a 3 is done."]);
}

#[tokio::test]
async fn stopping_stops_those_that_work_and_those_that_wait() {
    let readers = Readers::new(1);
    let bench = handed(&readers, &[("reader", "waits"), ("reader", "cancels")]).await;
    let stopping = async {
        readers.waits.notified().await;
        bench.cancel.cancel();
    };
    let (outcome, ()) = tokio::join!(bench.carry_on_together(), stopping);
    assert_eq!(outcome, CallOutcome::Finished);
    let results = results(&bench);
    assert_eq!(results.len(), 2);
    assert!(results.iter().all(|result| result.contains("The user stopped the agent")), "{results:?}");
}

/// One answer of the model that hands these tasks to readers in the background; each call is carried out.
async fn in_background(readers: &Arc<Readers>, tasks: &[&str]) -> Bench {
    let tasks: Vec<(&str, &str)> = tasks.iter().map(|task| ("reader", *task)).collect();
    let bench = handed_as(readers, &tasks, Some(true)).await;
    while !bench.state().pending_calls().is_empty() {
        assert_eq!(bench.carry_on_together().await, CallOutcome::Finished);
    }
    bench
}

fn late_results(bench: &Bench) -> Vec<String> {
    let events = bench.log.0.lock().unwrap();
    let result = |event: &Arc<Event>| match event.body() {
        EventBody::ToolAsyncResult(result) => Some(result.result),
        _ => None,
    };
    events.iter().filter_map(result).collect()
}

async fn until_at_rest(bench: &Bench) {
    while bench.executor.subagents_standing() != SubagentsState::AtRest {
        bench.executor.subagents_changed(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn in_the_background_the_placeholder_is_first_and_the_cost_comes_with_the_result() {
    let readers = Readers::new(2);
    let bench = in_background(&readers, &["together 1"]).await;
    assert_eq!(bench.kinds(), ["policy.decided", "subagent.started", "tool.result"]);
    assert_eq!((bench.state().background().len(), bench.state().next_step()), (1, NextStep::AskModel));
    assert_eq!(bench.executor.subagents_standing(), SubagentsState::AtWork);
    readers.together.wait().await;
    until_at_rest(&bench).await;
    assert_eq!(late_results(&bench), ["together 1 is done."]);
    assert_eq!((bench.state().background().len(), bench.state().cost_in_budget), (0, Some(0.25)));
}

#[tokio::test]
async fn in_the_background_one_that_waits_goes_on_by_itself_once_that_is_settled() {
    let readers = Readers::new(1);
    let bench = in_background(&readers, &["waits"]).await;
    let waiting = SubagentsState::Waiting(readers.approval.clone());
    while bench.executor.subagents_standing() != waiting {
        bench.executor.subagents_changed(Duration::from_millis(10)).await;
    }
    *readers.settled.lock().unwrap() = true;
    until_at_rest(&bench).await;
    assert_eq!(late_results(&bench), ["waits is done."]);
}

#[tokio::test]
async fn one_that_rests_has_no_result_until_it_is_taken_up_again() {
    let readers = Readers::new(1);
    let bench = in_background(&readers, &["waits"]).await;
    bench.executor.rest_subagents().await;
    assert!(late_results(&bench).is_empty());
    *readers.settled.lock().unwrap() = true;
    let state = bench.state();
    bench.executor.take_up_subagents(state.background(), &bench.context());
    bench.executor.take_up_subagents(state.background(), &bench.context());
    until_at_rest(&bench).await;
    assert_eq!(late_results(&bench), ["waits is done."]);
}

#[tokio::test]
async fn in_the_background_stopping_stops_those_that_work_and_those_that_wait() {
    let readers = Readers::new(1);
    let bench = in_background(&readers, &["waits", "cancels"]).await;
    bench.cancel.cancel();
    bench.executor.rest_subagents().await;
    assert_eq!(late_results(&bench).len(), 2);
    assert!(late_results(&bench).iter().all(|result| result.contains("The user stopped the agent")));
}

#[tokio::test]
async fn no_more_than_four_work_in_the_background_and_none_that_may_write() {
    let readers = Readers::new(5);
    let bench = in_background(&readers, &["together 1", "together 2", "together 3", "together 4", "a 5"]).await;
    assert!(results(&bench)[4].contains("already has 4 sub-agents"), "{:?}", results(&bench));
    readers.together.wait().await;
    until_at_rest(&bench).await;
    assert_eq!(late_results(&bench).len(), 4);
    let bench = handed_as(&readers, &[("writer", "a 1")], Some(true)).await;
    bench.carry_on_together().await;
    assert_eq!(bench.result().1.as_deref(), Some("BACKGROUND_WOULD_WRITE"));
}

#[tokio::test]
async fn in_the_background_each_has_a_share_set_aside_and_the_run_keeps_one() {
    let readers = Readers::new(5);
    let tasks = ["together 1", "together 2", "together 3", "together 4"].map(|task| ("reader", task));
    let bench = handed_as(&readers, &tasks, Some(true)).await;
    while let Some(pending) = bench.state().pending_calls().first() {
        let cost_left_usd = Some(5.0 - bench.state().cost_set_aside());
        bench.executor.execute(pending, &CallContext { cost_left_usd, ..bench.context() }).await.unwrap();
    }
    assert!((bench.state().cost_set_aside() - 4.0).abs() < 1e-9);
    readers.together.wait().await;
    until_at_rest(&bench).await;
    assert!(readers.shares.lock().unwrap().values().all(|share| share.is_some_and(|share| (share - 1.0).abs() < 1e-9)));
    assert_eq!((bench.state().cost_set_aside(), bench.state().cost_in_budget), (0.0, Some(1.0)));
}
